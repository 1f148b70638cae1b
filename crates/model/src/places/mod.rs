//! Places: addresses, countries, locations and location configurations.

pub mod address;
pub mod closing;
pub mod country;
pub mod geo;
pub mod location;
pub mod location_configuration;
pub mod post_code;
pub mod province;
pub mod sandbox_address;
pub mod searched_location;
