//! Reading orders from WooCommerce: those that were changed, page by page, and one by its id.

use model::Timestamp;
use serde_json::Value;

use super::http::{read, request};
use super::name::NAME;
use super::order;
use crate::exchanges::{Exchanges, Run};
use crate::failure::{Failure, FailureKind};
use crate::json::{id, items};
use crate::moment::{in_utc, whole_seconds};
use crate::position::{Position, SeenPage};
use crate::shop::Shop;
use crate::task::{OrderPage, Outcome, UnreadableOrder};
use crate::url::query;

/// Orders of a page. WooCommerce gives at most 100.
const PAGE_ORDERS: usize = 50;

/// Reads the next page of orders that were changed.
pub fn poll(shop: &Shop, position: &Position, now: Timestamp, exchanges: &mut Exchanges<'_>) -> Run<Outcome> {
    // "After" excludes the time itself, which other orders may have, too.
    let after = whole_seconds(position.since().plus_seconds(-1));
    let (count, offset) = (PAGE_ORDERS.to_string(), position.offset().to_string());
    let mut pairs = vec![
        ("modified_after", after.trim_end_matches('Z')),
        ("dates_are_gmt", "true"),
        ("orderby", "modified"),
        ("order", "asc"),
        ("per_page", count.as_str()),
    ];
    if position.offset() > 0 {
        pairs.push(("offset", &offset));
    }
    let reply = exchanges.ask(request(shop, "GET", &format!("/orders{}", query(&pairs)), None))?;
    let total = reply.total;
    let body = read(reply)?;
    let Value::Array(found) = &body else { return Err(Failure::unreadable(NAME).into()) };
    Ok(Outcome::Polled(page(shop, found, total, position, now)))
}

fn page(shop: &Shop, found: &[Value], total: Option<u64>, position: &Position, now: Timestamp) -> OrderPage {
    let times: Vec<Timestamp> =
        found.iter().filter_map(|order| in_utc(order["date_modified_gmt"].as_str()?)).collect();
    let seen = SeenPage { times: &times, count: found.len(), count_max: PAGE_ORDERS, total };
    let (next, is_last) = position.after_page(&seen, now);
    let (mut orders, mut unreadable) = (Vec::new(), Vec::new());
    for value in found {
        match order::read(shop, value) {
            Ok(order) => orders.push(order),
            Err(why) => unreadable.push(UnreadableOrder { external_id: id(&value["id"]), why }),
        }
    }
    OrderPage { orders, incomplete: Vec::new(), unreadable, next, is_last }
}

/// Reads one order.
pub fn fetch(shop: &Shop, id: &str, exchanges: &mut Exchanges<'_>) -> Run<Outcome> {
    let body = get(shop, id, exchanges)?;
    match order::read(shop, &body) {
        Ok(order) => Ok(Outcome::Fetched(Box::new(order))),
        Err(why) => Err(Failure::new(FailureKind::NotUnderstood, &why).into()),
    }
}

/// Asks for an order as it is.
pub fn get(shop: &Shop, id: &str, exchanges: &mut Exchanges<'_>) -> Run<Value> {
    let body = read(exchanges.ask(request(shop, "GET", &path(id)?, None))?)?;
    if crate::json::id(&body["id"]).as_deref() != Some(id) {
        return Err(Failure::unreadable(NAME).into());
    }
    Ok(body)
}

/// Returns the path of an order. Its id is a number, and anything else would lead elsewhere.
pub fn path(id: &str) -> Result<String, Failure> {
    let is_number = !id.is_empty() && id.len() <= 20 && id.bytes().all(|byte| byte.is_ascii_digit());
    if is_number {
        return Ok(format!("/orders/{id}"));
    }
    Err(Failure::new(FailureKind::Gone, "The shop has no order with this id, which is no number."))
}

/// Returns the value of a field of an order that an extension, or Dockside, has added.
pub fn meta<'a>(order: &'a Value, key: &str) -> Option<&'a str> {
    let entries = items(&order["meta_data"]).iter();
    entries.rev().find(|entry| entry["key"] == key).and_then(|entry| entry["value"].as_str())
}
