//! Signatures of Standard Webhooks: an HMAC of the message's id, time and body, with each secret that is valid.

use std::ops::RangeInclusive;

use std::sync::OnceLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use model::events::webhook_endpoint::{OLD_SECRET_SECONDS, SECRETS_MAX};
use model::{Error, Result, Timestamp};
use serde::{Deserialize, Serialize};
use sha2::Sha256;

/// Random bytes of a secret.
pub const SECRET_BYTES: usize = 32;
/// Lengths that the standard allows for a secret that a user gives, in bytes.
const GIVEN_BYTES: RangeInclusive<usize> = 24..=64;
const PREFIX: &str = "whsec_";

/// The secrets that sign for an endpoint, newest first.
#[derive(Clone, Serialize, Deserialize)]
pub struct Secrets(Vec<Secret>);

#[derive(Clone, Serialize, Deserialize)]
struct Secret {
    /// As its owner has it: `whsec_…`.
    text: String,
    /// When it stops being valid, once it has been replaced.
    until: Option<Timestamp>,
    /// Derived from the text on first use.
    #[serde(skip)]
    mac: OnceLock<Hmac<Sha256>>,
}

impl Secrets {
    pub fn new(random: [u8; SECRET_BYTES]) -> Self {
        Self(vec![Secret::new(text(random), None)])
    }

    /// Reads a secret that a user gave, as to `dockside listen`.
    pub fn of(text: &str) -> Result<Self> {
        let secret = Secret::new(text.to_owned(), None);
        if !GIVEN_BYTES.contains(&secret.key()?.len()) {
            let (least, most) = (GIVEN_BYTES.start(), GIVEN_BYTES.end());
            return Err(Error::fault(format!("the secret is not of {least} to {most} bytes in base64")));
        }
        Ok(Self(vec![secret]))
    }

    /// Returns the newest secret, to be shown once.
    pub fn newest(&self) -> &str {
        self.0.first().map_or("", |secret| &secret.text)
    }

    /// Adds a new secret. The old ones remain valid for a day. Returns `None` if too many are still valid.
    pub fn rotated(&self, random: [u8; SECRET_BYTES], now: Timestamp) -> Option<Self> {
        let end = now.plus_seconds(OLD_SECRET_SECONDS);
        let old = self.0.iter().filter(|secret| secret.is_valid(now));
        let old = old.map(|secret| Secret::new(secret.text.clone(), secret.until.or(Some(end))));
        let secrets: Vec<_> = std::iter::once(Secret::new(text(random), None)).chain(old).collect();
        (secrets.len() <= SECRETS_MAX).then_some(Self(secrets))
    }

    /// Returns the text of the header: one signature for each secret that is valid now.
    pub fn sign(&self, id: &str, now: Timestamp, body: &[u8]) -> Result<String> {
        let mut header = String::new();
        for secret in self.0.iter().filter(|secret| secret.is_valid(now)) {
            let mut mac = secret.mac()?;
            mac.update(format!("{id}.{}.", now.as_seconds()).as_bytes());
            mac.update(body);
            if !header.is_empty() {
                header.push(' ');
            }
            header.push_str("v1,");
            STANDARD.encode_string(mac.finalize().into_bytes(), &mut header);
        }
        Ok(header)
    }
}

impl Secret {
    fn new(text: String, until: Option<Timestamp>) -> Self {
        Self { text, until, mac: OnceLock::new() }
    }

    fn mac(&self) -> Result<Hmac<Sha256>> {
        if let Some(mac) = self.mac.get() {
            return Ok(mac.clone());
        }
        let mac = Hmac::new_from_slice(&self.key()?).map_err(Error::fault)?;
        Ok(self.mac.get_or_init(|| mac).clone())
    }

    fn key(&self) -> Result<Vec<u8>> {
        let key = self.text.strip_prefix(PREFIX).unwrap_or(&self.text);
        STANDARD.decode(key).map_err(|_| Error::fault("the secret is not of the form whsec_…"))
    }

    fn is_valid(&self, now: Timestamp) -> bool {
        self.until.is_none_or(|end| now < end)
    }
}

fn text(random: [u8; SECRET_BYTES]) -> String {
    format!("{PREFIX}{}", STANDARD.encode(random))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::default().plus_seconds(seconds)
    }

    #[test]
    fn the_example_of_the_standard_is_signed_alike() {
        let secrets = Secrets::of("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let body = br#"{"test": 2432232314}"#;
        let signed = secrets.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", at(1_614_265_330), body).unwrap();
        assert_eq!(signed, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn a_replaced_secret_signs_for_a_day() {
        let first = Secrets::new([1; SECRET_BYTES]);
        let second = first.rotated([2; SECRET_BYTES], at(100)).unwrap();
        assert_ne!(second.newest(), first.newest());
        let count = |seconds| second.sign("evt", at(seconds), b"{}").unwrap().split(' ').count();
        assert_eq!(count(100), 2);
        assert_eq!(count(100 + OLD_SECRET_SECONDS - 1), 2);
        assert_eq!(count(100 + OLD_SECRET_SECONDS), 1);
        let alone = second.sign("evt", at(100 + OLD_SECRET_SECONDS), b"{}").unwrap();
        let newest = Secrets::of(second.newest()).unwrap();
        assert_eq!(alone, newest.sign("evt", at(100 + OLD_SECRET_SECONDS), b"{}").unwrap());
    }

    #[test]
    fn secrets_do_not_pile_up() {
        let mut secrets = Secrets::new([0; SECRET_BYTES]);
        for place in 1..SECRETS_MAX {
            secrets = secrets.rotated([place as u8; SECRET_BYTES], at(0)).unwrap();
        }
        assert!(secrets.rotated([9; SECRET_BYTES], at(1)).is_none());
        assert!(secrets.rotated([9; SECRET_BYTES], at(OLD_SECRET_SECONDS)).is_some());
    }

    #[test]
    fn what_is_no_secret_is_refused() {
        for text in ["whsec_not base64!", "", "whsec_", "whsec_c2hvcnQ="] {
            assert!(Secrets::of(text).is_err(), "{text:?}");
        }
    }
}
