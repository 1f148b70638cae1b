//! Reporting shipments to Medusa: a fulfilment, which keeps the shipment's id, and its shipment, which has the tracking
//! numbers.

use serde_json::{Value, json};

use super::http::{read, request};
use super::name::NAME;
use super::orders::{get, path};
use crate::exchanges::{Exchanges, Run};
use crate::failure::{Failure, FailureKind};
use crate::json::{items, quantity, text};
use crate::shop::Shop;
use crate::task::{Fulfilled, LineQuantity, Outcome, Shipped};
use crate::url::encoded;

const FIELDS: &str = "id,status,*items,*items.detail,*fulfillments,*fulfillments.items,*fulfillments.labels";
/// The field of a fulfilment that names our shipment.
const REFERENCE: &str = "dockside_shipment";

/// Reports a shipment, unless the order has it already.
pub fn report(shop: &Shop, shipped: &Shipped, exchanges: &mut Exchanges<'_>) -> Run<Outcome> {
    let order = get(shop, &shipped.order, FIELDS, exchanges)?;
    if let Some(known) = find(&order, shipped) {
        return ship(shop, shipped, known, exchanges);
    }
    let mut missing = Vec::new();
    let lines = available(&order, shipped, &mut missing);
    if lines.is_empty() {
        let message = "Medusa has nothing left to fulfil of these lines: they were fulfilled, cancelled or removed there.";
        return Err(Failure::new(FailureKind::Refused, message).into());
    }
    let mut body =
        json!({"items": lines, "metadata": {REFERENCE: shipped.reference}, "no_notification": true});
    if let Some(location) = &shop.stock_location {
        body["location_id"] = location.as_str().into();
    }
    let fulfilments = format!("{}/fulfillments", path(&shipped.order)?);
    read(exchanges.ask(request(shop, "POST", &fulfilments, Some(&body)))?)?;
    let changed = get(shop, &shipped.order, FIELDS, exchanges)?;
    let made = find(&changed, shipped).or_else(|| only_new(&order, &changed));
    let made = made.ok_or_else(|| Failure { may_be_done: true, ..Failure::unreadable(NAME) })?;
    match ship(shop, shipped, made, exchanges)? {
        Outcome::Fulfilled(fulfilled) => Ok(Outcome::Fulfilled(Fulfilled { missing, ..fulfilled })),
        other => Ok(other),
    }
}

/// Cancels the fulfilment of a shipment. Medusa cancels none that has its tracking number.
pub fn cancel(shop: &Shop, shipped: &Shipped, exchanges: &mut Exchanges<'_>) -> Run<Outcome> {
    let order = get(shop, &shipped.order, FIELDS, exchanges)?;
    let Some(fulfilment) = find(&order, shipped) else { return Ok(Outcome::FulfilmentCancelled) };
    if is_set(&fulfilment["shipped_at"]) {
        let message =
            "Medusa cancels no fulfilment that was shipped. Tell the customer, and correct the order there.";
        return Err(Failure::new(FailureKind::Refused, message).into());
    }
    let path = format!("{}/cancel", fulfilment_path(shipped, fulfilment)?);
    read(exchanges.ask(request(shop, "POST", &path, Some(&json!({"no_notification": true}))))?)?;
    Ok(Outcome::FulfilmentCancelled)
}

/// Gives a fulfilment its tracking numbers, unless it has been shipped.
fn ship(shop: &Shop, shipped: &Shipped, fulfilment: &Value, exchanges: &mut Exchanges<'_>) -> Run<Outcome> {
    let fulfilled =
        Fulfilled { external_ids: text(&fulfilment["id"]).into_iter().collect(), missing: Vec::new() };
    if is_set(&fulfilment["shipped_at"]) {
        return Ok(Outcome::Fulfilled(fulfilled));
    }
    let line = |item: &Value| {
        Some(json!({"id": text(&item["line_item_id"])?, "quantity": quantity(&item["quantity"])?}))
    };
    let lines: Vec<Value> = items(&fulfilment["items"]).iter().filter_map(line).collect();
    let url = shipped.tracking_url.as_deref().unwrap_or_default();
    let label = |number: &str| json!({"tracking_number": number, "tracking_url": url, "label_url": ""});
    let labels: Vec<Value> = shipped.numbers().into_iter().map(label).collect();
    let body = json!({"items": lines, "labels": labels, "no_notification": !shop.notifies_customers});
    let path = format!("{}/shipments", fulfilment_path(shipped, fulfilment)?);
    read(exchanges.ask(request(shop, "POST", &path, Some(&body)))?)?;
    Ok(Outcome::Fulfilled(fulfilled))
}

fn fulfilment_path(shipped: &Shipped, fulfilment: &Value) -> Result<String, Failure> {
    let id = text(&fulfilment["id"]).ok_or_else(|| Failure::unreadable(NAME))?;
    Ok(format!("{}/fulfillments/{}", path(&shipped.order)?, encoded(&id)))
}

/// Returns the fulfilment of a shipment: it has its tracking number, or its id where that was not set yet.
fn find<'a>(order: &'a Value, shipped: &Shipped) -> Option<&'a Value> {
    let has_number = |fulfilment: &Value| {
        let labels = items(&fulfilment["labels"]).iter();
        labels
            .filter_map(|label| text(&label["tracking_number"]))
            .any(|number| number.eq_ignore_ascii_case(shipped.number()))
    };
    // A shipment that was bought again has another number, and needs a fulfilment of its own.
    let is_begun = |fulfilment: &Value| {
        fulfilment["metadata"][REFERENCE] == shipped.reference.as_str() && !is_set(&fulfilment["shipped_at"])
    };
    let mut alive =
        items(&order["fulfillments"]).iter().filter(|fulfilment| !is_set(&fulfilment["canceled_at"]));
    alive
        .clone()
        .find(|fulfilment| has_number(fulfilment))
        .or_else(|| alive.find(|fulfilment| is_begun(fulfilment)))
}

/// Returns the only fulfilment that an order has now and did not have before. Early versions keep no field of ours.
fn only_new<'a>(before: &Value, after: &'a Value) -> Option<&'a Value> {
    let known: Vec<&Value> =
        items(&before["fulfillments"]).iter().map(|fulfilment| &fulfilment["id"]).collect();
    let mut new =
        items(&after["fulfillments"]).iter().filter(|fulfilment| !known.contains(&&fulfilment["id"]));
    let first = new.next()?;
    new.next().is_none().then_some(first)
}

/// Returns what of the shipment the order has not fulfilled yet, as items of a fulfilment, and adds the rest to
/// `missing`.
fn available(order: &Value, shipped: &Shipped, missing: &mut Vec<LineQuantity>) -> Vec<Value> {
    let mut available = Vec::new();
    for line in shipped.lines.iter().filter(|line| line.quantity > 0) {
        let known = items(&order["items"]).iter().find(|item| item["id"] == line.line.as_str());
        let ordered = known.and_then(|item| quantity(&item["quantity"])).unwrap_or_default();
        let done = known.and_then(|item| quantity(&item["detail"]["fulfilled_quantity"])).unwrap_or_default();
        let taken = line.quantity.min(ordered.saturating_sub(done)).max(0);
        if taken > 0 {
            available.push(json!({"id": line.line, "quantity": taken}));
        }
        if taken < line.quantity {
            missing.push(LineQuantity { line: line.line.clone(), quantity: line.quantity - taken });
        }
    }
    available
}

/// Returns whether a time is set.
fn is_set(value: &Value) -> bool {
    text(value).is_some()
}
