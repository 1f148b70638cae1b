//! EasyPost: one connector for some eighty carriers.
//!
//! EasyPost has no idempotency keys, so a purchase takes two steps: the connector creates the shipment, free of charge, and
//! its name at EasyPost is stored; then the connector buys it. By that name it can look up later whether the shipment was
//! bought, and EasyPost refuses to sell the same shipment twice. If the name is lost, as with a restored backup, the
//! connector searches for our reference, and a person must decide about purchases that it does not find. Shipments that are
//! only rated are created without the reference, so the search finds none of them.

mod answer;
mod bought;
mod contracts;
#[cfg(test)]
mod doubt_tests;
mod http;
mod json;
mod manifest;
mod options;
mod rate;
#[cfg(test)]
mod recorded;
mod request;
mod scan_form;
mod services;
#[cfg(test)]
pub(crate) mod tests;
mod tracker;
mod units;
mod webhook;

use std::time::Duration;

use model::World;
use model::shipping::shipment::options::LabelFormat;
use model::shipping::shipment::{ErrorCode, ErrorType, ShipmentError, Source};
use serde_json::{Value, json};

use crate::option_refusal::option_refusal;
use crate::{
    Account, Address, Answer, Capabilities, Connector, FileFormat, Label, Outcome, Parcel, Request, Step,
    Task,
};

use answer::{Purpose, Shipment};
pub use contracts::is_service;
use http::{BASE, request};
pub use services::{handle, services};
pub use webhook::{Message, News, is_signed, message};

/// The carrier's handle.
pub const HANDLE: &str = "easypost";
const CREDENTIALS: [&str; 2] = ["api_key", "webhook_secret"];
/// How EasyPost's test keys begin. The key decides whether money is spent, not the address.
const TEST_KEY: &str = "EZTK";
const FORMATS: &[LabelFormat] = &[LabelFormat::Png, LabelFormat::Pdf, LabelFormat::Zpl];

/// The connector.
pub struct EasyPost;

impl Connector for EasyPost {
    fn handle(&self) -> &'static str {
        HANDLE
    }

    fn address(&self) -> Address {
        Address::Known(BASE)
    }

    fn check(&self, account: &Account) -> Result<(), String> {
        let is_text = |value: &Value| value.as_str().is_some_and(|text| !text.trim().is_empty());
        if !account.credentials.get("api_key").is_some_and(is_text) {
            return Err("EasyPost needs its API key in the credentials, as `api_key`.".to_owned());
        }
        let is_test_key = account
            .credentials
            .get("api_key")
            .and_then(Value::as_str)
            .is_some_and(|key| key.starts_with(TEST_KEY));
        if account.world == World::Test && !is_test_key {
            return Err(format!(
                "In the test world EasyPost needs a test key, which begins with `{TEST_KEY}`: any other spends money."
            ));
        }
        if !account.credentials.get("webhook_secret").is_none_or(is_text) {
            return Err("The `webhook_secret` in the credentials must be a text.".to_owned());
        }
        // A word that is mistyped would be missed only when a parcel is.
        let credential = account.credentials.keys().find(|name| !CREDENTIALS.contains(&name.as_str()));
        match (credential, account.configuration.keys().next()) {
            (Some(name), _) => Err(format!(
                "EasyPost's credentials are `api_key` and `webhook_secret`; `{name}` is neither."
            )),
            (_, Some(name)) => Err(format!("EasyPost's configuration must be empty, without `{name}`.")),
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
            packages_max: 1,
            visibility_delay: Duration::from_secs(5),
        }
    }

    fn options(&self) -> crate::options::Table {
        options::OPTIONS
    }

    fn begin(&self, account: &Account, task: &Task<'_>) -> Step {
        let send =
            |method, path: String, body: Option<Value>| Step::Send(request(account, method, &path, body));
        let refusal = option_refusal("EasyPost", self.options(), task, options::unspeakable);
        if let Some(refusal) = refusal.or_else(|| unfit(task)) {
            return Step::Done(refusal);
        }
        match task {
            Task::Rate(parcel) | Task::Prepare(parcel) => {
                let reference = matches!(task, Task::Prepare(_)).then(|| parcel.id.to_string());
                let body = request::shipment(parcel, wanted_format(parcel), reference);
                send("POST", "/shipments".to_owned(), Some(body))
            }
            Task::Buy { prepared: Some(name), .. } | Task::LookUp { prepared: Some(name), .. } => {
                send("GET", format!("/shipments/{name}"), None)
            }
            Task::Buy { .. } => Step::Done(unprepared(ErrorType::Purchase)),
            // EasyPost accepts a reference in the place of its own name.
            Task::LookUp { reference, prepared: None } => {
                send("GET", format!("/shipments/{reference}"), None)
            }
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
        if let (Task::Buy { prepared: Some(name), .. }, 2) = (task, exchange)
            && answer::says_postage_exists(&answer)
        {
            return Step::Send(request(account, "GET", &format!("/shipments/{name}"), None));
        }
        let shipment = match (Shipment::read(answer, purpose), task) {
            (looked, Task::Buy { format, .. }) if exchange > 2 => {
                return Step::Done(bought::seen_after_refusal(looked, *format));
            }
            (Ok(shipment), _) => shipment,
            // It is not converted. Then it is taken as it is.
            (Err(Outcome::Rejected(_)), Task::Label { receipt, .. }) if exchange == 2 => {
                let path = format!("/shipments/{}", receipt.purchase);
                return Step::Send(request(account, "GET", &path, None));
            }
            // EasyPost shows nothing under the reference, which does not mean that nothing was bought under it.
            (Err(Outcome::Rejected(error)), Task::LookUp { prepared: None, .. })
                if error.code != ErrorCode::CredentialsInvalid =>
            {
                return Step::Done(bought::unnamed());
            }
            (Err(outcome), _) => return Step::Done(outcome),
        };
        match task {
            Task::Rate(_) => Step::Done(Outcome::Quoted(shipment.quotes())),
            Task::Prepare(_) => Step::Done(Outcome::Prepared(shipment.id)),
            Task::Buy { .. } if exchange == 1 => buy(account, &shipment, task),
            Task::Buy { format, .. } => Step::Done(purchased(&shipment, *format)),
            Task::LookUp { prepared: Some(name), .. } => Step::Done(bought::found_by_name(&shipment, name)),
            Task::LookUp { reference, .. } => Step::Done(bought::found_by_reference(&shipment, reference)),
            Task::Void(_) => void(account, &shipment, exchange),
            Task::Track(_) => Step::Done(Outcome::Tracked(shipment.tracked())),
            Task::Label { format, .. } => label(account, &shipment, *format, exchange),
            Task::Manifest { purchases, .. } => manifest::begin(account, purchases),
        }
    }

    fn hand_over_carrier<'a>(&self, service: &'a str) -> &'a str {
        contracts::carrier_of(service)
    }
}

