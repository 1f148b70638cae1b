//! Load: connections that each send a request, wait for its answer, and send the next.
//!
//! The bytes of the requests are prepared once, and only the status and the length of an answer are parsed: the
//! client's processor time is taken from both sides of a comparison.

use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::harness::outcome::Outcome;

/// Space for an answer's head and a whole page of locations.
const BUFFER_BYTES: usize = 64 * 1024;
const HEAD_END: &[u8] = b"\r\n\r\n";
const LENGTH: &[u8] = b"\r\ncontent-length: ";

/// Requests to send one after the other, and the address to send them to.
#[derive(Clone)]
pub struct Target {
    pub address: SocketAddr,
    pub requests: Arc<[Bytes]>,
}

/// How long a server is measured, and how long it is warmed up before, to open connections and fill caches.
#[derive(Clone, Copy)]
pub struct Turn {
    pub warm: Duration,
    pub time: Duration,
}

/// The results of a turn.
#[derive(Clone, Copy)]
pub struct Figures {
    pub per_second: f64,
    pub latency: Option<Latency>,
    /// Processor time of the server per request, of all its threads, including the kernel's.
    pub cpu_micros: Option<f64>,
}

/// The median and the 99th percentile of the requests' durations.
#[derive(Clone, Copy)]
pub struct Latency {
    pub p50_micros: u32,
    pub p99_micros: u32,
}

/// Sends requests over `connections` connections for a turn. Any answer but a success ends it. `cpu` returns the
/// server's processor time so far, which other processes on the machine hardly affect.
pub async fn drive(
    target: &Target,
    connections: usize,
    turn: Turn,
    cpu: impl Fn() -> Outcome<Duration>,
) -> Outcome<Figures> {
    let mut senders = Vec::with_capacity(connections);
    for place in 0..connections {
        // Each connection begins at another request, so that they don't all send the same one at once.
        let first = place * target.requests.len() / connections;
        senders.push(Sender::connect(target, first).await?);
    }
    let spent = cpu()?;
    let from = Instant::now() + turn.warm;
    let until = from + turn.time;
    let mut tasks = JoinSet::new();
    for sender in senders {
        tasks.spawn(sender.repeat(from, until));
    }
    let (mut micros, mut requests) = (Vec::new(), 0);
    while let Some(done) = tasks.join_next().await {
        let mut sent = done??;
        micros.append(&mut sent.micros);
        requests += sent.requests;
    }
    let spent = cpu()? - spent;
    if micros.is_empty() {
        return Err("no request was answered in a whole turn".into());
    }
    micros.sort_unstable();
    let at = |share: usize| micros[(micros.len() - 1) * share / 100];
    let latency = Latency { p50_micros: at(50), p99_micros: at(99) };
    Ok(Figures {
        per_second: micros.len() as f64 / turn.time.as_secs_f64(),
        latency: Some(latency),
        cpu_micros: Some(spent.as_secs_f64() * 1e6 / requests as f64),
    })
}

/// Sends the first request once, and returns the bytes of the answer, head and body.
pub async fn ask(target: &Target) -> io::Result<Vec<u8>> {
    let mut sender = Sender::connect(target, 0).await?;
    let length = sender.exchange().await?;
    Ok(sender.buffer[..length].to_vec())
}

/// A request that was sent on schedule, and answered.
pub struct Sent {
    pub began: Instant,
    pub ended: Instant,
}

/// Sends each of the requests once, one after the other, and returns how many.
pub async fn each(target: &Target) -> Outcome<usize> {
    answers(target, |_| Ok(())).await?;
    Ok(target.requests.len())
}

/// Sends each of the requests once, and passes each answer to `show`.
pub async fn answers(target: &Target, mut show: impl FnMut(&[u8]) -> Outcome<()>) -> Outcome<()> {
    let mut sender = Sender::connect(target, 0).await?;
    for _ in 0..target.requests.len() {
        let length = sender.exchange().await?;
        show(&sender.buffer[..length])?;
    }
    Ok(())
}

