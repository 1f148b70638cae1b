//! Shopify's webhooks: an order as it is, or the id of one.

use serde_json::Value;

use super::order_webhook;
use crate::json::id;
use crate::shop::Shop;
use crate::webhook::{News, ReceivedWebhook};

const TOPIC: &str = "X-Shopify-Topic";

/// Says what a signed webhook tells. The topic is not signed, so it decides only what is left out.
pub fn read(shop: &Shop, webhook: &ReceivedWebhook<'_>) -> News {
    let topic = webhook.header(TOPIC);
    if !topic.is_empty() && !topic.starts_with("orders/") {
        return News::Other;
    }
    let Ok(body) = serde_json::from_slice::<Value>(webhook.body) else {
        return News::Unreadable("The webhook is no JSON.".to_owned());
    };
    // A fulfilment or a refund, which have lines, too, names its order.
    if let Some(order) = id(&body["order_id"]) {
        return News::Changed(order);
    }
    let Some(order) = id(&body["id"]) else {
        return News::Unreadable("The webhook names no order.".to_owned());
    };
    // An order that was deleted has an id alone, and a webhook may be set up to have a few fields.
    let is_whole =
        ["line_items", "financial_status", "updated_at"].iter().all(|field| body.get(field).is_some());
    if !is_whole {
        return News::Changed(order);
    }
    match order_webhook::read(shop, &body) {
        Ok(order) => News::Order(Box::new(order)),
        Err(why) => News::Unreadable(why),
    }
}
