//! One organisation sends writes as fast as the server takes them, many at once on each of its connections. Another goes on
//! reading.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use testkit::load::body;
use testkit::server::LOOK_EVERY;

use crate::neighbour::attempts;
use crate::target::Target;

const CLIENTS: usize = 128;
/// Writes that a client sends before it reads the first answer.
const PIPELINED: usize = 8;
/// The flood goes on until so many of the other organisation's requests were answered, and for so long at most.
const REQUESTS_WATCHED: usize = 200;
const FLOOD_TIME_MAX: Duration = Duration::from_secs(30);
/// A client that waits longer for an answer fails the test.
const PATIENCE: Duration = Duration::from_secs(60);

/// Sends writes and reads their answers until the flood is over, and counts the writes that are taken.
fn flood(address: SocketAddr, token: &str, is_over: &AtomicBool, taken: &AtomicUsize) -> io::Result<()> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let document = body("Flood").to_string();
    let request = format!(
        "POST /locations HTTP/1.1\r\nHost: dockside.example\r\nAuthorization: Bearer {token}\r\n\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{document}",
        document.len()
    );
    let requests = request.repeat(PIPELINED);
    let mut answers = BufReader::new(stream.try_clone()?);
    while !is_over.load(Ordering::Relaxed) {
        stream.write_all(requests.as_bytes())?;
        for _ in 0..PIPELINED {
            let is_taken = read_answer(&mut answers)?;
            taken.fetch_add(usize::from(is_taken), Ordering::Relaxed);
        }
    }
    Ok(())
}

/// Reads one answer, and returns whether the write was taken.
fn read_answer(answers: &mut impl BufRead) -> io::Result<bool> {
    let (mut line, mut length) = (String::new(), 0);
    answers.read_line(&mut line)?;
    let is_taken = line.starts_with("HTTP/1.1 201");
    while line != "\r\n" {
        line.clear();
        if answers.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let header = line.to_ascii_lowercase();
        length = header
            .strip_prefix("content-length:")
            .map_or(length, |text| text.trim().parse().expect("a number"));
    }
    io::copy(&mut answers.take(length), &mut io::sink())?;
    Ok(is_taken)
}

#[test]
fn a_flood_of_writes_leaves_another_organisation_its_reads() {
    attempts(|| {
        let target = Target::start(&[]);
        let quiet = target.quiet();
        let (neighbour, own) = (target.neighbour(), target.neighbour_of(&target.token));
        let (is_over, taken) = (AtomicBool::new(false), AtomicUsize::new(0));
        let began = Instant::now();
        std::thread::scope(|scope| {
            for _ in 0..CLIENTS {
                scope.spawn(|| flood(target.address(), &target.token, &is_over, &taken).expect("answers"));
            }
            while neighbour.requests() < REQUESTS_WATCHED && began.elapsed() < FLOOD_TIME_MAX {
                std::thread::sleep(LOOK_EVERY);
            }
            is_over.store(true, Ordering::Relaxed);
        });
        let seconds = began.elapsed().as_secs_f64();
        let (attack, own) = (neighbour.finish(), own.finish());
        let taken = taken.into_inner();
        println!(
            "attacks on {}: {CLIENTS} clients with {PIPELINED} writes at once each, {taken} writes taken in {seconds:.1} s: {}, {}",
            target.engine,
            attack.beside(&quiet),
            attack.medians(&own)
        );
        assert!(taken >= CLIENTS * PIPELINED, "only {taken} writes: this is no flood");
        target.server.stop();
        attack.judge_beside(&own)?;
        attack.judge(&quiet)
    });
}
