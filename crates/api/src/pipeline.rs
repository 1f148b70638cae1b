//! The way of every request: known, matched, authenticated, permitted, read, handled, answered, logged.
//!
//! One function of our own instead of a stack of layers: it costs a quarter, and reads from top to bottom.

use std::panic::AssertUnwindSafe;
use std::time::Instant;

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use http_body_util::BodyExt;
use model::{Code, Error, Problem, Result};
use service::stream::Position;
use service::{Caller, log};

use crate::call::{Call, bad_header};
use crate::query::Query;
use crate::respond::{Body, Response, refuse};
use crate::route::{self, Match, Route};
use crate::server::HEAD_BYTES_MAX;
use crate::{App, VERSION, cors, problem};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const VERSION_HEADER: HeaderName = HeaderName::from_static("dockside-version");
const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
const STREAM_OFFSET: HeaderName = HeaderName::from_static("stream-offset");
const STREAM_EPOCH: HeaderName = HeaderName::from_static("stream-epoch");
/// Longest request id that is taken from a caller.
const REQUEST_ID_CHARS_MAX: usize = 128;
const REQUEST_ID_BYTES: usize = 12;
/// Longest path with its query, in bytes.
const URI_BYTES_MAX: usize = 16 * 1024;

/// Paths that answer under overload too: whoever watches the server must see that it lives.
const PROBES: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

/// What is known of a request once it is answered.
struct Seen {
    /// The row's place in the table, where there was one.
    place: Option<usize>,
    caller: Option<Caller>,
}

impl App {
    /// Answers a request, whatever it is.
    pub async fn handle<B>(&self, request: http::Request<B>) -> Response
    where
        B: http_body::Body<Data = Bytes> + Send + Unpin,
        B::Error: std::error::Error + Send + Sync + 'static,
    {
        let began = Instant::now();
        let request_id = self.request_id(request.headers());
        let trace_id = trace_id(request.headers());
        let method = request.method().clone();
        let origin = request.headers().get(header::ORIGIN).cloned();
        let mut seen = Seen { place: None, caller: None };
        let mut response = match self.admit(request, &mut seen).await {
            Ok(response) => response,
            Err(error) => problem::failed(error, self.route_name(seen.place)),
        };
        let code = problem::finish(&mut response, &request_id);
        self.add_headers(&mut response, &request_id, seen.caller.as_ref());
        cors::allow(&self.0.limits.cors_origins, origin.as_ref(), response.headers_mut());
        if method == Method::HEAD {
            drop_body(&mut response);
        }
        let micros = u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.0.metrics.count(seen.place, response.status(), micros);
        log::request(&log::Request {
            now: self.0.service.now(),
            method: known_method(&method),
            route: self.route_name(seen.place),
            status: response.status().as_u16(),
            micros,
            request_id: &request_id,
            trace_id: trace_id.as_deref(),
            organisation: seen.caller.map(|caller| caller.owner.to_string()),
            code: code.map(Code::as_str),
        });
        response
    }

