//! What operations answer, before it becomes HTTP.

use model::{AccessToken, Id, Problem};
use serde::{Deserialize, Serialize};

/// How an operation ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Done,
    Created,
    /// Begun, and not at its end yet.
    Accepted,
    /// Done, and there is nothing left to show.
    Gone,
    /// Refused, when this very request was made before.
    Refused(Problem),
}

/// An answer. It is kept as it stands where the request had an idempotency key.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Reply {
    pub outcome: Outcome,
    /// Where a created resource lives.
    pub location: Option<String>,
    pub etag: Option<String>,
    /// The resource as JSON text; empty where there is none.
    pub body: String,
    /// The access tokens that were revoked, the named one first, where the operation revokes any.
    #[serde(default)]
    pub revoked: Vec<Id<AccessToken>>,
    /// Whether the body carries credentials. Such an answer is repeated to the token that got it, and to no other.
    #[serde(skip)]
    pub is_confidential: bool,
    /// Whether this is the answer of an earlier, equal request.
    #[serde(skip)]
    pub is_replayed: bool,
}

impl Reply {
    fn new(outcome: Outcome) -> Self {
        Self {
            outcome,
            location: None,
            etag: None,
            body: String::new(),
            revoked: Vec::new(),
            is_confidential: false,
            is_replayed: false,
        }
    }

    /// Marks an answer that carries credentials: a token or a secret that is shown once.
    #[must_use]
    pub fn confidential(self) -> Self {
        Self { is_confidential: true, ..self }
    }

    /// A resource, and the tag of this state of it.
    pub fn resource(etag: String, body: String) -> Self {
        Self { etag: Some(etag), body, ..Self::new(Outcome::Done) }
    }

    /// Something that has no state of its own to tag, such as a list of what was changed.
    pub fn done(body: String) -> Self {
        Self { body, ..Self::new(Outcome::Done) }
    }

    /// Several new resources, which live in no one place.
    pub fn created_many(body: String) -> Self {
        Self { body, ..Self::new(Outcome::Created) }
    }

    /// A new resource.
    pub fn created(location: String, etag: Option<String>, body: String) -> Self {
        Self { location: Some(location), etag, body, ..Self::new(Outcome::Created) }
    }

    /// A resource that is no more.
    pub fn gone() -> Self {
        Self::new(Outcome::Gone)
    }

    /// Access tokens that are no more.
    pub fn revoked(tokens: Vec<Id<AccessToken>>) -> Self {
        Self { revoked: tokens, ..Self::gone() }
    }

    /// An earlier refusal, repeated.
    pub fn refused(problem: Problem) -> Self {
        Self::new(Outcome::Refused(problem))
    }
}
