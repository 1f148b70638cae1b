//! What an evaluation needs: the rules, and facts about an order or a shipment. Other components call it too, with a snapshot of
//! the rules.

use std::collections::{BTreeMap, BTreeSet};

use model::fulfilment::shipping_rule::{
    EVALUATIONS_MAX, EvaluationInput, Facts, Items, OrderDocument, RULES_MAX, RuleSet, Shipped,
    facts_of_order as order_facts, facts_of_shipment as shipment_facts,
};
use model::platform::problem::Issue;
use model::platform::time_zone::LocalTime;
use model::shipping::shipment::ShipmentInput;
use model::{Code, Error, Id, InventoryItem, Location, Order, Owner, Problem, Result, Shipment, Timestamp};
use serde::Deserialize;
use store::Tx;
use store::access::organisations;
use store::fulfilment::{package_types, shipping_rules};
use store::orders::{allocations, orders};
use store::places::{location_configurations, locations};
use store::shipping::{carrier_accounts, shipments};
use store::stock::inventory_items;

use super::stored::parse;
use crate::shipping::account_details::details;
use crate::shipping::shipments::read_shipment;

/// Reads the rules, and which accounts are disabled: all that an evaluation needs beside the facts.
pub async fn rule_set(tx: &mut Tx<'_>, owner: Owner) -> Result<RuleSet> {
    let stored = shipping_rules::all(tx, owner, RULES_MAX).await?;
    let rules = stored.iter().map(parse).collect::<Result<_>>()?;
    let mut disabled_accounts = Vec::new();
    for account in carrier_accounts::all(tx, owner).await? {
        if details(&account)?.disabled {
            disabled_accounts.push(account.id);
        }
    }
    Ok(RuleSet { rules, disabled_accounts })
}

/// Returns the facts about what a request names.
pub async fn facts_of(
    tx: &mut Tx<'_>,
    owner: Owner,
    input: &EvaluationInput,
    at: Timestamp,
) -> Result<Vec<Facts>> {
    if let Some(order) = input.order_id {
        let facts = facts_of_order(tx, owner, order, at).await?;
        let facts =
            facts.ok_or_else(|| refuse(Code::OrderNotFound, "/order_id", "There is no such order."))?;
        if facts.len() > EVALUATIONS_MAX {
            let message = format!("The order is shipped from more than {EVALUATIONS_MAX} locations.");
            return Err(Problem::body(vec![Issue::new("too_many", "/order_id", message)]).into());
        }
        return Ok(facts);
    }
    if let Some(shipment) = input.shipment_id {
        let facts = facts_of_stored_shipment(tx, owner, shipment, at).await?;
        let refusal = || refuse(Code::ShipmentNotFound, "/shipment_id", "There is no such shipment.");
        return Ok(vec![facts.ok_or_else(refusal)?]);
    }
    match &input.shipment {
        Some(shipment) => Ok(vec![facts_of_shipment(tx, owner, shipment, at).await?]),
        None => Ok(Vec::new()),
    }
}

/// Returns the facts about what is left to ship of an order, for each location with open allocations; if there is none, the
/// facts about the whole order, without an origin. Returns `None` if there is no such order.
pub async fn facts_of_order(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Order>,
    at: Timestamp,
) -> Result<Option<Vec<Facts>>> {
    let Some(stored) = orders::get(tx, owner, id).await? else { return Ok(None) };
    let mut places: BTreeMap<Id<Location>, BTreeMap<Id<InventoryItem>, i64>> = BTreeMap::new();
    for allocation in allocations::of_order(tx, owner, id).await? {
        if allocation.completed_at.is_none() {
            let units = places.entry(allocation.location).or_default();
            *units.entry(allocation.item).or_default() += allocation.quantity;
        }
    }
    if places.is_empty() {
        let order: OrderDocument = serde_json::from_str(&stored.doc).map_err(Error::fault)?;
        let items = read_items(tx, owner, &items_of(&order)).await?;
        let local_time = local_time(tx, owner, None, at).await?;
        let shipped = Shipped { origin: None, units: order.units(), local_time };
        return Ok(Some(vec![order_facts(&order, &items, shipped)]));
    }
    let facts = facts_of_units(tx, owner, &stored.doc, places, at).await?;
    Ok(Some(facts.into_values().collect()))
}

/// Returns the facts about units of an order, for each location that sends some.
pub async fn facts_of_units(
    tx: &mut Tx<'_>,
    owner: Owner,
    order_doc: &str,
    units: BTreeMap<Id<Location>, BTreeMap<Id<InventoryItem>, i64>>,
    at: Timestamp,
) -> Result<BTreeMap<Id<Location>, Facts>> {
    let order: OrderDocument = serde_json::from_str(order_doc).map_err(Error::fault)?;
    let items = read_items(tx, owner, &items_of(&order)).await?;
    let mut all = BTreeMap::new();
    for (origin, units) in units {
        let local_time = local_time(tx, owner, Some(origin), at).await?;
        let shipped = Shipped { origin: Some(origin), units: units.into_iter().collect(), local_time };
        all.insert(origin, order_facts(&order, &items, shipped));
    }
    Ok(all)
}