    fn route_name(&self, place: Option<usize>) -> &'static str {
        place.map_or("(none)", |place| self.0.table.routes()[place].path)
    }

    /// Lets a request in, as far as it may come.
    async fn admit<B>(&self, request: http::Request<B>, seen: &mut Seen) -> Result<Response>
    where
        B: http_body::Body<Data = Bytes> + Send + Unpin,
        B::Error: std::error::Error + Send + Sync + 'static,
    {
        let (mut head, body) = request.into_parts();
        let uri_bytes = head.uri.path_and_query().map_or(0, |target| target.as_str().len());
        if uri_bytes > URI_BYTES_MAX || header_bytes(&head.headers) > HEAD_BYTES_MAX {
            return Err(Code::HeadersTooLarge.into());
        }
        let (place, route, ids) = match self.0.table.find(&head.method, head.uri.path()) {
            Match::Route { place, route, ids } => (place, route, ids),
            Match::Nothing => return Err(Code::NotFound.into()),
            Match::OtherMethods(allow) => return other_method(&head.method, &allow),
        };
        seen.place = Some(place);
        let permit = self.0.in_flight.try_acquire();
        if permit.is_err() && !PROBES.contains(&route.path) {
            return Err(Code::Overloaded.into());
        }
        check_version(&head.headers)?;
        if let Some(scope) = route.scope {
            let caller = self.0.service.authenticate(bearer(&head.headers)?).await?;
            seen.caller = Some(caller);
            if let Some(seconds) = self.0.rate.refuse(caller.token) {
                return too_many(seconds);
            }
            caller.require(scope)?;
        }
        let query = Query::parse(head.uri.query(), route.parameters)?;
        let is_optional = matches!(route.body, Some(route::Body::Optional(_)));
        if !is_optional {
            check_media_type(route, &head.headers)?;
        }
        let body = match route.body {
            Some(_) => self.read_body(&head.headers, body).await?,
            None => Bytes::new(),
        };
        if is_optional && !body.is_empty() {
            check_media_type(route, &head.headers)?;
        }
        let position = match seen.caller.filter(|_| route.shows_state()) {
            Some(caller) => Some(self.0.service.position(caller.owner).await?),
            None => None,
        };
        let call = Call {
            app: self.clone(),
            caller: seen.caller,
            method: head.method,
            uri: head.uri,
            ids,
            query,
            upgrade: head.extensions.remove(),
            headers: head.headers,
            body,
        };
        let mut response = self.run(route, call).await?;
        if let Some(position) = position {
            add_position(&mut response, &position)?;
        }
        Ok(response)
    }

    /// Runs the handler, within its time and without letting a panic out.
    async fn run(&self, route: &Route, call: Call) -> Result<Response> {
        let work = catch_panic((route.handler)(call));
        match tokio::time::timeout(self.0.limits.request_time, work).await {
            Ok(result) => result,
            Err(_) => Err(Code::RequestTimeLimit.into()),
        }
    }

    async fn read_body<B>(&self, headers: &HeaderMap, mut body: B) -> Result<Bytes>
    where
        B: http_body::Body<Data = Bytes> + Send + Unpin,
        B::Error: std::error::Error + Send + Sync + 'static,
    {
        let max = self.0.limits.body_bytes_max;
        let declared =
            headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
        if declared.is_some_and(|length: usize| length > max) {
            return Err(Code::BodyTooLarge.into());
        }
        if body.is_end_stream() {
            return Ok(Bytes::new());
        }
        let read = async {
            let mut first = Bytes::new();
            let mut all = BytesMut::new();
            while let Some(frame) = body.frame().await {
                // The caller broke off: nobody will read the answer, and nothing was done.
                let frame = frame.map_err(|_| Code::InvalidJson)?;
                let Ok(data) = frame.into_data() else { continue };
                if first.len() + all.len() + data.len() > max {
                    return Err(Error::from(Code::BodyTooLarge));
                }
                if first.is_empty() && all.is_empty() {
                    first = data;
                } else {
                    if all.is_empty() {
                        all.extend_from_slice(&first);
                        first = Bytes::new();
                    }
                    all.extend_from_slice(&data);
                }
            }
            Ok(if all.is_empty() { first } else { all.freeze() })
        };
        tokio::time::timeout(self.0.limits.body_time, read).await.map_err(|_| Code::Timeout)?
    }

    /// The caller's id for the request where it is sound, else a new one.
    fn request_id(&self, headers: &HeaderMap) -> String {
        let given = headers.get(REQUEST_ID).and_then(|value| value.to_str().ok());
        let is_sound = |id: &&str| {
            let is_word = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
            (1..=REQUEST_ID_CHARS_MAX).contains(&id.len()) && id.bytes().all(is_word)
        };
        if let Some(id) = given.filter(is_sound) {
            return id.to_owned();
        }
        let mut random = [0; REQUEST_ID_BYTES];
        self.0.service.fill_random(&mut random);
        let mut id = String::with_capacity(4 + 2 * REQUEST_ID_BYTES);
        id.push_str("req_");
        for byte in random {
            id.push(char::from_digit(u32::from(byte >> 4), 16).unwrap_or('0'));
            id.push(char::from_digit(u32::from(byte & 15), 16).unwrap_or('0'));
        }
        id
    }

    fn add_headers(&self, response: &mut Response, request_id: &str, caller: Option<&Caller>) {
        let headers = response.headers_mut();
        if let Ok(value) = HeaderValue::try_from(request_id) {
            headers.insert(REQUEST_ID, value);
        }
        headers.insert(VERSION_HEADER, HeaderValue::from_static(VERSION));
        headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        if !headers.contains_key(header::CACHE_CONTROL) {
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        }
        if let Some(caller) = caller {
            self.0.rate.add_headers(caller.token, headers);
        }
    }
}

