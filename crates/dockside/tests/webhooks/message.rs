//! A webhook as it arrived over the wire. It is parsed here, so that the proof does not depend on the code under test.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufRead};
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Text before an event's number. It occurs once in a body, before anything that a user wrote.
const SEQUENCE: &str = "\"sequence\":";

#[derive(Clone, Default)]
pub struct Message {
    /// The number of the endpoint that it was posted to.
    pub endpoint: usize,
    pub id: String,
    pub timestamp: String,
    pub signature: String,
    pub body: String,
}

impl Message {
    /// Reads the next message of a connection. Returns an error if the connection ends.
    pub fn read(stream: &mut impl BufRead) -> io::Result<Self> {
        let mut message = Self::default();
        let first = line(stream)?;
        let path = first.strip_prefix("POST /").and_then(|rest| rest.split(' ').next());
        let number = path.and_then(|path| path.parse().ok());
        message.endpoint = number.ok_or_else(|| io::Error::other(format!("not a webhook: {first:?}")))?;
        let mut length = 0;
        loop {
            let line = line(stream)?;
            let Some((name, value)) = line.split_once(": ") else { break };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.parse().map_err(io::Error::other)?,
                "webhook-id" => message.id = value.to_owned(),
                "webhook-timestamp" => message.timestamp = value.to_owned(),
                "webhook-signature" => message.signature = value.to_owned(),
                _ => {}
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body)?;
        message.body = String::from_utf8(body).map_err(io::Error::other)?;
        Ok(message)
    }

    /// Returns the event's sequence.
    pub fn sequence(&self) -> u32 {
        let (_, rest) = self.body.split_once(SEQUENCE).expect("an event with a sequence");
        let digits = rest.split(|char: char| !char.is_ascii_digit()).next().unwrap_or_default();
        digits.parse().expect("a whole number")
    }

    /// Returns the signature of the message by this secret.
    pub fn sign(&self, secret: &str) -> String {
        let key = STANDARD.decode(secret.strip_prefix("whsec_").expect("a secret")).expect("base64");
        let mut mac = Hmac::<Sha256>::new_from_slice(&key).expect("a key of any length");
        mac.update(format!("{}.{}.{}", self.id, self.timestamp, self.body).as_bytes());
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }
}

fn line(stream: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    stream.read_line(&mut line)?;
    match line.strip_suffix("\r\n") {
        Some(line) => Ok(line.to_owned()),
        None => Err(io::ErrorKind::UnexpectedEof.into()),
    }
}

/// Returns an event's id in eight bytes, because millions of arrivals are kept.
pub fn fingerprint(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

/// Microseconds since 1970, as the server counts them too.
#[expect(clippy::disallowed_methods, reason = "arrivals are compared with the moments that the server wrote")]
pub fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock after 1970").as_micros() as i64
}
