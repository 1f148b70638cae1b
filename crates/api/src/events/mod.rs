//! Events: routes of events, webhook endpoints and revocations, and the connections of event streams.

pub(crate) mod connection;
#[expect(clippy::module_inception, reason = "the area has the name of its main resource")]
pub(crate) mod events;
pub(crate) mod revocations;
pub(crate) mod webhook_endpoints;
