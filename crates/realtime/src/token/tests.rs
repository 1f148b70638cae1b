//! Tokens that are valid, expired, forged, for another audience, or of the other kind.

use model::World;
use proptest::prelude::*;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair};
use serde_json::{Value, json};

use super::*;

const NOW_S: u64 = 1_800_000_000;
const NOW: u64 = NOW_S * 1000;

fn secret() -> Key {
    Key::hs256(&[7; 32]).unwrap()
}

fn elliptic() -> Key {
    let pkcs8 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new()).unwrap();
    Key::es256(pkcs8.as_ref()).unwrap()
}

fn signer(key: Key) -> Signer {
    Signer::new(key, "dockside", "https://dockside.example")
}

fn terms() -> Terms {
    let owner = Owner { organisation: Id::from_bits(1), world: World::Test };
    let grant = Grant { owner, user: Id::from_bits(2), access_token: Id::from_bits(3) };
    Terms { grant, issued_at: NOW_S, expires_at: NOW_S + 60, id: "j1".to_owned() }
}

fn connection() -> ConnectionToken {
    ConnectionToken { terms: terms(), channels: vec!["system:announcements".to_owned()] }
}

fn subscription() -> SubscriptionToken {
    SubscriptionToken { terms: terms(), channel: "system:announcements".to_owned() }
}

/// Returns a correctly signed token with these claims.
fn forged(signer: &Signer, header: &Value, claims: &Value) -> String {
    let text = format!("{}.{}", encode(header).unwrap(), encode(claims).unwrap());
    let signature = signer.key.sign(text.as_bytes()).unwrap();
    format!("{text}.{}", BASE64.encode(signature))
}

fn claims_of(token: &str) -> Value {
    decode(token.split('.').nth(1).unwrap()).unwrap()
}

#[test]
fn tokens_read_back_with_both_algorithms() {
    for key in [secret(), elliptic()] {
        let signer = signer(key);
        let text = signer.mint_connection(&connection()).unwrap();
        assert_eq!(signer.verify_connection(NOW, &text), Ok(connection()));
        let text = signer.mint_subscription(&subscription()).unwrap();
        assert_eq!(signer.verify_subscription(NOW, &text), Ok(subscription()));
    }
}

#[test]
fn the_claims_are_those_that_centrifugo_reads() {
    let text = signer(secret()).mint_connection(&connection()).unwrap();
    assert_eq!(
        claims_of(&text).to_string(),
        r#"{"sub":"usr_00000000000000000000000002","exp":1800000060,"iat":1800000000,"jti":"j1","aud":"dockside","iss":"https://dockside.example","channels":["system:announcements"],"own":"org_00000000000000000000000001_test","tok":"tok_00000000000000000000000003"}"#
    );
    let text = signer(secret()).mint_subscription(&subscription()).unwrap();
    assert_eq!(claims_of(&text)["channel"], "system:announcements");
    assert_eq!(claims_of(&text).get("channels"), None);
}

#[test]
fn a_token_expires_at_its_second() {
    let signer = signer(secret());
    let text = signer.mint_connection(&connection()).unwrap();
    assert!(signer.verify_connection(NOW + 59_999, &text).is_ok());
    assert_eq!(signer.verify_connection(NOW + 60_000, &text), Err(Rejection::Expired));
}

#[test]
fn one_kind_does_not_pass_for_the_other() {
    let signer = signer(secret());
    let subscription = signer.mint_subscription(&subscription()).unwrap();
    assert_eq!(signer.verify_connection(NOW, &subscription), Err(Rejection::Invalid));
    let connection = signer.mint_connection(&connection()).unwrap();
    assert_eq!(signer.verify_subscription(NOW, &connection), Err(Rejection::Invalid));
}

