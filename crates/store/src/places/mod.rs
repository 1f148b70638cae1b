//! Places: the tables of locations, location configurations and postal places.

pub mod location_configurations;
pub mod location_users;
pub mod locations;
pub mod postal_places;
pub mod rule_users;
