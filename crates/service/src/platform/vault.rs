//! Secrets at rest: sealed with the operator's key before they reach the database, opened only to be used.
//!
//! What a secret belongs to is bound into the seal, so that one row's secret can't be put into another's place.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::{Error, Result};
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};

use store::platform::installation;
use store::{Access, Tx};

use crate::platform::context::Context;

/// A word that is sealed once, so that a server with another key can tell before it does harm.
const WORD: &[u8] = b"dockside";
const WORD_NAME: &str = "sealed_word";

/// Returns whether this is the key with which the secrets in a database were sealed. A database in which no server has started has
/// none.
pub(crate) async fn is_key_of(tx: &mut Tx<'_>, key: &[u8; 32]) -> Result<bool> {
    match installation::get(tx, WORD_NAME).await? {
        Some(kept) => opens_word(key, &kept),
        None => Ok(true),
    }
}

fn opens_word(key: &[u8; 32], kept: &str) -> Result<bool> {
    let sealed = STANDARD.decode(kept).map_err(Error::fault)?;
    Ok(unseal(key, WORD_NAME, &sealed).is_ok_and(|word| word == WORD))
}

impl Context {
    /// Whether the key is the one with which this installation's secrets were sealed. The first server decides; a command
    /// that comes before it, perhaps without the server's keys, does not.
    pub async fn is_keyed(&self, is_server: bool) -> Result<bool> {
        let read = self.db().read(Access::System, async |tx| installation::get(tx, WORD_NAME).await);
        let kept = match read.await? {
            Some(kept) => kept,
            None if !is_server => return Ok(true),
            None => {
                let fresh = STANDARD.encode(self.seal(WORD_NAME, WORD)?);
                let keep = self.db().write(Access::System, async move |tx| {
                    installation::insert(tx, WORD_NAME, &fresh).await?;
                    installation::get(tx, WORD_NAME).await
                });
                keep.await?.unwrap_or_default()
            }
        };
        opens_word(&self.settings().encryption_key, &kept)
    }

    /// Seals a secret. `about` names what it belongs to.
    pub(crate) fn seal(&self, about: &str, secret: &[u8]) -> Result<Vec<u8>> {
        let mut nonce = [0; NONCE_LEN];
        self.fill_random(&mut nonce);
        let mut sealed = secret.to_vec();
        key(&self.settings().encryption_key)?
            .seal_in_place_append_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(about.as_bytes()),
                &mut sealed,
            )
            .map_err(|_| Error::fault("a secret can't be sealed"))?;
        Ok([nonce.as_slice(), &sealed].concat())
    }

    /// Opens what was sealed for the same thing.
    pub(crate) fn unseal(&self, about: &str, sealed: &[u8]) -> Result<Vec<u8>> {
        unseal(&self.settings().encryption_key, about, sealed)
    }
}

fn key(bytes: &[u8; 32]) -> Result<LessSafeKey> {
    let key =
        UnboundKey::new(&AES_256_GCM, bytes).map_err(|_| Error::fault("the encryption key is unusable"))?;
    Ok(LessSafeKey::new(key))
}

fn unseal(bytes: &[u8; 32], about: &str, sealed: &[u8]) -> Result<Vec<u8>> {
    let foreign = || Error::fault("a stored secret can't be opened: is it another encryption_key?");
    let (nonce, rest) = sealed.split_at_checked(NONCE_LEN).ok_or_else(foreign)?;
    let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| foreign())?;
    let mut secret = rest.to_vec();
    let opened =
        key(bytes)?.open_in_place(nonce, Aad::from(about.as_bytes()), &mut secret).map_err(|_| foreign())?;
    Ok(opened.to_vec())
}
