//! Websocket frames on a real socket, as other client libraries may send them.

use futures_util::{SinkExt, StreamExt};
use serde_json::json;
use tokio::net::TcpStream;
use tokio_tungstenite::client_async;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::http::HeaderValue;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{CloseCode, Data, OpCode};
use tokio_tungstenite::tungstenite::protocol::frame::{CloseFrame, Frame};
use tokio_tungstenite::tungstenite::{Bytes, Message};

use crate::single_server::Single;
use crate::stream_account::StreamAccount;
use crate::subscription_races::ask;
use crate::websocket_client::Socket;
use crate::writers::Writers;

/// The longest message that the server accepts.
const LONGEST: usize = 65_536;
const PROTOCOL: &str = "sec-websocket-protocol";

#[test]
fn frames_of_all_kinds_are_taken_or_refused_as_the_standard_says() {
    let mut single = Single::start(&[]);
    let account = StreamAccount::open(single.server.address, &single.token);
    let ask = ask(&account, false);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    runtime.block_on(async {
        let joined = async || {
            let mut socket = Socket::open(single.server.address).await.expect("a place");
            socket.join(&ask, None).await.expect("its channel");
            socket
        };
        pings(&mut joined().await).await;
        pieces(&mut joined().await).await;
        lengths(&mut joined().await).await;
        goodbye(joined().await).await;
        too_big_in_a_stream(&single, joined().await).await;
        subprotocols(&single).await;
    });
    println!(
        "realtime on {}: frames: pings, fragments, messages up to {LONGEST} bytes taken, longer ones 1009 in a stream of \
         events too, goodbyes answered, subprotocols named",
        single.engine
    );
    single.server.stopped();
}

/// Some clients ping by frames, beside the protocol's own pings.
async fn pings(socket: &mut Socket) {
    for payload in ["", "x", &"y".repeat(125)] {
        socket.stream.send(Message::Ping(Bytes::copy_from_slice(payload.as_bytes()))).await.unwrap();
        let pong = socket.stream.next().await.expect("a socket").expect("a frame");
        assert_eq!(pong, Message::Pong(Bytes::copy_from_slice(payload.as_bytes())));
    }
}

/// A message in three frames, with a ping between them.
async fn pieces(socket: &mut Socket) {
    let command = json!({ "id": 7, "presence_stats": { "channel": "x" } }).to_string();
    let (first, rest) = command.split_at(9);
    let (second, third) = rest.split_at(5);
    let frame = |text: &str, kind: Data, is_last: bool| {
        let payload = Bytes::copy_from_slice(text.as_bytes());
        Message::Frame(Frame::message(payload, OpCode::Data(kind), is_last))
    };
    socket.stream.send(frame(first, Data::Text, false)).await.unwrap();
    socket.stream.send(frame(second, Data::Continue, false)).await.unwrap();
    socket.stream.send(Message::Ping(Bytes::new())).await.unwrap();
    socket.stream.send(frame(third, Data::Continue, true)).await.unwrap();
    assert_eq!(socket.message().await.expect("an answer").id, 7);
}

/// The server accepts the longest message, and refuses one byte more.
async fn lengths(socket: &mut Socket) {
    let padded = |id: u32, length: usize| {
        let command = json!({ "id": id, "presence_stats": { "channel": "x" } }).to_string();
        format!("{}{command}", " ".repeat(length - command.len()))
    };
    for (id, length) in [(7, 125), (8, 126), (9, 65_535), (10, LONGEST)] {
        socket.send(padded(id, length)).await.unwrap();
        assert_eq!(socket.message().await.expect("an answer").id, id, "{length} bytes");
    }
    socket.send(padded(11, LONGEST + 1)).await.unwrap();
    assert_eq!(socket.closed().await, (1009, "message too big".to_owned()));
}

/// The server answers a client's close frame, and then closes the socket.
async fn goodbye(mut socket: Socket) {
    let why = CloseFrame { code: CloseCode::Normal, reason: "enough".into() };
    socket.stream.send(Message::Close(Some(why))).await.unwrap();
    loop {
        match socket.stream.next().await {
            Some(Ok(Message::Close(answer))) => {
                assert_eq!(answer.map(|answer| answer.code), Some(CloseCode::Normal));
            }
            Some(Ok(_)) => {}
            Some(Err(error)) => panic!("an end without an answer: {error}"),
            None => return,
        }
    }
}

/// A message that is too long while events arrive: the close reason must not be lost among them.
async fn too_big_in_a_stream(single: &Single, mut socket: Socket) {
    let writers = Writers::start(&single.addresses(), &single.token, 300);
    assert!(socket.message().await.expect("an event").push.is_some());
    socket.send("x".repeat(LONGEST + 1)).await.unwrap();
    assert_eq!(socket.closed().await, (1009, "message too big".to_owned()));
    tokio::task::spawn_blocking(|| writers.finish()).await.unwrap();
}

/// The server chooses and names the first subprotocol that it knows. It names none if it knows none.
async fn subprotocols(single: &Single) {
    for (offered, chosen) in [
        (None, None),
        (Some("graphql-ws"), None),
        (Some("centrifuge-json"), Some("centrifuge-json")),
        (Some("centrifuge-protobuf"), Some("centrifuge-protobuf")),
        (Some("x, centrifuge-protobuf, centrifuge-json"), Some("centrifuge-protobuf")),
    ] {
        let mut request =
            format!("ws://{}/connection/websocket", single.server.address).into_client_request().unwrap();
        if let Some(offered) = offered {
            request.headers_mut().insert(PROTOCOL, HeaderValue::from_static(offered));
        }
        let stream = TcpStream::connect(single.server.address).await.expect("a server");
        // The client's library refuses an answer that names none of its own.
        match client_async(request, stream).await {
            Ok((_, response)) => {
                let named = response.headers().get(PROTOCOL).map(|name| name.to_str().unwrap());
                assert_eq!(named, chosen, "{offered:?}");
            }
            Err(error) => assert!(offered.is_some() && chosen.is_none(), "{offered:?}: {error}"),
        }
    }
}
