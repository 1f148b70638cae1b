//! What becomes of texts that users and servers choose.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;

use crate::header::{mailbox, quoted_printable, text};
use crate::reply::read;
use crate::{Address, Mailbox, Message, Security, Server};

fn address(text: &str) -> Address {
    Address::parse(text).unwrap()
}

fn named(name: &str) -> Mailbox {
    Mailbox { name: Some(name.to_owned()), address: address("ada@acme.example") }
}

fn message(name: &str, subject: &str) -> Message {
    Message {
        from: Mailbox::parse("Dockside <dockside@acme.example>").unwrap(),
        to: named(name),
        subject: subject.to_owned(),
        id: "mail_01@acme.example".to_owned(),
        date: "Sun, 01 Nov 2026 09:00:00 +0000".to_owned(),
        text: "Hello,\n\n.a line that begins with a full stop\nZürich = 100 %\n".to_owned(),
        html: "<p>Hello</p>\n".to_owned(),
    }
}

/// Returns the headers, each unfolded.
fn headers(bytes: &[u8]) -> Vec<(String, String)> {
    let text = String::from_utf8(bytes.to_vec()).unwrap();
    let head = text.split_once("\r\n\r\n").unwrap().0.replace("\r\n ", " ");
    head.split("\r\n")
        .map(|line| line.split_once(": ").unwrap())
        .map(|(a, b)| (a.to_owned(), b.to_owned()))
        .collect()
}

/// Returns what a reader shows of a header with encoded words.
fn decoded(header: &str) -> String {
    let mut out = String::new();
    for word in header.split(' ') {
        let inner = word.strip_prefix("=?UTF-8?B?").and_then(|word| word.strip_suffix("?="));
        out.push_str(&inner.map_or_else(
            || word.to_owned(),
            |inner| String::from_utf8(STANDARD.decode(inner).unwrap()).unwrap(),
        ));
    }
    out
}

#[test]
fn addresses_that_could_end_a_command_or_a_header_are_refused() {
    for good in [
        "ada@acme.example",
        "a.b+c_d'e@x-y.example",
        "zoë@müller.example",
        "admin@localhost",
        "用户@例子.广告",
    ] {
        assert_eq!(Address::parse(good).map(|found| found.as_str().to_owned()).as_deref(), Some(good));
    }
    let long = format!("{}@acme.example", "a".repeat(250));
    for bad in [
        "",
        "@",
        "ada",
        "ada@",
        "@acme.example",
        "a@b@acme.example",
        "ada@acme.example>",
        "<ada@acme.example",
        "ada@acme.example\r\nRCPT TO:<eve@x>",
        "ada\n@acme.example",
        "\"a b\"@acme.example",
        "ada@[127.0.0.1]",
        "ada,eve@acme.example",
        "ada@acme.example ",
        "ada;@x",
        "ada@-x.example",
        "ada@x.",
        "ada\u{202e}@acme.example",
        "ada\u{a0}@acme.example",
        "ada\u{2028}@acme.example",
        &long,
    ] {
        assert_eq!(Address::parse(bad), None, "{bad:?}");
    }
    assert_eq!(address("zoë@acme.example").domain(), "acme.example");
    assert!(!address("zoë@acme.example").is_ascii());
}

#[test]
fn a_sender_has_an_address_and_perhaps_a_name() {
    let read = |text: &str| Mailbox::parse(text).map(|mailbox| mailbox.to_string());
    assert_eq!(read("ops@acme.example").as_deref(), Some("ops@acme.example"));
    assert_eq!(read("Acme Ops <ops@acme.example>").as_deref(), Some("Acme Ops <ops@acme.example>"));
    assert_eq!(read("\"Acme, Ops\" <ops@acme.example>").as_deref(), Some("Acme, Ops <ops@acme.example>"));
    for bad in
        ["", "Ops", "Ops <ops>", "Ops <ops@acme.example> x", "A\nB <ops@acme.example>", "<a@b.c>, <d@e.f>"]
    {
        assert_eq!(read(bad), None, "{bad:?}");
    }
}

#[test]
fn servers_are_read_from_their_addresses() {
    let read = |url: &str| Server::parse(url).map(|server| (server.security, server.host, server.port));
    assert_eq!(read("smtps://mail.acme.example"), Some((Security::Tls, "mail.acme.example".to_owned(), 465)));
    assert_eq!(
        read("smtp://mail.acme.example/"),
        Some((Security::StartTls, "mail.acme.example".to_owned(), 587))
    );
    assert_eq!(read("smtp://127.0.0.1:2525"), Some((Security::StartTls, "127.0.0.1".to_owned(), 2525)));
    assert_eq!(read("smtps://[::1]:26"), Some((Security::Tls, "::1".to_owned(), 26)));
    for bad in [
        "mail.acme.example",
        "http://mail",
        "smtp://",
        "smtp://a:b@mail",
        "smtp://mail:0",
        "smtp://mail:x",
        "smtp://mail:",
        "smtp://mail/x",
        "smtp://mail?x",
        "smtp://[::1",
        "smtp://[mail]",
        "smtp://ma il",
        "smtp://mail\r\n",
    ] {
        assert_eq!(read(bad), None, "{bad:?}");
    }
}

