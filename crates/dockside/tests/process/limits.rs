//! Small limits: the server enforces them on clients that send slowly, too much or too often, and serves all others.

use std::time::Duration;

use serde_json::json;
use testkit::client::Client;
use testkit::load::body;
use testkit::server::{Server, token};

/// Returns whether a limit of a second was enforced in time: not early, and late only as far as a busy machine delays it.
fn is_about_a_second(time: Duration) -> bool {
    (Duration::from_millis(800)..Duration::from_secs(5)).contains(&time)
}

fn server(arguments: &[&str]) -> (tempfile::TempDir, Server, String) {
    let home = tempfile::tempdir().unwrap();
    let token = token(home.path(), &["--data", "data"]);
    let server = Server::start(home.path(), &[&["--data", "data"], arguments].concat());
    (home, server, token)
}

fn is_served(server: &Server) {
    assert_eq!(server.client("").get("/healthz").status, 200);
}

#[test]
fn half_sent_heads_and_idle_connections_are_closed_in_time() {
    let (_home, server, _) = server(&["--header-seconds", "1"]);
    let mut half = server.client("");
    half.send(b"GET /healthz HTTP/1.1\r\nHos").unwrap();
    let began = std::time::Instant::now();
    let reply = half.reply().expect("an answer");
    assert_eq!((reply.status, reply.code().as_str()), (408, "request_timeout"), "{reply:?}");
    assert!(is_about_a_second(began.elapsed()));
    for name in ["x-request-id", "date", "dockside-version"] {
        assert!(reply.header(name).is_some(), "{name} is missing: {reply:?}");
    }
    assert_eq!(reply.header("connection"), Some("close"));
    assert!(half.closed_after() < Duration::from_secs(5));

    let mut silent = server.client("");
    assert!(is_about_a_second(silent.closed_after()));

    let mut idle = server.client("");
    assert_eq!(idle.get("/healthz").status, 200);
    assert!(is_about_a_second(idle.closed_after()));

    // Old clients send an extra line end after a request. It does not begin a head.
    let mut old = server.client("");
    assert_eq!(old.get("/healthz").status, 200);
    old.send(b"\r\n").unwrap();
    assert!(is_about_a_second(old.closed_after()));

    // Sending a byte now and then does not extend the time: the limit is for the whole head.
    let mut dripping = server.client("");
    let began = std::time::Instant::now();
    while dripping.send(b"G").is_ok() && dripping.is_silent_for(Duration::from_millis(100)) {
        assert!(began.elapsed() < Duration::from_secs(5));
    }
    assert!(is_about_a_second(began.elapsed()), "{:?}", began.elapsed());
    is_served(&server);
}

#[test]
fn a_stalled_body_gets_408() {
    let (_home, server, token) = server(&["--body-seconds", "1"]);
    let mut client = server.client(&token);
    client.begin_post("/locations", 100);
    client.send(b"{").unwrap();
    let began = std::time::Instant::now();
    let reply = client.reply().expect("an answer");
    assert_eq!((reply.status, reply.code().as_str()), (408, "request_timeout"));
    assert!(is_about_a_second(began.elapsed()));
    assert!(
        client.closed_after() < Duration::from_secs(5),
        "the rest of the body would be taken for a request"
    );
    is_served(&server);
}

#[test]
fn a_body_beyond_the_limit_gets_413_however_it_is_sent() {
    let body = body("exact").to_string();
    let limit = body.len().to_string();
    let (_home, server, token) = server(&["--body-bytes-max", &limit]);
    assert_eq!(server.client(&token).post("/locations", &body).status, 201, "exactly the limit");

    let padded = format!("{body} ");
    let reply = server.client(&token).post("/locations", &padded);
    assert_eq!((reply.status, reply.code().as_str()), (413, "body_too_large"));

    // The announced length is enough for a refusal: no byte of the body is sent.
    let mut client = server.client(&token);
    let head = client.head("POST", "/locations", &[("Content-Length", "999999999999")]);
    client.send(format!("{head}\r\n").as_bytes()).unwrap();
    assert_eq!(client.reply().expect("an answer").status, 413);

    // A chunked body without an announced length.
    let mut client = server.client(&token);
    let head = client.head("POST", "/locations", &[("Transfer-Encoding", "chunked")]);
    client.send(format!("{head}\r\n{:x}\r\n{padded}\r\n0\r\n\r\n", padded.len()).as_bytes()).unwrap();
    assert_eq!(client.reply().expect("an answer").code(), "body_too_large");

    // A long body that the client sends in full before it reads the answer: the answer still arrives.
    let long = " ".repeat(200_000);
    let reply = server.client(&token).post("/locations", &long);
    assert_eq!((reply.status, reply.code().as_str()), (413, "body_too_large"));
    is_served(&server);
}

