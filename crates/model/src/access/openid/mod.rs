//! Signing in with OpenID Connect: what the answers of an identity provider mean, and whom they let in.
//!
//! Everything here is pure. The service asks the provider and passes the time in.

pub mod console_path;
pub mod entry;
pub mod id_token;
pub mod identity;
pub mod key_set;
pub mod provider;
pub mod refusal;
#[cfg(test)]
mod tests;

/// How long a person may take at the provider, in seconds.
pub const ATTEMPT_SECONDS: i64 = 10 * 60;
