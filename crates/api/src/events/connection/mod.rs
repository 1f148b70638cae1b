//! `/connection/*` and `/emulation`: clients that follow the event log live, by Centrifugo's protocol.
//!
//! The rows are not part of the published contract: behind them is a protocol of its own, which OpenAPI can't
//! describe and SDKs speak. The crate `realtime` knows it; here are sockets.

mod drive;
mod frame;
mod parameters;
mod streaming;
mod websocket;

use http::{HeaderValue, StatusCode, header};
use model::{Code, Problem, Result};
use realtime::frame::Emulation;
use realtime::session::Transport;
use tokio::sync::OwnedSemaphorePermit;

use self::parameters::{SOCKET, STREAM, codec, connect_command};
use crate::access::admission::PUBLIC_BYTES_MAX;
use crate::access::call::Call;
use crate::access::route::{self, Access, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::response::{Body, Response};

const EVENTS: Success = Success::Other("text/event-stream");
const LINES: Success = Success::Other("application/json");
const BODY: route::Body = route::Body::Raw { bytes_max: PUBLIC_BYTES_MAX };
const REFUSALS: &[Code] = &[Code::ForbiddenOrigin];

pub fn routes() -> Vec<HandledRoute> {
    vec![
        socket("/connection/websocket", "connect_websocket")
            .to(|call| std::future::ready(connect_websocket(&call, false))),
        socket("/connection/uni_websocket", "connect_uni_websocket")
            .to(|call| std::future::ready(connect_websocket(&call, true))),
        posted("/connection/http_stream", "connect_http_stream", LINES).to(connect_http_stream),
        streamed("/connection/sse", "connect_sse").to(connect_sse),
        posted("/connection/uni_http_stream", "connect_uni_http_stream", LINES).to(connect_uni_http_stream),
        streamed("/connection/uni_sse", "connect_uni_sse").to(connect_uni_sse),
        posted("/connection/uni_sse", "connect_uni_sse_by_post", EVENTS).to(connect_uni_sse),
        Route::post("/emulation", Access::Public, "emulate", "Send what a socket would carry")
            .body(BODY)
            .refusals(REFUSALS)
            .to(emulate),
    ]
}

/// Returns the row of a websocket.
fn socket(path: &'static str, operation: &'static str) -> Route {
    Route::get(path, Access::Public, operation, "Connect")
        .parameters(SOCKET)
        .acts()
        .success(Success::Other("websocket"))
        .refusals(REFUSALS)
}

/// Returns the row of server-sent events.
fn streamed(path: &'static str, operation: &'static str) -> Route {
    Route::get(path, Access::Public, operation, "Connect")
        .parameters(STREAM)
        .acts()
        .success(EVENTS)
        .refusals(REFUSALS)
}

/// Returns the row of a stream whose connect command is in the body.
fn posted(path: &'static str, operation: &'static str, success: Success) -> Route {
    Route::post(path, Access::Public, operation, "Connect")
        .parameters(STREAM)
        .body(BODY)
        .success(success)
        .refusals(REFUSALS)
}

fn connect_websocket(call: &Call, is_uni: bool) -> Result<Response> {
    let permit = admit(call)?;
    websocket::connect(call, is_uni, permit)
}

async fn connect_http_stream(call: Call) -> Result<Response> {
    let codec = codec(&call);
    streaming::connect(&call, admit(&call)?, Transport::http_stream(codec), call.body.clone())
}

async fn connect_uni_http_stream(call: Call) -> Result<Response> {
    let codec = codec(&call);
    streaming::connect(&call, admit(&call)?, Transport::uni_http_stream(codec), call.body.clone())
}

async fn connect_sse(call: Call) -> Result<Response> {
    let command = connect_command(&call)?;
    streaming::connect(&call, admit(&call)?, Transport::sse(), command)
}

async fn connect_uni_sse(call: Call) -> Result<Response> {
    let command = connect_command(&call)?;
    streaming::connect(&call, admit(&call)?, Transport::uni_sse(), command)
}

/// Takes a frame for a connection of this node that can't carry it itself.
async fn emulate(call: Call) -> Result<Response> {
    ensure_origin(&call)?;
    let emulation = Emulation::read(codec(&call), &call.body).map_err(|_| Code::InvalidJson)?;
    let is_here = emulation.node == call.service().streams.stream_node();
    if !is_here || !call.service().streams.hub().emulate(&emulation.session, emulation.data) {
        let detail = "There is no such session on this node. Where there are several nodes, requests of one client \
                      must reach the same one.";
        return Err(Problem::from(Code::NotFound).with_detail(detail).into());
    }
    let mut response = http::Response::new(Body::default());
    *response.status_mut() = StatusCode::NO_CONTENT;
    Ok(response)
}

/// Lets a connection in, if there is room, and if it does not come from a page of a stranger.
fn admit(call: &Call) -> Result<OwnedSemaphorePermit> {
    ensure_origin(call)?;
    let permits = std::sync::Arc::clone(&call.state.stream_permits);
    permits.try_acquire_owned().map_err(|_| Code::Overloaded.into())
}

/// A browser tells where a page came from. Our own pages and those that the operator named may connect; a program
/// that is no browser tells nothing.
fn ensure_origin(call: &Call) -> Result<()> {
    let Some(origin) = call.headers.get(header::ORIGIN) else { return Ok(()) };
    let host = call.headers.get(header::HOST).map(HeaderValue::as_bytes);
    let is_same = origin
        .to_str()
        .ok()
        .and_then(|origin| origin.split_once("://"))
        .is_some_and(|(_, page)| !page.is_empty() && host == Some(page.as_bytes()));
    let is_named = call.state.limits.cors_origins.iter().any(|known| known.as_bytes() == origin.as_bytes());
    if is_same || is_named {
        return Ok(());
    }
    let detail = "Pages of this origin may not connect. The operator names those that may in `cors_origins`.";
    Err(Problem::from(Code::ForbiddenOrigin).with_detail(detail).into())
}
