//! Creating the resources of entries, and setting levels.

use model::exchange::import::Outcome;
use model::exchange::import::columns::LevelRow;
use model::fulfilment::package_type::PackageTypeInput;
use model::orders::order::OrderInput;
use model::places::location::LocationInput;
use model::platform::problem::Issue;
use model::platform::shape;
use model::shipping::shipment::ShipmentInput;
use model::stock::inventory_item::{InventoryItemInput, Level};
use model::stock::level_input::LevelCount;
use model::{Code, Id, InventoryItem, Location, Owner, Problem, Result, Timestamp};
use serde_json::Value;
use store::Tx;
use store::exchange::import_keys;
use store::places::locations;
use store::stock::inventory_items;
use store::stock::inventory_levels::At;

use super::keys::{key, only};
use crate::events::events::EventLog;
use crate::fulfilment::package_types::create_package_type;
use crate::orders::matching::insert_item;
use crate::orders::orders::create_order;
use crate::places::locations::create_location;
use crate::shipping::shipments::create_shipment;
use crate::stock::inventory_items::NewItem;
use crate::stock::inventory_levels::{ensure_on_hand, lock, open, set_level};

/// A resource that does not exist yet.
pub(super) enum New {
    Order(Box<OrderInput>),
    Item(Box<InventoryItemInput>),
    Location(Box<LocationInput>),
    PackageType(Box<PackageTypeInput>),
    Shipment(Box<ShipmentInput>),
}

/// Creates a resource.
pub(super) async fn create_one(tx: &mut Tx<'_>, owner: Owner, new: New, log: &EventLog) -> Result<()> {
    match new {
        New::Order(input) => create_order(tx, owner, *input, log).await,
        New::Location(input) => create_location(tx, owner, *input, log).await,
        New::PackageType(input) => create_package_type(tx, owner, *input, log).await,
        New::Shipment(input) => create_shipment(tx, owner, log.new_id(), input, log).await.map(drop),
        New::Item(input) => {
            let sku = input.sku.clone();
            let new = NewItem::new(log.new_id(), *input, log.now())?;
            insert_item(tx, owner, &new, &sku, log).await.map(drop)
        }
    }
}

/// A level that is to be set.
pub(super) struct LevelChange {
    at: At,
    count: LevelCount,
    is_new: bool,
}

impl LevelChange {
    pub async fn perform(self, tx: &mut Tx<'_>, owner: Owner, log: &EventLog) -> Result<Outcome> {
        let before = open(tx, owner, self.at, log).await?;
        set_level(tx, owner, &before, &self.count, log).await?;
        Ok(if self.is_new { Outcome::Created } else { Outcome::Updated })
    }
}

/// Decides what is to be done with a row of levels: nothing, if the level is as the row says. A row is a count: it is applied whether there is a level or not. If the level is
/// as the row says already, `expected_on_hand` no longer matters, so that the same file can be sent twice.
pub(super) async fn plan_level(tx: &mut Tx<'_>, owner: Owner, body: &Value) -> Result<Option<LevelChange>> {
    let row: LevelRow = shape::parse(body.clone())?;
    let at = At {
        item: item_of(tx, owner, &row, body).await?,
        location: location_of(tx, owner, &row, body).await?,
    };
    let count = LevelCount {
        on_hand: row.on_hand,
        bin: row.bin.clone().map(Some),
        reorder_point: row.reorder_point.map(Some),
    };
    let level = lock(tx, owner, at).await?;
    let is_new = level.is_none();
    let level = level.unwrap_or_else(|| Level::new(at.item, at.location, 0, 0, Timestamp::from_micros(0)));
    let is_same = count.on_hand == level.on_hand
        && count.bin.as_ref().is_none_or(|bin| *bin == level.bin)
        && count.reorder_point.is_none_or(|point| point == level.reorder_point);
    if is_same && !is_new {
        return Ok(None);
    }
    ensure_on_hand(&level, row.expected_on_hand)?;
    Ok(Some(LevelChange { at, count, is_new }))
}

async fn item_of(tx: &mut Tx<'_>, owner: Owner, row: &LevelRow, body: &Value) -> Result<Id<InventoryItem>> {
    let (found, field) = match row.item_id {
        Some(id) => (inventory_items::get(tx, owner, id).await?.map(|_| id), "/item_id"),
        None => (inventory_items::sku_user(tx, owner, key(body, "sku")?).await?, "/sku"),
    };
    let code = Code::InventoryItemNotFound;
    let refusal =
        || Problem::field(code, Issue::new(code.as_str(), field, "There is no such inventory item."));
    found.ok_or_else(|| refusal().into())
}

async fn location_of(tx: &mut Tx<'_>, owner: Owner, row: &LevelRow, body: &Value) -> Result<Id<Location>> {
    let (found, field) = match row.location_id {
        Some(id) => (locations::get(tx, owner, id).await?.map(|_| id), "/location_id"),
        None => {
            let found = import_keys::locations(tx, owner, key(body, "location")?).await?;
            (only(found, "location")?, "/location")
        }
    };
    let code = Code::LocationNotFound;
    let refusal = || Problem::field(code, Issue::new(code.as_str(), field, "There is no such location."));
    found.ok_or_else(|| refusal().into())
}

/// Merges the entries of a list that rows make into those that are stored. Entries belong together if they have the same value in
/// one of these fields, and otherwise by their places.
pub(super) fn merge_entries(stored: &[Value], given: &[Value], keys: &[&str]) -> Vec<Value> {
    let mut is_free = vec![true; stored.len()];
    let mut merged = Vec::with_capacity(given.len());
    for (place, entry) in given.iter().enumerate() {
        let same = |name: &str| {
            let value = entry.get(name).filter(|value| !value.is_null())?;
            let is_it = |at: &usize| is_free[*at] && stored[*at].get(name) == Some(value);
            // The one at the same place first: two lines may have the same SKU.
            (place < stored.len()).then_some(place).into_iter().chain(0..stored.len()).find(is_it)
        };
        let named = keys.iter().find(|name| entry.get(**name).is_some_and(|value| !value.is_null()));
        let found = match named {
            Some(name) => same(name),
            None => (place < stored.len() && is_free[place]).then_some(place),
        };
        let Some(found) = found else {
            merged.push(entry.clone());
            continue;
        };
        is_free[found] = false;
        let mut whole = stored[found].clone();
        merge(&mut whole, entry);
        merged.push(whole);
    }
    merged
}

fn merge(into: &mut Value, from: &Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (name, value) in from {
                merge(into.entry(name.clone()).or_insert(Value::Null), value);
            }
        }
        (into, from) => *into = from.clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lines_keep_what_the_file_does_not_say() {
        let stored = [
            json!({"id": "line_1", "sku": "A", "quantity": 1, "name": "Tee"}),
            json!({"id": "line_2", "sku": "B", "quantity": 1}),
            json!({"id": "line_3", "sku": "A", "quantity": 3}),
        ];
        let given =
            [json!({"sku": "B", "quantity": 2}), json!({"sku": "A", "quantity": 1}), json!({"sku": "C"})];
        assert_eq!(
            merge_entries(&stored, &given, &["external_line_id", "sku"]),
            [
                json!({"id": "line_2", "sku": "B", "quantity": 2}),
                json!({"id": "line_1", "sku": "A", "quantity": 1, "name": "Tee"}),
                json!({"sku": "C"}),
            ]
        );
        assert_eq!(
            merge_entries(&stored, &given[..1], &[]),
            [json!({"id": "line_1", "sku": "B", "quantity": 2, "name": "Tee"})]
        );
    }
}
