//! Places: routes of locations and location configurations.

pub(crate) mod location_configurations;
pub(crate) mod locations;
