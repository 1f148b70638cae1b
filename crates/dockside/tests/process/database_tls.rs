//! Encrypted connections to PostgreSQL: a server that accepts no others, and certificates that are wrong in every way.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rcgen::{CertificateParams, date_time_ymd};
use serde_json::json;
use testkit::server::{Server, ended, program, token};

use crate::certificates::{Authority, authority, certify, pem};

/// A PostgreSQL server for one test, with a certificate for `localhost`.
struct Encrypted {
    folder: tempfile::TempDir,
    port: String,
}

impl Encrypted {
    fn start(authority: &Authority, is_expired: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut params = CertificateParams::new(["localhost".to_owned()]).unwrap();
        if is_expired {
            params.not_before = date_time_ymd(2020, 1, 1);
            params.not_after = date_time_ymd(2021, 1, 1);
        }
        certify(authority, params, "localhost", &folder.path().join("server.crt"));
        fs::write(folder.path().join("ca.crt"), pem("CERTIFICATE", authority.der())).unwrap();
        let home = folder.path().join("postgres");
        fs::create_dir(&home).unwrap();
        // PostgreSQL runs as another user, which must pass through the folder.
        let open = Command::new("chmod").arg("711").arg(folder.path()).status().unwrap();
        assert!(open.success());
        let started = script("start").arg(&home).arg(folder.path()).status().unwrap();
        assert!(started.success());
        let url = fs::read_to_string(home.join("url")).unwrap();
        let port = url.trim().rsplit_once(':').unwrap().1.split('/').next().unwrap().to_owned();
        Self { folder, port }
    }

    fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn url(&self, user_at_host: &str, database: &str) -> String {
        format!("postgres://{user_at_host}:{}/{database}", self.port)
    }

    /// Opens the store with these flags. Returns the error, or `None`.
    fn migrate(&self, url: &str, flags: &[(&str, &Path)]) -> String {
        let mut command = program(self.folder.path(), &["migrate", "--database-url", url]);
        for (name, value) in flags {
            command.arg(name).arg(value);
        }
        let ended = ended(command);
        assert_eq!(ended.code == 0, ended.stderr.is_empty(), "{}", ended.stderr);
        ended.stderr
    }
}

fn script(action: &str) -> Command {
    let mut command = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../checks/scripts/postgres.sh"));
    command.arg(action);
    command
}

impl Drop for Encrypted {
    fn drop(&mut self) {
        let _stopped = script("stop").arg(self.folder.path().join("postgres")).status();
    }
}

#[test]
fn connections_are_encrypted_and_checked_as_far_as_the_mode_says() {
    let (ours, others) = (authority("ours"), authority("others"));
    let server = Encrypted::start(&ours, false);
    let (ca, other) = (server.file("ca.crt"), server.file("other.crt"));
    fs::write(&other, pem("CERTIFICATE", others.der())).unwrap();
    let modes = |mode: &str, host: &str, root: Option<&Path>| {
        let url = server.url(&format!("dockside@{host}"), "shop");
        let root: Vec<_> = root.into_iter().map(|root| ("--database-sslrootcert", root)).collect();
        server.migrate(&format!("{url}?sslmode={mode}"), &root)
    };
    assert!(modes("disable", "localhost", None).contains("no encryption"), "the server takes no others");
    for mode in ["prefer", "require"] {
        assert_eq!(modes(mode, "localhost", None), "", "{mode} encrypts");
    }
    assert_eq!(modes("verify-full", "localhost", Some(&ca)), "");
    assert_eq!(modes("verify-ca", "127.0.0.1", Some(&ca)), "", "the name is not checked");
    assert!(modes("verify-full", "127.0.0.1", Some(&ca)).contains("not valid for name"));
    for mode in ["require", "verify-ca", "verify-full"] {
        assert!(modes(mode, "localhost", Some(&other)).contains("UnknownIssuer"), "{mode}");
    }
    for mode in ["verify-ca", "verify-full"] {
        assert!(
            modes(mode, "localhost", None).contains("UnknownIssuer"),
            "{mode}: this machine does not know it"
        );
    }
    assert!(
        modes("verify-full", "localhost", Some(Path::new("/nowhere.pem")))
            .contains("/nowhere.pem can't be read")
    );
}

#[test]
fn a_certificate_that_has_expired_is_refused_where_it_is_checked() {
    let ours = authority("ours");
    let server = Encrypted::start(&ours, true);
    let ca = server.file("ca.crt");
    let url = server.url("dockside@localhost", "shop");
    for mode in ["verify-ca", "verify-full"] {
        let refused = server.migrate(&format!("{url}?sslmode={mode}"), &[("--database-sslrootcert", &ca)]);
        assert!(refused.contains("expired"), "{mode}: {refused}");
    }
    assert_eq!(server.migrate(&format!("{url}?sslmode=require"), &[]), "");
}

#[test]
fn a_server_works_over_encrypted_connections_with_a_certificate_of_its_own() {
    let ours = authority("ours");
    let server = Encrypted::start(&ours, false);
    let (ca, mine) = (server.file("ca.crt"), server.file("mine.crt"));
    certify(&ours, CertificateParams::new([]).unwrap(), "certified", &mine);
    let key = mine.with_extension("key");
    let url = format!("{}?sslmode=verify-full", server.url("certified@localhost", "certified"));
    let root = ("--database-sslrootcert", ca.as_path());
    assert!(server.migrate(&url, &[root]).contains("certificate"), "a role that must show one");
    assert!(server.migrate(&url, &[root, ("--database-sslcert", &mine)]).contains("sslcert needs sslkey"));

    let flags = [
        "--database-url",
        &url,
        "--database-sslrootcert",
        ca.to_str().unwrap(),
        "--database-sslcert",
        mine.to_str().unwrap(),
        "--database-sslkey",
        key.to_str().unwrap(),
    ];
    let home = tempfile::tempdir().unwrap();
    // Two servers, so that one gets the other's hints by a listening connection.
    let token = token(home.path(), &flags);
    let servers = [Server::start(home.path(), &flags), Server::start(home.path(), &flags)];
    let depot = json!({
        "name": "Depot",
        "address": {"address": {"line_1": "1 Quay Street", "city": "Bristol", "post_code": "BS1 4DJ", "country_code": "GB"}},
    });
    let made = servers[0].client(&token).post("/locations", &depot.to_string());
    assert_eq!(made.status, 201, "{}", made.body);
    let path = format!("/locations/{}", made.json()["id"].as_str().unwrap());
    assert_eq!(servers[1].client(&token).get(&path).status, 200);
    servers.into_iter().for_each(Server::stop);
}
