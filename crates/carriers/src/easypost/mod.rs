//! EasyPost: one connector for some eighty carriers.
//!
//! It knows no idempotency key, so a purchase is made in two steps: the shipment is made known, free of charge, and its
//! name is kept; then it is bought. Whether it was can be looked up by that name, and buying it again is refused.

mod answer;
mod request;
mod services;
#[cfg(test)]
mod tests;
mod webhook;

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use model::shipment::options::LabelFormat;
use model::shipment::{ErrorCode, ErrorType, ShipmentError, Source};
use serde_json::{Value, json};

use crate::{
    Account, Answer, Capabilities, Connector, Found, Outcome, Receipt, Request, Step, Task, Tracked,
};

use answer::{Purpose, Shipment};
pub use services::{handle, services};
pub use webhook::{Update, is_signed, update};

/// The carrier's handle.
pub const HANDLE: &str = "easypost";
/// Where EasyPost is, unless the account's configuration says otherwise.
const BASE: &str = "https://api.easypost.com/v2";
const FORMATS: &[LabelFormat] = &[LabelFormat::Png, LabelFormat::Pdf, LabelFormat::Zpl];

/// The connector.
pub struct EasyPost;

impl Connector for EasyPost {
    fn handle(&self) -> &'static str {
        HANDLE
    }

    fn check(&self, account: &Account) -> Result<(), String> {
        match account.credentials.get("api_key").and_then(Value::as_str) {
            Some(key) if !key.trim().is_empty() => Ok(()),
            _ => Err("EasyPost needs its API key in the credentials, as `api_key`.".to_owned()),
        }
    }

    fn capabilities(&self, _account: &Account) -> Capabilities {
        Capabilities {
            is_idempotent: false,
            can_look_up: true,
            can_void: true,
            // Its scan forms are not asked for yet.
            can_manifest: false,
            can_track: true,
            label_formats: FORMATS,
            visibility_delay: Duration::from_secs(5),
        }
    }

    fn begin(&self, account: &Account, task: &Task<'_>) -> Step {
        let send =
            |method, path: String, body: Option<Value>| Step::Send(request(account, method, &path, body));
        match task {
            Task::Rate(parcel) | Task::Prepare(parcel) => {
                let format = wanted_format(&parcel.details);
                send("POST", "/shipments".to_owned(), Some(request::shipment(parcel, format)))
            }
            Task::Buy { prepared: Some(name), .. } | Task::LookUp { prepared: Some(name), .. } => {
                send("GET", format!("/shipments/{name}"), None)
            }
            Task::Buy { .. } => Step::Done(unprepared(ErrorType::Purchase)),
            // What was never made known can't have been bought.
            Task::LookUp { .. } => Step::Done(Outcome::Found(Vec::new())),
            Task::Void(receipt) => {
                send("POST", format!("/shipments/{}/refund", receipt.purchase), Some(json!({})))
            }
            Task::Track(receipt) => send("GET", format!("/shipments/{}", receipt.purchase), None),
            Task::Label { receipt, format } => {
                let format = format.as_str().to_ascii_uppercase();
                send("GET", format!("/shipments/{}/label?file_format={format}", receipt.purchase), None)
            }
            Task::Manifest { .. } => Step::Done(unmanifested()),
        }
    }

    fn resume(&self, account: &Account, task: &Task<'_>, exchange: usize, answer: Answer) -> Step {
        let purpose = match task {
            Task::Rate(_) | Task::Prepare(_) => Purpose::Rating,
            // The first exchange of a purchase only looks.
            Task::Buy { .. } if exchange > 1 => Purpose::Buying,
            Task::Void(_) => Purpose::Voiding,
            _ => Purpose::Other,
        };
        let shipment = match Shipment::read(answer, purpose) {
            Ok(shipment) => shipment,
            Err(outcome) => return Step::Done(outcome),
        };
        match task {
            Task::Rate(_) => Step::Done(Outcome::Quoted(shipment.quotes())),
            Task::Prepare(_) => Step::Done(Outcome::Prepared(shipment.id)),
            Task::Buy { service, .. } if exchange == 1 => buy(account, &shipment, service),
            Task::Buy { .. } => Step::Done(bought(&shipment)),
            Task::LookUp { .. } => {
                let found = shipment.receipt().map(|receipt| Found { receipt });
                Step::Done(Outcome::Found(found.into_iter().collect()))
            }
            Task::Void(_) => Step::Done(voided(&shipment)),
            Task::Track(_) => {
                let message = shipment.tracker.as_ref().and_then(|tracker| tracker.status_detail.clone());
                let tracked =
                    Tracked { status: shipment.tracking_status(), message: message.unwrap_or_default() };
                Step::Done(Outcome::Tracked(tracked))
            }
            Task::Label { .. } => Step::Done(match shipment.label() {
                Some(label) => Outcome::Labelled(label),
                None => Outcome::Labelled(crate::Label::Later),
            }),
            Task::Manifest { .. } => Step::Done(unmanifested()),
        }
    }
}

