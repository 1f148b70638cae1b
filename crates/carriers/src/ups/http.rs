//! HTTP requests to UPS: where it is, and how it recognises a request.

use bytes::Bytes;
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::account;
use crate::{Account, Request};

/// Where UPS is, and where its test system is, unless the operator says otherwise.
pub const BASE: &str = "https://onlinetools.ups.com";
const TEST_BASE: &str = "https://wwwcie.ups.com";
/// The name of the access token.
pub const TOKEN: &str = "access";
/// Characters of the header that names a request.
const TRANSACTION_CHARS: usize = 32;

/// Returns the address of a path at UPS.
pub fn url(account: &Account, path: &str) -> String {
    format!("{}{path}", account.base(BASE, TEST_BASE))
}

/// Builds a request with the account's access token. `about` is what the request is about: UPS records a digest of it, so that its
/// support can find the request.
pub fn request(
    account: &Account,
    method: &'static str,
    path: &str,
    about: &str,
    body: Option<Value>,
) -> Request {
    let mut headers = vec![
        ("accept", "application/json".to_owned()),
        ("transid", transaction(about)),
        ("transactionsrc", "dockside".to_owned()),
        ("x-merchant-id", account::number(account).to_owned()),
    ];
    if let Some(token) = account.tokens.get(TOKEN) {
        headers.insert(0, ("authorization", format!("Bearer {token}")));
    }
    if body.is_some() {
        headers.push(("content-type", "application/json".to_owned()));
    }
    Request {
        method,
        url: url(account, path),
        headers,
        body: body.map(|body| Bytes::from(body.to_string())).unwrap_or_default(),
        is_purchase: false,
    }
}

/// Makes the name of a request. It is the same for a repeated request, which therefore is byte for byte the same.
fn transaction(about: &str) -> String {
    let digest = Sha256::digest(about);
    digest
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect::<String>()
        .split_at(TRANSACTION_CHARS)
        .0
        .to_owned()
}
