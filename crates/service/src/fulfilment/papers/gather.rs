//! What papers show, read at one moment: shipments, their items, the references of their orders, and the branding.

use std::collections::{BTreeMap, BTreeSet};

use model::fulfilment::branding::BrandingInput;
use model::fulfilment::warehouse_paper::PaperFormat;
use model::shipping::shipment::{Shipment, Status};
use model::{Error, Id, InventoryItem, Location, Order, Owner, Result};
use serde::Deserialize;
use store::Tx;
use store::fulfilment::warehouse_papers::{self, PaperShipment};
use store::stock::inventory_items;

use crate::fulfilment::branding;

/// Shipments with what their papers show.
pub(super) struct Gathered {
    /// In the order in which they are printed.
    pub shipments: Vec<GatheredShipment>,
    pub items: BTreeMap<Id<InventoryItem>, ItemText>,
    pub branding: BrandingInput,
}

/// A shipment with what is not in its own document.
pub(super) struct GatheredShipment {
    pub id: Id<Shipment>,
    pub status: Status,
    pub origin: Option<Id<Location>>,
    pub shipment: Shipment,
    /// The reference of its order.
    pub order: Option<String>,
}

/// What papers say of an inventory item.
#[derive(Deserialize, Clone)]
pub(super) struct ItemText {
    pub sku: String,
    pub name: String,
}

/// The order of a shipment, if its document names one.
#[derive(Deserialize)]
struct OrderOfShipment {
    #[serde(default)]
    order_id: Option<Id<Order>>,
}

/// What papers say of an order.
#[derive(Deserialize)]
struct OrderText {
    #[serde(default)]
    reference: Option<String>,
}

impl GatheredShipment {
    /// Returns the text by which a person finds the shipment: the order's reference, the shipment's own, or its id.
    pub fn reference(&self) -> String {
        let own = self.shipment.details.name.clone().filter(|name| !name.trim().is_empty());
        self.order.clone().or(own).unwrap_or_else(|| self.id.to_string())
    }
}

impl Gathered {
    /// Leaves out shipments.
    pub fn retain(&mut self, is_wanted: impl Fn(&GatheredShipment) -> bool) {
        self.shipments.retain(is_wanted);
    }

    /// Returns whether a packing slip of the shipment would list anything.
    pub fn has_contents(&self, shipment: &GatheredShipment) -> bool {
        let details = &shipment.shipment.details;
        details.packages.iter().any(|package| !package.items.is_empty())
            || details.customs.as_ref().is_some_and(|customs| !customs.items.is_empty())
    }

    /// Returns the usual paper of the country that the first shipment leaves from.
    pub fn usual_format(&self) -> PaperFormat {
        let origin =
            self.shipments.first().and_then(|first| first.shipment.details.addresses.origin.as_ref());
        PaperFormat::of_country(origin.map(|origin| origin.address.country_code))
    }

    /// Returns the name and the SKU of an item. An item that was deleted has its id for a name.
    pub fn item(&self, id: Id<InventoryItem>) -> ItemText {
        let gone = || ItemText { sku: String::new(), name: id.to_string() };
        self.items.get(&id).cloned().unwrap_or_else(gone)
    }
}

/// Reads what the papers of shipments show.
pub(super) async fn gather(tx: &mut Tx<'_>, owner: Owner, shipments: Vec<PaperShipment>) -> Result<Gathered> {
    let mut orders: BTreeMap<Id<Shipment>, Id<Order>> = BTreeMap::new();
    let mut items = BTreeSet::new();
    let mut gathered = Vec::with_capacity(shipments.len());
    for PaperShipment { id, status, origin, doc } in shipments {
        let shipment: Shipment = serde_json::from_str(&doc).map_err(Error::fault)?;
        let named: OrderOfShipment = serde_json::from_str(&doc).map_err(Error::fault)?;
        orders.extend(named.order_id.map(|order| (id, order)));
        let in_packages = shipment.details.packages.iter().flat_map(|package| &package.items);
        items.extend(in_packages.map(|item| item.id));
        gathered.push(GatheredShipment { id, status, origin, shipment, order: None });
    }
    let references = references(tx, owner, &orders).await?;
    for shipment in &mut gathered {
        shipment.order = orders.get(&shipment.id).and_then(|order| references.get(order).cloned());
    }
    let ids: Vec<Id<InventoryItem>> = items.into_iter().collect();
    let mut texts = BTreeMap::new();
    if !ids.is_empty() {
        for (id, doc) in inventory_items::docs(tx, owner, &ids).await? {
            texts.insert(id, serde_json::from_str(&doc).map_err(Error::fault)?);
        }
    }
    let branding = branding::details(tx, owner).await?;
    Ok(Gathered { shipments: gathered, items: texts, branding })
}

/// Returns the references of orders, without orders that have none.
async fn references(
    tx: &mut Tx<'_>,
    owner: Owner,
    orders: &BTreeMap<Id<Shipment>, Id<Order>>,
) -> Result<BTreeMap<Id<Order>, String>> {
    let ids: BTreeSet<Id<Order>> = orders.values().copied().collect();
    let ids: Vec<Id<Order>> = ids.into_iter().collect();
    let mut references = BTreeMap::new();
    for (id, doc) in warehouse_papers::orders(tx, owner, &ids).await? {
        let text: OrderText = serde_json::from_str(&doc).map_err(Error::fault)?;
        let given = text.reference.filter(|reference| !reference.trim().is_empty());
        references.extend(given.map(|reference| (id, reference)));
    }
    Ok(references)
}
