//! Reading a page of an export.

use std::collections::HashMap;

use model::{Error, Id, InventoryItem, Owner, Result};
use serde_json::{Value, json};
use store::events::events;
use store::exchange::exports::{self, Keys, NamedChange, NamedLevel};
use store::fulfilment::package_types;
use store::orders::order_filters;
use store::places::locations;
use store::shipping::manifests;
use store::shipping::shipment_filters::{self, ShipmentFilter};
use store::stock::item_filters;
use store::{Page, Start, Tx};

use super::plan::{Export, Plan};
use crate::events::events::event_json;
use crate::shipping::manifests::show::{Whole, unlinked_docs};
use crate::shipping::shipments::shown::shown;
use crate::shipping::shipments::{account_named, documents_of, without_links};

/// Resources of a page. A page of large ones has fewer.
const PAGE_ROWS: usize = 200;

/// Where a page begins.
#[derive(Clone)]
pub(super) enum Place {
    List(Start),
    Keys(Keys),
}

impl Place {
    /// Returns where the first page begins: at the oldest.
    pub fn first(export: &Export) -> Self {
        match export {
            Export::InventoryLevels(_) | Export::LevelHistory(_) => Place::Keys(Keys::default()),
            // Its filter has it begin with the oldest.
            Export::Events(_) => Place::List(Start::First),
            _ => Place::List(Start::NewerThan(String::new())),
        }
    }
}

/// Returns the text of a page, and where the next one begins.
pub(super) async fn page(tx: &mut Tx<'_>, plan: &Plan, place: Place) -> Result<(String, Option<Place>)> {
    match (&plan.export, place) {
        (Export::InventoryLevels(filter), Place::Keys(keys)) => {
            let rows = exports::levels(tx, plan.owner, filter, keys, PAGE_ROWS).await?;
            let next = rows.last().filter(|_| rows.len() == PAGE_ROWS).map(|last| Place::Keys(last.keys()));
            Ok((written(plan, rows.iter().map(|row| level(row, plan.shows_locations))), next))
        }
        (Export::LevelHistory(filter), Place::Keys(keys)) => {
            let rows = exports::changes(tx, plan.owner, filter, keys, PAGE_ROWS).await?;
            let next = rows.last().filter(|_| rows.len() == PAGE_ROWS).map(|last| Place::Keys(last.keys()));
            Ok((written(plan, rows.iter().map(|row| change(row, plan.shows_locations))), next))
        }
        (_, Place::List(start)) => {
            let Page { items, newer_than, .. } = resources(tx, plan, &start).await?;
            let mut out = String::new();
            match &plan.export {
                Export::Orders(_) | Export::OrderLines(_) if !plan.writer.takes_text() => {
                    for order in with_lines(tx, plan.owner, &items).await? {
                        plan.writer.write(&mut out, &order);
                    }
                }
                _ => items.iter().try_for_each(|text| plan.writer.write_text(&mut out, text))?,
            }
            Ok((out, newer_than.map(|key| Place::List(Start::NewerThan(key)))))
        }
        (_, Place::Keys(_)) => Err(Error::fault("the export is of another list")),
    }
}

fn written(plan: &Plan, resources: impl Iterator<Item = Value>) -> String {
    let mut out = String::new();
    resources.for_each(|resource| plan.writer.write(&mut out, &resource));
    out
}

/// Returns a page of a list as JSON texts, the oldest first.
async fn resources(tx: &mut Tx<'_>, plan: &Plan, start: &Start) -> Result<Page<String>> {
    let (owner, limit) = (plan.owner, PAGE_ROWS);
    let mut page = match &plan.export {
        Export::Orders(filter) | Export::OrderLines(filter) => {
            order_filters::page(tx, owner, filter, start, limit).await?
        }
        Export::Shipments(filter, account) => shipments(tx, owner, filter, account.as_deref(), start).await?,
        Export::InventoryItems(filter) => item_filters::page(tx, owner, filter, start, limit).await?,
        Export::Locations(tags) => locations::page(tx, owner, tags, start, limit).await?,
        Export::PackageTypes => package_types::page(tx, owner, start, limit).await?,
        Export::Manifests(status, location) => {
            let page = manifests::page(tx, owner, *status, *location, start, limit).await?;
            let items = unlinked_docs(Whole::read(tx, owner, page.items).await?)?;
            Page { items, older_than: page.older_than, newer_than: page.newer_than }
        }
        Export::Events(filter) => {
            // The log is read with the oldest first already.
            let page = events::page(tx, owner, filter, start, limit).await?;
            return page.try_map(|event| Ok(event_json(&event)));
        }
        Export::InventoryLevels(_) | Export::LevelHistory(_) => {
            return Err(Error::fault("the export is of no list"));
        }
    };
    // Lists have the newest first on each page.
    page.items.reverse();
    Ok(page)
}

