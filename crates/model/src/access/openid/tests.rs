use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use proptest::prelude::*;
use ring::hmac;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256, RsaKeyPair,
    RsaPublicKeyComponents,
};
use serde_json::{Map, Value, json};

use super::entry::{Account, Admission, Entry, Policy, decide};
use super::id_token::{AGE_SECONDS_MAX, Claims, Expected, SKEW_SECONDS, TOKEN_BYTES_MAX, read};
use super::identity::{Identity, add_user_info, lacks_claims};
use super::key_set::KeySet;
use super::provider::{encode, encode_pairs, read_document, read_tokens};
use super::refusal::{Flaw, Refusal};
use crate::Id;

const ISSUER: &str = "https://login.example.com";
const NOW: i64 = 1_800_000_000;
/// A key for tests alone.
const RSA: &[u8] = include_bytes!("../../../../testkit/keys/rsa_2048.der");

fn base64(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

fn expected() -> Expected<'static> {
    Expected { issuer: ISSUER, client_id: "dockside", nonce: "n-1", now: NOW }
}

fn claims() -> Value {
    json!({"iss": ISSUER, "aud": "dockside", "sub": "ada-1", "exp": NOW + 300, "iat": NOW, "nonce": "n-1"})
}

fn with(field: &str, value: Value) -> Value {
    let mut claims = claims();
    claims[field] = value;
    claims
}

fn without(field: &str) -> Value {
    let mut claims = claims();
    claims.as_object_mut().unwrap().remove(field);
    claims
}

fn ed25519() -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap()
}

fn signed(header: &Value, claims: &Value) -> String {
    let message = format!("{}.{}", base64(header.to_string()), base64(claims.to_string()));
    format!("{message}.{}", base64(ed25519().sign(message.as_bytes())))
}

fn token(claims: &Value) -> String {
    signed(&json!({"alg": "EdDSA", "kid": "one"}), claims)
}

fn jwk() -> Value {
    json!({"kty": "OKP", "crv": "Ed25519", "kid": "one", "x": base64(ed25519().public_key())})
}

fn keys(keys: &[Value]) -> KeySet {
    KeySet::parse(json!({"keys": keys}).to_string().as_bytes()).unwrap()
}

fn flaw(token: &str) -> Option<Flaw> {
    read(token, &keys(&[jwk()]), &expected()).err()
}

#[test]
fn a_token_of_each_algorithm_is_read() {
    let random = SystemRandom::new();
    let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
    let p256 =
        EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, document.as_ref(), &random).unwrap();
    let (x, y) = p256.public_key().as_ref()[1..].split_at(32);
    let rsa = RsaKeyPair::from_der(RSA).unwrap();
    let public: RsaPublicKeyComponents<Vec<u8>> = rsa.public().into();
    let all = keys(&[
        jwk(),
        json!({"kty": "EC", "crv": "P-256", "kid": "two", "alg": "ES256", "use": "sig", "x": base64(x), "y": base64(y)}),
        // A leading zero, as some programs write it.
        json!({"kty": "RSA", "kid": "three", "n": base64([&[0][..], &public.n].concat()), "e": base64(&public.e)}),
    ]);
    let message = |alg: &str, kid: &str| {
        let header = json!({"alg": alg, "kid": kid, "typ": "JWT"}).to_string();
        format!("{}.{}", base64(header), base64(claims().to_string()))
    };
    let (two, three) = (message("ES256", "two"), message("RS256", "three"));
    let by_p256 = p256.sign(&random, two.as_bytes()).unwrap();
    let mut by_rsa = vec![0; rsa.public().modulus_len()];
    rsa.sign(&RSA_PKCS1_SHA256, &random, three.as_bytes(), &mut by_rsa).unwrap();
    for token in [
        token(&claims()),
        signed(&json!({"alg": "EdDSA"}), &claims()),
        format!("{two}.{}", base64(by_p256.as_ref())),
        format!("{three}.{}", base64(&by_rsa)),
    ] {
        let seen = read(&token, &all, &expected()).unwrap();
        assert_eq!((seen.subject.as_str(), &seen.all["iss"]), ("ada-1", &json!(ISSUER)));
    }
    // The signature of one key under the name of another, and under another algorithm.
    let named = message("EdDSA", "two");
    assert_eq!(
        read(&format!("{named}.{}", base64(ed25519().sign(named.as_bytes()))), &all, &expected()),
        Err(Flaw::UnknownKey)
    );
    let swapped = message("ES256", "two");
    assert_eq!(read(&format!("{swapped}.{}", base64([1; 64])), &all, &expected()), Err(Flaw::Signature));
    // The key of RSA as the secret of an HMAC.
    let forged = message("HS256", "three");
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &public.n), forged.as_bytes());
    assert_eq!(read(&format!("{forged}.{}", base64(tag)), &all, &expected()), Err(Flaw::Algorithm));
}

