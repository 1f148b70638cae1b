//! EasyPost: one connector for some eighty carriers.
//!
//! It knows no idempotency key, so a purchase is made in two steps: the shipment is made known, free of charge, and its
//! name is kept; then it is bought. Whether it was can be looked up by that name, and buying it again is refused.

mod answer;
mod manifest;
#[cfg(test)]
mod recorded;
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
    Account, Answer, Capabilities, Connector, Found, Label, Outcome, Parcel, Request, Step, Task, Tracked,
};

use answer::{Purpose, Shipment};
pub use services::{handle, services};
pub use webhook::{Message, News, is_signed, message};

/// The carrier's handle.
pub const HANDLE: &str = "easypost";
/// Where EasyPost is, unless the account's configuration says otherwise.
const BASE: &str = "https://api.easypost.com/v2";
const CREDENTIALS: [&str; 2] = ["api_key", "webhook_secret"];
const FORMATS: &[LabelFormat] = &[LabelFormat::Png, LabelFormat::Pdf, LabelFormat::Zpl];

/// The connector.
pub struct EasyPost;

impl Connector for EasyPost {
    fn handle(&self) -> &'static str {
        HANDLE
    }

    fn check(&self, account: &Account) -> Result<(), String> {
        let is_text = |value: &Value| value.as_str().is_some_and(|text| !text.trim().is_empty());
        if !account.credentials.get("api_key").is_some_and(is_text) {
            return Err("EasyPost needs its API key in the credentials, as `api_key`.".to_owned());
        }
        if !account.credentials.get("webhook_secret").is_none_or(is_text) {
            return Err("The `webhook_secret` in the credentials must be a text.".to_owned());
        }
        if !account.configuration.get("url").is_none_or(is_text) {
            return Err(
                "The `url` in the configuration must be the address of EasyPost or of a proxy.".to_owned()
            );
        }
        // A word that is mistyped would be missed only when a parcel is.
        let credential = account.credentials.keys().find(|name| !CREDENTIALS.contains(&name.as_str()));
        let setting = account.configuration.keys().find(|name| name.as_str() != "url");
        match (credential, setting) {
            (Some(name), _) => Err(format!(
                "EasyPost's credentials are `api_key` and `webhook_secret`; `{name}` is neither."
            )),
            (_, Some(name)) => Err(format!("EasyPost's configuration takes `url` alone, and no `{name}`.")),
            _ => Ok(()),
        }
    }

    fn capabilities(&self, _account: &Account) -> Capabilities {
        Capabilities {
            is_idempotent: false,
            can_look_up: true,
            can_void: true,
            can_manifest: true,
            can_track: true,
            label_formats: FORMATS,
            visibility_delay: Duration::from_secs(5),
        }
    }

    fn begin(&self, account: &Account, task: &Task<'_>) -> Step {
        let send =
            |method, path: String, body: Option<Value>| Step::Send(request(account, method, &path, body));
        match task {
            Task::Rate(parcel) | Task::Prepare(parcel) if is_several(parcel) => {
                Step::Done(several(ErrorType::Rate))
            }
            Task::Buy { parcel, .. } if is_several(parcel) => Step::Done(several(ErrorType::Purchase)),
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
            // A refund takes weeks, and a label seconds: what became of the last request is looked at first.
            Task::Void(receipt) | Task::Track(receipt) | Task::Label { receipt, .. } => {
                send("GET", format!("/shipments/{}", receipt.purchase), None)
            }
            Task::Manifest { purchases, .. } => manifest::begin(account, purchases),
        }
    }

    fn resume(&self, account: &Account, task: &Task<'_>, exchange: usize, answer: Answer) -> Step {
        let purpose = match task {
            Task::Rate(_) | Task::Prepare(_) => Purpose::Rating,
            // The first exchange of a purchase only looks.
            Task::Buy { .. } if exchange > 1 => Purpose::Buying,
            Task::Void(_) => Purpose::Voiding,
            Task::Manifest { purchases, .. } => {
                return manifest::resume(account, purchases, exchange, answer);
            }
            _ => Purpose::Other,
        };
        let shipment = match (Shipment::read(answer, purpose), task) {
            (Ok(shipment), _) => shipment,
            // It is not converted. Then it is taken as it is.
            (Err(Outcome::Rejected(_)), Task::Label { receipt, .. }) if exchange == 2 => {
                return Step::Send(request(
                    account,
                    "GET",
                    &format!("/shipments/{}", receipt.purchase),
                    None,
                ));
            }
            (Err(outcome), _) => return Step::Done(outcome),
        };
        match task {
            Task::Rate(_) => Step::Done(Outcome::Quoted(shipment.quotes())),
            Task::Prepare(_) => Step::Done(Outcome::Prepared(shipment.id)),
            Task::Buy { service, format, .. } if exchange == 1 => buy(account, &shipment, service, *format),
            Task::Buy { format, .. } => Step::Done(bought(&shipment, *format)),
            Task::LookUp { .. } => {
                let found = shipment.receipt(None).map(|receipt| Found { receipt });
                Step::Done(Outcome::Found(found.into_iter().collect()))
            }
            Task::Void(_) => void(account, &shipment, exchange),
            Task::Track(_) => {
                let message = shipment.tracker.as_ref().and_then(|tracker| tracker.status_detail.clone());
                let tracked =
                    Tracked { status: shipment.tracking_status(), message: message.unwrap_or_default() };
                Step::Done(Outcome::Tracked(tracked))
            }
            Task::Label { format, .. } => label(account, &shipment, *format, exchange),
            Task::Manifest { purchases, .. } => manifest::begin(account, purchases),
        }
    }
}

