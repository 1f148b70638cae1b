//! ID tokens: signed statements of an identity provider about who has signed in (OpenID Connect Core 1.0, section 3.1.3.7).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};

use crate::access::openid::key_set::{DOCUMENT_MEMORY_MAX, KeySet};
use crate::access::openid::refusal::Flaw;
use crate::access::signature::Algorithm;
use crate::platform::json;

/// The largest token, in bytes. Providers put the groups of a person into it.
pub const TOKEN_BYTES_MAX: usize = 64 * 1024;
/// The longest subject, as the standard has it.
const SUBJECT_BYTES_MAX: usize = 255;
/// How far the clocks of the provider and of this server may differ, in seconds.
pub const SKEW_SECONDS: i64 = 60;
/// How long ago the token may have been issued, in seconds. It is fetched right after the person has signed in.
pub const AGE_SECONDS_MAX: i64 = 10 * 60;
/// Numbers of dates that are accepted, so that sums with them can't overflow.
const DATES: std::ops::RangeInclusive<i64> = 0..=253_402_300_799;

/// What the token must say.
pub struct Expected<'a> {
    pub issuer: &'a str,
    pub client_id: &'a str,
    pub nonce: &'a str,
    /// Seconds since 1970.
    pub now: i64,
}

/// What the token says.
#[derive(Clone, PartialEq, Debug)]
pub struct Claims {
    pub subject: String,
    /// All claims, with the subject.
    pub all: Map<String, Value>,
}

/// Reads a token, and checks its signature and what it says. `Flaw::UnknownKey` may mean that the provider has new keys.
pub fn read(token: &str, keys: &KeySet, expected: &Expected<'_>) -> Result<Claims, Flaw> {
    if token.len() > TOKEN_BYTES_MAX {
        return Err(Flaw::Malformed);
    }
    let parts: Vec<&str> = token.split('.').collect();
    let [header, payload, signature] = parts[..] else { return Err(Flaw::Malformed) };
    let (algorithm, key_id) = read_header(&object(header)?)?;
    let signature = decode(signature)?;
    if !keys.has(key_id.as_deref(), algorithm) {
        return Err(Flaw::UnknownKey);
    }
    let message = &token[..header.len() + 1 + payload.len()];
    if !keys.verifies(key_id.as_deref(), algorithm, message.as_bytes(), &signature) {
        return Err(Flaw::Signature);
    }
    let claims = object(payload)?;
    check_parties(&claims, expected)?;
    check_times(&claims, expected.now)?;
    if text(&claims, "nonce") != Some(expected.nonce) {
        return Err(Flaw::Nonce);
    }
    let subject = text(&claims, "sub").filter(|sub| (1..=SUBJECT_BYTES_MAX).contains(&sub.len()));
    let subject = subject.ok_or(Flaw::Subject)?.to_owned();
    Ok(Claims { subject, all: claims })
}

fn read_header(header: &Map<String, Value>) -> Result<(Algorithm, Option<String>), Flaw> {
    let algorithm = text(header, "alg").and_then(Algorithm::parse).ok_or(Flaw::Algorithm)?;
    // Extensions that must be understood, of which none is.
    if header.contains_key("crit") {
        return Err(Flaw::Malformed);
    }
    match header.get("kid") {
        None => Ok((algorithm, None)),
        Some(Value::String(id)) => Ok((algorithm, Some(id.clone()))),
        Some(_) => Err(Flaw::Malformed),
    }
}

fn check_parties(claims: &Map<String, Value>, expected: &Expected<'_>) -> Result<(), Flaw> {
    if text(claims, "iss") != Some(expected.issuer) {
        return Err(Flaw::Issuer);
    }
    let audiences: Vec<Option<&str>> = match claims.get("aud") {
        Some(Value::Array(all)) => all.iter().map(Value::as_str).collect(),
        Some(one) => vec![one.as_str()],
        None => Vec::new(),
    };
    let party = claims.get("azp").map(Value::as_str);
    let is_ours = audiences.contains(&Some(expected.client_id));
    let is_party = match party {
        Some(party) => party == Some(expected.client_id),
        // A token for several programs must say which of them asked for it.
        None => audiences.len() == 1,
    };
    if is_ours && is_party { Ok(()) } else { Err(Flaw::Audience) }
}

fn check_times(claims: &Map<String, Value>, now: i64) -> Result<(), Flaw> {
    let expires = date(claims, "exp").ok_or(Flaw::Expired)?;
    if now >= expires + SKEW_SECONDS {
        return Err(Flaw::Expired);
    }
    let issued = date(claims, "iat").ok_or(Flaw::IssuedAt)?;
    if issued > now + SKEW_SECONDS || issued < now - AGE_SECONDS_MAX - SKEW_SECONDS {
        return Err(Flaw::IssuedAt);
    }
    let is_early = match claims.get("nbf") {
        None => false,
        Some(_) => date(claims, "nbf").is_none_or(|begins| begins > now + SKEW_SECONDS),
    };
    if is_early { Err(Flaw::NotYetValid) } else { Ok(()) }
}

/// Reads a date, which may have a fraction.
fn date(claims: &Map<String, Value>, name: &str) -> Option<i64> {
    let number = claims.get(name)?;
    let seconds = number.as_i64().or_else(|| number.as_f64().map(|seconds| seconds as i64))?;
    DATES.contains(&seconds).then_some(seconds)
}

fn text<'a>(object: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    object.get(name).and_then(Value::as_str)
}

fn decode(part: &str) -> Result<Vec<u8>, Flaw> {
    URL_SAFE_NO_PAD.decode(part).map_err(|_| Flaw::Malformed)
}

/// Reads a part that is a JSON object. One with the same key twice is refused: programs disagree on which of them counts.
fn object(part: &str) -> Result<Map<String, Value>, Flaw> {
    match json::parse_within(&decode(part)?, DOCUMENT_MEMORY_MAX) {
        Ok(Value::Object(object)) => Ok(object),
        _ => Err(Flaw::Malformed),
    }
}
