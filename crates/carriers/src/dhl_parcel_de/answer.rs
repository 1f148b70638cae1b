//! What DHL's answers mean, and what its errors prove.

use std::time::Duration;

use bytes::Bytes;
use model::shipping::shipment::{ErrorCode, ErrorType, ShipmentError, Source};
use serde_json::Value;

use super::account::api_secret;
use super::json::{items, text};
use crate::{Account, Answer, Outcome};

/// What a request was for, and so what a failure of it means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    Rating,
    /// A dry run before a purchase.
    Checking,
    Buying,
    LookingUp,
    Voiding,
    Tracking,
    Labelling,
    Manifesting,
}

impl Purpose {
    fn error_type(self) -> ErrorType {
        match self {
            Purpose::Rating => ErrorType::Rate,
            Purpose::Checking | Purpose::Buying | Purpose::LookingUp => ErrorType::Purchase,
            Purpose::Voiding => ErrorType::Void,
            Purpose::Tracking | Purpose::Labelling => ErrorType::Label,
            Purpose::Manifesting => ErrorType::Manifest,
        }
    }
}

/// An error that DHL wrote.
#[derive(Debug, PartialEq)]
pub struct Told {
    /// The status that DHL names in the body.
    pub status: Option<u16>,
    pub message: String,
    /// Whether the error has the number of a shipment: then one may have been made.
    pub has_number: bool,
}

/// Reads an error. Returns `None` if DHL did not write it.
pub fn told(body: &[u8]) -> Option<Told> {
    let body: Value = serde_json::from_slice(body).ok()?;
    // The gateway of tokens writes `{"error": "invalid_grant", "error_description": "…"}`.
    if let Some(code) = body["error"].as_str().filter(|code| !code.is_empty()) {
        let message = text(&body["error_description"]).unwrap_or_else(|| code.to_owned());
        return Some(Told { status: None, message, has_number: false });
    }
    let status = if body["status"].is_object() { &body["status"] } else { &body };
    let listed = items(&body["items"]);
    let sentences: Vec<String> = listed.iter().flat_map(sentences).collect();
    let general = || text(&status["detail"]).or_else(|| text(&status["title"]));
    let message = if sentences.is_empty() { general()? } else { sentences.join("; ") };
    let has_number = listed.iter().any(|item| text(&item["shipmentNo"]).is_some());
    Some(Told { status: code(status), message, has_number })
}

/// Returns the status that a part of an answer names. DHL has two fields for it, of which one is deprecated; they must agree.
pub fn code(status: &Value) -> Option<u16> {
    let read = |name: &str| status[name].as_u64().map(|code| u16::try_from(code).unwrap_or_default());
    match (read("statusCode"), read("status")) {
        (Some(one), Some(other)) => (one == other).then_some(one),
        (one, other) => one.or(other),
    }
}

/// Returns what DHL says of one shipment, without what it says of all.
pub fn sentences(item: &Value) -> Vec<String> {
    let said = |message: &Value, place: &str, words: &str| {
        let words = text(&message[words])?;
        Some(match text(&message[place]) {
            Some(place) => format!("{place}: {words}"),
            None => words,
        })
    };
    if let Some(sentence) = said(item, "propertyPath", "message") {
        return vec![sentence];
    }
    let messages = items(&item["validationMessages"]).iter();
    let mut messages: Vec<String> =
        messages.filter_map(|message| said(message, "property", "validationMessage")).collect();
    if messages.is_empty() && code(&item["sstatus"]) != Some(200) {
        messages.extend(text(&item["sstatus"]["detail"]).or_else(|| text(&item["sstatus"]["title"])));
    }
    messages
}

/// Returns the status and the body of a success; else what its absence means.
pub fn success(answer: Answer, purpose: Purpose, account: &Account) -> Result<(u16, Bytes), Outcome> {
    match answer {
        Answer::Response { status: status @ 200..=299, body, .. } => Ok((status, body)),
        Answer::Response { status, retry_after, body } => {
            Err(failure(status, retry_after, &body, purpose, account))
        }
        Answer::Unsent(why) => {
            let code = ErrorCode::ProviderUnavailable;
            Err(unsent(purpose, code, Source::Provider, why, None))
        }
        Answer::Lost(why) => Err(lost(purpose, why)),
    }
}

/// Reads the JSON of a success; else returns what its absence means.
pub fn read(answer: Answer, purpose: Purpose, account: &Account) -> Result<(u16, Value), Outcome> {
    let (status, body) = success(answer, purpose, account)?;
    serde_json::from_slice(&body).map(|body| (status, body)).map_err(|_| unreadable(purpose))
}

/// The outcome of a success that can't be read.
pub fn unreadable(purpose: Purpose) -> Outcome {
    lost(purpose, "DHL's answer can't be read.".to_owned())
}

