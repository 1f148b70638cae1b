//! UPS, directly: rates, shipments of several packages, voids, labels and tracking.
//!
//! UPS has no idempotency keys, so a purchase is sent once. Our reference is printed on the label as a reference number, and a
//! purchase whose answer was lost is looked up by it. UPS promises no time after which a shipment is found, and its error says to
//! wait until the shipment is processed: that nothing is found proves nothing, and a person decides in the end. A merchant who
//! knows better may say after how many minutes it does (`not_found_is_final_after_minutes`).

mod account;
mod answer;
#[cfg(test)]
mod answer_tests;
mod customs;
#[cfg(test)]
mod doubt_tests;
mod http;
mod json;
mod options;
mod party;
mod purchase;
mod rate;
mod request;
#[cfg(test)]
mod request_tests;
mod route;
#[cfg(test)]
mod samples;
mod services;
mod shipped;
#[cfg(test)]
pub(crate) mod tests;
mod token;
mod tracking;
mod unfit;
mod units;
mod void;

use std::time::Duration;

use model::shipping::shipment::ErrorCode;
use model::shipping::shipment::options::LabelFormat;
use serde_json::{Value, json};

use crate::option_refusal::option_refusal;
use crate::{
    AccessTokens, Account, Address, Answer, Capabilities, Connector, Label, Manifested, Outcome, Request,
    Step, Task,
};

use answer::{Purpose, rejected};
use http::{BASE, request};
pub use services::SERVICES;
use shipped::Looked;

/// The carrier's handle.
pub const HANDLE: &str = "ups";
const CARRIER: &str = "UPS";
const FORMATS: &[LabelFormat] = &[LabelFormat::Png, LabelFormat::Pdf, LabelFormat::Zpl];

/// The connector.
pub struct Ups;

impl Connector for Ups {
    fn handle(&self) -> &'static str {
        HANDLE
    }

    fn address(&self) -> Address {
        Address::Known(BASE)
    }

    fn check(&self, account: &Account) -> Result<(), String> {
        account::check(account)
    }

    fn capabilities(&self, account: &Account) -> Capabilities {
        Capabilities {
            is_idempotent: false,
            can_look_up: true,
            can_void: true,
            can_manifest: true,
            can_track: true,
            label_formats: FORMATS,
            packages_max: services::PACKAGES_MAX,
            visibility_delay: account::final_after(account).unwrap_or(Duration::ZERO),
        }
    }

    fn options(&self) -> crate::options::Table {
        options::OPTIONS
    }

    fn access_tokens(&self) -> Option<&dyn AccessTokens> {
        Some(self)
    }

    fn begin(&self, account: &Account, task: &Task<'_>) -> Step {
        let refusal = option_refusal(CARRIER, self.options(), task, options::unspeakable);
        if let Some(refusal) = refusal.or_else(|| unfit::unfit(task)) {
            return Step::Done(refusal);
        }
        match task {
            Task::Rate(parcel) => match request::rate(parcel, account::number(account)) {
                Some((kind, body)) => {
                    let path = format!("/api/rating/v2409/{kind}");
                    Step::Send(request(account, "POST", &path, &parcel.id.to_string(), Some(body)))
                }
                None => Step::Done(unasked(Purpose::Rating)),
            },
            Task::Buy { .. } => buy(account, task),
            Task::LookUp { reference, .. } => Step::Send(recovery_by(account, reference)),
            Task::Void(receipt) => {
                let path = format!("/api/shipments/v2409/void/cancel/{}", segment(&receipt.purchase));
                Step::Send(request(account, "DELETE", &path, &receipt.purchase, None))
            }
            Task::Track(receipt) => {
                let number = receipt.tracking_numbers.first().unwrap_or(&receipt.purchase);
                let number = segment(number);
                let path = format!("/api/track/v1/details/{number}?locale=en_US&returnSignature=false");
                Step::Send(request(account, "GET", &path, &number, None))
            }
            Task::Label { receipt, format } => {
                let mut body = json!({"TrackingNumber": receipt.purchase});
                body["LabelSpecification"] = request::label(*format, None);
                Step::Send(recovery(account, &receipt.purchase, body))
            }
            // UPS takes over what was bought without a list. Dockside draws the one for the driver.
            Task::Manifest { reference, .. } => Step::Done(Outcome::Manifested(Manifested {
                manifest: (*reference).to_owned(),
                form: Some(Label::Ours),
            })),
            // UPS registers nothing before it is bought.
            Task::Prepare(parcel) => Step::Done(Outcome::Prepared(parcel.id.to_string())),
        }
    }

    fn resume(&self, account: &Account, task: &Task<'_>, exchange: usize, answer: Answer) -> Step {
        Step::Done(match task {
            Task::Rate(_) => rate::quoted(answer),
            Task::Buy { .. } => shipped::bought(answer),
            Task::LookUp { reference, .. } => return look_up(account, reference, exchange, answer),
            Task::Void(_) => void::voided(answer),
            Task::Track(receipt) => {
                let number = receipt.tracking_numbers.first().unwrap_or(&receipt.purchase);
                tracking::tracked(answer, number)
            }
            Task::Label { receipt, .. } => shipped::labelled(answer, receipt),
            Task::Manifest { .. } | Task::Prepare(_) => return self.begin(account, task),
        })
    }
}

