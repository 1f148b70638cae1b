//! Places: operations on locations, location configurations and postal places.

pub(crate) mod geo;
pub(crate) mod location_configurations;
pub(crate) mod locations;
pub(crate) mod post_codes;
pub(crate) mod rule_users;
