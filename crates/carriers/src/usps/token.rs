//! USPS's tokens: access for an application, and the authorisation to charge a payment account.

use std::time::Duration;

use model::shipping::shipment::{ErrorCode, ErrorType, ShipmentError, Source};
use serde_json::{Value, json};

use super::Usps;
use super::account::{credential, roles};
use super::answer::told;
use super::http::{PAYMENT, RETURNS, TOKEN, request};
use crate::json::text;
use crate::{AccessTokens, Account, Answer, Request, Task, TokenOutcome};

/// How long an access token is taken for valid if USPS does not say it.
const EXPIRES_IN_SECONDS: u64 = 3600;
/// A payment token is valid for eight hours, which its answer does not say.
const PAYMENT_SECONDS: u64 = 8 * 3600;

impl AccessTokens for Usps {
    fn tokens(&self, _account: &Account, task: &Task<'_>) -> &'static [&'static str] {
        match task {
            Task::Rate(_) | Task::Prepare(_) | Task::Track(_) | Task::Manifest { .. } => &[TOKEN],
            Task::Buy { parcel, .. } if parcel.details().is_return() => &[TOKEN, RETURNS],
            Task::Buy { .. } | Task::LookUp { .. } | Task::Void(_) | Task::Label { .. } => &[TOKEN, PAYMENT],
        }
    }

    fn request_token(&self, account: &Account, name: &str) -> Request {
        if name != TOKEN {
            let body = roles(account, name == RETURNS);
            return request(account, "POST", "/payments/v3/payment-authorization", Some(body));
        }
        let body = json!({
            "grant_type": "client_credentials",
            "client_id": credential(account, "client_id"),
            "client_secret": credential(account, "client_secret"),
        });
        let mut request = request(account, "POST", "/oauth2/v3/token", Some(body));
        request.headers.retain(|(name, _)| *name != "authorization");
        request
    }

    fn read_token(&self, _account: &Account, name: &str, answer: Answer) -> TokenOutcome {
        let error =
            |code, source, message: String| ShipmentError::new(ErrorType::Purchase, code, source, message);
        let unavailable = |message| error(ErrorCode::ProviderUnavailable, Source::Provider, message);
        match answer {
            Answer::Response { status: 200..=299, body, .. } => match token(name, &body) {
                Some(token) => token,
                None => {
                    let why =
                        unavailable("USPS's answer to the request for a token can't be read.".to_owned());
                    TokenOutcome::Unsent { why, retry_after: None }
                }
            },
            // Only USPS's own words refuse the credentials: a proxy may answer so, too.
            Answer::Response { status: 400..=403, body, .. } if told(&body).is_some() => {
                let said = told(&body).map(|told| told.message).unwrap_or_default();
                let check = match name {
                    PAYMENT | RETURNS => {
                        "Check `crid`, `mid` and `eps_account_number`, and the account's means of payment."
                    }
                    _ => "Check `client_id` and `client_secret`.",
                };
                let message = format!("USPS gives no {name} token: {said} {check}");
                TokenOutcome::Refused(error(ErrorCode::CredentialsInvalid, Source::Carrier, message))
            }
            Answer::Response { status, retry_after, .. } => {
                let why = unavailable(format!("USPS answered {status} to the request for a token."));
                TokenOutcome::Unsent { why, retry_after }
            }
            Answer::Unsent(why) | Answer::Lost(why) => {
                TokenOutcome::Unsent { why: unavailable(why), retry_after: None }
            }
        }
    }
}

fn token(name: &str, body: &[u8]) -> Option<TokenOutcome> {
    let body: Value = serde_json::from_slice(body).ok()?;
    // It goes into a header, which has no room for anything else.
    let value =
        |field: &str| text(&body[field]).filter(|value| value.bytes().all(|byte| byte.is_ascii_graphic()));
    if name != TOKEN {
        let value = value("paymentAuthorizationToken")?;
        return Some(TokenOutcome::Token { value, expires_in: Duration::from_secs(PAYMENT_SECONDS) });
    }
    let value = value("access_token")?;
    let seconds = text(&body["expires_in"]).and_then(|text| text.parse().ok()).unwrap_or(EXPIRES_IN_SECONDS);
    Some(TokenOutcome::Token { value, expires_in: Duration::from_secs(seconds) })
}