fn items_of(order: &OrderDocument) -> Vec<Id<InventoryItem>> {
    order.units().iter().map(|(item, _)| *item).collect()
}

/// Returns the facts about a shipment that exists, or `None` if there is no such shipment.
pub async fn facts_of_stored_shipment(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Shipment>,
    at: Timestamp,
) -> Result<Option<Facts>> {
    let Some(stored) = shipments::get(tx, owner, id).await? else { return Ok(None) };
    let origin = shipments::origin(tx, owner, id).await?;
    let local_time = local_time(tx, owner, origin, at).await?;
    let details = read_shipment(&stored)?.details;
    let items = read_items(tx, owner, &packed_items(&details)).await?;
    Ok(Some(shipment_facts(&details, &items, origin, local_time)))
}

/// Returns the facts about a shipment that is not created yet. Refuses one that names what does not exist.
pub async fn facts_of_shipment(
    tx: &mut Tx<'_>,
    owner: Owner,
    shipment: &ShipmentInput,
    at: Timestamp,
) -> Result<Facts> {
    let origin = match (shipment.addresses.location_configuration_id, &shipment.addresses.origin) {
        (Some(id), origin) => {
            let Some(configuration) = location_configurations::get(tx, owner, id).await? else {
                let field = "/shipment/addresses/location_configuration_id";
                let message = "There is no such location configuration.";
                return Err(refuse(Code::LocationConfigurationNotFound, field, message));
            };
            let location: LocationDocument = read_location(&configuration.origin.doc)?;
            // An origin that is given counts more than that of the configuration.
            Some(location.id).filter(|_| origin.is_none())
        }
        (None, _) => None,
    };
    let items = read_items(tx, owner, &packed_items(shipment)).await?;
    ensure_contents(tx, owner, shipment, &items).await?;
    let local_time = local_time(tx, owner, origin, at).await?;
    Ok(shipment_facts(shipment, &items, origin, local_time))
}

/// Returns the items that the packages hold, each once.
fn packed_items(shipment: &ShipmentInput) -> Vec<Id<InventoryItem>> {
    let packed = shipment.packages.iter().flat_map(|package| &package.items);
    packed.map(|item| item.id).collect::<BTreeSet<_>>().into_iter().collect()
}

async fn read_items(tx: &mut Tx<'_>, owner: Owner, ids: &[Id<InventoryItem>]) -> Result<Items> {
    let mut items = Items::new();
    if !ids.is_empty() {
        for (id, doc) in inventory_items::docs(tx, owner, ids).await? {
            items.insert(id, serde_json::from_str(&doc).map_err(Error::fault)?);
        }
    }
    Ok(items)
}

/// Refuses packages with items or package types that do not exist. `items` are those that do.
async fn ensure_contents(
    tx: &mut Tx<'_>,
    owner: Owner,
    shipment: &ShipmentInput,
    items: &Items,
) -> Result<()> {
    for (place, package) in shipment.packages.iter().enumerate() {
        if let Some(number) = package.items.iter().position(|item| !items.contains_key(&item.id)) {
            let field = format!("/shipment/packages/{place}/items/{number}/id");
            return Err(refuse(Code::InventoryItemNotFound, &field, "There is no such inventory item."));
        }
        let Some(id) = package.package_type_id else { continue };
        if package_types::get(tx, owner, id).await?.is_none() {
            let field = format!("/shipment/packages/{place}/package_type_id");
            return Err(refuse(Code::PackageTypeNotFound, &field, "There is no such package type."));
        }
    }
    Ok(())
}

/// The fields of a location's document that are needed here.
#[derive(Deserialize)]
struct LocationDocument {
    id: Id<Location>,
    #[serde(default)]
    time_zone: Option<String>,
}

fn read_location(doc: &str) -> Result<LocationDocument> {
    serde_json::from_str(doc).map_err(Error::fault)
}

/// Returns the local time in the time zone of the location, else of the organisation.
async fn local_time(
    tx: &mut Tx<'_>,
    owner: Owner,
    location: Option<Id<Location>>,
    at: Timestamp,
) -> Result<LocalTime> {
    if let Some(id) = location
        && let Some(stored) = locations::get(tx, owner, id).await?
        && let Some(time_zone) = read_location(&stored.doc)?.time_zone
    {
        return Ok(LocalTime::at(at, &time_zone));
    }
    let settings = organisations::settings(tx, owner).await?.settings;
    Ok(LocalTime::at(at, &settings.time_zone))
}

fn refuse(code: Code, field: &str, message: &str) -> Error {
    Problem::field(code, Issue::new(code.as_str(), field, message)).into()
}
