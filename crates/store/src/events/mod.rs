//! Events: the tables of the event log, of streams, and of webhook endpoints and their deliveries.

pub mod announcements;
#[expect(clippy::module_inception, reason = "the area has the name of its main resource")]
pub mod events;
pub mod relay;
pub mod stream_audience;
pub mod stream_relays;
pub mod streams;
pub mod webhook_deliveries;
pub mod webhook_endpoints;
pub mod webhook_lanes;
pub mod webhook_successes;
