//! Manifests. Click & Drop closes out every order of the account that has a label and is in no manifest yet: it takes no list.
//!
//! So the orders are read first. If all of them are in a manifest, an earlier request whose answer was lost made it, or a person did;
//! Dockside draws the list then, because Royal Mail does not say which manifest an order is in. Where Royal Mail works on a manifest (202),
//! the manifest is asked for by its number, and one that failed is tried again.

use model::shipping::shipment::ErrorCode;
use serde_json::Value;

use super::answer::ROYAL_MAIL;
use super::http::request;
use super::order::{identifier, is_moment};
use crate::json::text;
use crate::label_file::decode_label;
use crate::told::{Purpose, rejected};
use crate::{Account, Answer, Label, Manifested, Outcome, Step};

/// Most orders of one look-up, which Royal Mail limits, and most look-ups of one task.
const ORDERS_MAX: usize = 100;
const LOOK_UPS_MAX: usize = 5;
/// Most packages of a manifest. An order has one package.
pub const PACKAGES_MAX: usize = ORDERS_MAX * LOOK_UPS_MAX;
/// Royal Mail's states of a manifest, as letters alone.
const COMPLETED: &str = "completed";
const FAILED: &str = "failed";
const IN_PROGRESS: &str = "inprogress";

/// Asks for the manifest that Royal Mail works on, or for the orders that are to be in one.
pub fn begin(account: &Account, named: Option<&str>, purchases: &[String]) -> Step {
    if let Some(number) = named.and_then(identifier) {
        return Step::Send(request(account, "GET", &format!("/manifests/{number}"), None));
    }
    look(account, purchases, 1)
}

/// Asks for the orders of look-up `place`, counted from one.
fn look(account: &Account, purchases: &[String], place: usize) -> Step {
    let Some(part) = purchases.chunks(ORDERS_MAX).nth(place - 1) else {
        return Step::Done(refuse("There is nothing to close out.".to_owned()));
    };
    let Some(numbers) = part.iter().map(|purchase| identifier(purchase)).collect::<Option<Vec<_>>>() else {
        return Step::Done(refuse("A purchase has no number of Royal Mail's.".to_owned()));
    };
    Step::Send(request(account, "GET", &format!("/orders/{}", numbers.join(";")), None))
}

/// Goes on with the manifest that has this reference.
pub fn resume(
    account: &Account,
    reference: &str,
    named: Option<&str>,
    purchases: &[String],
    exchange: usize,
    answer: Answer,
) -> Step {
    let is_accepted = matches!(answer, Answer::Response { status: 202, .. });
    let body = match ROYAL_MAIL.read(answer, Purpose::Manifesting) {
        Ok(body) => body,
        Err(outcome) => return Step::Done(outcome),
    };
    match (named.and_then(identifier), body.as_array()) {
        (Some(number), _) if exchange == 1 => asked(account, number, &body),
        // Only a look-up is answered with a list, and only the first exchanges are look-ups.
        (None, Some(orders)) if exchange <= purchases.len().div_ceil(ORDERS_MAX) => {
            after_look(account, reference, purchases, exchange, orders)
        }
        _ if exchange == 1 => Step::Done(ROYAL_MAIL.unreadable(Purpose::Manifesting)),
        _ => Step::Done(made(&body, is_accepted)),
    }
}

/// What follows from the state of a manifest that Royal Mail worked on.
fn asked(account: &Account, number: &str, body: &Value) -> Step {
    let letters = |text: String| text.chars().filter(char::is_ascii_alphabetic).collect::<String>();
    let status = text(&body["status"]).map(letters).unwrap_or_default().to_ascii_lowercase();
    if text(&body["manifestNumber"]).as_deref() != Some(number) {
        return Step::Done(ROYAL_MAIL.unreadable(Purpose::Manifesting));
    }
    match status.as_str() {
        COMPLETED => Step::Done(Outcome::Manifested(manifested(number, body))),
        IN_PROGRESS => Step::Done(Outcome::Manifesting(number.to_owned())),
        FAILED => Step::Send(request(account, "POST", &format!("/manifests/retry/{number}"), None)),
        _ => Step::Done(ROYAL_MAIL.unreadable(Purpose::Manifesting)),
    }
}

/// What follows from a look-up: if an order is in no manifest, all that can be are closed out.
fn after_look(
    account: &Account,
    reference: &str,
    purchases: &[String],
    exchange: usize,
    orders: &[Value],
) -> Step {
    let asked_for = purchases.chunks(ORDERS_MAX).nth(exchange - 1).unwrap_or_default();
    let shown = |purchase: &String| {
        orders.iter().find(|order| text(&order["orderIdentifier"]).as_ref() == Some(purchase))
    };
    let known: Vec<&Value> = asked_for.iter().filter_map(shown).collect();
    if known.is_empty() {
        return Step::Done(refuse("Click & Drop has none of these orders any more.".to_owned()));
    }
    let is_all =
        known.len() == asked_for.len() && known.iter().all(|order| is_moment(&order["manifestedOn"]));
    if !is_all {
        return Step::Send(request(account, "POST", "/manifests", None));
    }
    if exchange < purchases.len().div_ceil(ORDERS_MAX) {
        return look(account, purchases, exchange + 1);
    }
    // Orders don't tell the name of their manifest.
    let manifest = reference.to_owned();
    Step::Done(Outcome::Manifested(Manifested { manifest, form: Some(Label::Ours) }))
}

/// The outcome of a request for a manifest: it is made, or Royal Mail works on it.
fn made(body: &Value, is_accepted: bool) -> Outcome {
    let number = text(&body["manifestNumber"]).filter(|number| identifier(number).is_some());
    match number {
        Some(number) if is_accepted || text(&body["documentPdf"]).is_none() => Outcome::Manifesting(number),
        Some(number) => Outcome::Manifested(manifested(&number, body)),
        None => ROYAL_MAIL.unreadable(Purpose::Manifesting),
    }
}

/// A manifest with Royal Mail's paper, or with ours where that can't be read.
fn manifested(number: &str, body: &Value) -> Manifested {
    let form = text(&body["documentPdf"]).and_then(|pdf| decode_label(pdf.as_bytes()));
    Manifested { manifest: number.to_owned(), form: form.or(Some(Label::Ours)) }
}

fn refuse(message: String) -> Outcome {
    rejected(Purpose::Manifesting, ErrorCode::ServiceUnavailable, message)
}
