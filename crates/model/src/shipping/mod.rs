//! Shipping: carriers, shipments, rates, purchases, documents, batches, manifests and tracking.

pub mod batch;
pub mod carrier;
pub mod document;
pub mod indexed_shipment;
pub mod manifest;
pub mod purchase;
pub mod rate;
pub mod searched_batch;
pub mod searched_shipment;
pub mod shipment;
pub mod tracking;
