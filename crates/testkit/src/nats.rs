//! A NATS server for one test: the program that `DOCKSIDE_TEST_NATS` names.

use std::hash::{BuildHasher, RandomState};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// How long a start may take.
const START_TIME: Duration = Duration::from_secs(120);
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// A server. It is killed when it is dropped.
pub struct Nats {
    child: Child,
    pub address: SocketAddr,
    /// Where the server reports what it does.
    monitor: SocketAddr,
    arguments: Vec<String>,
}

impl Nats {
    /// Starts a server with these arguments. Without arguments it needs no authentication.
    pub fn start(arguments: &[&str]) -> Self {
        let arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        let (address, monitor) = (free_address(), free_address());
        Self { child: spawn(address, monitor, &arguments), address, monitor, arguments }
    }

    pub fn url(&self) -> String {
        format!("nats://{}", self.address)
    }

    pub fn stop(&mut self) {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it has ended");
    }

    /// Starts it again at the same address.
    pub fn start_again(&mut self) {
        self.child = spawn(self.address, self.monitor, &self.arguments);
    }

    /// Returns the connections that the server reports.
    pub fn connections(&self) -> Vec<Value> {
        let mut stream = TcpStream::connect(self.monitor).expect("a monitor");
        stream.write_all(b"GET /connz HTTP/1.0\r\n\r\n").expect("it is written");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        let (_, body) = answer.split_once("\r\n\r\n").expect("a body");
        let told: Value = serde_json::from_str(body).expect("JSON");
        told["connections"].as_array().cloned().unwrap_or_default()
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        // It may have ended before.
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

fn spawn(address: SocketAddr, monitor: SocketAddr, arguments: &[String]) -> Child {
    let program = std::env::var("DOCKSIDE_TEST_NATS")
        .expect("DOCKSIDE_TEST_NATS names the program nats-server; ./test finds or gets it, and sets that");
    let mut command = Command::new(program);
    command
        .args(["--addr", &address.ip().to_string(), "--port", &address.port().to_string()])
        .args(["--http_port", &monitor.port().to_string()])
        .args(arguments);
    let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().expect("nats-server starts");
    let began = Instant::now();
    // A NATS server sends a greeting on every connection that it accepts.
    while !TcpStream::connect(address)
        .is_ok_and(|mut stream| stream.read(&mut [0; 4]).is_ok_and(|read| read > 0))
    {
        assert!(child.try_wait().expect("a child of ours").is_none(), "nats-server did not start");
        assert!(began.elapsed() < START_TIME, "nats-server does not listen");
        std::thread::sleep(LOOK_EVERY);
    }
    child
}

/// A port on which no program listens, below the range that the kernel hands out by itself, so that no connection of another test
/// takes it while the server is away.
fn free_address() -> SocketAddr {
    loop {
        let port = 20_000 + (RandomState::new().hash_one(0) % 12_000) as u16;
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        if TcpListener::bind(address).is_ok() {
            return address;
        }
    }
}
