//! A server that stops tells all its clients to reconnect elsewhere, and does not wait for them.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Instant;

use serde_json::json;

use crate::log::STUCK;
use crate::single_server::Single;
use crate::stream_account::StreamAccount;
use crate::subscription_races::ask;
use crate::websocket_client::Socket;

/// More clients than the server disconnects at once.
const CLIENTS: usize = 130;

#[test]
fn a_server_that_stops_tells_every_client_to_come_back() {
    let mut single = Single::start(&["--realtime-user-max", "200"]);
    let account = StreamAccount::open(single.server.address, &single.token);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let ask = ask(&account, false);
    let mut sockets = Vec::new();
    for _ in 0..CLIENTS {
        sockets.push(runtime.block_on(async {
            let mut socket = Socket::open(single.server.address).await.expect("a place");
            socket.join(&ask, None).await.expect("its channel");
            socket
        }));
    }
    let mut streaming = http_stream(&single, &account.connection);
    let closes: Vec<_> =
        sockets.into_iter().map(|mut socket| runtime.spawn(async move { socket.closed().await })).collect();
    let began = Instant::now();
    single.server.stopped();
    let took = began.elapsed();
    for close in closes {
        assert_eq!(runtime.block_on(close).unwrap(), (3001, "shutdown".to_owned()));
    }
    let mut rest = String::new();
    streaming.read_to_string(&mut rest).expect("an orderly end");
    assert!(rest.contains(r#"{"push":{"disconnect":{"code":3001,"reason":"shutdown"}}}"#), "{rest}");
    assert!(rest.ends_with("0\r\n\r\n"), "the response was cut off");
    println!(
        "realtime on {}: a server stopped in {:.1} s told {} clients 3001",
        single.engine,
        took.as_secs_f64(),
        CLIENTS + 1
    );
}

/// Connects by a response that does not end, and returns after the first answer.
fn http_stream(single: &Single, token: &str) -> TcpStream {
    let command = json!({ "id": 1, "connect": { "token": token } }).to_string();
    let mut stream = TcpStream::connect(single.server.address).expect("a server that listens");
    stream.set_read_timeout(Some(STUCK)).expect("a socket");
    let head =
        "POST /connection/http_stream HTTP/1.1\r\nHost: dockside.example\r\nContent-Type: application/json";
    write!(stream, "{head}\r\nContent-Length: {}\r\n\r\n{command}", command.len()).expect("a socket");
    let mut seen = Vec::new();
    while !String::from_utf8_lossy(&seen).contains("\"connect\"") {
        let mut chunk = [0; 4096];
        let read = stream.read(&mut chunk).expect("an answer");
        assert!(read > 0, "it ended: {}", String::from_utf8_lossy(&seen));
        seen.extend_from_slice(&chunk[..read]);
    }
    stream
}
