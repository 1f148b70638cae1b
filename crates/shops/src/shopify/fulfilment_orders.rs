//! What Shopify still has to ship of an order, from which of its locations, and what was shipped under a tracking number.

use serde_json::{Value, json};

use super::name::NAME;
use super::orders::{next_cursor, order_id, present};
use super::{graphql, ids, queries};
use crate::exchanges::{Exchanges, Run};
use crate::failure::Failure;
use crate::json::{items, quantity, text};
use crate::shop::Shop;
use crate::task::{LineQuantity, Shipped};

/// Statuses of fulfilments that ship nothing.
const DEAD: [&str; 3] = ["CANCELLED", "ERROR", "FAILURE"];

/// A fulfilment order of which something may be left to ship.
pub struct FulfilmentOrder {
    pub id: String,
    /// `OPEN`, `ON_HOLD` and others.
    pub status: String,
    /// The GraphQL id of the location, or an empty text.
    pub location: String,
}

/// A line of a fulfilment order.
pub struct FulfilmentOrderLine {
    pub id: String,
    /// The number of the order's line.
    pub line: String,
    pub remaining: i64,
}

/// Returns the ids of the fulfilments that have the tracking number of a shipment and are not cancelled.
pub fn reported(shop: &Shop, shipped: &Shipped, exchanges: &mut Exchanges<'_>) -> Run<Vec<String>> {
    let id = order_id(&shipped.order)?;
    let mut data = graphql::ask(shop, queries::FULFILMENTS, json!({"id": id}), exchanges)?;
    let order = present(data["order"].take())?;
    let Value::Array(fulfilments) = &order["fulfillments"] else {
        return Err(Failure::unreadable(NAME).into());
    };
    let is_alive =
        |fulfilment: &Value| !fulfilment["status"].as_str().is_some_and(|word| DEAD.contains(&word));
    let is_ours = |fulfilment: &Value| {
        let mut numbers = items(&fulfilment["trackingInfo"]).iter().filter_map(|info| text(&info["number"]));
        numbers.any(|number| number.eq_ignore_ascii_case(shipped.number().trim()))
    };
    let ours = fulfilments.iter().filter(|fulfilment| is_alive(fulfilment) && is_ours(fulfilment));
    let mut ids: Vec<String> = ours.filter_map(|fulfilment| text(&fulfilment["id"])).collect();
    ids.sort_unstable();
    ids.dedup();
    Ok(ids)
}

/// Returns how many pieces of which lines a fulfilment has.
pub fn lines_of(shop: &Shop, fulfilment: &str, exchanges: &mut Exchanges<'_>) -> Run<Vec<LineQuantity>> {
    let lists = |data: &Value| data["fulfillment"]["fulfillmentLineItems"].clone();
    let nodes = all(shop, queries::FULFILMENT_LINES, fulfilment, lists, exchanges)?;
    let read = |node: &Value| {
        Some(LineQuantity {
            line: ids::number(&node["lineItem"]["id"])?,
            quantity: quantity(&node["quantity"])?,
        })
    };
    Ok(nodes.iter().filter_map(read).collect())
}

/// Returns the fulfilment orders of an order.
pub fn of_order(shop: &Shop, shipped: &Shipped, exchanges: &mut Exchanges<'_>) -> Run<Vec<FulfilmentOrder>> {
    let id = order_id(&shipped.order)?;
    let lists = |data: &Value| data["order"]["fulfillmentOrders"].clone();
    let nodes = all(shop, queries::FULFILMENT_ORDERS, &id, lists, exchanges)?;
    let read = |node: &Value| {
        Some(FulfilmentOrder {
            id: text(&node["id"])?,
            status: text(&node["status"]).unwrap_or_default(),
            location: text(&node["assignedLocation"]["location"]["id"]).unwrap_or_default(),
        })
    };
    let mut orders: Vec<FulfilmentOrder> = nodes.iter().filter_map(read).collect();
    // A list that changes while it is read may show one twice.
    orders.sort_by(|one, other| one.id.cmp(&other.id));
    orders.dedup_by(|one, other| one.id == other.id);
    Ok(orders)
}

/// Returns the lines of a fulfilment order.
pub fn lines(shop: &Shop, id: &str, exchanges: &mut Exchanges<'_>) -> Run<Vec<FulfilmentOrderLine>> {
    let lists = |data: &Value| data["fulfillmentOrder"]["lineItems"].clone();
    let nodes = all(shop, queries::FULFILMENT_ORDER_LINES, id, lists, exchanges)?;
    let read = |node: &Value| {
        Some(FulfilmentOrderLine {
            id: text(&node["id"])?,
            line: ids::number(&node["lineItem"]["id"])?,
            remaining: quantity(&node["remainingQuantity"])?,
        })
    };
    Ok(nodes.iter().filter_map(read).collect())
}

/// Returns the entries of all pages of a list.
fn all(
    shop: &Shop,
    query: &str,
    id: &str,
    list: impl Fn(&Value) -> Value,
    exchanges: &mut Exchanges<'_>,
) -> Run<Vec<Value>> {
    let mut nodes = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let data = graphql::ask(shop, query, json!({"id": id, "after": cursor}), exchanges)?;
        let page = list(&data);
        let Value::Array(found) = &page["nodes"] else { return Err(Failure::unreadable(NAME).into()) };
        nodes.extend_from_slice(found);
        cursor = next_cursor(&page);
        if cursor.is_none() {
            return Ok(nodes);
        }
    }
}
