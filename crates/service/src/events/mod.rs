//! Events: the event log, and the ways by which clients get events: webhooks, streams, and hints between servers.

pub(crate) mod access_ends;
pub(crate) mod after_commit;
pub mod bus;
pub mod delivery;
#[expect(clippy::module_inception, reason = "the area has the name of its main resource")]
pub mod events;
pub(crate) mod me;
pub mod openid;
pub mod passkeys;
pub mod password_resets;
pub mod provisioned;
pub mod provisions;
pub(crate) mod relay;
pub mod revocations;
pub mod roles;
pub mod sign_ins;
pub(crate) mod stored_endpoints;
pub mod stream;
pub mod users;
pub(crate) mod webhook_deliveries;
pub(crate) mod webhook_endpoints;
