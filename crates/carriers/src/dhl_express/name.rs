//! The name of the carrier.

/// The carrier's name in messages for people.
pub const CARRIER: &str = "DHL Express";
