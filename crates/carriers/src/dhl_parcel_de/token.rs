//! DHL's access token: OAuth 2.0 with the credentials of an application and of a user. Accounts without the secret of an application
//! have none: their requests have the user and the password.

use std::time::Duration;

use bytes::Bytes;
use model::shipping::shipment::{ErrorCode, ErrorType, ShipmentError, Source};
use serde_json::Value;

use super::DhlParcelDe;
use super::account::{api_key, api_secret, user};
use super::answer::told;
use super::http::{TOKEN, TOKENS, encoded, url};
use super::json::text;
use crate::{AccessTokens, Account, Answer, Request, Task, TokenOutcome};

/// How long a token is taken for valid if DHL does not say it: DHL's samples have half an hour.
const EXPIRES_IN_SECONDS: u64 = 1799;

impl AccessTokens for DhlParcelDe {
    fn tokens(&self, account: &Account, task: &Task<'_>) -> &'static [&'static str] {
        match task {
            // Tracking has a user of its own.
            Task::Track(_) | Task::LookUp { .. } => &[],
            _ if api_secret(account).is_some() => &[TOKEN],
            _ => &[],
        }
    }

    fn request_token(&self, account: &Account, _name: &str) -> Request {
        let (name, password) = user(account);
        let fields = [
            ("grant_type", "password"),
            ("username", name),
            ("password", password),
            ("client_id", api_key(account)),
            ("client_secret", api_secret(account).unwrap_or_default()),
        ];
        let form: Vec<String> =
            fields.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
        Request {
            method: "POST",
            url: url(account, TOKENS),
            headers: vec![
                ("accept", "application/json".to_owned()),
                ("content-type", "application/x-www-form-urlencoded".to_owned()),
            ],
            body: Bytes::from(form.join("&")),
            is_purchase: false,
        }
    }

    fn read_token(&self, _account: &Account, _name: &str, answer: Answer) -> TokenOutcome {
        let error =
            |code, source, message: String| ShipmentError::new(ErrorType::Purchase, code, source, message);
        let unsent = |message, retry_after| {
            let why = error(ErrorCode::ProviderUnavailable, Source::Provider, message);
            TokenOutcome::Unsent { why, retry_after }
        };
        match answer {
            Answer::Response { status: 200..=299, body, .. } => token(&body).unwrap_or_else(|| {
                unsent("DHL's answer to the request for a token can't be read.".to_owned(), None)
            }),
            // Only DHL's own words refuse the credentials: a proxy may answer so, too.
            Answer::Response { status: 400 | 401 | 403, body, .. } if told(&body).is_some() => {
                let said = told(&body).map(|told| told.message).unwrap_or_default();
                let message = format!(
                    "DHL gives no access token: {said} Check `api_key`, `api_secret`, `username` and `password`."
                );
                TokenOutcome::Refused(error(ErrorCode::CredentialsInvalid, Source::Carrier, message))
            }
            Answer::Response { status, retry_after, .. } => {
                unsent(format!("DHL answered {status} to the request for a token."), retry_after)
            }
            Answer::Unsent(why) | Answer::Lost(why) => unsent(why, None),
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