/// Returns why a task can't be done with this parcel, if so.
fn unfit(task: &Task<'_>) -> Option<Outcome> {
    let (parcel, r#type) = match task {
        Task::Rate(parcel) | Task::Prepare(parcel) => (parcel, ErrorType::Rate),
        Task::Buy { parcel, .. } => (parcel, ErrorType::Purchase),
        _ => return None,
    };
    if is_several(parcel) {
        return Some(several(r#type));
    }
    (!has_sender_name(parcel)).then(|| nameless(parcel, r#type))
}

/// Buys the rate of the service, unless it was bought already.
fn buy(account: &Account, shipment: &Shipment, task: &Task<'_>) -> Step {
    let Task::Buy { service, format, prepared, .. } = task else {
        return Step::Done(bought::not_understood());
    };
    if let Some(receipt) = shipment.receipt(Some(*format)) {
        return Step::Done(Outcome::Bought(receipt));
    }
    // If the answer does not say that the shipment is not bought yet, it must not be bought.
    if shipment.is_bought().is_none() || Some(shipment.id.as_str()) != *prepared {
        return Step::Done(bought::not_understood());
    }
    let rates = shipment.rates();
    let Some(rate) = contracts::rate_of(&rates, service) else {
        let message = format!("EasyPost offers no rate of {service} any more.");
        let error = ShipmentError::new(ErrorType::Purchase, ErrorCode::RateExpired, Source::Carrier, message);
        return Step::Done(Outcome::Rejected(error));
    };
    let body = json!({ "rate": { "id": rate.id } });
    let request = request(account, "POST", &format!("/shipments/{}/buy", shipment.id), Some(body));
    Step::Send(Request { is_purchase: true, ..request })
}

/// The outcome of a purchase that EasyPost accepted.
fn purchased(shipment: &Shipment, format: LabelFormat) -> Outcome {
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

/// Requests a refund if none was requested yet; else returns its state.
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
        Label::At { format: FileFormat::Png, .. } if wanted != LabelFormat::Png && exchange == 1 => {
            let format = wanted.as_str().to_ascii_uppercase();
            let path = format!("/shipments/{}/label?file_format={format}", shipment.id);
            Step::Send(request(account, "GET", &path, None))
        }
        label => Step::Done(Outcome::Labelled(vec![label])),
    }
}

fn is_several(parcel: &Parcel) -> bool {
    parcel.details().packages.len() > 1
}

/// Returns whether the sender has a name or a company. The carriers behind EasyPost print no label without one.
fn has_sender_name(parcel: &Parcel) -> bool {
    let is_given = |text: &Option<String>| text.as_deref().is_some_and(|text| !text.trim().is_empty());
    let contact = parcel.details().addresses.origin.as_ref().and_then(|origin| origin.contact.as_ref());
    contact.is_some_and(|contact| is_given(&contact.name) || is_given(&contact.company))
}

fn nameless(parcel: &Parcel, r#type: ErrorType) -> Outcome {
    let place = if parcel.details().is_return() { "destination" } else { "origin" };
    let message = format!(
        "EasyPost needs the sender's name: set `addresses.{place}.contact.name` or `.company`. The name of a location is \
         never sent; give the location a `contact` for new shipments."
    );
    Outcome::Rejected(ShipmentError::new(r#type, ErrorCode::AddressInvalid, Source::Carrier, message))
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

fn wanted_format(parcel: &Parcel) -> LabelFormat {
    parcel.label_format().unwrap_or(LabelFormat::Pdf)
}
