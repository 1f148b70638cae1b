//! Access: callers, their commands and the replies to them; operations on organisations and access tokens.

pub mod access_tokens;
pub(crate) mod address_limit;
pub(crate) mod caller;
pub mod mails;
pub(crate) mod new_session;
pub(crate) mod organisations;
pub(crate) mod password_checks;
pub(crate) mod passwords;
pub(crate) mod reply;
pub(crate) mod rights;
pub(crate) mod sessions;
pub(crate) mod write;
