//! HTTP requests to EasyPost: where it is, and how it recognises an account.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde_json::Value;

use crate::{Account, Request};

/// Where EasyPost is, unless the operator says otherwise.
pub const BASE: &str = "https://api.easypost.com/v2";

pub fn request(account: &Account, method: &'static str, path: &str, body: Option<Value>) -> Request {
    let text = |fields: &serde_json::Map<String, Value>, name: &str| {
        fields.get(name).and_then(Value::as_str).map(str::to_owned)
    };
    let key = text(&account.credentials, "api_key").unwrap_or_default();
    let mut headers = vec![
        ("authorization", format!("Basic {}", STANDARD.encode(format!("{key}:")))),
        ("accept", "application/json".to_owned()),
    ];
    if body.is_some() {
        headers.push(("content-type", "application/json".to_owned()));
    }
    Request {
        method,
        url: format!("{}{path}", account.base(BASE, BASE)),
        headers,
        body: body.map(|body| Bytes::from(body.to_string())).unwrap_or_default(),
        is_purchase: false,
    }
}
