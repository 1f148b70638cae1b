//! Hints of the real binary: a command sends its hints before it ends, and servers send hints to each other.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::time::Duration;

use testkit::database::Database;
use testkit::load::body;
use testkit::nats::Nats;
use testkit::server::{Server, run, token, wait_until};

/// Far longer than a hint takes.
const PATIENCE: Duration = Duration::from_secs(120);
const KEY: &str = "5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e5e";

/// Subscribes to the hints on NATS, without the product's own client.
struct HintListener(BufReader<TcpStream>);

impl HintListener {
    fn new(nats: &Nats) -> Self {
        let mut stream = TcpStream::connect(nats.address).expect("a server");
        stream.set_read_timeout(Some(PATIENCE)).expect("a limit");
        stream
            .write_all(b"CONNECT {\"verbose\":false}\r\nSUB dockside.> 7\r\nPING\r\n")
            .expect("it is written");
        let mut listener = Self(BufReader::new(stream));
        while listener.line() != "PONG" {}
        listener
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).expect("a line in time");
        line.trim_end().to_owned()
    }

    /// Returns the words of the next message after its version and its sender. A message without words is the probe of a
    /// server that has just connected.
    fn hears(&mut self) -> Vec<String> {
        loop {
            while !self.line().starts_with("MSG dockside.hints 7 ") {}
            let message = self.line();
            let mut words = message.split(' ').map(str::to_owned);
            assert_eq!(words.next().as_deref(), Some("1"), "{message}");
            assert!(words.next().is_some_and(|sender| sender.len() == 24), "{message}");
            let words: Vec<_> = words.collect();
            if !words.is_empty() {
                return words;
            }
        }
    }
}

/// Makes a token, and revokes it.
fn revoke(home: &Path, store: &[&str]) {
    token(home, store);
    let listed = run(home, &[&["token", "list"], store].concat()).stdout;
    let row = listed.lines().rfind(|line| line.contains("Acme")).expect("its row");
    let id = row.split(' ').next().expect("an id");
    let revoked = run(home, &[&["token", "revoke", id], store].concat());
    assert_eq!((revoked.code, revoked.stdout, revoked.stderr), (0, format!("revoked {id}\n"), String::new()));
}

#[test]
fn a_command_sends_its_hint_before_it_ends() {
    let (home, database) = (tempfile::tempdir().unwrap(), Database::create());
    let mut nats = Nats::start(&[]);
    let url = nats.url();
    let store = ["--database-url", &database.url, "--nats-url", &url];
    // Make the store before the listener connects: a server that makes it sends hints too.
    token(home.path(), &store);
    let mut listener = HintListener::new(&nats);
    revoke(home.path(), &store);
    assert_eq!(listener.hears(), ["access"]);
    nats.stop();
    // A command whose hint can't be sent still makes its change.
    revoke(home.path(), &store);
}

#[test]
fn servers_send_each_other_hints_and_an_outage_is_logged_once() {
    let (homes, database) =
        ([tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()], Database::create());
    let mut nats = Nats::start(&[]);
    let url = nats.url();
    let store =
        ["--database-url", &database.url, "--nats-url", &url, "--signing-key", KEY, "--encryption-key", KEY];
    let token = token(homes[0].path(), &store);
    let servers = homes.each_ref().map(|home| Server::start(home.path(), &store));
    let mut listener = HintListener::new(&nats);
    let made = servers[0].client(&token).post("/locations", &body("told").to_string());
    assert_eq!(made.status, 201, "{made:?}");
    let words = listener.hears();
    assert!(words.len() == 1 && words[0].starts_with("org_"), "{words:?}");

    nats.stop();
    wait_until("the outage is noticed", PATIENCE, || {
        servers.iter().all(|server| server.log().contains("hint bus disconnected"))
    });
    let made = servers[1].client(&token).post("/locations", &body("untold").to_string());
    assert_eq!(made.status, 201, "nothing depends on hints: {made:?}");
    // Time for several attempts to reconnect.
    std::thread::sleep(Duration::from_secs(1));
    nats.start_again();
    let is_back = |server: &Server| server.log().contains("hint bus reconnected");
    wait_until("they find it again", PATIENCE, || servers.iter().all(is_back));
    for mut server in servers {
        let log = server.stopped();
        assert_eq!(log.matches("hint bus disconnected").count(), 1, "{log}");
    }
}
