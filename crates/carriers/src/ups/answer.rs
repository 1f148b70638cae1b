//! What UPS's answers mean, and what its error codes prove.

use std::time::Duration;

use model::shipping::shipment::{ErrorCode, ErrorType, ShipmentError, Source};
use serde_json::Value;

use super::json::{items, text};
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
}

impl Purpose {
    fn error_type(self) -> ErrorType {
        match self {
            Purpose::Rating => ErrorType::Rate,
            Purpose::Buying | Purpose::LookingUp => ErrorType::Purchase,
            Purpose::Voiding => ErrorType::Void,
            Purpose::Tracking | Purpose::Labelling => ErrorType::Label,
        }
    }
}

/// Codes that UPS calls transient: a system of its own did not answer. Whether it had done its work is not said.
const TRANSIENT: [&str; 10] =
    ["10004", "20001", "110001", "120001", "190001", "190002", "250050", "9800000", "9800001", "9801027"];
/// "The same shipment cannot be requested to be created more than once": then an earlier request created it.
const CREATED_BEFORE: &str = "120021";
/// The gateway's rate limit. UPS's gateway counts requests before it passes them on, so the request was not carried out.
const RATE_LIMITED: &str = "10429";

/// An error that UPS wrote.
#[derive(Debug, PartialEq)]
pub struct Told {
    pub code: String,
    pub message: String,
}

/// Returns the errors of a body, in either shape; empty if UPS did not write it.
pub fn told(body: &[u8]) -> Vec<Told> {
    let Ok(body) = serde_json::from_slice::<Value>(body) else { return Vec::new() };
    let errors = match &body["response"]["errors"] {
        Value::Null => &body["errors"],
        errors => errors,
    };
    let read = |error: &Value| {
        Some(Told { code: text(&error["code"])?, message: text(&error["message"]).unwrap_or_default() })
    };
    items(errors).iter().filter_map(read).collect()
}

/// Returns whether UPS says that it knows no such thing, with one of these codes.
pub fn says(answer: &Answer, codes: &[&str]) -> bool {
    let Answer::Response { status: 400..=499, body, .. } = answer else { return false };
    told(body).iter().any(|told| codes.contains(&told.code.as_str()))
}

/// Reads the body of a success; else returns what its absence means.
pub fn read(answer: Answer, purpose: Purpose) -> Result<Value, Outcome> {
    match answer {
        Answer::Response { status: 200..=299, body, .. } => {
            serde_json::from_slice(&body).map_err(|_| lost(purpose, "UPS's answer can't be read.".to_owned()))
        }
        Answer::Response { status, retry_after, body } => Err(failure(status, retry_after, &body, purpose)),
        Answer::Unsent(why) => {
            let code = ErrorCode::ProviderUnavailable;
            Err(unsent(purpose, code, Source::Provider, why, None))
        }
        Answer::Lost(why) => Err(lost(purpose, why)),
    }
}

fn failure(status: u16, retry_after: Option<Duration>, body: &[u8], purpose: Purpose) -> Outcome {
    let told = told(body);
    let Some(first) = told.first() else { return unexplained(status, retry_after, purpose) };
    let sentences: Vec<_> = told.iter().map(|told| format!("{} ({})", told.message, told.code)).collect();
    let message = sentences.join("; ");
    let error = |code| ShipmentError::new(purpose.error_type(), code, Source::Carrier, message.clone());
    let has = |codes: &[&str]| told.iter().any(|told| codes.contains(&told.code.as_str()));
    if status == 401 {
        // The gateway checks the token before it passes a request on.
        return Outcome::TokenRefused(error(ErrorCode::CredentialsInvalid));
    }
    let is_limited = status == 429 && has(&[RATE_LIMITED]);
    let is_open = has(&TRANSIENT) || has(&[CREATED_BEFORE]) || (!is_refusal(status) && !is_limited);
    match purpose {
        Purpose::Buying if is_open => Outcome::Unknown(error(ErrorCode::OutcomeUnknown)),
        _ if is_retryable(status) || has(&TRANSIENT) => {
            Outcome::Unsent { why: error(ErrorCode::ProviderUnavailable), retry_after }
        }
        _ => Outcome::Rejected(error(error_code(status, &first.code, purpose))),
    }
}

/// Returns whether the same request may succeed later.
fn is_retryable(status: u16) -> bool {
    matches!(status, 408 | 409 | 423 | 425 | 429 | 500..)
}

/// Returns whether a status proves, in UPS's own words, that UPS did not do what it was asked.
fn is_refusal(status: u16) -> bool {
    matches!(status, 400..=499) && !is_retryable(status)
}

/// The outcome of an error that UPS did not write, such as a proxy's. It says nothing about a purchase that was sent.
fn unexplained(status: u16, retry_after: Option<Duration>, purpose: Purpose) -> Outcome {
    let message = format!("UPS answered {status}.");
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

/// The outcome of something that UPS refuses.
pub fn rejected(purpose: Purpose, code: ErrorCode, why: String) -> Outcome {
    Outcome::Rejected(ShipmentError::new(purpose.error_type(), code, Source::Carrier, why))
}

/// Translates UPS's code of an error.
fn error_code(status: u16, code: &str, purpose: Purpose) -> ErrorCode {
    let number: u32 = code.parse().unwrap_or_default();
    match number {
        250_000..=251_999 | 120_100 | 120_113 | 120_120..=120_122 | 120_412 | 120_415 => {
            ErrorCode::CredentialsInvalid
        }
        120_107 | 120_207 | 120_307 | 123_020 | 123_021 | 121_107 | 111_285 | 111_286 | 110_208 => {
            ErrorCode::PostCodeInvalid
        }
        120_101..=120_119 | 120_200..=120_218 | 120_300..=120_318 | 120_801..=120_803 => {
            ErrorCode::AddressInvalid
        }
        120_124 | 120_500 | 120_624 | 121_063 | 121_100 | 121_185 | 121_208..=121_215 | 111_210..=111_217 => {
            ErrorCode::ServiceUnavailable
        }
        120_601 | 120_608 | 120_616 | 121_030..=121_036 | 111_030..=111_036 => ErrorCode::WeightLimit,
        120_602 | 120_605 | 120_606 | 120_609 | 121_050..=121_056 | 111_050..=111_056 => {
            ErrorCode::DimensionsLimit
        }
        120_505 | 120_598 | 120_599 | 121_045 | 121_047 | 121_085 | 121_105 | 121_150 | 121_200 => {
            ErrorCode::OptionUnavailable
        }
        120_413 | 120_414 => ErrorCode::InsufficientFunds,
        120_700..=120_705 | 9_800_020 | 9_801_050 => ErrorCode::LabelFormatUnavailable,
        120_502 | 120_512 | 128_000..=128_319 => ErrorCode::CustomsRequired,
        _ if matches!(status, 401 | 403) => ErrorCode::CredentialsInvalid,
        _ if purpose == Purpose::Rating => ErrorCode::RatesUnavailable,
        _ => ErrorCode::PurchaseDeclined,
    }
}
