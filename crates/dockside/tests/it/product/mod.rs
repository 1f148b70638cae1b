//! Checks that go through the whole product: every operation, every field, every organisation.

pub mod any_input;
pub mod any_shipment;
pub mod bad_fields;
pub mod bad_input;
pub mod bad_queries;
pub mod bounds;
pub mod cleaning;
pub mod console_pages;
pub mod contract;
pub mod descriptions;
pub mod docs_pages;
pub mod messages;
pub mod no_bodies;
pub mod retention;
pub mod round_trips;
pub mod suspects;
pub mod suspects_of_many;
pub mod tenant_isolation;