#[test]
fn claims_that_are_wrong_or_missing() {
    let signer = signer(secret());
    let good = claims_of(&signer.mint_connection(&connection()).unwrap());
    let header = json!({"alg": "HS256"});
    assert!(signer.verify_connection(NOW, &forged(&signer, &header, &good)).is_ok());
    for (claim, value) in [
        ("sub", json!("")),
        ("sub", json!("usr_1")),
        ("exp", Value::Null),
        ("exp", json!(-1)),
        ("aud", json!("other")),
        ("aud", json!(["other"])),
        ("iss", json!("other")),
        ("nbf", json!(NOW_S + 1)),
        ("own", json!("org_1")),
        ("tok", json!("org_00000000000000000000000001")),
        ("channel", json!("system:announcements")),
        ("channels", json!("system:announcements")),
    ] {
        let mut claims = good.clone();
        claims[claim] = value;
        let token = forged(&signer, &header, &claims);
        assert_eq!(signer.verify_connection(NOW, &token), Err(Rejection::Invalid), "{claims}");
    }
    for claim in ["sub", "exp", "aud", "iss", "own", "tok"] {
        let mut claims = good.clone();
        claims.as_object_mut().unwrap().remove(claim);
        let token = forged(&signer, &header, &claims);
        assert_eq!(signer.verify_connection(NOW, &token), Err(Rejection::Invalid), "{claim}");
    }
}

#[test]
fn subs_win_over_channels_and_audiences_may_be_several() {
    let signer = signer(secret());
    let mut claims = claims_of(&signer.mint_connection(&connection()).unwrap());
    claims["subs"] = json!({"a": {"override": {}}, "b": {}});
    claims["aud"] = json!(["x", "dockside"]);
    let read = signer.verify_connection(NOW, &forged(&signer, &json!({"alg": "HS256"}), &claims)).unwrap();
    assert_eq!(read.channels, ["a", "b"]);
}

#[test]
fn the_header_does_not_choose_the_algorithm() {
    let (ours, other) = (signer(secret()), signer(Key::hs256(&[8; 32]).unwrap()));
    let claims = claims_of(&ours.mint_connection(&connection()).unwrap());
    for alg in ["none", "ES256", "HS512", ""] {
        let token = forged(&ours, &json!({"alg": alg}), &claims);
        assert_eq!(ours.verify_connection(NOW, &token), Err(Rejection::Invalid), "{alg}");
    }
    let token = forged(&other, &json!({"alg": "HS256"}), &claims);
    assert_eq!(ours.verify_connection(NOW, &token), Err(Rejection::Invalid));
}

#[test]
fn bytes_that_are_not_keys() {
    assert_eq!(Key::hs256(&[1; 31]).err(), Some(NotAKey::TooShort));
    assert_eq!(
        Key::es256(b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----").err(),
        Some(NotAKey::NotP256)
    );
}

#[test]
fn a_key_reads_from_pem() {
    let pkcs8 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new()).unwrap();
    let body = base64::prelude::BASE64_STANDARD.encode(pkcs8.as_ref());
    let lines: Vec<&str> =
        body.as_bytes().chunks(64).map(|line| std::str::from_utf8(line).unwrap()).collect();
    let pem = format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", lines.join("\n"));
    assert!(Key::es256(pem.as_bytes()).is_ok());
}

proptest! {
    /// A changed bit anywhere is detected.
    #[test]
    fn damaged_tokens_are_invalid(place: prop::sample::Index, bit in 0..6u32) {
        let signer = signer(secret());
        let mut text = signer.mint_connection(&connection()).unwrap().into_bytes();
        let place = place.index(text.len());
        text[place] ^= 1 << bit;
        if let Ok(text) = String::from_utf8(text) {
            prop_assert_eq!(signer.verify_connection(NOW, &text), Err(Rejection::Invalid));
        }
    }

    #[test]
    fn no_text_panics(text in "[-_A-Za-z0-9.]{0,80}|\\PC{0,40}") {
        prop_assert_eq!(signer(secret()).verify_connection(NOW, &text), Err(Rejection::Invalid));
    }
}
