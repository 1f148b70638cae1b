//! Setting stock at Shopify: variants are looked up by their SKU, and the quantities that differ are set at one
//! location, each only if it is still what was seen.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::graphql::{UserError, ask, change, user_errors};
use super::name::NAME;
use super::orders::next_cursor;
use super::{ids, queries};
use crate::exchanges::{Exchanges, Run};
use crate::failure::{Failure, FailureKind};
use crate::json::{is_true, items, quantity, text};
use crate::shop::Shop;
use crate::stock::{StockLevel, StockReport, sellable, skus};
use crate::task::Outcome;

const NOT_TRACKED: &str =
    "Shopify does not track the quantity of this product. Switch on “Track quantity” there.";
const NOT_STOCKED: &str =
    "Shopify does not stock this product at the location. Add it to the location there.";
/// Codes of errors after which the look-up and the change are repeated later.
const TRANSIENT: [&str; 3] =
    ["CHANGE_FROM_QUANTITY_STALE", "COMPARE_QUANTITY_STALE", "IDEMPOTENCY_CONCURRENT_REQUEST"];

/// A change of the quantity of a variant.
struct Change<'a> {
    item: String,
    sku: &'a str,
    seen: Option<i64>,
    wanted: i64,
}

/// Sets levels that differ from what the shop has.
pub fn set(shop: &Shop, key: &str, levels: &[StockLevel], exchanges: &mut Exchanges<'_>) -> Run<Outcome> {
    let location = shop.stock_location.as_deref().and_then(|location| ids::gid("Location", location));
    let Some(location) = location else {
        let message = "Name the location at Shopify whose stock is set.";
        return Err(Failure::new(FailureKind::Refused, message).into());
    };
    let skus = skus(levels);
    let found = look_up(shop, &skus, &location, exchanges)?;
    let mut report = StockReport::default();
    let mut changes: Vec<Change<'_>> = Vec::new();
    for sku in skus {
        let variants: Vec<&Value> = found.iter().filter(|variant| variant["sku"] == *sku).collect();
        if variants.is_empty() {
            report.unknown.push(sku.to_owned());
        }
        let wanted = sellable(levels, sku).unwrap_or_default();
        for variant in variants {
            match compare(variant, sku, wanted) {
                Ok(Some(change)) if !is_known(&changes, &change) => changes.push(change),
                Ok(_) => {}
                Err(why) => report.refuse(sku, why),
            }
        }
    }
    while !changes.is_empty() {
        let errors = send(shop, key, &location, &changes, exchanges)?;
        if errors.is_empty() {
            break;
        }
        leave_out(&errors, &mut changes, &mut report)?;
    }
    Ok(Outcome::StockSet(report))
}

/// Returns whether there is a change of the same variant: a list that changes while it is read may show one twice.
fn is_known(changes: &[Change<'_>], change: &Change<'_>) -> bool {
    changes.iter().any(|known| known.item == change.item)
}

/// Returns the variants that may have one of the SKUs. The search may find others as well.
fn look_up(shop: &Shop, skus: &[&str], location: &str, exchanges: &mut Exchanges<'_>) -> Run<Vec<Value>> {
    if skus.is_empty() {
        return Ok(Vec::new());
    }
    let quoted = |sku: &&str| format!("sku:\"{}\"", sku.replace('\\', "\\\\").replace('"', "\\\""));
    let query = skus.iter().map(quoted).collect::<Vec<_>>().join(" OR ");
    let mut found = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let variables = json!({"after": cursor, "query": query, "location": location});
        let data = ask(shop, queries::VARIANTS, variables, exchanges)?;
        let page = &data["productVariants"];
        let Value::Array(nodes) = &page["nodes"] else { return Err(Failure::unreadable(NAME).into()) };
        found.extend_from_slice(nodes);
        cursor = next_cursor(page);
        if cursor.is_none() {
            return Ok(found);
        }
    }
}

/// Returns the change of a variant, if it needs one. The error says why it can't be changed.
fn compare<'a>(variant: &Value, sku: &'a str, wanted: i64) -> Result<Option<Change<'a>>, &'static str> {
    let item = &variant["inventoryItem"];
    if !is_true(&item["tracked"]) {
        return Err(NOT_TRACKED);
    }
    let (Some(id), Value::Object(_)) = (text(&item["id"]), &item["inventoryLevel"]) else {
        return Err(NOT_STOCKED);
    };
    let mut quantities = items(&item["inventoryLevel"]["quantities"]).iter();
    let seen =
        quantities.find(|entry| entry["name"] == "available").and_then(|entry| quantity(&entry["quantity"]));
    Ok((seen != Some(wanted)).then_some(Change { item: id, sku, seen, wanted }))
}

/// Sends the changes, and returns the errors. If there is one, nothing was changed.
fn send(
    shop: &Shop,
    key: &str,
    location: &str,
    changes: &[Change<'_>],
    exchanges: &mut Exchanges<'_>,
) -> Run<Vec<UserError>> {
    let entry = |change: &Change<'_>| {
        json!({
            "inventoryItemId": change.item, "locationId": location, "quantity": change.wanted,
            "changeFromQuantity": change.seen,
        })
    };
    let quantities: Vec<Value> = changes.iter().map(entry).collect();
    let input = json!({"name": "available", "reason": "correction", "quantities": quantities});
    let variables = json!({"key": idempotency_key(key, &input), "input": input});
    let payload = change(shop, queries::SET_QUANTITIES, variables, "inventorySetQuantities", exchanges)?;
    Ok(user_errors(&payload))
}

/// Returns a key in the form of a UUID. Shopify refuses a known key with other input, so it depends on both.
fn idempotency_key(key: &str, input: &Value) -> String {
    let digest = Sha256::digest(format!("{key}\n{input}"));
    let hex: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    format!("{}-{}-8{}-8{}-{}", part(0, 8), part(8, 12), part(13, 16), part(17, 20), part(20, 32))
}

/// Moves changes that the shop refuses from the list into the report.
fn leave_out(
    errors: &[UserError],
    changes: &mut Vec<Change<'_>>,
    report: &mut StockReport,
) -> Result<(), Failure> {
    let said: Vec<&str> = errors.iter().map(|error| error.message.as_str()).collect();
    let message = format!("{NAME} refuses: {}", said.join("; "));
    if errors.iter().any(|error| TRANSIENT.contains(&error.code.as_str())) {
        return Err(Failure::later(&message, None));
    }
    let refused = |place: usize| errors.iter().find(|error| error.entry == Some(place));
    let count = changes.len();
    let mut place = 0;
    changes.retain(|change| {
        let error = refused(place);
        place += 1;
        if let Some(error) = error {
            report.refuse(change.sku, error.message.as_str());
        }
        error.is_none()
    });
    if changes.len() == count { Err(Failure::new(FailureKind::Refused, &message)) } else { Ok(()) }
}
