//! A client that is restricted to some networks: what is merely public is not reached, and neither is a name that leads
//! elsewhere.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::AsyncReadExt;
use tokio::net::TcpListener;

use super::{Answers, PATIENCE, networks, post};
use crate::{Failure, Outbound};

/// The port of printers.
const PORT: u16 = 9100;

fn restricted(to: &[&str], answers: Answers) -> Outbound {
    Outbound::only(&networks(to), Arc::new(answers)).unwrap()
}

#[test]
fn an_endpoint_is_a_host_and_a_port() {
    let client = restricted(&["10.0.0.0/8", "fd00::/8"], Answers::always(&["10.0.0.9"]));
    for (text, host, port) in [
        ("10.0.0.7", "10.0.0.7", PORT),
        ("10.0.0.7:9101", "10.0.0.7", 9101),
        ("10.0.0.7:80", "10.0.0.7", 80),
        ("10.0.0.7:443", "10.0.0.7", 443),
        ("0xa.7", "10.0.0.7", PORT),
        ("[fd00::7]:9100", "fd00::7", PORT),
        ("printer.local", "printer.local", PORT),
        ("Printer.Local:515", "printer.local", 515),
    ] {
        let read = client.parse_endpoint(text, PORT).unwrap();
        assert_eq!((read.host.to_string().as_str(), read.port), (host, port), "{text}");
    }
    for text in [
        "",
        "10.0.0.7:0",
        "10.0.0.7:99999",
        "10.0.0.7:",
        "a b",
        "printer/1",
        "user@printer",
        "printer?x",
        "printer#x",
        "ipp://printer",
        "prin\\ter",
        "11.0.0.1",
        "8.8.8.8:9100",
        "127.0.0.1",
        "[::1]",
        "::ffff:127.0.0.1",
    ] {
        let read = client.parse_endpoint(text, PORT);
        // An empty port is no port.
        assert!(read.is_err() || text == "10.0.0.7:", "{text}");
    }
    let closed = restricted(&[], Answers::always(&["10.0.0.9"]));
    assert!(closed.parse_endpoint("10.0.0.7", PORT).is_err());
    assert!(closed.parse_endpoint("printer.local", PORT).is_err());
}

#[tokio::test]
async fn only_what_the_networks_hold_is_connected() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let elsewhere = TcpListener::bind(("127.0.0.2", port)).await.unwrap();
    let client = restricted(&["127.0.0.1/32"], Answers::turns(&[&["127.0.0.1"], &["127.0.0.2"], &[]]));
    let named = client.parse_endpoint(&format!("printer.example:{port}"), PORT).unwrap();
    let socket = client.open(&named, PATIENCE).await.unwrap();
    drop(socket);
    let (mut accepted, _) = listener.accept().await.unwrap();
    assert_eq!(accepted.read(&mut [0; 8]).await.unwrap(), 0);
    // The same name leads elsewhere now, and then nowhere: neither is told from the other.
    for _ in 0..2 {
        let failure = client.open(&named, PATIENCE).await.unwrap_err();
        assert_eq!(failure, Failure::Outside { host: "printer.example".to_owned() });
        assert!(failure.is_unsent() && failure.to_string().contains("printer_networks"), "{failure}");
    }
    let reached = tokio::time::timeout(Duration::from_millis(50), elsewhere.accept()).await;
    assert!(reached.is_err(), "the other address was connected");
}

#[tokio::test]
async fn public_addresses_are_no_exception() {
    let client = restricted(&["127.0.0.1/32"], Answers::always(&["93.184.216.34"]));
    assert!(client.parse_url("https://93.184.216.34/ipp").is_err());
    let target = client.parse_url("http://printer.example:631/ipp").unwrap();
    let failure = client.send(post(target)).await.unwrap_err();
    assert_eq!(failure, Failure::Outside { host: "printer.example".to_owned() });
}
