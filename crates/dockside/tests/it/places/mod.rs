//! Locations, location configurations and addresses.

pub mod addresses;
pub mod geo;
pub mod location_configurations;
pub mod locations;
