//! Requests whose bodies are announced and never sent in full.

use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use testkit::load::body;
use testkit::server::wait_until;

use crate::neighbour::attempts;
use crate::process_metrics;
use crate::target::Target;

/// As many as requests may be in flight.
const CLIENTS: usize = 2048;
const HALF_BYTES: usize = 8_000;
/// How long the attack is watched while all bodies are half sent.
const WATCH_TIME: Duration = Duration::from_secs(1);
/// How long the server may take to accept the clients, on a busy machine.
const BEGUN_WITHIN: Duration = Duration::from_secs(2);
/// How long the server may need beyond its time limits: two seconds for the body, two for what the client still sends.
const FREED_WITHIN: Duration = Duration::from_secs(20);

/// Opens connections and sends half of a body on each.
fn half_sent(address: SocketAddr, head: &str, clients: usize) -> Vec<TcpStream> {
    let head = format!("{head}Host: dockside.example\r\nContent-Length: {}\r\n\r\n", 2 * HALF_BYTES);
    let request = [head.as_bytes(), &[b'a'; HALF_BYTES]].concat();
    let open = |_| {
        let mut stream = TcpStream::connect(address).expect("a server that listens");
        stream.write_all(&request).expect("a server that reads");
        stream
    };
    (0..clients).map(open).collect()
}

#[test]
fn half_sent_requests_for_tokens_keep_no_request_from_being_served() {
    attempts(|| {
        let target = Target::start(&["--body-seconds", "2", "--header-seconds", "5"]);
        let quiet = target.quiet();
        let neighbour = target.neighbour();
        let form = "POST /oauth/token HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n";
        let clients = half_sent(target.address(), form, CLIENTS);
        // A request for a token is answered meanwhile: here, that the credentials are wrong.
        let mut honest = target.server.client("");
        let request = format!(
            "{form}Host: dockside.example\r\nContent-Length: 29\r\n\r\ngrant_type=client_credentials"
        );
        honest.send(request.as_bytes()).expect("a server that reads");
        assert_eq!(honest.reply().expect("an answer").code(), "invalid_client");
        drop(honest);
        std::thread::sleep(WATCH_TIME);
        let seconds = target.freed(1, FREED_WITHIN);
        drop(clients);
        let attack = neighbour.finish();
        println!(
            "attacks on {}: {CLIENTS} half-sent POST /oauth/token: freed after {seconds:.1} s, {}",
            target.engine,
            attack.beside(&quiet)
        );
        target.server.stop();
        attack.judge(&quiet)
    });
}

#[test]
fn half_sent_bodies_of_one_organisation_do_not_stop_another() {
    attempts(|| {
        const PERMITS: usize = 32;
        let permits = PERMITS.to_string();
        let target = Target::start(&["--body-seconds", "2", "--requests-max", &permits]);
        let quiet = target.quiet();
        let neighbour = target.neighbour();
        let head = format!(
            "POST /locations HTTP/1.1\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n",
            target.token
        );
        let clients = half_sent(target.address(), &head, 8 * PERMITS);
        wait_until("the attack begins", BEGUN_WITHIN, || {
            process_metrics::sockets(target.address()) > PERMITS
        });
        let mut other = target.server.client(&target.other);
        for number in 0..20 {
            let reply = other.post("/locations", &body(&format!("depot {number}")).to_string());
            assert_eq!(reply.status, 201, "{reply:?}");
        }
        drop(other);
        std::thread::sleep(WATCH_TIME);
        let seconds = target.freed(1, FREED_WITHIN);
        drop(clients);
        let attack = neighbour.finish();
        println!(
            "attacks on {}: {} half-sent POST /locations with {PERMITS} permits: freed after {seconds:.1} s, {}",
            target.engine,
            8 * PERMITS,
            attack.beside(&quiet)
        );
        target.server.stop();
        attack.judge(&quiet)
    });
}