/// Sends the requests at a fixed rate, in turn over the connections, each at its scheduled time whether or not those
/// before it are answered. If an answer is late, the next request on its connection is late too, and its time counts
/// from the schedule. Returns the result of each, in order.
pub async fn pace(
    address: SocketAddr,
    requests: Rc<Vec<Bytes>>,
    connections: usize,
    per_second: usize,
) -> Outcome<Vec<Sent>> {
    let start = Instant::now() + Duration::from_millis(20);
    let gap = Duration::from_secs(1) / u32::try_from(per_second)?;
    let mut tasks = JoinSet::new();
    for place in 0..connections {
        let mine: Vec<Bytes> = requests.iter().skip(place).step_by(connections).cloned().collect();
        tasks.spawn_local(async move {
            let mut sender = Sender::connect(&Target { address, requests: mine.into() }, 0).await?;
            let mut sent = Vec::new();
            for turn in 0..sender.requests.len() {
                let number = turn * connections + place;
                let began = start + gap * u32::try_from(number).unwrap_or(u32::MAX);
                tokio::time::sleep_until(began.into()).await;
                sender.exchange().await?;
                sent.push((number, Sent { began, ended: Instant::now() }));
            }
            Ok::<_, io::Error>(sent)
        });
    }
    let mut all = Vec::new();
    while let Some(done) = tasks.join_next().await {
        all.extend(done??);
    }
    all.sort_unstable_by_key(|(number, _)| *number);
    Ok(all.into_iter().map(|(_, sent)| sent).collect())
}

/// The results of one connection.
struct Repeated {
    /// All requests, including those of the warm-up.
    requests: usize,
    /// The duration of each request that counts.
    micros: Vec<u32>,
}

struct Sender {
    stream: TcpStream,
    requests: Arc<[Bytes]>,
    /// The index of the next request.
    next: usize,
    buffer: Vec<u8>,
}

impl Sender {
    async fn connect(target: &Target, first: usize) -> io::Result<Self> {
        let stream = TcpStream::connect(target.address).await?;
        stream.set_nodelay(true)?;
        let requests = Arc::clone(&target.requests);
        Ok(Self { stream, requests, next: first, buffer: vec![0; BUFFER_BYTES] })
    }

    /// Repeats the requests, and counts those that are answered between the two times.
    async fn repeat(mut self, from: Instant, until: Instant) -> io::Result<Repeated> {
        let (mut requests, mut micros) = (0, Vec::new());
        let mut began = Instant::now();
        while began < until {
            self.exchange().await?;
            let ended = Instant::now();
            requests += 1;
            if (from..until).contains(&ended) {
                micros.push(u32::try_from((ended - began).as_micros()).unwrap_or(u32::MAX));
            }
            began = ended;
        }
        Ok(Repeated { requests, micros })
    }

    /// Sends the next request, reads the answer into the buffer, and returns its length.
    async fn exchange(&mut self) -> io::Result<usize> {
        self.stream.write_all(&self.requests[self.next]).await?;
        self.next = (self.next + 1) % self.requests.len();
        let mut filled = 0;
        let mut length = None;
        loop {
            let read = self.stream.read(&mut self.buffer[filled..]).await?;
            if read == 0 {
                return Err(io::Error::other("the server hung up, or its answer is too long"));
            }
            filled += read;
            if length.is_none() {
                length = answer_length(&self.buffer[..filled])?;
            }
            if length.is_some_and(|length| filled >= length) {
                return Ok(filled);
            }
        }
    }
}

/// Returns the length of an answer from its beginning, once its head is complete.
fn answer_length(start: &[u8]) -> io::Result<Option<usize>> {
    let find = |what: &[u8]| start.windows(what.len()).position(|window| window == what);
    let Some(head_end) = find(HEAD_END) else { return Ok(None) };
    if !start.starts_with(b"HTTP/1.1 2") {
        let text = String::from_utf8_lossy(start);
        return Err(io::Error::other(format!("the answer was no success: {text}")));
    }
    if start.starts_with(b"HTTP/1.1 204") {
        return Ok(Some(head_end + HEAD_END.len()));
    }
    let digits =
        find(LENGTH).map(|at| start[at + LENGTH.len()..].iter().take_while(|byte| byte.is_ascii_digit()));
    let Some(digits) = digits else { return Err(io::Error::other("the answer has no length")) };
    let body = digits.fold(0, |sum, digit| sum * 10 + usize::from(digit - b'0'));
    Ok(Some(head_end + HEAD_END.len() + body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_as_long_as_its_head_says() {
        let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 12\r\ndate: now\r\n\r\n{\"a\"";
        assert_eq!(answer_length(answer).unwrap(), Some(answer.len() - 4 + 12));
        assert_eq!(answer_length(&answer[..40]).unwrap(), None);
    }

    #[test]
    fn a_refusal_ends_the_measurement() {
        let error =
            answer_length(b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\n\r\n").unwrap_err();
        assert!(error.to_string().contains("503"), "{error}");
    }
}
