//! A proxy between servers and a carrier. It delays purchases, or accepts no connection until the test opens it. Bytes
//! that were sent arrive, even if the sender is killed.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::net::TcpSocket;

const PURCHASE: &[u8] = b"POST /v1/purchases HTTP";
const CHUNK_BYTES: usize = 64 * 1024;
/// A connection attempt that takes longer than this shows that the listener's backlog is full.
const TRIAL: Duration = Duration::from_millis(200);

/// A proxy that forwards connections to the carrier.
pub struct CarrierProxy {
    pub address: SocketAddr,
    counts: Arc<Counts>,
}

#[derive(Default)]
struct Counts {
    purchases: AtomicUsize,
    silent: AtomicUsize,
}

impl CarrierProxy {
    /// Forwards to the carrier at this address, and delays each purchase by `on_its_way`.
    pub fn new(carrier: &str, on_its_way: Duration) -> Self {
        Self::carrying(TcpListener::bind("127.0.0.1:0").expect("a port"), carrier, on_its_way)
    }

    fn carrying(listener: TcpListener, carrier: &str, on_its_way: Duration) -> Self {
        let address = listener.local_addr().expect("its address");
        let (counts, carrier) = (Arc::new(Counts::default()), carrier.replace("http://", ""));
        let shared = Arc::clone(&counts);
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let Ok(server) = TcpStream::connect(&carrier) else { continue };
                connect(client, server, on_its_way, &shared);
            }
        });
        Self { address, counts }
    }

    /// Returns how many purchase requests the proxy received.
    pub fn purchases(&self) -> usize {
        self.counts.purchases.load(Ordering::SeqCst)
    }

    /// Returns how many connections ended before the client sent a byte.
    pub fn silent(&self) -> usize {
        self.counts.silent.load(Ordering::SeqCst)
    }
}

fn connect(client: TcpStream, server: TcpStream, on_its_way: Duration, counts: &Arc<Counts>) {
    let (back, front) = (server.try_clone().expect("a socket"), client.try_clone().expect("a socket"));
    let counts = Arc::clone(counts);
    std::thread::spawn(move || {
        let carried = carry(client, &server, |bytes| {
            if bytes.starts_with(PURCHASE) {
                counts.purchases.fetch_add(1, Ordering::SeqCst);
                std::thread::sleep(on_its_way);
            }
        });
        counts.silent.fetch_add(usize::from(carried == 0), Ordering::SeqCst);
    });
    std::thread::spawn(move || carry(back, &front, |_| {}));
}

/// Copies bytes in one direction until they end, and returns how many chunks there were.
fn carry(mut from: TcpStream, mut to: &TcpStream, before: impl Fn(&[u8])) -> usize {
    let (mut chunk, mut pieces) = (vec![0; CHUNK_BYTES], 0);
    while let Ok(length @ 1..) = from.read(&mut chunk) {
        pieces += 1;
        before(&chunk[..length]);
        if to.write_all(&chunk[..length]).is_err() {
            break;
        }
    }
    pieces
}

/// A proxy whose listen backlog is full, so that new connections to it hang.
pub struct Closed {
    pub address: SocketAddr,
    listener: TcpListener,
    waiting: Vec<TcpStream>,
}

impl Closed {
    pub fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let _inside = runtime.enter();
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.bind("127.0.0.1:0".parse().expect("an address")).expect("a free port");
        let listener = socket.listen(1).and_then(tokio::net::TcpListener::into_std).expect("a listener");
        listener.set_nonblocking(false).expect("a listener");
        let address = listener.local_addr().expect("its address");
        let through = || TcpStream::connect_timeout(&address, TRIAL).ok();
        let waiting: Vec<_> = std::iter::from_fn(through).collect();
        Self { address, listener, waiting }
    }

    /// Returns whether a client is trying to connect.
    pub fn is_tried(&self) -> bool {
        let port = format!(":{:04X}", self.address.port());
        let sockets = std::fs::read_to_string("/proc/net/tcp").expect("the sockets of this machine");
        let is_hanging = |line: &str| {
            let words: Vec<_> = line.split_whitespace().collect();
            // State 02 is SYN_SENT.
            words.get(2).is_some_and(|to| to.ends_with(&port)) && words.get(3) == Some(&"02")
        };
        sockets.lines().any(is_hanging)
    }

    /// Starts to forward all connections, and returns how many of them only filled the backlog.
    pub fn open(self, carrier: &str) -> (CarrierProxy, usize) {
        let standing = self.waiting.len();
        drop(self.waiting);
        (CarrierProxy::carrying(self.listener, carrier, Duration::ZERO), standing)
    }
}
