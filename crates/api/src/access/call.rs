//! A call: a request whose caller is authenticated and has the route's scope. Handlers see nothing else of a request.

use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, header};
use hyper::upgrade::OnUpgrade;
use model::platform::id::{Kind, mismatch};
use model::platform::json;
use model::platform::problem::Issue;
use model::platform::shape::{self, Input};
use model::{Code, Error, Id, Problem, Result};
use serde_json::{Map, Value};
use service::platform::content::Content;
use service::{Caller, Command, Idempotency, ListQuery, Precondition, Service};
use sha2::{Digest, Sha256};

use crate::access::state::ServerState;
use crate::platform::client_address::client_address;
use crate::platform::path::without_slash;
use crate::platform::query::{self, Query};

/// The longest idempotency key, in characters.
const KEY_CHARS_MAX: usize = 255;
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// An authenticated and authorised request.
pub struct Call {
    pub(crate) state: Arc<ServerState>,
    pub(crate) caller: Option<Caller>,
    pub(crate) method: http::Method,
    pub(crate) uri: http::Uri,
    pub(crate) ids: Vec<String>,
    pub(crate) query: Query,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// The request's idempotency key, if it has one and the route accepts one.
    pub(crate) idempotency: Option<Idempotency>,
    /// The network address at the other end of the connection, if it is known.
    pub(crate) peer: Option<IpAddr>,
    /// The file that the body is, while it arrives, if the route takes one.
    pub(crate) file: Option<Content>,
    /// The connection's upgrade, if the server allows one for this request.
    pub(crate) upgrade: Option<OnUpgrade>,
}

impl Call {
    pub fn service(&self) -> &Service {
        &self.state.service
    }

    /// Returns the network address of the client, if it is known.
    pub fn client_address(&self) -> Option<IpAddr> {
        self.peer.map(|peer| client_address(peer, &self.headers))
    }

    /// Returns the caller. Every route with a scope has one.
    pub fn caller(&self) -> Result<&Caller> {
        self.caller.as_ref().ok_or_else(|| Code::Unauthenticated.into())
    }

    /// Returns the first id in the path. An id of another kind is answered with `not_found`.
    pub fn id<K: Kind>(&self) -> Result<Id<K>> {
        self.id_at(0)
    }

    /// Returns the id at this index of the path, counted from zero.
    pub fn id_at<K: Kind>(&self, place: usize) -> Result<Id<K>> {
        let text = self.ids.get(place).ok_or_else(|| Error::fault("the path has no such id"))?;
        Id::parse(text).ok_or_else(|| {
            let detail = format!("The id in the path {}.", mismatch(K::PREFIX, text));
            Problem::from(Code::NotFound).with_detail(detail).into()
        })
    }

    /// Returns the ids in a query parameter.
    pub fn query_ids<K: Kind>(&self, name: &str) -> Result<Vec<Id<K>>> {
        let read = |text: &String| {
            let refuse = || query::refuse(name, &format!("This {}.", mismatch(K::PREFIX, text)));
            Id::parse(text).ok_or_else(|| refuse().into())
        };
        self.query.many(name).iter().map(read).collect()
    }

    /// Returns the single id in a query parameter, if it is present.
    pub fn query_id<K: Kind>(&self, name: &str) -> Result<Option<Id<K>>> {
        let Some(text) = self.query.one(name) else { return Ok(None) };
        let refuse = || query::refuse(name, &format!("This {}.", mismatch(K::PREFIX, text)));
        Id::parse(text).map(Some).ok_or_else(|| refuse().into())
    }

    /// Parses and checks the body.
    pub fn input<T: Input>(&self) -> Result<T> {
        shape::parse(self.json()?)
    }

    /// Parses and checks the body, or an empty object if there is none.
    pub fn optional_input<T: Input>(&self) -> Result<T> {
        if self.body.is_empty() { shape::parse(Value::Object(Map::new())) } else { self.input() }
    }

