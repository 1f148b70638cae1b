//! Organisations, access tokens, scopes and provisions.

pub mod access_tokens;
pub mod authorisation;
pub mod organisations;
pub mod sessions;
pub mod users;
