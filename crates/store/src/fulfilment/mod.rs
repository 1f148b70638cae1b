//! Fulfilment: the tables of package types and shipping rules.

pub mod package_types;
pub mod shipping_rules;
