//! Access: the tables of organisations, users, roles, passkeys, sessions, e-mails, access tokens and provisions.

pub mod access_tokens;
pub mod identities;
pub mod mails;
pub mod organisations;
pub mod passkeys;
pub mod password_resets;
pub mod provisions;
pub mod roles;
pub mod sessions;
pub mod sign_ins;
pub mod spent_challenges;
pub mod users;
