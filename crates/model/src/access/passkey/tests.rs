//! What is accepted of authenticators, and what is refused, with keys of each algorithm.

use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256, RsaKeyPair,
    RsaPublicKeyComponents,
};
use sha2::{Digest, Sha256};

use super::ceremony::{Assertion, Ceremony, challenge_of, ensure_goes_on, register, verify};
use super::flaw::Flaw;
use super::relying_party::RelyingParty;
use super::{encode, read_user_handle, user_handle};
use crate::Id;

/// A key for tests alone.
const RSA: &[u8] = include_bytes!("../../../../testkit/keys/rsa_2048.der");
/// The person was there, and was verified.
const CONSENT: u8 = 0x05;
const SYNCABLE: u8 = 0x08;
const SYNCED: u8 = 0x10;
const CREDENTIAL: u8 = 0x40;
const EXTENSIONS: u8 = 0x80;

fn party() -> RelyingParty {
    RelyingParty::of("https://dockside.example.com").unwrap()
}

/// Writes the head of an item of CBOR.
fn head(kind: u8, number: usize) -> Vec<u8> {
    match number {
        0..24 => vec![kind << 5 | number as u8],
        24..256 => vec![kind << 5 | 24, number as u8],
        _ => [&[kind << 5 | 25][..], &(number as u16).to_be_bytes()].concat(),
    }
}

fn bytes(content: &[u8]) -> Vec<u8> {
    [head(2, content.len()), content.to_vec()].concat()
}

fn text(content: &str) -> Vec<u8> {
    [head(3, content.len()), content.as_bytes().to_vec()].concat()
}

fn integer(number: i64) -> Vec<u8> {
    if number < 0 { head(1, (-1 - number) as usize) } else { head(0, number as usize) }
}

fn map(entries: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
    let content = entries.iter().flat_map(|(key, value)| [key.clone(), value.clone()].concat());
    [head(5, entries.len()), content.collect()].concat()
}

enum Key {
    Es256(EcdsaKeyPair),
    EdDsa(Ed25519KeyPair),
    Rs256(RsaKeyPair),
}

impl Key {
    fn es256() -> Self {
        let (kind, random) = (&ECDSA_P256_SHA256_ASN1_SIGNING, SystemRandom::new());
        let document = EcdsaKeyPair::generate_pkcs8(kind, &random).unwrap();
        Self::Es256(EcdsaKeyPair::from_pkcs8(kind, document.as_ref(), &random).unwrap())
    }

    fn all() -> [Self; 3] {
        let ed_dsa = Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap();
        [Self::es256(), Self::EdDsa(ed_dsa), Self::Rs256(RsaKeyPair::from_der(RSA).unwrap())]
    }

    fn cose(&self) -> Vec<u8> {
        let fields = match self {
            Key::Es256(key) => {
                let point = key.public_key().as_ref();
                vec![
                    (1, integer(2)),
                    (3, integer(-7)),
                    (-1, integer(1)),
                    (-2, bytes(&point[1..33])),
                    (-3, bytes(&point[33..])),
                ]
            }
            Key::EdDsa(key) => {
                vec![
                    (1, integer(1)),
                    (3, integer(-8)),
                    (-1, integer(6)),
                    (-2, bytes(key.public_key().as_ref())),
                ]
            }
            Key::Rs256(key) => {
                let RsaPublicKeyComponents { n, e } = RsaPublicKeyComponents::<Vec<u8>>::from(key.public());
                vec![(1, integer(3)), (3, integer(-257)), (-1, bytes(&n)), (-2, bytes(&e))]
            }
        };
        map(&fields.into_iter().map(|(name, value)| (integer(name), value)).collect::<Vec<_>>())
    }

    fn sign(&self, message: &[u8]) -> Vec<u8> {
        match self {
            Key::Es256(key) => key.sign(&SystemRandom::new(), message).unwrap().as_ref().to_vec(),
            Key::EdDsa(key) => key.sign(message).as_ref().to_vec(),
            Key::Rs256(key) => {
                let mut signature = vec![0; key.public().modulus_len()];
                key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), message, &mut signature).unwrap();
                signature
            }
        }
    }
}

/// Returns authenticator data of the host, with what stands behind the counter.
fn data_of(host: &str, flags: u8, count: u32, rest: &[u8]) -> Vec<u8> {
    [&Sha256::digest(host)[..], &[flags], &count.to_be_bytes(), rest].concat()
}

