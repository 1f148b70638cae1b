//! A call: a request whose caller is known and may do what the route does. All that handlers see.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, header};
use hyper::upgrade::OnUpgrade;
use model::id::Kind;
use model::problem::Issue;
use model::shape::{self, Input};
use model::{Code, Error, Id, Problem, Result, json};
use serde_json::Value;
use service::{Caller, Command, Idempotency, ListQuery, Precondition, Service};
use sha2::{Digest, Sha256};

use crate::App;
use crate::query::Query;

/// Ids that one query parameter may name.
pub const QUERY_IDS_MAX: usize = 100;
/// Longest idempotency key, in characters.
const KEY_CHARS_MAX: usize = 255;
const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// A request that may be worked on.
pub struct Call {
    pub(crate) app: App,
    pub(crate) caller: Option<Caller>,
    pub(crate) method: http::Method,
    pub(crate) uri: http::Uri,
    pub(crate) ids: Vec<String>,
    pub(crate) query: Query,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// The way to the socket behind the request, where the server lets one have it.
    pub(crate) upgrade: Option<OnUpgrade>,
}

impl Call {
    pub fn service(&self) -> &Service {
        &self.app.0.service
    }

    /// Who calls. Every route with a scope has one.
    pub fn caller(&self) -> Result<&Caller> {
        self.caller.as_ref().ok_or_else(|| Code::Unauthenticated.into())
    }

    /// The path's first id. One of another kind can't be found.
    pub fn id<K: Kind>(&self) -> Result<Id<K>> {
        self.id_at(0)
    }

    /// The path's id at this place, counted from zero.
    pub fn id_at<K: Kind>(&self, place: usize) -> Result<Id<K>> {
        let text = self.ids.get(place).ok_or_else(|| Error::fault("the path has no such id"))?;
        Id::parse(text).ok_or_else(|| Code::NotFound.into())
    }

    /// The ids that a query parameter names.
    pub fn query_ids<K: Kind>(&self, name: &str) -> Result<Vec<Id<K>>> {
        let read = |text: &String| {
            let message = format!("Must be ids that start with `{}_`.", K::PREFIX);
            Id::parse(text).ok_or_else(|| crate::query::refuse(name, &message).into())
        };
        let ids = self.query.many(name);
        if ids.len() > QUERY_IDS_MAX {
            return Err(crate::query::refuse(name, "At most 100 ids.").into());
        }
        ids.iter().map(read).collect()
    }

    /// The one id that a query parameter names, where it is there.
    pub fn query_id<K: Kind>(&self, name: &str) -> Result<Option<Id<K>>> {
        let Some(text) = self.query.one(name) else { return Ok(None) };
        let message = format!("Must be an id that starts with `{}_`.", K::PREFIX);
        Id::parse(text).map(Some).ok_or_else(|| crate::query::refuse(name, &message).into())
    }

    /// The body, checked.
    pub fn input<T: Input>(&self) -> Result<T> {
        shape::parse(self.json()?)
    }

    /// The body as JSON of any form.
    pub fn json(&self) -> Result<Value> {
        Ok(json::parse(&self.body)?)
    }

    /// What comes with every change: who, under which key, on which state.
    pub fn command(&self) -> Result<Command> {
        Ok(Command {
            caller: *self.caller()?,
            idempotency: self.idempotency()?,
            precondition: precondition(&self.headers)?,
        })
    }

    fn idempotency(&self) -> Result<Option<Idempotency>> {
        let Some(value) = self.headers.get(IDEMPOTENCY_KEY) else { return Ok(None) };
        let key = value.to_str().unwrap_or_default().trim();
        // The draft standard quotes the key, most clients don't: they are the same key.
        let key = key.strip_prefix('"').and_then(|key| key.strip_suffix('"')).unwrap_or(key);
        let is_printable = key.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        if key.is_empty() || key.len() > KEY_CHARS_MAX || !is_printable {
            return Err(bad_header("Idempotency-Key", "Must have 1 to 255 printable characters."));
        }
        let mut hash = Sha256::new();
        for part in [self.method.as_str().as_bytes(), self.uri.to_string().as_bytes(), &self.body] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        Ok(Some(Idempotency { key: key.to_owned(), fingerprint: hash.finalize().into() }))
    }

    /// The page that is asked for. `filters` is what else chooses the rows, in its normal form.
    pub fn list_query(&self, list: &'static str, filters: String) -> Result<ListQuery> {
        let settings = self.service().settings();
        let limit = match self.query.one("limit") {
            None => settings.page_limit_default,
            Some(text) => match text.parse::<u64>() {
                Ok(limit) if limit > 0 && !text.starts_with('+') => {
                    usize::try_from(limit).unwrap_or(usize::MAX).min(settings.page_limit_max)
                }
                // More digits than fit are still a whole number, and clamped like any other.
                Err(_) if text.len() > 19 && text.bytes().all(|byte| byte.is_ascii_digit()) => {
                    settings.page_limit_max
                }
                _ => {
                    let issue = Issue::new("invalid_limit", "limit", "Must be a whole number of 1 or more.");
                    return Err(Problem::field(Code::InvalidLimit, issue).into());
                }
            },
        };
        Ok(ListQuery { list, filters, cursor: self.query.one("cursor").map(str::to_owned), limit })
    }
}

/// The states that `If-Match` names. `*` means that the resource exists, which every change needs anyway.
fn precondition(headers: &HeaderMap) -> Result<Precondition> {
    let mut tags = Vec::new();
    for value in headers.get_all(header::IF_MATCH) {
        let text = value.to_str().map_err(|_| bad_header("If-Match", "Must be entity tags."))?;
        if text.trim() == "*" {
            return Ok(Precondition::Any);
        }
        tags.extend(text.split(',').map(|tag| tag.trim().to_owned()));
    }
    Ok(if headers.contains_key(header::IF_MATCH) { Precondition::OneOf(tags) } else { Precondition::Any })
}

/// Refuses a header.
pub fn bad_header(name: &'static str, message: &str) -> Error {
    Problem::field(Code::InvalidHeader, Issue::new("invalid_header", name, message)).into()
}
