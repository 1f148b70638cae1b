//! What is exported, and what all pages of an export need.

use model::exchange::export::ExportType;
use model::shipping::manifest;
use model::{Id, Location, Owner};
use store::events::events;
use store::exchange::exports::{ChangeFilter, LevelFilter};
use store::orders::order_filters;
use store::shipping::shipment_filters::ShipmentFilter;
use store::stock::item_filters::ItemFilter;

use super::writer::Writer;

/// What is exported, with the filters of its list.
#[derive(Clone)]
pub enum Export {
    Orders(order_filters::Filter),
    OrderLines(order_filters::Filter),
    /// With the id or the handle of the only carrier account.
    Shipments(ShipmentFilter, Option<String>),
    InventoryItems(ItemFilter),
    InventoryLevels(LevelFilter),
    LevelHistory(ChangeFilter),
    /// With the tags that a location must have.
    Locations(Vec<String>),
    PackageTypes,
    Manifests(Option<manifest::Status>, Option<Id<Location>>),
    Events(events::Filter),
}

impl Export {
    pub fn r#type(&self) -> ExportType {
        match self {
            Export::Orders(_) => ExportType::Orders,
            Export::OrderLines(_) => ExportType::OrderLines,
            Export::Shipments(..) => ExportType::Shipments,
            Export::InventoryItems(_) => ExportType::InventoryItems,
            Export::InventoryLevels(_) => ExportType::InventoryLevels,
            Export::LevelHistory(_) => ExportType::LevelHistory,
            Export::Locations(_) => ExportType::Locations,
            Export::PackageTypes => ExportType::PackageTypes,
            Export::Manifests(..) => ExportType::Manifests,
            Export::Events(_) => ExportType::Events,
        }
    }
}

/// What all pages of an export need.
pub(super) struct Plan {
    pub owner: Owner,
    pub export: Export,
    pub writer: Writer,
    /// Whether the caller may know the names of locations.
    pub shows_locations: bool,
}
