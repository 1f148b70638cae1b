//! Royal Mail, through its Click & Drop API (version 1): orders with labels, look-ups, deletions and manifests.
//!
//! This was written from the public specification, and tested against answers written from it: no recorded traffic of Royal Mail is
//! public. An answer in another shape is an unknown outcome.
//!
//! A purchase is one order of one parcel, whose label comes with the answer. Orders have no idempotency key, and several may have one
//! reference. So a purchase looks first: an order that has a label already is taken, and one that an earlier attempt left without a label
//! is deleted. Royal Mail has no prices: the account has a rate card. Every date on an order follows from the mailing date that was stored
//! with the purchase, so a repeated request has the same bytes.

mod account;
mod answer;
#[cfg(test)]
mod answer_tests;
mod card;
mod contents;
#[cfg(test)]
mod doubt_tests;
mod format;
mod http;
mod manifest;
#[cfg(test)]
mod manifest_tests;
mod name;
mod options;
mod order;
mod request;
#[cfg(test)]
mod request_tests;
mod route;
#[cfg(test)]
pub(crate) mod tests;
mod unfit;
mod void;

use std::time::Duration;

use model::shipping::shipment::ErrorCode;
use model::shipping::shipment::options::LabelFormat;

use crate::option_refusal::option_refusal;
use crate::told::{Purpose, rejected};
use crate::{Account, Address, Answer, Capabilities, Connector, Outcome, Request, Step, Task};

pub use card::{Card, CardService};
use http::{BASE, request};
use name::CARRIER;

/// The carrier's handle.
pub const HANDLE: &str = "royal_mail";
const FORMATS: &[LabelFormat] = &[LabelFormat::Pdf];
/// How long an order may stay invisible to a look-up. Royal Mail documents nothing; making a label takes seconds.
const VISIBILITY_DELAY: Duration = Duration::from_secs(300);

/// The connector.
pub struct RoyalMail;

impl Connector for RoyalMail {
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
            can_track: false,
            label_formats: FORMATS,
            packages_max: 1,
            visibility_delay: VISIBILITY_DELAY,
        }
    }

    fn options(&self) -> crate::options::Table {
        options::OPTIONS
    }

    fn manifest_packages_max(&self) -> usize {
        manifest::PACKAGES_MAX
    }

    fn begin(&self, account: &Account, task: &Task<'_>) -> Step {
        let refusal = option_refusal(CARRIER, self.options(), task, options::unspeakable);
        if let Some(refusal) = refusal.or_else(|| unfit::unfit(task)) {
            return Step::Done(refusal);
        }
        match task {
            Task::Rate(parcel) => Step::Done(match Card::read(account) {
                Ok(card) => Outcome::Quoted(card.quotes(parcel.details())),
                Err(message) => rejected(Purpose::Rating, ErrorCode::RatesUnavailable, message),
            }),
            // The order is made with the service, when it is bought.
            Task::Prepare(parcel) => Step::Done(Outcome::Prepared(parcel.id.to_string())),
            Task::Buy { reference, .. } => match purchase(account, task) {
                Ok(_) => Step::Send(look_up(account, reference)),
                Err(outcome) => Step::Done(outcome),
            },
            Task::LookUp { reference, .. } => Step::Send(look_up(account, reference)),
            Task::Void(receipt) => match order::identifier(&receipt.purchase) {
                Some(order) => Step::Send(request(account, "DELETE", &format!("/orders/{order}"), None)),
                None => Step::Done(unasked(Purpose::Voiding)),
            },
            Task::Label { receipt, .. } => match order::identifier(&receipt.purchase) {
                Some(order) => {
                    let path = format!(
                        "/orders/{order}/label?documentType=postageLabel&includeReturnsLabel=false&includeCN=true"
                    );
                    Step::Send(request(account, "GET", &path, None))
                }
                None => Step::Done(unasked(Purpose::Labelling)),
            },
            Task::Manifest { named, purchases, .. } => manifest::begin(account, *named, purchases),
            // Click & Drop has no scans of parcels.
            Task::Track(_) => Step::Done(unasked(Purpose::Tracking)),
        }
    }

    fn resume(&self, account: &Account, task: &Task<'_>, exchange: usize, answer: Answer) -> Step {
        Step::Done(match task {
            Task::Buy { .. } => return buy(account, task, exchange, answer),
            Task::LookUp { reference, .. } => order::looked_up(answer, reference),
            Task::Void(receipt) => void::voided(answer, &receipt.purchase),
            Task::Label { .. } => order::labelled(answer),
            Task::Manifest { reference, named, purchases, .. } => {
                return manifest::resume(account, reference, *named, purchases, exchange, answer);
            }
            Task::Rate(_) | Task::Prepare(_) | Task::Track(_) => return self.begin(account, task),
        })
    }
}

/// Asks for the orders that have our reference.
fn look_up(account: &Account, reference: &str) -> Request {
    // A reference is letters, digits and underscores. The quotation marks say that it is no number of Royal Mail's.
    let reference: String =
        reference.chars().filter(|char| char.is_ascii_alphanumeric() || *char == '_').collect();
    request(account, "GET", &format!("/orders/%22{reference}%22"), None)
}

/// Goes on with a purchase. The first exchange looks whether there is an order; the second makes one, or deletes what an earlier attempt
/// left. No later exchange can buy.
fn buy(account: &Account, task: &Task<'_>, exchange: usize, answer: Answer) -> Step {
    let Task::Buy { reference, .. } = task else { return Step::Done(unasked(Purpose::Buying)) };
    let priced = purchase(account, task);
    if exchange > 1 {
        return Step::Done(order::bought(answer, reference, priced.ok().map(|priced| priced.amount)));
    }
    let priced = match priced {
        Ok(priced) => priced,
        Err(outcome) => return Step::Done(outcome),
    };
    match order::before_buying(answer, reference) {
        order::Before::Nothing => Step::Send(priced.request),
        order::Before::Unlabelled(order) => {
            Step::Send(request(account, "DELETE", &format!("/orders/{order}"), None))
        }
        order::Before::Done(outcome) => Step::Done(outcome),
    }
}

/// The request that buys, and the price by the rate card.
struct Priced {
    request: Request,
    amount: i64,
}

fn purchase(account: &Account, task: &Task<'_>) -> Result<Priced, Outcome> {
    let Task::Buy { parcel, service, reference, ship_on, .. } = task else {
        return Err(unasked(Purpose::Buying));
    };
    let refuse = |code, message: String| rejected(Purpose::Buying, code, message);
    let card = Card::read(account).map_err(|message| refuse(ErrorCode::CredentialsInvalid, message))?;
    let Some(service) = card.service(service) else {
        let message = format!("The rate card of the account has no service {service}.");
        return Err(refuse(ErrorCode::ServiceUnavailable, message));
    };
    let Some(amount) = service.price(parcel.details()) else {
        let message = format!("The rate card has no price of {} for this shipment.", service.handle);
        return Err(refuse(ErrorCode::ServiceUnavailable, message));
    };
    let purchase = request::Purchase { card: &card, service, reference, ship_on: *ship_on };
    let Some(body) = request::order(parcel.details(), &purchase) else {
        return Err(unasked(Purpose::Buying));
    };
    let request = request(account, "POST", "/orders", Some(body));
    Ok(Priced { request: Request { is_purchase: true, ..request }, amount })
}

/// The outcome of a task that Royal Mail has no request for.
fn unasked(purpose: Purpose) -> Outcome {
    rejected(purpose, ErrorCode::ServiceUnavailable, "Royal Mail can't be asked for that.")
}
