//! Fulfilment: the endpoints of shipments from orders, package types, packings, scans, shipping rules, papers, branding, printing
//! and waves.

pub(crate) mod branding;
pub(crate) mod order_shipments;
pub(crate) mod package_types;
pub(crate) mod packings;
pub(crate) mod papers;
pub(crate) mod print_jobs;
pub(crate) mod printers;
pub(crate) mod scans;
pub(crate) mod shipping_rules;
pub(crate) mod waves;
