//! Fulfilment: the tables of package types and shipping rules, and what the rules are compared with.

pub mod package_types;
pub mod shipped_items;
pub mod shipping_rules;