/// Buys the rate of the service, unless it was bought already.
fn buy(account: &Account, shipment: &Shipment, service: &str) -> Step {
    if let Some(receipt) = shipment.receipt() {
        return Step::Done(Outcome::Bought(receipt));
    }
    let Some(rate) = shipment.rate_of(service) else {
        let message = format!("EasyPost offers no rate of {service} any more.");
        let error = ShipmentError::new(ErrorType::Purchase, ErrorCode::RateExpired, Source::Carrier, message);
        return Step::Done(Outcome::Rejected(error));
    };
    let body = json!({ "rate": { "id": rate.id } });
    let request = request(account, "POST", &format!("/shipments/{}/buy", shipment.id), Some(body));
    Step::Send(Request { is_purchase: true, ..request })
}

fn bought(shipment: &Shipment) -> Outcome {
    match shipment.receipt() {
        Some(receipt) => Outcome::Bought(receipt),
        None => Outcome::Unknown(ShipmentError::new(
            ErrorType::Purchase,
            ErrorCode::OutcomeUnknown,
            Source::Provider,
            "EasyPost took the purchase and shows none.",
        )),
    }
}

fn voided(shipment: &Shipment) -> Outcome {
    match shipment.refund_status.as_deref() {
        Some("refunded") => Outcome::Voided,
        Some("submitted") => Outcome::Voiding,
        status => {
            let message = format!("The carrier does not refund it ({}).", status.unwrap_or("no answer"));
            Outcome::Rejected(ShipmentError::new(
                ErrorType::Void,
                ErrorCode::PurchaseDeclined,
                Source::Carrier,
                message,
            ))
        }
    }
}

fn unprepared(r#type: ErrorType) -> Outcome {
    let message = "The shipment was not made known to EasyPost first.";
    Outcome::Rejected(ShipmentError::new(r#type, ErrorCode::ProviderUnavailable, Source::Service, message))
}

fn unmanifested() -> Outcome {
    let message = "Close out at EasyPost itself: its scan forms are not asked for from here yet.";
    let error =
        ShipmentError::new(ErrorType::Manifest, ErrorCode::ServiceUnavailable, Source::Service, message);
    Outcome::Rejected(error)
}

fn wanted_format(details: &model::shipment::ShipmentInput) -> LabelFormat {
    let label = details.options.as_ref().and_then(|options| options.label.as_ref());
    label.and_then(|label| label.format).unwrap_or(LabelFormat::Png)
}

fn request(account: &Account, method: &'static str, path: &str, body: Option<Value>) -> Request {
    let text = |fields: &serde_json::Map<String, Value>, name: &str| {
        fields.get(name).and_then(Value::as_str).map(str::to_owned)
    };
    let base = text(&account.configuration, "api_base").unwrap_or_else(|| BASE.to_owned());
    let key = text(&account.credentials, "api_key").unwrap_or_default();
    let mut headers = vec![
        ("authorization", format!("Basic {}", STANDARD.encode(format!("{key}:")))),
        ("accept", "application/json".to_owned()),
    ];
    if body.is_some() {
        headers.push(("content-type", "application/json".to_owned()));
    }
    Request {
        method,
        url: format!("{}{path}", base.trim_end_matches('/')),
        headers,
        body: body.map(|body| Bytes::from(body.to_string())).unwrap_or_default(),
        is_purchase: false,
    }
}

/// Whether a receipt is one of EasyPost's.
pub fn is_receipt(receipt: &Receipt) -> bool {
    receipt.purchase.starts_with("shp_")
}
