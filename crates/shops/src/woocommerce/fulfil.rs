//! Reporting shipments to WooCommerce: a note that the customer gets, a hidden field of the order, and the order's
//! status.

use serde_json::{Value, json};

use super::http::{read, request};
use super::name::NAME;
use super::orders::{get, meta, path};
use crate::exchanges::{Exchanges, Run};
use crate::json::{id, text};
use crate::shop::Shop;
use crate::task::{Fulfilled, Outcome, Shipped};
use crate::text::has_word;

/// The field of an order that names the tracking numbers of a shipment: this and the shipment's id.
const FIELD_PREFIX: &str = "_dockside_";
/// The word in notes and fields that says that a shipment was voided.
const VOIDED: &str = "voided";
/// Statuses that a shipment does not change.
const FINAL_STATUSES: [&str; 5] = ["completed", "cancelled", "refunded", "failed", "trash"];

/// Reports a shipment, unless the order has it already.
pub fn report(shop: &Shop, shipped: &Shipped, exchanges: &mut Exchanges<'_>) -> Run<Outcome> {
    let order = get(shop, &shipped.order, exchanges)?;
    let (field, numbers) = (field(shipped), shipped.numbers().join(", "));
    let has_field = meta(&order, &field) == Some(numbers.as_str());
    let status = order["status"].as_str().unwrap_or_default();
    let completes = shipped.is_last && !FINAL_STATUSES.contains(&status);
    let mut fulfilled = Fulfilled::default();
    if !has_field {
        let notes = notes(shop, shipped, exchanges)?;
        let is_report = |note: &&Value| has_number(note, shipped) && !is_void(note);
        let note = match notes.iter().find(is_report) {
            Some(note) => note.clone(),
            None => add_note(shop, shipped, &words(shipped), shop.notifies_customers, exchanges)?,
        };
        fulfilled.external_ids.extend(id(&note["id"]));
    }
    if has_field && !completes {
        return Ok(Outcome::Fulfilled(fulfilled));
    }
    let mut change = json!({"meta_data": [{"key": field, "value": numbers}]});
    if completes {
        change["status"] = "completed".into();
    }
    read(exchanges.ask(request(shop, "PUT", &path(&shipped.order)?, Some(&change)))?)?;
    Ok(Outcome::Fulfilled(fulfilled))
}

/// Notes that a shipment was voided. The status of the order stays: changing it would send the customer an e-mail.
pub fn void(shop: &Shop, shipped: &Shipped, exchanges: &mut Exchanges<'_>) -> Run<Outcome> {
    let order = get(shop, &shipped.order, exchanges)?;
    let (field, numbers) = (field(shipped), shipped.numbers().join(", "));
    let voided = format!("{VOIDED} {numbers}");
    if meta(&order, &field) == Some(voided.as_str()) {
        return Ok(Outcome::FulfilmentCancelled);
    }
    let notes = notes(shop, shipped, exchanges)?;
    let mut about = notes.iter().filter(|note| has_number(note, shipped)).peekable();
    if about.peek().is_none() && meta(&order, &field) != Some(numbers.as_str()) {
        return Ok(Outcome::FulfilmentCancelled);
    }
    if !about.any(is_void) {
        let words = format!("The shipment with the tracking number {numbers} was {VOIDED}.");
        add_note(shop, shipped, &words, false, exchanges)?;
    }
    // The shipment may have been bought again since, with another number.
    if meta(&order, &field) == Some(numbers.as_str()) {
        let change = json!({"meta_data": [{"key": field, "value": voided}]});
        read(exchanges.ask(request(shop, "PUT", &path(&shipped.order)?, Some(&change)))?)?;
    }
    Ok(Outcome::FulfilmentCancelled)
}

fn field(shipped: &Shipped) -> String {
    format!("{FIELD_PREFIX}{}", shipped.reference)
}

/// Returns all notes of the order; WooCommerce does not page them.
fn notes(shop: &Shop, shipped: &Shipped, exchanges: &mut Exchanges<'_>) -> Run<Vec<Value>> {
    let path = format!("{}/notes", path(&shipped.order)?);
    let body = read(exchanges.ask(request(shop, "GET", &path, None))?)?;
    match body {
        Value::Array(notes) => Ok(notes),
        _ => Err(crate::failure::Failure::unreadable(NAME).into()),
    }
}

fn add_note(
    shop: &Shop,
    shipped: &Shipped,
    words: &str,
    is_for_customer: bool,
    exchanges: &mut Exchanges<'_>,
) -> Run<Value> {
    let path = format!("{}/notes", path(&shipped.order)?);
    let body = json!({"note": words, "customer_note": is_for_customer});
    Ok(read(exchanges.ask(request(shop, "POST", &path, Some(&body)))?)?)
}

/// Writes what the customer reads. Angle brackets would be HTML.
fn words(shipped: &Shipped) -> String {
    let carrier = shipped.carrier.as_deref().map(|carrier| format!(" with {carrier}")).unwrap_or_default();
    let numbers = shipped.numbers().join(", ");
    let url = shipped.tracking_url.as_deref().map(|url| format!(" {url}")).unwrap_or_default();
    format!("Your order was shipped{carrier}. Tracking number: {numbers}.{url}").replace(['<', '>'], "")
}

fn has_number(note: &Value, shipped: &Shipped) -> bool {
    text(&note["note"]).is_some_and(|text| has_word(&text, shipped.number()))
}

fn is_void(note: &Value) -> bool {
    text(&note["note"]).is_some_and(|text| has_word(&text, VOIDED))
}
