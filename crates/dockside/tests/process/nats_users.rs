//! Who may speak to NATS: users with a password, a key or a JWT, and clients with a certificate; and what an operator is told
//! of those that may not.

use std::fs;
use std::path::Path;
use std::time::Duration;

use rcgen::{CertificateParams, ExtendedKeyUsagePurpose};
use testkit::database::Database;
use testkit::load::body;
use testkit::nats::Nats;
use testkit::server::{Server, token, wait_until};

use crate::certificates::{authority, certify, pem};

const LIMIT: Duration = Duration::from_secs(120);
/// Longer than several attempts to connect take.
const SEVERAL_ATTEMPTS: Duration = Duration::from_secs(1);
/// The failures of the hint bus in a log.
const ERROR: &str = r#""level":"warn","target":"service::events::bus""#;

/// A server of NATS that knows an operator, whose account has the user in [`CREDENTIALS`].
const OPERATOR: &str = include_str!("nats_users/server.conf");
const CREDENTIALS: &str = include_str!("nats_users/node.creds");
/// The seed of a user's key, and its public half.
const SEED: &str = "SUACPTARDOFKZ2ENI6SPG55CD36EKLL45IT2JKXALH52E7OP3RRPUWGJQY";
const PUBLIC: &str = "UB4JFHPSOGUW32J2PD6QTRUUK2H5VHZRUCHGUYUPH25YL4K24QUHZ2CQ";

/// Asserts that a server with these settings sends a hint over NATS when it has an event, and reports no error.
fn assert_hints_flow(nats: &Nats, flags: &[&str]) {
    let (folder, database) = (tempfile::tempdir().unwrap(), Database::create());
    let flags = [&["--database-url", database.url.as_str()], flags].concat();
    let token = token(folder.path(), &flags);
    let mut server = Server::start(folder.path(), &flags);
    // The first message of a connection is the probe, which shows that the subscription works.
    let has_sent = |count: u64| {
        let connections = nats.connections();
        connections.iter().any(|connection| connection["in_msgs"].as_u64() >= Some(count))
    };
    wait_until("it is connected", LIMIT, || has_sent(1));
    let made = server.client(&token).post("/locations", &body("told").to_string());
    assert_eq!(made.status, 201, "{made:?}");
    wait_until("its hint is sent", LIMIT, || has_sent(2));
    let log = server.stopped();
    assert_eq!(log.matches(ERROR).count(), 0, "{log}");
}

/// Asserts that a server with these settings runs without hints, says why once, and shows nothing that is secret.
fn assert_refused(flags: &[&str], why: &str, secret: &str) {
    let (folder, database) = (tempfile::tempdir().unwrap(), Database::create());
    let mut server =
        Server::start(folder.path(), &[&["--database-url", database.url.as_str()], flags].concat());
    wait_until("it says why", LIMIT, || server.log().contains(why));
    std::thread::sleep(SEVERAL_ATTEMPTS);
    let log = server.stopped();
    assert_eq!(log.matches(ERROR).count(), 1, "{log}");
    assert!(!log.contains(secret), "{log}");
}

fn write(folder: &Path, name: &str, text: &str) -> String {
    let file = folder.join(name);
    fs::write(&file, text).unwrap();
    file.to_str().unwrap().to_owned()
}

#[test]
fn a_wrong_password_is_reported_and_not_shown() {
    let nats = Nats::start(&["--user", "ada", "--pass", "love"]);
    let url = |password: &str| format!("nats://ada:{password}@{}", nats.address);
    assert_refused(
        &["--nats-url", &url("hatred")],
        "refuses the credentials (Authorization Violation)",
        "hatred",
    );
    assert_hints_flow(&nats, &["--nats-url", &url("love")]);
}

