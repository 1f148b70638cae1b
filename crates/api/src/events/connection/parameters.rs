//! The parameters with which a client connects.

use bytes::Bytes;
use http::header;
use model::Result;
use model::platform::shape::Shape;
use realtime::frame::Codec;

use crate::access::call::Call;
use crate::platform::parameter::{Parameter, ParameterKind};
use crate::platform::query;

static TEXT: Shape = Shape::text(0, 16 * 1024, "A text.");

const fn parameter(name: &'static str, about: &'static str) -> Parameter {
    Parameter { name, about, kind: ParameterKind::One(&TEXT) }
}

pub const CONNECT: Parameter = parameter("cf_connect", "The connect command, for want of a body.");
const FORMAT: Parameter = parameter("format", "`protobuf` instead of JSON.");
const PROTOCOL: Parameter = parameter("cf_protocol", "The same.");
const PROTOCOL_VERSION: Parameter = parameter("cf_protocol_version", "There is one: `v2`.");
pub const FRAME_PINGS: Parameter =
    parameter("cf_ws_frame_ping_pong", "`true` for pings of the websocket instead of the protocol's.");
pub const SOCKET: &[Parameter] = &[CONNECT, FORMAT, PROTOCOL, PROTOCOL_VERSION, FRAME_PINGS];
pub const STREAM: &[Parameter] = &[CONNECT, FORMAT, PROTOCOL, PROTOCOL_VERSION];

/// Returns the connect command of a request that may have no body.
pub fn connect_command(call: &Call) -> Result<Bytes> {
    if !call.body.is_empty() {
        return Ok(call.body.clone());
    }
    let command = call.query.one(CONNECT.name).filter(|text| !text.is_empty());
    let command = command.ok_or_else(|| query::refuse(CONNECT.name, "Must hold the connect command."))?;
    Ok(Bytes::copy_from_slice(command.as_bytes()))
}

/// Returns the encoding of messages that the request names. Without one it is JSON.
pub fn codec(call: &Call) -> Codec {
    let in_query = [FORMAT.name, PROTOCOL.name].iter().any(|name| call.query.one(name) == Some("protobuf"));
    let media_type = call.headers.get(header::CONTENT_TYPE);
    let in_header = media_type.is_some_and(|value| value.as_bytes().starts_with(b"application/octet-stream"));
    if in_query || in_header { Codec::Protobuf } else { Codec::Json }
}
