//! The name of the shop software.

/// The name of the shop software in messages for people.
pub const NAME: &str = "Shopify";
