//! Clients that ask for large answers and never read them.

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use crate::neighbour::attempts;
use crate::process_metrics;
use crate::target::Target;

const CLIENTS: usize = 40;
/// Requests that each client sends at once: their answers are more than the kernel keeps.
const REQUESTS: usize = 40;
/// How long the server may need beyond its time limit of two seconds, on a busy machine.
const FREED_WITHIN: Duration = Duration::from_secs(12);

#[test]
fn clients_that_do_not_read_are_disconnected() {
    attempts(|| {
        let target = Target::start(&["--write-seconds", "2"]);
        let quiet = target.quiet();
        let neighbour = target.neighbour();
        let request = "GET /openapi.json HTTP/1.1\r\nHost: dockside.example\r\n\r\n".repeat(REQUESTS);
        let clients: Vec<_> = (0..CLIENTS)
            .map(|_| {
                let mut client = TcpStream::connect(target.address()).expect("a server that listens");
                client.write_all(request.as_bytes()).expect("requests are small");
                client
            })
            .collect();
        // Connections are accepted in their order: once this request is answered, all clients are connected. One more socket
        // is the neighbour's.
        target.server.client("").get("/healthz");
        assert!(process_metrics::sockets(target.address()) > CLIENTS, "the attack has not begun");
        let seconds = target.freed(1, FREED_WITHIN);
        drop(clients);
        let attack = neighbour.finish();
        println!(
            "attacks on {}: {CLIENTS} clients that read nothing: freed after {seconds:.1} s, {}",
            target.engine,
            attack.beside(&quiet)
        );
        target.server.stop();
        attack.judge(&quiet)
    });
}

#[test]
fn a_client_that_reads_slowly_gets_its_whole_answer() {
    use std::io::{BufRead, BufReader, Read};
    let target = Target::start(&["--write-seconds", "1"]);
    let mut client = TcpStream::connect(target.address()).expect("a server that listens");
    let head = "GET /openapi.json HTTP/1.1\r\nHost: dockside.example\r\n";
    let requests = format!("{head}\r\n").repeat(REQUESTS - 1) + head + "Connection: close\r\n\r\n";
    client.write_all(requests.as_bytes()).expect("requests are small");
    let mut answers = BufReader::with_capacity(256 * 1024, client);
    let mut bytes = 0;
    // Longer than the time limit in all, with progress all the while.
    loop {
        std::thread::sleep(Duration::from_millis(40));
        let read = answers.fill_buf().expect("a connection that is kept").len();
        if read == 0 {
            break;
        }
        answers.consume(read);
        bytes += read;
    }
    let mut whole = TcpStream::connect(target.address()).expect("a server that listens");
    whole.write_all(format!("{head}Connection: close\r\n\r\n").as_bytes()).expect("a small request");
    let mut one = Vec::new();
    whole.read_to_end(&mut one).expect("an answer");
    let (least, most) = (one.len() - 100, one.len() + 100);
    assert!(
        (least * REQUESTS..most * REQUESTS).contains(&bytes),
        "{bytes} bytes, one answer has {}",
        one.len()
    );
    target.server.stop();
}
