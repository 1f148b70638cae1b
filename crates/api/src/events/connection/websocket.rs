//! Connections by websocket.

use std::collections::VecDeque;
use std::io::{self, IoSlice};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use hyper::upgrade::{OnUpgrade, Upgraded};
use hyper_util::rt::TokioIo;
use model::platform::problem::Issue;
use model::{Code, Error, Problem, Result};
use realtime::code::Disconnect;
use realtime::frame::{Codec, Frame};
use realtime::limits::{FRAME_BYTES_MAX, PING_MS};
use realtime::session::Transport;
use ring::digest;
use rustix::net::sockopt::set_socket_send_buffer_size;
use tokio::io::Interest;
use tokio::net::TcpStream;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, timeout, timeout_at};
use tracing::Instrument;

use super::drive::{Ended, Socket, WRITE_TIME, drive};
use super::frame::{self, Decoder, Incoming, Kind};
use super::parameters::{CONNECT, FRAME_PINGS, codec};
use crate::access::call::Call;
use crate::platform::client_socket::{ClientSocket, Raw};
use crate::platform::problem;
use crate::platform::response::{Body, Response};

const VERSION: HeaderValue = HeaderValue::from_static("13");
const PROTOCOLS: [(&str, Codec); 2] =
    [("centrifuge-json", Codec::Json), ("centrifuge-protobuf", Codec::Protobuf)];
/// What a key is completed with before it is hashed: a number that RFC 6455 made up.
const ACCEPT: &[u8] = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
/// The answer to a goodbye.
const FAREWELL: Disconnect = Disconnect::new(1000, "goodbye");
/// Bytes that are read at once, and of answers to pings that may wait.
const READ_BYTES: usize = 4096;
const PENDING_BYTES_MAX: usize = 4096;
const PING_EVERY: Duration = Duration::from_millis(PING_MS);
/// What the kernel keeps for a client that does not read. More would hide for long that it is slow.
const SEND_BUFFER_BYTES: usize = 128 * 1024;

/// Answers the handshake, and speaks with the client once it is done.
pub fn connect(call: &Call, is_uni: bool, permit: OwnedSemaphorePermit) -> Result<Response> {
    let Some((accept, upgrade)) = handshake(call) else { return Ok(not_a_handshake()) };
    let chosen = offered(&call.headers);
    let codec = chosen.map_or_else(|| codec(call), |(_, codec)| codec);
    let mut transport = if is_uni { Transport::uni_websocket(codec) } else { Transport::websocket(codec) };
    let has_frame_pings = call.query.one(FRAME_PINGS.name) == Some("true");
    if has_frame_pings {
        transport = transport.without_pings();
    }
    let first = call.query.one(CONNECT.name).map(|command| Bytes::copy_from_slice(command.as_bytes()));
    let service = call.service().clone();
    let driver = async move {
        // If the client is gone before the upgrade, there is nothing to serve.
        let Ok(upgraded) = upgrade.await else { return };
        let mut connection = service.streams.open_stream(transport);
        if let Some(command) = first {
            connection.receive(service.context.now().as_millis(), command);
        }
        if let Some(mut socket) = Websocket::open(upgraded, codec) {
            socket.ping_at = has_frame_pings.then(|| Instant::now() + PING_EVERY);
            drive(&service, connection, socket).await;
        }
        drop(permit);
    };
    tokio::spawn(driver.in_current_span());
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
    (is_asked && is_known).then(|| (accept(key.as_bytes()), upgrade))
}

/// Proof that the key was understood. The protocol asks for SHA-1; nothing depends on its strength.
fn accept(key: &[u8]) -> String {
    let digest = digest::digest(&digest::SHA1_FOR_LEGACY_USE_ONLY, &[key, ACCEPT].concat());
    STANDARD.encode(digest)
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
    stream: TcpStream,
    kind: Kind,
    decoder: Decoder,
    /// Answers of the frames' own protocol that are still to be written. They may be cut in the middle, since whatever
    /// reads may be dropped at any time.
    pending: VecDeque<u8>,
    /// When to ping by frames, for those who asked for that.
    ping_at: Option<Instant>,
    /// Whether the client has said goodbye.
    is_leaving: bool,
    /// The permit for the socket's descriptor.
    _descriptor: Option<OwnedSemaphorePermit>,
}

impl Websocket {
    fn open(upgraded: Upgraded, codec: Codec) -> Option<Self> {
        // What carries our requests is always this; without the layers in between it costs less.
        let parts = upgraded.downcast::<TokioIo<ClientSocket>>().ok()?;
        let Raw { stream, sent, descriptor } = parts.io.into_inner().into_raw()?;
        let _best_effort = set_socket_send_buffer_size(&stream, SEND_BUFFER_BYTES);
        let kind = match codec {
            Codec::Json => Kind::Text,
            Codec::Protobuf => Kind::Binary,
        };
        let mut decoder = Decoder::new(FRAME_BYTES_MAX);
        decoder.feed(&parts.read_buf);
        decoder.feed(&sent);
        let pending = VecDeque::new();
        let _descriptor = descriptor;
        Some(Self { stream, kind, decoder, pending, ping_at: None, is_leaving: false, _descriptor })
    }

    /// Reads what is there, by way of the stack: nothing is kept while nothing comes.
    fn read_some(&mut self) -> io::Result<usize> {
        let mut some = [0; READ_BYTES];
        let read = self.stream.try_read(&mut some)?;
        self.decoder.feed(&some[..read]);
        Ok(read)
    }

