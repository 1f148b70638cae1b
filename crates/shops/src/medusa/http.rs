//! HTTP requests to Medusa, and its errors.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde_json::Value;

use super::name::NAME;
use crate::connector::Request;
use crate::exchanges::Reply;
use crate::failure::Failure;
use crate::json::text;
use crate::shop::Shop;

/// The name of the credential.
pub const KEY: &str = "secret_key";

/// Builds a request to a path below the Admin API's.
pub fn request(shop: &Shop, method: &'static str, path: &str, body: Option<&Value>) -> Request {
    let key = shop.credential(KEY).unwrap_or_default();
    let mut headers = vec![
        ("accept", "application/json".to_owned()),
        ("authorization", format!("Basic {}", STANDARD.encode(format!("{key}:")))),
    ];
    if body.is_some() {
        headers.push(("content-type", "application/json".to_owned()));
    }
    Request {
        method,
        url: shop.at(&format!("/admin{path}")),
        headers,
        body: body.map(|body| Bytes::from(body.to_string())).unwrap_or_default(),
        is_write: body.is_some(),
    }
}

/// Reads the body of a success; else returns what its absence means.
pub fn read(reply: Reply<'_>) -> Result<Value, Failure> {
    let body = serde_json::from_slice::<Value>(reply.body).ok().filter(Value::is_object);
    if reply.is_success() {
        return body.ok_or_else(|| Failure { may_be_done: reply.is_write, ..Failure::unreadable(NAME) });
    }
    let words = body.and_then(|body| text(&body["message"]));
    Err(Failure::of_status(NAME, reply.status, reply.retry_after, words.as_deref(), reply.is_write))
}
