//! Reading orders from Shopify: those that were changed, page by page, and one by its id.

use model::Timestamp;
use serde_json::{Value, json};

use super::name::NAME;
use super::{graphql, ids, order_graphql, queries};
use crate::exchanges::{Exchanges, Run, Stop};
use crate::failure::{Failure, FailureKind};
use crate::json::{is_true, items, text};
use crate::moment::{whole_seconds, with_offset};
use crate::position::Position;
use crate::shop::Shop;
use crate::task::{OrderPage, Outcome, UnreadableOrder};

/// Reads the next page of orders that were changed.
pub fn poll(shop: &Shop, position: &Position, now: Timestamp, exchanges: &mut Exchanges<'_>) -> Run<Outcome> {
    match page(shop, position, now, exchanges) {
        // A cursor that was kept for long may be refused. Then the run begins again: what was read is read twice.
        Err(Stop::Fail(failure)) if failure.kind == FailureKind::Refused && position.cursor().is_some() => {
            page(shop, &position.without_cursor(), now, exchanges)
        }
        result => result,
    }
}

fn page(shop: &Shop, position: &Position, now: Timestamp, exchanges: &mut Exchanges<'_>) -> Run<Outcome> {
    let query = format!("updated_at:>='{}'", whole_seconds(position.since()));
    let variables = json!({"after": position.cursor(), "query": query});
    let data = graphql::ask(shop, queries::ORDERS, variables, exchanges)?;
    let Value::Array(found) = &data["orders"]["nodes"] else { return Err(Failure::unreadable(NAME).into()) };
    let times: Vec<Timestamp> =
        found.iter().filter_map(|order| with_offset(order["updatedAt"].as_str()?)).collect();
    let (next, is_last) = position.after_cursor(&times, next_cursor(&data["orders"]), now);
    let mut page =
        OrderPage { orders: Vec::new(), incomplete: Vec::new(), unreadable: Vec::new(), next, is_last };
    for value in found {
        let id = ids::number(&value["id"]);
        match id {
            Some(id) if next_cursor(&value["lineItems"]).is_some() => page.incomplete.push(id),
            id => match order_graphql::read(shop, value) {
                Ok(order) => page.orders.push(order),
                Err(why) => page.unreadable.push(UnreadableOrder { external_id: id, why }),
            },
        }
    }
    Ok(Outcome::Polled(page))
}

/// Reads one order with all its lines.
pub fn fetch(shop: &Shop, id: &str, exchanges: &mut Exchanges<'_>) -> Run<Outcome> {
    let id = order_id(id)?;
    let ask = |after: Option<String>, exchanges: &mut Exchanges<'_>| {
        let mut data = graphql::ask(shop, queries::ORDER, json!({"id": id, "after": after}), exchanges)?;
        present(data["order"].take())
    };
    let mut order = ask(None, exchanges)?;
    let mut lines = items(&order["lineItems"]["nodes"]).to_vec();
    let mut cursor = next_cursor(&order["lineItems"]);
    while let Some(after) = cursor {
        let more = ask(Some(after), exchanges)?;
        lines.extend_from_slice(items(&more["lineItems"]["nodes"]));
        cursor = next_cursor(&more["lineItems"]);
    }
    order["lineItems"] = json!({"nodes": lines});
    match order_graphql::read(shop, &order) {
        Ok(order) => Ok(Outcome::Fetched(Box::new(order))),
        Err(why) => Err(Failure::new(FailureKind::NotUnderstood, &why).into()),
    }
}

/// Returns the GraphQL id of an order.
pub fn order_id(id: &str) -> Result<String, Failure> {
    let gone = || Failure::new(FailureKind::Gone, "The shop has no order with this id, which is no number.");
    ids::gid("Order", id).ok_or_else(gone)
}

/// Returns an order that was asked for by its id. It is null if there is none.
pub fn present(order: Value) -> Run<Value> {
    match order {
        Value::Object(_) => Ok(order),
        Value::Null => Err(Failure::new(FailureKind::Gone, "Shopify has no such order.").into()),
        _ => Err(Failure::unreadable(NAME).into()),
    }
}

/// Returns where the next page of a list begins, if there is one.
pub fn next_cursor(list: &Value) -> Option<String> {
    let info = &list["pageInfo"];
    is_true(&info["hasNextPage"]).then(|| text(&info["endCursor"])).flatten()
}
