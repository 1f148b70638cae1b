//! The tasks of which the sample shop is made.

use serde_json::Value;

/// What a task makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    Location,
    LocationConfiguration,
    PackageType,
    ShippingRule,
    InventoryItem,
    InventoryLevel,
    Order,
    OrderHold,
    OrderException,
    OrderPlan,
    Wave,
    Manifest,
}

/// The words of all kinds, in their order.
pub(super) const KIND_WORDS: [&str; 12] = [
    "locations",
    "location_configurations",
    "package_types",
    "shipping_rules",
    "inventory_items",
    "inventory_levels",
    "orders",
    "order_holds",
    "order_exceptions",
    "order_plans",
    "waves",
    "manifests",
];

impl Kind {
    pub fn as_str(self) -> &'static str {
        KIND_WORDS[self as usize]
    }
}

/// Something that is made once.
#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    /// Tells the task from all others, whatever the version of the program.
    pub key: String,
    pub kind: Kind,
    /// The keys of the resources that the task is about, such as the item and the location of a level.
    pub of: Vec<String>,
    /// The body of the request, with keys in place of ids.
    pub body: Value,
}

impl Task {
    pub(super) fn new(kind: Kind, key: String, body: Value) -> Self {
        Self { key, kind, of: Vec::new(), body }
    }

    pub(super) fn of(mut self, keys: &[String]) -> Self {
        self.of = keys.to_vec();
        self
    }
}
