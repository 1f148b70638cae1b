//! Access tokens of carrier accounts: kept sealed in the database, and asked for by one task at a time, on all nodes together.
//!
//! A token is sealed for the credentials that it was given for, so that nothing can open it once they are changed. A failure is
//! kept for some seconds like a token: a batch with a wrong secret asks the carrier now and then, not once for each shipment.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use ::carriers::{AccessTokens, Account, Connector, Outcome, Task, TokenOutcome};
use model::shipping::shipment::{ErrorCode, ErrorType, ShipmentError, Source};
use model::{Error, Owner, Result, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use store::shipping::carrier_tokens::{self, StoredToken, TokenPlace};
use tokio::time::Instant;
use tracing::{info, warn};

use crate::platform::context::Context;
use crate::platform::resource::json;
use crate::shipping::carrier_requests::{CarrierRequests, Sending};

/// How long a request for a token may take. A claim outlives it, so that two tasks don't ask at once.
const TOKEN_TIME: Duration = Duration::from_secs(10);
const CLAIM_SECONDS: i64 = 15;
/// The pause before a task looks again for a token that another node asks for.
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// How long a failure is kept: of an endpoint that did not answer, and of credentials that were refused.
const UNSENT_SECONDS: i64 = 3;
const REFUSED_SECONDS: i64 = 15;
/// A token is not used for longer, whatever its carrier says.
const TOKEN_SECONDS_MAX: u64 = 7 * 24 * 3600;
/// A token ends this many seconds before the carrier says, in addition to the time that a call may take.
const MARGIN_SECONDS: u64 = 30;
/// The longest token that is kept, in bytes. It must fit into a header.
const TOKEN_BYTES_MAX: usize = 8 * 1024;
/// From this number of places on, those at which no task waits are forgotten.
const PLACES_MAX: usize = 1_000;

/// The answer to a request for a token, as it is sealed.
#[derive(Serialize, Deserialize, Clone, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Kept {
    Token(String),
    Refused(ShipmentError),
    Unsent(ShipmentError),
}

/// The tasks of this node that wait for a token: one of them asks, and the others wait for it without asking the database.
#[derive(Clone, Default)]
struct TokenPlaces(Arc<Mutex<HashMap<TokenPlace, Weak<tokio::sync::Mutex<()>>>>>);

impl TokenPlaces {
    fn of(&self, place: TokenPlace) -> Arc<tokio::sync::Mutex<()>> {
        let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if places.len() >= PLACES_MAX {
            places.retain(|_, place| place.strong_count() > 0);
        }
        let known = places.get(&place).and_then(Weak::upgrade);
        known.unwrap_or_else(|| {
            let new = Arc::new(tokio::sync::Mutex::new(()));
            places.insert(place, Arc::downgrade(&new));
            new
        })
    }
}

/// What a token is asked for with.
struct Wanted<'a> {
    place: TokenPlace,
    tokens: &'a dyn AccessTokens,
    account: &'a Account,
    /// A token that the carrier refused: it is not used again.
    refused: Option<&'a str>,
    end: Instant,
}

/// The access tokens of carrier accounts. Clones share what waits for one.
#[derive(Clone)]
pub struct CarrierTokens {
    context: Context,
    requests: CarrierRequests,
    places: TokenPlaces,
}

/// Which tokens are wanted.
#[derive(Clone, Copy)]
pub struct TokensOf<'a> {
    pub owner: Owner,
    pub connector: &'a dyn Connector,
    pub task: &'a Task<'a>,
    /// The account with tokens that the carrier refused.
    pub refused: Option<&'a Account>,
    /// When they must be there.
    pub end: Instant,
}

impl CarrierTokens {
    pub fn new(context: &Context, requests: &CarrierRequests) -> Self {
        Self { context: context.clone(), requests: requests.clone(), places: TokenPlaces::default() }
    }

