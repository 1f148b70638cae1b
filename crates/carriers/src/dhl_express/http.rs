//! HTTP requests to MyDHL API.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::account::credential;
use crate::{Account, Request};

/// Where MyDHL API is, and where its test system is, unless the operator says otherwise.
pub const BASE: &str = "https://express.api.dhl.com/mydhlapi";
const TEST_BASE: &str = "https://express.api.dhl.com/mydhlapi/test";
/// Characters of the header that names a request: at least 28.
const REFERENCE_CHARS: usize = 32;

/// Builds a request with the account's credentials. `about` is what the request is about: DHL records a digest of it, so that its
/// support can find the request.
pub fn request(
    account: &Account,
    method: &'static str,
    path: &str,
    about: &str,
    body: Option<Value>,
) -> Request {
    let pair = format!("{}:{}", credential(account, "username"), credential(account, "password"));
    let digest: String = Sha256::digest(about).iter().map(|byte| format!("{byte:02x}")).collect();
    let mut headers = vec![
        ("authorization", format!("Basic {}", STANDARD.encode(pair))),
        ("accept", "application/json".to_owned()),
        ("message-reference", digest[..REFERENCE_CHARS].to_owned()),
    ];
    if body.is_some() {
        headers.push(("content-type", "application/json".to_owned()));
    }
    Request {
        method,
        url: format!("{}{path}", account.base(BASE, TEST_BASE)),
        headers,
        body: body.map(|body| Bytes::from(body.to_string())).unwrap_or_default(),
        is_purchase: false,
    }
}
