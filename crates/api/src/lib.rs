//! HTTP: the route table and everything that follows from it. The only crate that knows HTTP.
//!
//! A request is matched against the table, its caller is authenticated and checked for the route's access, and only
//! then a `Call` exists for a handler to work with: a handler without authorisation can't be written.

mod access;
mod docs;
mod events;
mod exchange;
mod fulfilment;
mod orders;
mod places;
mod platform;
pub mod routes;
pub mod server;
mod shipping;
mod stock;

pub use access::route;
pub use docs::openapi;
pub use platform::limits::{Limits, REQUEST_SECONDS_DEFAULT};
pub use platform::parameter;
pub use platform::response::{Body, CutOff};
pub use platform::version::VERSION;
pub use server::App;
