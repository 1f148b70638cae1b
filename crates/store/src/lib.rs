//! All SQL. `engine` knows no domain. The other modules, one per group of tables, know no engine.
//!
//! Architecture Invariant: every statement names its owner, except for the few that span organisations and say so.

pub mod access;
pub mod events;
pub mod exchange;
pub mod fulfilment;
pub mod orders;
pub mod places;
pub mod platform;
pub mod shipping;
pub mod stock;

pub use platform::engine::{
    Access, DatabaseFile, Db, FairPermit, FairPermits, Listener, PAYLOAD_BYTES_MAX, Place, Snapshot, Sql, Tx,
};
pub use platform::page::{Order, Page, Start};

/// Returns every statement, so that a test can prepare each of them on both engines.
pub fn statements() -> impl Iterator<Item = &'static Sql> {
    [
        access::access_tokens::STATEMENTS,
        orders::allocations::STATEMENTS,
        events::announcements::STATEMENTS,
        stock::audit::STATEMENTS,
        stock::bins::STATEMENTS,
        shipping::batch_labels::STATEMENTS,
        shipping::batch_members::STATEMENTS,
        shipping::batches::STATEMENTS,
        shipping::carrier_accounts::STATEMENTS,
        shipping::carrier_tokens::STATEMENTS,
        platform::clocks::STATEMENTS,
        shipping::documents::STATEMENTS,
        events::events::STATEMENTS,
        platform::idempotency::STATEMENTS,
        platform::installation::STATEMENTS,
        stock::inventory_barcodes::STATEMENTS,
        stock::inventory_items::STATEMENTS,
        stock::item_filters::STATEMENTS,
        stock::inventory_levels::STATEMENTS,
        places::location_configurations::STATEMENTS,
        places::location_users::STATEMENTS,
        places::locations::STATEMENTS,
        shipping::manifest_shipments::STATEMENTS,
        shipping::manifests::STATEMENTS,
        platform::nodes::STATEMENTS,
        orders::order_facets::STATEMENTS,
        orders::order_filters::STATEMENTS,
        orders::order_references::STATEMENTS,
        orders::orders::STATEMENTS,
        access::identities::STATEMENTS,
        access::mails::STATEMENTS,
        access::organisations::STATEMENTS,
        access::passkeys::STATEMENTS,
        access::password_resets::STATEMENTS,
        places::postal_places::STATEMENTS,
        places::rule_users::STATEMENTS,
        access::provisions::STATEMENTS,
        access::roles::STATEMENTS,
        access::sessions::STATEMENTS,
        access::sign_ins::STATEMENTS,
        access::spent_challenges::STATEMENTS,
        access::users::STATEMENTS,
        shipping::purchases::STATEMENTS,
        events::relay::STATEMENTS,
        platform::restorations::STATEMENTS,
        shipping::package_contents::STATEMENTS,
        fulfilment::brandings::STATEMENTS,
        fulfilment::package_types::STATEMENTS,
        shipping::sandbox_entries::STATEMENTS,
        shipping::shipments::STATEMENTS,
        shipping::order_shipments::STATEMENTS,
        shipping::hand_overs::STATEMENTS,
        fulfilment::shipping_rules::STATEMENTS,
        fulfilment::warehouse_papers::STATEMENTS,
        fulfilment::print_jobs::STATEMENTS,
        fulfilment::print_queues::STATEMENTS,
        fulfilment::printers::STATEMENTS,
        orders::order_turns::STATEMENTS,
        fulfilment::waves::STATEMENTS,
        fulfilment::wave_orders::STATEMENTS,
        fulfilment::wave_batches::STATEMENTS,
        fulfilment::scans::STATEMENTS,
        events::stream_audience::STATEMENTS,
        events::stream_relays::STATEMENTS,
        events::streams::STATEMENTS,
        platform::suspects::STATEMENTS,
        shipping::tracking_events::STATEMENTS,
        events::webhook_deliveries::STATEMENTS,
        events::webhook_endpoints::STATEMENTS,
        events::webhook_lanes::STATEMENTS,
        events::webhook_successes::STATEMENTS,
        platform::search_terms::STATEMENTS,
        shipping::shipment_facets::STATEMENTS,
        shipping::shipment_filters::STATEMENTS,
        exchange::exports::STATEMENTS,
        exchange::imports::STATEMENTS,
        exchange::import_rows::STATEMENTS,
        exchange::import_keys::STATEMENTS,
        exchange::sample_data::STATEMENTS,
        exchange::search::STATEMENTS,
        exchange::search_fill::STATEMENTS,
        exchange::summary::STATEMENTS,
        exchange::costs::STATEMENTS,
        shipping::duplicate_charges::STATEMENTS,
    ]
    .into_iter()
    .flatten()
    .copied()
}
