//! Setting stock at Medusa: inventory items are looked up by their SKU, and their levels at one location are changed
//! together.
//!
//! Medusa reserves the pieces of orders itself, and sells what is stocked and not reserved. So the level is what may be
//! sold and what is reserved.

use serde_json::{Value, json};

use super::http::{read, request};
use super::name::NAME;
use crate::exchanges::{Exchanges, Run};
use crate::failure::{Failure, FailureKind};
use crate::json::{items, quantity, text};
use crate::shop::Shop;
use crate::stock::{StockLevel, StockReport, sellable, skus};
use crate::task::Outcome;
use crate::url::{groups, query};

/// Bytes that each SKU takes in a query besides its text: the name of the parameter, encoded.
const PARAMETER_BYTES: usize = 12;

/// Sets levels that differ from what the shop has.
pub fn set(shop: &Shop, levels: &[StockLevel], exchanges: &mut Exchanges<'_>) -> Run<Outcome> {
    let Some(location) = shop.stock_location.as_deref() else {
        let message = "Name the stock location at Medusa whose levels are set.";
        return Err(Failure::new(FailureKind::Refused, message).into());
    };
    let skus = skus(levels);
    let mut found = Vec::new();
    for group in groups(&skus, PARAMETER_BYTES) {
        found.extend(look_up(shop, &group, exchanges)?);
    }
    let mut report = StockReport::default();
    let (mut create, mut update) = (Vec::new(), Vec::new());
    for sku in skus {
        let known: Vec<&Value> = found.iter().filter(|item| item["sku"] == *sku).collect();
        if known.is_empty() {
            report.unknown.push(sku.to_owned());
        }
        for item in known {
            let (Some(id), Some(sellable)) = (text(&item["id"]), sellable(levels, sku)) else { continue };
            let level = items(&item["location_levels"]).iter().find(|level| level["location_id"] == location);
            let reserved = level.and_then(|level| quantity(&level["reserved_quantity"])).unwrap_or_default();
            let stocked = sellable.saturating_add(reserved.max(0));
            let change =
                json!({"inventory_item_id": id, "location_id": location, "stocked_quantity": stocked});
            match level {
                None => create.push(change),
                Some(level) if quantity(&level["stocked_quantity"]) != Some(stocked) => update.push(change),
                Some(_) => {}
            }
        }
    }
    if !create.is_empty() || !update.is_empty() {
        let body = json!({"create": create, "update": update});
        let path = "/inventory-items/location-levels/batch";
        read(exchanges.ask(request(shop, "POST", path, Some(&body)))?)?;
    }
    Ok(Outcome::StockSet(report))
}

fn look_up(shop: &Shop, skus: &[&str], exchanges: &mut Exchanges<'_>) -> Run<Vec<Value>> {
    let mut pairs = vec![("limit", "100"), ("fields", "id,sku,*location_levels")];
    pairs.extend(skus.iter().map(|sku| ("sku[]", *sku)));
    let path = format!("/inventory-items{}", query(&pairs));
    let mut body = read(exchanges.ask(request(shop, "GET", &path, None))?)?;
    match body["inventory_items"].take() {
        Value::Array(found) => Ok(found),
        _ => Err(Failure::unreadable(NAME).into()),
    }
}
