//! The path of every request: identify, match, authenticate, authorise, read, handle, answer, log.
//!
//! It is one call after the other instead of a stack of middleware: it costs a quarter, and reads from top to bottom.

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header, request};
use model::platform::fair::Tenant;
use model::platform::id::is_identifier;
use model::{Code, Error, Problem, Result, World, ensure};
use service::events::stream::Position;
use service::{Caller, FairPermit};
use tracing::field::{Empty, display};
use tracing::{Instrument, Span, debug_span, error_span, info};

use super::app::App;
use super::checks::{
    VERSION_HEADER, check_media_type, check_version, header_bytes, media_type, refuse_body, trace_id,
};
use crate::access::call::{Call, idempotency};
use crate::access::cookie::Credential;
use crate::access::respond;
use crate::access::route::{self, Route};
use crate::access::table::{HandledRoute, Match};
use crate::docs;
use crate::platform::intake::HEAD_BYTES_MAX;
use crate::platform::problem::refuse;
use crate::platform::query::Query;
use crate::platform::response::{Body, Response};
use crate::platform::upload::Upload;
use crate::platform::version::VERSION;
use crate::platform::{cors, problem, turns};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const STREAM_OFFSET: HeaderName = HeaderName::from_static("stream-offset");
const STREAM_EPOCH: HeaderName = HeaderName::from_static("stream-epoch");
/// The longest request id that is accepted from a caller.
const REQUEST_ID_CHARS_MAX: usize = 128;
const REQUEST_ID_BYTES: usize = 12;
/// The target of the line of each request. The log's pretty format has columns for it.
const REQUESTS: &str = "dockside::request";
/// The longest path including its query, in bytes.
const URI_BYTES_MAX: usize = 16 * 1024;

/// Why a request's head was refused before the request was parsed. An extension of the placeholder request.
#[derive(Clone)]
pub struct RefusedHead(pub Problem);

/// What is known of a request beside its head.
struct Seen<'a> {
    /// The network address at the other end of the connection.
    peer: Option<IpAddr>,
    /// The route's index in the table, if one matched.
    place: Option<usize>,
    caller: Option<Caller>,
    /// The span of the request, which every line about it is inside of.
    span: &'a Span,
}

impl App {
    /// Answers any request. `peer` is the network address at the other end of the connection.
    pub async fn handle<B>(&self, request: http::Request<B>, peer: Option<IpAddr>) -> Response
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
        // Its level is that of an error, so that it is there whatever the log's filter says.
        let trace_id = trace_id.as_deref();
        let span = error_span!("request", request_id, trace_id, organisation = Empty);
        let mut seen = Seen { peer, place: None, caller: None, span: &span };
        let (head, body) = request.into_parts();
        let mut body = Upload::new(&head.headers, body);
        let mut response = match inside(&span, self.admit(head, &mut body, &mut seen)).await {
            Ok(response) => response,
            Err(error) => span.in_scope(|| problem::failed(error, self.route_name(seen.place))),
        };
        let code = problem::finish(&mut response, &request_id);
        if let Some(code) = code.filter(|_| wants_page) {
            docs::show_problem(&mut response, code, &request_id);
        }
        self.add_headers(&mut response, &request_id, seen.caller.as_ref());
        cors::allow(&self.0.state.limits.cors_origins, origin.as_ref(), response.headers_mut());
        if method == Method::HEAD {
            drop_body(&mut response);
        }
        let micros = u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.0.state.metrics.count(seen.place, response.status(), micros);
        info!(
            target: REQUESTS,
            parent: &span,
            method = known_method(&method),
            route = self.route_name(seen.place),
            status = response.status().as_u16(),
            micros,
            code = code.map(Code::as_str),
            "request"
        );
        // After the log line: the time to discard a body is not part of the time to answer.
        if !body.discard().await {
            response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }

