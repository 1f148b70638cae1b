//! Shipping: the tables of carrier accounts, shipments, purchases, documents, batches, manifests and tracking.

pub mod batch_labels;
pub mod batch_members;
pub mod batches;
pub mod carrier_accounts;
pub mod carrier_tokens;
pub mod documents;
pub mod duplicate_charges;
pub mod hand_overs;
pub mod manifest_shipments;
pub mod manifests;
pub mod order_shipments;
pub mod package_contents;
pub mod purchases;
pub mod sandbox_entries;
pub(crate) mod shipment_facets;
pub mod shipment_filters;
pub mod shipments;
pub mod tracking_events;
