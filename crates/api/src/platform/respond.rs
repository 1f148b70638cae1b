//! Responses: converts the results of operations to HTTP.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::{HeaderName, HeaderValue, StatusCode, header};
use http_body::{Frame, SizeHint};
use http_body_util::Full;
use model::{Code, Error, Problem, Result};
use service::{Listing, Outcome, Reply};
use tokio::sync::mpsc;

use crate::platform::call::Call;
use crate::platform::problem;

/// The body of every response.
pub enum Body {
    Whole(Full<Bytes>),
    /// Chunks that are sent as they arrive.
    Stream(mpsc::Receiver<Bytes>),
}

impl Default for Body {
    fn default() -> Self {
        Self::Whole(Full::default())
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        match &mut *self {
            Self::Whole(whole) => Pin::new(whole).poll_frame(context),
            Self::Stream(pieces) => {
                pieces.poll_recv(context).map(|piece| piece.map(|piece| Ok(Frame::data(piece))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(whole) => whole.is_end_stream(),
            Self::Stream(_) => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(whole) => whole.size_hint(),
            Self::Stream(_) => SizeHint::default(),
        }
    }
}

/// The type of all responses.
pub type Response = http::Response<Body>;

const REVOKED: HeaderName = HeaderName::from_static("dockside-revoked");
/// The most ids in one header: clients and proxies limit the size of a response's head.
const REVOKED_IDS_MAX: usize = 100;
const REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");
/// The space for a page's field names, cursors and limit.
const PAGE_FRAME_BYTES: usize = 320;
const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// Returns a response with a body of this media type.
pub fn with_body(status: StatusCode, media_type: HeaderValue, body: impl Into<Bytes>) -> Response {
    let mut response = http::Response::new(Body::Whole(Full::new(body.into())));
    *response.status_mut() = status;
    response.headers_mut().insert(header::CONTENT_TYPE, media_type);
    response
}

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

/// Returns JSON that is not a resource.
pub fn json(body: String) -> Response {
    with_body(StatusCode::OK, JSON, body)
}

/// Returns the refusal of a request that reached no handler.
pub fn refuse(code: Code) -> Response {
    problem::refused(Problem::from(code))
}
