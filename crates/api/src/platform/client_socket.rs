//! A client's socket as hyper reads and writes it. Heads are checked before hyper sees them, and a client that does
//! not read its answers is disconnected.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use model::Problem;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::sync::{OwnedSemaphorePermit, oneshot};
use tokio::time::{Sleep, sleep};

use crate::platform::intake::{Intake, Stance};

/// Replaces a request whose head was refused. hyper parses it instead of that request.
const PLACEHOLDER: &[u8] = b"REFUSED / HTTP/1.1\r\nHost: refused\r\nConnection: close\r\n\r\n";
/// Bytes that a blocked client must read in each write time.
const PROGRESS_BYTES_MIN: usize = 16 * 1024;
/// The kernel's send buffer for a client that does not read. It also bounds how much the client must read before the
/// server notices progress.
const SEND_BUFFER_BYTES: usize = 256 * 1024;

/// The refusal of a head, and the index of the request on its connection, counted from zero.
pub type Refusal = Arc<OnceLock<(u64, Problem)>>;

/// A client's socket. When hyper drops it, the socket returns to the task that serves the connection.
pub struct ClientSocket {
    /// Present until the socket is dropped or taken.
    stream: Option<TcpStream>,
    descriptor: Option<OwnedSemaphorePermit>,
    back: Option<oneshot::Sender<Returned>>,
    intake: Intake,
    refusal: Refusal,
    /// Bytes of an incomplete head, or bytes behind a handshake.
    held: BytesMut,
    /// Bytes that hyper may read and has not read yet.
    passed: BytesMut,
    pace: WritePace,
}

/// A socket that hyper has finished with.
pub struct Returned {
    pub stream: TcpStream,
    /// Whether the client had sent part of a head.
    pub is_mid_head: bool,
    /// Whether the client was disconnected because it did not read.
    pub is_stalled: bool,
    /// The permit for the socket's descriptor.
    _descriptor: Option<OwnedSemaphorePermit>,
}

/// A socket that leaves HTTP, with the bytes that the client has sent on it already.
pub struct Raw {
    pub stream: TcpStream,
    pub sent: Bytes,
    pub descriptor: Option<OwnedSemaphorePermit>,
}

impl ClientSocket {
    /// Makes the socket. `write_time` is how long it may be blocked before the client must have read some bytes.
    pub fn new(
        stream: TcpStream,
        descriptor: OwnedSemaphorePermit,
        write_time: Duration,
    ) -> (Self, Refusal, oneshot::Receiver<Returned>) {
        // Best effort: the socket also works without these options.
        let _small_answers_do_not_wait = stream.set_nodelay(true);
        let _bounded = rustix::net::sockopt::set_socket_send_buffer_size(&stream, SEND_BUFFER_BYTES);
        limit_unacknowledged(&stream, write_time);
        let (back, returned) = oneshot::channel();
        let refusal = Refusal::default();
        let socket = Self {
            stream: Some(stream),
            descriptor: Some(descriptor),
            back: Some(back),
            intake: Intake::new(),
            refusal: Arc::clone(&refusal),
            held: BytesMut::new(),
            passed: BytesMut::new(),
            pace: WritePace::new(write_time),
        };
        (socket, refusal, returned)
    }

    /// Takes the socket out, for a connection that leaves HTTP.
    pub fn into_raw(mut self) -> Option<Raw> {
        let stream = self.stream.take()?;
        let mut sent = std::mem::take(&mut self.passed);
        sent.extend_from_slice(&self.held);
        Some(Raw { stream, sent: sent.freeze(), descriptor: self.descriptor.take() })
    }

    fn stream(&mut self) -> io::Result<Pin<&mut TcpStream>> {
        self.stream.as_mut().map(Pin::new).ok_or_else(|| io::ErrorKind::NotConnected.into())
    }

    /// Checks the bytes that were just read into `into`, beyond its first `before` bytes, and leaves only those that
    /// hyper may read.
    fn check(&mut self, into: &mut ReadBuf<'_>, before: usize) {
        let read = &into.filled()[before..];
        let refusal;
        if self.held.is_empty() {
            let verdict = self.intake.admit(read);
            self.held.extend_from_slice(&read[verdict.passed..]);
            into.set_filled(before + verdict.passed);
            refusal = verdict.refusal;
        } else {
            self.held.extend_from_slice(read);
            into.set_filled(before);
            let verdict = self.intake.admit(&self.held);
            self.passed = self.held.split_to(verdict.passed);
            if self.held.is_empty() {
                self.held = BytesMut::new();
            }
            refusal = verdict.refusal;
        }
        if let Some(problem) = refusal {
            let _first = self.refusal.set((self.intake.heads(), problem));
            self.held = BytesMut::new();
            self.passed.extend_from_slice(PLACEHOLDER);
        }
    }

    /// Passes on the outcome of a write. A write that stays blocked for too long fails.
    fn paced(
        &mut self,
        context: &mut Context<'_>,
        outcome: Poll<io::Result<usize>>,
        bytes: usize,
    ) -> Poll<io::Result<usize>> {
        match outcome {
            Poll::Ready(Ok(written)) => self.pace.advance(written, bytes),
            Poll::Ready(Err(_)) => {}
            Poll::Pending if self.pace.is_over(context) => {
                if let Some(stream) = &self.stream {
                    // The kernel need not keep bytes that the client will not read.
                    let _best_effort = stream.set_zero_linger();
                }
                return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
            }
            Poll::Pending => {}
        }
        outcome
    }
}

