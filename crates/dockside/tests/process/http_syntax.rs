//! HTTP over a real connection, which the suite `it` does not use: heads that are too large or invalid, pipelining, HEAD.

use std::time::Duration;

use testkit::client::Client;
use testkit::server::Server;

fn server() -> (tempfile::TempDir, Server) {
    let home = tempfile::tempdir().unwrap();
    let server = Server::start(home.path(), &["--data", "data"]);
    (home, server)
}

#[test]
fn heads_that_are_too_large_are_refused_and_nothing_else_suffers() {
    let (_home, server) = server();
    let line = |number: usize| format!("X-Line-{number}: 1\r\n");
    let many: String = (0..200).map(line).collect();
    let few: String = (0..50).map(line).collect();
    let long = |bytes: usize| format!("X-Long: {}\r\n", "a".repeat(bytes));
    let heads = [
        (few, 200),
        (long(30_000), 200),
        (many, 431),
        (long(70_000), 431),
        (long(100_000), 431),
        (long(1_000_000), 431),
    ];
    for (lines, status) in heads {
        let mut client = server.client("");
        let head = client.head("GET", "/healthz", &[]);
        // The server may answer before it has read all of it, and reads on until the client is done.
        client.send(format!("{head}{lines}\r\n").as_bytes()).expect("a server that reads on");
        let reply = client.reply().unwrap_or_else(|error| panic!("{} bytes: {error}", lines.len()));
        assert_eq!(reply.status, status, "{} bytes", lines.len());
        if status == 431 {
            assert_eq!(reply.code(), "headers_too_large", "{reply:?}");
        }
    }
    let path = format!("/healthz?{}", "a".repeat(20_000));
    assert_eq!(server.client("").get(&path).code(), "headers_too_large");
    assert_eq!(server.client("").get("/healthz").status, 200);
}

/// Bytes that the server refuses before they are a request: they are not HTTP, or programs disagree on their meaning.
const BROKEN: [&str; 14] = [
    "NONSENSE\r\n\r\n",
    "GET  HTTP/1.1\r\n\r\n",
    "GET /healthz HTTP/1.1\r\nHost: a\r\nno colon\r\n\r\n",
    "GET /healthz HTTP/1.1\r\n\r\n",
    "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    "GET /healthz HTTP/1.1\nHost: a\n\n",
    "GET /healthz HTTP/1.1\r\nHost: a\nX: b\r\n\r\n",
    "GET /healthz HTTP/1.1\r\nHost: a\r\n\n",
    "GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: one\r\n\r\n",
    "POST /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
    "POST /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n",
    "GET /healthz HTTP/3.0\r\nHost: a\r\n\r\n",
    "GET /\u{1}healthz HTTP/1.1\r\nHost: a\r\n\r\n",
    "\u{16}\u{3}\u{1}\u{2}",
];

#[test]
fn bytes_that_are_not_http_get_400_and_the_connection_is_closed() {
    let (_home, mut server) = server();
    for bytes in BROKEN {
        let mut client = server.client("");
        client.send(bytes.as_bytes()).unwrap();
        let reply = client.reply().unwrap_or_else(|error| panic!("{bytes:?}: {error}"));
        assert_eq!((reply.status, reply.code().as_str()), (400, "malformed_request"), "{bytes:?}: {reply:?}");
        assert_eq!(reply.header("connection"), Some("close"), "{bytes:?}");
        assert_eq!(reply.json()["request_id"].as_str(), reply.header("x-request-id"), "{bytes:?}");
        assert!(client.closed_after() < Duration::from_secs(5), "{bytes:?}");
    }
    assert_eq!(server.client("").get("/healthz").status, 200);
    let log = server.stopped();
    assert_eq!(log.matches("malformed_request").count(), BROKEN.len(), "each refusal is logged: {log}");
}

#[test]
fn a_request_of_http_10_needs_no_host() {
    let (_home, server) = server();
    let mut client = server.client("");
    client.send(b"GET /healthz HTTP/1.0\r\n\r\n").unwrap();
    assert_eq!(client.reply().expect("an answer").status, 200);
    assert!(client.closed_after() < Duration::from_secs(5));
}

