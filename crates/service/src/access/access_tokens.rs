//! Access tokens: finding out who calls, and making what they call with. `revocations.rs` takes it away.

use std::collections::HashMap;
use std::sync::{Arc, RwLock};
use std::time::{Duration, Instant};

use model::access::access_token::{AccessToken, AccessTokenInput, SECRET_BYTES, Secret};
use model::platform::problem::Issue;
use model::{Code, Id, Owner, Problem, Result, Scope, Scopes, ensure};
use store::access::{access_tokens, users};
use store::{Access, Page, Tx};

pub use store::access::access_tokens::Listed;

use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::access::write::Command;
use crate::platform::context::Context;
use crate::platform::cursor::{ListQuery, Listing};
use crate::platform::resource::{found, json};

/// How long a look-up is believed: the longest that a token revoked elsewhere goes on working.
const CACHE_AGE_MAX: Duration = Duration::from_secs(2);
/// Look-ups remembered at most.
const CACHED_MAX: usize = 10_000;
/// The life of a token traded at `/oauth/token`, in seconds.
pub const TRADED_SECONDS: i64 = 3600;

/// Tokens and sessions seen lately, by the hash of their secret.
#[derive(Default)]
pub(super) struct Cache(RwLock<Seen>);

#[derive(Default)]
struct Seen {
    callers: HashMap<[u8; 32], (Instant, Caller)>,
    /// How often tokens were taken away here: a look-up that began before the last time may have found a dead one.
    revocations: u64,
}

impl Cache {
    pub(super) fn get(&self, hash: &[u8; 32]) -> Option<Caller> {
        let seen = self.0.read().ok()?;
        seen.callers.get(hash).filter(|(at, _)| at.elapsed() < CACHE_AGE_MAX).map(|(_, caller)| *caller)
    }

    pub(super) fn revocations(&self) -> u64 {
        self.0.read().map_or(0, |seen| seen.revocations)
    }

    /// Remembers a look-up that began after so many revocations, unless there were more meanwhile.
    pub(super) fn put(&self, hash: [u8; 32], caller: Caller, revocations: u64) {
        if let Ok(mut seen) = self.0.write()
            && seen.revocations == revocations
        {
            if seen.callers.len() >= CACHED_MAX {
                seen.callers.clear();
            }
            seen.callers.insert(hash, (Instant::now(), caller));
        }
    }

    fn clear(&self) {
        if let Ok(mut seen) = self.0.write() {
            seen.callers.clear();
            seen.revocations += 1;
        }
    }
}

/// A token that lives an hour.
pub struct Traded {
    pub secret: Secret,
    pub scopes: Scopes,
    /// How long it lives.
    pub seconds: i64,
}

/// Operations on access tokens, and who their bearers are.
#[derive(Clone)]
pub struct AccessTokens {
    pub(super) context: Context,
    pub(super) cache: Arc<Cache>,
}

impl AccessTokens {
    pub(crate) fn new(context: &Context) -> Self {
        Self { context: context.clone(), cache: Arc::default() }
    }

    /// Forgets who called lately, since a token was taken away, here or on another node.
    pub(crate) fn forget_callers(&self) {
        self.cache.clear();
    }

    /// Who the bearer of this token is.
    pub async fn authenticate(&self, token: &str) -> Result<Caller> {
        self.authenticate_as(Secret::owner_of(token).ok_or(Code::Unauthenticated)?, token).await
    }

    /// Who the bearer of this token is, which names this owner.
    pub async fn authenticate_as(&self, owner: Owner, token: &str) -> Result<Caller> {
        let hash = Secret::hash(token);
        let caller = match self.cache.get(&hash) {
            Some(caller) => caller,
            None => {
                let revocations = self.cache.revocations();
                let found = self
                    .context
                    .db()
                    .read(owner, async move |tx| access_tokens::by_hash(tx, owner, hash).await);
                let token = found.await?.ok_or(Code::Unauthenticated)?;
                let caller = Caller {
                    owner,
                    user: token.user,
                    token: token.id,
                    scopes: token.scopes,
                    expires_at: token.expires_at,
                    session: None,
                };
                self.cache.put(hash, caller, revocations);
                caller
            }
        };
        ensure(caller.expires_at.is_none_or(|end| self.context.now() < end), Code::Unauthenticated)?;
        Ok(caller)
    }

