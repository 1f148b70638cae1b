//! The path of every request: identify, match, authenticate, authorise, read, handle, answer, log.
//!
//! It is one function instead of a stack of middleware: it costs a quarter, and reads from top to bottom.

use std::panic::AssertUnwindSafe;
use std::time::Instant;

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header, request};
use model::platform::fair::Tenant;
use model::platform::json;
use model::platform::pointer::pointer;
use model::platform::problem::{Issue, Issues};
use model::{Code, Error, Problem, Result};
use serde_json::Value;
use service::Caller;
use service::events::stream::Position;
use service::platform::log;

use crate::platform::call::{Call, bad_header, idempotency};
use crate::platform::intake::HEAD_BYTES_MAX;
use crate::platform::query::Query;
use crate::platform::respond::{self, Body, Response, refuse};
use crate::platform::route::{self, Match, Route};
use crate::platform::server::RefusedHead;
use crate::platform::upload::Upload;
use crate::platform::{cors, docs, problem, turns};
use crate::{App, VERSION};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const VERSION_HEADER: HeaderName = HeaderName::from_static("dockside-version");
const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
const STREAM_OFFSET: HeaderName = HeaderName::from_static("stream-offset");
const STREAM_EPOCH: HeaderName = HeaderName::from_static("stream-epoch");
/// The longest request id that is accepted from a caller.
const REQUEST_ID_CHARS_MAX: usize = 128;
const REQUEST_ID_BYTES: usize = 12;
/// The longest path including its query, in bytes.
const URI_BYTES_MAX: usize = 16 * 1024;

/// The properties of a request that its log line and its metrics need.
struct Seen {
    /// The route's index in the table, if one matched.
    place: Option<usize>,
    caller: Option<Caller>,
}

impl App {
    /// Answers any request.
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
        let wants_page = docs::wants_page(&method, request.uri().path(), request.headers());
        let mut seen = Seen { place: None, caller: None };
        let (head, body) = request.into_parts();
        let mut body = Upload::new(&head.headers, body);
        let mut response = match self.admit(head, &mut body, &mut seen).await {
            Ok(response) => response,
            Err(error) => problem::failed(error, self.route_name(seen.place)),
        };
        let code = problem::finish(&mut response, &request_id);
        if let Some(code) = code.filter(|_| wants_page) {
            docs::show_problem(&mut response, code, &request_id);
        }
        self.add_headers(&mut response, &request_id, seen.caller.as_ref());
        cors::allow(&self.0.limits.cors_origins, origin.as_ref(), response.headers_mut());
        if method == Method::HEAD {
            drop_body(&mut response);
        }
        let micros = u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.0.metrics.count(seen.place, response.status(), micros);
        log::request(&log::Request {
            now: self.0.service.context.now(),
            method: known_method(&method),
            route: self.route_name(seen.place),
            status: response.status().as_u16(),
            micros,
            request_id: &request_id,
            trace_id: trace_id.as_deref(),
            organisation: seen.caller.map(|caller| caller.owner.to_string()),
            code: code.map(Code::as_str),
        });
        // After the log line: the time to discard a body is not part of the time to answer.
        if !body.discard().await {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }

    fn route_name(&self, place: Option<usize>) -> &'static str {
        place.map_or("(none)", |place| self.0.table.routes()[place].path)
    }

    /// Admits a request: matches, authenticates, authorises and reads it, and stops at the first refusal.
    async fn admit<B>(
        &self,
        mut head: request::Parts,
        body: &mut Upload<B>,
        seen: &mut Seen,
    ) -> Result<Response>
    where
        B: http_body::Body<Data = Bytes> + Send + Unpin,
        B::Error: std::error::Error + Send + Sync + 'static,
    {
        if let Some(RefusedHead(problem)) = head.extensions.remove() {
            return Err(problem.into());
        }
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
        // An overloaded server neither looks up a token nor reads a body. But neither of these holds a permit: a slow
        // client, or a slow look-up of one organisation's token, would keep it from the others.
        self.refuse_early(route, bearer(&head.headers).ok())?;
        check_version(&head.headers)?;
        if route.needs_token() {
            let caller = self.0.service.access_tokens.authenticate(bearer(&head.headers)?).await?;
            seen.caller = Some(caller);
            turns::count_as(caller.owner.into());
            if let Some(seconds) = self.0.rate.refuse(caller.owner.organisation) {
                return too_many(seconds);
            }
            route.scope.map_or(Ok(()), |scope| caller.require(scope))?;
        }
        let query = match route.is_public_page() {
            true => Query::parse_leniently(head.uri.query(), route.parameters)?,
            false => Query::parse(head.uri.query(), route.parameters)?,
        };
        let is_optional = matches!(route.body, Some(route::Body::Optional(_)));
        if !is_optional {
            check_media_type(route, &head.headers)?;
        }
        let tenant = seen.caller.map_or(Tenant::Unknown, |caller| caller.owner.into());
        let (mut body, _permit) = self.read_body(route, tenant, &head.headers, body).await?;
        if route.body.is_none() {
            refuse_body(&body, self.0.limits.body_memory_max)?;
            body = Bytes::new();
        }
        if is_optional && !body.is_empty() {
            check_media_type(route, &head.headers)?;
        }
        let idempotency = if route.writes() { idempotency(&head, &body)? } else { None };
        let position = match seen.caller.filter(|_| route.shows_state()) {
            Some(caller) => Some(self.0.service.streams.position(caller.owner).await?),
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
            idempotency,
        };
        let mut response = self.run_once(route, call).await?;
        if let Some(position) = position {
            add_position(&mut response, &position)?;
        }
        Ok(response)
    }

    /// Runs the handler. If the request has an idempotency key and is refused, by the body's shape, the service or
    /// the database, the refusal is stored under the key. If an answer is stored there already, it is returned
    /// instead.
    async fn run_once(&self, route: &Route, call: Call) -> Result<Response> {
        let known = call.caller.zip(call.idempotency.clone());
        match (self.run(route, call).await, known) {
            (Err(Error::Refused(problem)), Some((caller, known))) => {
                respond::answer(self.0.service.context.keep_refusal(&caller, known, *problem).await?)
            }
            (result, _) => result,
        }
    }

    /// Runs the handler within its time limit, and catches panics.
    async fn run(&self, route: &Route, call: Call) -> Result<Response> {
        let work = catch_panic((route.handler)(call));
        match tokio::time::timeout(self.0.limits.request_time, work).await {
            Ok(result) => result,
            Err(_) => Err(Code::RequestTimeLimit.into()),
        }
    }

    /// Returns the caller's id for the request if it is valid, and otherwise a new one.
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
        self.0.service.context.fill_random(&mut random);
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
            self.0.rate.add_headers(caller.owner.organisation, headers);
        }
    }
}

/// Turns a panic into an internal error, so that a bug fails only its own request.
async fn catch_panic(work: impl Future<Output = Result<Response>>) -> Result<Response> {
    let mut work = std::pin::pin!(work);
    std::future::poll_fn(move |context| {
        std::panic::catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context)))
            .unwrap_or_else(|_| std::task::Poll::Ready(Err(Error::fault("a handler panicked"))))
    })
    .await
}

/// Adds the log position from before the state was read. A client that subscribes from there misses nothing.
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
        route::Body::Raw { .. } => true,
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
fn refuse_body(body: &[u8], memory_bytes_max: usize) -> Result<()> {
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

/// Removes the body of an answer to HEAD, and keeps its headers. The length stays that of the body, which the handler
/// may have set.
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

/// Returns the method for the log. An unknown one is not logged, because it may contain anything.
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
