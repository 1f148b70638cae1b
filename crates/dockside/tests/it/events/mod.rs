//! The event log, streams and webhooks.

pub mod actors;
pub mod centrifugo;
pub mod event_log;
pub mod event_scopes;
#[expect(clippy::module_inception, reason = "the area has the name of its main resource")]
pub mod events;
pub mod events_tail;
pub mod hints;
pub mod mails;
pub mod numbering;
pub mod openid;
pub mod passkeys;
pub mod password_resets;
pub mod provisions;
pub mod revocations;
pub mod stream_connections;
pub mod stream_ends;
pub mod stream_large_events;
pub mod stream_overtaking;
pub mod stream_positions;
pub mod stream_recovery;
pub mod stream_tokens;
pub mod webhook_deliveries;
pub mod webhook_disabling;
pub mod webhook_endpoints;
pub mod webhook_nodes;
pub mod webhook_replays;
pub mod webhook_retries;
pub mod webhook_secrets;
