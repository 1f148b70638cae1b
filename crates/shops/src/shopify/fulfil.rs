//! Reporting shipments to Shopify: what is not there under the tracking number yet is fulfilled, once for each of the
//! shop's locations.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::fulfilment_orders::{FulfilmentOrder, lines, lines_of, of_order, reported};
use super::graphql::{change, refuse_errors};
use super::queries;
use crate::exchanges::{Exchanges, Run};
use crate::failure::{Failure, FailureKind};
use crate::json::text;
use crate::shop::Shop;
use crate::task::{Fulfilled, LineQuantity, Outcome, Shipped};

/// Statuses in which a fulfilment order can be fulfilled.
const OPEN: [&str; 2] = ["OPEN", "IN_PROGRESS"];
/// Statuses that end by themselves, or when the shop's staff ends them.
const WAITING: [&str; 2] = ["ON_HOLD", "SCHEDULED"];

/// What is fulfilled from each location: entries of `lineItemsByFulfillmentOrder`.
type ByLocation = BTreeMap<String, Vec<Value>>;

/// Reports a shipment, or what the shop does not have of it yet.
pub fn report(shop: &Shop, shipped: &Shipped, exchanges: &mut Exchanges<'_>) -> Run<Outcome> {
    let mut external_ids = reported(shop, shipped, exchanges)?;
    let mut wanted = summed(&shipped.lines);
    for fulfilment in &external_ids {
        for done in lines_of(shop, fulfilment, exchanges)? {
            take(&mut wanted, &done.line, done.quantity);
        }
    }
    let was_there = !external_ids.is_empty();
    if wanted.is_empty() && was_there {
        return Ok(fulfilled(external_ids, wanted));
    }
    let orders = of_order(shop, shipped, exchanges)?;
    for entries in divide(shop, &orders, &mut wanted, exchanges)?.values() {
        let variables = json!({"fulfillment": input(shop, shipped, entries)});
        let payload = change(shop, queries::CREATE_FULFILMENT, variables, "fulfillmentCreate", exchanges)?;
        refuse_errors(&payload)?;
        external_ids.extend(text(&payload["fulfillment"]["id"]));
    }
    if !wanted.is_empty() && orders.iter().any(|order| WAITING.contains(&order.status.as_str())) {
        return Err(Failure::later("Shopify holds a part of the order back. Release it there.", None).into());
    }
    if external_ids.is_empty() {
        let message = "Shopify has nothing left to fulfil of these lines: they were fulfilled, cancelled or removed there.";
        return Err(Failure::new(FailureKind::Refused, message).into());
    }
    Ok(fulfilled(external_ids, wanted))
}

fn fulfilled(external_ids: Vec<String>, missing: Vec<LineQuantity>) -> Outcome {
    Outcome::Fulfilled(Fulfilled { external_ids, missing })
}

/// Returns the lines, each once.
fn summed(lines: &[LineQuantity]) -> Vec<LineQuantity> {
    let mut summed: Vec<LineQuantity> = Vec::new();
    for line in lines.iter().filter(|line| line.quantity > 0) {
        match summed.iter_mut().find(|known| known.line == line.line) {
            Some(known) => known.quantity = known.quantity.saturating_add(line.quantity),
            None => summed.push(line.clone()),
        }
    }
    summed
}

/// Takes pieces of a line off what is wanted, and returns how many there were to take.
fn take(wanted: &mut Vec<LineQuantity>, line: &str, quantity: i64) -> i64 {
    let Some(entry) = wanted.iter_mut().find(|entry| entry.line == line) else { return 0 };
    let taken = entry.quantity.min(quantity.max(0));
    entry.quantity -= taken;
    wanted.retain(|entry| entry.quantity > 0);
    taken
}

/// Divides what is wanted among the fulfilment orders. What they do not have stays in `wanted`.
fn divide(
    shop: &Shop,
    orders: &[FulfilmentOrder],
    wanted: &mut Vec<LineQuantity>,
    exchanges: &mut Exchanges<'_>,
) -> Run<ByLocation> {
    let mut divided = ByLocation::new();
    for order in orders.iter().filter(|order| OPEN.contains(&order.status.as_str())) {
        if wanted.is_empty() {
            break;
        }
        let mut entries = Vec::new();
        for line in lines(shop, &order.id, exchanges)? {
            let quantity = take(wanted, &line.line, line.remaining);
            if quantity > 0 {
                entries.push(json!({"id": line.id, "quantity": quantity}));
            }
        }
        if !entries.is_empty() {
            let entry = json!({"fulfillmentOrderId": order.id, "fulfillmentOrderLineItems": entries});
            divided.entry(order.location.clone()).or_default().push(entry);
        }
    }
    Ok(divided)
}

fn input(shop: &Shop, shipped: &Shipped, entries: &[Value]) -> Value {
    let mut tracking = json!({"numbers": shipped.numbers()});
    if let Some(carrier) = &shipped.carrier {
        tracking["company"] = carrier.as_str().into();
    }
    if let Some(url) = &shipped.tracking_url {
        tracking["urls"] = json!([url]);
    }
    json!({
        "lineItemsByFulfillmentOrder": entries,
        "notifyCustomer": shop.notifies_customers,
        "trackingInfo": tracking,
    })
}