#[test]
fn what_is_wrong_with_a_token_is_named() {
    assert_eq!(flaw(&token(&claims())), None);
    for (claims, expected) in [
        (with("iss", json!("https://login.example.com/")), Flaw::Issuer),
        (with("iss", json!([ISSUER])), Flaw::Issuer),
        (without("iss"), Flaw::Issuer),
        (with("aud", json!("another")), Flaw::Audience),
        (with("aud", json!([])), Flaw::Audience),
        (with("aud", json!(["another"])), Flaw::Audience),
        (with("aud", json!(["dockside", "another"])), Flaw::Audience),
        (with("aud", json!({"dockside": true})), Flaw::Audience),
        (with("azp", json!("another")), Flaw::Audience),
        (with("azp", json!(7)), Flaw::Audience),
        (without("aud"), Flaw::Audience),
        (with("exp", json!(NOW - SKEW_SECONDS)), Flaw::Expired),
        (with("exp", json!("1900000000")), Flaw::Expired),
        (with("exp", json!(-1)), Flaw::Expired),
        (with("exp", json!(i64::MAX)), Flaw::Expired),
        (with("exp", json!(1e300)), Flaw::Expired),
        (without("exp"), Flaw::Expired),
        (with("iat", json!(NOW + SKEW_SECONDS + 1)), Flaw::IssuedAt),
        (with("iat", json!(NOW - AGE_SECONDS_MAX - SKEW_SECONDS - 1)), Flaw::IssuedAt),
        (without("iat"), Flaw::IssuedAt),
        (with("nbf", json!(NOW + SKEW_SECONDS + 1)), Flaw::NotYetValid),
        (with("nbf", json!("soon")), Flaw::NotYetValid),
        (with("nonce", json!("n-2")), Flaw::Nonce),
        (with("nonce", Value::Null), Flaw::Nonce),
        (without("nonce"), Flaw::Nonce),
        (with("sub", json!("")), Flaw::Subject),
        (with("sub", json!(7)), Flaw::Subject),
        (with("sub", json!("a".repeat(256))), Flaw::Subject),
        (without("sub"), Flaw::Subject),
    ] {
        assert_eq!(flaw(&token(&claims)), Some(expected), "{claims}");
    }
    for claims in [
        with("exp", json!(NOW - SKEW_SECONDS + 1)),
        with("exp", json!(NOW as f64 + 0.5)),
        with("iat", json!(NOW + SKEW_SECONDS)),
        with("iat", json!(NOW - AGE_SECONDS_MAX)),
        with("nbf", json!(NOW + SKEW_SECONDS)),
        with("aud", json!(["dockside"])),
        with("azp", json!("dockside")),
    ] {
        assert_eq!(flaw(&token(&claims)), None, "{claims}");
    }
    let mut several = with("aud", json!(["another", "dockside"]));
    several["azp"] = json!("dockside");
    assert_eq!(flaw(&token(&several)), None);
}

