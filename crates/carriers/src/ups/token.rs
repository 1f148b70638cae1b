//! UPS's access token: OAuth 2.0 with the credentials of an application.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use model::shipping::shipment::{ErrorCode, ErrorType, ShipmentError, Source};
use serde_json::Value;

use super::account::{credential, number};
use super::answer::told;
use super::http::{TOKEN, url};
use super::json::text;
use super::{CARRIER, Ups};
use crate::{AccessTokens, Account, Answer, Request, Task, TokenOutcome};

/// How long a token is taken for valid if UPS does not say it: an hour is the shortest that UPS has given.
const EXPIRES_IN_SECONDS: u64 = 3600;

impl AccessTokens for Ups {
    fn tokens(&self, _account: &Account, task: &Task<'_>) -> &'static [&'static str] {
        // A manifest is made without UPS.
        if matches!(task, Task::Manifest { .. }) { &[] } else { &[TOKEN] }
    }

    fn request_token(&self, account: &Account, _name: &str) -> Request {
        let pair = format!("{}:{}", credential(account, "client_id"), credential(account, "client_secret"));
        Request {
            method: "POST",
            url: url(account, "/security/v1/oauth/token"),
            headers: vec![
                ("authorization", format!("Basic {}", STANDARD.encode(pair))),
                ("accept", "application/json".to_owned()),
                ("content-type", "application/x-www-form-urlencoded".to_owned()),
                ("x-merchant-id", number(account).to_owned()),
            ],
            body: Bytes::from_static(b"grant_type=client_credentials"),
            is_purchase: false,
        }
    }

    fn read_token(&self, _account: &Account, _name: &str, answer: Answer) -> TokenOutcome {
        let error =
            |code, source, message: String| ShipmentError::new(ErrorType::Purchase, code, source, message);
        match answer {
            Answer::Response { status: 200..=299, body, .. } => match token(&body) {
                Some(token) => token,
                None => {
                    let message = format!("{CARRIER}'s answer to the request for a token can't be read.");
                    let why = error(ErrorCode::ProviderUnavailable, Source::Provider, message);
                    TokenOutcome::Unsent { why, retry_after: None }
                }
            },
            // Only UPS's own words refuse the credentials: a proxy may answer so, too.
            Answer::Response { status: 400 | 401 | 403, body, .. } if !told(&body).is_empty() => {
                let said: Vec<String> = told(&body).into_iter().map(|told| told.message).collect();
                let said = said.join("; ");
                let message =
                    format!("UPS gives no access token: {said} Check `client_id` and `client_secret`.");
                TokenOutcome::Refused(error(ErrorCode::CredentialsInvalid, Source::Carrier, message))
            }
            Answer::Response { status, retry_after, .. } => {
                let message = format!("UPS answered {status} to the request for a token.");
                let why = error(ErrorCode::ProviderUnavailable, Source::Provider, message);
                TokenOutcome::Unsent { why, retry_after }
            }
            Answer::Unsent(why) | Answer::Lost(why) => {
                let why = error(ErrorCode::ProviderUnavailable, Source::Provider, why);
                TokenOutcome::Unsent { why, retry_after: None }
            }
        }
    }
}

fn token(body: &[u8]) -> Option<TokenOutcome> {
    let body: Value = serde_json::from_slice(body).ok()?;
    // It goes into a header, which has no room for anything else.
    let value =
        text(&body["access_token"]).filter(|value| value.bytes().all(|byte| byte.is_ascii_graphic()))?;
    let seconds = text(&body["expires_in"]).and_then(|text| text.parse().ok()).unwrap_or(EXPIRES_IN_SECONDS);
    Some(TokenOutcome::Token { value, expires_in: Duration::from_secs(seconds) })
}
