//! Stream tokens: the server signs them, the client sends them when it connects or subscribes, and the server
//! verifies them.
//!
//! They are JWTs with the claims that Centrifugo reads, so that an external Centrifugo accepts them too. Two private
//! claims link a stream token to its owner and to the access token that requested it, so that revoking the access
//! token ends the connections and subscriptions that depend on it.
//!
//! Verification is a pure function of key, time and text.

mod key;

use std::collections::BTreeMap;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use model::{AccessToken, Id, Owner, User};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

pub use key::{Key, NotAKey, NotSigned, SECRET_BYTES_MIN};

/// The identity of a client: its user, its owner, and the access token that authorises it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Grant {
    pub owner: Owner,
    pub user: Id<User>,
    /// The access token that requested the stream token. Its revocation ends the connections and subscriptions that
    /// depend on it.
    pub access_token: Id<AccessToken>,
}

/// The claims that all stream tokens have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Terms {
    pub grant: Grant,
    /// Seconds since 1970.
    pub issued_at: u64,
    /// Seconds since 1970.
    pub expires_at: u64,
    /// The token's id, for logs.
    pub id: String,
}

/// The claims of a connection token: the token that opens a connection, with the channels that it subscribes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConnectionToken {
    pub terms: Terms,
    pub channels: Vec<String>,
}

/// The claims of a subscription token: the token that joins one channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SubscriptionToken {
    pub terms: Terms,
    pub channel: String,
}

/// The reason why a token is not accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rejection {
    /// The token was valid and has expired. The SDK fetches a new one.
    Expired,
    /// The token was not signed by this server, is for another audience, or is not a token of the expected kind.
    Invalid,
}

/// Signs stream tokens, and verifies those that it signed.
pub struct Signer {
    key: Key,
    audience: String,
    issuer: String,
}

#[derive(Serialize, Deserialize)]
struct Header {
    alg: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    typ: String,
}

/// The JWT claims, in the order in which they are written.
#[derive(Serialize, Deserialize)]
struct Claims {
    sub: String,
    exp: u64,
    iat: u64,
    jti: String,
    aud: AudienceClaim,
    iss: String,
    #[serde(default, skip_serializing)]
    nbf: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    channel: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    channels: Option<Vec<String>>,
    /// The other spelling of `channels`, which takes precedence.
    #[serde(default, skip_serializing)]
    subs: Option<BTreeMap<String, IgnoredAny>>,
    /// Private claim: the owner's key.
    own: String,
    /// Private claim: the access token's id.
    tok: Id<AccessToken>,
}

/// The `aud` claim. JWT allows one audience or several.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum AudienceClaim {
    One(String),
    Several(Vec<String>),
}

impl Signer {
    /// Creates a signer with this key. It accepts only tokens with this audience and this issuer.
    pub fn new(key: Key, audience: impl Into<String>, issuer: impl Into<String>) -> Self {
        Self { key, audience: audience.into(), issuer: issuer.into() }
    }

    /// Signs a connection token.
    pub fn mint_connection(&self, token: &ConnectionToken) -> Result<String, NotSigned> {
        self.mint(&Claims { channels: Some(token.channels.clone()), ..self.claims(&token.terms) })
    }

    /// Signs a subscription token.
    pub fn mint_subscription(&self, token: &SubscriptionToken) -> Result<String, NotSigned> {
        self.mint(&Claims { channel: Some(token.channel.clone()), ..self.claims(&token.terms) })
    }

    /// Verifies a connection token.
    pub fn verify_connection(&self, now_ms: u64, text: &str) -> Result<ConnectionToken, Rejection> {
        let (terms, claims) = self.verify(now_ms, text)?;
        // A subscription token permits one channel only, so it must not open a connection.
        if claims.channel.is_some() {
            return Err(Rejection::Invalid);
        }
        let channels = match claims.subs {
            Some(subs) => subs.into_keys().collect(),
            None => claims.channels.unwrap_or_default(),
        };
        Ok(ConnectionToken { terms, channels })
    }

    /// Verifies a subscription token.
    pub fn verify_subscription(&self, now_ms: u64, text: &str) -> Result<SubscriptionToken, Rejection> {
        let (terms, claims) = self.verify(now_ms, text)?;
        let channel = claims.channel.ok_or(Rejection::Invalid)?;
        Ok(SubscriptionToken { terms, channel })
    }

    fn claims(&self, terms: &Terms) -> Claims {
        Claims {
            sub: terms.grant.user.to_string(),
            exp: terms.expires_at,
            iat: terms.issued_at,
            jti: terms.id.clone(),
            aud: AudienceClaim::One(self.audience.clone()),
            iss: self.issuer.clone(),
            nbf: None,
            channel: None,
            channels: None,
            subs: None,
            own: terms.grant.owner.to_string(),
            tok: terms.grant.access_token,
        }
    }

    fn mint(&self, claims: &Claims) -> Result<String, NotSigned> {
        let header = Header { alg: self.key.algorithm().to_owned(), typ: "JWT".to_owned() };
        let mut text = encode(&header)? + "." + &encode(claims)?;
        let signature = self.key.sign(text.as_bytes())?;
        text.push('.');
        BASE64.encode_string(signature, &mut text);
        Ok(text)
    }

    /// Verifies the signature before it reads any claim, so that no unsigned text affects the result, not even the
    /// choice of the error.
    fn verify(&self, now_ms: u64, text: &str) -> Result<(Terms, Claims), Rejection> {
        let (signed, signature) = text.rsplit_once('.').ok_or(Rejection::Invalid)?;
        let (header, claims) = signed.split_once('.').ok_or(Rejection::Invalid)?;
        let header: Header = decode(header)?;
        let signature = BASE64.decode(signature).map_err(|_| Rejection::Invalid)?;
        if header.alg != self.key.algorithm() || !self.key.verify(signed.as_bytes(), &signature) {
            return Err(Rejection::Invalid);
        }
        let claims: Claims = decode(claims)?;
        let is_for_us = match &claims.aud {
            AudienceClaim::One(audience) => *audience == self.audience,
            AudienceClaim::Several(audiences) => audiences.contains(&self.audience),
        };
        let now = now_ms / 1000;
        if !is_for_us || claims.iss != self.issuer || claims.nbf.is_some_and(|start| now < start) {
            return Err(Rejection::Invalid);
        }
        let grant = Grant {
            owner: Owner::parse(&claims.own).ok_or(Rejection::Invalid)?,
            user: Id::parse(&claims.sub).ok_or(Rejection::Invalid)?,
            access_token: claims.tok,
        };
        if now >= claims.exp {
            return Err(Rejection::Expired);
        }
        let terms = Terms { grant, issued_at: claims.iat, expires_at: claims.exp, id: claims.jti.clone() };
        Ok((terms, claims))
    }
}

fn encode(part: &impl Serialize) -> Result<String, NotSigned> {
    Ok(BASE64.encode(serde_json::to_vec(part).map_err(|_| NotSigned)?))
}

fn decode<T: for<'de> Deserialize<'de>>(part: &str) -> Result<T, Rejection> {
    let json = BASE64.decode(part).map_err(|_| Rejection::Invalid)?;
    serde_json::from_slice(&json).map_err(|_| Rejection::Invalid)
}

#[cfg(test)]
mod tests;