    /// Parses the body as JSON of any form, within the memory limit of a body.
    pub fn json(&self) -> Result<Value> {
        Ok(json::parse_within(&self.body, self.state.limits.body_memory_max)?)
    }

    /// Returns the longest time that this request may wait for a carrier.
    pub fn wait_time_max(&self) -> std::time::Duration {
        self.state.limits.wait_time_max()
    }

    /// Returns what every change needs: the caller, the idempotency key and the precondition.
    pub fn command(&self) -> Result<Command> {
        Ok(Command {
            caller: *self.caller()?,
            idempotency: self.idempotency.clone(),
            precondition: precondition(&self.headers)?,
        })
    }

    /// Returns the page that the request asks for. `filters` is the normal form of its other filters.
    pub fn list_query(&self, list: &'static str, filters: String) -> Result<ListQuery> {
        let settings = self.service().settings();
        let limit = match self.query.one("limit") {
            None => settings.page_limit_default,
            Some(text) => match text.parse::<u64>() {
                Ok(limit) if limit > 0 && !text.starts_with('+') => {
                    usize::try_from(limit).unwrap_or(usize::MAX).min(settings.page_limit_max)
                }
                // A number with too many digits is still a whole number, and is clamped like any other.
                Err(_) if text.len() > 19 && text.bytes().all(|byte| byte.is_ascii_digit()) => {
                    settings.page_limit_max
                }
                _ => {
                    let issue = Issue::new("invalid_limit", "limit", "Must be a whole number of 1 or more.");
                    return Err(Problem::field(Code::InvalidLimit, issue).into());
                }
            },
        };
        // Clients that always send the parameter send it empty for the first page.
        let cursor = self.query.one("cursor").filter(|cursor| !cursor.is_empty()).map(str::to_owned);
        Ok(ListQuery { list, filters, cursor, limit })
    }
}

/// Reads the request's idempotency key, and computes the fingerprint that distinguishes it from other requests with
/// this key.
pub fn idempotency(head: &http::request::Parts, body: &[u8]) -> Result<Option<Idempotency>> {
    let Some(value) = head.headers.get(IDEMPOTENCY_KEY) else { return Ok(None) };
    let key = value.to_str().unwrap_or_default().trim();
    // The draft standard quotes the key. Most clients don't. Both forms are the same key.
    let key = key.strip_prefix('"').and_then(|key| key.strip_suffix('"')).unwrap_or(key);
    let is_printable = key.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    if key.is_empty() || key.len() > KEY_CHARS_MAX || !is_printable {
        return Err(bad_header("Idempotency-Key", "Must have 1 to 255 printable characters."));
    }
    // A trailing slash does not make it another request.
    let target = match head.uri.query() {
        None => without_slash(head.uri.path()).to_owned(),
        Some(query) => format!("{}?{query}", without_slash(head.uri.path())),
    };
    let mut hash = Sha256::new();
    for part in [head.method.as_str().as_bytes(), target.as_bytes(), body] {
        hash.update((part.len() as u64).to_be_bytes());
        hash.update(part);
    }
    Ok(Some(Idempotency { key: key.to_owned(), fingerprint: hash.finalize().into() }))
}

/// Reads the entity tags in `If-Match`. `*` means that the resource exists, which every change requires anyway.
fn precondition(headers: &HeaderMap) -> Result<Precondition> {
    let mut tags = Vec::new();
    for value in headers.get_all(header::IF_MATCH) {
        let text =
            value.to_str().map_err(|_| bad_header("If-Match", "Must be entity tags, such as \"1\"."))?;
        if text.trim() == "*" {
            return Ok(Precondition::Any);
        }
        tags.extend(text.split(',').map(|tag| tag.trim().to_owned()));
    }
    Ok(if headers.contains_key(header::IF_MATCH) { Precondition::OneOf(tags) } else { Precondition::Any })
}

/// Returns the refusal of a header.
pub fn bad_header(name: &'static str, message: &str) -> Error {
    let issue = Issue::new("invalid_header", name, message);
    Problem::field(Code::InvalidHeader, issue).with_detail(format!("{name}: {message}")).into()
}
