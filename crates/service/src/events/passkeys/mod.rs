//! Passkeys: add, list and delete them, and sign in with one.

mod challenges;
mod entering;

use model::access::passkey::ceremony::{Ceremony, Registration, challenge_of, register};
use model::access::passkey::cose_key::ALGORITHMS;
use model::access::passkey::flaw::Flaw;
use model::access::passkey::relying_party::RelyingParty;
use model::access::passkey::{PASSKEYS_MAX, PasskeyInput, PasskeyView, encode, user_handle};
use model::{Code, Event, Id, Owner, Passkey, Problem, Result, Scope, User, ensure};
use serde_json::json;
use store::access::passkeys::{self, StoredPasskey};
use store::access::{sessions, users};
use store::{Page, Tx};

use crate::access::caller::{Caller, CallerSession};
use crate::access::password_checks::PasswordChecks;
use crate::access::reply::Reply;
use crate::access::rights::{Rights, ensure_covers};
use crate::access::write::Command;
use crate::platform::context::Context;
use crate::platform::cursor::{ListQuery, Listing};
use crate::platform::resource::{found, json as json_text};

use challenges::Challenges;
pub use entering::SignInChallenge;

const PASSWORD_ADVICE: &str =
    "Must be your password. It is not needed for 15 minutes after a sign-in here: sign out and in again.";

/// Operations on passkeys.
#[derive(Clone)]
pub struct Passkeys {
    context: Context,
    checks: PasswordChecks,
    challenges: Challenges,
    party: Option<RelyingParty>,
}

impl Passkeys {
    pub(crate) fn new(context: &Context, checks: &PasswordChecks, public_url: &str) -> Self {
        Self {
            context: context.clone(),
            checks: checks.clone(),
            challenges: Challenges::new(context),
            party: RelyingParty::of(public_url),
        }
    }

    /// Returns whether browsers offer passkeys at the address of this server.
    pub fn are_available(&self) -> bool {
        self.party.is_some()
    }

    fn party(&self) -> Result<&RelyingParty> {
        self.party.as_ref().ok_or_else(|| Code::PasskeysUnavailable.into())
    }

    /// Returns what a page needs to have an authenticator make a passkey for the caller.
    pub async fn start(&self, caller: &Caller) -> Result<String> {
        let session = caller.session.ok_or(Code::SessionRequired)?;
        let party = self.party()?;
        let (organisation, user) = (caller.owner.organisation, caller.user);
        let read = self.context.db().read(Owner::live(organisation), async move |tx| {
            passkeys::credentials(tx, organisation, user, PASSKEYS_MAX).await
        });
        let known: Vec<String> = read.await?.iter().map(|id| encode(id)).collect();
        let (challenge, expires_at) = self.challenges.create(Ceremony::Registration, &holder(&session));
        let body = json!({
            "challenge": encode(&challenge),
            "relying_party_id": party.id,
            "user_handle": encode(&user_handle(organisation, user)),
            "algorithms": ALGORITHMS,
            "known_credential_ids": known,
            "expires_at": expires_at,
        });
        Ok(body.to_string())
    }

