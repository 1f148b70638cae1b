//! Tokens of the stream: signed here, carried by the client, read back when it connects or subscribes.
//!
//! They are JWTs with the claims that Centrifugo reads, so that an external one accepts them too. Two private claims
//! tie a token to the access token that asked for it and to its owner, so that revoking ends what it opened.
//!
//! Reading is a pure function of key, moment and text.

mod key;

use std::collections::BTreeMap;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use model::{AccessToken, Id, Owner, User};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

pub use key::{Key, NotAKey, NotSigned, SECRET_BYTES_MIN};

/// For whom a client acts: who, for which owner, by the leave of which access token.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Grant {
    pub owner: Owner,
    pub user: Id<User>,
    /// The access token that asked for this one. When it is revoked, what it opened must end.
    pub access_token: Id<AccessToken>,
}

/// What every token of ours says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Terms {
    pub grant: Grant,
    /// Seconds since 1970.
    pub issued_at: u64,
    /// Seconds since 1970.
    pub expires_at: u64,
    /// The token's own id, for logs.
    pub id: String,
}

/// A token to connect with, and the channels that come with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ConnectionToken {
    pub terms: Terms,
    pub channels: Vec<String>,
}

/// A token to join one channel with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SubscriptionToken {
    pub terms: Terms,
    pub channel: String,
}

/// Why a token is not accepted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Rejection {
    /// Once good; the SDK fetches a new one.
    Expired,
    /// Not signed by us, not for us, or not a token of this kind.
    Invalid,
}

/// Signs tokens, and reads those that it signed.
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

/// The claims in the order in which they are written.
#[derive(Serialize, Deserialize)]
struct Claims {
    sub: String,
    exp: u64,
    iat: u64,
    jti: String,
    aud: Audience,
    iss: String,
    #[serde(default, skip_serializing)]
    nbf: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    channel: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    channels: Option<Vec<String>>,
    /// The other spelling of `channels`, which wins over it.
    #[serde(default, skip_serializing)]
    subs: Option<BTreeMap<String, IgnoredAny>>,
    /// Private: the owner's key.
    own: String,
    /// Private: the access token's id.
    tok: Id<AccessToken>,
}

/// JWT allows one audience or several.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Several(Vec<String>),
}

impl Signer {
    /// Signs with this key; reads only tokens that name this audience and this issuer.
    pub fn new(key: Key, audience: impl Into<String>, issuer: impl Into<String>) -> Self {
        Self { key, audience: audience.into(), issuer: issuer.into() }
    }

    /// Signs a token to connect with.
    pub fn mint_connection(&self, token: &ConnectionToken) -> Result<String, NotSigned> {
        self.mint(&Claims { channels: Some(token.channels.clone()), ..self.claims(&token.terms) })
    }

    /// Signs a token to join a channel with.
    pub fn mint_subscription(&self, token: &SubscriptionToken) -> Result<String, NotSigned> {
        self.mint(&Claims { channel: Some(token.channel.clone()), ..self.claims(&token.terms) })
    }

    /// Reads a token to connect with.
    pub fn verify_connection(&self, now_ms: u64, text: &str) -> Result<ConnectionToken, Rejection> {
        let (terms, claims) = self.verify(now_ms, text)?;
        // Whoever may join one channel must not thereby connect as anything else.
        if claims.channel.is_some() {
            return Err(Rejection::Invalid);
        }
        let channels = match claims.subs {
            Some(subs) => subs.into_keys().collect(),
            None => claims.channels.unwrap_or_default(),
        };
        Ok(ConnectionToken { terms, channels })
    }

    /// Reads a token to join a channel with.
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
            aud: Audience::One(self.audience.clone()),
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

    /// The signature first: nothing that a stranger wrote decides anything, not even which error it gets.
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
            Audience::One(audience) => *audience == self.audience,
            Audience::Several(audiences) => audiences.contains(&self.audience),
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
