//! USPS, directly: prices, labels within the country and abroad, return labels, cancellations, SCAN forms and tracking.
//!
//! A request for a label carries a key that is made of our reference. By the key a label can be printed again, and so found: USPS's
//! error says whether a label was made under it. Versions of USPS's own documentation disagree on what a second request with the same
//! key does: one says that it gives the same label, another that it makes a new one. So a purchase is never repeated on a guess.

mod account;
mod answer;
#[cfg(test)]
mod answer_tests;
mod customs;
#[cfg(test)]
mod doubt_tests;
mod http;
mod label;
mod manifest;
mod multipart;
mod options;
mod party;
mod rate;
mod request;
#[cfg(test)]
mod request_tests;
mod route;
#[cfg(test)]
mod samples;
mod services;
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

use crate::option_refusal::option_refusal;
use crate::{
    AccessTokens, Account, Address, Answer, Capabilities, Connector, Outcome, Receipt, Request, Step, Task,
};

use answer::{Purpose, rejected};
use http::{BASE, PAYMENT, RETURNS, label_request, request};
use label::Looked;
pub use services::SERVICES;

/// The carrier's handle.
pub const HANDLE: &str = "usps";
const CARRIER: &str = "USPS";
const FORMATS: &[LabelFormat] = &[LabelFormat::Pdf, LabelFormat::Zpl];
/// How long a label may stay invisible to a look-up. USPS documents nothing; others found labels after two seconds.
const VISIBILITY_DELAY: Duration = Duration::from_secs(300);

/// The connector.
pub struct Usps;

impl Connector for Usps {
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
            can_void: true,
            can_manifest: true,
            can_track: true,
            label_formats: FORMATS,
            packages_max: 1,
            visibility_delay: VISIBILITY_DELAY,
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
            Task::Rate(parcel) => match request::rate(parcel, &account::payment(account)) {
                Some(body) => {
                    Step::Send(request(account, "POST", "/shipments/v3/options/search", Some(body)))
                }
                None => Step::Done(unasked(Purpose::Rating)),
            },
            Task::Buy { .. } => buy(account, task),
            Task::LookUp { reference, .. } => {
                Step::Send(reprint_by_key(account, "/labels/v3/label-reprint", reference))
            }
            Task::Void(receipt) => {
                let path =
                    label_path(receipt, "/labels/v3/label", "/international-labels/v3/international-label");
                Step::Send(label_request(account, "DELETE", &path, PAYMENT, None, None))
            }
            Task::Track(receipt) => {
                let number = receipt.tracking_numbers.first().unwrap_or(&receipt.purchase);
                let path = format!("/tracking/v3/tracking/{}?expand=DETAIL", segment(number));
                Step::Send(request(account, "GET", &path, None))
            }
            Task::Label { receipt, format } => {
                let path = label_path(
                    receipt,
                    "/labels/v3/label-reprint",
                    "/international-labels/v3/international-label-reprint",
                );
                let body = request::reprint(*format);
                Step::Send(label_request(account, "POST", &path, PAYMENT, None, Some(body)))
            }
            Task::Manifest { purchases, ship_on, origin, .. } => {
                manifest::begin(account, purchases, *ship_on, *origin)
            }
            // USPS registers nothing before it is bought.
            Task::Prepare(parcel) => Step::Done(Outcome::Prepared(parcel.id.to_string())),
        }
    }

    fn resume(&self, account: &Account, task: &Task<'_>, exchange: usize, answer: Answer) -> Step {
        Step::Done(match task {
            Task::Rate(parcel) => match parcel.details().packages.first() {
                Some(package) => rate::quoted(answer, package),
                None => unasked(Purpose::Rating),
            },
            Task::Buy { .. } => label::bought(answer),
            Task::LookUp { reference, .. } => match label::looked_up(answer) {
                Looked::Found(found) => Outcome::Found(found),
                Looked::Other(outcome) => outcome,
                // A key is looked for among the labels of each kind.
                Looked::Nothing if exchange == 1 => {
                    let path = "/international-labels/v3/international-label-reprint";
                    return Step::Send(reprint_by_key(account, path, reference));
                }
                Looked::Nothing => Outcome::Found(Vec::new()),
            },
            Task::Void(_) => void::voided(answer),
            Task::Track(_) => tracking::tracked(answer),
            Task::Label { .. } => label::labelled(answer),
            Task::Manifest { .. } => manifest::manifested(answer),
            Task::Prepare(_) => return self.begin(account, task),
        })
    }
}

/// Buys, once: the same task always makes the same request.
fn buy(account: &Account, task: &Task<'_>) -> Step {
    let Task::Buy { parcel, service, reference, format, ship_on, .. } = task else {
        return Step::Done(unasked(Purpose::Buying));
    };
    let Some(service) = services::by_handle(service) else {
        let message = format!("USPS has no service {service}. Choose one of its rates.");
        return Step::Done(rejected(Purpose::Buying, ErrorCode::ServiceUnavailable, message));
    };
    let purchase = request::Purchase { service, format: *format, ship_on: *ship_on };
    let Some((path, body)) = request::label(parcel, &purchase) else {
        return Step::Done(unasked(Purpose::Buying));
    };
    let payment = if parcel.details().is_return() { RETURNS } else { PAYMENT };
    let request = label_request(account, "POST", path, payment, Some(reference), Some(body));
    Step::Send(Request { is_purchase: true, ..request })
}

/// Asks for the label that was made under the key of our reference, and so whether there is one.
fn reprint_by_key(account: &Account, path: &str, reference: &str) -> Request {
    let body = request::reprint(LabelFormat::Pdf);
    label_request(account, "POST", path, PAYMENT, Some(reference), Some(body))
}

/// The path of a label by its number. Numbers of parcels abroad have letters.
fn label_path(receipt: &Receipt, domestic: &str, abroad: &str) -> String {
    let is_domestic = receipt.purchase.bytes().all(|byte| byte.is_ascii_digit());
    format!("{}/{}", if is_domestic { domestic } else { abroad }, segment(&receipt.purchase))
}

/// A number as part of a path. USPS's numbers are letters and digits; anything else would lead elsewhere.
fn segment(number: &str) -> String {
    number.chars().filter(char::is_ascii_alphanumeric).collect()
}

/// The outcome of a task that USPS has no request for.
fn unasked(purpose: Purpose) -> Outcome {
    rejected(purpose, ErrorCode::ServiceUnavailable, "USPS can't be asked for that.".to_owned())
}
