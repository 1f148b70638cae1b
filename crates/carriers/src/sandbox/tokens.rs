//! Access tokens of the sandbox, for accounts that rehearse carriers that want some: one for each request, and a second one for
//! purchases, which is asked for with the first.

use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};

use super::answer::{Purpose, read};
use super::settings::Settings;
use super::wire::{Failure, Token};
use crate::{Account, Answer, Outcome, Request, Task, TokenOutcome};

/// The names of the two tokens.
pub(super) const ACCESS: &str = "access";
pub(super) const PAYMENT: &str = "payment";
/// The secret that the sandbox refuses.
pub(super) const WRONG_SECRET: &str = "wrong";

/// Returns the names of the tokens that a task needs.
pub(super) fn names(account: &Account, task: &Task<'_>) -> &'static [&'static str] {
    let is_wanted = Settings::read(account).is_ok_and(|settings| settings.tokens);
    match task {
        _ if !is_wanted => &[],
        Task::Buy { .. } => &[ACCESS, PAYMENT],
        _ => &[ACCESS],
    }
}

/// Returns the request for a token.
pub(super) fn request(account: &Account, name: &str) -> Request {
    let settings = Settings::read(account).unwrap_or_default();
    let secret = account.credentials.get("client_secret").and_then(Value::as_str).unwrap_or_default();
    let mut headers =
        vec![("accept", "application/json".to_owned()), ("content-type", "application/json".to_owned())];
    headers.extend(account.tokens.get(ACCESS).map(|token| ("authorization", format!("Bearer {token}"))));
    Request {
        method: "POST",
        url: format!("{}/v1/tokens", settings.base()),
        headers,
        body: Bytes::from(json!({ "name": name, "client_secret": secret }).to_string()),
        is_purchase: false,
    }
}

/// Returns what the answer to it means.
pub(super) fn outcome(answer: Answer) -> TokenOutcome {
    match read::<Token>(answer, Purpose::Authenticating) {
        Ok(Token { access_token, expires_in }) if !access_token.is_empty() => {
            TokenOutcome::Token { value: access_token, expires_in: Duration::from_secs(expires_in) }
        }
        Err(Outcome::Rejected(error)) => TokenOutcome::Refused(error),
        Err(Outcome::Unsent { why, retry_after }) => TokenOutcome::Unsent { why, retry_after },
        Ok(_) | Err(_) => TokenOutcome::Unsent {
            why: Purpose::Authenticating.error("The sandbox gave no token.".to_owned()),
            retry_after: None,
        },
    }
}

/// Returns the headers with an account's tokens.
pub(super) fn headers(account: &Account) -> Vec<(&'static str, String)> {
    let token =
        |name: &str, header| account.tokens.get(name).map(|token| (header, format!("Bearer {token}")));
    [token(ACCESS, "authorization"), token(PAYMENT, "x-payment-authorization")]
        .into_iter()
        .flatten()
        .collect()
}

/// Returns what the sandbox says if it refuses a token: then it has done nothing.
pub(super) fn refused_token(answer: &Answer) -> Option<String> {
    let Answer::Response { status: 401, body, .. } = answer else { return None };
    let Failure { error } = serde_json::from_slice(body).ok()?;
    (error.charged != Some(true)).then_some(error.message)
}
