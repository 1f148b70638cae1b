//! Fulfilment: operations on shipping rules.

pub mod shipping_rules;
