//! `dockside listen`: it forwards what an endpoint would get, prints what the guide shows, and reports errors.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};
use standardwebhooks::Webhook;
use testkit::client::Client;
use testkit::database::Database;
use testkit::load::body;
use testkit::server::{Ended, Server, Starting, ended, program, run, token, wait_until};

use crate::guide::page;
use crate::receiver::{Received, Receiver};

const PATIENCE: Duration = Duration::from_secs(120);
const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

/// The command under way. It is killed when it is dropped.
struct Listening {
    child: Child,
    stdout: BufReader<ChildStdout>,
    stderr: Arc<Mutex<String>>,
    reader: Option<JoinHandle<()>>,
}

impl Listening {
    /// Starts it, and returns when it follows the log.
    fn start(home: &Path, server: SocketAddr, token: &str, arguments: &[&str]) -> (Self, Vec<String>) {
        let server = format!("http://{server}");
        let mut command = program(home, &[&["listen", "--server", &server], arguments].concat());
        command.env("DOCKSIDE_TOKEN", token).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the program starts");
        let stdout = BufReader::new(child.stdout.take().expect("piped"));
        let (mut pipe, stderr) = (child.stderr.take().expect("piped"), Arc::new(Mutex::new(String::new())));
        let kept = Arc::clone(&stderr);
        let reader = std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(count @ 1..) = pipe.read(&mut bytes) {
                kept.lock().unwrap().push_str(&String::from_utf8_lossy(&bytes[..count]));
            }
        });
        let mut listening = Self { child, stdout, stderr, reader: Some(reader) };
        let mut opening = Vec::new();
        while !opening.last().is_some_and(|line: &String| line.starts_with("TIME ")) {
            opening.push(listening.line());
        }
        (listening, opening)
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        let count = self.stdout.read_line(&mut line).expect("text");
        assert_ne!(count, 0, "it ended: {}", self.stderr.lock().unwrap());
        line.trim_end_matches('\n').to_owned()
    }

    fn said(&self) -> String {
        self.stderr.lock().unwrap().clone()
    }

    /// Ends it as Ctrl-C does, and returns the rest of its output.
    fn interrupt(mut self) -> (Vec<String>, i32) {
        let kill = format!("kill -INT {}", self.child.id());
        assert!(Command::new("sh").args(["-c", &kill]).status().expect("sh runs").success());
        self.rest()
    }

    /// Waits for its end, and returns the rest of its output.
    fn rest(&mut self) -> (Vec<String>, i32) {
        let lines = self.stdout.by_ref().lines().map(|line| line.expect("text")).collect();
        let code = self.child.wait().expect("it ends").code().expect("not killed");
        self.reader.take().map_or(Ok(()), JoinHandle::join).expect("text");
        (lines, code)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        // It may have ended before.
        let _ended = self.child.kill();
        let _reaped = self.child.wait();
    }
}

fn create(client: &mut Client, name: &str) -> String {
    let made = client.post("/locations", &body(name).to_string());
    assert_eq!(made.status, 201, "{}", made.body);
    made.json()["id"].as_str().expect("an id").to_owned()
}

fn rename(client: &mut Client, id: &str, name: &str) {
    let json = [("Content-Type", "application/json")];
    let patched =
        client.request("PATCH", &format!("/locations/{id}"), &json, &json!({"name": name}).to_string());
    assert_eq!(patched.unwrap().status, 200);
}

/// Names that JSON libraries may escape differently, so that parsing and writing them again could change the bytes.
const NAMES: [&str; 4] =
    ["Depot", "Zo\u{eb}'s \"d\u{e9}p\u{f4}t\" \\ \u{1f4e6}", "\u{2028}<a&b>/", "]},{[\"data\":"];

/// Writes events of several types, some with previous attributes. Returns how many.
fn happen(client: &mut Client) -> usize {
    for name in NAMES {
        let id = create(client, name);
        rename(client, &id, &format!("{name}!"));
    }
    let item = client.post("/inventory_items", &json!({"sku": "TEE", "name": "T-shirt"}).to_string()).json();
    let order = json!({"items": [{"id": item["id"], "quantity": 3}]});
    assert_eq!(client.post("/orders", &order.to_string()).status, 201);
    // The item, the order, its commit and its reservation.
    2 * NAMES.len() + 4
}

