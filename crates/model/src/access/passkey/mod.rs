//! Passkeys (WebAuthn): keys on a person's own devices, with which the person signs in instead of a password.

mod authenticator_data;
mod cbor;
pub mod ceremony;
pub mod cose_key;
pub mod flaw;
pub mod relying_party;
mod shapes;
#[cfg(test)]
mod tests;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

use crate::access::access_token::User;
use crate::platform::id::Kind as IdKind;
use crate::{Id, Organisation, Timestamp};

pub use shapes::{PASSKEY, PASSKEY_CHALLENGE, PASSKEY_ID, PASSKEY_INPUT, PASSKEY_PROOF, SESSION_CHALLENGE};

/// Most passkeys of a user.
pub const PASSKEYS_MAX: i64 = 20;
/// How long a challenge can be answered, in seconds.
pub const CHALLENGE_SECONDS: i64 = 5 * 60;
/// How long after a sign-in a passkey is added without the password, in seconds.
pub const RECENT_SECONDS: i64 = 15 * 60;
/// Longest name that an authenticator gives a passkey, in bytes (WebAuthn, section 7.1).
pub const CREDENTIAL_BYTES_MAX: usize = 1023;
const ID_BYTES: usize = 16;

/// The marker type of passkey ids.
pub enum Passkey {}

impl IdKind for Passkey {
    const PREFIX: &'static str = "pky";
}

/// A passkey as the API shows it.
#[derive(Serialize)]
pub struct PasskeyView {
    pub id: Id<Passkey>,
    pub user_id: Id<User>,
    pub name: String,
    pub is_syncable: bool,
    pub created_at: Timestamp,
    pub last_used_at: Option<Timestamp>,
}

/// Bytes in base64url without padding, as the shape has checked.
#[derive(Deserialize, Clone, Debug)]
#[serde(transparent)]
pub struct Encoded(String);

impl Encoded {
    pub fn decode(&self) -> Option<Vec<u8>> {
        URL_SAFE_NO_PAD.decode(&self.0).ok()
    }
}

/// Returns bytes in base64url without padding, as browsers write them.
pub fn encode(bytes: &[u8]) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// A new passkey, as a browser describes it.
#[derive(Deserialize)]
pub struct PasskeyInput {
    pub name: String,
    pub client_data: Encoded,
    pub attestation_object: Encoded,
    pub current_password: Option<String>,
}

/// What a passkey has signed, as a browser describes it.
#[derive(Deserialize)]
pub struct PasskeyProof {
    pub credential_id: Encoded,
    pub client_data: Encoded,
    pub authenticator_data: Encoded,
    pub signature: Encoded,
    pub user_handle: Encoded,
}

/// Returns the bytes by which authenticators know a user. They name the organisation, so that the look-up is scoped by it.
pub fn user_handle(organisation: Id<Organisation>, user: Id<User>) -> Vec<u8> {
    [organisation.bits().to_be_bytes(), user.bits().to_be_bytes()].concat()
}

/// Reads what [`user_handle`] wrote.
pub fn read_user_handle(bytes: &[u8]) -> Option<(Id<Organisation>, Id<User>)> {
    let (organisation, rest) = bytes.split_first_chunk::<ID_BYTES>()?;
    let user: [u8; ID_BYTES] = rest.try_into().ok()?;
    Some((Id::from_bits(u128::from_be_bytes(*organisation)), Id::from_bits(u128::from_be_bytes(user))))
}
