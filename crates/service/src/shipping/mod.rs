//! Shipping: carriers and their accounts, shipments, rates, purchases, documents, batches and manifests.

pub(crate) mod account_details;
pub(crate) mod account_tests;
pub(crate) mod batch_labels;
pub(crate) mod batches;
pub(crate) mod carrier_accounts;
pub(crate) mod carrier_calls;
mod carrier_labels;
mod carrier_requests;
mod carrier_tokens;
pub(crate) mod carrier_webhooks;
pub(crate) mod carriers;
pub mod documents;
pub(crate) mod drawing;
pub(crate) mod drawn_label;
pub mod hand_over;
pub(crate) mod manifests;
pub(crate) mod order_contents;
pub mod purchasing;
pub(crate) mod rates;
pub(crate) mod shipments;
pub(crate) mod time_zones;
