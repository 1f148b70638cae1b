//! Reading orders from Medusa: those that were changed, page by page, and one by its id.

use model::Timestamp;
use serde_json::Value;

use super::http::{read, request};
use super::name::NAME;
use super::order::{self, FIELDS};
use crate::exchanges::{Exchanges, Run};
use crate::failure::{Failure, FailureKind};
use crate::json::id;
use crate::position::{Position, SeenPage};
use crate::shop::Shop;
use crate::task::{OrderPage, Outcome, UnreadableOrder};
use crate::url::{encoded, query};

/// Orders of a page.
const PAGE_ORDERS: usize = 50;
/// Longest id, in bytes.
const ID_BYTES_MAX: usize = 100;

/// Reads the next page of orders that were changed.
pub fn poll(shop: &Shop, position: &Position, now: Timestamp, exchanges: &mut Exchanges<'_>) -> Run<Outcome> {
    let (since, count) = (position.since().to_string(), PAGE_ORDERS.to_string());
    let offset = position.offset().to_string();
    let path = query(&[
        ("updated_at[$gte]", &since),
        ("order", "updated_at"),
        ("limit", &count),
        ("offset", &offset),
        ("fields", FIELDS),
    ]);
    let body = read(exchanges.ask(request(shop, "GET", &format!("/orders{path}"), None))?)?;
    let Value::Array(found) = &body["orders"] else { return Err(Failure::unreadable(NAME).into()) };
    let times: Vec<Timestamp> = found.iter().filter_map(|order| order::time(&order["updated_at"])).collect();
    let seen =
        SeenPage { times: &times, count: found.len(), count_max: PAGE_ORDERS, total: body["count"].as_u64() };
    let (next, is_last) = position.after_page(&seen, now);
    let mut page =
        OrderPage { orders: Vec::new(), incomplete: Vec::new(), unreadable: Vec::new(), next, is_last };
    for value in found {
        match order::read(shop, value) {
            Ok(order) => page.orders.push(order),
            Err(why) => page.unreadable.push(UnreadableOrder { external_id: id(&value["id"]), why }),
        }
    }
    Ok(Outcome::Polled(page))
}

/// Reads one order.
pub fn fetch(shop: &Shop, id: &str, exchanges: &mut Exchanges<'_>) -> Run<Outcome> {
    let body = get(shop, id, FIELDS, exchanges)?;
    match order::read(shop, &body) {
        Ok(order) => Ok(Outcome::Fetched(Box::new(order))),
        Err(why) => Err(Failure::new(FailureKind::NotUnderstood, &why).into()),
    }
}

/// Asks for fields of an order.
pub fn get(shop: &Shop, id: &str, fields: &str, exchanges: &mut Exchanges<'_>) -> Run<Value> {
    let path = format!("{}{}", path(id)?, query(&[("fields", fields)]));
    let mut body = read(exchanges.ask(request(shop, "GET", &path, None))?)?;
    match body["order"].take() {
        order @ Value::Object(_) if order["id"] == id => Ok(order),
        _ => Err(Failure::unreadable(NAME).into()),
    }
}

/// Returns the path of an order.
pub fn path(id: &str) -> Result<String, Failure> {
    let is_id = (1..=ID_BYTES_MAX).contains(&id.len())
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if is_id {
        return Ok(format!("/orders/{}", encoded(id)));
    }
    Err(Failure::new(FailureKind::Gone, "The shop has no order with this id."))
}
