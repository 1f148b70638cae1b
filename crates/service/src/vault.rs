//! Secrets at rest: sealed with the operator's key before they reach the database, opened only to be used.
//!
//! What a secret belongs to is bound into the seal, so that one row's secret can't be put into another's place.

use model::{Error, Result};
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};

use crate::Service;

impl Service {
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
