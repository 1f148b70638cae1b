//! Fulfilment: how the items of an order become parcels.

pub(crate) mod package_types;
pub(crate) mod packings;
pub mod print_jobs;
pub(crate) mod printers;
pub mod shipping_rules;
