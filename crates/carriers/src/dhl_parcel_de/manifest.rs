//! Closing out: DHL takes numbers of parcels that are handed over, thirty in a request. It gives no name and no paper to this set of
//! parcels: its own list has all parcels of the customer's day. So Dockside draws the list for the driver.

use model::shipping::shipment::ErrorCode;
use serde_json::{Value, json};

use super::account::profile;
use super::answer::{Purpose, code, read, rejected, sentences, unreadable};
use super::http::{MANIFESTS, request};
use super::json::{items, text};
use super::order::numbers;
use super::request::SHIPMENTS_MAX;
use crate::{Account, Answer, Label, Manifested, Outcome, Request, Step};

/// Most requests of a task.
const REQUESTS_MAX: usize = 6;
/// Most packages of a manifest.
pub const PACKAGES_MAX: usize = SHIPMENTS_MAX * REQUESTS_MAX;

/// Closes out the first parcels.
pub fn begin(account: &Account, purchases: &[String]) -> Step {
    let all: Vec<&str> = purchases.iter().flat_map(|purchase| numbers(purchase)).collect();
    if all.len() > PACKAGES_MAX {
        let message = format!("DHL closes out {PACKAGES_MAX} parcels at once; these are {}.", all.len());
        return Step::Done(rejected(Purpose::Manifesting, ErrorCode::ServiceUnavailable, message));
    }
    match all.chunks(SHIPMENTS_MAX).next() {
        Some(first) => Step::Send(closing(account, first)),
        None => {
            let message = "There is nothing to close out.".to_owned();
            Step::Done(rejected(Purpose::Manifesting, ErrorCode::ServiceUnavailable, message))
        }
    }
}

/// Reads the answer for some parcels, and closes out the next ones.
pub fn resume(
    account: &Account,
    purchases: &[String],
    reference: &str,
    exchange: usize,
    answer: Answer,
) -> Step {
    let all: Vec<&str> = purchases.iter().flat_map(|purchase| numbers(purchase)).collect();
    let mut chunks = all.chunks(SHIPMENTS_MAX).skip(exchange.saturating_sub(1));
    let Some(asked) = chunks.next() else { return Step::Done(unreadable(Purpose::Manifesting)) };
    if let Err(outcome) = closed(answer, asked.len(), account) {
        return Step::Done(outcome);
    }
    match chunks.next() {
        Some(next) => Step::Send(closing(account, next)),
        None => Step::Done(Outcome::Manifested(Manifested {
            manifest: reference.to_owned(),
            form: Some(Label::Ours),
        })),
    }
}

fn closing(account: &Account, numbers: &[&str]) -> Request {
    let body = json!({"profile": profile(account), "shipmentNumbers": numbers});
    request(account, "POST", MANIFESTS, Some(body))
}

/// Checks that all parcels are closed out. DHL warns of those that were closed out before.
fn closed(answer: Answer, count: usize, account: &Account) -> Result<(), Outcome> {
    let (_, body) = read(answer, Purpose::Manifesting, account)?;
    let listed = items(&body["items"]);
    if listed.len() != count || listed.iter().any(|item| code(&item["sstatus"]).is_none()) {
        return Err(unreadable(Purpose::Manifesting));
    }
    let left: Vec<String> = listed.iter().filter(|item| !is_closed(item)).map(left).collect();
    match left.is_empty() {
        true => Ok(()),
        false => {
            let message = format!("DHL did not close out some parcels: {}", left.join("; "));
            Err(rejected(Purpose::Manifesting, ErrorCode::PurchaseDeclined, message))
        }
    }
}

fn is_closed(item: &Value) -> bool {
    let words = format!("{} {}", sentences(item).join(" "), item["sstatus"]["title"]).to_ascii_lowercase();
    let is_before = words.contains("already") && (words.contains("manifest") || words.contains("closed"));
    code(&item["sstatus"]) == Some(200) || is_before
}

fn left(item: &Value) -> String {
    let number = text(&item["shipmentNo"]).unwrap_or_default();
    format!("{number} ({})", sentences(item).join(", "))
}
