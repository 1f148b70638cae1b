//! Signing in and out: sessions, passwords and one-time links.

use std::sync::Arc;

use model::access::access_token::Secret;
use model::access::credential::CredentialKind;
use model::access::password::is_guessable;
use model::access::session::{BeganWith, IDLE_SECONDS, PasswordInput, SessionInput};
use model::access::user::email_key;
use model::platform::problem::Issue;
use model::{Code, Event, Id, Organisation, Owner, Problem, Result, Scope, Session, User, ensure};
use store::access::sessions::StoredSession;
use store::access::{sessions, sign_ins, users};
use store::{Access, Page, Tx};

use crate::access::address_limit::AddressLimit;
use crate::access::caller::Caller;
use crate::access::new_session::{NewSession, SignInOrigin, SignedIn, insert, view};
use crate::access::password_checks::{PasswordChecks, account_of, limited};
use crate::access::reply::Reply;
use crate::access::rights::{Rights, ensure_covers};
use crate::access::sessions::is_alive;
use crate::access::write::Command;
use crate::events::access_ends::AccessEnds;
use crate::events::passkeys::Passkeys;
use crate::platform::context::Context;
use crate::platform::cursor::{ListQuery, Listing};
use crate::platform::resource::{found, json};

const PASSWORD_ADVICE: &str = "Must be your password, or be set within 15 minutes of a sign-in with a link.";
/// Users with the same address, in different organisations, whose passwords are tried.
pub(crate) const CANDIDATES_MAX: i64 = 4;

/// Signs people in and out.
#[derive(Clone)]
pub struct SignIns {
    context: Context,
    checks: PasswordChecks,
    passkeys: Passkeys,
    addresses: Arc<AddressLimit>,
    ends: AccessEnds,
}

impl SignIns {
    pub(crate) fn new(
        context: &Context,
        ends: &AccessEnds,
        addresses: &Arc<AddressLimit>,
        checks: &PasswordChecks,
        passkeys: &Passkeys,
    ) -> Self {
        Self {
            context: context.clone(),
            checks: checks.clone(),
            passkeys: passkeys.clone(),
            addresses: Arc::clone(addresses),
            ends: ends.clone(),
        }
    }

    /// Begins a session. Whatever is wrong, the refusal is the same.
    pub async fn sign_in(&self, input: SessionInput, origin: SignInOrigin) -> Result<SignedIn> {
        if let Some(seconds) = self.addresses.refuse(origin.address) {
            return Err(limited(seconds));
        }
        let result = match (input.email_address, input.password, input.link_token, input.passkey) {
            (None, None, Some(link), None) => self.by_link(&link, &origin).await,
            (None, None, None, Some(proof)) => self.passkeys.enter(proof, &origin).await,
            (Some(address), Some(password), None, None) => {
                self.by_password(&address, &password, input.organisation_id, &origin).await
            }
            _ => {
                let message =
                    "Send `email_address` and `password`, or `link_token` alone, or `passkey` alone.";
                return Err(Problem::body(vec![Issue::new("required", "/email_address", message)]).into());
            }
        };
        if matches!(&result, Err(model::Error::Refused(problem)) if problem.code == Code::SignInFailed) {
            self.addresses.count(origin.address);
        }
        result
    }

    async fn by_password(
        &self,
        address: &str,
        password: &str,
        organisation: Option<Id<Organisation>>,
        origin: &SignInOrigin,
    ) -> Result<SignedIn> {
        let account = account_of(address);
        self.checks.count_try(account).await?;
        let key = email_key(address);
        let find = async move |tx: &mut Tx<'_>| users::with_address(tx, &key, CANDIDATES_MAX).await;
        let mut candidates = self.context.db().read(Access::System, find).await?;
        candidates.retain(|user| {
            user.password.is_some() && organisation.is_none_or(|wanted| wanted == user.organisation)
        });
        let hashes = candidates.iter().filter_map(|user| user.password.clone()).collect();
        let place = self.checks.passwords.find(password, hashes).await?.ok_or(Code::SignInFailed)?;
        let user = candidates.swap_remove(place);
        let draft = NewSession::draft(&self.context, user.organisation, BeganWith::Password, origin);
        let hash = Secret::hash(draft.secret.as_str());
        let (session, organisation) = (draft.session.clone(), user.organisation);
        let begin = self.context.db().write(Owner::live(organisation), async move |tx| {
            let now = users::get(tx, organisation, user.id).await?.ok_or(Code::SignInFailed)?;
            // The user may have been disabled, or have set another password, while this one was compared.
            ensure(now.password == user.password && !now.is_disabled, Code::SignInFailed)?;
            insert(tx, &now, session.clone(), hash).await
        });
        let session = begin.await?;
        self.checks.forget_tries(account).await?;
        draft.done(&session)
    }

