//! All SQL. `engine` knows no domain; the other modules, one per group of tables, know no engine.
//!
//! Architecture Invariant: every statement names its owner, except the few that are written for work that spans
//! organisations, and say so.

pub mod access_tokens;
pub mod allocations;
pub mod announcements;
pub mod audit;
pub mod batch_members;
pub mod batches;
pub mod carrier_accounts;
pub mod documents;
pub mod engine;
pub mod events;
pub mod idempotency;
pub mod installation;
pub mod inventory_items;
pub mod inventory_levels;
pub mod location_configurations;
pub mod locations;
pub mod manifest_shipments;
pub mod manifests;
pub mod nodes;
pub mod orders;
pub mod organisations;
pub mod page;
pub mod postal_places;
pub mod provisions;
pub mod purchases;
pub mod restorations;
pub mod sandbox_entries;
pub mod shipments;
pub mod stream_audience;
pub mod stream_relays;
pub mod streams;
pub mod tracking_events;
pub mod webhook_deliveries;
pub mod webhook_endpoints;
pub mod webhook_lanes;
pub mod webhook_successes;

pub use engine::{Access, Db, Listener, PAYLOAD_BYTES_MAX, Place, Sql, Tx};
pub use page::{Order, Page, Start};

/// Every statement there is, so that a test can prepare each on both engines.
pub fn statements() -> impl Iterator<Item = &'static Sql> {
    [
        access_tokens::STATEMENTS,
        allocations::STATEMENTS,
        announcements::STATEMENTS,
        audit::STATEMENTS,
        batch_members::STATEMENTS,
        batches::STATEMENTS,
        carrier_accounts::STATEMENTS,
        documents::STATEMENTS,
        events::STATEMENTS,
        idempotency::STATEMENTS,
        installation::STATEMENTS,
        inventory_items::STATEMENTS,
        inventory_levels::STATEMENTS,
        location_configurations::STATEMENTS,
        locations::STATEMENTS,
        manifest_shipments::STATEMENTS,
        manifests::STATEMENTS,
        nodes::STATEMENTS,
        orders::STATEMENTS,
        organisations::STATEMENTS,
        postal_places::STATEMENTS,
        provisions::STATEMENTS,
        purchases::STATEMENTS,
        restorations::STATEMENTS,
        sandbox_entries::STATEMENTS,
        shipments::STATEMENTS,
        stream_audience::STATEMENTS,
        stream_relays::STATEMENTS,
        streams::STATEMENTS,
        tracking_events::STATEMENTS,
        webhook_deliveries::STATEMENTS,
        webhook_endpoints::STATEMENTS,
        webhook_lanes::STATEMENTS,
        webhook_successes::STATEMENTS,
    ]
    .into_iter()
    .flatten()
    .copied()
}
