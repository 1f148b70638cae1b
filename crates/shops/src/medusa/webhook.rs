//! What a subscriber of a Medusa shop posts: an event as Medusa has it, `{"name": …, "data": …}`, with base64 of the
//! HMAC-SHA256 of the body in the header `X-Dockside-Signature`.

use serde_json::Value;

use crate::json::text;
use crate::webhook::{News, ReceivedWebhook};

/// How ids of orders begin.
const PREFIX: &str = "order_";

/// Says what a signed message tells: `{"name":"order.placed","data":{"id":"order_…"}}`. Events of fulfilments and
/// returns name the order as `order_id`.
pub fn read(webhook: &ReceivedWebhook<'_>) -> News {
    let Ok(body) = serde_json::from_slice::<Value>(webhook.body) else {
        return News::Unreadable("The message is no JSON.".to_owned());
    };
    let data = &body["data"];
    let ids = [&data["order_id"], &data["id"]].into_iter().filter_map(text);
    let mut orders = ids.filter(|id| id.starts_with(PREFIX));
    match (orders.next(), data) {
        (Some(order), _) => News::Changed(order),
        (None, Value::Object(_)) => News::Other,
        (None, _) => News::Unreadable("The message has no `data`.".to_owned()),
    }
}
