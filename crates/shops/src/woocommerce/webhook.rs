//! WooCommerce's webhooks: an order as it is, or the id of one that was deleted.

use serde_json::Value;

use super::http::words;
use super::order;
use crate::json::id;
use crate::shop::Shop;
use crate::signature;
use crate::webhook::{News, ReceivedWebhook, Signature};

const SIGNATURE: &str = "X-WC-Webhook-Signature";
const TOPIC: &str = "X-WC-Webhook-Topic";
/// What the ping consists of: this and the number of the webhook.
const PING: &[u8] = b"webhook_id=";
/// Digits that the number of a webhook may have.
const NUMBER_DIGITS_MAX: usize = 20;

/// Checks the signature, and tells the ping that comes without one.
pub fn check_signature(secrets: &[&str], webhook: &ReceivedWebhook<'_>) -> Signature {
    match signature::check(secrets, webhook, SIGNATURE) {
        Signature::Missing if is_ping(webhook.body) => Signature::UnsignedPing,
        signature => signature,
    }
}

fn is_ping(body: &[u8]) -> bool {
    let number = body.strip_prefix(PING).unwrap_or_default();
    (1..=NUMBER_DIGITS_MAX).contains(&number.len()) && number.iter().all(u8::is_ascii_digit)
}

/// Says what a signed webhook tells. The topic is not signed, so it decides only what is left out.
pub fn read(shop: &Shop, webhook: &ReceivedWebhook<'_>) -> News {
    let topic = webhook.header(TOPIC);
    if !topic.is_empty() && !topic.starts_with("order.") {
        return News::Other;
    }
    let Ok(body) = serde_json::from_slice::<Value>(webhook.body) else {
        return News::Unreadable("The webhook is no JSON.".to_owned());
    };
    if body.get("line_items").is_none() {
        // An order that was deleted, or that the user of the webhook may not read.
        return match (words(&body), id(&body["id"])) {
            (None, Some(id)) => News::Changed(id),
            (Some(words), _) => {
                News::Unreadable(format!("WooCommerce sent an error in place of the order: {words}"))
            }
            (None, None) => News::Unreadable("The webhook names no order.".to_owned()),
        };
    }
    match order::read(shop, &body) {
        Ok(order) => News::Order(Box::new(order)),
        Err(why) => News::Unreadable(why),
    }
}
