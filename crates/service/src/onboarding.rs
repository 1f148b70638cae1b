//! The first organisation and its tokens, and those that the operator orders. A new organisation gets what each area gives it.

use model::access::access_token::{AccessToken, SECRET_BYTES, Secret};
use model::access::credential::CredentialKind;
use model::access::role::{BuiltInRole, role_text};
use model::access::session::LINK_SECONDS;
use model::access::user::email_key;
use model::{Id, Organisation, Owner, Result, Scopes, Timestamp, User, World};
use store::access::{access_tokens, organisations, sign_ins, users};
use store::{Access, Tx};

use crate::events::users::Users;
use crate::platform::context::Context;
use crate::platform::resource::found;
use crate::shipping::carrier_accounts::insert_sandbox;

/// What the first start made.
pub struct Welcome {
    pub organisation: &'static str,
    pub organisation_id: Id<Organisation>,
    pub user: &'static str,
    pub live: Secret,
    pub test: Secret,
    /// Opens the console once, within 15 minutes.
    pub sign_in_link: String,
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
    users: Users,
}

/// A user that the command line invites, or gives a new link and other roles.
pub struct Invitation {
    pub organisation: String,
    pub user: String,
    /// What colleagues call a new user.
    pub name: Option<String>,
    pub role: BuiltInRole,
}

impl Onboarding {
    pub(crate) fn new(context: &Context, users: &Users) -> Self {
        Self { context: context.clone(), users: users.clone() }
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
        let mut link_random = [0; SECRET_BYTES];
        self.context.fill_random(&mut link_random);
        let made = self.context.db().write(Access::System, async move |tx| {
            organisations::lock(tx).await?;
            if organisations::any(tx).await? {
                return Ok(None);
            }
            let first = insert_token(tx, &live, now).await?;
            insert_token(tx, &test, now).await?;
            if let Some(user) = users::by_address(tx, first, &live.order.user).await? {
                users::set_roles(tx, first, user, &[BuiltInRole::Admin.id()]).await?;
                let link = Secret::hash(CredentialKind::Link.create(first, link_random).as_str());
                sign_ins::set_link(tx, first, user, link, now.plus_seconds(LINK_SECONDS)).await?;
            }
            Ok(Some(first))
        });
        Ok(made.await?.map(|organisation| Welcome {
            organisation: "Default",
            organisation_id: organisation,
            user: "admin@localhost",
            live: Secret::new(Owner { organisation, world: World::Live }, live_secret),
            test: Secret::new(Owner { organisation, world: World::Test }, test_secret),
            sign_in_link: self.users.address_of(&CredentialKind::Link.create(organisation, link_random)),
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

    /// Makes a user of an organisation that exists, or changes the one with this address: it is enabled, has the role and no
    /// other, and gets a new link. Returns the link, or `None` if there is no such organisation. The operator may do this
    /// whatever the organisation says, so that an organisation without an administrator gets one.
    pub async fn invite(&self, invitation: Invitation) -> Result<Option<String>> {
        let now = self.context.now();
        let id = self.context.new_id(now);
        let mut random = [0; SECRET_BYTES];
        self.context.fill_random(&mut random);
        let work = self.context.db().write(Access::System, async move |tx| {
            let Some(organisation) = organisations::by_name(tx, &invitation.organisation).await? else {
                return Ok(None);
            };
            users::lock(tx, organisation).await?;
            let user = match users::by_address(tx, organisation, &invitation.user).await? {
                Some(user) => user,
                None => {
                    let new = User { id, email: email_key(&invitation.user) };
                    let name = invitation.name.as_deref().unwrap_or(&invitation.user);
                    users::insert(tx, organisation, &new, name, now).await?;
                    new.id
                }
            };
            let stored = found(users::get(tx, organisation, user).await?)?;
            if stored.is_disabled {
                users::set_disabled(tx, &stored, false, now).await?;
            }
            users::set_roles(tx, organisation, user, &[invitation.role.id()]).await?;
            let link = Secret::hash(CredentialKind::Link.create(organisation, random).as_str());
            sign_ins::set_link(tx, organisation, user, link, now.plus_seconds(LINK_SECONDS)).await?;
            Ok(Some(organisation))
        });
        let made = work.await?;
        Ok(made.map(|organisation| self.users.address_of(&CredentialKind::Link.create(organisation, random))))
    }

    /// Returns every user of every organisation, for the operator.
    pub async fn all_users(&self) -> Result<Vec<ListedUser>> {
        let read = self.context.db().read(Access::System, async |tx| {
            let mut listed = Vec::new();
            for (user, organisation) in users::all(tx).await? {
                let roles = users::roles(tx, user.organisation, user.id).await?;
                listed.push(ListedUser {
                    id: user.id,
                    organisation,
                    email: user.email,
                    roles: roles.iter().map(|role| role_text(role.id)).collect(),
                    is_disabled: user.is_disabled,
                });
            }
            Ok(listed)
        });
        read.await
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

/// A user as the command line lists it.
pub struct ListedUser {
    pub id: Id<User>,
    pub organisation: String,
    pub email: String,
    pub roles: Vec<String>,
    pub is_disabled: bool,
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
    let user = match users::by_address(tx, organisation, &order.user).await? {
        Some(id) => id,
        None => {
            let new = User { id: draft.user, email: order.user.clone() };
            users::insert(tx, organisation, &new, &new.email, now).await?;
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
