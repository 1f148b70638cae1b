//! Fulfilment: the endpoints of package types, packings, shipping rules and printing.

pub(crate) mod package_types;
pub(crate) mod packings;
pub(crate) mod print_jobs;
pub(crate) mod printers;
pub(crate) mod shipping_rules;
