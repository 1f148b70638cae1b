//! Access: organisations, users, roles, sessions, access tokens and scopes.

pub mod access_token;
pub mod credential;
pub mod link_mail;
pub mod me;
pub mod openid;
pub mod organisation;
pub mod passkey;
pub mod password;
pub mod password_reset;
pub mod role;
pub mod scope;
pub mod session;
pub mod signature;
pub mod user;
