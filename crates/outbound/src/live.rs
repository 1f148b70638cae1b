//! One connection of HTTP/1.1, and one exchange on it at a time.
//!
//! The task that waits for the answer drives the connection, which has no task of its own. So no message is handed over
//! between tasks, and dropping the wait closes the socket at once, at any point of the exchange.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Incoming};
use hyper::client::conn::http1::{Builder, Connection, SendRequest};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};
use tokio_rustls::client::TlsStream;

use super::failure::{Failure, Phase};
use super::response::Response;

/// The largest head of an answer, in bytes.
pub const HEAD_BYTES_MAX: usize = 64 * 1024;

/// Takes the pieces of a body while they arrive.
pub type Sink<'a> = dyn FnMut(&[u8]) -> io::Result<()> + Send + 'a;

type Message = http::Request<Full<Bytes>>;

/// A connection that takes the next message now, or has ended for good.
pub struct Live {
    sender: SendRequest<Full<Bytes>>,
    line: Exchange,
    pub began: Instant,
}

/// The I/O half of a connection: it reads and writes when polled.
struct Exchange {
    /// `None` once it has ended. Dropping hyper's connection returns the message that it did not send.
    kind: Option<Kind>,
}

enum Kind {
    Plain(Box<Connection<TokioIo<TcpStream>, Full<Bytes>>>),
    Tls(Box<Connection<TokioIo<TlsStream<TcpStream>>, Full<Bytes>>>),
}

/// Why an exchange has no answer.
pub enum Trouble {
    /// Nothing of the message was written, so it may be sent again elsewhere.
    Unsent(Box<Message>, Failure),
    Failed(Failure),
}

impl Trouble {
    pub fn failure(self) -> Failure {
        match self {
            Self::Unsent(_, failure) | Self::Failed(failure) => failure,
        }
    }
}

impl Live {
    pub async fn plain(socket: TcpStream) -> Result<Self, Failure> {
        let (sender, line) = builder().handshake(TokioIo::new(socket)).await.map_err(|e| broken(&e))?;
        Ok(Self::new(sender, Kind::Plain(Box::new(line))))
    }

    pub async fn tls(stream: TlsStream<TcpStream>) -> Result<Self, Failure> {
        let (sender, line) = builder().handshake(TokioIo::new(stream)).await.map_err(|e| broken(&e))?;
        Ok(Self::new(sender, Kind::Tls(Box::new(line))))
    }

    fn new(sender: SendRequest<Full<Bytes>>, kind: Kind) -> Self {
        Self { sender, line: Exchange { kind: Some(kind) }, began: Instant::now() }
    }

    /// Whether the connection could take another message.
    pub fn is_ready(&self) -> bool {
        self.line.kind.is_some() && self.sender.is_ready()
    }

    /// Sends the message, and passes the body of an answer with status 200 on while it arrives. Other bodies are kept.
    /// Fails if the other side is silent for `limit`.
    pub async fn download(
        &mut self,
        message: Message,
        keep_max: usize,
        sink: &mut Sink<'_>,
        limit: Duration,
    ) -> Result<Response, Failure> {
        let silent = |phase| move |_| Failure::Timeout { phase, limit };
        let answer = self.sender.try_send_request(message);
        let answer = timeout(limit, self.line.drive(answer)).await.map_err(silent(Phase::Head))?;
        let answer = answer.map_err(|error| broken(error.error()))?;
        let (head, mut body) = answer.into_parts();
        let status = head.status.as_u16();
        if status != 200 {
            let read = timeout(limit, self.read(body, keep_max)).await;
            let (body, is_truncated) = read.map_err(silent(Phase::Body))??;
            return Ok(Response { status, headers: head.headers, body, is_truncated });
        }
        while let Some(frame) =
            timeout(limit, self.line.drive(body.frame())).await.map_err(silent(Phase::Body))?
        {
            let Ok(data) = frame.map_err(|error| broken(&error))?.into_data() else { continue };
            sink(&data).map_err(|error| Failure::Broken {
                cause: format!("What was read can't be kept: {error}"),
            })?;
        }
        Ok(Response { status, headers: head.headers, body: Bytes::new(), is_truncated: false })
    }

