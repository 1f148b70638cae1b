//! DHL Parcel DE (Post & Parcel Germany), directly: labels within Germany and abroad, returns, deletions, closing out and tracking.
//!
//! DHL's shipping interface knows no key under which a repeated order is made once, and no request that lists orders. Its tracking finds a
//! parcel by our reference, once DHL has the parcel's data. So a purchase whose answer was lost is looked up there, where the account may;
//! it is never repeated on a guess.

mod account;
mod answer;
#[cfg(test)]
mod answer_tests;
mod contact;
mod country;
mod customs;
#[cfg(test)]
mod doubt_tests;
mod drop_point;
mod http;
mod json;
mod manifest;
mod options;
mod order;
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
#[cfg(test)]
pub(crate) mod tests;
mod token;
mod tracking;
mod unfit;
mod void;
mod xml;

use std::time::Duration;

use model::shipping::shipment::ErrorCode;
use model::shipping::shipment::options::LabelFormat;

use crate::option_refusal::option_refusal;
use crate::{AccessTokens, Account, Address, Answer, Capabilities, Connector, Outcome, Receipt, Step, Task};

use answer::{Purpose, rejected};
use http::{BASE, ORDERS, encoded, request, tracking_request};
use order::numbers;
use request::{documents, reference_of};
use services::PACKAGES_MAX;
pub use services::SERVICES;
use tracking::Looked;

/// The carrier's handle.
pub const HANDLE: &str = "dhl_parcel_de";
const CARRIER: &str = "DHL Parcel DE";
const FORMATS: &[LabelFormat] = &[LabelFormat::Pdf, LabelFormat::Zpl];
/// That nothing is found is never final, so no time makes it so.
const VISIBILITY_DELAY: Duration = Duration::from_secs(24 * 3600);

/// The connector.
pub struct DhlParcelDe;

impl Connector for DhlParcelDe {
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
        let can_track = account::can_track(account);
        Capabilities {
            is_idempotent: false,
            can_look_up: can_track,
            can_void: true,
            can_manifest: true,
            can_track,
            label_formats: FORMATS,
            packages_max: PACKAGES_MAX,
            visibility_delay: VISIBILITY_DELAY,
        }
    }

    fn options(&self) -> crate::options::Table {
        options::OPTIONS
    }

    fn manifest_packages_max(&self) -> usize {
        manifest::PACKAGES_MAX
    }

    fn access_tokens(&self) -> Option<&dyn AccessTokens> {
        Some(self)
    }

    fn begin(&self, account: &Account, task: &Task<'_>) -> Step {
        let refusal = option_refusal(CARRIER, self.options(), task, options::unspeakable);
        if let Some(refusal) = refusal.or_else(|| unfit::unfit(account, task)) {
            return Step::Done(refusal);
        }
        match task {
            Task::Rate(parcel) => rate::begin(account, parcel),
            // DHL registers nothing before it is bought.
            Task::Prepare(parcel) => Step::Done(Outcome::Prepared(parcel.id.to_string())),
            Task::Buy { .. } => purchase::begin(account, task),
            Task::LookUp { reference, .. } => look_up(account, reference, 1),
            Task::Void(receipt) => void::begin(account, receipt),
            Task::Track(receipt) => track(account, receipt),
            Task::Label { receipt, format } => label(account, receipt, *format),
            Task::Manifest { purchases, .. } => manifest::begin(account, purchases),
        }
    }

    fn resume(&self, account: &Account, task: &Task<'_>, exchange: usize, answer: Answer) -> Step {
        Step::Done(match task {
            Task::Rate(parcel) => rate::quoted(account, parcel, answer),
            Task::Buy { .. } => return purchase::resume(account, task, exchange, answer),
            Task::LookUp { reference, .. } => {
                match tracking::looked_up(answer, reference, exchange, account) {
                    Looked::Found(found) => Outcome::Found(found),
                    Looked::Other(outcome) => outcome,
                    // A shipment of several packages has another reference.
                    Looked::Nothing if exchange < PACKAGES_MAX => {
                        return look_up(account, reference, exchange + 1);
                    }
                    Looked::Nothing => tracking::not_shown_yet(),
                }
            }
            Task::Void(receipt) => void::voided(answer, receipt, account),
            Task::Track(_) => tracking::tracked(answer, account),
            Task::Label { receipt, .. } => order::labelled(answer, receipt, account),
            Task::Manifest { purchases, reference, .. } => {
                return manifest::resume(account, purchases, reference, exchange, answer);
            }
            Task::Prepare(_) => return self.begin(account, task),
        })
    }
}

/// Asks the tracking for a purchase of so many packages.
fn look_up(account: &Account, reference: &str, packages: usize) -> Step {
    if !account::can_track(account) {
        return Step::Done(untracked(Purpose::LookingUp));
    }
    let reference = reference_of(reference, packages);
    Step::Send(tracking_request(account, ("piece-customer-reference", &reference)))
}

/// Asks for the way of a shipment, which is that of its first package.
fn track(account: &Account, receipt: &Receipt) -> Step {
    let first = receipt.tracking_numbers.first().map(String::as_str);
    match first.or_else(|| numbers(&receipt.purchase).first().copied()) {
        Some(number) if account::can_track(account) => {
            Step::Send(tracking_request(account, ("piece-code", number)))
        }
        _ => Step::Done(untracked(Purpose::Tracking)),
    }
}

/// Asks for the labels of a purchase again.
fn label(account: &Account, receipt: &Receipt, format: LabelFormat) -> Step {
    if receipt.purchase.starts_with(purchase::RETURN) {
        let message = "DHL prints no label of a return again. It is in DHL's portal.".to_owned();
        return Step::Done(rejected(Purpose::Labelling, ErrorCode::LabelFormatUnavailable, message));
    }
    let shipments: String =
        numbers(&receipt.purchase).iter().map(|number| format!("shipment={}&", encoded(number))).collect();
    let path = format!("{ORDERS}?{shipments}{}", documents(format, account::print_format(account)));
    Step::Send(request(account, "GET", &path, None))
}

/// The outcome of a task that needs a user who may track.
fn untracked(purpose: Purpose) -> Outcome {
    let message = "The account has no `tracking_username` and `tracking_password`.".to_owned();
    rejected(purpose, ErrorCode::CredentialsInvalid, message)
}
