//! Exports: what there is to export, and the rows that a resource becomes.
//!
//! What can be imported has the same columns as the import, so that an export can be corrected and sent back. Further columns follow,
//! which imports leave out.

mod columns;
mod rows;
#[cfg(test)]
mod tests;

pub use columns::ExportColumn;
pub use rows::{Cell, record, rows};

use crate::exchange::import::ImportType;

/// What is exported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExportType {
    Orders,
    OrderLines,
    Shipments,
    InventoryItems,
    InventoryLevels,
    LevelHistory,
    Locations,
    PackageTypes,
    Manifests,
    Events,
}

impl ExportType {
    pub const ALL: [Self; 10] = [
        Self::Orders,
        Self::OrderLines,
        Self::Shipments,
        Self::InventoryItems,
        Self::InventoryLevels,
        Self::LevelHistory,
        Self::Locations,
        Self::PackageTypes,
        Self::Manifests,
        Self::Events,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Orders => "orders",
            Self::OrderLines => "order_lines",
            Self::Shipments => "shipments",
            Self::InventoryItems => "inventory_items",
            Self::InventoryLevels => "inventory_levels",
            Self::LevelHistory => "level_history",
            Self::Locations => "locations",
            Self::PackageTypes => "package_types",
            Self::Manifests => "manifests",
            Self::Events => "events",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == word)
    }

    /// Returns the scope that reads the data.
    pub fn scope(self) -> &'static str {
        match self {
            Self::Orders | Self::OrderLines => "orders:read",
            Self::Shipments => "shipments:read",
            Self::InventoryItems | Self::InventoryLevels | Self::LevelHistory => "inventory:read",
            Self::Locations => "locations:read",
            Self::PackageTypes => "package_types:read",
            Self::Manifests => "manifests:read",
            Self::Events => "events:read",
        }
    }

    /// Returns the type that imports the file, if there is one.
    pub fn import(self) -> Option<ImportType> {
        ImportType::parse(self.as_str())
    }

    /// Returns whether a line of JSON is the resource as its list shows it. The lines of other types are objects of the columns.
    pub fn is_resource(self) -> bool {
        !matches!(self, Self::OrderLines | Self::InventoryLevels | Self::LevelHistory)
    }

    /// Returns the list in a resource each of whose entries is a row.
    fn list(self) -> Option<&'static str> {
        match self {
            Self::Orders | Self::OrderLines => Some("lines"),
            Self::Shipments => Some("packages"),
            _ => None,
        }
    }

    /// Returns whether each row repeats what belongs to the whole resource. Rows of an import say it once.
    fn is_flat(self) -> bool {
        self == Self::OrderLines
    }
}
