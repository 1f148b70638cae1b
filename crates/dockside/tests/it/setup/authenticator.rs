//! A device with passkeys, and the browser that speaks to it, which can be told to misbehave.

use model::access::passkey::encode;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::setup::person::Person;
use crate::setup::world::{Call, Reply, World};

pub const PASSKEY_COOKIE: &str = "__Host-dockside_passkey";
const HOST: &str = "dockside.example.com";
/// The person was there, and was verified.
const CONSENT: u8 = 0x05;
const HAS_CREDENTIAL: u8 = 0x40;
const ES256: [u8; 7] = [0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01];

/// A device with one passkey. Its fields are what it and the browser say.
pub struct Authenticator {
    key: EcdsaKeyPair,
    pub credential_id: Vec<u8>,
    pub user_handle: String,
    pub sign_count: u32,
    pub flags: u8,
    pub host: String,
    pub origin: String,
    pub is_cross_origin: bool,
    /// The purpose that the browser says instead of the right one.
    pub purpose: Option<&'static str>,
}

impl Authenticator {
    /// Returns a device with a new key. The seed is the name of the key.
    pub fn new(seed: u8) -> Self {
        let (kind, random) = (&ECDSA_P256_SHA256_ASN1_SIGNING, SystemRandom::new());
        let document = EcdsaKeyPair::generate_pkcs8(kind, &random).expect("a key");
        Self {
            key: EcdsaKeyPair::from_pkcs8(kind, document.as_ref(), &random).expect("a key"),
            credential_id: vec![seed; 16],
            user_handle: String::new(),
            sign_count: 0,
            flags: CONSENT,
            host: HOST.to_owned(),
            origin: format!("https://{HOST}"),
            is_cross_origin: false,
            purpose: None,
        }
    }

    fn client_data(&self, purpose: &str, challenge: &Value) -> Vec<u8> {
        json!({
            "type": self.purpose.unwrap_or(purpose),
            "challenge": challenge,
            "origin": self.origin,
            "crossOrigin": self.is_cross_origin,
        })
        .to_string()
        .into_bytes()
    }

    fn data(&self, flags: u8, rest: &[u8]) -> Vec<u8> {
        [&Sha256::digest(&self.host)[..], &[flags], &self.sign_count.to_be_bytes(), rest].concat()
    }

    /// Returns the body of a request that adds the passkey, for the challenge that a session was given.
    pub fn create(&mut self, challenge: &Value) -> Value {
        self.user_handle = challenge["user_handle"].as_str().unwrap_or_default().to_owned();
        let point = self.key.public_key().as_ref();
        let key = [&ES256[..], &[0x21, 0x58, 32], &point[1..33], &[0x22, 0x58, 32], &point[33..]].concat();
        let length = (self.credential_id.len() as u16).to_be_bytes();
        let credential = [&[0; 16][..], &length, &self.credential_id, &key].concat();
        let data = self.data(self.flags | HAS_CREDENTIAL, &credential);
        let object = [
            &b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x59"[..],
            &(data.len() as u16).to_be_bytes(),
            &data,
        ];
        let client_data = self.client_data("webauthn.create", &challenge["challenge"]);
        json!({
            "name": "Laptop",
            "client_data": encode(&client_data),
            "attestation_object": encode(&object.concat()),
        })
    }

    /// Returns what the passkey signs for the challenge that a browser was given. A device that counts has counted before.
    pub fn get(&self, challenge: &Value) -> Value {
        let client_data = self.client_data("webauthn.get", &challenge["challenge"]);
        let data = self.data(self.flags, &[]);
        let message = [&data[..], &Sha256::digest(&client_data)].concat();
        let signature = self.key.sign(&SystemRandom::new(), &message).expect("a signature");
        json!({
            "credential_id": encode(&self.credential_id),
            "client_data": encode(&client_data),
            "authenticator_data": encode(&data),
            "signature": encode(signature.as_ref()),
            "user_handle": self.user_handle,
        })
    }

    /// Adds the passkey to the person's, and returns the answer.
    pub async fn add(&mut self, world: &World, person: &Person) -> Reply {
        let body = self.create(&creation_challenge(world, person).await);
        person.send(world, "POST", "/passkeys", Some(body)).await
    }

    /// Signs the person in with the passkey.
    pub async fn sign_in(&self, world: &World) -> Reply {
        let browser = Browser::new(world).await;
        browser.answer(world, self.get(&browser.challenge)).await
    }
}

/// Returns a challenge for a new passkey of the person.
pub async fn creation_challenge(world: &World, person: &Person) -> Value {
    let reply = person.send(world, "POST", "/passkeys/challenge", None).await;
    assert_eq!(reply.status, 200, "{reply}");
    reply.json()
}

/// A browser that has asked for a challenge to sign in.
pub struct Browser {
    pub challenge: Value,
    pub cookie: String,
}

impl Browser {
    pub async fn new(world: &World) -> Self {
        let reply = world.request("POST", "/sessions/challenge").anonymous().send().await;
        assert_eq!(reply.status, 200, "{reply}");
        let set = reply.header("set-cookie");
        let (pair, rest) = set.split_once(';').expect("a cookie");
        assert_eq!(rest, " Path=/; Max-Age=300; HttpOnly; SameSite=Lax; Secure");
        let cookie = pair.strip_prefix(&format!("{PASSKEY_COOKIE}=")).expect("its name").to_owned();
        Self { challenge: reply.json(), cookie }
    }

    pub fn request<'a>(&self, world: &'a World) -> Call<'a> {
        let cookie = format!("a=b; {PASSKEY_COOKIE}={}", self.cookie);
        world.request("POST", "/sessions").anonymous().header("cookie", &cookie)
    }

    pub async fn answer(&self, world: &World, proof: Value) -> Reply {
        self.request(world).json(json!({"passkey": proof})).send().await
    }
}
