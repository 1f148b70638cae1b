//! Shipments from orders: what a request may say, and how the units of an order become the details of shipments.
//!
//! It is pure. The caller reads the order, its allocations, items, package types, rules and configurations, and writes the
//! shipments.

mod building;
mod customs_items;
mod given_packages;
mod input;
mod order_to_ship;
#[cfg(test)]
mod tests;

pub use building::{LocationToShip, NewShipment, build};
pub use given_packages::{ensure_allocated, packages_of};
pub use input::{GivenPackage, ORDER_SHIPMENTS_INPUT, OrderShipmentsInput};
pub use order_to_ship::OrderToShip;