fn data(flags: u8, count: u32, rest: &[u8]) -> Vec<u8> {
    data_of("dockside.example.com", flags, count, rest)
}

fn credential(id: &[u8], key: &[u8]) -> Vec<u8> {
    [&[0; 16][..], &(id.len() as u16).to_be_bytes(), id, key].concat()
}

fn object(format: &str, statement: Vec<u8>, data: &[u8]) -> Vec<u8> {
    map(&[(text("fmt"), text(format)), (text("attStmt"), statement), (text("authData"), bytes(data))])
}

fn none(data: &[u8]) -> Vec<u8> {
    object("none", map(&[]), data)
}

#[test]
fn each_algorithm_registers_and_signs_in() {
    for key in Key::all() {
        let made = data(CONSENT | SYNCABLE | SYNCED | CREDENTIAL, 0, &credential(b"one", &key.cose()));
        let registration = register(&none(&made), &party()).unwrap();
        assert_eq!(registration.credential_id, b"one");
        assert_eq!((registration.public_key.as_slice(), registration.sign_count), (&key.cose()[..], 0));
        assert!(registration.is_syncable);
        let (client, signed) = (b"{}", data(CONSENT | SYNCABLE, 5, &[]));
        let signature = key.sign(&[&signed[..], &Sha256::digest(client)].concat());
        let check = |client: &[u8], signed: &[u8], signature: &[u8]| {
            verify(client, signed, signature, &registration.public_key, &party())
        };
        assert_eq!(check(client, &signed, &signature), Ok(Assertion { sign_count: 5, is_syncable: true }));
        assert_eq!(check(b"{ }", &signed, &signature), Err(Flaw::Signature));
        assert_eq!(check(client, &data(CONSENT | SYNCABLE, 6, &[]), &signature), Err(Flaw::Signature));
        assert_eq!(check(client, &signed, &signature[1..]), Err(Flaw::Signature));
        assert_eq!(check(client, &signed, &[]), Err(Flaw::Signature));
        let other = Key::es256();
        let theirs = other.sign(&[&signed[..], &Sha256::digest(client)].concat());
        assert_eq!(check(client, &signed, &theirs), Err(Flaw::Signature));
    }
}

#[test]
fn a_new_passkey_is_refused_for_each_flaw() {
    let (key, made) = (Key::es256(), CONSENT | CREDENTIAL);
    let good = credential(b"one", &key.cose());
    let refused = |object: &[u8]| register(object, &party()).unwrap_err();
    assert!(register(&none(&data(made, 1, &good)), &party()).is_ok());
    let with_extensions = [&good[..], &map(&[(text("credProps"), vec![0xf5])])].concat();
    assert!(register(&none(&data(made | EXTENSIONS, 1, &with_extensions)), &party()).is_ok());
    let other_host = data_of("evil.example", made, 1, &good);
    let cases = [
        (none(&other_host), Flaw::RelyingParty),
        (none(&data(made & !1, 1, &good)), Flaw::NotPresent),
        (none(&data(made & !4, 1, &good)), Flaw::NotVerified),
        (none(&data(made | SYNCED, 1, &good)), Flaw::Backup),
        (none(&data(CONSENT, 1, &[])), Flaw::Malformed),
        (none(&data(CONSENT, 1, &good)), Flaw::Malformed),
        (none(&data(made, 1, &with_extensions)), Flaw::Malformed),
        (none(&data(made | EXTENSIONS, 1, &good)), Flaw::Malformed),
        (none(&data(made, 1, &good[..good.len() - 1])), Flaw::Malformed),
        (none(&data(made, 1, &credential(b"", &key.cose()))), Flaw::Malformed),
        (none(&data(made, 1, &credential(&[1; 1024], &key.cose()))), Flaw::Malformed),
        (none(&data(made, 1, &[])[..30]), Flaw::Malformed),
        (object("packed", map(&[]), &data(made, 1, &good)), Flaw::Attestation),
        (object("none", map(&[(text("sig"), bytes(b"x"))]), &data(made, 1, &good)), Flaw::Attestation),
        ([none(&data(made, 1, &good)), vec![0]].concat(), Flaw::Malformed),
        (Vec::new(), Flaw::Malformed),
    ];
    for (place, (object, flaw)) in cases.iter().enumerate() {
        assert_eq!(refused(object), *flaw, "{place}");
    }
}

