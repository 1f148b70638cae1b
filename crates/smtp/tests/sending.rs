//! The client with a mail server on the loopback that takes messages, and that fails in each way.

#![expect(clippy::unwrap_used, reason = "a test that fails should stop there")]

use std::time::Duration;

use smtp::{
    Credentials, Failure, Mailbox, Message, RootCertStore, Sender, Server, Settings, Stage, tls_config,
};
use testkit::mail_server::{Encryption, Fault, MailServer, PASSWORD, USER};

fn message(recipient: &str) -> Message {
    Message {
        from: Mailbox::parse("Dockside <dockside@acme.example>").unwrap(),
        to: Mailbox { name: Some("Zoë \"Z\"".to_owned()), ..Mailbox::parse(recipient).unwrap() },
        subject: "Reset".to_owned(),
        id: "mail_01@acme.example".to_owned(),
        date: "Sun, 1 Nov 2026 09:00:00 +0000".to_owned(),
        text: ".\r\n..\nhttps://dockside.example.com/console/sign-in/mail#dkl_secret\n".to_owned(),
        html: "<p>x</p>".to_owned(),
    }
}

fn settings(server: &MailServer) -> Settings {
    Settings {
        server: Server::parse(&server.url()).unwrap(),
        credentials: Some(Credentials { user: USER.to_owned(), password: PASSWORD.to_owned() }),
        allows_plain: false,
        tls: tls_config(Some(server.certificate.as_bytes()), RootCertStore::empty).unwrap(),
        time_limit: Duration::from_secs(10),
    }
}

async fn send(settings: Settings) -> Result<(), Failure> {
    Sender::new(settings).send(&message("ada@acme.example"), &|| true).await
}

#[tokio::test]
async fn a_message_is_sent_encrypted_and_by_a_known_user() {
    for encryption in [Encryption::StartTls, Encryption::Tls] {
        let server = MailServer::start(encryption).await;
        send(settings(&server)).await.unwrap();
        let received = server.take();
        assert_eq!(received.len(), 1);
        assert!(received[0].is_encrypted && received[0].has_signed_in);
        let ends = (received[0].sender.as_str(), received[0].recipient.as_str());
        assert_eq!(ends, ("dockside@acme.example", "ada@acme.example"));
        assert_eq!(
            received[0].text.as_bytes(),
            message("ada@acme.example").bytes(),
            "full stops come through"
        );
        assert_eq!(received[0].link().1, "dkl_secret");
    }
}

#[tokio::test]
async fn a_server_without_tls_gets_no_password_and_no_message_unless_it_is_allowed() {
    let server = MailServer::start(Encryption::None).await;
    let failure = send(settings(&server)).await.unwrap_err();
    assert_eq!((failure.stage, failure.is_final), (Stage::Tls, false), "{failure}");
    let failure = send(Settings { allows_plain: true, ..settings(&server) }).await.unwrap_err();
    assert_eq!(failure.stage, Stage::SignIn, "{failure}");
    assert!(server.received().is_empty());
    send(Settings { allows_plain: true, credentials: None, ..settings(&server) }).await.unwrap();
    assert!(!server.received()[0].is_encrypted);
}

#[tokio::test]
async fn a_certificate_of_another_authority_or_name_is_refused() {
    let (server, other) =
        (MailServer::start(Encryption::StartTls).await, MailServer::start(Encryption::Tls).await);
    let roots = tls_config(Some(other.certificate.as_bytes()), RootCertStore::empty).unwrap();
    let failure = send(Settings { tls: roots, ..settings(&server) }).await.unwrap_err();
    assert_eq!(failure.stage, Stage::Tls, "{failure}");
    let by_name = format!("smtp://localhost:{}", server.address.port());
    let failure =
        send(Settings { server: Server::parse(&by_name).unwrap(), ..settings(&server) }).await.unwrap_err();
    assert_eq!(failure.stage, Stage::Tls, "{failure}");
    assert!(server.received().is_empty());
    assert!(tls_config(Some(b"no certificate"), RootCertStore::empty).is_err());
}

#[tokio::test]
async fn what_arrives_before_tls_is_not_believed() {
    let server = MailServer::start(Encryption::StartTls).await;
    server.fail([Fault::Inject]);
    let failure = send(settings(&server)).await.unwrap_err();
    assert_eq!(failure.stage, Stage::Tls, "{failure}");
}

