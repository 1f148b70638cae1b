//! HTTP requests to Click & Drop.

use bytes::Bytes;
use serde_json::Value;

use super::account;
use crate::{Account, Request};

/// Where Click & Drop is, unless the operator says otherwise. It has no test system.
pub const BASE: &str = "https://api.parcel.royalmail.com/api/v1";

/// Builds a request with the account's key.
pub fn request(account: &Account, method: &'static str, path: &str, body: Option<Value>) -> Request {
    let mut headers = vec![
        ("authorization", format!("Bearer {}", account::key(account))),
        ("accept", "application/json, application/pdf".to_owned()),
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
