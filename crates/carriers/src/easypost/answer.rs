//! What EasyPost's answers mean.

use std::time::Duration;

use bytes::Bytes;
use model::money::parse_amount;
use model::shipment::options::LabelFormat;
use model::shipment::{ErrorCode, ErrorType, ShipmentError, Source, TrackingStatus};
use serde::Deserialize;
use serde_json::Value;

use crate::{Answer, Label, Outcome, Quote, Quotes, Receipt};

/// A shipment, as far as it matters here.
#[derive(Deserialize)]
pub struct Shipment {
    pub id: String,
    #[serde(default)]
    pub rates: Vec<Rate>,
    #[serde(default)]
    pub messages: Vec<Message>,
    pub selected_rate: Option<Rate>,
    pub tracking_code: Option<String>,
    pub postage_label: Option<PostageLabel>,
    pub refund_status: Option<String>,
    pub tracker: Option<Tracker>,
    #[serde(default)]
    pub fees: Vec<Fee>,
}

#[derive(Deserialize)]
pub struct Rate {
    pub id: String,
    pub carrier: String,
    pub service: String,
    /// A decimal, as text.
    pub rate: String,
    pub currency: String,
    pub delivery_days: Option<f64>,
}

#[derive(Deserialize)]
pub struct Message {
    #[serde(default)]
    pub carrier: String,
    /// A text, or something else.
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
pub struct Tracker {
    pub status: String,
    pub status_detail: Option<String>,
}

#[derive(Deserialize)]
pub struct Fee {
    pub r#type: String,
    pub amount: String,
    #[serde(default)]
    pub charged: bool,
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
    Other,
}

impl Purpose {
    fn error_type(self) -> ErrorType {
        match self {
            Purpose::Rating => ErrorType::Rate,
            Purpose::Buying => ErrorType::Purchase,
            Purpose::Voiding => ErrorType::Void,
            Purpose::Other => ErrorType::Label,
        }
    }
}

impl Shipment {
    /// Reads an answer that should be a shipment; else says what it means that it is not.
    pub fn read(answer: Answer, purpose: Purpose) -> Result<Self, Outcome> {
        let body = success(answer, purpose)?;
        serde_json::from_slice(&body).map_err(|_| {
            let message = "EasyPost's answer can't be read.";
            unreadable(purpose, message)
        })
    }

    /// The rate of a service.
    pub fn rate_of(&self, service: &str) -> Option<&Rate> {
        self.rates.iter().find(|rate| rate.handle() == service)
    }

    pub fn quotes(&self) -> Quotes {
        let quotes = self.rates.iter().filter_map(Rate::quote).collect();
        let errors = self.messages.iter().map(|message| {
            let text = format!("{}: {}", message.carrier, plain(&message.message));
            ShipmentError::new(ErrorType::Rate, ErrorCode::RatesUnavailable, Source::Carrier, text)
        });
        Quotes { quotes, errors: errors.collect() }
    }

    /// What was bought, if it was.
    pub fn receipt(&self) -> Option<Receipt> {
        let rate = self.selected_rate.as_ref()?;
        let number = self.tracking_code.clone()?;
        // What was charged, not what was quoted; fees below the smallest unit are rounded once, in their sum.
        let charged = self.fees.iter().filter(|fee| fee.charged && fee.r#type == "PostageFee");
        let charged: Option<i64> = charged.map(|fee| parse_amount(&fee.amount, &rate.currency)).sum();
        let quoted = parse_amount(&rate.rate, &rate.currency);
        Some(Receipt {
            purchase: self.id.clone(),
            tracking_numbers: vec![number],
            charged: charged.filter(|amount| *amount > 0).or(quoted)?,
            currency: rate.currency.clone(),
            label: self.label(),
        })
    }

    /// Where the label is.
    pub fn label(&self) -> Option<Label> {
        let label = self.postage_label.as_ref()?;
        let zpl = label.label_zpl_url.as_ref().map(|url| (LabelFormat::Zpl, url));
        let pdf = label.label_pdf_url.as_ref().map(|url| (LabelFormat::Pdf, url));
        let first = label.label_url.as_ref().map(|url| {
            let format = match label.label_file_type.as_deref() {
                Some("application/pdf") => LabelFormat::Pdf,
                Some("application/zpl" | "text/plain") => LabelFormat::Zpl,
                _ => LabelFormat::Png,
            };
            (format, url)
        });
        let found = zpl.or(pdf).or(first);
        Some(found.map_or(Label::Later, |(format, url)| Label::At { format, url: url.clone() }))
    }

    /// Where the parcel is.
    pub fn tracking_status(&self) -> TrackingStatus {
        self.tracker.as_ref().map_or(TrackingStatus::Unknown, |tracker| tracking_status(&tracker.status))
    }
}

impl Rate {
    /// What programs call the service: `usps.ground_advantage`.
    pub fn handle(&self) -> String {
        super::handle(&self.carrier, &self.service)
    }

