//! Fulfilment: the tables of package types, shipping rules, brandings, scans, printing and waves, and what papers show.

pub mod brandings;
pub mod package_types;
pub mod print_jobs;
pub mod print_queues;
pub mod printers;
pub mod scans;
pub mod shipping_rules;
pub mod warehouse_papers;
pub mod wave_batches;
pub mod wave_orders;
pub mod waves;
