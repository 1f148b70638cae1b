//! Asks the identity provider: for its document and its keys, which are remembered, and for what a code stands for.
//!
//! The operator chose the provider, as they chose a NATS server or a bucket, so every address is allowed. All answers are
//! bounded in size and in time.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::Method;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue};
use model::access::openid::key_set::KeySet;
use model::access::openid::provider::{
    DISCOVERY_PATH, Provider, Tokens, encode, encode_pairs, read_document, read_tokens,
};
use model::{Error, Result, Timestamp};
use outbound::{Outbound, Request, Response};
use tokio::sync::Mutex;
use tracing::warn;

use super::settings::Settings;

/// How long one request may take, and how much of its answer is read. A sign-in makes five at most.
const TIME_LIMIT: Duration = Duration::from_secs(5);
const ANSWER_BYTES_MAX: usize = 512 * 1024;
/// How long the document and the keys count as fresh, and how long older ones are used while the provider does not answer.
const FRESH_SECONDS: i64 = 3600;
const STALE_SECONDS: i64 = 24 * 3600;
/// How soon the provider is asked again for its document after it failed, and for its keys because of an unknown one.
const RETRY_SECONDS: i64 = 5;
const NEW_KEYS_SECONDS: i64 = 60;

/// Why a code was not traded.
pub enum Failure {
    /// The provider refuses the code.
    Refused(String),
    Unavailable(String),
}

/// The client of the identity provider. Clones share what it remembers.
#[derive(Clone)]
pub struct Client {
    outbound: Outbound,
    settings: Arc<Settings>,
    memory: Arc<Mutex<Memory>>,
}

/// What is remembered of the provider. Its lock is held while the provider is asked, so that it is asked once.
#[derive(Default)]
struct Memory {
    document: Option<(Provider, Timestamp)>,
    keys: Option<(Arc<KeySet>, Timestamp)>,
    failed_at: Option<Timestamp>,
}

impl Client {
    pub fn new(settings: &Arc<Settings>) -> Result<Self> {
        let everywhere = ["0.0.0.0/0", "::/0"].map(str::parse);
        let networks = everywhere.into_iter().collect::<Result<Vec<_>, _>>().map_err(Error::fault)?;
        let outbound = Outbound::new(&networks).map_err(Error::fault)?;
        Ok(Self { outbound, settings: Arc::clone(settings), memory: Arc::default() })
    }

    /// Returns the provider as its document describes it.
    pub async fn provider(&self, now: Timestamp) -> Result<Provider, String> {
        let mut memory = self.memory.lock().await;
        let known = memory.document.clone();
        if let Some((provider, _)) = known.as_ref().filter(|(_, at)| age(now, *at) < FRESH_SECONDS) {
            return Ok(provider.clone());
        }
        let stale = known.filter(|(_, at)| age(now, *at) < STALE_SECONDS).map(|(provider, _)| provider);
        if memory.failed_at.is_some_and(|at| age(now, at) < RETRY_SECONDS) {
            return stale.ok_or_else(|| "it failed to answer a moment ago".to_owned());
        }
        match self.fetch_document().await {
            Ok(provider) => {
                memory.document = Some((provider.clone(), now));
                memory.failed_at = None;
                Ok(provider)
            }
            Err(why) => {
                memory.failed_at = Some(now);
                warn!(why, "reading the document of the identity provider failed");
                stale.ok_or(why)
            }
        }
    }

    /// Returns the provider's keys. `unknown_key`: a token names one that is not among those that are remembered.
    pub async fn keys(
        &self,
        provider: &Provider,
        now: Timestamp,
        unknown_key: bool,
    ) -> Result<Arc<KeySet>, String> {
        let mut memory = self.memory.lock().await;
        let known = memory.keys.clone();
        // Anybody can send tokens with unknown keys, which must not become a request each.
        let fresh_seconds = if unknown_key { NEW_KEYS_SECONDS } else { FRESH_SECONDS };
        if let Some((keys, _)) = known.as_ref().filter(|(_, at)| age(now, *at) < fresh_seconds) {
            return Ok(Arc::clone(keys));
        }
        let fetched = self.get(&provider.jwks_uri, Vec::new()).await;
        let read =
            fetched.and_then(|body| KeySet::parse(&body).ok_or_else(|| "its keys can't be read".to_owned()));
        match read {
            Ok(keys) => {
                let keys = Arc::new(keys);
                memory.keys = Some((Arc::clone(&keys), now));
                Ok(keys)
            }
            Err(why) => {
                warn!(why, "reading the keys of the identity provider failed");
                let stale = known.filter(|(_, at)| age(now, *at) < STALE_SECONDS);
                stale.map(|(keys, _)| keys).ok_or(why)
            }
        }
    }

