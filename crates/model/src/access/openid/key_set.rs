//! The public keys of an identity provider (RFC 7517).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;

use crate::access::signature::{Algorithm, EcdsaForm, PublicKey};
use crate::platform::json;

/// Keys of a provider that are read. Those beyond are ignored.
const KEYS_MAX: usize = 64;
/// Memory that a document of a provider may take once it is parsed.
pub(super) const DOCUMENT_MEMORY_MAX: usize = 4 << 20;

/// The keys that verify signatures with an accepted algorithm.
#[derive(Clone, Default, Debug)]
pub struct KeySet(Vec<Key>);

#[derive(Clone, Debug)]
struct Key {
    id: Option<String>,
    key: PublicKey,
}

impl KeySet {
    /// Reads a JWK set. Keys of other kinds, and for other uses, are left out. Returns `None` if it is no JWK set.
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        let document = json::parse_within(bytes, DOCUMENT_MEMORY_MAX).ok()?;
        let keys = document.get("keys")?.as_array()?;
        Some(Self(keys.iter().filter_map(read).take(KEYS_MAX).collect()))
    }

    /// Returns whether a key for the algorithm has this id, or there is any if no id is given.
    pub(super) fn has(&self, id: Option<&str>, algorithm: Algorithm) -> bool {
        self.candidates(id, algorithm).next().is_some()
    }

    /// Returns whether the signature is one of a key with this id, or of any key if no id is given.
    pub(super) fn verifies(
        &self,
        id: Option<&str>,
        algorithm: Algorithm,
        message: &[u8],
        signature: &[u8],
    ) -> bool {
        self.candidates(id, algorithm).any(|key| key.verifies(message, signature, EcdsaForm::Fixed))
    }

    fn candidates(&self, id: Option<&str>, algorithm: Algorithm) -> impl Iterator<Item = &PublicKey> {
        let is_named = move |key: &&Key| id.is_none() || key.id.as_deref() == id;
        self.0
            .iter()
            .filter(is_named)
            .map(|key| &key.key)
            // The kind of the key decides how a signature is verified, not what the token claims.
            .filter(move |key| key.algorithm() == algorithm)
    }
}

fn read(jwk: &Value) -> Option<Key> {
    let text = |name: &str| jwk.get(name).and_then(Value::as_str);
    let bytes = |name: &str| URL_SAFE_NO_PAD.decode(text(name)?).ok();
    if text("use").is_some_and(|usage| usage != "sig") {
        return None;
    }
    let key = match (text("kty")?, text("crv")) {
        ("RSA", _) => PublicKey::rsa(&bytes("n")?, &bytes("e")?)?,
        ("EC", Some("P-256")) => PublicKey::p256(&bytes("x")?, &bytes("y")?)?,
        ("OKP", Some("Ed25519")) => PublicKey::ed25519(&bytes("x")?)?,
        _ => return None,
    };
    // A key that is declared for PS256, for example, must not verify RS256.
    let is_for_other = text("alg").is_some_and(|alg| alg != key.algorithm().as_str());
    (!is_for_other).then(|| Key { id: text("kid").map(str::to_owned), key })
}
