//! Fulfilment: the endpoints of shipping rules.

pub(crate) mod shipping_rules;
