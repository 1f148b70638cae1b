//! Bodies that no endpoint reads: whatever a client sends, it can read the answer, and a kept connection goes on working.
//!
//! The client sends head and body apart, with a pause between them, as many HTTP libraries do. A server that answers after
//! the head and closes would reset the connection when the body arrives.

use std::io;
use std::thread;
use std::time::Duration;

use testkit::client::{Client, Reply};
use testkit::server::{Server, token};

/// How often each case is tried: a race that is lost half of the time must not pass.
const TRIES: usize = 30;
const PAUSE: Duration = Duration::from_millis(8);
/// `--body-bytes-max` of the server.
const LIMIT_BYTES: usize = 1000;
/// Below what the server discards before it answers, and above.
const SMALL_BYTES: usize = 50_000;
const LARGE_BYTES: usize = 1_500_000;

/// A request that is answered without its body.
#[derive(Clone, Copy, Debug)]
struct Case {
    status: u16,
    method: &'static str,
    path: &'static str,
    is_authenticated: bool,
    media_type: &'static str,
}

const CASES: [Case; 7] = [
    Case { is_authenticated: false, ..case(401, "POST", "/locations") },
    case(404, "POST", "/nowhere"),
    // An endpoint that takes no body reads one to refuse its fields, within the same limit.
    case(413, "GET", "/locations/loc_00000000000000000000000000"),
    case(405, "PUT", "/locations"),
    case(413, "POST", "/locations"),
    Case { media_type: "text/plain", ..case(415, "POST", "/locations") },
    case(413, "GET", "/healthz"),
];

const fn case(status: u16, method: &'static str, path: &'static str) -> Case {
    Case { status, method, path, is_authenticated: true, media_type: "application/json" }
}

#[derive(Clone, Copy, Debug)]
enum Framing {
    Length,
    Chunked,
}

/// Sends the head, pauses, and then sends the body in pieces. Returns the answer.
fn send_apart(client: &mut Client, case: Case, framing: Framing, bytes: usize) -> io::Result<Reply> {
    let length = bytes.to_string();
    let header = match framing {
        Framing::Length => ("Content-Length", length.as_str()),
        Framing::Chunked => ("Transfer-Encoding", "chunked"),
    };
    let mut head = client.head(case.method, case.path, &[header]);
    if case.method == "POST" {
        head = head.replace("application/json", case.media_type);
    }
    client.send(format!("{head}\r\n").as_bytes())?;
    thread::sleep(PAUSE);
    let piece = " ".repeat(10_000);
    for _ in 0..bytes / piece.len() {
        match framing {
            Framing::Length => client.send(piece.as_bytes())?,
            Framing::Chunked => client.send(format!("{:x}\r\n{piece}\r\n", piece.len()).as_bytes())?,
        }
    }
    if matches!(framing, Framing::Chunked) {
        client.send(b"0\r\n\r\n")?;
    }
    client.reply_to(case.method)
}

/// Tries one case on fresh connections. Returns how many of them the server kept.
fn try_case(server: &Server, token: &str, case: Case, framing: Framing, bytes: usize) -> usize {
    let mut kept = 0;
    for attempt in 0..TRIES {
        let what = format!("{case:?} {framing:?} {bytes} bytes, try {attempt}");
        let mut client = server.client(if case.is_authenticated { token } else { "" });
        let reply =
            send_apart(&mut client, case, framing, bytes).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!(reply.status, case.status, "{what}");
        if reply.header("connection") == Some("close") {
            assert!(client.closed_after() < Duration::from_secs(5), "{what}");
        } else {
            kept += 1;
            let next = client.request("GET", "/healthz", &[], "");
            assert_eq!(next.unwrap_or_else(|error| panic!("{what}: {error}")).status, 200, "{what}");
        }
    }
    kept
}

#[test]
fn a_body_that_is_not_read_never_costs_the_answer() {
    let home = tempfile::tempdir().unwrap();
    let limit = LIMIT_BYTES.to_string();
    let server = Server::start(home.path(), &["--data", "data", "--body-bytes-max", &limit]);
    let token = token(home.path(), &["--data", "data"]);
    thread::scope(|scope| {
        for case in CASES {
            for framing in [Framing::Length, Framing::Chunked] {
                let (server, token) = (&server, token.as_str());
                scope.spawn(move || {
                    let kept = try_case(server, token, case, framing, SMALL_BYTES);
                    assert_eq!(kept, TRIES, "{case:?} {framing:?}: a small body is discarded");
                    let kept = try_case(server, token, case, framing, LARGE_BYTES);
                    assert_eq!(kept, 0, "{case:?} {framing:?}: the rest of a large body is not waited for");
                });
            }
        }
    });
}

#[test]
fn a_body_that_comes_too_late_is_not_waited_for_and_the_answer_stays_readable() {
    let home = tempfile::tempdir().unwrap();
    let server = Server::start(home.path(), &["--data", "data"]);
    let mut client = server.client("");
    let head = client.head("POST", "/locations", &[("Content-Length", "10")]);
    client.send(format!("{head}\r\n").as_bytes()).unwrap();
    let reply = client.reply().expect("an answer before the body");
    assert_eq!((reply.status, reply.header("connection")), (401, Some("close")));
    client.send(b"          ").expect("the server still reads");
    assert!(client.closed_after() < Duration::from_secs(5));
}

#[test]
fn a_client_that_awaits_100_continue_is_answered_without_being_asked_for_the_body() {
    let home = tempfile::tempdir().unwrap();
    let server = Server::start(home.path(), &["--data", "data"]);
    let mut client = server.client("");
    let headers = [("Content-Length", "1000"), ("Expect", "100-continue")];
    let head = client.head("POST", "/locations", &headers);
    client.send(format!("{head}\r\n").as_bytes()).unwrap();
    let reply = client.reply().expect("an answer");
    assert_eq!((reply.status, reply.header("connection")), (401, Some("close")));
    assert!(client.closed_after() < Duration::from_secs(5));
}
