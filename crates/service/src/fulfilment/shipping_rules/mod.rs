//! Shipping rules: operations on them, and their evaluation for other components.

mod evaluation;
mod operations;
mod positions;
mod references;
mod stored;

pub use evaluation::{facts_of_order, facts_of_shipment, facts_of_stored_shipment, facts_of_units, rule_set};
pub use operations::ShippingRules;
