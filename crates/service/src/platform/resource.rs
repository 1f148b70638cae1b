//! What holds for every stored resource: its text, its tag, and what it was before a change.

use model::platform::json::previous_attributes;
use model::{Code, Error, Result};
use serde::Serialize;
use serde_json::Value;

/// Writes a resource as JSON text.
pub fn json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(Error::fault)
}

/// The fields in which a resource differs from what it was, with the values they had.
pub fn previous(before: &impl Serialize, after: &impl Serialize) -> Result<Value> {
    let before = serde_json::to_value(before).map_err(Error::fault)?;
    let after = serde_json::to_value(after).map_err(Error::fault)?;
    Ok(previous_attributes(&before, &after))
}

/// Refuses a resource that does not exist, or is not the caller's.
pub fn found<T>(resource: Option<T>) -> Result<T> {
    resource.ok_or_else(|| Code::NotFound.into())
}

/// The tag of a state of a resource that counts its versions.
pub fn version_etag(version: i64) -> String {
    format!("\"{version}\"")
}