    async fn fetch_document(&self) -> Result<Provider, String> {
        let issuer = &self.settings.issuer;
        let url = format!("{}{DISCOVERY_PATH}", issuer.trim_end_matches('/'));
        let body = self.get(&url, Vec::new()).await?;
        read_document(&body, issuer).map_err(str::to_owned)
    }

    /// Trades a code for tokens.
    pub async fn trade_code(
        &self,
        provider: &Provider,
        code: &str,
        verifier: &str,
        redirect_uri: &str,
    ) -> Result<Tokens, Failure> {
        let (id, secret) = (self.settings.client_id.as_str(), self.settings.client_secret.as_deref());
        let mut form = vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", redirect_uri),
            ("code_verifier", verifier),
        ];
        let mut headers = vec![(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"))];
        match secret {
            Some(secret) if !provider.takes_secret_in_form => {
                let basic = STANDARD.encode(format!("{}:{}", encode(id), encode(secret)));
                headers.push((AUTHORIZATION, secret_header(&format!("Basic {basic}"))?));
            }
            Some(secret) => form.extend([("client_id", id), ("client_secret", secret)]),
            None => form.push(("client_id", id)),
        }
        let body = Bytes::from(encode_pairs(&form));
        let answer = self.send(Method::POST, &provider.token_endpoint, headers, body).await;
        let answer = answer.map_err(Failure::Unavailable)?;
        match answer.status {
            200 => read_tokens(&answer.body)
                .ok_or_else(|| Failure::Refused("the answer has no ID token".to_owned())),
            status @ (400..=499) => Err(Failure::Refused(format!("it answered {status} to the code"))),
            status => Err(Failure::Unavailable(format!("it answered {status} to the code"))),
        }
    }

    /// Returns what the provider says of the person whose access token this is.
    pub async fn user_info(&self, url: &str, access_token: &str) -> Result<Bytes, String> {
        let bearer = secret_header(&format!("Bearer {access_token}"));
        let bearer = bearer.map_err(|_| "its access token can't be sent".to_owned())?;
        self.get(url, vec![(AUTHORIZATION, bearer)]).await
    }

    async fn get(&self, url: &str, headers: Vec<(HeaderName, HeaderValue)>) -> Result<Bytes, String> {
        let answer = self.send(Method::GET, url, headers, Bytes::new()).await?;
        match answer.status {
            200 => Ok(answer.body),
            status => Err(format!("it answered {status}")),
        }
    }

    async fn send(
        &self,
        method: Method,
        url: &str,
        mut headers: Vec<(HeaderName, HeaderValue)>,
        body: Bytes,
    ) -> Result<Response, String> {
        let target = self.outbound.parse_url(url).map_err(|refusal| refusal.to_string())?;
        headers.push((ACCEPT, HeaderValue::from_static("application/json")));
        let request = Request {
            method,
            target,
            headers,
            body,
            time_limit: TIME_LIMIT,
            body_bytes_max: ANSWER_BYTES_MAX,
        };
        let answer = self.outbound.send(request).await.map_err(|failure| failure.to_string())?;
        if answer.is_truncated {
            return Err(format!("its answer has more than {ANSWER_BYTES_MAX} bytes"));
        }
        Ok(answer)
    }
}

fn secret_header(text: &str) -> Result<HeaderValue, Failure> {
    let unusable = |_| Failure::Unavailable("the client's secret can't be sent in a header".to_owned());
    let mut value = HeaderValue::try_from(text).map_err(unusable)?;
    value.set_sensitive(true);
    Ok(value)
}

fn age(now: Timestamp, at: Timestamp) -> i64 {
    now.as_seconds() - at.as_seconds()
}
