//! What an authenticator signs: for whom, whether the person was there, and how often it was used.

use sha2::{Digest, Sha256};

use super::cbor::Item;
use super::flaw::Flaw;
use super::relying_party::RelyingParty;

const HASH_BYTES: usize = 32;
const COUNT_BYTES: usize = 4;
const MODEL_BYTES: usize = 16;
const USER_PRESENT: u8 = 0x01;
const USER_VERIFIED: u8 = 0x04;
const BACKUP_ELIGIBLE: u8 = 0x08;
const BACKED_UP: u8 = 0x10;
const HAS_CREDENTIAL: u8 = 0x40;
const HAS_EXTENSIONS: u8 = 0x80;

/// What an authenticator says, once it was found to be for this server and with the person's consent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct AuthenticatorData {
    /// How often the authenticator has signed, or zero if it does not count.
    pub sign_count: u32,
    /// Whether the passkey may be copied to other devices.
    pub is_syncable: bool,
    /// The new passkey, if one was made.
    pub credential: Option<Credential>,
}

/// A new passkey.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Credential {
    pub id: Vec<u8>,
    /// The key, as the authenticator wrote it, and read.
    pub key: Vec<u8>,
    pub key_item: Item,
}

impl AuthenticatorData {
    /// Reads and checks it.
    pub fn read(bytes: &[u8], party: &RelyingParty) -> Result<Self, Flaw> {
        let (hash, flags, count, rest) = split(bytes).ok_or(Flaw::Malformed)?;
        if *hash != *Sha256::digest(party.id.as_bytes()) {
            return Err(Flaw::RelyingParty);
        }
        let has = |flag: u8| flags & flag != 0;
        if !has(USER_PRESENT) {
            return Err(Flaw::NotPresent);
        }
        if !has(USER_VERIFIED) {
            return Err(Flaw::NotVerified);
        }
        if has(BACKED_UP) && !has(BACKUP_ELIGIBLE) {
            return Err(Flaw::Backup);
        }
        let mut rest = rest;
        let mut credential = None;
        if has(HAS_CREDENTIAL) {
            let (found, left) = read_credential(rest).ok_or(Flaw::Malformed)?;
            (credential, rest) = (Some(found), left);
        }
        if has(HAS_EXTENSIONS) {
            // No extension was asked for. What an authenticator adds all the same is read over.
            let (Item::Map(_), left) = Item::read(rest).ok_or(Flaw::Malformed)? else {
                return Err(Flaw::Malformed);
            };
            rest = left;
        }
        let is_syncable = has(BACKUP_ELIGIBLE);
        if rest.is_empty() {
            Ok(Self { sign_count: count, is_syncable, credential })
        } else {
            Err(Flaw::Malformed)
        }
    }
}

fn split(bytes: &[u8]) -> Option<(&[u8; HASH_BYTES], u8, u32, &[u8])> {
    let (hash, rest) = bytes.split_first_chunk()?;
    let (flags, rest) = rest.split_first()?;
    let (count, rest) = rest.split_first_chunk::<COUNT_BYTES>()?;
    Some((hash, *flags, u32::from_be_bytes(*count), rest))
}

fn read_credential(bytes: &[u8]) -> Option<(Credential, &[u8])> {
    let (_model, rest) = bytes.split_at_checked(MODEL_BYTES)?;
    let (length, rest) = rest.split_first_chunk()?;
    let (id, rest) = rest.split_at_checked(usize::from(u16::from_be_bytes(*length)))?;
    let (key_item, left) = Item::read(rest)?;
    let key = rest[..rest.len() - left.len()].to_vec();
    Some((Credential { id: id.to_vec(), key, key_item }, left))
}