/// Verifies as a receiver does, with the official library.
fn verified(received: &Received, secret: &str) -> Value {
    let headers = received.headers.iter().map(|(name, value)| {
        (name.parse::<http::HeaderName>().unwrap(), value.parse::<http::HeaderValue>().unwrap())
    });
    Webhook::new(secret).unwrap().verify(&received.body, &headers.collect()).expect("a valid signature");
    serde_json::from_slice(&received.body).expect("JSON")
}

/// The resource that an event is listed under.
fn resource_id(event: &Value) -> &str {
    let object = &event["data"]["object"];
    let id = if event["type"] == "reservation.created" { &object["order"]["id"] } else { &object["id"] };
    id.as_str().expect("an id")
}

/// Returns the parts that server and `listen` send equally: everything but the address, the time and the signature.
fn essence(received: &Received) -> (String, Vec<(String, String)>, String) {
    let own = ["host", "webhook-timestamp", "webhook-signature"];
    let value = |name: &str, value: &str| if own.contains(&name) { String::new() } else { value.to_owned() };
    let headers = received.headers.iter().map(|(name, text)| (name.clone(), value(name, text))).collect();
    (received.request.clone(), headers, String::from_utf8(received.body.clone()).expect("text"))
}

fn forwards_what_an_endpoint_gets(arguments: &[&str]) {
    let home = tempfile::tempdir().unwrap();
    let token = token(home.path(), arguments);
    let server = Server::start(home.path(), &[&["--outbound-allow", "127.0.0.0/8"], arguments].concat());
    let mut client = server.client(&token);
    let (endpoint, forward) = (Receiver::start(&[]), Receiver::start(&[]));
    assert_eq!(client.post("/events/provision", "").status, 204);
    let made = client.post("/webhook_endpoints", &json!({"url": endpoint.url()}).to_string()).json();
    let flags = ["--forward", &forward.url(), "--secret", SECRET];
    let (mut listening, opening) = Listening::start(home.path(), server.address, &token, &flags);
    assert_eq!(opening[3], format!("verify with  {SECRET}"));

    let count = happen(&mut client);
    for sequence in 1..=count {
        let (posted, forwarded) = (endpoint.next(), forward.next());
        assert_eq!(essence(&forwarded), essence(&posted));
        let event = verified(&forwarded, SECRET);
        assert_eq!(event, verified(&posted, made["secret"].as_str().unwrap()));
        assert_eq!(event["sequence"], sequence);
        assert_eq!(event["id"], forwarded.header("webhook-id"));
        assert_eq!(event["timestamp"], event["created_at"]);
        let line = listening.line();
        let words: Vec<_> = line.split_whitespace().skip(1).take(4).collect();
        let (number, resource) = (sequence.to_string(), resource_id(&event));
        assert_eq!(words, [&number, event["type"].as_str().unwrap(), resource, "204"], "{line}");
    }
    let (lines, code) = listening.interrupt();
    assert_eq!(code, 0);
    let sum =
        format!("{count} events forwarded: {count} accepted, 0 failed. To go on from here: --after {count}");
    assert_eq!(lines.last(), Some(&sum));
    assert!(forward.is_empty() && endpoint.is_empty());
}

#[test]
fn what_is_forwarded_is_what_an_endpoint_gets() {
    forwards_what_an_endpoint_gets(&[]);
}

#[test]
fn what_is_forwarded_is_what_an_endpoint_gets_on_postgres() {
    let database = Database::create();
    forwards_what_an_endpoint_gets(&["--database-url", &database.url]);
}

