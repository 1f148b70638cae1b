//! Hashes of passwords: argon2id, on a few threads of their own.
//!
//! A hash takes 19 MiB and some tens of milliseconds on purpose. Only so many are computed at once, and only so many callers
//! wait, so that guesses can't use up the memory or the threads of the server.

use std::sync::Arc;
use std::time::Duration;

use argon2::{Algorithm, Argon2, Params, Version};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use model::access::password::normalised;
use model::{Code, Error, Result};
use tokio::sync::Semaphore;

use crate::platform::context::Context;

/// Memory in KiB, passes and lanes of a hash, as OWASP recommends.
const MEMORY_KIB: u32 = 19_456;
const PASSES: u32 = 2;
const LANES: u32 = 1;
const SALT_BYTES: usize = 16;
const HASH_BYTES: usize = 32;
/// Hashes that are computed at once.
const AT_ONCE: usize = 2;
/// Longest wait for a turn.
const WAIT: Duration = Duration::from_secs(5);
/// What a password is compared with if there is no user: the hash of no password, which costs as much as any other.
const FIXED: &str =
    "$argon2id$v=19$m=19456,t=2,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Computes and compares hashes of passwords. Clones share the permits.
#[derive(Clone)]
pub struct Passwords {
    context: Context,
    permits: Arc<Semaphore>,
}

impl Passwords {
    pub(crate) fn new(context: &Context) -> Self {
        Self { context: context.clone(), permits: Arc::new(Semaphore::new(AT_ONCE)) }
    }

    /// Returns the hash of a password, with its parameters and a new salt.
    pub async fn hash(&self, password: &str) -> Result<String> {
        let mut salt = [0; SALT_BYTES];
        self.context.fill_random(&mut salt);
        let password = normalised(password);
        self.compute(move || {
            let hash = digest(&password, &salt, Params::new(MEMORY_KIB, PASSES, LANES, None))?;
            let (salt, hash) = (STANDARD_NO_PAD.encode(salt), STANDARD_NO_PAD.encode(hash));
            Ok(format!("$argon2id$v=19$m={MEMORY_KIB},t={PASSES},p={LANES}${salt}${hash}"))
        })
        .await
    }

    /// Returns the place of the first hash that is the password's. Without any hash, it compares with a fixed one, so that
    /// the time does not tell whether there is such a user.
    pub async fn find(&self, password: &str, hashes: Vec<String>) -> Result<Option<usize>> {
        let password = normalised(password);
        self.compute(move || {
            if hashes.is_empty() {
                is_match(&password, FIXED)?;
                return Ok(None);
            }
            let mut found = None;
            // All of them, so that the time does not tell which one it was.
            for (place, hash) in hashes.iter().enumerate() {
                if is_match(&password, hash)? && found.is_none() {
                    found = Some(place);
                }
            }
            Ok(found)
        })
        .await
    }

    async fn compute<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let permit = tokio::time::timeout(WAIT, Arc::clone(&self.permits).acquire_owned()).await;
        let permit = permit.map_err(|_| Error::from(Code::Overloaded))?.map_err(Error::fault)?;
        let work = tokio::task::spawn_blocking(move || {
            // Held by the thread: a caller that goes away does not end the computation.
            let _permit = permit;
            work()
        });
        work.await.map_err(Error::fault)?
    }
}

fn digest(password: &str, salt: &[u8], params: argon2::Result<Params>) -> Result<[u8; HASH_BYTES]> {
    let fault = |error: argon2::Error| Error::fault(error.to_string());
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params.map_err(fault)?);
    let mut hash = [0; HASH_BYTES];
    argon2.hash_password_into(password.as_bytes(), salt, &mut hash).map_err(fault)?;
    Ok(hash)
}

/// Returns whether the stored hash is the password's. It is computed with the parameters that are stored beside it.
fn is_match(password: &str, stored: &str) -> Result<bool> {
    let damaged = || Error::fault("a stored password hash can't be read");
    let mut parts = stored.strip_prefix("$argon2id$v=19$").ok_or_else(damaged)?.split('$');
    let (params, salt, hash) = (parts.next(), parts.next(), parts.next());
    let number = |name: &str| {
        let params = params?.split(',');
        params.filter_map(|param| param.split_once('=')).find(|(known, _)| *known == name)?.1.parse().ok()
    };
    let (memory, passes, lanes): (u32, u32, u32) = (
        number("m").ok_or_else(damaged)?,
        number("t").ok_or_else(damaged)?,
        number("p").ok_or_else(damaged)?,
    );
    let salt = STANDARD_NO_PAD.decode(salt.ok_or_else(damaged)?).map_err(Error::fault)?;
    let stored = STANDARD_NO_PAD.decode(hash.ok_or_else(damaged)?).map_err(Error::fault)?;
    let hash = digest(password, &salt, Params::new(memory, passes, lanes, None))?;
    // Both are hashes of 32 bytes: all of them are compared, whichever differ.
    let difference = hash.iter().zip(&stored).fold(0, |difference, (a, b)| difference | (a ^ b));
    Ok(stored.len() == HASH_BYTES && difference == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fixed_hash_costs_what_others_cost_and_is_of_no_password() {
        assert!(FIXED.contains(&format!("m={MEMORY_KIB},t={PASSES},p={LANES}")));
        assert!(!is_match("password", FIXED).unwrap());
        assert!(is_match("x", "plain").is_err());
    }

    #[test]
    fn a_stored_hash_is_compared_with_its_own_parameters() {
        let hash = digest("quiet harbour", b"0123456789abcdef", Params::new(256, 1, 1, None)).unwrap();
        let stored = format!(
            "$argon2id$v=19$m=256,t=1,p=1${}${}",
            STANDARD_NO_PAD.encode(b"0123456789abcdef"),
            STANDARD_NO_PAD.encode(hash)
        );
        assert!(is_match("quiet harbour", &stored).unwrap());
        assert!(!is_match("quiet harbor", &stored).unwrap());
    }
}
