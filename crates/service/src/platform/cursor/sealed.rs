//! Sealed texts: Base64 of a signature and of the text that it signs. Pure, so that it can be fuzzed.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use model::{Error, Result};
use sha2::Sha256;

/// Bytes of the signature.
const TAG_BYTES: usize = 16;

/// Seals a text for a purpose, whose parts only the same purpose has.
pub fn seal(key: &[u8; 32], purpose: &[&str], text: &str) -> Result<String> {
    let mut bytes = sign(key, purpose, text)?.to_vec();
    bytes.extend_from_slice(text.as_bytes());
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// Returns the text that was sealed with the same key for the same purpose, and `None` for anything else.
pub fn open(key: &[u8; 32], purpose: &[&str], sealed: &str) -> Option<String> {
    let bytes = URL_SAFE_NO_PAD.decode(sealed).ok()?;
    let (tag, text) = bytes.split_at_checked(TAG_BYTES)?;
    let text = std::str::from_utf8(text).ok()?;
    // A forged tag buys no more than another page of the forger's own rows, so a plain comparison will do.
    (sign(key, purpose, text).ok()? == tag).then(|| text.to_owned())
}

fn sign(key: &[u8; 32], purpose: &[&str], text: &str) -> Result<[u8; TAG_BYTES]> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).map_err(Error::fault)?;
    // A length before each part, so that no two lists of parts sign the same bytes.
    for part in purpose.iter().chain([&text]) {
        mac.update(&(part.len() as u64).to_be_bytes());
        mac.update(part.as_bytes());
    }
    let full = mac.finalize().into_bytes();
    full[..TAG_BYTES].try_into().map_err(Error::fault)
}
