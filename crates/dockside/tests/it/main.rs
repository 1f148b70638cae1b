//! The integration suite: HTTP to the whole product, once per engine. `TEST_DB` is `sqlite` (default) or `postgres`.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that fails should stop there"
)]

mod easypost_desk;
mod home;
mod hook;
mod listener;
mod nats;
mod packer;
mod party;
mod ramp;
mod receiver;
mod shipper;
mod shop;
mod world;

mod access_tokens;
mod after_purchase;
mod allocation_changes;
mod allocations;
mod any_input;
mod any_shipment;
mod authorisation;
mod backorder;
mod bad_fields;
mod bad_input;
mod bad_queries;
mod batch_counts;
mod batch_purchases;
mod batch_services;
mod batch_shipments;
mod batches;
mod carrier_accounts;
mod carriers;
mod centrifugo;
mod contract;
mod easypost;
mod easypost_webhooks;
mod event_log;
mod events;
mod events_tail;
mod files;
mod geo;
mod headers;
mod hints;
mod idempotency;
mod inventory;
mod lists;
mod location_configurations;
mod locations;
mod manifest_batches;
mod manifest_closing;
mod manifest_nodes;
mod manifests;
mod orders;
mod plans;
mod preconditions;
mod provisions;
mod purchases;
mod rates;
mod reservations;
mod shipment_values;
mod shipments;
mod stock_events;
mod strangers;
mod stream_connections;
mod stream_ends;
mod stream_overtaking;
mod stream_positions;
mod stream_recovery;
mod stream_tokens;
mod webhook_deliveries;
mod webhook_disabling;
mod webhook_endpoints;
mod webhook_nodes;
mod webhook_replays;
mod webhook_retries;
mod webhook_secrets;
