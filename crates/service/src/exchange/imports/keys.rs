//! The keys by which imports recognise resources.

use model::platform::id::Kind;
use model::platform::problem::Issue;
use model::{Code, Id, Problem, Result};
use serde_json::Value;

/// Returns the key of a body, or refuses a body without one.
pub(super) fn key<'a>(body: &'a Value, name: &str) -> Result<&'a str> {
    let text = body.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    // No resource has such a key, and PostgreSQL can't compare a NUL.
    if text.is_some_and(|text| text.chars().any(char::is_control)) {
        let message = "Must not contain control characters, such as line breaks or tabs.";
        return Err(Problem::body(vec![Issue::new("invalid_text", format!("/{name}"), message)]).into());
    }
    text.ok_or_else(|| {
        let message = "Is required: by it the row is recognised if the file is sent again.";
        Problem::body(vec![Issue::new("required", format!("/{name}"), message)]).into()
    })
}

/// Returns the resource that has a key. Refuses a key that several have.
pub(super) fn only<K: Kind>(found: Vec<Id<K>>, name: &str) -> Result<Option<Id<K>>> {
    match found.as_slice() {
        [] => Ok(None),
        [id] => Ok(Some(*id)),
        [first, second, ..] => {
            let message =
                format!("Several have this, among them {first} and {second}. Name one by its `id`.");
            let code = Code::AmbiguousKey;
            Err(Problem::field(code, Issue::new(code.as_str(), format!("/{name}"), message)).into())
        }
    }
}