/// Buys the rate of the service, unless it was bought already.
fn buy(account: &Account, shipment: &Shipment, service: &str, format: LabelFormat) -> Step {
    if let Some(receipt) = shipment.receipt(Some(format)) {
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

fn bought(shipment: &Shipment, format: LabelFormat) -> Outcome {
    match shipment.receipt(Some(format)) {
        Some(receipt) => Outcome::Bought(receipt),
        None => Outcome::Unknown(ShipmentError::new(
            ErrorType::Purchase,
            ErrorCode::OutcomeUnknown,
            Source::Provider,
            "EasyPost took the purchase and shows none.",
        )),
    }
}

/// Asks for a refund where nobody did yet; else tells how it stands.
fn void(account: &Account, shipment: &Shipment, exchange: usize) -> Step {
    let refused = |message: &str| {
        let code = ErrorCode::PurchaseDeclined;
        Outcome::Rejected(ShipmentError::new(ErrorType::Void, code, Source::Carrier, message))
    };
    Step::Done(match shipment.refund_status.as_deref() {
        None if exchange == 1 => {
            let path = format!("/shipments/{}/refund", shipment.id);
            return Step::Send(request(account, "POST", &path, Some(json!({}))));
        }
        None => {
            let message = "EasyPost took the request for a refund and shows none.";
            let code = ErrorCode::ProviderUnavailable;
            let why = ShipmentError::new(ErrorType::Void, code, Source::Provider, message);
            Outcome::Unsent { why, retry_after: None }
        }
        Some("refunded") => Outcome::Voided,
        Some("submitted") => Outcome::Voiding,
        Some("rejected") => refused(
            "The carrier rejected the refund: the label was used, is too old, or is of a kind that is not refunded.",
        ),
        Some("not_applicable") => refused(
            "There is nothing to refund: the carrier bills what it scans. Don't use the label, and it is not billed.",
        ),
        Some(status) => refused(&format!("The carrier does not refund it ({status}).")),
    })
}

/// The label in the wanted format. EasyPost converts what it made as an image, and nothing else.
fn label(account: &Account, shipment: &Shipment, wanted: LabelFormat, exchange: usize) -> Step {
    let label = shipment.label(Some(wanted)).unwrap_or(Label::Later);
    match label {
        Label::At { format: LabelFormat::Png, .. } if wanted != LabelFormat::Png && exchange == 1 => {
            let format = wanted.as_str().to_ascii_uppercase();
            let path = format!("/shipments/{}/label?file_format={format}", shipment.id);
            Step::Send(request(account, "GET", &path, None))
        }
        label => Step::Done(Outcome::Labelled(label)),
    }
}

fn is_several(parcel: &Parcel) -> bool {
    parcel.details.packages.len() > 1
}

/// EasyPost buys several packages as an order of its own kind, of which only a part may succeed. Rather than to pay for
/// half a shipment it is not asked.
fn several(r#type: ErrorType) -> Outcome {
    let message = "EasyPost is asked for one package at a time: make a shipment of each package, or choose another carrier.";
    Outcome::Rejected(ShipmentError::new(r#type, ErrorCode::ServiceUnavailable, Source::Provider, message))
}

fn unprepared(r#type: ErrorType) -> Outcome {
    let message = "The shipment was not made known to EasyPost first.";
    Outcome::Rejected(ShipmentError::new(r#type, ErrorCode::ProviderUnavailable, Source::Service, message))
}

fn wanted_format(details: &model::shipment::ShipmentInput) -> LabelFormat {
    let label = details.options.as_ref().and_then(|options| options.label.as_ref());
    label.and_then(|label| label.format).unwrap_or(LabelFormat::Pdf)
}

fn request(account: &Account, method: &'static str, path: &str, body: Option<Value>) -> Request {
    let text = |fields: &serde_json::Map<String, Value>, name: &str| {
        fields.get(name).and_then(Value::as_str).map(str::to_owned)
    };
    let base = text(&account.configuration, "url").unwrap_or_else(|| BASE.to_owned());
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
