//! Signatures of webhooks: base64 of the HMAC-SHA256 of the raw body, which all shops here use.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::hmac;

use crate::webhook::{ReceivedWebhook, Signature};

/// Checks the signature in a header. Every secret is tried, so that the time tells nothing about which one is right.
pub fn check(secrets: &[&str], webhook: &ReceivedWebhook<'_>, header: &str) -> Signature {
    let Ok(given) = webhook.only(header) else { return Signature::Wrong };
    let Some(given) = given.map(str::trim).filter(|given| !given.is_empty()) else {
        return Signature::Missing;
    };
    let Ok(given) = STANDARD.decode(given) else { return Signature::Wrong };
    let mut is_valid = false;
    // Anyone can sign with an empty secret.
    for secret in secrets.iter().filter(|secret| !secret.is_empty()) {
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
        is_valid |= hmac::verify(&key, webhook.body, &given).is_ok();
    }
    if is_valid { Signature::Valid } else { Signature::Wrong }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "X-Shopify-Hmac-Sha256";
    /// The vector in go-shopify's tests: `goshopify_test.go`.
    const VECTOR: &str = "hMTq0K2x7oyOjoBwGYeTj5oxfnaVYXzbanUG9aajpKI=";
    const BODY: &[u8] = b"\"my secret message\"";

    fn signed(secrets: &[&str], headers: &[(&str, &str)], body: &[u8]) -> Signature {
        check(secrets, &ReceivedWebhook { headers, body }, HEADER)
    }

    #[test]
    fn shopify_s_vector_is_valid() {
        let headers = [("x-shopify-hmac-sha256", VECTOR)];
        assert_eq!(signed(&["hush"], &headers, BODY), Signature::Valid);
        assert_eq!(signed(&["new", "hush"], &headers, BODY), Signature::Valid);
        assert_eq!(signed(&["hush", "new"], &headers, BODY), Signature::Valid);
    }

    #[test]
    fn a_missing_signature_is_told_from_a_wrong_one() {
        assert_eq!(signed(&["hush"], &[], BODY), Signature::Missing);
        assert_eq!(signed(&["hush"], &[(HEADER, " ")], BODY), Signature::Missing);
        assert_eq!(signed(&["hush"], &[(HEADER, VECTOR)], b"my secret message"), Signature::Wrong);
        assert_eq!(signed(&["hush"], &[(HEADER, &VECTOR[1..])], BODY), Signature::Wrong);
        assert_eq!(signed(&["hush"], &[(HEADER, "\u{fffd}")], BODY), Signature::Wrong);
        assert_eq!(signed(&["hush2", ""], &[(HEADER, VECTOR)], BODY), Signature::Wrong);
        assert_eq!(signed(&[], &[(HEADER, VECTOR)], BODY), Signature::Wrong);
    }

    #[test]
    fn two_signatures_are_none() {
        assert_eq!(signed(&["hush"], &[(HEADER, "AA=="), (HEADER, VECTOR)], BODY), Signature::Wrong);
    }

    #[test]
    fn an_empty_secret_signs_nothing() {
        let key = hmac::Key::new(hmac::HMAC_SHA256, b"");
        let signature = STANDARD.encode(hmac::sign(&key, BODY));
        assert_eq!(signed(&[""], &[(HEADER, &signature)], BODY), Signature::Wrong);
    }
}
