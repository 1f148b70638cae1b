//! Fulfilment: the tables of shipping rules, and what they are compared with.

pub mod shipped_items;
pub mod shipping_rules;
