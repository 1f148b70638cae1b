//! Shipping rules.

pub mod rule_evaluation;
pub mod rule_order;
pub mod shipping_rules;