    fn quote(&self) -> Option<Quote> {
        Some(Quote {
            service: self.handle(),
            amount: parse_amount(&self.rate, &self.currency)?,
            currency: self.currency.clone(),
            delivery_days: self.delivery_days.map(|days| days as i64),
        })
    }
}

/// EasyPost's word for where a parcel is, in ours.
pub fn tracking_status(word: &str) -> TrackingStatus {
    match word {
        "pre_transit" => TrackingStatus::PreTransit,
        "in_transit" => TrackingStatus::InTransit,
        "out_for_delivery" => TrackingStatus::OutForDelivery,
        "available_for_pickup" => TrackingStatus::AvailableForPickup,
        "delivered" => TrackingStatus::Delivered,
        "return_to_sender" => TrackingStatus::ReturnToSender,
        "failure" | "error" => TrackingStatus::Failure,
        "cancelled" => TrackingStatus::Cancelled,
        _ => TrackingStatus::Unknown,
    }
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
    let (code, message) = said(status, body);
    let error = |code| ShipmentError::new(purpose.error_type(), code, Source::Carrier, message.clone());
    // Somebody may be buying it this moment, or has: only a look-up tells.
    let is_open = matches!(
        code.as_str(),
        "SHIPMENT.POSTAGE.EXISTS" | "SHIPMENT.PURCHASE.IN_PROGRESS" | "SHIPMENT.POSTAGE.NO_RESPONSE"
    );
    match status {
        429 => Outcome::Unsent { why: error(ErrorCode::ProviderUnavailable), retry_after },
        _ if is_open && purpose == Purpose::Buying => Outcome::Unknown(error(ErrorCode::OutcomeUnknown)),
        408 | 409 | 423 | 500.. => match purpose {
            Purpose::Buying => Outcome::Unknown(error(ErrorCode::OutcomeUnknown)),
            _ => Outcome::Unsent { why: error(ErrorCode::ProviderUnavailable), retry_after },
        },
        _ => Outcome::Rejected(error(error_code(status, &code))),
    }
}

/// The code and the words of a failure, whichever of its shapes it has.
fn said(status: u16, body: &[u8]) -> (String, String) {
    let Ok(Failure { error }) = serde_json::from_slice::<Failure>(body) else {
        return (String::new(), format!("EasyPost answered {status}."));
    };
    let details: Vec<String> = error.errors.iter().map(detail).filter(|text| !text.is_empty()).collect();
    let message = plain(&error.message);
    let message = if details.is_empty() { message } else { format!("{message} ({})", details.join("; ")) };
    (error.code, message)
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
fn lost(purpose: Purpose, why: String) -> Outcome {
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

fn unreadable(purpose: Purpose, message: &str) -> Outcome {
    lost(purpose, message.to_owned())
}

/// `GroundAdvantage` as `ground_advantage`; what is in capitals stays one word.
pub fn snake(text: &str) -> String {
    let mut out = String::new();
    let mut was_lower = false;
    for char in text.chars() {
        if char.is_ascii_alphanumeric() {
            if char.is_ascii_uppercase() && was_lower {
                out.push('_');
            }
            was_lower = char.is_ascii_lowercase() || char.is_ascii_digit();
            out.push(char.to_ascii_lowercase());
        } else if !out.ends_with('_') && !out.is_empty() {
            out.push('_');
            was_lower = false;
        }
    }
    out.trim_end_matches('_').to_owned()
}
