//! Clients that follow events live and stop reading: the server ends their streams, and then their connections.

use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use rustix::net::{AddressFamily, SocketType, connect, socket, sockopt};
use serde_json::json;
use testkit::client::Client;
use testkit::load;

use crate::neighbour::attempts;
use crate::process_metrics;
use crate::target::Target;

const CLIENTS: usize = 10;
/// What the kernel keeps for each client.
const RECEIVE_BUFFER_BYTES: usize = 4 * 1024;
const WRITERS: usize = 4;
/// Events are written until the streams have ended, and at most so many by each writer.
const WRITES_MAX: usize = 3_000;
/// How long the server may need beyond its time limit of two seconds, on a busy machine.
const FREED_WITHIN: Duration = Duration::from_secs(12);

/// A connection for which the kernel keeps little.
pub fn narrow(address: SocketAddr) -> TcpStream {
    let socket = socket(AddressFamily::INET, SocketType::STREAM, None).expect("a socket");
    sockopt::set_socket_recv_buffer_size(&socket, RECEIVE_BUFFER_BYTES).expect("a small buffer");
    connect(&socket, &address).expect("a server that listens");
    TcpStream::from(socket)
}

#[test]
fn the_connections_of_slow_streams_are_closed() {
    attempts(|| {
        let target = Target::start(&["--write-seconds", "2"]);
        let quiet = target.quiet();
        let mut account = target.server.client(&target.token);
        assert_eq!(account.post("/events/provision", "").status, 204);
        let token = account.get("/events/connection_token").json()["token"].clone();
        let command = json!({"id": 1, "connect": {"token": token}}).to_string();
        drop(account);
        let request = format!(
            "POST /connection/http_stream HTTP/1.1\r\nHost: dockside.example\r\nContent-Length: {}\r\n\r\n{command}",
            command.len()
        );
        let streams: Vec<_> = (0..CLIENTS)
            .map(|_| {
                let mut stream = narrow(target.address());
                stream.write_all(request.as_bytes()).expect("a small request");
                stream
            })
            .collect();
        // Connections are accepted in their order: once this one is answered, the streams are in.
        assert_eq!(target.server.client("").get("/healthz").status, 200);
        assert!(process_metrics::sockets(target.address()) >= CLIENTS, "the streams have not begun");
        let neighbour = target.neighbour();
        let began = Instant::now();
        std::thread::scope(|scope| {
            for number in 0..WRITERS {
                let target = &target;
                scope.spawn(move || write(target, number));
            }
        });
        target.freed(1, FREED_WITHIN);
        let seconds = began.elapsed().as_secs_f64();
        drop(streams);
        let attack = neighbour.finish();
        println!(
            "attacks on {}: {CLIENTS} streams that are not read: freed {seconds:.1} s after the first event, {}",
            target.engine,
            attack.beside(&quiet)
        );
        target.server.stop();
        attack.judge(&quiet)
    });
}

/// Makes locations, each of which is an event on every stream, until the server has ended the streams.
fn write(target: &Target, number: usize) {
    let mut client = Client::connect(target.address(), &target.token).expect("a server that listens");
    for count in 0..WRITES_MAX {
        let mut body = load::body(&format!("{number}-{count}"));
        body["address"]["address"]["line_2"] = json!("x".repeat(100));
        assert_eq!(client.post("/locations", &body.to_string()).status, 201);
        // The writers and the neighbour are connected too.
        if count % 50 == 0 && process_metrics::sockets(target.address()) <= WRITERS + 1 {
            return;
        }
    }
}
