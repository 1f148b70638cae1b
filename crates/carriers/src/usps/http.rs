//! HTTP requests to USPS: where it is, and how it recognises a request.

use bytes::Bytes;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::{Account, Request};

/// Where USPS is, and where its test system is, unless the operator says otherwise.
pub const BASE: &str = "https://apis.usps.com";
const TEST_BASE: &str = "https://apis-tem.usps.com";
/// The names of the tokens.
pub const TOKEN: &str = "access";
pub const PAYMENT: &str = "payment";
/// Another authorisation, which also names who owns and pays return labels. USPS refuses it to accounts that have none.
pub const RETURNS: &str = "returns";
/// With this, the image of a label is text in the answer's JSON. Without it, the answer has several parts.
pub const LABELS: &str = "application/vnd.usps.labels+json";

/// Returns the address of a path at USPS.
pub fn url(account: &Account, path: &str) -> String {
    format!("{}{path}", account.base(BASE, TEST_BASE))
}

/// Builds a request with the account's access token.
pub fn request(account: &Account, method: &'static str, path: &str, body: Option<Value>) -> Request {
    let mut headers = vec![("accept", "application/json".to_owned())];
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

/// Builds a request about a label, which also needs an authorisation to charge: the token of this name.
pub fn label_request(
    account: &Account,
    method: &'static str,
    path: &str,
    payment: &str,
    reference: Option<&str>,
    body: Option<Value>,
) -> Request {
    let mut request = request(account, method, path, body);
    for header in &mut request.headers {
        if header.0 == "accept" {
            header.1 = LABELS.to_owned();
        }
    }
    if let Some(token) = account.tokens.get(payment) {
        request.headers.push(("x-payment-authorization-token", token.clone()));
    }
    if let Some(reference) = reference {
        request.headers.push(("x-idempotency-key", key(reference)));
    }
    request
}

/// Makes USPS's key of our reference. It has the form of a random UUID, which USPS demands, and is always the same.
pub fn key(reference: &str) -> String {
    let digest = Sha256::digest(format!("usps label {reference}"));
    let mut bytes = [0_u8; 16];
    bytes.copy_from_slice(&digest[..16]);
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_has_one_key_in_the_form_of_a_random_uuid() {
        let (one, other) = (key("shp_1"), key("shp_2"));
        assert_eq!(one, key("shp_1"));
        assert_ne!(one, other);
        let parts: Vec<usize> = one.split('-').map(str::len).collect();
        assert_eq!(parts, [8, 4, 4, 4, 12]);
        assert_eq!(&one[14..15], "4");
        assert!("89ab".contains(&one[19..20]), "{one}");
    }
}
