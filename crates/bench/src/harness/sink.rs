//! A minimal receiver of webhooks: it reads a request to its end, records the time, and answers 204.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::harness::outcome::Outcome;

const ANSWER: &[u8] = b"HTTP/1.1 204 No Content\r\n\r\n";
const HEAD_END: &[u8] = b"\r\n\r\n";
const LENGTH: &[u8] = b"content-length: ";
/// The text before the number in a body.
const MARK: &[u8] = b"\"name\":\"w";
const BUFFER_BYTES: usize = 32 * 1024;

/// A listening receiver, on a thread of its own, so that it does not block the measuring thread.
pub struct Sink {
    pub address: SocketAddr,
    seen: Arc<Mutex<Seen>>,
}

#[derive(Default)]
struct Seen {
    count: usize,
    /// The delay before it answers.
    pause: Duration,
    /// When each marked body first arrived.
    marks: Vec<Option<Instant>>,
    /// The bytes of the first request, to send again.
    sample: Vec<u8>,
}

impl Sink {
    /// Listens until the process ends.
    pub fn listen() -> Outcome<Self> {
        let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let seen = Arc::new(Mutex::new(Seen::default()));
        let shared = Arc::clone(&seen);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        std::thread::Builder::new().name("sink".to_owned()).spawn(move || {
            runtime.block_on(async move {
                let Ok(listener) = TcpListener::from_std(listener) else { return };
                while let Ok((stream, _)) = listener.accept().await {
                    tokio::spawn(receive(stream, Arc::clone(&shared)));
                }
            });
        })?;
        Ok(Self { address, seen })
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the number of requests since the last reset.
    pub fn count(&self) -> usize {
        self.seen().count
    }

    /// Resets the counts, and from now on answers after a pause, as a receiver with work to do.
    pub fn reset(&self, pause: Duration) {
        let mut seen = self.seen();
        seen.pause = pause;
        seen.count = 0;
        seen.marks.clear();
    }

    /// Returns when the body with this mark first arrived.
    pub fn arrival(&self, mark: usize) -> Option<Instant> {
        self.seen().marks.get(mark).copied().flatten()
    }

    pub fn sample(&self) -> Vec<u8> {
        self.seen().sample.clone()
    }
}

async fn receive(mut stream: TcpStream, seen: Arc<Mutex<Seen>>) {
    let _best_effort = stream.set_nodelay(true);
    let mut buffer = vec![0; BUFFER_BYTES];
    let mut filled = 0;
    loop {
        match stream.read(&mut buffer[filled..]).await {
            Ok(read) if read > 0 => filled += read,
            _ => return,
        }
        while let Some(length) = request_length(&buffer[..filled]).filter(|length| *length <= filled) {
            let pause = seen.lock().unwrap_or_else(PoisonError::into_inner).note(&buffer[..length]);
            buffer.copy_within(length..filled, 0);
            filled -= length;
            if !pause.is_zero() {
                tokio::time::sleep(pause).await;
            }
            if stream.write_all(ANSWER).await.is_err() {
                return;
            }
        }
    }
}

impl Seen {
    /// Records a request, and returns how long to delay the answer.
    fn note(&mut self, request: &[u8]) -> Duration {
        self.count += 1;
        if self.sample.is_empty() {
            self.sample = request.to_vec();
        }
        let Some(mark) = mark(request) else { return self.pause };
        if self.marks.len() <= mark {
            self.marks.resize(mark + 1, None);
        }
        self.marks[mark].get_or_insert_with(Instant::now);
        self.pause
    }
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    text.windows(what.len()).position(|window| window == what)
}

fn number(text: &[u8]) -> usize {
    text.iter()
        .take_while(|byte| byte.is_ascii_digit())
        .fold(0, |sum, digit| sum * 10 + usize::from(digit - b'0'))
}

/// Returns the length of a request from its beginning, once its head is complete.
fn request_length(start: &[u8]) -> Option<usize> {
    let head = find(start, HEAD_END)? + HEAD_END.len();
    let body = find(&start[..head], LENGTH).map_or(0, |at| number(&start[at + LENGTH.len()..]));
    Some(head + body)
}

fn mark(request: &[u8]) -> Option<usize> {
    find(request, MARK).map(|at| number(&request[at + MARK.len()..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_as_long_as_its_head_says_and_carries_its_mark() {
        let request = b"POST / HTTP/1.1\r\ncontent-length: 14\r\n\r\n{\"name\":\"w42\"}rest";
        assert_eq!(request_length(request), Some(request.len() - 4));
        assert_eq!(mark(request), Some(42));
        assert_eq!(request_length(&request[..20]), None);
    }
}