/// Makes the kernel give up a connection whose client acknowledges nothing, also after the server has closed it.
#[cfg(target_os = "linux")]
fn limit_unacknowledged(stream: &TcpStream, write_time: Duration) {
    let millis = u32::try_from(2 * write_time.as_millis()).unwrap_or(u32::MAX);
    let _best_effort = rustix::net::sockopt::set_tcp_user_timeout(stream, millis);
}

#[cfg(not(target_os = "linux"))]
fn limit_unacknowledged(_stream: &TcpStream, _write_time: Duration) {}

impl Drop for ClientSocket {
    fn drop(&mut self) {
        if let (Some(stream), Some(back)) = (self.stream.take(), self.back.take()) {
            let returned = Returned {
                stream,
                is_mid_head: self.held.iter().any(|byte| !matches!(byte, b'\r' | b'\n')),
                is_stalled: self.pace.is_stalled,
                _descriptor: self.descriptor.take(),
            };
            // If the task has ended already, the socket closes here.
            let _closed = back.send(returned);
        }
    }
}

impl AsyncRead for ClientSocket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        into: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            if !self.passed.is_empty() {
                let length = self.passed.len().min(into.remaining());
                into.put_slice(&self.passed.split_to(length));
                if self.passed.is_empty() {
                    self.passed = BytesMut::new();
                }
                return Poll::Ready(Ok(()));
            }
            match self.intake.stance() {
                Stance::Reads => {}
                Stance::Waits => return Poll::Pending,
                Stance::Ends => return Poll::Ready(Ok(())),
            }
            let before = into.filled().len();
            ready!(self.stream()?.poll_read(context, into))?;
            if into.filled().len() == before {
                return Poll::Ready(Ok(()));
            }
            self.check(into, before);
            if into.filled().len() > before {
                return Poll::Ready(Ok(()));
            }
        }
    }
}

impl AsyncWrite for ClientSocket {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let outcome = self.stream()?.poll_write(context, bytes);
        self.paced(context, outcome, bytes.len())
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = self.stream()?.poll_write_vectored(context, slices);
        self.paced(context, outcome, slices.iter().map(|slice| slice.len()).sum())
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.as_ref().is_some_and(AsyncWrite::is_write_vectored)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream()?.poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.stream()?.poll_shutdown(context)
    }
}

/// Measures whether a blocked client reads its answer.
struct WritePace {
    time: Duration,
    /// Runs while the client is behind.
    timer: Option<Pin<Box<Sleep>>>,
    /// Bytes that the client has read since the timer started.
    bytes: usize,
    is_stalled: bool,
}

impl WritePace {
    fn new(time: Duration) -> Self {
        Self { time, timer: None, bytes: 0, is_stalled: false }
    }

    /// Records a write of `written` out of `offered` bytes.
    fn advance(&mut self, written: usize, offered: usize) {
        self.bytes += written;
        if written == offered || self.bytes >= PROGRESS_BYTES_MIN {
            (self.timer, self.bytes) = (None, 0);
        }
    }

    /// Returns whether the client's time is over. If not, the task is woken when it is.
    fn is_over(&mut self, context: &mut Context<'_>) -> bool {
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep(self.time)));
        self.is_stalled = timer.as_mut().poll(context).is_ready();
        self.is_stalled
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;
    use tokio::sync::Semaphore;
    use tokio::time::{Instant, timeout};

    use super::*;

    const TIME: Duration = Duration::from_millis(300);
    /// More than the kernels buffer on both sides.
    const LARGE: usize = 16 * 1024 * 1024;

    async fn pair() -> (ClientSocket, oneshot::Receiver<Returned>, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let client = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let (stream, _) = listener.accept().await.unwrap();
        let descriptor = Arc::new(Semaphore::new(1)).acquire_owned().await.unwrap();
        let (socket, _, returned) = ClientSocket::new(stream, descriptor, TIME);
        (socket, returned, client)
    }

    #[tokio::test]
    async fn a_client_that_reads_nothing_is_cut_off() {
        let (mut socket, mut returned, mut client) = pair().await;
        let began = Instant::now();
        let error = socket.write_all(&vec![0; LARGE]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(began.elapsed() >= TIME);
        drop(socket);
        let returned = returned.try_recv().unwrap();
        assert!(returned.is_stalled);
        drop(returned);
        let mut rest = Vec::new();
        let end = timeout(10 * TIME, client.read_to_end(&mut rest)).await.expect("an end");
        assert!(end.is_err(), "the kernel has kept the rest for a client that does not read");
    }

    #[tokio::test]
    async fn a_client_that_reads_slowly_gets_everything() {
        let (mut socket, _returned, mut client) = pair().await;
        let began = Instant::now();
        let answer = vec![0; LARGE / 4];
        let (sent, read) = tokio::join!(socket.write_all(&answer), async {
            let mut some = vec![0; 512 * 1024];
            for _ in 0..8 {
                tokio::time::sleep(TIME / 3).await;
                client.read_exact(&mut some).await.unwrap();
            }
        });
        assert!(began.elapsed() > 2 * TIME, "it was not slow");
        assert_eq!((sent.is_ok(), read), (true, ()));
    }
}
