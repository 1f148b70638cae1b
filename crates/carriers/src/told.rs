//! What an answer of a direct carrier means, and what its errors prove.

use std::time::Duration;

use bytes::Bytes;
use model::shipping::shipment::{ErrorCode, ErrorType, ShipmentError, Source};
use serde_json::Value;

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
    pub fn error_type(self) -> ErrorType {
        match self {
            Purpose::Rating => ErrorType::Rate,
            Purpose::Buying | Purpose::LookingUp => ErrorType::Purchase,
            Purpose::Voiding => ErrorType::Void,
            Purpose::Tracking | Purpose::Labelling => ErrorType::Label,
            Purpose::Manifesting => ErrorType::Manifest,
        }
    }
}

/// An error in the carrier's own words.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Told {
    /// The carrier's code of it; empty if it gives none.
    pub code: String,
    pub message: String,
}

/// How to read a carrier's answers.
pub struct Reader {
    /// The carrier's name, for people.
    pub carrier: &'static str,
    /// Reads an error. Returns `None` if the carrier did not write it.
    pub told: fn(&[u8]) -> Option<Told>,
    /// Statuses that prove, in the carrier's own words, that a purchase was not made.
    pub refusals: &'static [u16],
    /// Translates an error, by its status and its words.
    pub error_code: fn(u16, &Told, Purpose) -> ErrorCode,
}

impl Reader {
    /// Returns the body of a success; else what its absence means.
    pub fn success(&self, answer: Answer, purpose: Purpose) -> Result<Bytes, Outcome> {
        match answer {
            Answer::Response { status: 200..=299, body, .. } => Ok(body),
            Answer::Response { status, retry_after, body } => {
                Err(self.failure(status, retry_after, &body, purpose))
            }
            Answer::Unsent(why) => {
                Err(unsent(purpose, ErrorCode::ProviderUnavailable, Source::Provider, why))
            }
            Answer::Lost(why) => Err(lost(purpose, why)),
        }
    }

    /// Reads the JSON of a success; else returns what its absence means.
    pub fn read(&self, answer: Answer, purpose: Purpose) -> Result<Value, Outcome> {
        let body = self.success(answer, purpose)?;
        serde_json::from_slice(&body).map_err(|_| self.unreadable(purpose))
    }

    /// Returns the carrier's error if the answer is a refusal with this status.
    pub fn refusal(&self, answer: &Answer, wanted: u16) -> Option<Told> {
        match answer {
            Answer::Response { status, body, .. } if *status == wanted => (self.told)(body),
            _ => None,
        }
    }

    /// The outcome of a success that can't be read.
    pub fn unreadable(&self, purpose: Purpose) -> Outcome {
        lost(purpose, format!("{}'s answer can't be read.", self.carrier))
    }

    fn failure(&self, status: u16, retry_after: Option<Duration>, body: &[u8], purpose: Purpose) -> Outcome {
        let told = (self.told)(body);
        let source = if told.is_some() { Source::Carrier } else { Source::Provider };
        let is_refusal = told.is_some() && self.refusals.contains(&status);
        let told = told.unwrap_or_else(|| {
            let message = format!("{} answered {status}.", self.carrier);
            Told { code: String::new(), message }
        });
        let error = |code| ShipmentError::new(purpose.error_type(), code, source, told.message.clone());
        match purpose {
            // A proxy's answer, or one that asks to try again, says nothing about a purchase that was sent.
            Purpose::Buying if !is_refusal => Outcome::Unknown(error(ErrorCode::OutcomeUnknown)),
            _ if is_retryable(status) => {
                Outcome::Unsent { why: error(ErrorCode::ProviderUnavailable), retry_after }
            }
            _ => Outcome::Rejected(error((self.error_code)(status, &told, purpose))),
        }
    }
}

/// Returns whether the same request may succeed later.
fn is_retryable(status: u16) -> bool {
    matches!(status, 408 | 409 | 423 | 425 | 429 | 500..)
}

/// The outcome of a request that may have arrived. Where it costs nothing, it is as if it had not.
pub fn lost(purpose: Purpose, why: String) -> Outcome {
    match purpose {
        Purpose::Buying => {
            let code = ErrorCode::OutcomeUnknown;
            Outcome::Unknown(ShipmentError::new(ErrorType::Purchase, code, Source::Provider, why))
        }
        _ => unsent(purpose, ErrorCode::ProviderTimeout, Source::Provider, why),
    }
}

/// The outcome of something that was not done, and may be tried again.
pub fn unsent(purpose: Purpose, code: ErrorCode, source: Source, why: impl Into<String>) -> Outcome {
    let why = ShipmentError::new(purpose.error_type(), code, source, why);
    Outcome::Unsent { why, retry_after: None }
}

/// The outcome of a look-up that leaves open whether there is a purchase.
pub fn still_unknown(why: impl Into<String>) -> Outcome {
    unsent(Purpose::LookingUp, ErrorCode::OutcomeUnknown, Source::Carrier, why)
}

/// The outcome of something that the carrier refuses, or that it is not asked for.
pub fn rejected(purpose: Purpose, code: ErrorCode, why: impl Into<String>) -> Outcome {
    Outcome::Rejected(ShipmentError::new(purpose.error_type(), code, Source::Carrier, why))
}
