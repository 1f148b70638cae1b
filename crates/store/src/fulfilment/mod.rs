//! Fulfilment: the tables of package types, shipping rules and printing.

pub mod package_types;
pub mod print_jobs;
pub mod print_queues;
pub mod printers;
pub mod shipping_rules;
