//! Public keys of others, and the signatures that they verify: of identity providers (JOSE) and of passkeys (COSE).

use ring::signature::{
    ECDSA_P256_SHA256_ASN1, ECDSA_P256_SHA256_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256,
    RsaPublicKeyComponents, UnparsedPublicKey,
};

/// Bytes of a coordinate of P-256, and of a key of Ed25519.
pub const COORDINATE_BYTES: usize = 32;
/// The first byte of a point that is written with both coordinates.
const UNCOMPRESSED: u8 = 4;

/// The signature algorithms that are accepted. There is none with a shared secret, and no `none`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Algorithm {
    Rs256,
    Es256,
    EdDsa,
}

impl Algorithm {
    pub const ALL: [Algorithm; 3] = [Algorithm::Rs256, Algorithm::Es256, Algorithm::EdDsa];

    /// Returns the name in JOSE.
    pub fn as_str(self) -> &'static str {
        match self {
            Algorithm::Rs256 => "RS256",
            Algorithm::Es256 => "ES256",
            Algorithm::EdDsa => "EdDSA",
        }
    }

    /// Reads the name in JOSE. Names are compared exactly.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|algorithm| algorithm.as_str() == name)
    }
}

/// How a signature of ES256 is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EcdsaForm {
    /// Both numbers with 32 bytes each, as JOSE has it.
    Fixed,
    /// ASN.1, as authenticators have it.
    Asn1,
}

/// A public key.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PublicKey {
    Rsa {
        modulus: Vec<u8>,
        exponent: Vec<u8>,
    },
    /// The point with both coordinates.
    P256(Vec<u8>),
    Ed25519(Vec<u8>),
}

impl PublicKey {
    /// Returns a key of P-256, or `None` if a coordinate has another length. Whether the point is on the curve is checked
    /// with each signature.
    pub fn p256(x: &[u8], y: &[u8]) -> Option<Self> {
        let is_whole = x.len() == COORDINATE_BYTES && y.len() == COORDINATE_BYTES;
        is_whole.then(|| Self::P256([&[UNCOMPRESSED], x, y].concat()))
    }

    pub fn ed25519(key: &[u8]) -> Option<Self> {
        (key.len() == COORDINATE_BYTES).then(|| Self::Ed25519(key.to_vec()))
    }

    /// Returns a key of RSA. Its size is checked with each signature: 2048 to 8192 bits.
    pub fn rsa(modulus: &[u8], exponent: &[u8]) -> Option<Self> {
        // `ring` refuses numbers with leading zeros, which some programs write.
        let trimmed =
            |number: &[u8]| number.iter().copied().skip_while(|byte| *byte == 0).collect::<Vec<_>>();
        let (modulus, exponent) = (trimmed(modulus), trimmed(exponent));
        (!modulus.is_empty() && !exponent.is_empty()).then_some(Self::Rsa { modulus, exponent })
    }

    /// Returns the one algorithm that the key is for.
    pub fn algorithm(&self) -> Algorithm {
        match self {
            PublicKey::Rsa { .. } => Algorithm::Rs256,
            PublicKey::P256(_) => Algorithm::Es256,
            PublicKey::Ed25519(_) => Algorithm::EdDsa,
        }
    }

    /// Returns whether the signature of the message is this key's.
    pub fn verifies(&self, message: &[u8], signature: &[u8], form: EcdsaForm) -> bool {
        let ecdsa = match form {
            EcdsaForm::Fixed => &ECDSA_P256_SHA256_FIXED,
            EcdsaForm::Asn1 => &ECDSA_P256_SHA256_ASN1,
        };
        let verified = match self {
            PublicKey::Rsa { modulus, exponent } => RsaPublicKeyComponents { n: modulus, e: exponent }
                .verify(&RSA_PKCS1_2048_8192_SHA256, message, signature),
            PublicKey::P256(point) => UnparsedPublicKey::new(ecdsa, point).verify(message, signature),
            PublicKey::Ed25519(key) => UnparsedPublicKey::new(&ED25519, key).verify(message, signature),
        };
        verified.is_ok()
    }
}
