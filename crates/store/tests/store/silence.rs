//! If a database vanishes without closing its connections, every caller gets an error within a bounded time, and the
//! next caller gets a connection that works.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use model::{Code, Error, Result};
use store::{Db, Place, Sql, Tx};

use crate::fresh::{Engine, Fresh, owner};

const ORGANISATIONS: Sql = Sql::same("SELECT owner FROM organisation LIMIT 1");
/// Longer than the time limit of a statement.
const TOLD_WITHIN: Duration = Duration::from_secs(25);
const CONNECTED_WITHIN: Duration = Duration::from_secs(5);
const CONNECTIONS: usize = 3;

/// A TCP proxy to the server. Once it is cut, existing connections transmit nothing and stay open.
struct Wire {
    address: SocketAddr,
    accepted: Arc<AtomicU64>,
    /// Connections up to this number are cut.
    cut: Arc<AtomicU64>,
}

impl Wire {
    fn to(server: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let wire = Self { address, accepted: Arc::default(), cut: Arc::default() };
        let (accepted, cut) = (Arc::clone(&wire.accepted), Arc::clone(&wire.cut));
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(std::result::Result::ok) {
                let server = TcpStream::connect(&server).unwrap();
                let number = accepted.fetch_add(1, Ordering::SeqCst) + 1;
                let ends = || (client.try_clone().unwrap(), server.try_clone().unwrap());
                let ((from, to), (back_to, back_from)) = (ends(), ends());
                let (here, there) = (Arc::clone(&cut), Arc::clone(&cut));
                std::thread::spawn(move || carry(from, to, number, &here));
                std::thread::spawn(move || carry(back_from, back_to, number, &there));
            }
        });
        wire
    }

    fn cut(&self) {
        self.cut.store(self.accepted.load(Ordering::SeqCst), Ordering::SeqCst);
    }
}

fn carry(mut from: TcpStream, mut to: TcpStream, number: u64, cut: &AtomicU64) {
    let mut chunk = vec![0; 64 * 1024];
    loop {
        let Ok(length) = from.read(&mut chunk) else { return };
        if cut.load(Ordering::SeqCst) >= number {
            // Keeps both ends open while this thread sleeps.
            std::thread::sleep(Duration::from_secs(600));
        }
        if length == 0 || to.write_all(&chunk[..length]).is_err() {
            let _closed_already = to.shutdown(std::net::Shutdown::Both);
            return;
        }
    }
}

/// Opens a store behind a proxy.
async fn beyond_a_wire(fresh: &Fresh) -> (Wire, Db) {
    let url = fresh.url();
    let (user, rest) = url.split_once('@').unwrap();
    let (server, name) = rest.split_once('/').unwrap();
    let wire = Wire::to(server.to_owned());
    let url = format!("{user}@{}/{name}", wire.address);
    let db = Db::open(Place::Postgres { url, connections: CONNECTIONS }).await.unwrap();
    (wire, db)
}

async fn look(tx: &mut Tx<'_>) -> Result<()> {
    tx.all(&ORGANISATIONS, &[]).await.map(drop)
}

fn assert_unavailable<T: std::fmt::Debug>(result: &Result<T>) {
    assert!(
        matches!(result, Err(Error::Fault(fault)) if fault.shown == Code::StoreUnavailable),
        "{result:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn callers_of_a_silent_database_are_told_and_the_next_are_served() {
    let fresh = Fresh::new(Engine::Postgres).await;
    let (wire, db) = beyond_a_wire(&fresh).await;
    // Opens all connections of the pool, so that several are cut.
    let hold = async |tx: &mut Tx<'_>| {
        look(tx).await?;
        tokio::time::sleep(Duration::from_millis(200)).await;
        Ok(())
    };
    let (one, two, three) =
        tokio::join!(db.write(owner(1), hold), db.write(owner(2), hold), db.write(owner(3), hold));
    one.and(two).and(three).unwrap();
    let mut listener = db.listen("silence").await.unwrap();
    wire.cut();
    let (wrote, heard) = tokio::join!(
        tokio::time::timeout(TOLD_WITHIN, db.write(owner(1), look)),
        tokio::time::timeout(2 * TOLD_WITHIN, listener.heard()),
    );
    assert_unavailable(&wrote.expect("a writer is told"));
    assert_unavailable(&heard.expect("a listener is told"));
    for _ in 0..2 * CONNECTIONS {
        let next = tokio::time::timeout(CONNECTED_WITHIN, db.write(owner(1), look)).await;
        next.expect("the next is served").unwrap();
    }
}