    /// Adds a passkey of the caller. A stolen session must not become a lasting way in, so the password is needed unless the
    /// person has just signed in.
    pub async fn create(&self, caller: &Caller, input: PasskeyInput) -> Result<Reply> {
        let session = caller.session.ok_or(Code::SessionRequired)?;
        let registration = self.read_answer(&session, &input).map_err(refused)?;
        let (now, organisation, user) = (self.context.now(), caller.owner.organisation, caller.user);
        let owner = Owner::live(organisation);
        if !session.is_recent(now) {
            let read = async move |tx: &mut Tx<'_>| found(users::get(tx, organisation, user).await?);
            let stored = self.context.db().read(owner, read).await?;
            self.checks.check_current(&stored, input.current_password, PASSWORD_ADVICE).await?;
        }
        if !self.challenges.spend(&registration.challenge).await? {
            return Err(refused(Flaw::Challenge));
        }
        let Registration { credential_id, public_key, sign_count, is_syncable } = registration.passkey;
        let passkey = StoredPasskey {
            id: self.context.new_id(now),
            user,
            credential_id,
            public_key,
            sign_count,
            is_syncable,
            name: input.name,
            created_at: now,
            last_used_at: None,
        };
        let log = self.context.event_log(caller, owner, now);
        let create = async move |tx: &mut Tx<'_>| {
            users::lock(tx, organisation).await?;
            let stored = found(users::get(tx, organisation, user).await?)?;
            let is_alive = sessions::get(tx, organisation, session.id).await?.is_some();
            ensure(is_alive && !stored.is_disabled, Code::Unauthenticated)?;
            let known = passkeys::credentials(tx, organisation, user, PASSKEYS_MAX).await?;
            ensure((known.len() as i64) < PASSKEYS_MAX, Code::TooManyPasskeys)?;
            let same = passkeys::by_credential(tx, organisation, &passkey.credential_id).await?;
            ensure(same.is_none(), Code::PasskeyTaken)?;
            passkeys::insert(tx, organisation, &passkey).await?;
            let doc = json_text(&view(&passkey))?;
            log.append(tx, &Event::new("passkey.created", passkey.id, &doc)).await?;
            Ok(Reply::created(format!("/passkeys/{}", passkey.id), None, doc))
        };
        let reply = self.context.db().write(owner, create).await;
        if reply.is_ok() {
            self.context.notice(owner);
        }
        reply
    }

    fn read_answer(
        &self,
        session: &CallerSession,
        input: &PasskeyInput,
    ) -> std::result::Result<Answered, Flaw> {
        let party = self.party.as_ref().ok_or(Flaw::Origin)?;
        let client_data = input.client_data.decode().ok_or(Flaw::Malformed)?;
        let challenge = challenge_of(Ceremony::Registration, &client_data, party)?;
        if !self.challenges.is_valid(Ceremony::Registration, &holder(session), &challenge) {
            return Err(Flaw::Challenge);
        }
        let object = input.attestation_object.decode().ok_or(Flaw::Malformed)?;
        Ok(Answered { challenge, passkey: register(&object, party)? })
    }

    /// Lists the passkeys of the caller, or of another user for a caller that may read users.
    pub async fn list(&self, caller: &Caller, query: ListQuery, user: Option<Id<User>>) -> Result<Listing> {
        let user = user.unwrap_or(caller.user);
        if user != caller.user {
            require(caller, "users:read")?;
        }
        let (owner, limit) = (caller.owner, query.limit);
        let start = self.context.start(owner, &query)?;
        let read = self
            .context
            .db()
            .read(owner, async move |tx| passkeys::page(tx, owner.organisation, user, &start, limit).await);
        let page = read.await?;
        let items = page.items.iter().map(|passkey| json_text(&view(passkey))).collect::<Result<_>>()?;
        let page = Page { items, older_than: page.older_than, newer_than: page.newer_than };
        self.context.listing(owner, &query, page)
    }

    /// Deletes a passkey: one of the caller's own, or one of a user with no more rights than the caller. Sessions go on.
    pub async fn delete(&self, command: Command, id: Id<Passkey>) -> Result<Reply> {
        let (caller, now) = (command.caller, self.context.now());
        let organisation = caller.owner.organisation;
        let log = self.context.event_log(&caller, caller.owner, now);
        let delete = async move |tx: &mut Tx<'_>| {
            users::lock(tx, organisation).await?;
            let passkey = passkeys::get(tx, organisation, id).await?;
            let is_own = |passkey: &StoredPasskey| passkey.user == caller.user;
            // A caller that may not read users does not learn which passkeys others have.
            let passkey = found(passkey.filter(|one| is_own(one) || caller.scopes.can_read("users")))?;
            if !is_own(&passkey) {
                require(&caller, "users:write")?;
                ensure_covers(&caller, Rights::of(tx, organisation, passkey.user).await?.scopes)?;
            }
            passkeys::delete(tx, organisation, id).await?;
            log.append(tx, &Event::new("passkey.deleted", id, &json_text(&view(&passkey))?)).await?;
            Ok(Reply::gone())
        };
        self.context.write(&command, delete).await
    }
}

/// A new passkey, and the challenge that it answers.
struct Answered {
    challenge: Vec<u8>,
    passkey: Registration,
}

/// Returns who may answer a challenge for a new passkey: the session that asked for it.
fn holder(session: &CallerSession) -> [u8; 16] {
    session.id.bits().to_be_bytes()
}

fn require(caller: &Caller, scope: &str) -> Result<()> {
    Scope::parse(scope).map_or(Ok(()), |scope| caller.require(scope))
}

fn refused(flaw: Flaw) -> model::Error {
    Problem::from(Code::PasskeyRefused).with_detail(flaw.message()).into()
}

fn view(passkey: &StoredPasskey) -> PasskeyView {
    PasskeyView {
        id: passkey.id,
        user_id: passkey.user,
        name: passkey.name.clone(),
        is_syncable: passkey.is_syncable,
        created_at: passkey.created_at,
        last_used_at: passkey.last_used_at,
    }
}
