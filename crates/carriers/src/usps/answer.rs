//! What USPS's answers mean, and what its errors prove.

use std::time::Duration;

use bytes::Bytes;
use model::shipping::shipment::{ErrorCode, ErrorType, ShipmentError, Source};
use serde_json::Value;

use crate::json::{items, text};
use crate::{Answer, Outcome};

/// What a request was for, and so what a failure of it means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    Rating,
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
            Purpose::Buying | Purpose::LookingUp => ErrorType::Purchase,
            Purpose::Voiding => ErrorType::Void,
            Purpose::Tracking | Purpose::Labelling => ErrorType::Label,
            Purpose::Manifesting => ErrorType::Manifest,
        }
    }
}

/// An error that USPS wrote: its codes, and its sentences.
#[derive(Debug, Default, PartialEq)]
pub struct Told {
    pub codes: Vec<String>,
    pub message: String,
}

/// Reads an error. Returns `None` if USPS did not write it.
pub fn told(body: &[u8]) -> Option<Told> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let error = &body["error"];
    // The gateway writes `{"error": "invalid_client", "error_description": "…"}`.
    if let Some(code) = text(error).filter(|_| error.is_string()) {
        let message = text(&body["error_description"]).unwrap_or_else(|| code.clone());
        return Some(Told { codes: vec![code], message });
    }
    let details = items(&error["errors"]);
    let mut codes: Vec<String> = details.iter().filter_map(|detail| text(&detail["code"])).collect();
    codes.extend(text(&error["code"]));
    let sentences: Vec<String> = details
        .iter()
        .filter_map(|detail| text(&detail["detail"]).or_else(|| text(&detail["title"])))
        .collect();
    let message = match sentences.is_empty() {
        true => text(&error["message"])?,
        false => sentences.join("; "),
    };
    Some(Told { codes, message })
}

/// Returns whether USPS refuses with this code.
pub fn says(answer: &Answer, code: &str) -> bool {
    let Answer::Response { status: 400..=499, body, .. } = answer else { return false };
    told(body).is_some_and(|told| told.codes.iter().any(|known| known == code))
}

/// Returns the body of a success; else what its absence means.
pub fn success(answer: Answer, purpose: Purpose) -> Result<Bytes, Outcome> {
    match answer {
        Answer::Response { status: 200..=299, body, .. } => Ok(body),
        Answer::Response { status, retry_after, body } => Err(failure(status, retry_after, &body, purpose)),
        Answer::Unsent(why) => {
            let code = ErrorCode::ProviderUnavailable;
            Err(unsent(purpose, code, Source::Provider, why, None))
        }
        Answer::Lost(why) => Err(lost(purpose, why)),
    }
}

/// Reads the JSON of a success; else returns what its absence means.
pub fn read(answer: Answer, purpose: Purpose) -> Result<Value, Outcome> {
    let body = success(answer, purpose)?;
    serde_json::from_slice(&body).map_err(|_| unreadable(purpose))
}

/// The outcome of a success that can't be read.
pub fn unreadable(purpose: Purpose) -> Outcome {
    lost(purpose, "USPS's answer can't be read.".to_owned())
}

fn failure(status: u16, retry_after: Option<Duration>, body: &[u8], purpose: Purpose) -> Outcome {
    let Some(told) = told(body) else { return unexplained(status, retry_after, purpose) };
    let error = |code| ShipmentError::new(purpose.error_type(), code, Source::Carrier, told.message.clone());
    match purpose {
        // The gateway checks both tokens before it passes a request on.
        _ if status == 401 => Outcome::TokenRefused(error(ErrorCode::CredentialsInvalid)),
        Purpose::Buying if !is_refusal(status) => Outcome::Unknown(error(ErrorCode::OutcomeUnknown)),
        _ if is_retryable(status) => {
            Outcome::Unsent { why: error(ErrorCode::ProviderUnavailable), retry_after }
        }
        _ => Outcome::Rejected(error(error_code(status, &told, purpose))),
    }
}

/// Returns whether the same request may succeed later.
fn is_retryable(status: u16) -> bool {
    matches!(status, 408 | 409 | 423 | 425 | 429 | 500..)
}

/// Returns whether a status proves, in USPS's own words, that USPS did not do what it was asked.
fn is_refusal(status: u16) -> bool {
    matches!(status, 400..=499) && !is_retryable(status)
}

/// The outcome of an error that USPS did not write, such as a proxy's. It says nothing about a purchase that was sent.
fn unexplained(status: u16, retry_after: Option<Duration>, purpose: Purpose) -> Outcome {
    let message = format!("USPS answered {status}.");
    match purpose {
        Purpose::Buying => lost(purpose, message),
        _ if is_retryable(status) => {
            let code = ErrorCode::ProviderUnavailable;
            unsent(purpose, code, Source::Provider, message, retry_after)
        }
        _ => {
            let code = error_code(status, &Told::default(), purpose);
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

/// The outcome of something that USPS refuses.
pub fn rejected(purpose: Purpose, code: ErrorCode, why: String) -> Outcome {
    Outcome::Rejected(ShipmentError::new(purpose.error_type(), code, Source::Carrier, why))
}

/// Translates an error by its words: USPS publishes no list of its codes.
fn error_code(status: u16, told: &Told, purpose: Purpose) -> ErrorCode {
    let words = told.message.to_ascii_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| words.contains(part));
    match status {
        402 => ErrorCode::InsufficientFunds,
        _ if has(&["insufficient", "payment account", "credit card"]) => ErrorCode::InsufficientFunds,
        _ if has(&["zip code", "zipcode", "postal code"]) => ErrorCode::PostCodeInvalid,
        _ if has(&["customs", "tariff", "aesitn", "countryoforigin"]) => ErrorCode::CustomsRequired,
        _ if has(&["address", "city", "state"]) => ErrorCode::AddressInvalid,
        _ if has(&["weight", "weigh"]) => ErrorCode::WeightLimit,
        _ if has(&["dimension", "length", "girth", "height", "width"]) => ErrorCode::DimensionsLimit,
        _ if has(&["extra service", "extraservice"]) => ErrorCode::OptionUnavailable,
        _ if has(&["mail class", "mailclass", "rate indicator"]) => ErrorCode::ServiceUnavailable,
        403 => ErrorCode::CredentialsInvalid,
        _ if purpose == Purpose::Rating => ErrorCode::RatesUnavailable,
        _ => ErrorCode::PurchaseDeclined,
    }
}