/// Replaces the parts of a line that differ between runs. Columns keep their width.
fn mask(line: &str) -> String {
    let line = match line.strip_suffix(" ms") {
        Some(rest) => format!("{}latency", &rest[..rest.len() - "15000".len()]),
        None => line.to_owned(),
    };
    let word = |word: &str| {
        let is_time = word.len() == 9 && word.ends_with('Z') && word.as_bytes()[2] == b':';
        let kinds = [("http://", "url"), ("whsec_", "secret")];
        let kind = kinds.iter().find(|(start, _)| word.starts_with(start)).map(|(_, kind)| *kind);
        match kind {
            Some(kind) => kind.to_owned(),
            None if is_time || word.starts_with("loc_") => "x".repeat(word.len()),
            None => word.to_owned(),
        }
    };
    line.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

#[test]
fn it_prints_what_the_guide_shows_and_retries_nothing() {
    let home = tempfile::tempdir().unwrap();
    let server = Server::start(home.path(), &[]);
    let token = token(home.path(), &["--test"]);
    let mut client = server.client(&token);
    create(&mut client, "first");
    create(&mut client, "second");
    let receiver = Receiver::start(&[(204, ""), (500, "no such table: stock\nat line 3")]);
    let flags = ["--forward", &receiver.url()];
    let (mut listening, mut printed) = Listening::start(home.path(), server.address, &token, &flags);
    let id = create(&mut client, "third");
    printed.push(listening.line());
    rename(&mut client, &id, "fourth");
    printed.extend([listening.line(), listening.line()]);
    assert!(printed[printed.len() - 2].contains(&id));
    let secret = printed[3].split_whitespace().nth(2).expect("a secret").to_owned();
    let (rest, code) = listening.interrupt();
    printed.extend(rest);
    assert_eq!(code, 0);

    let page = page("webhooks.md");
    let (_, after) = page.split_once("```\nforwarding ").expect("the page shows it");
    let (shown, _) = after.split_once("\n```").expect("an end");
    let shown: Vec<_> = format!("forwarding {shown}").lines().map(mask).collect();
    assert_eq!(printed.iter().map(|line| mask(line)).collect::<Vec<_>>(), shown);
    for sequence in [3, 4] {
        assert_eq!(verified(&receiver.next(), &secret)["sequence"], sequence);
    }
    assert!(receiver.is_empty(), "a failed forward was repeated");
}

#[test]
fn it_begins_where_it_is_told_and_forwards_what_is_asked_for() {
    let home = tempfile::tempdir().unwrap();
    let server = Server::start(home.path(), &[]);
    let token = token(home.path(), &[]);
    let mut client = server.client(&token);
    // More events than fit on a page.
    let ids: Vec<_> = (0..30).map(|number| create(&mut client, &format!("l{number}"))).collect();
    rename(&mut client, &ids[0], "changed");
    rename(&mut client, &ids[1], "changed");
    let receiver = Receiver::start(&[]);
    let url = receiver.url();
    let read = |flags: &[&str], count: usize| -> Vec<i64> {
        let flags = [&["--forward", &url, "--secret", SECRET], flags].concat();
        let (listening, _) = Listening::start(home.path(), server.address, &token, &flags);
        let sequence = |_| verified(&receiver.next(), SECRET)["sequence"].as_i64().unwrap();
        let sequences = (0..count).map(sequence).collect();
        assert_eq!(listening.interrupt().1, 0);
        assert!(receiver.is_empty());
        sequences
    };
    assert_eq!(read(&["--after", "0"], 32), (1..=32).collect::<Vec<_>>());
    assert_eq!(read(&["--after", "29"], 3), [30, 31, 32]);
    assert_eq!(read(&["--after", "0", "--events", "location.updated,location.deleted"], 2), [31, 32]);
    assert_eq!(read(&["--after", "31", "--events", "*"], 1), [32]);
}

#[test]
fn it_waits_for_a_server_that_went_away_and_says_so_once() {
    let home = tempfile::tempdir().unwrap();
    let server = Server::start(home.path(), &[]);
    let (address, token) = (server.address, token(home.path(), &[]));
    let receiver = Receiver::start(&[]);
    let flags = ["--forward", &receiver.url(), "--secret", SECRET];
    let (listening, _) = Listening::start(home.path(), address, &token, &flags);
    create(&mut server.client(&token), "before");
    assert_eq!(verified(&receiver.next(), SECRET)["sequence"], 1);
    server.kill();
    wait_until("it says so", PATIENCE, || listening.said().contains("away"));
    let command = program(home.path(), &["serve", "--listen", &address.to_string()]);
    let server = Starting::command(home.path(), command).ready();
    create(&mut server.client(&token), "after");
    assert_eq!(verified(&receiver.next(), SECRET)["sequence"], 2);
    wait_until("it says so", PATIENCE, || listening.said().contains("back"));
    let said = listening.said();
    assert_eq!((said.matches("away").count(), said.matches("back").count()), (1, 1), "{said}");
    assert_eq!(listening.interrupt().1, 0);
}

#[test]
fn a_token_that_is_revoked_ends_it() {
    let home = tempfile::tempdir().unwrap();
    let server = Server::start(home.path(), &[]);
    let token = token(home.path(), &["--scopes", "events:read"]);
    let listed = run(home.path(), &["token", "list"]).stdout;
    let line = listed.lines().find(|line| line.contains("events:read")).expect("the token");
    let receiver = Receiver::start(&[]);
    let flags = ["--forward", &receiver.url()];
    let (mut listening, _) = Listening::start(home.path(), server.address, &token, &flags);
    let id = line.split(' ').next().expect("an id");
    assert_eq!(run(home.path(), &["token", "revoke", id]).code, 0);
    let (lines, code) = listening.rest();
    assert_eq!(code, 1);
    assert_eq!(
        lines.last().expect("a sum"),
        "0 events forwarded: 0 accepted, 0 failed. To go on from here: --after 0"
    );
    assert!(listening.said().contains("does not accept the token"), "{}", listening.said());
}

#[test]
fn errors_say_what_is_wrong() {
    let home = tempfile::tempdir().unwrap();
    let server = Server::start(home.path(), &[]);
    let all = token(home.path(), &[]);
    let few = token(home.path(), &["--scopes", "locations:read"]);
    let there = format!("http://{}", server.address);
    let hook = "http://127.0.0.1:1/hook";
    let listen = |token: &str, flags: &[&str]| -> Ended {
        let mut command = program(home.path(), &[&["listen"], flags].concat());
        if !token.is_empty() {
            command.env("DOCKSIDE_TOKEN", token);
        }
        ended(command)
    };
    let nowhere = "http://127.0.0.1:1";
    let cases: [(&str, &[&str], &[&str]); 11] = [
        ("", &["--forward", hook], &["--token", "DOCKSIDE_TOKEN", "dockside token create"]),
        ("dk_live_nonsense", &["--forward", hook, "--server", &there], &["does not accept the token"]),
        ("a\u{e9}\nb", &["--forward", hook, "--server", &there], &["--token"]),
        (&few, &["--forward", hook, "--server", &there], &["events:read"]),
        (&all, &["--forward", hook, "--server", nowhere], &[nowhere, "--server"]),
        (&all, &["--forward", hook, "--server", "localhost:8080"], &["--server", "http://"]),
        (&all, &["--forward", hook, "--server", &format!("{there}/api/")], &["404", "Dockside"]),
        (&all, &["--forward", "localhost:3000/hook", "--server", &there], &["--forward", "http://"]),
        (
            &all,
            &["--forward", hook, "--server", &there, "--events", "order.made"],
            &["order.made", "order.created"],
        ),
        (&all, &["--forward", hook, "--server", &there, "--after", "7"], &["--after 7", "sequence 0"]),
        (&all, &["--forward", hook, "--server", &there, "--secret", "whsec_x"], &["--secret"]),
    ];
    for (token, flags, words) in cases {
        let Ended { code, stdout, stderr } = listen(token, flags);
        assert_eq!((code, stdout.as_str(), stderr.lines().count()), (1, "", 1), "{flags:?}: {stderr}");
        assert!(words.iter().all(|word| stderr.contains(word)), "{flags:?}: {stderr}");
        assert!(!stderr.contains(&all) && !stderr.contains(&few), "a token is shown: {stderr}");
    }
    let help = listen(&all, &["--help"]);
    assert!(help.code == 0 && help.stdout.contains("DOCKSIDE_TOKEN"), "{}", help.stdout);
    assert!(!help.stdout.contains(&all), "the help shows the token");
}