    /// Returns the account with the tokens that a task needs. The error is the outcome of the task: it was not begun.
    pub async fn add<'a>(
        &self,
        account: &'a Account,
        of: TokensOf<'_>,
    ) -> std::result::Result<Cow<'a, Account>, Outcome> {
        let TokensOf { owner, connector, task, refused, end } = of;
        let Some(tokens) = connector.access_tokens() else { return Ok(Cow::Borrowed(account)) };
        let mut account = account.clone();
        if refused.is_some() {
            account.tokens.clear();
        }
        for name in tokens.tokens(&account, task).iter().copied() {
            if account.tokens.contains_key(name) {
                continue;
            }
            let place = TokenPlace { owner, account: account.id, name };
            let refused = refused.and_then(|refused| refused.tokens.get(name)).map(String::as_str);
            let wanted = Wanted { place, tokens, account: &account, refused, end };
            let kept = self.token(&wanted).await.unwrap_or_else(|error| {
                warn!(%error, carrier_account = %account.id, token = name, "carrier token can't be read or stored");
                Kept::Unsent(failed("The access token could not be read or stored."))
            });
            match kept {
                Kept::Token(token) => account.tokens.insert(name, token),
                Kept::Refused(error) => return Err(Outcome::Rejected(refusal(error, task))),
                Kept::Unsent(why) => {
                    let why = ShipmentError { r#type: error_type(task), ..why };
                    return Err(Outcome::Unsent { why, retry_after: None });
                }
            };
        }
        Ok(Cow::Owned(account))
    }

    /// Returns a token, or why there is none: from the database, or else from the carrier.
    async fn token(&self, wanted: &Wanted<'_>) -> Result<Kept> {
        let about = about(wanted)?;
        if let Some(kept) = self.usable(wanted, &about, &self.stored_token(wanted).await?) {
            return Ok(kept);
        }
        let place = self.places.of(wanted.place);
        let Ok(_turn) = tokio::time::timeout_at(wanted.end, place.lock()).await else {
            return Ok(Kept::Unsent(failed("No access token came in time.")));
        };
        loop {
            let stored = self.stored_token(wanted).await?;
            if let Some(kept) = self.usable(wanted, &about, &stored) {
                return Ok(kept);
            }
            let now = self.context.now();
            if stored.claimed_until.is_none_or(|until| until <= now) {
                let (place, until) = (wanted.place, now.plus_seconds(CLAIM_SECONDS));
                let claim = self.context.db().write(place.owner, async move |tx| {
                    carrier_tokens::claim(tx, place, stored.fence, until, now).await
                });
                if let Some(fence) = claim.await? {
                    return self.renew(wanted, &about, fence).await;
                }
                continue;
            }
            if Instant::now() + LOOK_AGAIN >= wanted.end {
                return Ok(Kept::Unsent(failed("No access token came in time.")));
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    }

    async fn stored_token(&self, wanted: &Wanted<'_>) -> Result<StoredToken> {
        let place = wanted.place;
        let read = self.context.db().read(place.owner, async move |tx| carrier_tokens::get(tx, place).await);
        read.await
    }

    /// Returns what is stored, if it is still valid and for these credentials.
    fn usable(&self, wanted: &Wanted<'_>, about: &str, stored: &StoredToken) -> Option<Kept> {
        let is_valid = stored.expires_at.is_some_and(|until| until > self.context.now());
        let sealed = stored.sealed.as_ref().filter(|_| is_valid)?;
        let text = self.context.unseal(about, sealed).ok()?;
        let kept: Kept = serde_json::from_slice(&text).ok()?;
        let is_refused = matches!(&kept, Kept::Token(token) if Some(token.as_str()) == wanted.refused);
        (!is_refused).then_some(kept)
    }

    /// Asks the carrier for a token under a claim, and stores the answer. No transaction is open meanwhile.
    async fn renew(&self, wanted: &Wanted<'_>, about: &str, fence: i64) -> Result<Kept> {
        let place = wanted.place;
        let request = wanted.tokens.request_token(wanted.account, place.name);
        let end = wanted.end.min(Instant::now() + TOKEN_TIME);
        let begun_at = self.context.now();
        let (owner, account) = (place.owner, wanted.account);
        let of = Sending { owner, account, task: "token", exchange: 1, end, is_wanted: &|| true };
        let answer = self.requests.exchange(of, request).await;
        let outcome = wanted.tokens.read_token(wanted.account, place.name, answer);
        let (kept, expires_at) = self.kept(outcome, begun_at);
        let word = match &kept {
            Kept::Token(_) => "token",
            Kept::Refused(_) => "refused",
            Kept::Unsent(_) => "unsent",
        };
        let (account, expires) = (place.account, expires_at.to_string());
        info!(carrier_account = %account, token = place.name, outcome = word, expires, "carrier token requested");
        let sealed = self.context.seal(about, json(&kept)?.as_bytes())?;
        let keep = self.context.db().write(place.owner, async move |tx| {
            carrier_tokens::keep(tx, place, fence, &sealed, expires_at).await
        });
        keep.await?;
        Ok(kept)
    }

    /// Returns what is kept of an answer, and until when.
    fn kept(&self, outcome: TokenOutcome, begun_at: Timestamp) -> (Kept, Timestamp) {
        let is_header = |token: &str| {
            token.len() <= TOKEN_BYTES_MAX && token.bytes().all(|byte| (b' '..=b'~').contains(&byte))
        };
        let now = self.context.now();
        match outcome {
            TokenOutcome::Token { value, expires_in } if !value.is_empty() && is_header(&value) => {
                let seconds = expires_in.as_secs().min(TOKEN_SECONDS_MAX);
                let margin = (self.context.settings().call_seconds + MARGIN_SECONDS).min(seconds / 2);
                (Kept::Token(value), begun_at.plus_seconds((seconds - margin) as i64))
            }
            TokenOutcome::Token { .. } => {
                let why = failed("The carrier's access token is none that can be sent.");
                (Kept::Unsent(why), now.plus_seconds(UNSENT_SECONDS))
            }
            TokenOutcome::Refused(error) => (Kept::Refused(error), now.plus_seconds(REFUSED_SECONDS)),
            TokenOutcome::Unsent { why, retry_after } => {
                let asked_for = retry_after.map_or(0, |wait| wait.as_secs().min(60) as i64);
                (Kept::Unsent(why), now.plus_seconds(asked_for.max(UNSENT_SECONDS)))
            }
        }
    }
}

/// Returns what a token is sealed for: its place, and the credentials that it was given for. The digest is not stored.
fn about(wanted: &Wanted<'_>) -> Result<String> {
    let Wanted { place, account, .. } = wanted;
    let Account { configuration, credentials, url, .. } = account;
    let text = serde_json::to_vec(&(credentials, configuration, url)).map_err(Error::fault)?;
    let digest: String = Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("{}/{}/{}/{digest}", place.owner, place.account, place.name))
}

/// Returns the refusal of an account's credentials as the error of a task. Its code says that the account is at fault: any other
/// refusal could be taken for an answer to the task.
pub fn refusal(error: ShipmentError, task: &Task<'_>) -> ShipmentError {
    ShipmentError { r#type: error_type(task), code: ErrorCode::CredentialsInvalid, ..error }
}

fn failed(message: &str) -> ShipmentError {
    ShipmentError::new(ErrorType::Purchase, ErrorCode::ProviderUnavailable, Source::Provider, message)
}

/// Returns the type of the errors of a task.
fn error_type(task: &Task<'_>) -> ErrorType {
    match task {
        Task::Rate(_) | Task::Prepare(_) => ErrorType::Rate,
        Task::Buy { .. } | Task::LookUp { .. } => ErrorType::Purchase,
        Task::Void(_) => ErrorType::Void,
        Task::Track(_) | Task::Label { .. } => ErrorType::Label,
        Task::Manifest { .. } => ErrorType::Manifest,
    }
}