    async fn by_link(&self, link: &str, origin: &SignInOrigin) -> Result<SignedIn> {
        let organisation = CredentialKind::Link.organisation_of(link).ok_or(Code::SignInFailed)?;
        let draft = NewSession::draft(&self.context, organisation, BeganWith::Link, origin);
        let (hash, link_hash) = (Secret::hash(draft.secret.as_str()), Secret::hash(link));
        let session = draft.session.clone();
        let begin = self.context.db().write(Owner::live(organisation), async move |tx| {
            let (user, expires_at) =
                sign_ins::take_link(tx, organisation, link_hash).await?.ok_or(Code::SignInFailed)?;
            ensure(session.created_at < expires_at, Code::SignInFailed)?;
            let user = users::get(tx, organisation, user).await?.ok_or(Code::SignInFailed)?;
            ensure(!user.is_disabled, Code::SignInFailed)?;
            insert(tx, &user, session.clone(), hash).await
        });
        let session = begin.await?;
        draft.done(&session)
    }

    /// Lists the sessions of the caller's user, or of another one for a caller that may read users.
    pub async fn list(&self, caller: &Caller, query: ListQuery, user: Option<Id<User>>) -> Result<Listing> {
        let user = user.unwrap_or(caller.user);
        if user != caller.user {
            require(caller, "users:read")?;
        }
        let (owner, current) = (caller.owner, caller.session.map(|session| session.id));
        let (start, limit, now) = (self.context.start(owner, &query)?, query.limit, self.context.now());
        let alive = (now, now.plus_seconds(-IDLE_SECONDS));
        let read = self.context.db().read(owner, async move |tx| {
            sessions::page(tx, owner.organisation, user, alive, &start, limit).await
        });
        let page = read.await?;
        let items = page.items.iter().map(|session| json(&view(session, current))).collect::<Result<_>>()?;
        let page = Page { items, older_than: page.older_than, newer_than: page.newer_than };
        self.context.listing(owner, &query, page)
    }

    /// Ends a session: one of the caller's own, or one of a user with no more rights than the caller.
    pub async fn end(&self, command: Command, id: Id<Session>) -> Result<Reply> {
        let (caller, now) = (command.caller, self.context.now());
        let organisation = caller.owner.organisation;
        let end = async move |tx: &mut Tx<'_>| {
            let session = sessions::get(tx, organisation, id).await?.filter(|found| is_alive(found, now));
            let is_own = |session: &StoredSession| session.user == caller.user;
            // A caller that may not read users does not learn which sessions others have.
            let may_see = |session: &StoredSession| is_own(session) || caller.scopes.can_read("users");
            let session = found(session.filter(may_see))?;
            if !is_own(&session) {
                require(&caller, "users:write")?;
                ensure_covers(&caller, Rights::of(tx, organisation, session.user).await?.scopes)?;
            }
            sessions::delete(tx, organisation, id).await?;
            Ok(Reply::gone())
        };
        let reply = self.context.write(&command, end).await;
        self.ends.recheck(organisation, None, &reply).await;
        reply
    }

    /// Sets the caller's password. All other sessions of the user end, and so does a link.
    pub async fn set_password(&self, caller: &Caller, input: PasswordInput) -> Result<Reply> {
        let session = caller.session.ok_or(Code::SessionRequired)?;
        let (now, organisation, id) = (self.context.now(), caller.owner.organisation, caller.user);
        let owner = Owner::live(organisation);
        let read = async move |tx: &mut Tx<'_>| found(users::get(tx, organisation, id).await?);
        let user = self.context.db().read(owner, read).await?;
        if !session.is_fresh_link(now) {
            self.checks.check_current(&user, input.current_password, PASSWORD_ADVICE).await?;
        }
        if is_guessable(&input.new_password, &[&user.email, &user.name]) {
            let code = Code::PasswordTooCommon;
            let issue =
                Issue::new(code.as_str(), "/new_password", "Choose a password that is harder to guess.");
            return Err(Problem::field(code, issue).into());
        }
        let hash = self.checks.passwords.hash(&input.new_password).await?;
        let log = self.context.event_log(caller, owner, now);
        let set = async move |tx: &mut Tx<'_>| {
            users::lock(tx, organisation).await?;
            let current = found(users::get(tx, organisation, id).await?)?;
            let is_alive = sessions::get(tx, organisation, session.id).await?.is_some();
            ensure(is_alive && !current.is_disabled, Code::Unauthenticated)?;
            // Another request may have set a password, while this one was compared.
            ensure(current.password == user.password, Code::CurrentPasswordWrong)?;
            users::set_password(tx, &current, &hash, now).await?;
            sessions::renew(tx, organisation, session.id).await?;
            sign_ins::delete_link(tx, organisation, id).await?;
            let rights = Rights::of(tx, organisation, id).await?;
            let new = found(users::get(tx, organisation, id).await?)?;
            log.append(tx, &Event::new("user.updated", id, &json(&rights.view(&new))?)).await?;
            Ok(Reply::gone())
        };
        let reply = self.context.db().write(owner, set).await;
        if reply.is_ok() {
            self.context.notice(owner);
        }
        self.ends.recheck(organisation, None, &reply).await;
        reply
    }
}

fn require(caller: &Caller, scope: &str) -> Result<()> {
    Scope::parse(scope).map_or(Ok(()), |scope| caller.require(scope))
}
