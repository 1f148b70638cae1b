//! The columns of exports. They are part of the API: new ones come last, and none is renamed or removed.

use super::ExportType;
use crate::exchange::import::columns::{CellKind, Column};

/// A column of an export.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExportColumn {
    pub name: &'static str,
    /// Where its value is in the resource. `*` stands for the entry of the list that makes the row.
    pub path: &'static str,
    /// Whether an import of the same type reads it.
    pub is_imported: bool,
}

/// Names and paths of columns.
type Pairs = &'static [(&'static str, &'static str)];

const ORDERS: Pairs = &[
    ("line_id", "lines/*/id"),
    ("fulfilment_status", "fulfilment/status"),
    ("hold_reason", "hold/reason"),
    ("created_at", "created_at"),
    ("updated_at", "updated_at"),
];
const ORDER_LINES: Pairs = &[
    ("line_id", "lines/*/id"),
    ("order_id", "id"),
    ("reference", "reference"),
    ("status", "status"),
    ("channel", "channel"),
    ("placed_at", "placed_at"),
    ("ship_by", "ship_by"),
    ("customer_name", "customer/name"),
    ("customer_email", "customer/email_address"),
    ("recipient_name", "destination/contact/name"),
    ("city", "destination/address/city"),
    ("post_code", "destination/address/post_code"),
    ("country_code", "destination/address/country_code"),
    ("sku", "lines/*/sku"),
    ("item_id", "lines/*/item_id"),
    ("item_name", "lines/*/name"),
    ("quantity", "lines/*/quantity"),
    ("unit_price", "lines/*/unit_price"),
    ("currency_code", "currency_code"),
    ("external_line_id", "lines/*/external_line_id"),
    ("is_shippable", "lines/*/is_shippable"),
    ("fulfilment_status", "fulfilment/status"),
    ("created_at", "created_at"),
];
const SHIPMENTS: Pairs = &[
    ("tracking_number", "packages/*/tracking_number"),
    ("status", "status"),
    ("tracking_status", "tracking_status"),
    ("carrier", "service/carrier/handle"),
    ("service", "service/carrier_service/handle"),
    ("carrier_account_id", "service/carrier_account/id"),
    ("cost_amount", "cost/amount"),
    ("cost_currency_code", "cost/currency_code"),
    ("order_id", "order_id"),
    ("handed_over_at", "handed_over_at"),
    ("created_at", "created_at"),
    ("updated_at", "updated_at"),
];
const LEVELS: Pairs = &[
    ("allocated", "allocated"),
    ("available", "available"),
    ("low_stock", "low_stock"),
    ("updated_at", "updated_at"),
];
const HISTORY: Pairs = &[
    ("id", "id"),
    ("created_at", "created_at"),
    ("item_id", "item_id"),
    ("sku", "sku"),
    ("location_id", "location_id"),
    ("location", "location"),
    ("delta", "delta"),
    ("on_hand", "on_hand"),
    ("reason", "reason"),
    ("allocation_id", "allocation_id"),
];
const MANIFESTS: Pairs = &[
    ("id", "id"),
    ("status", "status"),
    ("carrier", "carrier/handle"),
    ("carrier_account_id", "carrier_account/id"),
    ("location_id", "location"),
    ("ship_date", "ship_date"),
    ("carrier_reference", "carrier_reference"),
    ("shipments_count", "shipments_count"),
    ("packages_count", "packages_count"),
    ("messages", "messages"),
    ("created_at", "created_at"),
    ("updated_at", "updated_at"),
];
const EVENTS: Pairs = &[
    ("sequence", "sequence"),
    ("id", "id"),
    ("type", "type"),
    ("created_at", "created_at"),
    ("actor_type", "actor/type"),
    ("actor_id", "actor/id"),
    ("actor_name", "actor/name"),
    ("resource_id", "data/object/id"),
    ("object", "data/object"),
    ("previous_attributes", "previous_attributes"),
];
const TIMES: Pairs = &[("created_at", "created_at"), ("updated_at", "updated_at")];

impl ExportType {
    /// Returns the columns, in their order: those that an import reads, then the others.
    pub fn columns(self) -> Vec<ExportColumn> {
        let imported = self.import().map_or(&[][..], |import| import.columns());
        let own = match self {
            Self::Orders => ORDERS,
            Self::OrderLines => ORDER_LINES,
            Self::Shipments => SHIPMENTS,
            Self::InventoryItems | Self::Locations | Self::PackageTypes => TIMES,
            Self::InventoryLevels => LEVELS,
            Self::LevelHistory => HISTORY,
            Self::Manifests => MANIFESTS,
            Self::Events => EVENTS,
        };
        let imported = imported.iter().filter(|column| is_written(column));
        let imported =
            imported.map(|column| ExportColumn { name: column.name, path: column.path, is_imported: true });
        let own = own.iter().map(|(name, path)| ExportColumn { name, path, is_imported: false });
        imported.chain(own).collect()
    }
}

/// Returns whether an export has a column of an import. Of several for one value, it has the one in our own form. What a count
/// expects is for files of counts.
fn is_written(column: &Column) -> bool {
    let is_own_form = match column.kind {
        CellKind::Part | CellKind::Price => false,
        CellKind::Number(scale) => scale == 1.0,
        _ => true,
    };
    is_own_form && column.name != "expected_on_hand"
}