#[test]
fn only_a_key_of_an_accepted_algorithm_is_kept() {
    let number = |name: i64, value: i64| (integer(name), integer(value));
    let point = || [(integer(-2), bytes(&[1; 32])), (integer(-3), bytes(&[2; 32]))];
    let es256 = |algorithm: i64, curve: i64| {
        map(&[&[number(1, 2), number(3, algorithm), number(-1, curve)][..], &point()].concat())
    };
    let register =
        |cose: &[u8]| register(&none(&data(CONSENT | CREDENTIAL, 0, &credential(b"one", cose))), &party());
    assert!(register(&es256(-7, 1)).is_ok());
    for (cose, what) in [
        (es256(-35, 2), "ES384"),
        (es256(-7, 8), "another curve"),
        (es256(-257, 1), "the algorithm of another kind of key"),
        (map(&[number(1, 2), number(3, -7), number(-1, 1)]), "no point"),
        (map(&[number(1, 4), number(3, 5), (integer(-1), bytes(&[1; 32]))]), "a shared secret"),
        (map(&[]), "nothing"),
    ] {
        assert_eq!(register(&cose), Err(Flaw::Key), "{what}");
    }
}

#[test]
fn what_the_browser_says_must_be_of_our_own_page_and_of_this_purpose() {
    let client = |kind: &str, origin: &str, more: &str| {
        let challenge = encode(b"a challenge");
        format!(r#"{{"type":"{kind}","challenge":"{challenge}","origin":"{origin}"{more}}}"#).into_bytes()
    };
    let own = "https://dockside.example.com";
    let read = |json: &[u8]| challenge_of(Ceremony::SignIn, json, &party());
    assert_eq!(read(&client("webauthn.get", own, "")), Ok(b"a challenge".to_vec()));
    let more = r#","crossOrigin":false,"other_keys_can_be_added_here":"do not compare"#;
    assert!(read(&client("webauthn.get", own, &format!("{more}\""))).is_ok());
    assert_eq!(read(&client("webauthn.create", own, "")), Err(Flaw::Purpose));
    let register = challenge_of(Ceremony::Registration, &client("webauthn.get", own, ""), &party());
    assert_eq!(register, Err(Flaw::Purpose));
    for origin in [
        "http://dockside.example.com",
        "https://dockside.example.com:8443",
        "https://dockside.example.com.evil.example",
        "https://evil.example",
        "https://app.dockside.example.com",
        "null",
        "",
    ] {
        assert_eq!(read(&client("webauthn.get", origin, "")), Err(Flaw::Origin), "{origin}");
    }
    assert_eq!(read(&client("webauthn.get", own, r#","crossOrigin":true"#)), Err(Flaw::Origin));
    for json in [&b"{}"[..], b"", b"nonsense", br#"{"type":"webauthn.get","challenge":"=","origin":"x"}"#] {
        assert!(read(json).is_err());
    }
    assert_eq!(
        read(&client("webauthn.get", own, r#","origin":"https://evil.example""#)),
        Err(Flaw::Malformed)
    );
}

#[test]
fn a_counter_goes_on_or_is_not_used_at_all() {
    let check =
        |old: u32, new: u32| ensure_goes_on(&Assertion { sign_count: new, is_syncable: true }, old, true);
    for (old, new) in [(0, 0), (0, 1), (1, 2), (7, u32::MAX)] {
        assert_eq!(check(old, new), Ok(()), "{old} {new}");
    }
    for (old, new) in [(1, 1), (2, 1), (5, 0), (u32::MAX, 1)] {
        assert_eq!(check(old, new), Err(Flaw::Counter), "{old} {new}");
    }
    assert_eq!(ensure_goes_on(&Assertion { sign_count: 9, is_syncable: false }, 1, true), Err(Flaw::Backup));
}

#[test]
fn a_user_handle_names_organisation_and_user() {
    let (organisation, user) = (Id::from_bits(7), Id::from_bits(u128::MAX >> 3));
    let handle = user_handle(organisation, user);
    assert_eq!(read_user_handle(&handle), Some((organisation, user)));
    assert_eq!(read_user_handle(&handle[1..]), None);
    assert_eq!(read_user_handle(&[&handle[..], &[0]].concat()), None);
}
