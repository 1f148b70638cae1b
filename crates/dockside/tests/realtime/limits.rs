//! The limits of one client, and of the number of clients.

use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Error;

use crate::log::STUCK;
use crate::single_server::Single;
use crate::stream_account::StreamAccount;
use crate::subscription_races::ask;
use crate::websocket_client::{Ask, Socket};

/// Connections of one user.
const USER_MAX: usize = 20;
/// Connections in all.
const PLACES: usize = 24;
const TOO_BIG: usize = 70_000;

#[test]
fn beyond_its_limits_a_client_is_told_so() {
    let mut single = Single::start(&["--realtime-connections-max", &PLACES.to_string()]);
    let account = StreamAccount::open(single.server.address, &single.token);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let ask = ask(&account, false);
    runtime.block_on(async {
        let address = single.server.address;
        let open = async || Socket::open(address).await.expect("a place");
        commands(&mut open().await, &ask).await;
        let mut socket = open().await;
        socket.join(&ask, None).await.expect("its channel");
        socket.send("x".repeat(TOO_BIG)).await.expect("a socket");
        assert_eq!(socket.closed().await, (1009, "message too big".to_owned()));
        let mut held = Vec::new();
        for number in 0..USER_MAX {
            let mut socket = open().await;
            socket.join(&ask, None).await.unwrap_or_else(|why| panic!("connection {number}: {why}"));
            held.push(socket);
        }
        let mut beyond = open().await;
        let refused = beyond.join(&ask, None).await.expect_err("the limit of a user");
        assert!(refused.contains("3504"), "{refused}");
        // When one connection ends, another can be made.
        drop(held.pop());
        let come = async || Socket::open(address).await.map_err(drop)?.join(&ask, None).await.map_err(drop);
        let again = async { while come().await.is_err() {} };
        timeout(STUCK, again).await.expect("the place of who went is never free");
        places(held, address).await;
    });
    println!(
        "realtime on {}: connection {} of a user 3504, frame of {TOO_BIG} bytes 1009, 300 commands at once 3013, \
         connection {} in all 503",
        single.engine,
        USER_MAX + 1,
        PLACES + 1
    );
    single.server.stopped();
}

/// A hundred and fifty commands at once are answered; three hundred are too many.
async fn commands(socket: &mut Socket, ask: &Ask) {
    let frame = |count: u32| {
        let command =
            |id: u32| format!(r#"{{"id":{},"presence_stats":{{"channel":"{}"}}}}"#, id + 10, ask.channel);
        (0..count).map(command).collect::<Vec<_>>().join("\n")
    };
    socket.join(ask, None).await.expect("its channel");
    socket.send(frame(150)).await.expect("a socket");
    for id in 10..160 {
        assert_eq!(socket.message().await.expect("an answer").id, id);
    }
    socket.send(frame(300)).await.expect("a socket");
    assert_eq!(socket.closed().await, (3013, "too many requests".to_owned()));
}

/// Opens silent sockets until the server refuses them.
async fn places(mut held: Vec<Socket>, address: std::net::SocketAddr) {
    loop {
        match Socket::open(address).await {
            Ok(socket) => held.push(socket),
            Err(Error::Http(response)) => {
                assert_eq!(response.status(), 503);
                assert!(response.headers().contains_key("retry-after"));
                break;
            }
            Err(error) => panic!("{error}"),
        }
        assert!(held.len() <= PLACES, "there are more than {PLACES}");
    }
    held.pop();
    let again = async { while Socket::open(address).await.is_err() {} };
    timeout(STUCK, again).await.expect("the place of who went is never free");
}
