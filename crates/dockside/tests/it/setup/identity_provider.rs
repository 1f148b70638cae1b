//! A small identity provider (OpenID Connect) on the loopback, which can be told to misbehave.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use api::Limits;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use model::access::openid::entry::Policy;
use ring::hmac;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256, RsaKeyPair,
    RsaPublicKeyComponents,
};
use serde_json::{Value, json};
use service::events::openid::Settings;
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;

use crate::setup::world::World;

pub const CLIENT: &str = "dockside";
const SECRET: &str = "a secret: & more";
const REDIRECT_URI: &str = "https://dockside.example.com/oidc/callback";
/// A key for tests alone.
const RSA: &[u8] = include_bytes!("../../../../testkit/keys/rsa_2048.der");

/// How ID tokens are signed.
#[derive(Clone, Copy, PartialEq)]
pub enum Signing {
    EdDsa,
    Es256,
    Rs256,
    None,
    /// With the provider's public key as the secret.
    Hs256,
}

/// What the provider does.
pub struct Behaviour {
    pub signing: Signing,
    /// Whose key signs, and under which id.
    pub seed: u8,
    pub key_id: &'static str,
    /// Claims that are added to each token, and replace what would be there. Those that are null are left out.
    pub claims: Value,
    /// What the user information says.
    pub user_info: Value,
    /// The status of every answer, if it is not that of the request.
    pub status: Option<u16>,
    pub document: Value,
    codes: HashMap<String, HashMap<String, String>>,
    /// The paths that were requested.
    pub seen: Vec<String>,
    now: i64,
}

/// The provider. It ends when this value is dropped.
pub struct IdentityProvider {
    pub url: String,
    behaviour: Arc<Mutex<Behaviour>>,
    serving: tokio::task::JoinHandle<()>,
}

impl Drop for IdentityProvider {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

impl IdentityProvider {
    pub async fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let random = SystemRandom::new();
        let p256 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).expect("a key");
        let p256 = Arc::new(p256.as_ref().to_vec());
        let behaviour = Behaviour {
            signing: Signing::EdDsa,
            seed: 1,
            key_id: "one",
            claims: json!({}),
            user_info: json!({}),
            status: None,
            document: json!({}),
            codes: HashMap::new(),
            seen: Vec::new(),
            now: 0,
        };
        let behaviour = Arc::new(Mutex::new(behaviour));
        let serving = tokio::spawn(serve(listener, url.clone(), Arc::clone(&behaviour), p256));
        Self { url, behaviour, serving }
    }

    pub fn set(&self, change: impl FnOnce(&mut Behaviour)) {
        change(&mut self.behaviour.lock().unwrap());
    }

    /// Counts the requests for a path.
    pub fn count(&self, path: &str) -> usize {
        self.behaviour.lock().unwrap().seen.iter().filter(|seen| *seen == path).count()
    }

    /// Returns the settings of a server whose provider this is.
    pub fn settings(&self) -> Settings {
        Settings {
            issuer: self.url.clone(),
            client_id: CLIENT.to_owned(),
            client_secret: Some(SECRET.to_owned()),
            organisation: None,
            scopes: vec!["email".to_owned(), "profile".to_owned()],
            policy: Policy::default(),
            label: "Sign in with Acme".to_owned(),
        }
    }

    /// Makes a world whose people sign in here.
    pub async fn world(&self, change: impl FnOnce(&mut Settings)) -> World {
        let mut settings = self.settings();
        change(&mut settings);
        World::with(Limits::default(), |all| all.openid = Some(settings)).await
    }

    /// Lets the person that the claims describe sign in at the address to which the browser was sent. Returns the code.
    pub fn authorise(&self, world: &World, url: &str, claims: Value) -> String {
        let query = query_of(url);
        let code = format!(
            "code {}&",
            Sha256::digest(url).iter().map(|byte| format!("{byte:02x}")).collect::<String>()
        );
        let mut behaviour = self.behaviour.lock().unwrap();
        behaviour.now = world.service.context.now().as_seconds();
        behaviour.claims = claims;
        behaviour.codes.insert(code.clone(), query);
        code
    }
}

/// Reads the query of an address.
pub fn query_of(url: &str) -> HashMap<String, String> {
    pairs(url.split_once('?').map_or("", |(_, query)| query))
}

fn pairs(text: &str) -> HashMap<String, String> {
    let decode = |text: &str| {
        let mut bytes = Vec::new();
        let mut rest = text.as_bytes();
        while let Some((first, more)) = rest.split_first() {
            if *first == b'%' {
                let hex = std::str::from_utf8(&more[..2]).unwrap();
                bytes.push(u8::from_str_radix(hex, 16).unwrap());
                rest = &more[2..];
            } else {
                bytes.push(if *first == b'+' { b' ' } else { *first });
                rest = more;
            }
        }
        String::from_utf8(bytes).unwrap()
    };
    text.split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| (decode(name), decode(value)))
        .collect()
}

async fn serve(listener: TcpListener, url: String, behaviour: Arc<Mutex<Behaviour>>, p256: Arc<Vec<u8>>) {
    loop {
        let Ok((socket, _)) = listener.accept().await else { return };
        let (url, behaviour, p256) = (url.clone(), Arc::clone(&behaviour), Arc::clone(&p256));
        let answer = service_fn(move |request: Request<Incoming>| {
            let (url, behaviour, p256) = (url.clone(), Arc::clone(&behaviour), Arc::clone(&p256));
            async move {
                let (head, body) = request.into_parts();
                let body = body.collect().await.expect("a body").to_bytes();
                let (status, answer) = answer(&url, &behaviour, &p256, &head, &body);
                let mut response = Response::new(Full::new(Bytes::from(answer.to_string())));
                *response.status_mut() = status.try_into().expect("a status");
                Ok::<_, Infallible>(response)
            }
        });
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(socket), answer));
    }
}