async fn shipments(
    tx: &mut Tx<'_>,
    owner: Owner,
    filter: &ShipmentFilter,
    account: Option<&str>,
    start: &Start,
) -> Result<Page<String>> {
    let mut filter = filter.clone();
    if let Some(name) = account {
        filter.carrier_account = account_named(tx, owner, name).await?;
        if filter.carrier_account.is_none() {
            return Ok(Page { items: Vec::new(), older_than: None, newer_than: None });
        }
    }
    let page = shipment_filters::page(tx, owner, &filter, start, PAGE_ROWS).await?;
    let documents = documents_of(tx, owner, &page.items.iter().collect::<Vec<_>>()).await?;
    let mut of_each: HashMap<String, Vec<_>> = HashMap::new();
    for document in documents {
        of_each.entry(document.subject.clone()).or_default().push(document);
    }
    page.try_map(|stored| {
        let documents = of_each.remove(&stored.id.to_string()).unwrap_or_default();
        shown(&stored.doc, &without_links(&documents))
    })
}

/// Reads orders. One that names items and no lines gets a line for each item.
async fn with_lines(tx: &mut Tx<'_>, owner: Owner, texts: &[String]) -> Result<Vec<Value>> {
    let mut orders: Vec<Value> = Vec::with_capacity(texts.len());
    for text in texts {
        orders.push(serde_json::from_str(text).map_err(Error::fault)?);
    }
    let bare = |order: &Value| order["lines"].as_array().is_none_or(Vec::is_empty);
    let ids: Vec<Id<InventoryItem>> = orders
        .iter()
        .filter(|order| bare(order))
        .flat_map(|order| order["items"].as_array().map(Vec::as_slice).unwrap_or_default())
        .filter_map(|item| Id::parse(item["id"].as_str()?))
        .collect();
    let skus = exports::skus(tx, owner, &ids).await?;
    let skus: HashMap<String, String> = skus.into_iter().map(|(id, sku)| (id.to_string(), sku)).collect();
    for order in orders.iter_mut().filter(|order| bare(order)) {
        let items = order["items"].as_array().map(Vec::as_slice).unwrap_or_default();
        let line = |item: &Value| {
            let sku = item["id"].as_str().and_then(|id| skus.get(id));
            json!({"item_id": item["id"], "sku": sku, "quantity": item["quantity"], "is_shippable": true})
        };
        let lines: Vec<Value> = items.iter().map(line).collect();
        order["lines"] = lines.into();
    }
    Ok(orders)
}

fn level(row: &NamedLevel, shows_locations: bool) -> Value {
    let level = &row.level;
    json!({
        "sku": row.sku,
        "item_id": level.item.id,
        "location": row.location_name.as_ref().filter(|_| shows_locations),
        "location_id": level.location.id,
        "on_hand": level.on_hand,
        "bin": level.bin,
        "reorder_point": level.reorder_point,
        "allocated": level.allocated,
        "available": level.available,
        "low_stock": level.low_stock,
        "updated_at": level.updated_at,
    })
}

fn change(row: &NamedChange, shows_locations: bool) -> Value {
    let change = &row.change;
    json!({
        "id": change.id,
        "created_at": change.created_at,
        "item_id": row.item,
        "sku": row.sku,
        "location_id": row.location,
        "location": row.location_name.as_ref().filter(|_| shows_locations),
        "delta": change.delta,
        "on_hand": change.on_hand,
        "reason": change.reason,
        "allocation_id": change.allocation.map(|allocation| allocation.id),
    })
}
