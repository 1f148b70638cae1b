//! An attempt to sign in at an identity provider. It is kept by the browser that began it, in a cookie.
//!
//! The cookie has a secret, from which `state`, `nonce` and the verifier of PKCE are derived. So an answer is accepted only
//! from the browser that began the attempt, beginning one writes nothing to the database, and the secret is stored nowhere.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use model::Timestamp;
use model::access::openid::ATTEMPT_SECONDS;
use model::access::openid::console_path::console_path;
use ring::hmac;
use sha2::{Digest, Sha256};

/// The purpose from which the key of the cookie is derived.
const KEY_PURPOSE: &[u8] = b"dockside attempts to sign in with OpenID Connect";
const SECRET_BYTES: usize = 32;
const TAG_BYTES: usize = 32;

/// The key that seals attempts. Nodes that share a database share it.
#[derive(Clone)]
pub struct AttemptKey(hmac::Key);

impl AttemptKey {
    pub fn derive(signing_key: &[u8; 32]) -> Self {
        let signing = hmac::Key::new(hmac::HMAC_SHA256, signing_key);
        Self(hmac::Key::new(hmac::HMAC_SHA256, hmac::sign(&signing, KEY_PURPOSE).as_ref()))
    }
}

/// An attempt to sign in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attempt {
    secret: [u8; SECRET_BYTES],
    /// The first second in which it is over, since 1970.
    pub expires_at: i64,
    /// The page of the console that the person wanted.
    pub next: String,
}

impl Attempt {
    pub fn new(secret: [u8; SECRET_BYTES], now: Timestamp, next: Option<&str>) -> Self {
        Self { secret, expires_at: now.as_seconds() + ATTEMPT_SECONDS, next: console_path(next).to_owned() }
    }

    /// Returns the value of the cookie.
    pub fn seal(&self, key: &AttemptKey) -> String {
        let mut bytes = self.secret.to_vec();
        bytes.extend(self.expires_at.to_be_bytes());
        bytes.extend(self.next.as_bytes());
        let tag = hmac::sign(&key.0, &bytes);
        bytes.extend(tag.as_ref());
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Reads what [`Attempt::seal`] wrote with the same key, and nothing else.
    pub fn open(key: &AttemptKey, cookie: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(cookie).ok()?;
        let (said, tag) = bytes.split_at_checked(bytes.len().checked_sub(TAG_BYTES)?)?;
        hmac::verify(&key.0, said, tag).ok()?;
        let (secret, rest) = said.split_first_chunk()?;
        let (expires_at, next) = rest.split_first_chunk()?;
        let next = String::from_utf8(next.to_vec()).ok()?;
        Some(Self { secret: *secret, expires_at: i64::from_be_bytes(*expires_at), next })
    }

    pub fn state(&self) -> String {
        self.derive("state")
    }

    pub fn nonce(&self) -> String {
        self.derive("nonce")
    }

    /// Returns the secret of PKCE, which proves to the provider that the code was asked for here.
    pub fn verifier(&self) -> String {
        self.derive("verifier")
    }

    /// Returns what the provider is told of the verifier beforehand (S256).
    pub fn code_challenge(&self) -> String {
        URL_SAFE_NO_PAD.encode(Sha256::digest(self.verifier()))
    }

    /// Returns what marks the attempt as answered.
    pub fn hash(&self) -> [u8; 32] {
        Sha256::digest([b"openid_connect ".as_slice(), &self.secret].concat()).into()
    }

    fn derive(&self, purpose: &str) -> String {
        URL_SAFE_NO_PAD.encode(Sha256::digest([purpose.as_bytes(), b" ", &self.secret].concat()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn attempt(secret: u8) -> Attempt {
        Attempt { secret: [secret; SECRET_BYTES], expires_at: 1_000, next: "/console/orders".to_owned() }
    }

    #[test]
    fn an_attempt_is_read_with_its_own_key_and_unchanged_only() {
        let key = AttemptKey::derive(&[1; 32]);
        let sealed = attempt(7).seal(&key);
        assert_eq!(Attempt::open(&key, &sealed), Some(attempt(7)));
        assert_eq!(Attempt::open(&AttemptKey::derive(&[2; 32]), &sealed), None);
        for place in 0..sealed.len() {
            let mut changed = sealed.clone().into_bytes();
            changed[place] = if changed[place] == b'A' { b'B' } else { b'A' };
            assert_eq!(Attempt::open(&key, &String::from_utf8(changed).unwrap()), None, "{place}");
        }
        for text in ["", "A", "nonsense", "é", &sealed[..40]] {
            assert_eq!(Attempt::open(&key, text), None, "{text}");
        }
    }

    #[test]
    fn what_is_derived_differs_by_purpose_and_by_secret() {
        let (one, other) = (attempt(1), attempt(2));
        let texts = [one.state(), one.nonce(), one.verifier(), one.code_challenge(), other.state()];
        for (place, text) in texts.iter().enumerate() {
            assert_eq!(text.len(), 43);
            assert!(!texts[..place].contains(text));
        }
        assert_ne!(one.hash(), other.hash());
    }
}
