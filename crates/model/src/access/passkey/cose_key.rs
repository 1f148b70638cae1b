//! Public keys of passkeys (COSE, RFC 9052 and RFC 9053).

use super::cbor::Item;
use crate::access::signature::PublicKey;

const KIND: i64 = 1;
const ALGORITHM: i64 = 3;
/// The curve of an elliptic key, and the modulus of RSA.
const FIRST: i64 = -1;
/// The first coordinate, and the exponent of RSA.
const SECOND: i64 = -2;
const THIRD: i64 = -3;

const ED_DSA: i64 = -8;
const ES256: i64 = -7;
const RS256: i64 = -257;

/// The numbers of the accepted algorithms, the preferred one first. A page passes them on to the authenticator.
pub const ALGORITHMS: [i64; 3] = [ES256, ED_DSA, RS256];

/// Reads a key. Returns `None` if its kind, its algorithm or its curve is not accepted.
pub(super) fn read(item: &Item) -> Option<PublicKey> {
    let number = |at: i64| item.at(at).and_then(Item::integer);
    let bytes = |at: i64| item.at(at).and_then(Item::bytes);
    match (number(KIND)?, number(ALGORITHM)?) {
        (1, ED_DSA) if number(FIRST)? == 6 => PublicKey::ed25519(bytes(SECOND)?),
        (2, ES256) if number(FIRST)? == 1 => PublicKey::p256(bytes(SECOND)?, bytes(THIRD)?),
        (3, RS256) => PublicKey::rsa(bytes(FIRST)?, bytes(SECOND)?),
        _ => None,
    }
}