#[test]
fn requests_beyond_the_limit_are_refused_with_retry_after() {
    let (home, server, _) = server(&["--requests-max", "1"]);
    let token = token(home.path(), &["--data", "data", "--test"]);
    let mut buyer = server.client(&token);
    let purchase = format!("{}/purchase", slow_shipment(&mut buyer));
    let body = json!({"carrier_account": "sandbox", "carrier_service": "standard"}).to_string();
    let head = buyer.head("POST", &purchase, &[("Content-Length", &body.len().to_string())]);
    buyer.send(format!("{head}\r\n{body}").as_bytes()).unwrap();
    // The purchase takes the only permit, and keeps it for three seconds.
    std::thread::sleep(Duration::from_millis(700));

    let mut other = server.client(&token);
    let reply = other.get("/locations");
    assert_eq!((reply.status, reply.code().as_str()), (503, "overloaded"), "{reply:?}");
    assert_eq!(reply.header("retry-after"), Some("1"));
    assert_eq!(other.get("/readyz").status, 200, "monitoring sees that the server lives");
    let reply = buyer.reply().expect("an answer");
    assert_eq!((reply.status, reply.json()["status"].as_str()), (200, Some("purchased")), "{reply:?}");
    assert_eq!(other.get("/locations").status, 200, "the same connection is served now");
}

/// Makes a shipment that the sandbox carrier takes three seconds to sell; returns its path.
fn slow_shipment(client: &mut Client) -> String {
    let address = body("Depot")["address"].clone();
    let mut destination = address.clone();
    destination["contact"]["company"] = json!("SBX-SLOW-3");
    let shipment = json!({
        "addresses": {"origin": address, "destination": destination},
        "packages": [{"geometry": {"length": 30, "width": 20, "height": 10, "mass": 1.2}}],
    });
    let reply = client.post("/shipments", &shipment.to_string());
    assert_eq!(reply.status, 201, "{reply:?}");
    reply.header("location").expect("its path").to_owned()
}

#[test]
fn a_body_that_is_arriving_holds_no_permit() {
    let (_home, server, token) = server(&["--requests-max", "1"]);
    let body = body("stalled").to_string();
    let mut stalled = server.client(&token);
    stalled.begin_post("/locations", body.len());
    assert_eq!(server.client(&token).get("/locations").status, 200);
    stalled.send(body.as_bytes()).unwrap();
    assert_eq!(stalled.reply().expect("an answer").status, 201);
}

#[test]
fn where_no_token_is_needed_bodies_are_small() {
    let (_home, server, _) = server(&[]);
    const SMALL: usize = 16 * 1024;
    let webhook = "/carrier_accounts/car_00000000000000000000000000/webhook";
    let (json, form) = ("application/json", "application/x-www-form-urlencoded");
    let cases = [
        ("/oauth/token", form, SMALL),
        ("/emulation", json, SMALL),
        ("/connection/http_stream", json, SMALL),
        (webhook, json, 1024 * 1024),
    ];
    for (path, media_type, limit) in cases {
        let status = |bytes: usize| {
            let mut client = server.client("");
            let head = client.head("POST", path, &[("Content-Length", &bytes.to_string())]);
            let head = head.replace(json, media_type);
            client.send(format!("{head}\r\n{}", " ".repeat(bytes)).as_bytes()).expect("a server that reads");
            client.reply().expect("an answer").status
        };
        assert_ne!(status(limit), 413, "{path}");
        assert_eq!(status(limit + 1), 413, "{path}");
    }
}

#[test]
fn connections_beyond_the_limit_wait_and_are_served_when_one_closes() {
    let (_home, server, _) = server(&["--connections-max", "4"]);
    let mut held: Vec<Client> = (0..4).map(|_| server.client("")).collect();
    for client in &mut held {
        assert_eq!(client.get("/healthz").status, 200);
    }
    let mut fifth = server.client("");
    let head = fifth.head("GET", "/healthz", &[]);
    fifth.send(format!("{head}\r\n").as_bytes()).unwrap();
    assert!(fifth.is_silent_for(Duration::from_millis(300)));
    assert_eq!(held[1].get("/healthz").status, 200, "those who are in are served meanwhile");
    drop(held.pop());
    assert_eq!(fifth.reply().expect("an answer").status, 200);
}
