//! Access: routes of organisations and access tokens, and OAuth.

pub(crate) mod access_tokens;
pub(crate) mod oauth;
pub(crate) mod organisations;
