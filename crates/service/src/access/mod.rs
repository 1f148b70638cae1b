//! Access: callers, their commands and the replies to them; operations on organisations and access tokens.

pub mod access_tokens;
pub(crate) mod caller;
pub(crate) mod organisations;
pub(crate) mod reply;
pub(crate) mod write;
