//! What EasyPost's answers mean.

use std::time::Duration;

use bytes::Bytes;
use model::shipping::shipment::options::LabelFormat;
use model::shipping::shipment::{ErrorCode, ErrorType, ShipmentError, Source, TrackingStatus};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::contracts;
use super::rate::Rate;
use super::scan_form::ScanForm;
use super::tracker::Tracker;
use crate::{Answer, FileFormat, Label, Outcome, Quotes, Tracked};

/// The fields of a shipment that this connector uses. Fields that don't decide whether it is bought are kept as JSON and
/// parsed when they are needed, so that an unexpected value in one of them does not hide a purchase.
#[derive(Deserialize)]
pub struct Shipment {
    pub id: String,
    pub reference: Option<String>,
    #[serde(default)]
    pub(super) rates: Value,
    #[serde(default)]
    messages: Value,
    /// JSON null while nothing is bought; `None` if the answer lacks the field.
    #[serde(default, deserialize_with = "given")]
    pub(super) selected_rate: Option<Value>,
    #[serde(default, deserialize_with = "given")]
    pub(super) postage_label: Option<Value>,
    #[serde(default)]
    pub(super) tracking_code: Value,
    pub refund_status: Option<String>,
    pub scan_form: Option<ScanForm>,
    #[serde(default)]
    tracker: Value,
    #[serde(default)]
    pub(super) fees: Value,
}

/// Reads a field that is present, also if it is null.
fn given<'de, D: Deserializer<'de>>(field: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(field).map(Some)
}

/// Parses a value. Returns `None` if it does not fit the type.
pub(super) fn parsed<T: DeserializeOwned>(value: &Value) -> Option<T> {
    T::deserialize(value).ok()
}

/// Parses the items of a list, and leaves out those that don't fit the type.
pub(super) fn parsed_all<T: DeserializeOwned>(values: &Value) -> Vec<T> {
    values.as_array().into_iter().flatten().filter_map(parsed).collect()
}

#[derive(Deserialize)]
pub struct Message {
    #[serde(default)]
    pub carrier: String,
    /// A text, or something else.
    #[serde(default)]
    pub message: Value,
}

#[derive(Deserialize)]
pub struct PostageLabel {
    pub label_url: Option<String>,
    pub label_pdf_url: Option<String>,
    pub label_zpl_url: Option<String>,
    pub label_file_type: Option<String>,
}

#[derive(Deserialize)]
struct Failure {
    error: FailureBody,
}

#[derive(Deserialize)]
struct FailureBody {
    #[serde(default)]
    code: String,
    message: Value,
    /// In three shapes: `{field, message}`, `{"to_address": "…"}`, and plain texts.
    #[serde(default)]
    errors: Vec<Value>,
}

/// What a request was for, and so what a failure of it means.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    Rating,
    Buying,
    Voiding,
    Manifesting,
    Other,
}

impl Purpose {
    fn error_type(self) -> ErrorType {
        match self {
            Purpose::Rating => ErrorType::Rate,
            Purpose::Buying => ErrorType::Purchase,
            Purpose::Voiding => ErrorType::Void,
            Purpose::Manifesting => ErrorType::Manifest,
            Purpose::Other => ErrorType::Label,
        }
    }
}

impl Shipment {
    /// Reads an answer that should be a shipment; else says what it means that it is not.
    pub fn read(answer: Answer, purpose: Purpose) -> Result<Self, Outcome> {
        read(answer, purpose)
    }

    pub fn rates(&self) -> Vec<Rate> {
        parsed_all(&self.rates)
    }

    pub fn quotes(&self) -> Quotes {
        let messages: Vec<Message> = parsed_all(&self.messages);
        let errors = messages.iter().map(|message| {
            let text = format!("{}: {}", message.carrier, plain(&message.message));
            ShipmentError::new(ErrorType::Rate, ErrorCode::RatesUnavailable, Source::Carrier, text)
        });
        Quotes { quotes: contracts::quotes(&self.rates()), errors: errors.collect() }
    }

    /// Where the label is: in the wanted format where there is one, else as it was made.
    pub fn label(&self, wanted: Option<LabelFormat>) -> Option<Label> {
        let label: PostageLabel = parsed(self.postage_label.as_ref()?)?;
        let made = label.label_url.as_ref().map(|url| (label.format(), url));
        let zpl = label.label_zpl_url.as_ref().map(|url| (FileFormat::Zpl, url));
        let pdf = label.label_pdf_url.as_ref().map(|url| (FileFormat::Pdf, url));
        let all = [made, zpl, pdf];
        let mut all = all.into_iter().flatten();
        let first = all.clone().next();
        let wanted = wanted.map(FileFormat::from);
        let found = all.find(|(format, _)| Some(*format) == wanted).or(first);
        Some(found.map_or(Label::Later, |(format, url)| Label::At { format, url: url.clone() }))
    }

    /// Where the parcel is.
    pub fn tracked(&self) -> Tracked {
        let unknown = Tracked { status: TrackingStatus::Unknown, message: String::new(), occurred_at: None };
        parsed::<Tracker>(&self.tracker).map_or(unknown, Tracker::tracked)
    }
}

impl PostageLabel {
    /// The format in which it was made.
    fn format(&self) -> FileFormat {
        match self.label_file_type.as_deref() {
            Some("application/pdf") => FileFormat::Pdf,
            Some("application/zpl" | "text/plain") => FileFormat::Zpl,
            _ => FileFormat::Png,
        }
    }
}

/// Reads an answer; else says what it means that it can't be read.
pub fn read<T: DeserializeOwned>(answer: Answer, purpose: Purpose) -> Result<T, Outcome> {
    let body = success(answer, purpose)?;
    serde_json::from_slice(&body).map_err(|_| lost(purpose, "EasyPost's answer can't be read.".to_owned()))
}

