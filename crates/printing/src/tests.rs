//! The sender against printers on loopback that do exactly what a test says.

mod fake_ipp;

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;

use bytes::Bytes;
use outbound::SystemLookup;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use super::*;
use fake_ipp::FakePrinter;

const PDF: &str = "application/pdf";

fn sender() -> Sender {
    let networks = ["127.0.0.0/8".parse().unwrap()];
    Sender::new(&networks, Arc::new(SystemLookup::default())).unwrap()
}

fn file(media_type: &str, bytes: &'static [u8]) -> File {
    File { media_type: media_type.to_owned(), bytes: Bytes::from_static(bytes) }
}

fn job(copies: u32, files: Vec<File>) -> Job {
    Job { name: "pj_1".to_owned(), copies, media: None, files, may_be_known: false }
}

async fn print(sender: &Sender, protocol: Protocol, address: &str, job: &Job) -> Outcome {
    let destination = sender.destination(protocol, address).unwrap();
    match sender.open(&destination).await {
        Ok(printer) => printer.print(job).await,
        Err(outcome) => outcome,
    }
}

/// Takes so many connections, and returns all that came on each.
fn take(listener: TcpListener, connections: usize) -> tokio::task::JoinHandle<Vec<Vec<u8>>> {
    tokio::spawn(async move {
        let mut all = Vec::new();
        for _ in 0..connections {
            let (mut socket, _) = listener.accept().await.unwrap();
            let mut bytes = Vec::new();
            socket.read_to_end(&mut bytes).await.unwrap();
            // A printer may say something, which does not matter.
            socket.write_all(b"ready\r\n").await.unwrap();
            all.push(bytes);
        }
        all
    })
}

#[test]
fn addresses_are_read_as_their_protocol_writes_them() {
    let sender = sender();
    for (address, url, uri) in [
        ("ipp://127.0.0.1/ipp/print", "http://127.0.0.1:631/ipp/print", "ipp://127.0.0.1:631/ipp/print"),
        ("ipps://127.0.0.1", "https://127.0.0.1:631/", "ipps://127.0.0.1:631/"),
        ("IPP://127.0.0.1:80/x", "http://127.0.0.1/x", "ipp://127.0.0.1:80/x"),
        ("http://127.0.0.1:8631/p", "http://127.0.0.1:8631/p", "ipp://127.0.0.1:8631/p"),
        ("https://printer.example/p", "https://printer.example/p", "ipps://printer.example:443/p"),
    ] {
        let Destination::Ipp(read) = sender.destination(Protocol::Ipp, address).unwrap() else {
            panic!("{address} is not IPP")
        };
        assert_eq!((read.target.as_str(), read.uri.as_str()), (url, uri), "{address}");
    }
    for address in [
        "",
        "ftp://127.0.0.1/",
        "127.0.0.1",
        "ipp://",
        "ipp://8.8.8.8/",
        "ipp://a b/",
        "ipp://u:p@127.0.0.1/",
    ] {
        assert!(sender.destination(Protocol::Ipp, address).is_err(), "{address}");
    }
    assert!(sender.destination(Protocol::Raw, "127.0.0.1").is_ok());
    assert!(sender.destination(Protocol::Raw, "10.0.0.1").is_err());
}

#[tokio::test]
async fn a_raw_printer_gets_exactly_the_bytes() {
    let listener = TcpListener::bind((IpAddr::V4(Ipv4Addr::LOCALHOST), 0)).await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let labels = take(listener, 1);
    let two = job(2, vec![file(ZPL, b"^XA1^XZ\n"), file(ZPL, b"^XA2^XZ\n")]);
    assert_eq!(print(&sender(), Protocol::Raw, &address, &two).await, Outcome::Printed);
    assert_eq!(labels.await.unwrap(), [b"^XA1^XZ\n^XA2^XZ\n^XA1^XZ\n^XA2^XZ\n"]);
}

#[tokio::test]
async fn other_formats_take_a_connection_each() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let papers = take(listener, 2);
    let twice = job(2, vec![file(PDF, b"%PDF-1")]);
    assert_eq!(print(&sender(), Protocol::Raw, &address, &twice).await, Outcome::Printed);
    assert_eq!(papers.await.unwrap(), [b"%PDF-1", b"%PDF-1"]);
}

