//! Access: operations on organisations, access tokens and provisions.

pub mod access_tokens;
pub(crate) mod order_references;
pub(crate) mod organisations;
pub mod provisions;
pub mod revocations;
