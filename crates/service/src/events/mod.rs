//! Events: the event log, and the ways by which clients get events: webhooks, streams, and hints between servers.

pub mod bus;
pub mod delivery;
#[expect(clippy::module_inception, reason = "the area has the name of its main resource")]
pub mod events;
pub(crate) mod relay;
pub mod stream;
pub(crate) mod webhook_deliveries;
pub(crate) mod webhook_endpoints;
