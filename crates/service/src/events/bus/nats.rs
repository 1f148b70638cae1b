//! A NATS client for hints: one connection that subscribes and publishes to one subject, and nothing else.
//!
//! A task owns the socket. It passes on received messages, writes published ones, answers the server's PINGs and sends its
//! own. It ends with the connection, or with the [`NatsConnection`] that it serves.

mod protocol;
mod tls;
mod url;

use std::collections::VecDeque;
use std::time::Duration;

use model::{Error, Result};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::{Instant, MissedTickBehavior, interval_at, timeout};

use crate::events::bus::nats::protocol::{Info, Op, Parser};
pub use crate::events::bus::nats::url::NatsUrl;

/// How often a PING is sent, and how many answers may be missing.
const PING_EVERY: Duration = Duration::from_secs(20);
const MISSED_MAX: usize = 2;
/// How long the server may take to accept what is written.
const WRITE_TIME_MAX: Duration = Duration::from_secs(5);
/// Received messages that may wait to be read. If there are more, the connection is closed, as if it had broken.
const UNHEARD_MAX: usize = 1024;
/// Messages that may wait to be written. If there are more, the publisher waits.
const UNWRITTEN_MAX: usize = 16;
/// The one subscription.
const SID: u32 = 1;

/// A connection that receives and publishes.
pub struct NatsConnection {
    messages: mpsc::Receiver<Vec<u8>>,
    orders: mpsc::Sender<Order>,
    task: Option<JoinHandle<Result<()>>>,
}

enum Order {
    Publish(Vec<u8>),
    /// Answered once the server has all that was ordered before.
    Flush(oneshot::Sender<()>),
}

impl NatsConnection {
    /// Connects, and subscribes: messages that are published from now on are received.
    pub async fn connect(url: &NatsUrl, subject: &'static str) -> Result<Self> {
        let stream = TcpStream::connect((url.host(), url.port())).await.map_err(Error::unavailable)?;
        stream.set_nodelay(true).map_err(Error::unavailable)?;
        let mut connection = Connection::new(stream, subject);
        let info = connection.info().await?;
        if !url.is_tls() && !info.tls_required {
            return Self::open(connection, url).await;
        }
        // Bytes that arrived before the TLS handshake may have been sent by an attacker.
        if !connection.parser.buffer().is_empty() {
            return Err(Error::unavailable("the NATS server went on in the clear where it should encrypt"));
        }
        let stream = tls::encrypt(connection.stream, url).await?;
        Self::open(Connection::new(stream, subject), url).await
    }

    /// Continues after the server's greeting and, if it is required, the TLS handshake.
    async fn open<S>(mut connection: Connection<S>, url: &NatsUrl) -> Result<Self>
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        connection.greet(url).await?;
        let (heard, messages) = mpsc::channel(UNHEARD_MAX);
        let (orders, ordered) = mpsc::channel(UNWRITTEN_MAX);
        let task = tokio::spawn(connection.serve(heard, ordered));
        Ok(Self { messages, orders, task: Some(task) })
    }

    /// Returns the next message. It is cancel safe.
    pub async fn heard(&mut self) -> Result<Vec<u8>> {
        match self.messages.recv().await {
            Some(message) => Ok(message),
            None => Err(self.reason().await),
        }
    }

    /// Hands a message over to be written.
    pub async fn publish(&mut self, message: &[u8]) -> Result<()> {
        match self.orders.send(Order::Publish(message.to_vec())).await {
            Ok(()) => Ok(()),
            Err(_) => Err(self.reason().await),
        }
    }

    /// Closes the connection once the server has received all that was published.
    pub async fn close(mut self) -> Result<()> {
        let (done, is_done) = oneshot::channel();
        let ordered = self.orders.send(Order::Flush(done)).await;
        if ordered.is_ok() && is_done.await.is_ok() { Ok(()) } else { Err(self.reason().await) }
    }

    /// Returns why the connection is broken.
    async fn reason(&mut self) -> Error {
        match self.task.take() {
            Some(task) => match task.await {
                Ok(Err(error)) => error,
                Ok(Ok(())) => closed(),
                Err(error) => Error::fault(error),
            },
            None => closed(),
        }
    }
}

