//! Any bytes as an answer of an identity provider: as a token, as what a signed token says, as keys, as a document. They are
//! read or refused, and nothing is read that is not signed, or that is for another client.
#![no_main]

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use libfuzzer_sys::fuzz_target;
use model::access::openid::console_path::{CONSOLE, console_path};
use model::access::openid::entry::Policy;
use model::access::openid::id_token::{Claims, Expected, read};
use model::access::openid::identity::{Identity, add_user_info};
use model::access::openid::key_set::KeySet;
use model::access::openid::provider::{read_document, read_tokens};
use ring::signature::{Ed25519KeyPair, KeyPair};
use serde_json::{Map, json};

const EXPECTED: Expected<'static> =
    Expected { issuer: "https://a", client_id: "dockside", nonce: "n", now: 1_800_000_000 };

fn key() -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[7; 32]).expect("a key")
}

/// Returns a token that says these bytes, signed.
fn token(says: &[u8]) -> String {
    let encode = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
    let message = format!("{}.{}", encode(br#"{"alg":"EdDSA"}"#), encode(says));
    format!("{message}.{}", encode(key().sign(message.as_bytes()).as_ref()))
}

fuzz_target!(|bytes: &[u8]| {
    let x = URL_SAFE_NO_PAD.encode(key().public_key());
    let keys = json!({"keys": [{"kty": "OKP", "crv": "Ed25519", "x": x}]}).to_string();
    let keys = KeySet::parse(keys.as_bytes()).expect("keys");
    if let Ok(claims) = read(&token(bytes), &keys, &EXPECTED) {
        assert!(!claims.subject.is_empty() && claims.all["iss"] == "https://a" && claims.all["nonce"] == "n");
        let identity = Identity::of(&claims, Some("a.b"));
        assert!(identity.verified_email.is_none_or(|email| email.contains('@')));
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        assert!(read(text, &keys, &EXPECTED).is_err(), "nothing that was not signed here");
        let path = console_path(Some(text)).split('?').next().unwrap_or_default();
        let mut steps = path.split('/').skip(1);
        assert!(path.starts_with(CONSOLE) && steps.all(|step| !step.is_empty() && !step.starts_with('.')));
    }
    if let Some(others) = KeySet::parse(bytes) {
        let _ = read(&token(b"{}"), &others, &EXPECTED);
    }
    let _ = read_document(bytes, "https://a");
    let _ = read_tokens(bytes);
    let mut claims = Claims { subject: "s".to_owned(), all: Map::new() };
    if add_user_info(&mut claims, bytes) {
        assert_eq!(claims.all["sub"], "s");
        let _ = Policy::default().admit(&Identity::of(&claims, Some("groups")));
    }
});
