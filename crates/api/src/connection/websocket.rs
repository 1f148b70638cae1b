//! Connections by websocket.

use bytes::Bytes;
use futures_util::{SinkExt, StreamExt};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use model::problem::Issue;
use model::{Code, Error, Problem, Result};
use realtime::code::Disconnect;
use realtime::frame::{Codec, Frame};
use realtime::limits::FRAME_BYTES_MAX;
use realtime::session::Transport;
use rustix::net::sockopt::set_socket_send_buffer_size;
use tokio::net::TcpStream;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::timeout;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::error::CapacityError;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{CloseCode, Data, OpCode};
use tokio_tungstenite::tungstenite::protocol::frame::{CloseFrame, Frame as Raw};
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};
use tokio_tungstenite::tungstenite::{self, Message};

use super::drive::{Socket, WRITE_TIME, drive};
use super::{CONNECT, FRAME_PINGS, codec};
use crate::call::Call;
use crate::problem;
use crate::respond::{Body, Response};

const VERSION: HeaderValue = HeaderValue::from_static("13");
const PROTOCOLS: [(&str, Codec); 2] =
    [("centrifuge-json", Codec::Json), ("centrifuge-protobuf", Codec::Protobuf)];
/// Clients say little. The library's own 128 KiB would be most of what a connection costs.
const READ_BUFFER_BYTES: usize = 1024;
/// What the kernel keeps for a client that does not read. More would hide for long that it is slow.
const SEND_BUFFER_BYTES: usize = 128 * 1024;

/// Answers the handshake, and speaks with the client once it is done.
pub fn connect(call: &Call, is_uni: bool, permit: OwnedSemaphorePermit) -> Result<Response> {
    let Some((accept, upgrade)) = handshake(call) else { return Ok(not_a_handshake()) };
    let chosen = offered(&call.headers);
    let codec = chosen.map_or_else(|| codec(call), |(_, codec)| codec);
    let mut transport = if is_uni { Transport::uni_websocket(codec) } else { Transport::websocket(codec) };
    if call.query.one(FRAME_PINGS.name) == Some("true") {
        transport = transport.without_pings();
    }
    let first = call.query.one(CONNECT.name).map(|command| Bytes::copy_from_slice(command.as_bytes()));
    let service = call.service().clone();
    tokio::spawn(async move {
        // A client that is gone before its first word is nobody's concern.
        let Ok(upgraded) = upgrade.await else { return };
        let mut connection = service.open_stream(transport);
        if let Some(command) = first {
            connection.receive(service.now().as_millis(), command);
        }
        if let Some(socket) = Websocket::open(upgraded, codec).await {
            drive(&service, connection, socket).await;
        }
        drop(permit);
    });
    let mut response = http::Response::new(Body::default());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let headers = response.headers_mut();
    headers.insert(header::CONNECTION, HeaderValue::from_static("Upgrade"));
    headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(header::SEC_WEBSOCKET_ACCEPT, HeaderValue::try_from(accept).map_err(Error::fault)?);
    if let Some((name, _)) = chosen {
        headers.insert(header::SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(name));
    }
    Ok(response)
}

/// The answer to a handshake, and the way to the socket behind it; `None` where it is not one.
fn handshake(call: &Call) -> Option<(String, OnUpgrade)> {
    let has = |name: header::HeaderName, word: &str| {
        let values = call.headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
        values.flat_map(|value| value.split(',')).any(|part| part.trim().eq_ignore_ascii_case(word))
    };
    let is_asked = has(header::CONNECTION, "upgrade") && has(header::UPGRADE, "websocket");
    let is_known = call.headers.get(header::SEC_WEBSOCKET_VERSION) == Some(&VERSION);
    let key = call.headers.get(header::SEC_WEBSOCKET_KEY)?;
    let upgrade = call.upgrade.clone()?;
    (is_asked && is_known).then(|| (derive_accept_key(key.as_bytes()), upgrade))
}

fn not_a_handshake() -> Response {
    let issue = Issue::new("invalid_header", "Upgrade", "Must be a websocket handshake, version 13.");
    let mut response = problem::refused(Problem::field(Code::InvalidHeader, issue));
    response.headers_mut().insert(header::SEC_WEBSOCKET_VERSION, VERSION);
    response
}

/// The first subprotocol of the client's that we know. None, or none known, is JSON, and none is named back.
fn offered(headers: &HeaderMap) -> Option<(&'static str, Codec)> {
    let values = headers.get_all(header::SEC_WEBSOCKET_PROTOCOL).into_iter();
    let words = values.filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','));
    words.filter_map(|word| PROTOCOLS.into_iter().find(|(name, _)| *name == word.trim())).next()
}

struct Websocket {
    stream: WebSocketStream<TcpStream>,
    opcode: OpCode,
}

impl Websocket {
    async fn open(upgraded: Upgraded, codec: Codec) -> Option<Self> {
        // What carries our requests is always this; without the layers in between it costs less.
        let parts = upgraded.downcast::<TokioIo<TcpStream>>().ok()?;
        let socket = parts.io.into_inner();
        let _best_effort = set_socket_send_buffer_size(&socket, SEND_BUFFER_BYTES);
        let config = WebSocketConfig::default()
            .read_buffer_size(READ_BUFFER_BYTES)
            .write_buffer_size(0)
            .max_message_size(Some(FRAME_BYTES_MAX))
            .max_frame_size(Some(FRAME_BYTES_MAX));
        let early = parts.read_buf.to_vec();
        let stream = WebSocketStream::from_partially_read(socket, early, Role::Server, Some(config)).await;
        let opcode = match codec {
            Codec::Json => OpCode::Data(Data::Text),
            Codec::Protobuf => OpCode::Data(Data::Binary),
        };
        Some(Self { stream, opcode })
    }

    async fn say_goodbye(&mut self, why: Disconnect) {
        let frame = CloseFrame { code: CloseCode::from(why.code), reason: why.reason.into() };
        let closed = async {
            if self.stream.close(Some(frame)).await.is_ok() {
                // The other side answers, and only then is the socket closed: else the reason may be lost.
                while let Some(Ok(_)) = self.stream.next().await {}
            }
        };
        let _too_slow = timeout(WRITE_TIME, closed).await;
    }
}

impl Socket for Websocket {
    async fn send(&mut self, frame: Frame) -> Result<(), Disconnect> {
        let message = Message::Frame(Raw::message(frame.into_bytes(), self.opcode, true));
        match timeout(WRITE_TIME, self.stream.send(message)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(Disconnect::WRITE_ERROR),
        }
    }

    async fn receive(&mut self) -> Option<Bytes> {
        loop {
            match self.stream.next().await? {
                Ok(Message::Text(text)) => return Some(text.into()),
                Ok(Message::Binary(bytes)) => return Some(bytes),
                // Pings are answered by the library with whatever is written or read next.
                Ok(Message::Ping(_) | Message::Pong(_) | Message::Frame(_)) => {}
                Ok(Message::Close(_)) => {}
                Err(tungstenite::Error::Capacity(CapacityError::MessageTooLong { .. })) => {
                    self.say_goodbye(Disconnect::TOO_BIG).await;
                    return None;
                }
                Err(_) => return None,
            }
        }
    }

    async fn close(mut self, why: Disconnect) {
        // A socket that takes no frame takes no goodbye either.
        if why != Disconnect::WRITE_ERROR {
            self.say_goodbye(why).await;
        }
    }
}
