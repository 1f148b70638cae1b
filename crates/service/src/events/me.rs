//! Who a caller is, and which channels it may follow.

use model::access::me::{Known, Me, Named};
use model::{Owner, Result};
use store::access::organisations;

use crate::access::caller::Caller;
use crate::access::reply::Reply;
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
        let read = self.context.db().read(caller.owner, async move |tx| {
            let (name, _) = found(organisations::get(tx, organisation).await?)?;
            Ok((name, organisations::user(tx, organisation, caller.user).await?))
        });
        let (name, user) = read.await?;
        let me = Me {
            organisation: Named { id: organisation, name },
            user: Known { id: caller.user, email_address: user.map(|user| user.email) },
            world: world.as_str(),
            scopes: caller.scopes.words(),
            expires_at: caller.expires_at,
            channels: channels(&caller),
        };
        Ok(Reply::done(json(&me)?))
    }
}