#[test]
fn a_head_in_single_bytes_is_a_head() {
    let (_home, server) = server();
    let mut client = server.client("");
    let head = client.head("GET", "/healthz", &[]);
    for byte in format!("\r\n{head}\r\n").as_bytes() {
        client.send(&[*byte]).unwrap();
    }
    assert_eq!(client.reply().expect("an answer").status, 200);
    // The server does not search a body for heads, however it is framed.
    let head = client.head("POST", "/locations", &[("Content-Length", "20")]);
    client.send(format!("{head}\r\n\n\nGET / HTTP/1.1\n\n\n\n").as_bytes()).unwrap();
    assert_eq!(client.reply().expect("an answer").status, 401);
    let head = client.head("POST", "/locations", &[("Transfer-Encoding", "chunked")]);
    for byte in format!("{head}\r\n3\r\n\n\n\n\r\n0\r\n\r\n").as_bytes() {
        client.send(&[*byte]).unwrap();
    }
    assert_eq!(client.reply().expect("an answer").status, 401);
    assert_eq!(client.get("/healthz").status, 200);
}

#[test]
fn a_handshake_that_fails_closes_the_connection() {
    let (_home, server) = server();
    let mut client = server.client("");
    let headers = [("Connection", "Upgrade"), ("Upgrade", "websocket")];
    let reply = client.request("GET", "/healthz", &headers, "").expect("an answer");
    assert_eq!((reply.status, reply.header("connection")), (200, Some("close")));
    assert!(client.closed_after() < Duration::from_secs(5));
    // The server never switches to this protocol, so it can keep the connection.
    let mut client = server.client("");
    let headers = [("Connection", "Upgrade"), ("Upgrade", "h2c")];
    assert_eq!(client.request("GET", "/healthz", &headers, "").expect("an answer").status, 200);
    assert_eq!(client.get("/healthz").status, 200);
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let (_home, server) = server();
    let mut client = server.client("");
    let request = |number: usize| {
        let path = ["/healthz", "/openapi.json", "/nowhere", "/readyz"][number % 4];
        format!("GET {path} HTTP/1.1\r\nHost: dockside.example\r\nX-Request-Id: number-{number}\r\n\r\n")
    };
    client.send((0..10).map(request).collect::<String>().as_bytes()).unwrap();
    for number in 0..10 {
        let reply = client.reply().expect("an answer");
        let status = if number % 4 == 2 { 404 } else { 200 };
        let id = format!("number-{number}");
        assert_eq!((reply.status, reply.header("x-request-id")), (status, Some(id.as_str())));
    }
}

#[test]
fn an_answer_does_not_wait_for_the_rest_of_the_next_request() {
    let (_home, server) = server();
    let mut client = server.client("");
    let head = client.head("GET", "/healthz", &[]);
    // A whole request and a piece of another; then, as old clients do, with a line end too many.
    client.send(format!("{head}\r\n{}", &head[..9]).as_bytes()).unwrap();
    assert_eq!(client.reply().expect("an answer").status, 200);
    client.send(format!("{}\r\n\r\n", &head[9..]).as_bytes()).unwrap();
    assert_eq!(client.reply().expect("an answer").status, 200);
    // The server answers a request before it finds that the bytes after it are invalid.
    client.send(format!("{head}\r\nNONSENSE\r\n\r\n").as_bytes()).unwrap();
    assert_eq!(client.reply().expect("an answer").status, 200);
    assert_eq!(client.reply().expect("a refusal").code(), "malformed_request");
}

#[test]
fn head_has_the_headers_of_get_and_no_body() {
    let (_home, server) = server();
    // The client of these tests reads text only, and this answer is a picture.
    let is_text = |route: &api::route::Route| !route.path.ends_with(".png");
    let is_public =
        |route: &api::route::Route| route.method == "GET" && !route.needs_token() && is_text(route);
    let paths: Vec<_> = api::routes::all().into_iter().filter(is_public).map(|route| route.path).collect();
    assert!(paths.contains(&"/healthz") && paths.contains(&"/openapi.json"));
    for path in paths.into_iter().chain(["/nowhere", "/locations"]) {
        check_head(&mut server.client(""), path);
    }
}

fn check_head(client: &mut Client, path: &str) {
    let get = client.get(path);
    // If the answer to HEAD had a body, the client would read it as the start of the next answer.
    let head = client.request("HEAD", path, &[], "").expect("an answer");
    assert_eq!(
        (head.status, head.header("content-type")),
        (get.status, get.header("content-type")),
        "{path}"
    );
    // The metrics have counted the GET, and each request's own id is in a problem.
    if path != "/metrics" {
        assert_eq!(head.header("content-length"), get.header("content-length"), "{path}");
    }
    assert_eq!(client.get("/healthz").body, r#"{"status":"ok"}"#, "{path}");
}
