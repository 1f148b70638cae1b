//! The version of the API.

/// The version of the API that this server implements.
pub const VERSION: &str = "2026-11-01";
