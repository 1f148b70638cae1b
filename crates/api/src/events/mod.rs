//! Events: routes of events, webhook endpoints and revocations, the connections of event streams, and routes of users, roles,
//! sessions and passkeys, whose changes are events.

pub(crate) mod connection;
#[expect(clippy::module_inception, reason = "the area has the name of its main resource")]
pub(crate) mod events;
pub(crate) mod openid;
pub(crate) mod passkeys;
pub(crate) mod password_resets;
pub(crate) mod revocations;
pub(crate) mod roles;
pub(crate) mod sessions;
pub(crate) mod users;
pub(crate) mod webhook_endpoints;