fn failure(
    status: u16,
    retry_after: Option<Duration>,
    body: &[u8],
    purpose: Purpose,
    account: &Account,
) -> Outcome {
    let Some(told) = told(body) else { return unexplained(status, retry_after, purpose) };
    let error = |code| ShipmentError::new(purpose.error_type(), code, Source::Carrier, told.message.clone());
    let is_proof = is_refusal(status) && told.status.is_none_or(|said| said == status) && !told.has_number;
    match purpose {
        Purpose::Buying if !is_proof => Outcome::Unknown(error(ErrorCode::OutcomeUnknown)),
        // The gateway checks the token before it passes a request on.
        _ if status == 401 && has_token(purpose, account) => {
            Outcome::TokenRefused(error(ErrorCode::CredentialsInvalid))
        }
        _ if is_retryable(status) => {
            Outcome::Unsent { why: error(ErrorCode::ProviderUnavailable), retry_after }
        }
        _ => Outcome::Rejected(error(error_code(status, &told.message, purpose))),
    }
}

/// Returns whether a request has an access token: the tracking has a user of its own.
fn has_token(purpose: Purpose, account: &Account) -> bool {
    !matches!(purpose, Purpose::Tracking | Purpose::LookingUp) && api_secret(account).is_some()
}

/// Returns whether the same request may succeed later.
fn is_retryable(status: u16) -> bool {
    matches!(status, 408 | 409 | 423 | 425 | 429 | 500..)
}

/// Returns whether a status proves, in DHL's own words, that DHL did not do what it was asked.
fn is_refusal(status: u16) -> bool {
    matches!(status, 400..=499) && !is_retryable(status)
}

/// The outcome of an error that DHL did not write, such as a proxy's. It says nothing about a purchase that was sent.
fn unexplained(status: u16, retry_after: Option<Duration>, purpose: Purpose) -> Outcome {
    let message = format!("DHL answered {status}.");
    match purpose {
        Purpose::Buying => lost(purpose, message),
        _ if is_retryable(status) => {
            let code = ErrorCode::ProviderUnavailable;
            unsent(purpose, code, Source::Provider, message, retry_after)
        }
        _ => {
            let code = error_code(status, "", purpose);
            Outcome::Rejected(ShipmentError::new(purpose.error_type(), code, Source::Provider, message))
        }
    }
}

/// The outcome of a request that may have arrived. Where it costs nothing, it is as if it had not.
pub fn lost(purpose: Purpose, why: String) -> Outcome {
    let code = ErrorCode::OutcomeUnknown;
    match purpose {
        Purpose::Buying => {
            Outcome::Unknown(ShipmentError::new(ErrorType::Purchase, code, Source::Provider, why))
        }
        _ => unsent(purpose, ErrorCode::ProviderTimeout, Source::Provider, why, None),
    }
}

/// The outcome of something that was not done, and may be tried again.
pub fn unsent(
    purpose: Purpose,
    code: ErrorCode,
    source: Source,
    why: String,
    retry_after: Option<Duration>,
) -> Outcome {
    let why = ShipmentError::new(purpose.error_type(), code, source, why);
    Outcome::Unsent { why, retry_after }
}

/// The outcome of something that DHL refuses.
pub fn rejected(purpose: Purpose, code: ErrorCode, why: String) -> Outcome {
    Outcome::Rejected(ShipmentError::new(purpose.error_type(), code, Source::Carrier, why))
}

/// The outcome of something that DHL refuses, by its words.
pub fn refused(purpose: Purpose, why: String) -> Outcome {
    rejected(purpose, error_code(400, &why, purpose), why)
}

/// The outcome of something that only a person can find out.
pub fn untraceable(message: String) -> Outcome {
    let code = ErrorCode::OutcomeUnknown;
    Outcome::Untraceable(ShipmentError::new(ErrorType::Purchase, code, Source::Carrier, message))
}

/// Translates an error by its words: DHL publishes no list of codes. What the words are about begins with a path such as `consignee`.
fn error_code(status: u16, words: &str, purpose: Purpose) -> ErrorCode {
    let words = words.to_ascii_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| words.contains(part));
    match status {
        401 | 403 => ErrorCode::CredentialsInvalid,
        402 => ErrorCode::InsufficientFunds,
        _ if has(&["billingnumber", "billing number", "profile", "permitted", "authorized"]) => {
            ErrorCode::CredentialsInvalid
        }
        _ if has(&["customs", "hscode", "exporttype", "postalcharges"]) => ErrorCode::CustomsRequired,
        _ if has(&["postalcode", "postcode", "postal code"]) => ErrorCode::PostCodeInvalid,
        _ if has(&["weight"]) => ErrorCode::WeightLimit,
        _ if has(&["dim.", "dimension", "length", "width", "height", "girth"]) => ErrorCode::DimensionsLimit,
        _ if has(&["product"]) => ErrorCode::ServiceUnavailable,
        _ if has(&["services.", "service"]) => ErrorCode::OptionUnavailable,
        _ if has(&["consignee", "shipper", "address", "city", "street", "house"]) => {
            ErrorCode::AddressInvalid
        }
        _ if purpose == Purpose::Rating => ErrorCode::RatesUnavailable,
        _ => ErrorCode::PurchaseDeclined,
    }
}
