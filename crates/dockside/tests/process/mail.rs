//! E-mails of the real program: what its log shows, and what becomes of them when it is killed.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::time::Duration;

use serde_json::json;
use service::platform::crash_point::{MAIL_POINTS, VARIABLE};
use testkit::mail_server::{Encryption, Fault, MailServer, PASSWORD, USER};
use testkit::server::{Server, Starting, program, token, wait_until};

/// How long something may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// The signal by which a process that aborts ends.
const ABORTED: i32 = 6;

/// Returns the arguments with which a server sends by the mail server.
fn settings(folder: &Path, server: &MailServer) -> Vec<String> {
    let (roots, password) = (folder.join("mail-roots.pem"), folder.join("mail-password"));
    std::fs::write(&roots, &server.certificate).unwrap();
    std::fs::write(&password, format!("{PASSWORD}\n")).unwrap();
    let settings = [
        ("--smtp-url", server.url()),
        ("--smtp-user", USER.to_owned()),
        ("--smtp-password-file", password.display().to_string()),
        ("--smtp-sslrootcert", roots.display().to_string()),
        ("--mail-from", "Acme <dockside@acme.example>".to_owned()),
    ];
    settings.into_iter().flat_map(|(name, value)| [name.to_owned(), value]).collect()
}

fn invitation(name: &str) -> String {
    json!({"name": name, "email_address": format!("{name}@acme.example"), "roles": ["viewer"]}).to_string()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_line_of_the_log_has_a_link_an_address_or_the_password_of_the_mail_server() {
    let (home, mail) = (tempfile::tempdir().unwrap(), MailServer::start(Encryption::StartTls).await);
    let live = token(home.path(), &[]);
    let settings = settings(home.path(), &mail);
    let arguments: Vec<&str> = settings.iter().map(String::as_str).chain(["--log", "trace"]).collect();
    let mut server = Server::start(home.path(), &arguments);
    // A spam filter that repeats a link, and a server that repeats the password.
    mail.fail([
        Fault::Answer(".", "451 4.7.1 http://127.0.0.1/console/sign-in/mail#dkl_ looks like spam"),
        Fault::Answer("AUTH", "454 4.7.0 harbour-password-of-the-mail-server is not known yet"),
    ]);
    let made = server.client(&live).post("/users", &invitation("hidden"));
    assert_eq!(made.status, 201, "{made:?}");
    wait_until("the e-mail arrives", PATIENCE, || !mail.received().is_empty());
    let asked = server.client(&live).post("/password_resets", r#"{"email_address":"hidden@acme.example"}"#);
    assert_eq!(asked.status, 202, "{asked:?}");
    wait_until("the e-mail is recorded", PATIENCE, || server.log().contains("e-mail sent"));
    let log = server.stopped();
    for line in ["e-mail not sent, retrying", "451 4.7.1", "454 4.7.0", "e-mail sent"] {
        assert!(log.contains(line), "{line}: {log}");
    }
    let token = mail.received()[0].link().1;
    for secret in [token.as_str(), "dkl_", PASSWORD, "hidden@acme.example", "looks like spam"] {
        assert!(!log.contains(secret), "{secret} is in the log");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_e_mail_survives_a_crash_before_and_after_it_is_sent() {
    let (home, mail) = (tempfile::tempdir().unwrap(), MailServer::start(Encryption::Tls).await);
    let live = token(home.path(), &[]);
    let settings = settings(home.path(), &mail);
    let arguments: Vec<&str> = settings.iter().map(String::as_str).collect();
    for (point, copies) in MAIL_POINTS.into_iter().zip([1, 2]) {
        let mut command =
            program(home.path(), &[&["serve", "--listen", "127.0.0.1:0"], arguments.as_slice()].concat());
        command.env(VARIABLE, point);
        let mut armed = Starting::command(home.path(), command).ready();
        assert_eq!(armed.client(&live).post("/users", &invitation(point)).status, 201);
        let (status, _) = armed.ended(PATIENCE);
        assert_eq!(status.signal(), Some(ABORTED), "{point}: {}", armed.log());
        assert_eq!(mail.received().len(), copies - 1, "{point}");
        let server = Server::start(home.path(), &arguments);
        wait_until("the e-mail arrives", PATIENCE, || mail.received().len() == copies);
        server.stop();
        let received = mail.take();
        assert!(received.iter().all(|one| one.text == received[0].text), "{point}: the same message");
        assert_eq!(received[0].recipient, format!("{point}@acme.example"));
    }
}