    /// Trades a token (its id and the token itself) for one that lives an hour: RFC 6749 client credentials.
    pub async fn trade_token(&self, client: &str, secret: &str, scope: Option<&str>) -> Result<Traded> {
        let id = Id::parse(client).ok_or(Code::InvalidClient)?;
        let owner = Secret::owner_of(secret).ok_or(Code::InvalidClient)?;
        let hash = Secret::hash(secret);
        let wanted = scope
            .map(Scopes::parse)
            .transpose()
            .map_err(|word| Problem::from(Code::InvalidScope).with_detail(Scope::unknown(word)))?;
        let now = self.context.now();
        let (child, child_secret) = (self.context.new_id(now), self.new_secret(owner));
        let child_hash = Secret::hash(child_secret.as_str());
        let trade = self.context.db().write(owner, async move |tx| {
            let parent = access_tokens::hold(tx, owner, hash).await?.ok_or(Code::InvalidClient)?;
            // A traded token can't be traded on: it would outlive its hour.
            let is_client = parent.id == id && parent.parent.is_none() && parent.is_alive(now);
            ensure(is_client, Code::InvalidClient)?;
            let scopes = wanted.unwrap_or(parent.scopes);
            ensure(parent.scopes.covers(scopes), Code::InvalidScope)?;
            // It can't outlive what it was traded for.
            let end = now.plus_seconds(TRADED_SECONDS);
            let end = parent.expires_at.map_or(end, |limit| limit.min(end));
            let token = AccessToken {
                id: child,
                owner,
                user: parent.user,
                name: None,
                scopes,
                parent: Some(parent.id),
                creator: Some(parent.id),
                expires_at: Some(end),
                created_at: now,
            };
            access_tokens::insert(tx, &token, child_hash).await?;
            Ok((scopes, end.as_seconds() - now.as_seconds()))
        });
        let (scopes, seconds) = trade.await?;
        Ok(Traded { secret: child_secret, scopes, seconds })
    }

    /// Makes a token in the caller's own world, with no more scopes than the caller's.
    pub async fn create(&self, command: Command, input: AccessTokenInput) -> Result<Reply> {
        let now = self.context.now();
        let caller = command.caller;
        let scopes = Scopes::parse(&input.scopes.join(" ")).map_err(|word| {
            Problem::body(vec![Issue::new("invalid_value", "/scopes", Scope::unknown(word))])
        })?;
        if !caller.scopes.covers(scopes) {
            let lacking = scopes.without(caller.scopes);
            let detail = format!("The caller lacks: {lacking}.");
            return Err(Problem::from(Code::ScopeNotHeld).with_detail(detail).into());
        }
        // What a token makes can't outlive it: a token traded for an hour would otherwise buy a life without end.
        // A person stays after their session, and what they make may, too: it ends when the user is disabled.
        let end = caller.expires_at.filter(|_| caller.session.is_none());
        let expires_at = input.expires_at.or(end);
        if end.is_some_and(|end| expires_at > Some(end)) {
            let message = "Must not be later than the end of the caller's own token.";
            return Err(Problem::body(vec![Issue::new("out_of_range", "/expires_at", message)]).into());
        }
        let token = AccessToken {
            id: self.context.new_id(now),
            owner: caller.owner,
            user: input.user.map_or(caller.user, |user| user.id),
            name: input.name,
            scopes,
            parent: None,
            creator: caller.session.is_none().then_some(caller.token),
            expires_at,
            created_at: now,
        };
        let secret = self.new_secret(caller.owner);
        let hash = Secret::hash(secret.as_str());
        let create = async move |tx: &mut Tx<'_>| {
            // Held, so that a revocation of the caller's token at the same moment finds the new one.
            if let Some(creator) = token.creator {
                ensure(access_tokens::hold_id(tx, token.owner, creator).await?, Code::Unauthenticated)?;
            }
            let user = users::get(tx, token.owner.organisation, token.user).await?;
            if user.is_none() {
                let issue = Issue::new(Code::UserNotFound.as_str(), "/user/id", "There is no such user.");
                return Err(Problem::field(Code::UserNotFound, issue).into());
            }
            access_tokens::insert(tx, &token, hash).await?;
            let body = json(&token.view(Some(&secret)))?;
            Ok(Reply::created(format!("/access_tokens/{}", token.id), Some(etag()), body).confidential())
        };
        self.context.write(&command, create).await
    }

    pub async fn get(&self, caller: &Caller, id: Id<AccessToken>) -> Result<Reply> {
        let owner = caller.owner;
        let read =
            self.context.db().read(owner, async move |tx| found(access_tokens::get(tx, owner, id).await?));
        Ok(Reply::resource(etag(), json(&read.await?.view(None))?))
    }

    pub async fn list(&self, caller: &Caller, query: ListQuery) -> Result<Listing> {
        let owner = caller.owner;
        let start = self.context.start(owner, &query)?;
        let limit = query.limit;
        let read = self
            .context
            .db()
            .read(owner, async move |tx| access_tokens::page(tx, owner, &start, limit).await);
        let page = read.await?;
        let items = page.items.iter().map(|token| json(&token.view(None))).collect::<Result<_>>()?;
        let page = Page { items, older_than: page.older_than, newer_than: page.newer_than };
        self.context.listing(owner, &query, page)
    }

    /// Every token that people made, for the operator.
    pub async fn all_tokens(&self) -> Result<Vec<Listed>> {
        self.context.db().read(Access::System, async |tx| access_tokens::all(tx).await).await
    }

    fn new_secret(&self, owner: Owner) -> Secret {
        let mut random = [0; SECRET_BYTES];
        self.context.fill_random(&mut random);
        Secret::new(owner, random)
    }
}

/// A token never changes, so it has one state.
pub(crate) fn etag() -> String {
    "\"1\"".to_owned()
}
