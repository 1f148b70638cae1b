//! Clients that were given their last answer and go on sending.

use std::io::Write;
use std::net::TcpStream;
use std::time::Duration;

use testkit::stopwatch::Stopwatch;

use crate::neighbour::attempts;
use crate::process_metrics;
use crate::target::Target;

const CLIENTS: usize = 100;
const PAUSE: Duration = Duration::from_millis(200);
/// The server discards what a client sends after its last answer for 10 seconds; the rest is for a busy machine.
const FREED_WITHIN: Duration = Duration::from_secs(14);

#[test]
fn clients_that_never_stop_sending_are_disconnected() {
    attempts(|| {
        let target = Target::start(&[]);
        let quiet = target.quiet();
        let neighbour = target.neighbour();
        let request = "POST /oauth/token HTTP/1.1\r\nHost: dockside.example\r\nContent-Length: 999999999\r\n\
                   Content-Type: application/x-www-form-urlencoded\r\n\r\n";
        let mut clients: Vec<_> = (0..CLIENTS)
            .map(|_| {
                let mut client = TcpStream::connect(target.address()).expect("a server that listens");
                client.write_all(request.as_bytes()).expect("a server that reads");
                client
            })
            .collect();
        // Connections are accepted in their order: once this request is answered, all clients are connected. One more socket
        // is the neighbour's.
        target.server.client("").get("/healthz");
        assert!(process_metrics::sockets(target.address()) > CLIENTS, "the attack has not begun");
        let began = Stopwatch::start();
        loop {
            clients.retain_mut(|client| client.write_all(b"a").is_ok());
            let sockets = process_metrics::sockets(target.address());
            if sockets <= 1 {
                break;
            }
            assert!(began.elapsed() < FREED_WITHIN, "{sockets} sockets are still held");
            std::thread::sleep(PAUSE);
        }
        let seconds = began.elapsed().as_secs_f64();
        let attack = neighbour.finish();
        println!(
            "attacks on {}: {CLIENTS} clients that never stop sending: freed after {seconds:.1} s, {}",
            target.engine,
            attack.beside(&quiet)
        );
        target.server.stop();
        attack.judge(&quiet)
    });
}