#[tokio::test]
async fn each_failure_says_how_far_it_came_and_whether_it_lasts() {
    let server = MailServer::start(Encryption::StartTls).await;
    let cases = [
        (Fault::Close, Stage::Greeting, false),
        (Fault::Answer("EHLO", "421 4.3.2 later"), Stage::Greeting, false),
        (Fault::Answer("STARTTLS", "454 4.7.0 later"), Stage::Tls, false),
        (Fault::Answer("AUTH", "535 5.7.8 wrong"), Stage::SignIn, false),
        (Fault::Answer("AUTH", "334 more"), Stage::SignIn, false),
        (Fault::Answer("MAIL", "451 4.3.0 later"), Stage::Sender, false),
        (Fault::Answer("MAIL", "550 5.7.1 not you"), Stage::Sender, false),
        (Fault::Answer("RCPT", "450 4.2.0 greylisted"), Stage::Recipient, false),
        (Fault::Answer("RCPT", "554 5.7.1 relay access denied"), Stage::Recipient, false),
        (Fault::Answer("RCPT", "550 5.1.1 no such user"), Stage::Recipient, true),
        (Fault::Answer("DATA", "452 4.3.1 full"), Stage::Message, false),
        (Fault::Answer(".", "451 4.3.0 later"), Stage::Message, false),
        (Fault::Answer(".", "554 5.6.0 https://x/#dkl_secret is spam"), Stage::Message, true),
        (Fault::Answer("RCPT", "nonsense"), Stage::Recipient, false),
    ];
    for (fault, stage, is_final) in cases {
        server.fail([fault.clone()]);
        let failure = send(settings(&server)).await.unwrap_err();
        assert_eq!((failure.stage, failure.is_final), (stage, is_final), "{fault:?}: {failure}");
        for secret in ["dkl_secret", PASSWORD, "spam"] {
            assert!(!failure.to_string().contains(secret), "{fault:?}: {failure}");
        }
    }
    assert!(server.received().is_empty());
}

#[tokio::test]
async fn a_message_whose_answer_was_lost_is_sent_again_as_it_was() {
    let server = MailServer::start(Encryption::StartTls).await;
    server.fail([Fault::LoseAnswer]);
    let failure = send(settings(&server)).await.unwrap_err();
    assert_eq!((failure.stage, failure.is_final), (Stage::Message, false), "{failure}");
    send(settings(&server)).await.unwrap();
    let received = server.received();
    assert_eq!(received.len(), 2);
    assert_eq!(received[0].text, received[1].text);
    assert_eq!(received[0].header("Message-ID"), "<mail_01@acme.example>");
}

#[tokio::test]
async fn a_server_that_hangs_is_left_after_the_time_limit() {
    let server = MailServer::start(Encryption::StartTls).await;
    server.fail([Fault::Hang]);
    let limit = Duration::from_millis(300);
    let failure = send(Settings { time_limit: limit, ..settings(&server) }).await.unwrap_err();
    assert_eq!((failure.stage, failure.is_final), (Stage::Greeting, false), "{failure}");
    let address = server.address;
    drop(server);
    let server =
        Server { security: smtp::Security::StartTls, host: "127.0.0.1".to_owned(), port: address.port() };
    let tls = tls_config(None, RootCertStore::empty).unwrap();
    let gone = Settings { server, credentials: None, allows_plain: true, tls, time_limit: limit };
    assert!(send(gone).await.is_err());
}

#[tokio::test]
async fn a_message_that_is_no_longer_wanted_is_not_sent() {
    let server = MailServer::start(Encryption::StartTls).await;
    Sender::new(settings(&server)).send(&message("ada@acme.example"), &|| false).await.unwrap_err();
    assert!(server.received().is_empty());
}

#[tokio::test]
async fn addresses_beyond_ascii_need_a_server_that_takes_them() {
    let server = MailServer::start(Encryption::StartTls).await;
    let sender = Sender::new(settings(&server));
    sender.send(&message("zoë@acme.example"), &|| true).await.unwrap();
    assert_eq!(server.take()[0].recipient, "zoë@acme.example");
    server.fail([Fault::Answer("EHLO", "250-mail\r\n250-STARTTLS\r\n250 AUTH PLAIN")]);
    let failure = sender.send(&message("zoë@acme.example"), &|| true).await.unwrap_err();
    assert_eq!((failure.stage, failure.is_final), (Stage::Recipient, true), "{failure}");
}
