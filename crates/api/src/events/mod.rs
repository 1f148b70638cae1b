//! Events: routes of events and webhook endpoints.

#[expect(clippy::module_inception, reason = "the area has the name of its main resource")]
pub(crate) mod events;
pub(crate) mod webhook_endpoints;
