//! Receivers: servers on loopback that do exactly what a test says, and count what reaches them.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

pub const OK: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
pub const OK_CLOSE: &str = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
/// The first byte of a client that wants TLS.
const TLS_HANDSHAKE: u8 = 22;

/// A server that runs one function per connection.
pub struct Receiver {
    pub address: SocketAddr,
    accepted: Arc<AtomicUsize>,
}

impl Receiver {
    /// Runs the function for every connection; it gets the socket and how many came before.
    pub async fn start<F>(serve: impl Fn(TcpStream, usize) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        Self::on(TcpListener::bind("127.0.0.1:0").await.unwrap(), serve)
    }

    pub fn on<F>(listener: TcpListener, serve: impl Fn(TcpStream, usize) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let address = listener.local_addr().unwrap();
        let accepted = Arc::new(AtomicUsize::new(0));
        let count = accepted.clone();
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                tokio::spawn(serve(socket, count.fetch_add(1, Ordering::SeqCst)));
            }
        });
        Self { address, accepted }
    }

    /// Gives the same answer to every request, on as many connections as come.
    pub async fn answering(answer: &'static str) -> Self {
        Self::start(move |socket, _| answer_all(socket, answer)).await
    }

    /// Connections so far.
    pub fn accepted(&self) -> usize {
        self.accepted.load(Ordering::SeqCst)
    }

    pub fn url(&self) -> String {
        format!("http://{}/hook", self.address)
    }
}

/// Receivers at one port of several addresses. They answer, and close.
pub async fn at_one_port(hosts: &[&str]) -> (u16, Vec<Receiver>) {
    loop {
        let first = TcpListener::bind((hosts[0], 0)).await.unwrap();
        let port = first.local_addr().unwrap().port();
        let mut listeners = vec![first];
        for host in &hosts[1..] {
            let address = SocketAddr::new(host.parse::<IpAddr>().unwrap(), port);
            // Another process may use this port at the other address; then try another port.
            let Ok(listener) = TcpListener::bind(address).await else { break };
            listeners.push(listener);
        }
        if listeners.len() == hosts.len() {
            let start = |listener| Receiver::on(listener, |socket, _| answer_all(socket, OK_CLOSE));
            return (port, listeners.into_iter().map(start).collect());
        }
    }
}

/// Answers each request until the client goes away.
pub async fn answer_all(mut socket: TcpStream, answer: &'static str) {
    while read_request(&mut socket).await.is_some() {
        if socket.write_all(answer.as_bytes()).await.is_err() {
            return;
        }
    }
}

/// A whole request, head and body; nothing if the client goes away before its end, or speaks TLS.
pub async fn read_request(socket: &mut (impl AsyncRead + Unpin)) -> Option<String> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes);
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            if body.len() >= length.map_or(0, |digits| digits.parse().unwrap()) {
                return Some(text.into_owned());
            }
        }
        let count = socket.read(&mut chunk).await.ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&chunk[..count]);
        if bytes[0] == TLS_HANDSHAKE {
            return None;
        }
    }
}

/// Waits until the client has closed the connection.
pub async fn closed_by_client(socket: &mut (impl AsyncRead + Unpin)) {
    let mut chunk = [0; 4096];
    while socket.read(&mut chunk).await.is_ok_and(|count| count > 0) {}
}
