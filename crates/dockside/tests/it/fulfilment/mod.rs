//! Package types, packings, shipping rules, printing, and what packages of shipments say of their contents.

pub mod package_contents;
pub mod package_types;
pub mod packings;
pub mod print_agents;
pub mod print_jobs;
pub mod print_recovery;
pub mod printers;
pub mod rule_evaluation;
pub mod rule_order;
pub mod shipping_rules;
