//! Fulfilment: the tables of package types, shipping rules, brandings and printing, and what papers show.

pub mod brandings;
pub mod package_types;
pub mod print_jobs;
pub mod print_queues;
pub mod printers;
pub mod shipping_rules;
pub mod warehouse_papers;
