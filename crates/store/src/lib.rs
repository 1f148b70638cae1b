//! All SQL. `engine` knows no domain. The other modules, one per group of tables, know no engine.
//!
//! Architecture Invariant: every statement names its owner, except for the few that span organisations and say so.

pub mod access_tokens;
pub mod allocations;
pub mod announcements;
pub mod audit;
pub mod batch_labels;
pub mod batch_members;
pub mod batches;
pub mod carrier_accounts;
pub mod cleaning;
pub mod clocks;
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
pub mod order_references;
pub mod orders;
pub mod organisations;
pub mod page;
pub mod postal_places;
pub mod provisions;
pub mod purchases;
pub mod relay;
pub mod restorations;
pub mod sandbox_entries;
pub mod shipments;
pub mod stream_audience;
pub mod stream_relays;
pub mod streams;
pub mod suspects;
pub mod tracking_events;
pub mod webhook_deliveries;
pub mod webhook_endpoints;
pub mod webhook_lanes;
pub mod webhook_successes;

pub use engine::{Access, Db, FairPermit, FairPermits, Listener, PAYLOAD_BYTES_MAX, Place, Sql, Tx};
pub use page::{Order, Page, Start};

/// Returns every statement, so that a test can prepare each of them on both engines.
pub fn statements() -> impl Iterator<Item = &'static Sql> {
    [
        access_tokens::STATEMENTS,
        allocations::STATEMENTS,
        announcements::STATEMENTS,
        audit::STATEMENTS,
        batch_labels::STATEMENTS,
        batch_members::STATEMENTS,
        batches::STATEMENTS,
        carrier_accounts::STATEMENTS,
        cleaning::STATEMENTS,
        clocks::STATEMENTS,
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
        order_references::STATEMENTS,
        orders::STATEMENTS,
        organisations::STATEMENTS,
        postal_places::STATEMENTS,
        provisions::STATEMENTS,
        purchases::STATEMENTS,
        relay::STATEMENTS,
        restorations::STATEMENTS,
        sandbox_entries::STATEMENTS,
        shipments::STATEMENTS,
        stream_audience::STATEMENTS,
        stream_relays::STATEMENTS,
        streams::STATEMENTS,
        suspects::STATEMENTS,
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
