//! Fulfilment: the routes of package types and packings.

pub(crate) mod package_types;
pub(crate) mod packings;
