//! Access: organisations, access tokens and scopes.

pub mod access_token;
pub mod me;
pub mod organisation;
pub mod scope;
