//! `dockside backup` and `dockside restore`: a store that is backed up while it is written to, archives that are damaged, kills at each
//! step, and purchases that a backup does not know of.

mod damage;
mod kills;
mod load;
mod places;
mod postgres;
mod purchases;
mod secrets;

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use carriers::sandbox::Mode;
use serde_json::Value;
use testkit::client::Client;
use testkit::resources::create_location;
use testkit::server::{Ended, Server, run, token};
use testkit::shipments::{buy, create_account, create_shipment, list};

/// How long something may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);
const ARCHIVE: &str = "a.tar";

/// Makes a store in the folder `data` with a location and a bought shipment, and returns a token of its test world.
fn small_store(home: &Path, data: &str) -> String {
    let token = token(home, &["--data", data, "--test"]);
    let server = Server::start(home, &["--data", data]);
    let mut client = server.client(&token);
    create_location(&mut client);
    create_account(&mut client, Mode::Idempotent, None);
    bought_shipment(&mut client);
    server.stop();
    token
}

fn bought_shipment(client: &mut Client) -> String {
    let shipment = create_shipment(client, "BS1 4DJ");
    let reply = buy(client, &shipment, Mode::Idempotent, "wait=20").expect("an answer");
    assert_eq!(reply.json()["status"], "purchased", "{reply:?}");
    shipment
}

fn backup(home: &Path, words: &[&str]) -> Ended {
    run(home, &[&["backup", ARCHIVE], words].concat())
}

fn restore(home: &Path, words: &[&str]) -> Ended {
    run(home, &[&["restore", ARCHIVE], words].concat())
}

fn succeeded(ended: Ended) -> String {
    assert_eq!(ended.code, 0, "{} {}", ended.stdout, ended.stderr);
    ended.stdout
}

/// Fetches the file of each document of all shipments, and returns how many there are.
fn fetch_files(server: &Server, client: &mut Client) -> usize {
    let mut fetched = 0;
    for shipment in list(client, "/shipments") {
        for document in shipment["documents"].as_array().expect("a list") {
            let (status, size) = fetch(server, document);
            assert_eq!((status, Some(size)), (200, document["file_size"].as_u64()), "{document}");
            fetched += 1;
        }
    }
    fetched
}

/// Fetches a file, which is no text. Returns the status and the size of the body.
fn fetch(server: &Server, document: &Value) -> (u16, u64) {
    let url = document["file_url"].as_str().expect("a link");
    let path = url.find("/files/").map(|start| &url[start..]).expect("a link to a file");
    let mut stream = TcpStream::connect(server.address).expect("a server that listens");
    let request = format!("GET {path} HTTP/1.1\r\nHost: dockside.example\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).expect("a server that listens");
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).expect("an answer");
    let end = answer.windows(4).position(|window| window == b"\r\n\r\n").expect("the end of the head");
    let head = String::from_utf8_lossy(&answer[..end]).into_owned();
    let status = head.split(' ').nth(1).and_then(|word| word.parse().ok()).expect("a status");
    (status, (answer.len() - end - 4) as u64)
}

/// Asserts that a stopped server's database is whole, and that no log of events has a gap. Returns how many events there are.
fn check_database(file: &Path) -> i64 {
    let database = rusqlite::Connection::open(file).expect("a database");
    let check: String = database.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
    assert_eq!(check, "ok");
    let strays = database.prepare("PRAGMA foreign_key_check").unwrap().exists([]).unwrap();
    assert!(!strays, "rows refer to rows that are not there");
    let gaps = "SELECT count(*) FROM (
            SELECT owner, count(*) AS rows, min(sequence) AS first, max(sequence) AS last FROM event GROUP BY owner) e
        LEFT JOIN event_head h ON h.owner = e.owner
        WHERE e.first <> 1 OR e.last <> e.rows OR h.sequence IS NOT e.last";
    let gaps: i64 = database.query_row(gaps, [], |row| row.get(0)).unwrap();
    assert_eq!(gaps, 0, "logs with a gap");
    database.query_row("SELECT count(*) FROM event", [], |row| row.get(0)).unwrap()
}