#[test]
fn names_with_quotes_letters_and_line_breaks_stay_one_header() {
    assert_eq!(mailbox(&named("Ada Lindqvist")), "\"Ada Lindqvist\" <ada@acme.example>");
    assert_eq!(mailbox(&named("Ada \"The\" \\ L")), "\"Ada \\\"The\\\" \\\\ L\" <ada@acme.example>");
    assert_eq!(mailbox(&named("Zoë")), "=?UTF-8?B?Wm/Dqw==?=\r\n <ada@acme.example>");
    assert_eq!(mailbox(&named(" \r\n ")), "<ada@acme.example>");
    assert_eq!(text("Reset\r\nBcc: eve@acme.example"), "Reset Bcc: eve@acme.example");
    assert_eq!(text("=?UTF-8?B?eA==?="), "=?UTF-8?B?PT9VVEYtOD9CP2VBPT0/PQ==?=");
    let bytes = message("Eve\r\nBcc: all@acme.example\r\n\r\nbody", "Hi\nX-Evil: 1").bytes();
    let names: Vec<_> = headers(&bytes).into_iter().map(|(name, _)| name).collect();
    let known =
        ["Date", "From", "To", "Subject", "Message-ID", "MIME-Version", "Auto-Submitted", "Content-Type"];
    assert_eq!(names, known);
}

#[test]
fn a_message_has_a_text_and_the_same_as_html() {
    let sent = String::from_utf8(message("Ada", "Reset").bytes()).unwrap();
    for part in [
        "Message-ID: <mail_01@acme.example>\r\n",
        "Content-Type: multipart/alternative;\r\n boundary=\"=_mail_01_acme_example\"\r\n\r\n--=_mail_01_acme_example\r\n",
        "\r\nHello,\r\n\r\n=2Ea line that begins with a full stop\r\nZ=C3=BCrich =3D 100 %\r\n",
        "<p>Hello</p>\r\n",
        "\r\n--=_mail_01_acme_example--\r\n",
    ] {
        assert!(sent.contains(part), "{part:?} is not in {sent}");
    }
    assert_eq!(sent.as_bytes(), message("Ada", "Reset").bytes(), "the same each time");
}

#[tokio::test]
async fn replies_are_read_within_bounds() {
    async fn reply(text: &str) -> Result<(u16, usize), String> {
        read(&mut text.as_bytes()).await.map(|reply| (reply.code, reply.lines.len()))
    }
    assert_eq!(reply("220 hello\r\n").await, Ok((220, 1)));
    assert_eq!(reply("250-a\r\n250-STARTTLS\r\n250 AUTH PLAIN\r\n").await, Ok((250, 3)));
    assert_eq!(reply("250\r\n").await, Ok((250, 1)));
    let (long, endless) = (format!("250 {}\r\n", "x".repeat(5000)), "250-x\r\n".repeat(1000));
    for bad in [
        "",
        "250",
        "25",
        "HTTP/1.1 400\r\n",
        "250-a\r\n251 b\r\n",
        "250x\r\n",
        "999 a\r\n",
        "ü50 a\r\n",
        &long,
        &endless,
    ] {
        assert!(reply(bad).await.is_err(), "{bad:.20?}");
    }
    let read = read(&mut "550-5.1.1 no\r\n550 such\x1b user\r\n".as_bytes()).await.unwrap();
    assert_eq!((read.number(), read.shown()), ("550 5.1.1".to_owned(), "550 5.1.1 no such  user".to_owned()));
    for no_status in ["550 5.1 x\r\n", "550 4.1.1 x\r\n", "550 5.1.1.1 x\r\n", "550 5.a.1 x\r\n", "550 x\r\n"]
    {
        assert_eq!(
            super::reply::read(&mut no_status.as_bytes()).await.unwrap().status(),
            None,
            "{no_status}"
        );
    }
}

/// Undoes quoted-printable.
fn from_quoted_printable(text: &str) -> Vec<u8> {
    let text = text.replace("=\r\n", "");
    let (mut out, mut bytes) = (Vec::new(), text.bytes());
    while let Some(byte) = bytes.next() {
        if byte != b'=' {
            out.push(byte);
            continue;
        }
        let pair = [bytes.next().unwrap(), bytes.next().unwrap()];
        out.push(u8::from_str_radix(std::str::from_utf8(&pair).unwrap(), 16).unwrap());
    }
    out
}

proptest! {
    #[test]
    fn any_name_and_subject_stay_in_their_header(name in "\\PC{0,300}|(?s).{0,80}", subject in "(?s).{0,300}") {
        let bytes = message(&name, &subject).bytes();
        prop_assert!(bytes.is_ascii());
        let found = headers(&bytes);
        prop_assert_eq!(found.len(), 8);
        let whole = String::from_utf8(bytes).unwrap();
        prop_assert!(whole.split("\r\n").all(|line| line.len() <= 200 && !line.contains(['\r', '\n'])));
        prop_assert!(found[2].1.ends_with("<ada@acme.example>"));
        let seen: String = decoded(&found[3].1).split_whitespace().collect();
        let meant: String = subject.chars().map(|char| if char.is_control() { ' ' } else { char }).filter(|char| !char.is_whitespace()).collect();
        prop_assert_eq!(seen, meant);
    }

    #[test]
    fn any_body_is_read_as_it_was(body in "(\\PC|\n){0,400}") {
        let sent = quoted_printable(&body);
        prop_assert!(sent.is_ascii() && sent.split("\r\n").all(|line| line.len() <= 76 && !line.starts_with('.') && !line.ends_with(' ')));
        let meant: String = body.lines().map(|line| format!("{line}\r\n")).collect();
        prop_assert_eq!(from_quoted_printable(&sent), meant.into_bytes());
    }
}