/// A panic is a bug of ours: it costs its request an answer, and nobody else anything.
async fn catch_panic(work: impl Future<Output = Result<Response>>) -> Result<Response> {
    let mut work = std::pin::pin!(work);
    std::future::poll_fn(move |context| {
        std::panic::catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context)))
            .unwrap_or_else(|_| std::task::Poll::Ready(Err(Error::fault("a handler panicked"))))
    })
    .await
}

/// Where the log was before the state was read: whoever subscribes from there misses nothing.
fn add_position(response: &mut Response, position: &Position) -> Result<()> {
    let headers = response.headers_mut();
    headers.insert(STREAM_OFFSET, HeaderValue::from(position.offset));
    headers.insert(STREAM_EPOCH, HeaderValue::try_from(&*position.epoch).map_err(Error::fault)?);
    Ok(())
}

fn header_bytes(headers: &HeaderMap) -> usize {
    headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum()
}

fn other_method(method: &Method, allow: &str) -> Result<Response> {
    let mut response = if *method == Method::OPTIONS {
        let mut response = http::Response::new(Body::default());
        *response.status_mut() = StatusCode::NO_CONTENT;
        response
    } else {
        refuse(Code::MethodNotAllowed)
    };
    response.headers_mut().insert(header::ALLOW, HeaderValue::try_from(allow).map_err(Error::fault)?);
    Ok(response)
}

fn too_many(seconds: u64) -> Result<Response> {
    let mut response = refuse(Code::RateLimited);
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    Ok(response)
}

fn check_version(headers: &HeaderMap) -> Result<()> {
    match headers.get(VERSION_HEADER) {
        Some(version) if version != VERSION => {
            let detail = format!("This server speaks the version {VERSION}.");
            Err(Problem::from(Code::UnknownVersion).with_detail(detail).into())
        }
        _ => Ok(()),
    }
}

fn bearer(headers: &HeaderMap) -> Result<&str> {
    let value = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let token = value.and_then(|value| {
        let (scheme, token) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
    });
    token.ok_or_else(|| Code::Unauthenticated.into())
}

fn check_media_type(route: &Route, headers: &HeaderMap) -> Result<()> {
    let Some(body) = &route.body else { return Ok(()) };
    let given = headers.get(header::CONTENT_TYPE).map(|value| value.to_str().unwrap_or_default());
    let essence =
        given.and_then(|value| value.split(';').next()).unwrap_or_default().trim().to_ascii_lowercase();
    let is_right = match body {
        route::Body::Raw => true,
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

/// The trace that a W3C `traceparent` continues.
fn trace_id(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(TRACEPARENT)?.to_str().ok()?;
    let mut parts = value.split('-');
    let (version, trace, parent, _flags) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    let is_hex = |text: &str, chars: usize| {
        text.len() == chars && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    };
    let is_sound = is_hex(version, 2) && version != "ff" && is_hex(trace, 32) && is_hex(parent, 16);
    (is_sound && trace.bytes().any(|byte| byte != b'0')).then(|| trace.to_owned())
}

/// HEAD: the same headers, no body. The length stays that of the body it would have, which the handler may have said.
fn drop_body(response: &mut Response) {
    let length = http_body::Body::size_hint(response.body()).exact().unwrap_or(0);
    let is_said = response.headers().contains_key(header::CONTENT_LENGTH);
    let has_body =
        response.status() != StatusCode::NO_CONTENT && response.status() != StatusCode::NOT_MODIFIED;
    if has_body && !is_said {
        response.headers_mut().insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    }
    *response.body_mut() = Body::default();
}

/// The method for the log: a made-up one may hold anything.
fn known_method(method: &Method) -> &str {
    match *method {
        Method::GET
        | Method::HEAD
        | Method::POST
        | Method::PUT
        | Method::PATCH
        | Method::DELETE
        | Method::OPTIONS => method.as_str(),
        _ => "OTHER",
    }
}

#[cfg(test)]
mod tests {
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
