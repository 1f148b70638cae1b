//! Shipments from orders, hand-overs, package types, packings, shipping rules, and what packages of shipments say of their contents.

pub mod hand_overs;
pub mod order_shipments;
pub mod package_contents;
pub mod package_types;
pub mod packings;
pub mod rule_evaluation;
pub mod rule_order;
pub mod shipping_rules;
