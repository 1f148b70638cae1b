//! Shipping: carriers, shipments, rates, purchases, documents, batches, manifests and tracking.

pub mod batch;
pub mod carrier;
pub mod document;
pub mod manifest;
pub mod purchase;
pub mod rate;
pub mod shipment;
pub mod tracking;
