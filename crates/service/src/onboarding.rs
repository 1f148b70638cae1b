//! The first organisation and its tokens, and those that the operator orders. A new organisation gets what each area gives it.

use model::access::access_token::{AccessToken, SECRET_BYTES, Secret};
use model::{Id, Organisation, Owner, Result, Scopes, Timestamp, User, World};
use store::access::{access_tokens, organisations};
use store::{Access, Tx};

use crate::platform::context::Context;
use crate::shipping::carrier_accounts::insert_sandbox;

/// What the first start made.
pub struct Welcome {
    pub organisation: &'static str,
    pub organisation_id: Id<Organisation>,
    pub user: &'static str,
    pub live: Secret,
    pub test: Secret,
}

/// A token that the command line asks for.
pub struct TokenOrder {
    pub organisation: String,
    pub user: String,
    pub scopes: Scopes,
    pub world: World,
    pub expires_in_seconds: Option<i64>,
}

/// Makes organisations, users and tokens for the operator.
#[derive(Clone)]
pub struct Onboarding {
    context: Context,
}

impl Onboarding {
    pub(crate) fn new(context: &Context) -> Self {
        Self { context: context.clone() }
    }

    /// On an empty store, makes an organisation, a user and a token for each world.
    pub async fn bootstrap(&self) -> Result<Option<Welcome>> {
        let now = self.context.now();
        let order = |world| TokenOrder {
            organisation: "Default".to_owned(),
            user: "admin@localhost".to_owned(),
            scopes: Scopes::ALL,
            world,
            expires_in_seconds: None,
        };
        let (live, test) = (self.draft(order(World::Live), now), self.draft(order(World::Test), now));
        let (live_secret, test_secret) = (live.random, test.random);
        let made = self.context.db().write(Access::System, async move |tx| {
            organisations::lock(tx).await?;
            if organisations::any(tx).await? {
                return Ok(None);
            }
            let first = insert_token(tx, &live, now).await?;
            insert_token(tx, &test, now).await?;
            Ok(Some(first))
        });
        Ok(made.await?.map(|organisation| Welcome {
            organisation: "Default",
            organisation_id: organisation,
            user: "admin@localhost",
            live: Secret::new(Owner { organisation, world: World::Live }, live_secret),
            test: Secret::new(Owner { organisation, world: World::Test }, test_secret),
        }))
    }

    /// Makes a token for the operator, and the organisation and the user where they don't exist.
    pub async fn issue_token(&self, order: TokenOrder) -> Result<Secret> {
        let now = self.context.now();
        let world = order.world;
        let draft = self.draft(order, now);
        let random = draft.random;
        let made = self.context.db().write(Access::System, async move |tx| {
            organisations::lock(tx).await?;
            insert_token(tx, &draft, now).await
        });
        Ok(Secret::new(Owner { organisation: made.await?, world }, random))
    }

    fn draft(&self, order: TokenOrder, now: Timestamp) -> Draft {
        let mut random = [0; SECRET_BYTES];
        self.context.fill_random(&mut random);
        Draft {
            organisation: self.context.new_id(now),
            user: self.context.new_id(now),
            token: self.context.new_id(now),
            random,
            order,
        }
    }
}

/// An operator's order with the ids and the randomness that it may need, made before the transaction.
struct Draft {
    organisation: Id<Organisation>,
    user: Id<User>,
    token: Id<AccessToken>,
    random: [u8; SECRET_BYTES],
    order: TokenOrder,
}

async fn insert_token(tx: &mut Tx<'_>, draft: &Draft, now: Timestamp) -> Result<Id<Organisation>> {
    let order = &draft.order;
    let organisation = match organisations::by_name(tx, &order.organisation).await? {
        Some(id) => id,
        None => {
            let new = Organisation { id: draft.organisation, name: order.organisation.clone() };
            organisations::insert(tx, &new, now).await?;
            insert_sandbox(tx, new.id, now).await?;
            new.id
        }
    };
    let user = match organisations::user_by_email(tx, organisation, &order.user).await? {
        Some(id) => id,
        None => {
            let new = User { id: draft.user, email: order.user.clone() };
            organisations::insert_user(tx, organisation, &new, now).await?;
            new.id
        }
    };
    let owner = Owner { organisation, world: order.world };
    let token = AccessToken {
        id: draft.token,
        owner,
        user,
        name: None,
        scopes: order.scopes,
        parent: None,
        creator: None,
        expires_at: order.expires_in_seconds.map(|seconds| now.plus_seconds(seconds)),
        created_at: now,
    };
    access_tokens::insert(tx, &token, Secret::hash(Secret::new(owner, draft.random).as_str())).await?;
    Ok(organisation)
}