#[tokio::test]
async fn a_printer_that_is_off_got_nothing_and_one_that_breaks_off_perhaps_something() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    drop(listener);
    let label = job(1, vec![file(ZPL, b"^XA^XZ")]);
    let off = print(&sender(), Protocol::Raw, &address, &label).await;
    assert!(matches!(&off, Outcome::Unsent(why) if why.contains("refuses connections")), "{off:?}");

    let listener = TcpListener::bind(&address).await.unwrap();
    let large = job(1, vec![File { media_type: ZPL.to_owned(), bytes: vec![b'x'; 8 << 20].into() }]);
    let broken = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        socket.read_exact(&mut [0; 100]).await.unwrap();
        // Unread bytes make the system reset the connection.
    });
    let outcome = print(&sender(), Protocol::Raw, &address, &large).await;
    assert!(matches!(&outcome, Outcome::Uncertain(why) if why.contains("first byte")), "{outcome:?}");
    broken.await.unwrap();
}

#[tokio::test]
async fn an_ipp_printer_is_followed_until_the_job_has_ended() {
    let printer = FakePrinter::start().await;
    let outcome =
        print(&sender(), Protocol::Ipp, &printer.address, &job(3, vec![file(PDF, b"%PDF-1")])).await;
    assert_eq!(outcome, Outcome::Printed);
    let jobs = printer.jobs();
    assert_eq!(jobs.len(), 1);
    assert_eq!(
        (jobs[0].name.as_str(), jobs[0].document.as_slice(), jobs[0].copies),
        ("pj_1", &b"%PDF-1"[..], 3)
    );
    assert_eq!(jobs[0].format, PDF);
}

#[tokio::test]
async fn what_an_ipp_printer_refuses_is_told_apart() {
    let printer = FakePrinter::start().await;
    let one = |media_type: &str| job(1, vec![file(media_type, b"x")]);
    let outcome = print(&sender(), Protocol::Ipp, &printer.address, &one("image/png")).await;
    assert_eq!(outcome, Outcome::Failed("The printer does not take image/png.".to_owned()));
    let outcome = print(&sender(), Protocol::Ipp, &printer.address, &job(1000, vec![file(PDF, b"x")])).await;
    assert_eq!(outcome, Outcome::Failed("The printer makes at most 99 copies.".to_owned()));
    printer.refuse(0x0507);
    let outcome = print(&sender(), Protocol::Ipp, &printer.address, &one(PDF)).await;
    assert!(matches!(outcome, Outcome::Unsent(_)), "{outcome:?}");
    printer.refuse(0x040b);
    let outcome = print(&sender(), Protocol::Ipp, &printer.address, &one(PDF)).await;
    assert!(matches!(outcome, Outcome::Failed(_)), "{outcome:?}");
    assert_eq!(printer.jobs().len(), 0);
}

#[tokio::test]
async fn a_job_whose_answer_is_lost_is_found_by_its_name() {
    let printer = FakePrinter::start().await;
    printer.lose_answer(true);
    let label = job(1, vec![file(PDF, b"%PDF-1")]);
    assert_eq!(print(&sender(), Protocol::Ipp, &printer.address, &label).await, Outcome::Printed);
    assert_eq!(printer.jobs().len(), 1);
    // The printer lost it: whether it came out is unknown.
    printer.lose_answer(false);
    let second = Job { name: "pj_2".to_owned(), ..label.clone() };
    let outcome = print(&sender(), Protocol::Ipp, &printer.address, &second).await;
    assert!(matches!(&outcome, Outcome::Uncertain(why) if why.contains("answer was lost")), "{outcome:?}");
    // A later process finds the first and not the second.
    let destination = sender().destination(Protocol::Ipp, &printer.address).unwrap();
    assert_eq!(sender().find(&destination, &label).await, Outcome::Printed);
    assert!(matches!(sender().find(&destination, &second).await, Outcome::Uncertain(_)));
}

#[tokio::test]
async fn a_repetition_sends_only_the_files_that_the_printer_does_not_have() {
    let printer = FakePrinter::start().await;
    let both = job(1, vec![file(PDF, b"first"), file(PDF, b"second")]);
    printer.refuse_second(0x0506);
    let outcome = print(&sender(), Protocol::Ipp, &printer.address, &both).await;
    assert!(matches!(outcome, Outcome::Unsent(_)), "{outcome:?}");
    let again = Job { may_be_known: true, ..both };
    assert_eq!(print(&sender(), Protocol::Ipp, &printer.address, &again).await, Outcome::Printed);
    let names: Vec<_> = printer.jobs().iter().map(|job| job.name.clone()).collect();
    assert_eq!(names, ["pj_1-1", "pj_1-2"]);
}
