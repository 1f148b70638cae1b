//! Minimal clients of streams: they only read, and count the publications.

use std::cell::{Cell, RefCell};
use std::io;
use std::net::SocketAddr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use memchr::memmem;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::harness::outcome::Outcome;

/// A text that each publication contains once, and the text before a location's name.
const MARK: &[u8] = b"\"pub\":";
const NAME: &[u8] = b"\"name\":\"w";
/// One buffer for all clients: the bytes of each read are counted at once.
const BUFFER_BYTES: usize = 256 * 1024;
const HANDSHAKE: &str = "GET /connection/websocket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\n\
                         Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                         Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n";
/// The server's ping in a frame of its own, and the answer, masked with zeroes.
const PING: &[u8] = b"\x81\x02{}";
const PONG: &[u8] = b"\x81\x82\0\0\0\0{}";
/// Handshakes in progress at once.
const OPENING_MAX: usize = 64;
const LOOK_EVERY: Duration = Duration::from_millis(1);
const WAIT_MAX: Duration = Duration::from_secs(60);

/// Connected clients. Dropping it disconnects them.
pub struct Listeners {
    seen: Rc<Seen>,
    _tasks: JoinSet<()>,
}

struct Seen {
    publications: Cell<usize>,
    gone: Cell<usize>,
    buffer: RefCell<Vec<u8>>,
    /// When the location with each mark was first received.
    arrivals: RefCell<Vec<Option<Instant>>>,
}

impl Listeners {
    /// Connects `count` clients. If there is a token, each sends a connect command with it.
    pub async fn connect(address: SocketAddr, count: usize, token: Option<&str>) -> Outcome<Self> {
        let seen = Rc::new(Seen {
            publications: Cell::new(0),
            gone: Cell::new(0),
            buffer: RefCell::new(vec![0; BUFFER_BYTES]),
            arrivals: RefCell::default(),
        });
        let mut opening = JoinSet::new();
        let mut tasks = JoinSet::new();
        for _ in 0..count {
            if opening.len() >= OPENING_MAX {
                listen(&mut tasks, &seen, opening.join_next().await);
            }
            opening.spawn_local(open(address, token.map(str::to_owned)));
        }
        while let Some(opened) = opening.join_next().await {
            listen(&mut tasks, &seen, Some(opened));
        }
        if tasks.len() < count {
            return Err(format!("only {} of {count} clients could connect", tasks.len()).into());
        }
        Ok(Self { seen, _tasks: tasks })
    }

    /// Resets the counts, and makes space for `marks` marks.
    pub fn reset(&self, marks: usize) {
        self.seen.publications.set(0);
        *self.seen.arrivals.borrow_mut() = vec![None; marks];
    }

    /// Waits until all clients together have received this number of publications.
    pub async fn wait(&self, publications: usize) -> Outcome<()> {
        let began = Instant::now();
        while self.seen.publications.get() < publications {
            let (came, gone) = (self.seen.publications.get(), self.seen.gone.get());
            if gone > 0 || began.elapsed() > WAIT_MAX {
                return Err(format!(
                    "{came} of {publications} publications came; {gone} clients were cut off"
                )
                .into());
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
        Ok(())
    }

    /// Returns when the locations arrived, in the order of their marks.
    pub fn arrivals(&self) -> Vec<Option<Instant>> {
        self.seen.arrivals.borrow().clone()
    }
}

fn listen(
    tasks: &mut JoinSet<()>,
    seen: &Rc<Seen>,
    opened: Option<Result<io::Result<TcpStream>, tokio::task::JoinError>>,
) {
    if let Some(Ok(Ok(stream))) = opened {
        tasks.spawn_local(read(stream, Rc::clone(seen)));
    }
}

async fn open(address: SocketAddr, token: Option<String>) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    stream.write_all(HANDSHAKE.as_bytes()).await?;
    read_until(&mut stream, b"\r\n\r\n").await?;
    if let Some(token) = token {
        let hello = format!(r#"{{"id":1,"connect":{{"token":"{token}"}}}}"#);
        stream.write_all(&text_frame(hello.as_bytes())).await?;
        read_until(&mut stream, b"\"ping\":25").await?;
    }
    Ok(stream)
}

async fn read_until(stream: &mut TcpStream, end: &[u8]) -> io::Result<()> {
    let mut got = Vec::new();
    let mut some = [0; 4096];
    while memmem::find(&got, end).is_none() {
        let read = stream.read(&mut some).await?;
        if read == 0 {
            return Err(io::Error::other(String::from_utf8_lossy(&got).into_owned()));
        }
        got.extend_from_slice(&some[..read]);
    }
    Ok(())
}

/// Returns a client's frame, masked with zeroes.
fn text_frame(payload: &[u8]) -> Vec<u8> {
    let length = u16::try_from(payload.len()).unwrap_or(u16::MAX).to_be_bytes();
    let mut frame = vec![0x81, 0x80 | 126, length[0], length[1], 0, 0, 0, 0];
    frame.extend_from_slice(payload);
    frame
}

/// Counts publications and answers pings, until the server closes the connection.
async fn read(stream: TcpStream, seen: Rc<Seen>) {
    // The end of the last read, because a mark may be split between two reads.
    let mut tail: Vec<u8> = Vec::new();
    while stream.readable().await.is_ok() {
        let mut buffer = seen.buffer.borrow_mut();
        match stream.try_read(&mut buffer[..]) {
            Ok(0) => break,
            Ok(length) => {
                count(&seen, &mut tail, &buffer[..length]);
                if memmem::find(&buffer[..length], PING).is_some() {
                    let _full = stream.try_write(PONG);
                }
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
            Err(_) => break,
        }
    }
    seen.gone.set(seen.gone.get() + 1);
}

fn count(seen: &Seen, tail: &mut Vec<u8>, bytes: &[u8]) {
    let seam = [tail, &bytes[..bytes.len().min(MARK.len() - 1)]].concat();
    let count = memmem::find_iter(bytes, MARK).count() + memmem::find_iter(&seam, MARK).count();
    seen.publications.set(seen.publications.get() + count);
    *tail = bytes[bytes.len().saturating_sub(MARK.len() - 1)..].to_vec();
    let mut arrivals = seen.arrivals.borrow_mut();
    if !arrivals.is_empty() {
        let now = Instant::now();
        for at in memmem::find_iter(bytes, NAME) {
            let digits = bytes[at + NAME.len()..].iter().take_while(|byte| byte.is_ascii_digit());
            let mark = digits.fold(0, |sum: usize, digit| sum * 10 + usize::from(digit - b'0'));
            if let Some(arrival) = arrivals.get_mut(mark) {
                arrival.get_or_insert(now);
            }
        }
    }
}
