//! Shipments from orders, hand-overs, scans, short picks, package types, packings, shipping rules, waves, papers, branding,
//! printing, and what packages of shipments say of their contents.

pub mod batch_papers;
pub mod branding;
pub mod hand_overs;
pub mod order_shipments;
pub mod package_contents;
pub mod package_types;
pub mod packings;
pub mod papers;
pub mod pick_lists;
pub mod print_agents;
pub mod print_jobs;
pub mod print_recovery;
pub mod print_renditions;
pub mod printers;
pub mod rule_evaluation;
pub mod rule_order;
pub mod rule_printers;
pub mod scan_steps;
pub mod scans;
pub mod shipment_units;
pub mod shipping_rules;
pub mod shorts;
pub mod waves;