    /// Sends the message and reads its answer.
    pub async fn exchange(
        &mut self,
        message: Message,
        keep_max: usize,
        phase: &mut Phase,
    ) -> Result<Response, Trouble> {
        *phase = Phase::Head;
        // hyper reads before it writes: if the other side has closed a kept connection, or has sent something unasked, the
        // connection ends here and the message comes back.
        let answer = self.sender.try_send_request(message);
        let answer = self.line.drive(answer).await.map_err(|mut error| {
            let failure = broken(error.error());
            match error.take_message() {
                Some(unsent) => Trouble::Unsent(Box::new(unsent), failure),
                None => Trouble::Failed(failure),
            }
        })?;
        *phase = Phase::Body;
        let (head, body) = answer.into_parts();
        let (body, is_truncated) = self.read(body, keep_max).await.map_err(Trouble::Failed)?;
        if !is_truncated {
            // This poll lets hyper notice the end of the answer, and whether the connection can be used again.
            self.line.look().await;
        }
        Ok(Response { status: head.status.as_u16(), headers: head.headers, body, is_truncated })
    }

    /// Reads the body to its end, or until there is more than is kept. It is copied, so that the kept part does not hold the
    /// larger buffers in which it arrived.
    async fn read(&mut self, mut body: Incoming, keep_max: usize) -> Result<(Bytes, bool), Failure> {
        let expected = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
        let mut kept = BytesMut::with_capacity(expected.min(keep_max).min(HEAD_BYTES_MAX));
        while let Some(frame) = self.line.drive(body.frame()).await {
            let Ok(data) = frame.map_err(|error| broken(&error))?.into_data() else { continue };
            let room = keep_max - kept.len();
            kept.extend_from_slice(&data[..data.len().min(room)]);
            if data.len() > room {
                return Ok((kept.freeze(), true));
            }
        }
        Ok((kept.freeze(), false))
    }
}

impl Exchange {
    fn poll(&mut self, context: &mut Context<'_>) {
        // The connection's own result is not needed: the future that waits for the answer returns the error.
        let is_over = match &mut self.kind {
            Some(Kind::Plain(line)) => Pin::new(line).poll(context).is_ready(),
            Some(Kind::Tls(line)) => Pin::new(line).poll(context).is_ready(),
            None => false,
        };
        if is_over {
            self.kind = None;
        }
    }

    /// Polls the connection once, without waiting.
    async fn look(&mut self) {
        poll_fn(|context| {
            self.poll(context);
            Poll::Ready(())
        })
        .await;
    }

    /// Polls the connection until the awaited future, which depends on it, is ready.
    async fn drive<T>(&mut self, awaited: impl Future<Output = T>) -> T {
        let mut awaited = pin!(awaited);
        poll_fn(|context| {
            self.poll(context);
            awaited.as_mut().poll(context)
        })
        .await
    }
}

fn builder() -> Builder {
    let mut builder = Builder::new();
    builder.max_buf_size(HEAD_BYTES_MAX).max_header_size(HEAD_BYTES_MAX);
    builder
}

/// Returns what went wrong on a connection, for a person.
fn broken(error: &hyper::Error) -> Failure {
    let cause = if error.is_parse_too_large() {
        format!("The answer's head is larger than {} KiB or has too many fields", HEAD_BYTES_MAX / 1024)
    } else if error.is_parse() {
        "The answer is not HTTP/1.1".to_owned()
    } else if error.is_incomplete_message() {
        "The connection was closed before the answer was complete".to_owned()
    } else {
        use std::error::Error;
        let cause = error.source().map_or_else(|| error.to_string(), ToString::to_string);
        format!("The connection broke before the answer was complete: {cause}")
    };
    Failure::Broken { cause }
}
