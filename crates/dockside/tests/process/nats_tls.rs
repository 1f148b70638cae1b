//! Encrypted connections to NATS.

use std::fs;
use std::time::Duration;

use rcgen::CertificateParams;
use testkit::database::Database;
use testkit::nats::Nats;
use testkit::server::{Server, wait_until};

use crate::certificates::{authority, certify, pem};

const LIMIT: Duration = Duration::from_secs(20);

#[test]
fn hints_go_over_an_encrypted_connection_whose_server_is_checked() {
    let folder = tempfile::tempdir().unwrap();
    let (ours, others) = (authority("ours"), authority("others"));
    let certificate = folder.path().join("nats.crt");
    certify(&ours, CertificateParams::new(["localhost".to_owned()]).unwrap(), "localhost", &certificate);
    let [ca, other] = ["ca.crt", "other.crt"].map(|name| folder.path().join(name));
    fs::write(&ca, pem("CERTIFICATE", ours.der())).unwrap();
    fs::write(&other, pem("CERTIFICATE", others.der())).unwrap();
    let key = certificate.with_extension("key");
    let (certificate, key) = (certificate.to_str().unwrap(), key.to_str().unwrap());
    let nats = Nats::start(&["--tls", "--tlscert", certificate, "--tlskey", key]);
    let database = Database::create();
    let start = |scheme: &str, host: &str, root: &str| {
        let url = format!("{scheme}://{host}:{}", nats.address.port());
        let flags = ["--database-url", &database.url, "--nats-url", &url, "--nats-sslrootcert", root];
        Server::start(folder.path(), &flags)
    };
    // Both use TLS: one because the operator's URL asks for it, one because the NATS server does.
    for scheme in ["tls", "nats"] {
        let server = start(scheme, "localhost", ca.to_str().unwrap());
        wait_until("a connection to NATS", LIMIT, || !nats.connections().is_empty());
        assert!(nats.connections()[0]["tls_version"].is_string(), "{scheme}");
        server.stop();
    }
    let refused = [("localhost", &other, "UnknownIssuer"), ("127.0.0.1", &ca, "not valid for name")];
    for (host, root, why) in refused {
        let mut server = start("tls", host, root.to_str().unwrap());
        wait_until("it says why", LIMIT, || server.log().contains(why));
        assert!(nats.connections().iter().all(|connection| connection["subscriptions"] == 0));
        server.stopped();
    }
}
