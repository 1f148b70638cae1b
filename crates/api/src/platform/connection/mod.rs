//! `/connection/*` and `/emulation`: clients that follow the event log live, by Centrifugo's protocol.
//!
//! The rows are not part of the published contract: behind them is a protocol of its own, which OpenAPI can't
//! describe and SDKs speak. The crate `realtime` knows it; here are sockets.

mod drive;
mod frame;
mod streaming;
mod websocket;

use bytes::Bytes;
use http::{HeaderValue, StatusCode, header};
use model::platform::shape::Shape;
use model::{Code, Problem, Result};
use realtime::frame::{Codec, Emulation};
use realtime::session::Transport;
use tokio::sync::OwnedSemaphorePermit;

use crate::platform::admission::PUBLIC_BYTES_MAX;
use crate::platform::call::Call;
use crate::platform::respond::{Body, Response};
use crate::platform::route::{self, Parameter, ParameterKind, Route, Success};

static TEXT: Shape = Shape::text(0, 16 * 1024, "A text.");

const fn parameter(name: &'static str, about: &'static str) -> Parameter {
    Parameter { name, about, kind: ParameterKind::One(&TEXT) }
}

const CONNECT: Parameter = parameter("cf_connect", "The connect command, for want of a body.");
const FORMAT: Parameter = parameter("format", "`protobuf` instead of JSON.");
const PROTOCOL: Parameter = parameter("cf_protocol", "The same.");
const PROTOCOL_VERSION: Parameter = parameter("cf_protocol_version", "There is one: `v2`.");
const FRAME_PINGS: Parameter =
    parameter("cf_ws_frame_ping_pong", "`true` for pings of the websocket instead of the protocol's.");
const SOCKET: &[Parameter] = &[CONNECT, FORMAT, PROTOCOL, PROTOCOL_VERSION, FRAME_PINGS];
const STREAM: &[Parameter] = &[CONNECT, FORMAT, PROTOCOL, PROTOCOL_VERSION];

pub fn routes() -> Vec<Route> {
    let socket = |path, handler: fn(Call) -> std::future::Ready<Result<Response>>| {
        Route::get(path, "", "Connect", handler)
            .parameters(SOCKET)
            .acts()
            .success(Success::Other("websocket"))
    };
    let events = || Success::Other("text/event-stream");
    let lines = || Success::Other("application/json");
    let body = || route::Body::Raw { bytes_max: PUBLIC_BYTES_MAX };
    let rows = vec![
        socket("/connection/websocket", |call| std::future::ready(connect_websocket(&call, false))),
        socket("/connection/uni_websocket", |call| std::future::ready(connect_websocket(&call, true))),
        Route::post("/connection/http_stream", "", "Connect", connect_http_stream)
            .parameters(STREAM)
            .body(body())
            .success(lines()),
        Route::get("/connection/sse", "", "Connect", connect_sse).parameters(STREAM).acts().success(events()),
        Route::post("/connection/uni_http_stream", "", "Connect", connect_uni_http_stream)
            .parameters(STREAM)
            .body(body())
            .success(lines()),
        Route::get("/connection/uni_sse", "", "Connect", connect_uni_sse)
            .parameters(STREAM)
            .acts()
            .success(events()),
        Route::post("/connection/uni_sse", "", "Connect", connect_uni_sse)
            .parameters(STREAM)
            .body(body())
            .success(events()),
        Route::post("/emulation", "", "Send what a socket would carry", emulate).body(body()),
    ];
    rows.into_iter().map(|row| row.refusals(&[Code::ForbiddenOrigin])).collect()
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

/// The connect command of a request that may have no body.
fn connect_command(call: &Call) -> Result<Bytes> {
    if !call.body.is_empty() {
        return Ok(call.body.clone());
    }
    let command = call.query.one(CONNECT.name).filter(|text| !text.is_empty());
    let command = command
        .ok_or_else(|| crate::platform::query::refuse(CONNECT.name, "Must hold the connect command."))?;
    Ok(Bytes::copy_from_slice(command.as_bytes()))
}

/// How a request says that it speaks Protobuf.
fn codec(call: &Call) -> Codec {
    let in_query = [FORMAT.name, PROTOCOL.name].iter().any(|name| call.query.one(name) == Some("protobuf"));
    let media_type = call.headers.get(header::CONTENT_TYPE);
    let in_header = media_type.is_some_and(|value| value.as_bytes().starts_with(b"application/octet-stream"));
    if in_query || in_header { Codec::Protobuf } else { Codec::Json }
}

/// Lets a connection in, if there is room, and if it does not come from a page of a stranger.
fn admit(call: &Call) -> Result<OwnedSemaphorePermit> {
    ensure_origin(call)?;
    let places = std::sync::Arc::clone(&call.app.0.stream_places);
    places.try_acquire_owned().map_err(|_| Code::Overloaded.into())
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
    let is_named = call.app.0.limits.cors_origins.iter().any(|known| known.as_bytes() == origin.as_bytes());
    if is_same || is_named {
        return Ok(());
    }
    let detail = "Pages of this origin may not connect. The operator names those that may in `cors_origins`.";
    Err(Problem::from(Code::ForbiddenOrigin).with_detail(detail).into())
}
