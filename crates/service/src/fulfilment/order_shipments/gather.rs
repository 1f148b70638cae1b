//! What making shipments from an order needs to know, read on one consistent state of the database.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use carriers::Account;
use model::fulfilment::order_shipment::{OrderShipmentsInput, OrderToShip};
use model::fulfilment::package_type::PackageType;
use model::fulfilment::shipping_rule::{Facts, RuleSet};
use model::orders::order::Status;
use model::shipping::shipment::package::PACKAGES_MAX;
use model::stock::inventory_item::InventoryItemInput;
use model::{Allocation, Code, Error, Id, InventoryItem, Location, Order, Owner, Result, Timestamp, ensure};
use serde_json::Map;
use store::Tx;
use store::fulfilment::package_types;
use store::orders::{allocations, orders};
use store::places::location_configurations::{self, OriginConfiguration};
use store::shipping::carrier_accounts::{self, StoredCarrierAccount};
use store::stock::inventory_items;

use crate::fulfilment::packings::named;
use crate::fulfilment::shipping_rules::{facts_of_units, rule_set};
use crate::orders::order_document::LockedOrder;
use crate::platform::resource::found;
use crate::shipping::account_details::details;
use crate::shipping::order_contents::ensure_shippable;

/// An order, and what is to be shipped of it.
pub struct Gathered {
    pub id: Id<Order>,
    pub version: i64,
    pub order: OrderToShip,
    /// All allocations of the order, to notice a change.
    pub all: Vec<Allocation>,
    /// Those to ship.
    pub chosen: Vec<Allocation>,
    pub items: BTreeMap<Id<InventoryItem>, InventoryItemInput>,
    /// The configurations of each origin, its default first.
    pub configurations: BTreeMap<Id<Location>, Vec<OriginConfiguration>>,
    pub facts: BTreeMap<Id<Location>, Facts>,
    pub terms: Arc<ShipTerms>,
}

/// What making shipments needs to know whatever the order is.
pub struct ShipTerms {
    pub rules: RuleSet,
    pub package_types: Vec<PackageType>,
    /// The carrier of each account, and the most packages that it takes in one shipment.
    pub accounts: BTreeMap<String, (String, usize)>,
}

impl ShipTerms {
    /// Reads the terms with the given rules.
    pub async fn read(tx: &mut Tx<'_>, owner: Owner, rules: RuleSet) -> Result<Self> {
        let docs = package_types::all(tx, owner).await?;
        let package_types: serde_json::Result<Vec<PackageType>> =
            docs.iter().map(|doc| serde_json::from_str(doc)).collect();
        Ok(Self {
            rules,
            package_types: package_types.map_err(Error::fault)?,
            accounts: read_accounts(tx, owner).await?,
        })
    }
}

/// What is to be shipped of an order, and how.
#[derive(Default)]
pub struct ShipRequest {
    pub input: OrderShipmentsInput,
    /// The locations to ship from. Empty: all.
    pub locations: BTreeSet<Id<Location>>,
    /// `None` to read them with the order.
    pub terms: Option<Arc<ShipTerms>>,
}

/// Reads an order and what is to be shipped of it.
///
/// # Errors
///
/// Refuses an order that must not be shipped or of which nothing is left to ship, and allocations that can't be shipped.
pub async fn gather(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Order>,
    request: &ShipRequest,
    now: Timestamp,
) -> Result<Gathered> {
    let stored = found(orders::get(tx, owner, id).await?)?;
    let (version, order) = (stored.version, serde_json::from_str(&stored.doc).map_err(Error::fault)?);
    let doc = stored.doc.clone();
    ensure_ready(&LockedOrder::of(id, stored)?)?;
    let all = allocations::of_order(tx, owner, id).await?;
    let chosen = choose(&all, request)?;
    let ids: BTreeSet<_> = chosen.iter().map(|allocation| allocation.item).collect();
    let mut items = BTreeMap::new();
    for (id, doc) in inventory_items::docs(tx, owner, &ids.into_iter().collect::<Vec<_>>()).await? {
        items.insert(id, serde_json::from_str(&doc).map_err(Error::fault)?);
    }
    let mut units: BTreeMap<Id<Location>, BTreeMap<Id<InventoryItem>, i64>> = BTreeMap::new();
    for allocation in &chosen {
        let at = units.entry(allocation.location).or_default();
        *at.entry(allocation.item).or_default() += allocation.quantity;
    }
    let origins: Vec<_> = units.keys().copied().collect();
    let mut configurations: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for configuration in location_configurations::of_origins(tx, owner, &origins).await? {
        configurations.entry(configuration.origin).or_default().push(configuration);
    }
    let terms = match &request.terms {
        Some(terms) => Arc::clone(terms),
        None => {
            let rules = rule_set(tx, owner).await?;
            Arc::new(ShipTerms::read(tx, owner, rules).await?)
        }
    };
    let facts = facts_of_units(tx, owner, &doc, units, now).await?;
    Ok(Gathered { id, version, order, all, chosen, items, configurations, facts, terms })
}

/// Refuses an order of which nothing may be shipped now.
pub fn ensure_ready(order: &LockedOrder) -> Result<()> {
    ensure_shippable(order)?;
    ensure(order.status != Status::Draft, Code::OrderNotCommitted)
}

/// Returns the allocations to ship: those that the request names, else all that are open and in no shipment.
fn choose(all: &[Allocation], request: &ShipRequest) -> Result<Vec<Allocation>> {
    let is_free = |allocation: &&Allocation| {
        let is_here = request.locations.is_empty() || request.locations.contains(&allocation.location);
        is_here && allocation.completed_at.is_none() && allocation.shipment.is_none()
    };
    let chosen: Vec<_> = match &request.input.allocation_ids {
        None => all.iter().filter(is_free).copied().collect(),
        Some(given) => {
            let chosen = named(all, given)?;
            ensure(
                chosen.iter().all(|allocation| allocation.shipment.is_none()),
                Code::AllocationInShipment,
            )?;
            chosen
        }
    };
    ensure(!chosen.is_empty(), Code::NothingToShip)?;
    Ok(chosen)
}

async fn read_accounts(tx: &mut Tx<'_>, owner: Owner) -> Result<BTreeMap<String, (String, usize)>> {
    let mut accounts = BTreeMap::new();
    for stored in carrier_accounts::all(tx, owner).await? {
        let packages_max = packages_max(&stored)?;
        accounts.insert(stored.id.to_string(), (stored.carrier, packages_max));
    }
    Ok(accounts)
}

/// Returns the most packages that a carrier takes in one shipment. It does not depend on credentials.
fn packages_max(stored: &StoredCarrierAccount) -> Result<usize> {
    let Some(connector) = carriers::connector(&stored.carrier) else { return Ok(PACKAGES_MAX) };
    let configuration = details(stored)?.configuration;
    let account = Account::new(stored.id, configuration, Map::new());
    Ok(connector.capabilities(&account).packages_max)
}
