//! CORS: the web pages that may call the API from a browser. None may, unless the operator names their origins.

use http::{HeaderMap, HeaderValue, header};

const METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, POST, PUT, PATCH, DELETE");
const REQUEST_HEADERS: HeaderValue = HeaderValue::from_static(
    "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, X-Request-Id, Dockside-Version, Prefer, traceparent",
);
const EXPOSED: HeaderValue = HeaderValue::from_static(
    "ETag, Link, Location, Retry-After, X-Request-Id, Dockside-Version, Idempotent-Replayed, Dockside-Revoked, RateLimit, RateLimit-Policy, Stream-Offset, Stream-Epoch",
);
/// How long a browser may cache the answer, in seconds.
const MAX_AGE: HeaderValue = HeaderValue::from_static("600");

/// Allows the page at this origin to read the response, if the operator has named the origin.
pub fn allow(allowed: &[String], origin: Option<&HeaderValue>, headers: &mut HeaderMap) {
    if allowed.is_empty() {
        return;
    }
    headers.append(header::VARY, HeaderValue::from_static("Origin"));
    let Some(origin) =
        origin.filter(|origin| allowed.iter().any(|known| known.as_bytes() == origin.as_bytes()))
    else {
        return;
    };
    headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, REQUEST_HEADERS);
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    headers.insert(header::ACCESS_CONTROL_MAX_AGE, MAX_AGE);
}
