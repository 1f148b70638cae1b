//! Stopping: the server finishes requests that are under way, accepts no new ones, and doesn't wait for idle connections.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use testkit::load::body;
use testkit::server::{Server, token, wait_until};

/// A service manager kills after 30 s; the server itself cuts off what is left after 25 s.
const STOPS_WITHIN: Duration = Duration::from_secs(30);
/// A stop that waits for no client takes almost no time. The rest is tolerance for a busy machine.
const AT_ONCE: Duration = Duration::from_secs(5);

fn server(arguments: &[&str]) -> (tempfile::TempDir, Server, String) {
    let home = tempfile::tempdir().unwrap();
    let token = token(home.path(), &["--data", "data"]);
    let server = Server::start(home.path(), &[&["--data", "data"], arguments].concat());
    (home, server, token)
}

fn stops_listening(server: &Server) {
    wait_until("it stops listening", AT_ONCE, || TcpStream::connect(server.address).is_err());
}

#[test]
fn a_request_under_way_is_finished_before_the_end() {
    let (home, mut server, token) = server(&[]);
    let body = body("slow").to_string();
    let (first, rest) = body.split_at(body.len() / 2);
    let mut slow = server.client(&token);
    slow.begin_post("/locations", body.len());
    slow.send(first.as_bytes()).unwrap();
    // The server accepts connections in order: once it answers the idle one, it has accepted the silent one before it too.
    let mut silent = server.client(&token);
    let mut idle = server.client(&token);
    assert_eq!(idle.get("/healthz").status, 200);

    server.signal("TERM");
    stops_listening(&server);
    // The server closes connections without a request at once, while it still waits for the slow request.
    assert!(idle.closed_after() < AT_ONCE);
    assert!(silent.closed_after() < AT_ONCE);
    slow.send(rest.as_bytes()).unwrap();
    let reply = slow.reply().expect("the answer to a request that was under way");
    assert_eq!((reply.status, reply.header("connection")), (201, Some("close")), "{reply:?}");
    assert!(slow.closed_after() < AT_ONCE);
    let (status, took) = server.ended(STOPS_WITHIN);
    assert_eq!(status.code(), Some(0));
    assert!(took < AT_ONCE, "{took:?}");

    let again = Server::start(home.path(), &["--data", "data"]);
    let path = reply.header("location").expect("its address");
    assert_eq!(again.client(&token).get(path).body, reply.body);
}

#[test]
fn idle_connections_do_not_hold_up_the_end() {
    for signal in ["TERM", "INT"] {
        let (_home, mut server, token) = server(&[]);
        let mut idle: Vec<_> = (0..20).map(|_| server.client(&token)).collect();
        for client in &mut idle {
            assert_eq!(client.get("/healthz").status, 200);
        }
        server.signal(signal);
        let (status, took) = server.ended(STOPS_WITHIN);
        assert_eq!(status.code(), Some(0));
        assert!(took < AT_ONCE, "{signal}: {took:?}");
    }
}

#[test]
fn a_half_sent_head_holds_up_the_end_no_longer_than_a_head_may_take() {
    let (_home, mut server, token) = server(&["--header-seconds", "1"]);
    let mut half = server.client(&token);
    half.send(b"GET /healthz HTTP/1.1\r\nHos").unwrap();
    server.signal("TERM");
    let (status, took) = server.ended(STOPS_WITHIN);
    assert_eq!(status.code(), Some(0));
    assert!(took < AT_ONCE, "{took:?}");
}

#[test]
fn a_request_that_never_ends_is_cut_off_in_time() {
    let (_home, mut server, token) = server(&["--body-seconds", "3600"]);
    let mut stalled = server.client(&token);
    stalled.begin_post("/locations", 100);
    server.signal("TERM");
    stops_listening(&server);
    let began = Instant::now();
    let (status, _) = server.ended(STOPS_WITHIN);
    let took = began.elapsed();
    assert_eq!(status.code(), Some(0));
    assert!(took > Duration::from_secs(20), "it was given its time, not {took:?}");
    assert!(server.log().contains("requests cancelled"), "{}", server.log());
}
