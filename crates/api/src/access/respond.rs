//! Converts the results of operations to responses.

use http::{HeaderName, HeaderValue, StatusCode, header};
use model::{Error, Result};
use service::{Listing, Outcome, Reply};

use crate::access::call::Call;
use crate::platform::problem;
use crate::platform::response::{Body, JSON, Response, with_body};

const REVOKED: HeaderName = HeaderName::from_static("dockside-revoked");
/// The most ids in one header: clients and proxies limit the size of a response's head.
const REVOKED_IDS_MAX: usize = 100;
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");
/// The space for a page's field names, cursors and limit.
const PAGE_FRAME_BYTES: usize = 320;

/// Converts the result of an operation on one resource. Answers 304 if the caller has this version already.
pub fn reply(call: &Call, mut reply: Reply) -> Result<Response> {
    if reply.outcome == Outcome::Done && is_known(call, reply.etag.as_deref()) {
        let mut response = http::Response::new(Body::default());
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        if let Some(etag) = reply.etag.take() {
            response.headers_mut().insert(header::ETAG, HeaderValue::try_from(etag).map_err(Error::fault)?);
        }
        return Ok(response);
    }
    answer(reply)
}

/// Converts the result of an operation, whatever version the caller has.
pub fn answer(reply: Reply) -> Result<Response> {
    let mut response = match reply.outcome {
        Outcome::Done => with_body(StatusCode::OK, JSON, reply.body),
        Outcome::Accepted => {
            let mut response = with_body(StatusCode::ACCEPTED, JSON, reply.body);
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            response
        }
        Outcome::Created => with_body(StatusCode::CREATED, JSON, reply.body),
        Outcome::Gone => {
            let mut response = http::Response::new(Body::default());
            *response.status_mut() = StatusCode::NO_CONTENT;
            response
        }
        Outcome::Refused(problem) => problem::refused(problem),
    };
    let headers = response.headers_mut();
    let ids: Vec<String> = reply.revoked.iter().take(REVOKED_IDS_MAX).map(ToString::to_string).collect();
    let revoked = (!ids.is_empty()).then(|| ids.join(", "));
    for (name, value) in [(header::ETAG, reply.etag), (header::LOCATION, reply.location), (REVOKED, revoked)]
    {
        if let Some(value) = value {
            headers.insert(name, HeaderValue::try_from(value).map_err(Error::fault)?);
        }
    }
    if reply.is_replayed {
        headers.insert(REPLAYED, HeaderValue::from_static("true"));
    }
    Ok(response)
}

/// Returns whether the caller has this version of the resource already: `If-None-Match` on a GET.
fn is_known(call: &Call, etag: Option<&str>) -> bool {
    let is_read = matches!(call.method, http::Method::GET | http::Method::HEAD);
    is_read
        && call.headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok()).any(
            |tags| {
                let matches = |tag: &str| tag == "*" || Some(tag.strip_prefix("W/").unwrap_or(tag)) == etag;
                tags.split(',').map(str::trim).any(matches)
            },
        )
}

/// Returns a page: the array under its name, the cursors, the applied limit, and a `Link` header with the same
/// cursors.
pub fn list(call: &Call, name: &str, listing: Listing) -> Result<Response> {
    let body = page_body(name, &listing);
    let mut response = with_body(StatusCode::OK, JSON, body);
    let around = [("next", &listing.next_cursor), ("prev", &listing.previous_cursor)];
    let links: Vec<String> = around
        .into_iter()
        .filter_map(|(rel, cursor)| {
            let query = call.query.with_cursor(cursor.as_deref()?);
            Some(format!("<{}?{query}>; rel=\"{rel}\"", call.uri.path()))
        })
        .collect();
    if !links.is_empty() {
        let value = HeaderValue::try_from(links.join(", ")).map_err(Error::fault)?;
        response.headers_mut().insert(header::LINK, value);
    }
    Ok(response)
}

/// Writes the body into one buffer: the documents are most of a page, and are copied only once.
fn page_body(name: &str, listing: &Listing) -> String {
    let bytes: usize = listing.items.iter().map(|item| item.len() + 1).sum();
    let mut body = String::with_capacity(bytes + PAGE_FRAME_BYTES);
    body.extend(["{\"", name, "\":["]);
    for (place, item) in listing.items.iter().enumerate() {
        body.extend([if place > 0 { "," } else { "" }, item]);
    }
    body.push(']');
    for (name, cursor) in
        [("next_cursor", &listing.next_cursor), ("previous_cursor", &listing.previous_cursor)]
    {
        match cursor {
            Some(cursor) => body.extend([",\"", name, "\":\"", cursor, "\""]),
            None => body.extend([",\"", name, "\":null"]),
        }
    }
    body.push_str(&format!(",\"limit\":{}}}", listing.limit));
    body
}