/// Buys, once: the same task always makes the same request.
fn buy(account: &Account, task: &Task<'_>) -> Step {
    let Task::Buy { parcel, service, reference, format, ship_on, .. } = task else {
        return Step::Done(unasked(Purpose::Buying));
    };
    let Some(service) = services::by_handle(service) else {
        let message = format!("UPS has no service {service}. Choose one of its rates.");
        return Step::Done(rejected(Purpose::Buying, ErrorCode::ServiceUnavailable, message));
    };
    let number = account::number(account);
    let purchase = purchase::Purchase {
        number,
        service_code: service.code,
        reference,
        format: *format,
        ship_on: *ship_on,
    };
    let Some(body) = request::ship(parcel, &purchase) else { return Step::Done(unasked(Purpose::Buying)) };
    let request = request(account, "POST", "/api/shipments/v2409/ship", reference, Some(body));
    Step::Send(Request { is_purchase: true, ..request })
}

/// Goes on with a look-up: the reference of a shipment of several packages has an ending of its own, where all of them carry it.
fn look_up(account: &Account, reference: &str, exchange: usize, answer: Answer) -> Step {
    let is_shared = exchange > 1;
    match shipped::looked_up(answer, is_shared) {
        Looked::Found(found) => Step::Done(Outcome::Found(found)),
        Looked::Other(outcome) => Step::Done(outcome),
        Looked::Nothing if !is_shared => {
            let shared = format!("{reference}{}", request::SEVERAL);
            Step::Send(recovery_by(account, &shared))
        }
        Looked::Nothing if account::final_after(account).is_some() => Step::Done(Outcome::Found(Vec::new())),
        Looked::Nothing => Step::Done(shipped::not_shown_yet()),
    }
}

/// Asks for the label of a shipment that has this reference, and so whether there is one.
fn recovery_by(account: &Account, reference: &str) -> Request {
    let body = json!({
        "ReferenceValues": {
            "ReferenceNumber": {"Value": reference}, "ShipperNumber": account::number(account),
        },
        "LabelSpecification": request::label(LabelFormat::Png, None),
    });
    recovery(account, reference, body)
}

fn recovery(account: &Account, about: &str, mut body: Value) -> Request {
    body["Request"] = json!({"SubVersion": "1903", "TransactionReference": {"CustomerContext": about}});
    let body = json!({"LabelRecoveryRequest": body});
    request(account, "POST", "/api/labels/v1/recovery", about, Some(body))
}

/// A number as part of a path. UPS's numbers are letters and digits; anything else would lead elsewhere.
fn segment(number: &str) -> String {
    number.chars().filter(char::is_ascii_alphanumeric).collect()
}

/// The outcome of a task that UPS has no request for.
fn unasked(purpose: Purpose) -> Outcome {
    rejected(purpose, ErrorCode::ServiceUnavailable, "UPS can't be asked for that.".to_owned())
}
