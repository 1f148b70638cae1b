//! The two things that a passkey does: it is made, and it signs a person in (WebAuthn Level 3, sections 7.1 and 7.2).
//!
//! Nothing here knows which challenges were given out: the caller checks the one that is returned.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::CREDENTIAL_BYTES_MAX;
use super::authenticator_data::AuthenticatorData;
use super::cbor::Item;
use super::cose_key;
use super::flaw::Flaw;
use super::relying_party::RelyingParty;
use crate::access::signature::EcdsaForm;

/// What a passkey is used for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ceremony {
    Registration,
    SignIn,
}

/// What the browser adds to what the authenticator signs.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ClientData {
    r#type: String,
    challenge: String,
    origin: String,
    #[serde(default)]
    cross_origin: bool,
}

/// A passkey as its authenticator made it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Registration {
    pub credential_id: Vec<u8>,
    /// The public key in COSE.
    pub public_key: Vec<u8>,
    pub sign_count: u32,
    pub is_syncable: bool,
}

/// What a passkey has signed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Assertion {
    pub sign_count: u32,
    pub is_syncable: bool,
}

/// Checks what the browser says, and returns the challenge that was answered.
pub fn challenge_of(ceremony: Ceremony, client_data: &[u8], party: &RelyingParty) -> Result<Vec<u8>, Flaw> {
    let data: ClientData = serde_json::from_slice(client_data).map_err(|_| Flaw::Malformed)?;
    let wanted = match ceremony {
        Ceremony::Registration => "webauthn.create",
        Ceremony::SignIn => "webauthn.get",
    };
    if data.r#type != wanted {
        return Err(Flaw::Purpose);
    }
    // A frame of another site must not ask for it either.
    if data.origin != party.origin || data.cross_origin {
        return Err(Flaw::Origin);
    }
    URL_SAFE_NO_PAD.decode(&data.challenge).map_err(|_| Flaw::Malformed)
}

/// Reads a new passkey.
pub fn register(attestation: &[u8], party: &RelyingParty) -> Result<Registration, Flaw> {
    let object = Item::read_all(attestation).ok_or(Flaw::Malformed)?;
    // The page asks for no attestation, so that the maker of the device is not told apart.
    let is_none = object.field("fmt") == Some(&Item::Text("none".to_owned()))
        && object.field("attStmt") == Some(&Item::Map(Vec::new()));
    if !is_none {
        return Err(Flaw::Attestation);
    }
    let bytes = object.field("authData").and_then(Item::bytes).ok_or(Flaw::Malformed)?;
    let data = AuthenticatorData::read(bytes, party)?;
    let credential = data.credential.ok_or(Flaw::Malformed)?;
    if credential.id.is_empty() || credential.id.len() > CREDENTIAL_BYTES_MAX {
        return Err(Flaw::Malformed);
    }
    cose_key::read(&credential.key_item).ok_or(Flaw::Key)?;
    Ok(Registration {
        credential_id: credential.id,
        public_key: credential.key,
        sign_count: data.sign_count,
        is_syncable: data.is_syncable,
    })
}

/// Checks that the passkey with this public key has signed what the browser and the authenticator say.
pub fn verify(
    client_data: &[u8],
    authenticator_data: &[u8],
    signature: &[u8],
    public_key: &[u8],
    party: &RelyingParty,
) -> Result<Assertion, Flaw> {
    let data = AuthenticatorData::read(authenticator_data, party)?;
    let key = Item::read_all(public_key).as_ref().and_then(cose_key::read).ok_or(Flaw::Key)?;
    let message = [authenticator_data, &Sha256::digest(client_data)].concat();
    if !key.verifies(&message, signature, EcdsaForm::Asn1) {
        return Err(Flaw::Signature);
    }
    Ok(Assertion { sign_count: data.sign_count, is_syncable: data.is_syncable })
}

/// Checks what a passkey has signed against what is known of it. An authenticator that counts must count on: otherwise there
/// are two with the same key.
pub fn ensure_goes_on(assertion: &Assertion, sign_count: u32, is_syncable: bool) -> Result<(), Flaw> {
    if assertion.is_syncable != is_syncable {
        return Err(Flaw::Backup);
    }
    let counts = assertion.sign_count != 0 || sign_count != 0;
    if counts && assertion.sign_count <= sign_count { Err(Flaw::Counter) } else { Ok(()) }
}