#[test]
fn a_password_that_changes_while_a_server_runs_is_reported() {
    let (folder, database) = (tempfile::tempdir().unwrap(), Database::create());
    let users = |password: &str| format!("authorization {{ user: ada, password: {password} }}\n");
    let file = write(folder.path(), "nats.conf", &users("love"));
    let mut nats = Nats::start(&["--config", &file]);
    let url = format!("nats://ada:love@{}", nats.address);
    let mut server = Server::start(folder.path(), &["--database-url", &database.url, "--nats-url", &url]);
    wait_until("it is connected", LIMIT, || nats.connections().len() == 1);
    nats.stop();
    write(folder.path(), "nats.conf", &users("hatred"));
    nats.start_again();
    wait_until("it says why", LIMIT, || server.log().contains("refuses the credentials"));
    nats.stop();
    write(folder.path(), "nats.conf", &users("love"));
    nats.start_again();
    wait_until("it is back", LIMIT, || server.log().contains("hint bus reconnected"));
    let log = server.stopped();
    // The loss of the connection, and that the credentials are refused.
    assert_eq!(log.matches(ERROR).count(), 2, "{log}");
}

#[test]
fn a_user_may_have_a_key_or_a_jwt_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let keys = format!("authorization {{ users: [ {{ nkey: {PUBLIC} }} ] }}\n");
    let (keys, jwts) =
        (write(folder.path(), "keys.conf", &keys), write(folder.path(), "jwts.conf", OPERATOR));
    let seed = write(folder.path(), "seed", &format!("{SEED}\n"));
    let credentials = write(folder.path(), "node.creds", CREDENTIALS);
    for (config, file) in [(&keys, &seed), (&jwts, &credentials)] {
        let nats = Nats::start(&["--config", config]);
        let url = nats.url();
        assert_hints_flow(&nats, &["--nats-url", &url, "--nats-credentials-file", file]);
        assert_refused(&["--nats-url", &url], "refuses the credentials", SEED);
    }
    let nats = Nats::start(&["--config", &keys]);
    let (url, missing) = (nats.url(), folder.path().join("missing"));
    let nonsense = write(folder.path(), "nonsense", "s3cret nonsense");
    for file in [missing.to_str().unwrap(), &nonsense] {
        let why = format!("nats_credentials_file {file} can't be used");
        assert_refused(&["--nats-url", &url, "--nats-credentials-file", file], &why, "s3cret");
    }
}

#[test]
fn a_server_may_ask_for_a_certificate() {
    let folder = tempfile::tempdir().unwrap();
    let ours = authority("ours");
    let [server, client] = ["nats.crt", "client.crt"].map(|name| folder.path().join(name));
    certify(&ours, CertificateParams::new(["localhost".to_owned()]).unwrap(), "localhost", &server);
    let mut params = CertificateParams::new([]).unwrap();
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ClientAuth];
    certify(&ours, params, "dockside", &client);
    let ca = write(folder.path(), "ca.crt", &pem("CERTIFICATE", ours.der()));
    let [server_key, client_key] = [&server, &client].map(|file| file.with_extension("key"));
    let [server, server_key, client, client_key] =
        [&server, &server_key, &client, &client_key].map(|file| file.to_str().unwrap());
    let tls = ["--tlsverify", "--tlscert", server, "--tlskey", server_key, "--tlscacert", &ca];
    let nats = Nats::start(&tls);
    let url = format!("tls://localhost:{}", nats.address.port());
    let anonymous = ["--nats-url", url.as_str(), "--nats-sslrootcert", &ca];
    assert_refused(&anonymous, "no connection to NATS", "PRIVATE");
    let known = [&anonymous[..], &["--nats-sslcert", client, "--nats-sslkey", client_key]].concat();
    assert_hints_flow(&nats, &known);
}

#[test]
fn another_server_of_the_cluster_takes_over() {
    let (folder, database) = (tempfile::tempdir().unwrap(), Database::create());
    let (mut first, mut second) = (Nats::start(&[]), Nats::start(&[]));
    second.stop();
    let urls = format!("{},{}", first.url(), second.url());
    let mut server = Server::start(folder.path(), &["--database-url", &database.url, "--nats-url", &urls]);
    wait_until("it is connected to the first", LIMIT, || first.connections().len() == 1);
    first.stop();
    second.start_again();
    wait_until("it is connected to the second", LIMIT, || second.connections().len() == 1);
    wait_until("it is back", LIMIT, || server.log().contains("hint bus reconnected"));
    server.stopped();
}
