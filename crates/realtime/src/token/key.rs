//! The keys that sign tokens: HS256 with a secret that signer and verifier share, or ES256, where a verifier needs
//! only the public key.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ring::hmac;
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair, UnparsedPublicKey,
};

/// Bytes of the shortest secret: the length of the hash. A shorter secret would be easier to guess than the hash.
pub const SECRET_BYTES_MIN: usize = 32;

/// Signs tokens and checks signatures.
pub struct Key(Kind);

enum Kind {
    Hs256(hmac::Key),
    Es256 {
        pair: EcdsaKeyPair,
        public: UnparsedPublicKey<Vec<u8>>,
        /// The only random source that ring accepts for the nonce of a signature. Ring mixes it with key and message.
        /// It does not affect the claims of a token.
        random: SystemRandom,
    },
}

/// The reason why bytes are not a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotAKey {
    /// The secret has fewer than [`SECRET_BYTES_MIN`] bytes.
    TooShort,
    /// Not a P-256 private key as PKCS#8 (`openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256`).
    NotP256,
}

impl std::fmt::Display for NotAKey {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NotAKey::TooShort => write!(out, "the secret must have at least {SECRET_BYTES_MIN} bytes"),
            NotAKey::NotP256 => out.write_str("not a P-256 private key in PKCS#8 form"),
        }
    }
}

impl std::error::Error for NotAKey {}

/// The error if the operating system provides no random bytes for a signature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotSigned;

impl std::fmt::Display for NotSigned {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("the token could not be signed")
    }
}

impl std::error::Error for NotSigned {}

impl Key {
    /// Creates an HS256 key from a secret.
    pub fn hs256(secret: &[u8]) -> Result<Self, NotAKey> {
        if secret.len() < SECRET_BYTES_MIN {
            return Err(NotAKey::TooShort);
        }
        Ok(Self(Kind::Hs256(hmac::Key::new(hmac::HMAC_SHA256, secret))))
    }

    /// Creates an ES256 key from a private key in PEM (`BEGIN PRIVATE KEY`) or DER.
    pub fn es256(key: &[u8]) -> Result<Self, NotAKey> {
        let der = match std::str::from_utf8(key) {
            Ok(pem) if pem.contains("-----BEGIN PRIVATE KEY-----") => {
                let body: String =
                    pem.lines().filter(|line| !line.starts_with("-----")).map(str::trim).collect();
                BASE64_STANDARD.decode(body).map_err(|_| NotAKey::NotP256)?
            }
            _ => key.to_vec(),
        };
        let random = SystemRandom::new();
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &der, &random)
            .map_err(|_| NotAKey::NotP256)?;
        let public = UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, pair.public_key().as_ref().to_vec());
        Ok(Self(Kind::Es256 { pair, public, random }))
    }

    /// Returns the algorithm's name for a token's header.
    pub fn algorithm(&self) -> &'static str {
        match self.0 {
            Kind::Hs256(_) => "HS256",
            Kind::Es256 { .. } => "ES256",
        }
    }

    pub(super) fn sign(&self, message: &[u8]) -> Result<Vec<u8>, NotSigned> {
        match &self.0 {
            Kind::Hs256(key) => Ok(hmac::sign(key, message).as_ref().to_vec()),
            Kind::Es256 { pair, random, .. } => {
                Ok(pair.sign(random, message).map_err(|_| NotSigned)?.as_ref().to_vec())
            }
        }
    }

    /// Verifies a signature, in constant time.
    pub(super) fn verify(&self, message: &[u8], signature: &[u8]) -> bool {
        match &self.0 {
            Kind::Hs256(key) => hmac::verify(key, message, signature).is_ok(),
            Kind::Es256 { public, .. } => public.verify(message, signature).is_ok(),
        }
    }
}