    fn route_name(&self, place: Option<usize>) -> &'static str {
        place.map_or("(none)", |place| self.0.table.routes()[place].route.path)
    }

    /// Admits a request: matches, authenticates, authorises and reads it, and stops at the first refusal.
    async fn admit<B>(
        &self,
        mut head: request::Parts,
        body: &mut Upload<B>,
        seen: &mut Seen<'_>,
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
        let (place, row, ids) = match self.0.table.find(&head.method, head.uri.path()) {
            Match::Route { place, route, ids } => (place, route, ids),
            Match::Nothing => return Err(Code::NotFound.into()),
            Match::OtherMethods(allow) => return other_method(&head.method, &allow),
        };
        seen.place = Some(place);
        let route = &row.route;
        // An overloaded server neither looks up a token nor reads a body. But neither of these holds a permit: a slow
        // client, or a slow look-up of one organisation's token, would keep it from the others.
        let credential = Credential::find(&head.headers, &self.0.state);
        self.0.admission.refuse_early(route, credential.claimed_owner())?;
        check_version(&head.headers)?;
        if let Some(refusal) = self.authorise(row, &head, &credential, seen).await? {
            return Ok(refusal);
        }
        if route.takes_file(|| media_type(&head.headers)) {
            return Box::pin(self.receive_file(row, ids, head, body, seen)).await;
        }
        let (call, _permit) = self.read(route, ids, head, body, seen).await?;
        let position = match seen.caller.filter(|_| route.shows_state()) {
            Some(caller) => Some(self.0.state.service.streams.position(caller.owner).await?),
            None => None,
        };
        let mut response = self.run_once(row, call, Some(self.0.state.limits.request_time)).await?;
        if let Some(position) = position {
            add_position(&mut response, &position)?;
        }
        Ok(response)
    }

    /// Runs the handler of a route that takes a file, and passes the body on to it meanwhile. How long that takes depends on the client.
    async fn receive_file<B>(
        &self,
        row: &HandledRoute,
        ids: Vec<String>,
        head: request::Parts,
        body: &mut Upload<B>,
        seen: &Seen<'_>,
    ) -> Result<Response>
    where
        B: http_body::Body<Data = Bytes> + Send + Unpin,
        B::Error: std::error::Error + Send + Sync + 'static,
    {
        let query = Query::parse(head.uri.query(), row.route.parameters)?;
        check_media_type(&row.route, &head.headers)?;
        let (caller, peer) = (seen.caller, seen.peer);
        let tenant = caller.map_or(Tenant::Unknown, |caller| caller.owner.into());
        // The file itself is not known yet. A repetition of the request has the same length.
        let length = head.headers.get(header::CONTENT_LENGTH).map(|value| value.as_bytes().to_vec());
        let idempotency = idempotency(&head, &length.unwrap_or_default())?;
        let (file, pass_on) = self.0.admission.file(tenant, body);
        let call = Call {
            peer,
            state: Arc::clone(&self.0.state),
            caller,
            method: head.method,
            uri: head.uri,
            ids,
            query,
            upgrade: None,
            headers: head.headers,
            body: Bytes::new(),
            idempotency,
            file: Some(file),
        };
        let (response, ()) = tokio::join!(self.run_once(row, call, None), pass_on);
        response
    }

    /// Authenticates the caller if the route needs a token or a session, and checks the scope. Returns a refusal if the caller's
    /// organisation has used up its rate.
    async fn authorise(
        &self,
        row: &HandledRoute,
        head: &request::Parts,
        credential: &Credential<'_>,
        seen: &mut Seen<'_>,
    ) -> Result<Option<Response>> {
        let route = &row.route;
        if !route.needs_token() {
            return Ok(None);
        }
        let mut caller = credential.authenticate(&self.0.state, route, head).await?;
        if route.live_only && caller.owner.world == World::Test {
            ensure(caller.session.is_some(), Code::LiveWorldOnly)?;
            caller.owner.world = World::Live;
        }
        seen.caller = Some(caller);
        seen.span.record("organisation", display(caller.owner));
        turns::count_as(caller.owner.into());
        if let Some(seconds) = self.0.rate.refuse(caller.owner.organisation) {
            return Ok(Some(too_many(seconds)));
        }
        route.scope().map_or(Ok(()), |scope| caller.require(scope))?;
        Ok(None)
    }

    /// Reads and checks the query and the body. Returns the call, and the permit to work on it.
    async fn read<B>(
        &self,
        route: &Route,
        ids: Vec<String>,
        mut head: request::Parts,
        body: &mut Upload<B>,
        seen: &Seen<'_>,
    ) -> Result<(Call, Option<FairPermit>)>
    where
        B: http_body::Body<Data = Bytes> + Send + Unpin,
        B::Error: std::error::Error + Send + Sync + 'static,
    {
        let query = match route.is_public_page() {
            true => Query::parse_leniently(head.uri.query(), route.parameters)?,
            false => Query::parse(head.uri.query(), route.parameters)?,
        };
        let is_optional = matches!(route.body, Some(route::Body::Optional(_)));
        if !is_optional {
            check_media_type(route, &head.headers)?;
        }
        let (caller, peer) = (seen.caller, seen.peer);
        let tenant = caller.map_or(Tenant::Unknown, |caller| caller.owner.into());
        let (mut body, permit) = self.0.admission.read_body(route, tenant, &head.headers, body).await?;
        if route.body.is_none() {
            refuse_body(&body, self.0.state.limits.body_memory_max)?;
            body = Bytes::new();
        }
        if is_optional && !body.is_empty() {
            check_media_type(route, &head.headers)?;
        }
        let idempotency = if route.writes() { idempotency(&head, &body)? } else { None };
        let call = Call {
            state: Arc::clone(&self.0.state),
            caller,
            method: head.method,
            uri: head.uri,
            ids,
            query,
            peer,
            upgrade: head.extensions.remove(),
            headers: head.headers,
            body,
            idempotency,
            file: None,
        };
        Ok((call, permit))
    }

    /// Runs the handler. If the request has an idempotency key and is refused, by the body's shape, the service or
    /// the database, the refusal is stored under the key. If an answer is stored there already, it is returned
    /// instead.
    async fn run_once(
        &self,
        row: &HandledRoute,
        call: Call,
        time_limit: Option<Duration>,
    ) -> Result<Response> {
        let known = call.caller.zip(call.idempotency.clone());
        match (self.run(row, call, time_limit).await, known) {
            (Err(Error::Refused(problem)), Some((caller, known))) => {
                respond::answer(self.0.state.service.context.keep_refusal(&caller, known, *problem).await?)
            }
            (result, _) => result,
        }
    }

    /// Runs the handler within its time limit, if it has one, and catches panics.
    async fn run(&self, row: &HandledRoute, call: Call, time_limit: Option<Duration>) -> Result<Response> {
        let span = debug_span!("operation", operation = row.route.operation, entities = entities(&call.ids));
        let work = catch_panic((row.handler)(call)).instrument(span);
        let Some(time_limit) = time_limit else { return work.await };
        match tokio::time::timeout(time_limit, work).await {
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
        self.0.state.service.context.fill_random_name(&mut random);
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

/// Polls inside of a span, without a handle to the span of its own: each one is counted by atomic operations.
async fn inside<F: Future>(span: &Span, work: F) -> F::Output {
    let mut work = std::pin::pin!(work);
    std::future::poll_fn(|context| span.in_scope(|| work.as_mut().poll(context))).await
}

/// Returns the ids among the parameters of a path, for the log, or `None` if there are none. Other parameters are left
/// out: one is a signed link.
fn entities(parameters: &[String]) -> Option<String> {
    let is_id = |text: &&String| text.split_once('_').is_some_and(|(prefix, _)| is_identifier(prefix, text));
    let ids: Vec<&str> = parameters.iter().filter(is_id).map(String::as_str).collect();
    (!ids.is_empty()).then(|| ids.join(" "))
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

fn too_many(seconds: u64) -> Response {
    let mut response = refuse(Code::RateLimited);
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    response
}

/// Removes the body of an answer to HEAD, and keeps its headers. The length stays that of the body, which the handler
/// may have set.
fn drop_body(response: &mut Response) {
    let length = http_body::Body::size_hint(response.body()).exact();
    let is_said = response.headers().contains_key(header::CONTENT_LENGTH);
    let has_body =
        response.status() != StatusCode::NO_CONTENT && response.status() != StatusCode::NOT_MODIFIED;
    if let Some(length) = length.filter(|_| has_body && !is_said) {
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
