//! Large bodies where no token is needed, sent but for their last byte: they must take no memory.

use std::io::{self, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::neighbour::attempts;
use crate::target::Target;

/// Requests to `/oauth/token`, each with as much as a body may have elsewhere.
const TOKEN_REQUESTS: usize = 40;
const TOKEN_BYTES: usize = 4 * 1024 * 1024;
/// Messages of carriers.
const MESSAGES: usize = 110;
const MESSAGE_BYTES: usize = 1024 * 1024;
const WRITERS: usize = 10;
const PIECE_BYTES: usize = 64 * 1024;
/// How long the attack is watched once all is sent.
const WATCH_TIME: Duration = Duration::from_secs(1);
const FREED_WITHIN: Duration = Duration::from_secs(20);

/// Sends all but the end of a body, in chunks, so that its length is not announced.
fn send_chunks(stream: &mut TcpStream) -> io::Result<()> {
    let head = "POST /oauth/token HTTP/1.1\r\nHost: dockside.example\r\nTransfer-Encoding: chunked\r\n\
                Content-Type: application/x-www-form-urlencoded\r\n\r\n";
    stream.write_all(head.as_bytes())?;
    let chunk = format!("{PIECE_BYTES:x}\r\n{}\r\n", "a".repeat(PIECE_BYTES));
    (0..TOKEN_BYTES / PIECE_BYTES - 1).try_for_each(|_| stream.write_all(chunk.as_bytes()))
}

/// Sends all but the last byte of a message.
fn send_message(stream: &mut TcpStream) -> io::Result<()> {
    let head = format!(
        "POST /carrier_accounts/car_00000000000000000000000000/webhook HTTP/1.1\r\nHost: dockside.example\r\n\
         Content-Length: {MESSAGE_BYTES}\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(&vec![b'a'; MESSAGE_BYTES - 1])
}

#[test]
fn large_bodies_of_strangers_take_no_memory() {
    attempts(|| {
        let target = Target::start(&["--body-seconds", "3"]);
        let quiet = target.quiet();
        let neighbour = target.neighbour();
        let attack = |number: usize| {
            let mut stream = TcpStream::connect(target.address()).expect("a server that listens");
            stream.set_write_timeout(Some(Duration::from_secs(5))).expect("a time limit");
            // The server may have refused it and closed the connection by now.
            let _refused =
                if number < TOKEN_REQUESTS { send_chunks(&mut stream) } else { send_message(&mut stream) };
            stream
        };
        let clients: Vec<TcpStream> = std::thread::scope(|scope| {
            let writers: Vec<_> = (0..WRITERS)
                .map(|writer| {
                    let numbers = (writer..TOKEN_REQUESTS + MESSAGES).step_by(WRITERS);
                    scope.spawn(move || numbers.map(attack).collect::<Vec<_>>())
                })
                .collect();
            writers.into_iter().flat_map(|writer| writer.join().expect("a writer that ends")).collect()
        });
        std::thread::sleep(WATCH_TIME);
        let seconds = target.freed(1, FREED_WITHIN);
        drop(clients);
        let attack = neighbour.finish();
        println!(
            "attacks on {}: {TOKEN_REQUESTS} bodies of 4 MiB to /oauth/token and {MESSAGES} of 1 MiB to webhooks, but for their \
         ends: freed after {seconds:.1} s, {}",
            target.engine,
            attack.beside(&quiet)
        );
        target.server.stop();
        attack.judge(&quiet)
    });
}
