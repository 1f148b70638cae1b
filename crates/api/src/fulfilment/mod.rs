//! Fulfilment: the endpoints of package types, packings, shipping rules, papers and branding.

pub(crate) mod branding;
pub(crate) mod package_types;
pub(crate) mod packings;
pub(crate) mod papers;
pub(crate) mod shipping_rules;
