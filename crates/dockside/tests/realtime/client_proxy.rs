//! A proxy between a client and its server that a test can cut and restore.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

const CHUNK_BYTES: usize = 64 * 1024;

/// The proxy. Its threads end with their connections.
pub struct ClientProxy {
    pub address: SocketAddr,
    links: Links,
}

/// The ends of the connections that were made; `None` while the proxy is cut.
type Links = Arc<Mutex<Option<Vec<TcpStream>>>>;

impl ClientProxy {
    /// Forwards to the server at this address.
    pub fn new(to: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("its address");
        let links: Links = Arc::new(Mutex::new(Some(Vec::new())));
        let shared = Arc::clone(&links);
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let mut links = shared.lock().unwrap();
                if let (Some(links), Ok(server)) = (&mut *links, TcpStream::connect(to)) {
                    let clone = |stream: &TcpStream| stream.try_clone().expect("a socket");
                    links.extend([clone(&client), clone(&server)]);
                    let (from, back) = (clone(&client), clone(&server));
                    std::thread::spawn(move || carry(&from, &back));
                    std::thread::spawn(move || carry(&server, &client));
                }
            }
        });
        Self { address, links }
    }

    /// Closes all connections, and accepts no new ones.
    pub fn cut(&self) {
        for stream in self.links.lock().unwrap().take().into_iter().flatten() {
            // It may be closed already.
            let _closed = stream.shutdown(Shutdown::Both);
        }
    }

    pub fn mend(&self) {
        *self.links.lock().unwrap() = Some(Vec::new());
    }
}

/// Copies bytes in one direction until one side ends.
fn carry(mut from: &TcpStream, mut to: &TcpStream) {
    let mut chunk = vec![0; CHUNK_BYTES];
    while let Ok(read @ 1..) = from.read(&mut chunk) {
        if to.write_all(&chunk[..read]).is_err() {
            break;
        }
    }
    for stream in [from, to] {
        let _closed = stream.shutdown(Shutdown::Both);
    }
}
