//! Fulfilment: how the items of an order become parcels.

pub(crate) mod branding;
pub(crate) mod order_changes;
pub(crate) mod order_shipments;
pub(crate) mod package_types;
pub(crate) mod packings;
pub(crate) mod papers;
pub mod print_jobs;
pub(crate) mod printers;
pub mod scans;
pub mod shipping_rules;
pub mod shorts;
pub(crate) mod waves;
