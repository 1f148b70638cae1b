//! The columns that a file may have, for each type of import.

mod cell;
mod inventory;
mod locations;
mod orders;
mod package_types;
mod shipments;

use serde::Deserialize;

pub use cell::{CellKind, Column};

use super::input::ImportType;
use crate::places::location::{LOCATION_ID, NAME as LOCATION_NAME};
use crate::platform::shape::{Field, Input, Shape};
use crate::stock::inventory_item::{BIN, COUNT, ITEM_ID, REORDER_POINT};
use crate::{Id, InventoryItem, Location};

/// What separates the words of a cell.
pub const WORD_SEPARATORS: [char; 3] = [',', ';', '|'];
/// The word in a mapping for a column that is not read.
pub const IGNORED: &str = "ignore";
/// The column that a file of errors has behind the others. Imports leave it out.
pub const ERROR_COLUMN: &str = "import_error";

impl ImportType {
    /// Returns the columns of this type, in the order of the template.
    pub fn columns(self) -> &'static [Column] {
        match self {
            ImportType::Orders => orders::COLUMNS,
            ImportType::InventoryItems => inventory::ITEM_COLUMNS,
            ImportType::InventoryLevels => inventory::LEVEL_COLUMNS,
            ImportType::Locations => locations::COLUMNS,
            ImportType::PackageTypes => package_types::COLUMNS,
            ImportType::Shipments => shipments::COLUMNS,
        }
    }

    /// Returns the columns by which rows are recognised: a file must have one of them.
    pub fn key_columns(self) -> &'static [&'static str] {
        match self {
            ImportType::Orders => &["id", "reference"],
            ImportType::InventoryItems => &["id", "sku"],
            ImportType::InventoryLevels => &["item_id", "sku"],
            ImportType::Locations | ImportType::Shipments => &["id", "name"],
            ImportType::PackageTypes => &["id", "handle"],
        }
    }

    /// Returns a header and an example row, as CSV.
    pub fn template(self) -> (Vec<&'static str>, Vec<&'static str>) {
        let shown = self.columns().iter().filter(|column| !column.example.is_empty());
        shown.map(|column| (column.name, column.example)).unzip()
    }
}

/// Returns the form in which the names of columns are compared: letters and digits, in lower case.
pub fn comparable_name(name: &str) -> String {
    name.chars().filter(|char| char.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// A row that sets the stock of an item at a location.
#[derive(Deserialize, Clone, Debug, PartialEq)]
pub struct LevelRow {
    pub sku: Option<String>,
    pub item_id: Option<Id<InventoryItem>>,
    pub location: Option<String>,
    pub location_id: Option<Id<Location>>,
    pub on_hand: i64,
    pub expected_on_hand: Option<i64>,
    pub bin: Option<String>,
    pub reorder_point: Option<i64>,
}

impl Input for LevelRow {
    const SHAPE: &'static Shape = &LEVEL_ROW;
}

static EXPORTED: Shape = Shape::text(0, 255, "What an export says beside it. Imports leave it out.");
static SKU: Shape = Shape::text(1, 100, "The item's own code, if it is not named by `item_id`.");

/// A row that sets the stock of an item at a location.
pub static LEVEL_ROW: Shape = Shape::object(
    "ImportedLevel",
    &[
        Field::optional("sku", &SKU),
        Field::optional("item_id", &ITEM_ID),
        Field::optional("location", &LOCATION_NAME),
        Field::optional("location_id", &LOCATION_ID),
        Field::required("on_hand", &COUNT),
        Field::optional("expected_on_hand", &COUNT),
        Field::optional("bin", &BIN),
        Field::optional("reorder_point", &REORDER_POINT),
        Field::given_or_null("allocated", &EXPORTED),
        Field::given_or_null("available", &EXPORTED),
        Field::given_or_null("low_stock", &EXPORTED),
        Field::given_or_null("updated_at", &EXPORTED),
    ],
    "What is on hand of an item at a location, as counted.",
);
