//! Taking back the report of a shipment at Shopify: its fulfilments are cancelled, and what they had is to be shipped
//! again.

use serde_json::json;

use super::fulfilment_orders::reported;
use super::graphql::{change, refuse_errors};
use super::queries;
use crate::exchanges::{Exchanges, Run};
use crate::shop::Shop;
use crate::task::{Outcome, Shipped};

/// Cancels the fulfilments that have the tracking number, if there are some.
pub fn cancel(shop: &Shop, shipped: &Shipped, exchanges: &mut Exchanges<'_>) -> Run<Outcome> {
    for id in reported(shop, shipped, exchanges)? {
        let payload =
            change(shop, queries::CANCEL_FULFILMENT, json!({"id": id}), "fulfillmentCancel", exchanges)?;
        refuse_errors(&payload)?;
    }
    Ok(Outcome::FulfilmentCancelled)
}
