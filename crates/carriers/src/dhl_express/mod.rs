//! DHL Express, through MyDHL API (version 3): rates of your contract, shipments with labels, look-ups by our reference, and tracking.
//!
//! DHL Express has no idempotency key, and no request that takes a shipment back: it bills what it scans. So a purchase is sent once. Our
//! reference goes with the shipment, and a purchase whose answer was lost is looked up by it. DHL shows a shipment only once its data have
//! arrived, and promises no time: that nothing is found proves nothing, and several shipments under one reference are left to a person.

mod account;
mod answer;
#[cfg(test)]
mod answer_tests;
mod customs;
#[cfg(test)]
mod doubt_tests;
mod http;
mod name;
mod options;
mod party;
mod rate;
mod request;
#[cfg(test)]
mod request_tests;
#[cfg(test)]
mod samples;
mod services;
mod shipped;
#[cfg(test)]
pub(crate) mod tests;
mod tracking;
mod unfit;

use std::time::Duration;

use model::shipping::shipment::ErrorCode;
use model::shipping::shipment::options::LabelFormat;

use crate::option_refusal::option_refusal;
use crate::told::{Purpose, rejected};
use crate::{Account, Address, Answer, Capabilities, Connector, Outcome, Request, Step, Task};

use http::{BASE, request};
use name::CARRIER;
pub use services::SERVICES;

/// The carrier's handle.
pub const HANDLE: &str = "dhl_express";
const FORMATS: &[LabelFormat] = &[LabelFormat::Pdf, LabelFormat::Zpl];
/// Most packages of a shipment. DHL takes more; a shipment here has at most 99.
const PACKAGES_MAX: usize = 99;

/// The connector.
pub struct DhlExpress;

impl Connector for DhlExpress {
    fn handle(&self) -> &'static str {
        HANDLE
    }

    fn address(&self) -> Address {
        Address::Known(BASE)
    }

    fn check(&self, account: &Account) -> Result<(), String> {
        account::check(account)
    }

    fn capabilities(&self, _account: &Account) -> Capabilities {
        Capabilities {
            is_idempotent: false,
            can_look_up: true,
            can_void: false,
            can_manifest: false,
            can_track: true,
            label_formats: FORMATS,
            packages_max: PACKAGES_MAX,
            visibility_delay: Duration::ZERO,
        }
    }

    fn options(&self) -> crate::options::Table {
        options::OPTIONS
    }

    fn begin(&self, account: &Account, task: &Task<'_>) -> Step {
        let refusal = option_refusal(CARRIER, self.options(), task, options::unspeakable);
        if let Some(refusal) = refusal.or_else(|| unfit::unfit(task)) {
            return Step::Done(refusal);
        }
        Step::Done(match task {
            Task::Rate(parcel) => match request::rate(parcel, account::number(account)) {
                Some(body) => {
                    return Step::Send(request(
                        account,
                        "POST",
                        "/rates",
                        &parcel.id.to_string(),
                        Some(body),
                    ));
                }
                None => unasked(Purpose::Rating),
            },
            Task::Buy { .. } => return buy(account, task),
            Task::LookUp { reference, .. } => {
                let path = format!(
                    "/tracking?shipmentReference={}&shipmentReferenceType=CU&shipperAccountNumber={}\
                     &trackingView=shipment-details&levelOfDetail=shipment",
                    segment(reference),
                    segment(account::number(account)),
                );
                return Step::Send(request(account, "GET", &path, reference, None));
            }
            Task::Track(receipt) => {
                let number = segment(&receipt.purchase);
                let path = format!(
                    "/shipments/{number}/tracking?trackingView=all-checkpoints&levelOfDetail=shipment"
                );
                return Step::Send(request(account, "GET", &path, &number, None));
            }
            // DHL registers nothing before it is bought.
            Task::Prepare(parcel) => Outcome::Prepared(parcel.id.to_string()),
            Task::Label { .. } => {
                let message = "DHL Express gives a label once, when it is bought. Print it in MyDHL+.";
                rejected(Purpose::Labelling, ErrorCode::LabelFormatUnavailable, message)
            }
            Task::Void(_) => {
                let message =
                    "DHL Express takes no shipment back. It bills what it scans: don't use the label.";
                rejected(Purpose::Voiding, ErrorCode::ServiceUnavailable, message)
            }
            Task::Manifest { .. } => unasked(Purpose::Manifesting),
        })
    }

    fn resume(&self, account: &Account, task: &Task<'_>, _exchange: usize, answer: Answer) -> Step {
        Step::Done(match task {
            Task::Rate(_) => rate::quoted(answer),
            Task::Buy { format, .. } => shipped::bought(answer, *format),
            Task::LookUp { .. } => shipped::looked_up(answer),
            Task::Track(receipt) => tracking::tracked(answer, &receipt.purchase),
            Task::Prepare(_) | Task::Label { .. } | Task::Void(_) | Task::Manifest { .. } => {
                return self.begin(account, task);
            }
        })
    }
}

/// Buys, once: the same task always makes the same request.
fn buy(account: &Account, task: &Task<'_>) -> Step {
    let Task::Buy { parcel, service, reference, format, ship_on, .. } = task else {
        return Step::Done(unasked(Purpose::Buying));
    };
    let Some(service) = services::by_handle(service) else {
        let message = format!("DHL Express has no service {service}. Choose one of its rates.");
        return Step::Done(rejected(Purpose::Buying, ErrorCode::ServiceUnavailable, message));
    };
    let number = account::number(account);
    let purchase = request::Purchase { number, service, reference, format: *format, ship_on: *ship_on };
    let Some(body) = request::shipment(parcel, &purchase) else {
        return Step::Done(unasked(Purpose::Buying));
    };
    let request = request(account, "POST", "/shipments", reference, Some(body));
    Step::Send(Request { is_purchase: true, ..request })
}

/// A number or a reference as part of an address. Anything but letters, digits and underscores would lead elsewhere.
fn segment(text: &str) -> String {
    text.chars().filter(|char| char.is_ascii_alphanumeric() || *char == '_').collect()
}

/// The outcome of a task that DHL has no request for.
fn unasked(purpose: Purpose) -> Outcome {
    rejected(purpose, ErrorCode::ServiceUnavailable, "DHL Express can't be asked for that.")
}
