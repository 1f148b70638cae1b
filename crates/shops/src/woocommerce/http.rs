//! HTTP requests to WooCommerce, and its errors.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde_json::Value;

use super::name::NAME;
use crate::connector::Request;
use crate::exchanges::Reply;
use crate::failure::{Failure, FailureKind};
use crate::json::text;
use crate::shop::Shop;

/// The names of the credentials.
pub const KEY: &str = "consumer_key";
pub const SECRET: &str = "consumer_secret";

/// Builds a request to a path below the API's.
pub fn request(shop: &Shop, method: &'static str, path: &str, body: Option<&Value>) -> Request {
    let (key, secret) =
        (shop.credential(KEY).unwrap_or_default(), shop.credential(SECRET).unwrap_or_default());
    let mut headers = vec![
        ("accept", "application/json".to_owned()),
        ("authorization", format!("Basic {}", STANDARD.encode(format!("{key}:{secret}")))),
    ];
    if body.is_some() {
        headers.push(("content-type", "application/json".to_owned()));
    }
    Request {
        method,
        url: shop.at(&format!("/wp-json/wc/v3{path}")),
        headers,
        body: body.map(|body| Bytes::from(body.to_string())).unwrap_or_default(),
        is_write: body.is_some(),
    }
}

/// Reads the body of a success; else returns what its absence means.
pub fn read(reply: Reply<'_>) -> Result<Value, Failure> {
    let body = parse(reply.body);
    if reply.is_success() {
        return body.ok_or_else(|| Failure { may_be_done: reply.is_write, ..Failure::unreadable(NAME) });
    }
    let body = body.unwrap_or_default();
    let words = words(&body);
    let failure = Failure::of_status(NAME, reply.status, reply.retry_after, words.as_deref(), reply.is_write);
    let code = body["code"].as_str().unwrap_or_default();
    Err(match code {
        // The path of the API does not exist: the plugin is switched off, or the address is another one.
        "rest_no_route" => Failure { kind: FailureKind::NotUnderstood, ..failure },
        // A change of what does not exist is answered with 400.
        "woocommerce_rest_shop_order_invalid_id" => Failure { kind: FailureKind::Gone, ..failure },
        _ => failure,
    })
}

fn parse(body: &[u8]) -> Option<Value> {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    serde_json::from_slice(body).ok()
}

/// Returns what an error says, if it is one of WordPress's.
pub fn words(error: &Value) -> Option<String> {
    let code = text(&error["code"])?;
    Some(format!("{} ({code})", text(&error["message"]).unwrap_or_default()))
}