/// The socket, and the received bytes that are not parsed yet.
struct Connection<S> {
    stream: S,
    parser: Parser,
    subject: &'static str,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Connection<S> {
    fn new(stream: S, subject: &'static str) -> Self {
        Self { stream, parser: Parser::default(), subject }
    }

    /// Returns what the server says of itself: it speaks first.
    async fn info(&mut self) -> Result<Info> {
        match self.next().await? {
            Op::Info(info) => Ok(info),
            _ => Err(Error::unavailable("the server at nats_url does not greet like NATS")),
        }
    }

    /// Introduces this client to the server. The server has accepted everything once it answers the PING.
    async fn greet(&mut self, url: &NatsUrl) -> Result<()> {
        let hello = format!("{}SUB {} {SID}\r\nPING\r\n", protocol::connect(url), self.subject);
        self.write(hello.as_bytes()).await?;
        loop {
            match self.next().await? {
                Op::Pong => return Ok(()),
                Op::Ping => self.write(b"PONG\r\n").await?,
                Op::Error(said) => return Err(complaint(&said)),
                Op::Info(_) | Op::Ok | Op::Message(_) => {}
            }
        }
    }

    /// Reads and writes until the connection breaks, or the [`Order`] sender is dropped.
    async fn serve(mut self, heard: mpsc::Sender<Vec<u8>>, mut ordered: mpsc::Receiver<Order>) -> Result<()> {
        let mut pulse = interval_at(Instant::now() + PING_EVERY, PING_EVERY);
        pulse.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // For each unanswered PING, the flush that waits for the answer, if any.
        let mut pings: VecDeque<Option<oneshot::Sender<()>>> = VecDeque::new();
        loop {
            tokio::select! {
                op = self.next() => match op? {
                    Op::Message(message) => heard
                        .try_send(message)
                        .map_err(|_| Error::unavailable("hints from NATS came faster than they were taken"))?,
                    Op::Ping => self.write(b"PONG\r\n").await?,
                    Op::Pong => if let Some(Some(done)) = pings.pop_front() {
                        let _gave_up = done.send(());
                    },
                    Op::Error(said) => return Err(complaint(&said)),
                    Op::Info(_) | Op::Ok => {}
                },
                order = ordered.recv() => match order {
                    None => return Ok(()),
                    Some(Order::Publish(message)) => self.publish(&message).await?,
                    Some(Order::Flush(done)) => {
                        pings.push_back(Some(done));
                        self.write(b"PING\r\n").await?;
                    }
                },
                _ = pulse.tick() => {
                    if pings.len() >= MISSED_MAX {
                        return Err(Error::unavailable("the NATS server does not answer any more"));
                    }
                    pings.push_back(None);
                    self.write(b"PING\r\n").await?;
                }
            }
        }
    }

    async fn publish(&mut self, message: &[u8]) -> Result<()> {
        let head = format!("PUB {} {}\r\n", self.subject, message.len());
        self.write(&[head.as_bytes(), message, b"\r\n"].concat()).await
    }

    /// Returns the next message of the server. It is cancel safe.
    async fn next(&mut self) -> Result<Op> {
        loop {
            if let Some(op) = self.parser.next().map_err(Error::unavailable)? {
                return Ok(op);
            }
            let read = self.stream.read_buf(self.parser.buffer()).await.map_err(Error::unavailable)?;
            if read == 0 {
                return Err(closed());
            }
        }
    }

    async fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let write = async {
            self.stream.write_all(bytes).await?;
            self.stream.flush().await
        };
        match timeout(WRITE_TIME_MAX, write).await {
            Ok(written) => written.map_err(Error::unavailable),
            Err(_) => Err(Error::unavailable("the NATS server takes nothing any more")),
        }
    }
}

fn closed() -> Error {
    Error::unavailable("the NATS server closed the connection")
}

fn complaint(said: &str) -> Error {
    Error::unavailable(format!("the NATS server says: {said}"))
}

#[cfg(test)]
mod tests;
