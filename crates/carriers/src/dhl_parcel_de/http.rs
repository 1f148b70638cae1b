//! HTTP requests to DHL: where it is, and how it recognises a request.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde_json::Value;

use super::account::{api_key, api_secret, tracking_user, user};
use crate::{Account, Request};

/// Where DHL is, and where its test system is, unless the operator says otherwise.
pub const BASE: &str = "https://api-eu.dhl.com";
const TEST_BASE: &str = "https://api-sandbox.dhl.com";
/// The paths of DHL's interfaces.
pub const ORDERS: &str = "/parcel/de/shipping/v2/orders";
pub const MANIFESTS: &str = "/parcel/de/shipping/v2/manifests";
pub const RETURNS: &str = "/parcel/de/shipping/returns/v1/orders";
pub const TOKENS: &str = "/parcel/de/account/auth/ropc/v1/token";
const TRACKING: &str = "/parcel/de/tracking/v0/shipments";
/// The name of the access token.
pub const TOKEN: &str = "access";
/// Answers are read by their words, too.
const LANGUAGE: &str = "en-US";

/// Returns the address of a path at DHL.
pub fn url(account: &Account, path: &str) -> String {
    format!("{}{path}", account.base(BASE, TEST_BASE))
}

/// Builds a request with the account's access token, or with its user and password if it has no secret of an application.
pub fn request(account: &Account, method: &'static str, path: &str, body: Option<Value>) -> Request {
    let mut headers = Vec::new();
    match (api_secret(account), account.tokens.get(TOKEN)) {
        (Some(_), Some(token)) => headers.push(("authorization", format!("Bearer {token}"))),
        (Some(_), None) => {}
        (None, _) => {
            let (name, password) = user(account);
            headers.push(("authorization", basic(name, password)));
            headers.push(("dhl-api-key", api_key(account).to_owned()));
        }
    }
    headers.push(("accept", "application/json, application/problem+json".to_owned()));
    headers.push(("accept-language", LANGUAGE.to_owned()));
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

/// Builds a request to the tracking, which is XML in the address. DHL has no other place for the user and the password.
pub fn tracking_request(account: &Account, what: (&str, &str)) -> Request {
    let (name, password) = tracking_user(account).unwrap_or_default();
    let attributes = [
        ("appname", name),
        ("language-code", "en"),
        ("password", password),
        what,
        ("request", "d-get-piece-detail"),
    ];
    let attributes: String =
        attributes.iter().map(|(name, value)| format!(" {name}=\"{}\"", escaped(value))).collect();
    let xml = format!("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?><data{attributes}/>");
    Request {
        method: "GET",
        url: url(account, &format!("{TRACKING}?xml={}", encoded(&xml))),
        headers: vec![
            ("authorization", basic(api_key(account), api_secret(account).unwrap_or_default())),
            ("accept", "application/xml".to_owned()),
        ],
        body: Bytes::new(),
        is_purchase: false,
    }
}

fn basic(name: &str, password: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{name}:{password}")))
}

/// Returns a text as a part of a query or a form.
pub fn encoded(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => encoded.push(byte.into()),
            byte => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

/// Returns a text as the value of an attribute.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_can_t_leave_their_place() {
        assert_eq!(encoded("a b&c=ü/~"), "a%20b%26c%3D%C3%BC%2F~");
        assert_eq!(escaped("\"/><a b='&'"), "&quot;/&gt;&lt;a b='&amp;'");
    }
}
