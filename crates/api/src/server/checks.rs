//! Checks of a request before its handler: version, token, media type, and bodies where there should be none.

use http::{HeaderMap, HeaderName, header};
use model::platform::json;
use model::platform::pointer::pointer;
use model::platform::problem::{Issue, Issues};
use model::{Code, Problem, Result};
use serde_json::Value;

use crate::access::call::bad_header;
use crate::access::route::{self, Route};
use crate::platform::version::VERSION;

pub const VERSION_HEADER: HeaderName = HeaderName::from_static("dockside-version");
const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// Returns the size of the headers' names and values, in bytes.
pub fn header_bytes(headers: &HeaderMap) -> usize {
    headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum()
}

/// Refuses a request that names another version of the API.
pub fn check_version(headers: &HeaderMap) -> Result<()> {
    match headers.get(VERSION_HEADER) {
        Some(version) if version != VERSION => {
            let detail = format!("This server speaks the version {VERSION}.");
            Err(Problem::from(Code::UnknownVersion).with_detail(detail).into())
        }
        _ => Ok(()),
    }
}

/// Returns the media type of the body, in lower case and without parameters.
pub fn media_type(headers: &HeaderMap) -> String {
    let given = headers.get(header::CONTENT_TYPE).map(|value| value.to_str().unwrap_or_default());
    given.and_then(|value| value.split(';').next()).unwrap_or_default().trim().to_ascii_lowercase()
}

/// Refuses a body of a media type that the route does not take.
pub fn check_media_type(route: &Route, headers: &HeaderMap) -> Result<()> {
    let Some(body) = &route.body else { return Ok(()) };
    let essence = media_type(headers);
    let is_right = match body {
        route::Body::Raw { .. } | route::Body::File => true,
        // The type says which of the two it is. A request without one has no body, or does not say what it is.
        route::Body::JsonOrFile(_) => !essence.is_empty(),
        route::Body::Json(_) | route::Body::Optional(_) => essence == "application/json",
        route::Body::Patch(_) => {
            matches!(essence.as_str(), "application/json" | "application/merge-patch+json")
        }
        route::Body::Form(_) => essence == "application/x-www-form-urlencoded",
    };
    if headers.contains_key(header::CONTENT_ENCODING) {
        return Err(bad_header("Content-Encoding", "Bodies are taken as they are, not compressed."));
    }
    if is_right { Ok(()) } else { Err(Code::UnsupportedMediaType.into()) }
}

/// Refuses a body if the endpoint takes none, and names its fields: ignoring them would hide a mistake of the caller.
/// An empty object and `null` are allowed.
pub fn refuse_body(body: &[u8], memory_bytes_max: usize) -> Result<()> {
    if body.trim_ascii().is_empty() {
        return Ok(());
    }
    let message = "This endpoint takes no body.";
    let mut issues = Issues::default();
    match json::parse_within(body, memory_bytes_max)? {
        Value::Object(fields) => {
            for name in fields.keys() {
                let issue = || Issue::new(Code::UnknownField.as_str(), pointer([name.as_str()]), message);
                issues.add(|_| issue());
            }
        }
        Value::Null => {}
        _ => issues.push(Issue::new("invalid_type", "", "This endpoint takes no body, or an empty object.")),
    }
    if issues.is_empty() { Ok(()) } else { Err(Problem::body(issues).into()) }
}

/// Returns the trace id of a W3C `traceparent`.
pub fn trace_id(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(TRACEPARENT)?.to_str().ok()?;
    let mut parts = value.split('-');
    let (version, trace, parent, _flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let is_hex = |text: &str, chars: usize| {
        text.len() == chars && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    let is_sound = is_hex(version, 2) && version != "ff" && is_hex(trace, 32) && is_hex(parent, 16);
    (is_sound && trace.bytes().any(|byte| byte != b'0')).then(|| trace.to_owned())
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn only_sound_traces_are_continued() {
        let trace = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(TRACEPARENT, HeaderValue::from_static(value));
            trace_id(&headers)
        };
        let sound = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        assert_eq!(trace(sound).as_deref(), Some("4bf92f3577b34da6a3ce929d0e0e4736"));
        assert_eq!(trace("00-00000000000000000000000000000000-00f067aa0ba902b7-01"), None);
        assert_eq!(trace("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01"), None);
        assert_eq!(trace("nonsense"), None);
    }
}
