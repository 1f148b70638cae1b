//! Setting stock at WooCommerce: products and variations are looked up by their SKU, and changed in one batch for each
//! parent.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::http::{read, request, words};
use super::name::NAME;
use crate::exchanges::{Exchanges, Run};
use crate::failure::Failure;
use crate::json::{id, items, quantity, text};
use crate::shop::Shop;
use crate::stock::{StockLevel, StockReport, sellable, skus};
use crate::task::Outcome;
use crate::url::{groups, query};

/// What the shop does not count, in words for its staff.
const NOT_COUNTED: &str =
    "WooCommerce does not count the stock of this product. Switch on “Manage stock” there.";

/// A change of the stock of a product or a variation.
struct Change<'a> {
    id: String,
    sku: &'a str,
    quantity: i64,
}

/// Sets levels that differ from what the shop has.
pub fn set(shop: &Shop, levels: &[StockLevel], exchanges: &mut Exchanges<'_>) -> Run<Outcome> {
    let skus = skus(levels);
    let found = look_up(shop, &skus, exchanges)?;
    let mut report = StockReport::default();
    // The changes of products have no parent.
    let mut changes: BTreeMap<Option<String>, Vec<Change<'_>>> = BTreeMap::new();
    for sku in skus {
        let products: Vec<&Value> = found.iter().filter(|product| product["sku"] == *sku).collect();
        if products.is_empty() {
            report.unknown.push(sku.to_owned());
        }
        for product in products {
            let (Some(id), Some(wanted)) = (id(&product["id"]), sellable(levels, sku)) else { continue };
            if product["manage_stock"] != true {
                report.refuse(sku, NOT_COUNTED);
            } else if quantity(&product["stock_quantity"]) != Some(wanted) {
                let is_variation = product["type"] == "variation";
                let parent = is_variation.then(|| crate::json::id(&product["parent_id"])).flatten();
                changes.entry(parent).or_default().push(Change { id, sku, quantity: wanted });
            }
        }
    }
    for (parent, changes) in &changes {
        change(shop, parent.as_deref(), changes, &mut report, exchanges)?;
    }
    Ok(Outcome::StockSet(report))
}

/// Returns the products and variations that may have one of the SKUs.
fn look_up(shop: &Shop, skus: &[&str], exchanges: &mut Exchanges<'_>) -> Run<Vec<Value>> {
    // WooCommerce takes a comma for the end of a SKU, unless the whole text is a SKU.
    let (alone, together): (Vec<&str>, Vec<&str>) = skus.iter().partition(|sku| sku.contains(','));
    let alone = alone.into_iter().map(str::to_owned);
    let together = groups(&together, 3).into_iter().map(|group| group.join(","));
    let mut found = Vec::new();
    for wanted in together.chain(alone) {
        let path = format!("/products{}", query(&[("sku", &wanted), ("per_page", "100")]));
        match read(exchanges.ask(request(shop, "GET", &path, None))?)? {
            Value::Array(products) => found.extend(products),
            _ => return Err(Failure::unreadable(NAME).into()),
        }
    }
    Ok(found)
}

/// Changes products, or the variations of one product.
fn change(
    shop: &Shop,
    parent: Option<&str>,
    changes: &[Change<'_>],
    report: &mut StockReport,
    exchanges: &mut Exchanges<'_>,
) -> Run<()> {
    let path = match parent {
        Some(parent) => format!("/products/{}/variations/batch", crate::url::encoded(parent)),
        None => "/products/batch".to_owned(),
    };
    let number = |id: &str| id.parse::<u64>().map_or_else(|_| id.into(), Value::from);
    let update: Vec<Value> = changes
        .iter()
        .map(|change| json!({"id": number(&change.id), "stock_quantity": change.quantity}))
        .collect();
    let body = read(exchanges.ask(request(shop, "POST", &path, Some(&json!({"update": update}))))?)?;
    for result in items(&body["update"]) {
        let Some(why) = words(&result["error"]) else { continue };
        let id = text(&result["id"]).unwrap_or_default();
        if let Some(change) = changes.iter().find(|change| change.id == id) {
            report.refuse(change.sku, why);
        }
    }
    Ok(())
}
