//! Events: what an event is, and the webhook endpoints, deliveries and stream tokens by which clients get events.

pub mod actor;
pub mod event;
pub mod stream_token;
pub mod webhook_delivery;
pub mod webhook_endpoint;
