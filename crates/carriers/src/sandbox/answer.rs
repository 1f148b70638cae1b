//! The meaning of the sandbox's answers.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::shipping::shipment::{ErrorCode, ErrorType, ShipmentError, Source};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::wire::{Failure, FailureBody, File, LabelWord, Labels, Purchase, Rates};
use crate::{Answer, FileFormat, Label, Outcome, Quote, Quotes, Receipt};

/// The purpose of a request, which determines what its failure means.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    Rating,
    Buying,
    LookingUp,
    Voiding,
    Tracking,
    Labelling,
    Manifesting,
    Authenticating,
}

impl Purpose {
    pub fn error_type(self) -> ErrorType {
        match self {
            Purpose::Rating => ErrorType::Rate,
            Purpose::Buying | Purpose::LookingUp | Purpose::Authenticating => ErrorType::Purchase,
            Purpose::Voiding => ErrorType::Void,
            Purpose::Tracking | Purpose::Labelling => ErrorType::Label,
            Purpose::Manifesting => ErrorType::Manifest,
        }
    }

    /// Returns an error of the carrier's, which does not say more.
    pub fn error(self, message: String) -> ShipmentError {
        error(self, ErrorCode::ProviderUnavailable, Source::Provider, message)
    }

    /// Returns the error code for a refusal whose own code is unknown to Dockside.
    fn refusal(self) -> ErrorCode {
        match self {
            Purpose::Rating => ErrorCode::RatesUnavailable,
            Purpose::Buying | Purpose::Voiding => ErrorCode::PurchaseDeclined,
            Purpose::Authenticating => ErrorCode::CredentialsInvalid,
            _ => ErrorCode::ServiceUnavailable,
        }
    }
}

/// Parses a successful answer. For any other answer, returns the outcome that it means.
pub fn read<T: DeserializeOwned>(answer: Answer, purpose: Purpose) -> Result<T, Outcome> {
    let (status, retry_after, body) = match answer {
        Answer::Response { status, retry_after, body } => (status, retry_after, body),
        Answer::Unsent(why) => {
            let why = error(purpose, ErrorCode::ProviderUnavailable, Source::Provider, why);
            return Err(Outcome::Unsent { why, retry_after: None });
        }
        Answer::Lost(why) => return Err(lost(purpose, why)),
    };
    if (200..300).contains(&status) {
        let garbled = |_| lost(purpose, "The sandbox's answer can't be read.".to_owned());
        return serde_json::from_slice(&body).map_err(garbled);
    }
    // A failure in another format does not come from the sandbox itself, but for example from a proxy. It says
    // nothing about the purchase.
    let Ok(Failure { error: said }) = serde_json::from_slice(&body) else {
        return Err(lost(purpose, format!("The sandbox answered {status}.")));
    };
    let is_retryable = status >= 500 || matches!(status, 408 | 409 | 423 | 429);
    // A status that asks to try again does not prove that nothing was charged, unless the carrier says so.
    let may_be_charged = said.charged.unwrap_or(is_retryable || status < 400);
    Err(match purpose {
        Purpose::Buying if may_be_charged => lost(purpose, said.message),
        _ if is_retryable => {
            let why = error(purpose, ErrorCode::ProviderUnavailable, Source::Carrier, said.message);
            Outcome::Unsent { why, retry_after }
        }
        _ => Outcome::Rejected(refusal(purpose, said)),
    })
}

/// Returns the outcome of a request that may have arrived. If the request costs nothing, it counts as never sent.
pub fn lost(purpose: Purpose, why: String) -> Outcome {
    match purpose {
        Purpose::Buying => Outcome::Unknown(error(purpose, ErrorCode::OutcomeUnknown, Source::Provider, why)),
        _ => Outcome::Unsent {
            why: error(purpose, ErrorCode::ProviderTimeout, Source::Provider, why),
            retry_after: None,
        },
    }
}

fn refusal(purpose: Purpose, said: FailureBody) -> ShipmentError {
    let code = serde_json::from_value(Value::String(said.code)).unwrap_or_else(|_| purpose.refusal());
    error(purpose, code, Source::Carrier, said.message).about_package(said.package)
}

fn error(purpose: Purpose, code: ErrorCode, source: Source, message: String) -> ShipmentError {
    ShipmentError::new(purpose.error_type(), code, source, message)
}

pub fn quotes(rates: Rates) -> Quotes {
    let quotes = rates.rates.into_iter().map(|rate| Quote {
        service: rate.service,
        amount: rate.amount,
        currency: rate.currency,
        delivery_days: Some(rate.delivery_days),
    });
    let errors = rates.errors.into_iter().map(|refused| {
        ShipmentError::new(ErrorType::Rate, refused.code, refused.source, refused.message)
            .about_package(refused.package)
    });
    Quotes { quotes: quotes.collect(), errors: errors.collect() }
}

pub fn receipt(purchase: Purchase) -> Receipt {
    Receipt {
        purchase: purchase.purchase,
        tracking_numbers: purchase.tracking_numbers,
        charged: purchase.amount,
        currency: purchase.currency,
        labels: labels(purchase.labels),
    }
}

/// Returns the labels of a purchase. While a file can't be read, there are none yet: the purchase is made all the same.
pub fn labels(labels: Labels) -> Vec<Label> {
    let file = |file: &File| {
        let bytes = STANDARD.decode(&file.data).ok().filter(|bytes| !bytes.is_empty())?;
        (file.format == "gif").then(|| Label::File { format: FileFormat::Gif, bytes: bytes.into() })
    };
    match labels.label {
        LabelWord::Ours => vec![Label::Ours],
        LabelWord::Attached => labels.files.iter().map(file).collect::<Option<_>>().unwrap_or_default(),
        LabelWord::Later => Vec::new(),
    }
}
