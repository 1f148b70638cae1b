//! Shipping: routes of carriers, shipments, batches, labels, manifests and files.

pub(crate) mod batch_labels;
pub(crate) mod batches;
pub(crate) mod carrier_webhooks;
pub(crate) mod carriers;
pub(crate) mod files;
pub(crate) mod manifests;
pub(crate) mod shipment_filters;
pub(crate) mod shipments;
