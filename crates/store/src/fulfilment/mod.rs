//! Fulfilment: the tables of package types, shipping rules and brandings, and what papers show.

pub mod brandings;
pub mod package_types;
pub mod shipping_rules;
pub mod warehouse_papers;