    /// Writes pending answers as far as the socket takes them.
    fn write_pending(&mut self) -> io::Result<()> {
        while !self.pending.is_empty() {
            match self.stream.try_write(self.pending.as_slices().0) {
                Ok(written) => drop(self.pending.drain(..written)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        self.pending = VecDeque::new();
        Ok(())
    }

    /// Writes both parts, after whatever is pending.
    async fn write(&mut self, parts: [&[u8]; 2]) -> io::Result<()> {
        while !self.pending.is_empty() {
            self.stream.writable().await?;
            self.write_pending()?;
        }
        let mut slices = parts.map(IoSlice::new);
        let mut left = &mut slices[..];
        IoSlice::advance_slices(&mut left, 0);
        while !left.is_empty() {
            match self.stream.try_write_vectored(left) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => IoSlice::advance_slices(&mut left, written),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.stream.writable().await?,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Waits until the socket has something to read, or takes what is pending. May be dropped at any time.
    async fn wait(&mut self) -> io::Result<()> {
        let interest = match self.pending.is_empty() {
            true => Interest::READABLE,
            false => Interest::READABLE | Interest::WRITABLE,
        };
        self.stream.ready(interest).await?;
        self.write_pending()?;
        match self.read_some() {
            Ok(0) => Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(_) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Says goodbye, and waits until the other side has: if the socket were closed at once, the reason may be lost.
    async fn part(&mut self, why: Disconnect) -> io::Result<()> {
        self.write([&frame::close(why.code, why.reason), &[]]).await?;
        while !self.is_leaving && !matches!(self.decoder.next(), Ok(Some(Incoming::Close)) | Err(_)) {
            self.wait().await?;
        }
        Ok(())
    }
}

impl Socket for Websocket {
    async fn send(&mut self, frame: Frame) -> Result<(), Disconnect> {
        let (header, used) = frame::message_header(self.kind, frame.bytes());
        match timeout(WRITE_TIME, self.write([&header[..used], frame.as_ref()])).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(Disconnect::WRITE_ERROR),
        }
    }

    async fn receive(&mut self) -> Result<Bytes, Ended> {
        loop {
            match self.decoder.next() {
                Ok(Some(Incoming::Message(message))) => return Ok(message),
                Ok(Some(Incoming::Ping(payload))) if self.pending.len() < PENDING_BYTES_MAX => {
                    self.pending.extend(frame::pong(&payload));
                }
                // Who sends pings and reads no answers needs none.
                Ok(Some(Incoming::Ping(_))) => {}
                Ok(Some(Incoming::Close)) => {
                    self.is_leaving = true;
                    return Err(Ended::Goodbye(FAREWELL));
                }
                Ok(None) => match self.ping_at {
                    None => self.wait().await.map_err(|_| Ended::Gone)?,
                    Some(moment) => match timeout_at(moment, self.wait()).await {
                        Ok(waited) => waited.map_err(|_| Ended::Gone)?,
                        Err(_) => {
                            self.ping_at = Some(moment + PING_EVERY);
                            self.pending.extend(frame::ping());
                        }
                    },
                },
                Err(violation) => return Err(Ended::Goodbye(violation.into())),
            }
        }
    }

    async fn close(mut self, why: Disconnect) {
        // A socket that takes no frame takes no goodbye either.
        if why != Disconnect::WRITE_ERROR {
            let _too_slow = timeout(WRITE_TIME, self.part(why)).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt;
    use tokio::net::TcpListener;

    use super::*;

    async fn pair() -> (Websocket, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        let decoder = Decoder::new(FRAME_BYTES_MAX);
        let pending = VecDeque::new();
        let kind = Kind::Text;
        let socket =
            Websocket { stream, kind, decoder, pending, ping_at: None, is_leaving: false, _descriptor: None };
        (socket, client)
    }

    /// Only `close` sends the reason: unlike reading, it is never cancelled half way.
    #[tokio::test]
    async fn reading_ends_without_a_word() {
        for (sent, code) in [
            (&b"\x81\x81\0\0\0\0\xff"[..], 1007),
            (b"\x83\x80\0\0\0\0", 1002),
            (b"\x82\xff\0\0\0\0\0\x01\0\x01\0\0\0\0", 1009),
            (b"\x88\x80\0\0\0\0", 1000),
        ] {
            let (mut socket, mut client) = pair().await;
            client.write_all(sent).await.unwrap();
            let Err(Ended::Goodbye(why)) = socket.receive().await else { panic!("{sent:?} was taken") };
            assert_eq!(why.code, code);
            let nothing = client.try_read(&mut [0]).unwrap_err();
            assert_eq!(nothing.kind(), io::ErrorKind::WouldBlock, "{code} was said while reading");
            let (_, said) = tokio::join!(socket.close(why), async {
                client.readable().await.unwrap();
                let mut said = [0; 64];
                let length = client.try_read(&mut said).unwrap();
                drop(client);
                said[..length].to_vec()
            });
            assert_eq!(said, frame::close(why.code, why.reason));
        }
        let (mut socket, client) = pair().await;
        drop(client);
        assert_eq!(socket.receive().await, Err(Ended::Gone));
    }

    #[test]
    fn the_proof_is_that_of_the_standard() {
        assert_eq!(accept(b"dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    }
}
