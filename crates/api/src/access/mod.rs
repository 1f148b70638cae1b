//! Access: what a route is and who may call it, authenticated calls, and the routes of organisations, access
//! tokens and OAuth.

pub(crate) mod access_tokens;
pub(crate) mod admission;
pub(crate) mod call;
pub(crate) mod cookie;
pub(crate) mod oauth;
pub(crate) mod organisations;
pub(crate) mod respond;
pub mod route;
pub(crate) mod state;
pub(crate) mod table;
