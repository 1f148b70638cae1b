//! Access: the tables of organisations, access tokens and provisions.

pub mod access_tokens;
pub mod organisations;
pub mod provisions;
