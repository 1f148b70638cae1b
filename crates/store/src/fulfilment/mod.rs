//! Fulfilment: the tables of package types.

pub mod package_types;
