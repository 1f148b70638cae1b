//! Challenges for passkeys: given to one browser or one session, for one purpose, and answered once.
//!
//! A challenge is signed by the server and names its own end, so giving one out writes nothing, and strangers can't fill the
//! database. Only one that was answered well leaves a row, until it would have ended.

use model::access::passkey::CHALLENGE_SECONDS;
use model::access::passkey::ceremony::Ceremony;
use model::{Result, Timestamp};
use ring::hmac;
use sha2::{Digest, Sha256};
use store::access::spent_challenges;
use store::{Access, Tx};

use crate::platform::context::Context;

/// The purpose from which the key is derived.
const KEY_PURPOSE: &[u8] = b"dockside challenges for passkeys";
const RANDOM_BYTES: usize = 16;
const END_BYTES: usize = 8;

/// Makes and checks challenges. Nodes that share a database share the key.
#[derive(Clone)]
pub(super) struct Challenges {
    context: Context,
    key: hmac::Key,
}

impl Challenges {
    pub fn new(context: &Context) -> Self {
        let signing = hmac::Key::new(hmac::HMAC_SHA256, &context.settings().signing_key);
        let key = hmac::Key::new(hmac::HMAC_SHA256, hmac::sign(&signing, KEY_PURPOSE).as_ref());
        Self { context: context.clone(), key }
    }

    /// Returns a new challenge and its end. `holder` is who may answer it: a session, or a secret of a browser.
    pub fn create(&self, ceremony: Ceremony, holder: &[u8]) -> (Vec<u8>, Timestamp) {
        let mut random = [0; RANDOM_BYTES];
        self.context.fill_random(&mut random);
        let end = self.context.now().plus_seconds(CHALLENGE_SECONDS);
        (seal(&self.key, ceremony, holder, &random, end.as_seconds()), end)
    }

    /// Returns whether the challenge was made for this purpose and this holder, and has not ended.
    pub fn is_valid(&self, ceremony: Ceremony, holder: &[u8], challenge: &[u8]) -> bool {
        is_valid(&self.key, ceremony, holder, challenge, self.context.now().as_seconds())
    }

    /// Records that a valid challenge was answered. Returns false if it was before.
    pub async fn spend(&self, challenge: &[u8]) -> Result<bool> {
        let hash = Sha256::digest([b"passkey ".as_slice(), challenge].concat()).into();
        let expires_at = self.context.now().plus_seconds(CHALLENGE_SECONDS);
        let spend = async move |tx: &mut Tx<'_>| spent_challenges::insert(tx, hash, expires_at).await;
        self.context.db().write(Access::System, spend).await
    }
}

fn seal(key: &hmac::Key, ceremony: Ceremony, holder: &[u8], random: &[u8], end: i64) -> Vec<u8> {
    let mut challenge = [random, &end.to_be_bytes()].concat();
    let tag = hmac::sign(key, &message(ceremony, holder, &challenge));
    challenge.extend(tag.as_ref());
    challenge
}

fn is_valid(key: &hmac::Key, ceremony: Ceremony, holder: &[u8], challenge: &[u8], now: i64) -> bool {
    let Some((said, tag)) = challenge.split_at_checked(RANDOM_BYTES + END_BYTES) else { return false };
    let end = said.last_chunk().map(|end| i64::from_be_bytes(*end));
    hmac::verify(key, &message(ceremony, holder, said), tag).is_ok() && end.is_some_and(|end| now < end)
}

fn message(ceremony: Ceremony, holder: &[u8], said: &[u8]) -> Vec<u8> {
    let purpose: &[u8] = match ceremony {
        Ceremony::Registration => b"registration ",
        Ceremony::SignIn => b"sign-in ",
    };
    // What the server says has one length, so the parts can't be moved into one another.
    [purpose, said, holder].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_challenge_is_valid_for_its_purpose_its_holder_and_its_time() {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &[1; 32]);
        let challenge = seal(&key, Ceremony::SignIn, b"browser", &[7; RANDOM_BYTES], 1_000);
        let check = |ceremony, holder: &[u8], now| is_valid(&key, ceremony, holder, &challenge, now);
        assert!(check(Ceremony::SignIn, b"browser", 999));
        assert!(!check(Ceremony::SignIn, b"browser", 1_000));
        assert!(!check(Ceremony::Registration, b"browser", 999));
        assert!(!check(Ceremony::SignIn, b"another", 999));
        assert!(!check(Ceremony::SignIn, b"", 999));
        let other = hmac::Key::new(hmac::HMAC_SHA256, &[2; 32]);
        assert!(!is_valid(&other, Ceremony::SignIn, b"browser", &challenge, 999));
        for place in 0..challenge.len() {
            let mut changed = challenge.clone();
            changed[place] ^= 1;
            assert!(!is_valid(&key, Ceremony::SignIn, b"browser", &changed, 999), "{place}");
            assert!(!is_valid(&key, Ceremony::SignIn, b"browser", &challenge[..place], 999), "{place}");
        }
    }
}