/// The body of a success; else what its absence means.
fn success(answer: Answer, purpose: Purpose) -> Result<Bytes, Outcome> {
    match answer {
        Answer::Response { status: 200..=299, body, .. } => Ok(body),
        Answer::Response { status, retry_after, body } => Err(failure(status, retry_after, &body, purpose)),
        Answer::Unsent(why) => Err(Outcome::Unsent { why: unavailable(purpose, why), retry_after: None }),
        Answer::Lost(why) => Err(lost(purpose, why)),
    }
}

fn failure(status: u16, retry_after: Option<Duration>, body: &[u8], purpose: Purpose) -> Outcome {
    let Some((code, message)) = said(body) else {
        return unexplained(status, retry_after, purpose);
    };
    let error = |code| ShipmentError::new(purpose.error_type(), code, Source::Carrier, message.clone());
    // Another request may be buying the shipment at this moment, or has bought it: only a look-up tells.
    let is_open = matches!(
        code.as_str(),
        "SHIPMENT.POSTAGE.EXISTS" | "SHIPMENT.PURCHASE.IN_PROGRESS" | "SHIPMENT.POSTAGE.NO_RESPONSE"
    );
    match purpose {
        Purpose::Buying if is_open || !is_refusal(status) => {
            Outcome::Unknown(error(ErrorCode::OutcomeUnknown))
        }
        Purpose::Buying => Outcome::Rejected(error(error_code(status, &code))),
        _ if is_retryable(status) => {
            Outcome::Unsent { why: error(ErrorCode::ProviderUnavailable), retry_after }
        }
        _ => Outcome::Rejected(error(error_code(status, &code))),
    }
}

/// Returns whether the same request may succeed later.
fn is_retryable(status: u16) -> bool {
    matches!(status, 408 | 409 | 423 | 429 | 500..)
}

/// Returns whether a status proves that EasyPost did not do what it was asked. A retryable one does not: also a rate limit may
/// strike after the purchase was made.
fn is_refusal(status: u16) -> bool {
    matches!(status, 400..=499) && !is_retryable(status)
}

/// The outcome of an error that EasyPost did not write, such as a proxy's. It does not say whether a purchase that was sent
/// succeeded.
fn unexplained(status: u16, retry_after: Option<Duration>, purpose: Purpose) -> Outcome {
    let error = |code| {
        let message = format!("EasyPost answered {status}.");
        ShipmentError::new(purpose.error_type(), code, Source::Provider, message)
    };
    match purpose {
        Purpose::Buying => Outcome::Unknown(error(ErrorCode::OutcomeUnknown)),
        _ if is_retryable(status) => {
            Outcome::Unsent { why: error(ErrorCode::ProviderUnavailable), retry_after }
        }
        _ => Outcome::Rejected(error(error_code(status, ""))),
    }
}

/// Whether EasyPost says that the shipment was bought before.
pub fn says_postage_exists(answer: &Answer) -> bool {
    match answer {
        Answer::Response { status: 400..=499, body, .. } => {
            said(body).is_some_and(|(code, _)| code == "SHIPMENT.POSTAGE.EXISTS")
        }
        _ => false,
    }
}

/// Returns the code and the message of an error, in any of its shapes. Returns `None` if EasyPost did not write it.
fn said(body: &[u8]) -> Option<(String, String)> {
    let Failure { error } = serde_json::from_slice(body).ok()?;
    let details: Vec<String> = error.errors.iter().map(detail).filter(|text| !text.is_empty()).collect();
    let message = plain(&error.message);
    let message = if details.is_empty() { message } else { format!("{message} ({})", details.join("; ")) };
    Some((error.code, message))
}

fn detail(error: &Value) -> String {
    match error {
        Value::Object(fields) => match (fields.get("field"), fields.get("message")) {
            (Some(field), Some(message)) => format!("{}: {}", plain(field), plain(message)),
            (None, Some(message)) => plain(message),
            _ => {
                let pairs: Vec<String> =
                    fields.iter().map(|(name, value)| format!("{name}: {}", plain(value))).collect();
                pairs.join("; ")
            }
        },
        other => plain(other),
    }
}

/// A text as it is, a list of texts as one, anything else as JSON.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join("; "),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn error_code(status: u16, code: &str) -> ErrorCode {
    match (status, code) {
        (401 | 403, _) => ErrorCode::CredentialsInvalid,
        (402, _) | (_, "PAYMENT.REQUIRED") => ErrorCode::InsufficientFunds,
        (_, "SHIPMENT.RATES.UNAVAILABLE") => ErrorCode::RatesUnavailable,
        (_, code) if code.starts_with("ADDRESS.") => ErrorCode::AddressInvalid,
        (_, code) if code.contains("CUSTOMS") => ErrorCode::CustomsRequired,
        (_, code) if code.contains("RATE") => ErrorCode::RateExpired,
        _ => ErrorCode::PurchaseDeclined,
    }
}

fn unavailable(purpose: Purpose, why: String) -> ShipmentError {
    ShipmentError::new(purpose.error_type(), ErrorCode::ProviderUnavailable, Source::Provider, why)
}

/// A request that may have arrived. Where it costs nothing, it is as if it had not.
pub fn lost(purpose: Purpose, why: String) -> Outcome {
    match purpose {
        Purpose::Buying => Outcome::Unknown(ShipmentError::new(
            ErrorType::Purchase,
            ErrorCode::OutcomeUnknown,
            Source::Provider,
            why,
        )),
        _ => Outcome::Unsent {
            why: ShipmentError::new(purpose.error_type(), ErrorCode::ProviderTimeout, Source::Provider, why),
            retry_after: None,
        },
    }
}
