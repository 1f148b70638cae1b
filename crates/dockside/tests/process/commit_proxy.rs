//! A proxy between the server and PostgreSQL that breaks a connection after PostgreSQL has executed a COMMIT and before its
//! answer has arrived.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A simple query of PostgreSQL's protocol: its kind, its length, its text.
const COMMIT: &[u8] = b"Q\x00\x00\x00\x0bCOMMIT\x00";
const CHUNK_BYTES: usize = 64 * 1024;

/// The proxy. Its threads end with their connections.
pub struct CommitProxy {
    pub address: SocketAddr,
    counts: Arc<Counts>,
}

#[derive(Default)]
struct Counts {
    /// Commits whose answers are still to be lost.
    ordered: AtomicU64,
    lost: AtomicU64,
}

impl CommitProxy {
    /// Forwards to the server at this address.
    pub fn new(to: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("its address");
        let counts = Arc::new(Counts::default());
        let shared = Arc::clone(&counts);
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                if let Ok(server) = TcpStream::connect(to) {
                    connect(&client, &server, &shared);
                }
            }
        });
        Self { address, counts }
    }

    /// Loses the answer to the next commit, and breaks its connection.
    pub fn lose_one(&self) {
        self.counts.ordered.fetch_add(1, Ordering::SeqCst);
    }

    /// Answers lost so far.
    pub fn lost(&self) -> u64 {
        self.counts.lost.load(Ordering::SeqCst)
    }
}

fn connect(client: &TcpStream, server: &TcpStream, counts: &Arc<Counts>) {
    let is_doomed = Arc::new(AtomicBool::new(false));
    for stream in [client, server] {
        stream.set_nodelay(true).expect("a socket");
    }
    let ends = || (client.try_clone().expect("a socket"), server.try_clone().expect("a socket"));
    let ((from, to), doom, shared) = (ends(), Arc::clone(&is_doomed), Arc::clone(counts));
    std::thread::spawn(move || {
        carry(&from, &to, |bytes| {
            let is_commit = bytes.windows(COMMIT.len()).any(|window| window == COMMIT);
            let take_one = |ordered: u64| ordered.checked_sub(1);
            let is_ordered = is_commit
                && shared.ordered.fetch_update(Ordering::SeqCst, Ordering::SeqCst, take_one).is_ok();
            doom.fetch_or(is_ordered, Ordering::SeqCst);
            true
        });
    });
    let ((to, from), shared) = (ends(), Arc::clone(counts));
    std::thread::spawn(move || {
        carry(&from, &to, |_| {
            let is_lost = is_doomed.load(Ordering::SeqCst);
            shared.lost.fetch_add(u64::from(is_lost), Ordering::SeqCst);
            !is_lost
        });
    });
}

/// Copies bytes in one direction as long as `passes` allows it, and then closes both directions.
fn carry(mut from: &TcpStream, mut to: &TcpStream, mut passes: impl FnMut(&[u8]) -> bool) {
    let mut chunk = vec![0; CHUNK_BYTES];
    while let Ok(read @ 1..) = from.read(&mut chunk) {
        if !passes(&chunk[..read]) || to.write_all(&chunk[..read]).is_err() {
            break;
        }
    }
    for stream in [from, to] {
        // It may be closed already.
        let _closed = stream.shutdown(Shutdown::Both);
    }
}
