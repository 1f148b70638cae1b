//! Connections by a response that does not end: lines of JSON or Protobuf, or server-sent events. What the client
//! says later comes through `/emulation`, or not at all.

use bytes::{Bytes, BytesMut};
use http::{HeaderName, HeaderValue, header};
use model::Result;
use realtime::code::Disconnect;
use realtime::frame::{Codec, Frame};
use realtime::session::Transport;
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::time::timeout;
use tracing::Instrument;

use super::drive::{Ended, Socket, WRITE_TIME, drive};
use crate::access::call::Call;
use crate::platform::response::{Body, Response};

const BUFFERING: HeaderName = HeaderName::from_static("x-accel-buffering");
const CACHING: HeaderValue =
    HeaderValue::from_static("private, no-cache, no-store, must-revalidate, max-age=0");

/// What stands around each frame.
#[derive(Clone, Copy)]
enum Framing {
    /// A newline after each.
    Lines,
    /// Nothing: each message has its length before it.
    Lengths,
    Events,
}

/// Answers with a stream, which begins with what becomes of the connect command.
pub fn connect(
    call: &Call,
    permit: OwnedSemaphorePermit,
    transport: Transport,
    command: Bytes,
) -> Result<Response> {
    let framing = match transport.codec() {
        _ if transport.is_sse() => Framing::Events,
        Codec::Json => Framing::Lines,
        Codec::Protobuf => Framing::Lengths,
    };
    // One frame at a time: what the client does not take waits in its outbox, where it is counted.
    let (sender, receiver) = mpsc::channel(1);
    if let Framing::Events = framing {
        // Some proxies and browsers wait for a first byte.
        let _has_room = sender.try_send(Bytes::from_static(b"\r\n"));
    }
    let service = call.service().clone();
    let driver = async move {
        let mut connection = service.streams.open_stream(transport);
        connection.receive(service.context.now().as_millis(), command);
        drive(&service, connection, Streaming { sender, framing }).await;
        drop(permit);
    };
    tokio::spawn(driver.in_current_span());
    let mut response = http::Response::new(Body::Stream(receiver));
    let media_type = match framing {
        Framing::Lines => "application/json",
        Framing::Lengths => "application/octet-stream",
        Framing::Events => "text/event-stream",
    };
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    headers.insert(header::CACHE_CONTROL, CACHING);
    headers.insert(BUFFERING, HeaderValue::from_static("no"));
    Ok(response)
}

struct Streaming {
    sender: mpsc::Sender<Bytes>,
    framing: Framing,
}

impl Streaming {
    fn framed(&self, frame: Frame) -> Bytes {
        let (before, after): (&[u8], &[u8]) = match self.framing {
            Framing::Lines => (b"", b"\n"),
            Framing::Lengths => return frame.into_bytes(),
            Framing::Events => (b"data: ", b"\n\n"),
        };
        let mut whole = BytesMut::with_capacity(before.len() + frame.bytes() + after.len());
        whole.extend_from_slice(before);
        whole.extend_from_slice(frame.as_ref());
        whole.extend_from_slice(after);
        whole.freeze()
    }
}

impl Socket for Streaming {
    async fn send(&mut self, frame: Frame) -> Result<(), Disconnect> {
        match timeout(WRITE_TIME, self.sender.send(self.framed(frame))).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) | Err(_) => Err(Disconnect::WRITE_ERROR),
        }
    }

    async fn receive(&mut self) -> Result<Bytes, Ended> {
        self.sender.closed().await;
        Err(Ended::Gone)
    }

    /// The reason was the last message; the end of the response is the rest.
    async fn close(self, _why: Disconnect) {}
}