#[test]
fn only_whole_tokens_with_an_accepted_algorithm_are_read() {
    for (header, expected) in [
        (json!({"alg": "none"}), Flaw::Algorithm),
        (json!({"alg": "HS256", "kid": "one"}), Flaw::Algorithm),
        (json!({"alg": "RS512", "kid": "one"}), Flaw::Algorithm),
        (json!({"alg": "eddsa", "kid": "one"}), Flaw::Algorithm),
        (json!({"kid": "one"}), Flaw::Algorithm),
        (json!({"alg": "EdDSA", "kid": "two"}), Flaw::UnknownKey),
        (json!({"alg": "ES256", "kid": "one"}), Flaw::UnknownKey),
        (json!({"alg": "EdDSA", "kid": 1}), Flaw::Malformed),
        (json!({"alg": "EdDSA", "kid": "one", "crit": ["b64"]}), Flaw::Malformed),
        (json!(["alg"]), Flaw::Malformed),
    ] {
        assert_eq!(flaw(&signed(&header, &claims())), Some(expected), "{header}");
    }
    let whole = token(&claims());
    let parts: Vec<&str> = whole.split('.').collect();
    let unsigned = format!("{}.{}.", base64(r#"{"alg":"none"}"#), parts[1]);
    assert_eq!(flaw(&unsigned), Some(Flaw::Algorithm));
    for text in [
        String::new(),
        "..".to_owned(),
        "a.b.c".to_owned(),
        parts[..2].join("."),
        format!("{whole}.{}", parts[2]),
        format!("{whole}="),
        format!("{}.{}.{}", base64(r#"{"alg":"EdDSA","alg":"none"}"#), parts[1], parts[2]),
        "a".repeat(TOKEN_BYTES_MAX + 1),
    ] {
        assert_eq!(flaw(&text), Some(Flaw::Malformed), "{text:.80}");
    }
    let other = token(&with("sub", json!("eve")));
    let mixed = format!("{}.{}.{}", parts[0], other.split('.').nth(1).unwrap(), parts[2]);
    assert_eq!(flaw(&mixed), Some(Flaw::Signature));
    assert_eq!(flaw(&format!("{}.{}.", parts[0], parts[1])), Some(Flaw::Signature));
    let twice = format!("{}.{}", parts[0], base64(r#"{"sub":"a","sub":"b"}"#));
    let signature = base64(ed25519().sign(twice.as_bytes()));
    assert_eq!(flaw(&format!("{twice}.{signature}")), Some(Flaw::Malformed));
}

#[test]
fn keys_for_other_uses_verify_nothing() {
    let change = |field: &str, value: Value| {
        let mut key = jwk();
        key[field] = value;
        keys(&[key])
    };
    let whole = token(&claims());
    for others in [
        change("use", json!("enc")),
        change("alg", json!("ES256")),
        change("kty", json!("oct")),
        change("crv", json!("X25519")),
        change("x", json!(base64([7; 31]))),
        change("x", json!("not base64!")),
        keys(&[json!(7), json!({})]),
    ] {
        assert_eq!(read(&whole, &others, &expected()).err(), Some(Flaw::UnknownKey));
    }
    for text in ["", "[]", "{}", r#"{"keys":{}}"#] {
        assert!(KeySet::parse(text.as_bytes()).is_none(), "{text}");
    }
}

#[test]
fn a_document_must_be_the_issuers_own_and_encrypted() {
    let document = |change: &[(&str, Value)]| {
        let mut document = json!({
            "issuer": ISSUER,
            "authorization_endpoint": format!("{ISSUER}/auth"),
            "token_endpoint": format!("{ISSUER}/token"),
            "jwks_uri": format!("{ISSUER}/keys"),
        });
        for (name, value) in change {
            document[*name] = value.clone();
        }
        read_document(document.to_string().as_bytes(), ISSUER)
    };
    let plain = document(&[]).unwrap();
    assert_eq!(
        (plain.userinfo_endpoint, plain.takes_secret_in_form, plain.names_issuer),
        (None, false, false)
    );
    let more = document(&[
        ("token_endpoint_auth_methods_supported", json!(["client_secret_post"])),
        ("authorization_response_iss_parameter_supported", json!(true)),
        ("code_challenge_methods_supported", json!(["plain", "S256"])),
    ]);
    assert!(more.is_ok_and(|more| more.takes_secret_in_form && more.names_issuer));
    for (name, value) in [
        ("issuer", json!("https://login.example.com/")),
        ("issuer", json!("https://evil.example")),
        ("authorization_endpoint", json!("http://login.example.com/auth")),
        ("authorization_endpoint", json!("javascript:alert(1)")),
        ("token_endpoint", Value::Null),
        ("jwks_uri", json!("file:///etc/passwd")),
        ("code_challenge_methods_supported", json!(["plain"])),
    ] {
        assert!(document(&[(name, value.clone())]).is_err(), "{name} {value}");
    }
    assert!(read_document(b"<html>", ISSUER).is_err());
    assert_eq!(
        read_tokens(br#"{"id_token":"a.b.c","access_token":7}"#).map(|read| read.id_token).as_deref(),
        Some("a.b.c")
    );
    assert_eq!(read_tokens(br#"{"access_token":"a"}"#), None);
    assert_eq!(encode_pairs(&[("a b", "c&d=é"), ("e", "~")]), "a%20b=c%26d%3D%C3%A9&e=~");
    assert_eq!(encode("\r\n"), "%0D%0A");
}

fn person(claims: Value) -> Claims {
    let Value::Object(all) = claims else { panic!("no object") };
    Claims { subject: "ada-1".to_owned(), all }
}

#[test]
fn an_address_counts_only_if_it_is_verified() {
    let email = |claims: Value| Identity::of(&person(claims), None).verified_email;
    let ada = Some("ada@acme.example".to_owned());
    assert_eq!(email(json!({"email": " Ada@Acme.example", "email_verified": true})), ada);
    assert_eq!(email(json!({"email": "ada@acme.example", "email_verified": "true"})), ada);
    for claims in [
        json!({"email": "ada@acme.example"}),
        json!({"email": "ada@acme.example", "email_verified": false}),
        json!({"email": "ada@acme.example", "email_verified": "false"}),
        json!({"email": "ada@acme.example", "email_verified": 1}),
        json!({"email": "ada", "email_verified": true}),
        json!({"email": format!("{}@acme.example", "a".repeat(255)), "email_verified": true}),
        json!({"email_verified": true}),
    ] {
        assert_eq!(email(claims.clone()), None, "{claims}");
    }
    let named = Identity::of(
        &person(json!({"name": " Ada\u{7} ", "realm": {"roles": ["a", 7, "b"]}, "one": "c"})),
        Some("realm.roles"),
    );
    assert_eq!((named.name, named.role_values), (None, vec!["a".to_owned(), "b".to_owned()]));
    assert_eq!(Identity::of(&person(json!({"name": " Ada ", "one": "c"})), Some("one")).role_values, ["c"]);
}

#[test]
fn user_information_completes_a_token_about_the_same_person() {
    let mut seen = person(json!({"sub": "ada-1", "email_verified": true}));
    assert!(lacks_claims(&seen, None));
    assert!(!add_user_info(&mut seen, br#"{"sub":"eve","email":"ada@acme.example","email_verified":true}"#));
    assert!(!add_user_info(&mut seen, b"[]"));
    assert!(add_user_info(&mut seen, br#"{"sub":"ada-1","email":"ada@acme.example","groups":["a"]}"#));
    assert_eq!(Identity::of(&seen, None).verified_email, None, "the token verified another address");
    assert!(!lacks_claims(&seen, Some("groups")) && lacks_claims(&seen, Some("roles")));
    let mut whole = person(json!({"sub": "ada-1", "email": "ada@acme.example"}));
    assert!(add_user_info(&mut whole, br#"{"sub":"ada-1","email":"x@acme.example","email_verified":true}"#));
    assert_eq!(Identity::of(&whole, None).verified_email, None, "another address was verified");
}

fn policy(domains: &[&str], roles: &[(&str, &str)], creates_users: bool) -> Policy {
    Policy {
        domains: domains.iter().map(|domain| (*domain).to_owned()).collect(),
        role_claim: Some("groups".to_owned()),
        roles: roles.iter().map(|(value, role)| ((*value).to_owned(), (*role).to_owned())).collect(),
        creates_users,
    }
}

fn identity(email: Option<&str>, values: &[&str]) -> Identity {
    Identity {
        subject: "ada-1".to_owned(),
        verified_email: email.map(str::to_owned),
        name: None,
        role_values: values.iter().map(|value| (*value).to_owned()).collect(),
    }
}

#[test]
fn domains_and_roles_decide_whether_a_person_may_enter() {
    let ada = identity(Some("ada@acme.example"), &["pickers", "staff", "pickers"]);
    let admit = |policy: &Policy, identity: &Identity| {
        policy.admit(identity).map(|admission| (admission.roles, admission.may_create))
    };
    assert_eq!(admit(&policy(&[], &[], true), &ada), Ok((None, false)), "everyone would become a user");
    assert_eq!(admit(&policy(&["acme.example"], &[], true), &ada), Ok((None, true)));
    assert_eq!(admit(&policy(&["acme.example"], &[], false), &ada), Ok((None, false)));
    for domain in ["cme.example", "example", "mail.acme.example", "evil.example"] {
        assert_eq!(admit(&policy(&[domain], &[], true), &ada), Err(Refusal::Domain), "{domain}");
    }
    let odd = identity(Some("ada@acme.example@evil.example"), &[]);
    assert_eq!(admit(&policy(&["acme.example"], &[], true), &odd), Err(Refusal::Domain));
    let unverified = identity(None, &["staff"]);
    assert_eq!(admit(&policy(&["acme.example"], &[], true), &unverified), Err(Refusal::EmailUnverified));
    let mapped = policy(&[], &[("pickers", "packer"), ("staff", "packer"), ("bosses", "admin")], true);
    assert_eq!(admit(&mapped, &ada), Ok((Some(vec!["packer".to_owned()]), true)));
    assert_eq!(admit(&mapped, &identity(Some("a@b"), &["guests"])), Err(Refusal::NoRole));
}

#[test]
fn a_person_enters_as_the_linked_user_then_as_the_one_with_the_address() {
    let ada = identity(Some("ada@acme.example"), &[]);
    let admission = |may_create| Admission { roles: None, may_create };
    let account =
        |id: u128, is_disabled, is_linked| Some(Account { id: Id::from_bits(id), is_disabled, is_linked });
    let decide =
        |linked, with_address, may_create| decide(&ada, &admission(may_create), linked, with_address);
    assert_eq!(
        decide(account(1, false, true), account(2, false, false), false),
        Ok(Entry::Linked(Id::from_bits(1)))
    );
    assert_eq!(decide(account(1, true, true), account(2, false, false), true), Err(Refusal::Disabled));
    assert_eq!(decide(None, account(2, false, false), false), Ok(Entry::Link(Id::from_bits(2))));
    assert_eq!(decide(None, account(2, true, false), true), Err(Refusal::Disabled));
    assert_eq!(decide(None, account(2, false, true), true), Err(Refusal::OtherIdentity));
    assert_eq!(decide(None, None, true), Ok(Entry::Create));
    assert_eq!(decide(None, None, false), Err(Refusal::NotInvited));
    let unverified = identity(None, &[]);
    let known = account(1, false, true);
    assert!(super::entry::decide(&unverified, &admission(false), known, None).is_ok());
    assert_eq!(
        super::entry::decide(&unverified, &admission(true), None, None),
        Err(Refusal::EmailUnverified)
    );
}

proptest! {
    #[test]
    fn any_token_is_answered(text in "[A-Za-z0-9_.-]{0,200}", bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(flaw(&text).is_some());
        let forged = format!("{}.{}.{}", base64(&bytes), base64(&bytes), base64(&bytes));
        prop_assert!(flaw(&forged).is_some());
        let _ = KeySet::parse(&bytes);
        let _ = read_document(&bytes, ISSUER);
        let _ = add_user_info(&mut Claims { subject: String::new(), all: Map::new() }, &bytes);
    }
}
