//! Who a caller is, and which channels it may follow.

use model::access::me::{Known, Me, MySession, Named};
use model::access::role::role_text;
use model::{Owner, Result};
use store::access::{organisations, users};

use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::access::rights::Rights;
use crate::events::stream::channels;
use crate::platform::context::Context;
use crate::platform::resource::{found, json};

/// Tells callers who they are.
#[derive(Clone)]
pub struct Callers {
    context: Context,
}

impl Callers {
    pub(crate) fn new(context: &Context) -> Self {
        Self { context: context.clone() }
    }

    /// Tells whom a token speaks for, and what it may do.
    pub async fn get_me(&self, caller: &Caller) -> Result<Reply> {
        let caller = *caller;
        let Owner { organisation, world } = caller.owner;
        // Roles belong to the live world, as users do.
        let read = self.context.db().read(Owner::live(organisation), async move |tx| {
            let found = found(organisations::get(tx, organisation).await?)?;
            let user = users::get(tx, organisation, caller.user).await?;
            Ok((found.name, user, Rights::of(tx, organisation, caller.user).await?))
        });
        let (name, user, rights) = read.await?;
        let me = Me {
            organisation: Named { id: organisation, name },
            user: Known {
                id: caller.user,
                has_password: user.as_ref().is_some_and(|user| user.password.is_some()),
                name: user.as_ref().map(|user| user.name.clone()),
                email_address: user.map(|user| user.email),
            },
            roles: rights.roles.iter().map(|role| role_text(*role)).collect(),
            world: world.as_str(),
            scopes: caller.scopes.words(),
            expires_at: caller.expires_at,
            session: caller.session.map(|session| MySession {
                id: session.id,
                began_with: session.began_with,
                expires_at: session.expires_at,
            }),
            channels: channels(&caller),
        };
        Ok(Reply::done(json(&me)?))
    }
}