fn answer(
    url: &str,
    behaviour: &Mutex<Behaviour>,
    p256: &[u8],
    head: &http::request::Parts,
    body: &[u8],
) -> (u16, Value) {
    let mut behaviour = behaviour.lock().unwrap();
    behaviour.seen.push(head.uri.path().to_owned());
    let authorization = head.headers.get("authorization").and_then(|value| value.to_str().ok());
    let (status, answer) = match head.uri.path() {
        "/.well-known/openid-configuration" => (200, document(url, &behaviour)),
        "/keys" => (200, keys(&behaviour, p256)),
        "/token" => token(url, &mut behaviour, p256, authorization, body),
        "/userinfo" if authorization == Some("Bearer an access token") => (200, behaviour.user_info.clone()),
        _ => (404, json!({})),
    };
    (behaviour.status.unwrap_or(status), answer)
}

fn document(url: &str, behaviour: &Behaviour) -> Value {
    let mut document = json!({
        "issuer": url,
        "authorization_endpoint": format!("{url}/authorise?tenant=acme"),
        "token_endpoint": format!("{url}/token"),
        "userinfo_endpoint": format!("{url}/userinfo"),
        "jwks_uri": format!("{url}/keys"),
    });
    model::platform::json::merge(&mut document, behaviour.document.clone());
    document
}

fn ed25519(seed: u8) -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[seed; 32]).expect("a key")
}

fn ecdsa(p256: &[u8]) -> EcdsaKeyPair {
    EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, p256, &SystemRandom::new()).expect("a key")
}

fn keys(behaviour: &Behaviour, p256: &[u8]) -> Value {
    let encode = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
    let p256 = ecdsa(p256);
    let (x, y) = p256.public_key().as_ref()[1..].split_at(32);
    let rsa: RsaPublicKeyComponents<Vec<u8>> = RsaKeyPair::from_der(RSA).expect("a key").public().into();
    let edwards = encode(ed25519(behaviour.seed).public_key().as_ref());
    json!({"keys": [
        {"kty": "OKP", "crv": "Ed25519", "kid": behaviour.key_id, "x": edwards},
        {"kty": "EC", "crv": "P-256", "kid": "p256", "x": encode(x), "y": encode(y)},
        {"kty": "RSA", "kid": "rsa", "n": encode(&rsa.n), "e": encode(&rsa.e)},
    ]})
}

/// Trades a code, as strictly as a provider does.
fn token(
    url: &str,
    behaviour: &mut Behaviour,
    p256: &[u8],
    authorization: Option<&str>,
    body: &[u8],
) -> (u16, Value) {
    let form = pairs(std::str::from_utf8(body).unwrap());
    let basic = format!("Basic {}", STANDARD.encode(format!("{CLIENT}:a%20secret%3A%20%26%20more")));
    if authorization != Some(basic.as_str()) {
        return (401, json!({"error": "invalid_client"}));
    }
    // A code works once.
    let Some(asked) = behaviour.codes.remove(&form["code"]) else {
        return (400, json!({"error": "invalid_grant"}));
    };
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(&form["code_verifier"]));
    let is_right = form["grant_type"] == "authorization_code"
        && form["redirect_uri"] == REDIRECT_URI
        && asked["redirect_uri"] == REDIRECT_URI
        && asked["code_challenge"] == challenge
        && asked["code_challenge_method"] == "S256";
    if !is_right {
        return (400, json!({"error": "invalid_grant"}));
    }
    let now = behaviour.now;
    let mut claims =
        json!({"iss": url, "aud": CLIENT, "exp": now + 300, "iat": now, "nonce": asked["nonce"]});
    model::platform::json::merge(&mut claims, behaviour.claims.clone());
    let id_token = sign(behaviour, p256, &claims);
    (200, json!({"id_token": id_token, "access_token": "an access token", "token_type": "Bearer"}))
}

fn sign(behaviour: &Behaviour, p256: &[u8], claims: &Value) -> String {
    let random = SystemRandom::new();
    let (alg, kid) = match behaviour.signing {
        Signing::EdDsa => ("EdDSA", behaviour.key_id),
        Signing::Es256 => ("ES256", "p256"),
        Signing::Rs256 => ("RS256", "rsa"),
        Signing::None => ("none", "rsa"),
        Signing::Hs256 => ("HS256", "rsa"),
    };
    let encode = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let message = format!("{}.{}", encode(&json!({"alg": alg, "kid": kid})), encode(claims));
    let rsa = RsaKeyPair::from_der(RSA).expect("a key");
    let public: RsaPublicKeyComponents<Vec<u8>> = rsa.public().into();
    let signature = match behaviour.signing {
        Signing::EdDsa => ed25519(behaviour.seed).sign(message.as_bytes()).as_ref().to_vec(),
        Signing::Es256 => {
            ecdsa(p256).sign(&random, message.as_bytes()).expect("a signature").as_ref().to_vec()
        }
        Signing::Rs256 => {
            let mut signature = vec![0; rsa.public().modulus_len()];
            rsa.sign(&RSA_PKCS1_SHA256, &random, message.as_bytes(), &mut signature).expect("a signature");
            signature
        }
        Signing::None => Vec::new(),
        Signing::Hs256 => {
            let key = hmac::Key::new(hmac::HMAC_SHA256, &public.n);
            hmac::sign(&key, message.as_bytes()).as_ref().to_vec()
        }
    };
    format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))
}
