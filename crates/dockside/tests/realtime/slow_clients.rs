//! The server disconnects a client that stops reading, and other clients are not delayed.

use std::sync::Arc;

use tokio::sync::watch;

use crate::follower::{Counts, Follower, lags};
use crate::log::Log;
use crate::single_server::Single;
use crate::stream_account::StreamAccount;
use crate::subscription_races::ask;
use crate::websocket_client::{Heard, Socket};
use crate::writers::Writers;

const WRITES: u64 = 3_000;
const SLOW: usize = 3;
const SOUND: usize = 3;
/// The socket buffer of a slow client.
const BUFFER_BYTES: u32 = 4 * 1024;

#[test]
fn a_client_that_does_not_read_is_closed_while_others_hear_everything() {
    let mut single = Single::start(&[]);
    let account = StreamAccount::open(single.server.address, &single.token);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let slow: Vec<_> = (0..SLOW)
        .map(|_| {
            runtime.block_on(async {
                let mut socket =
                    Socket::open_narrow(single.server.address, BUFFER_BYTES).await.expect("a place");
                socket.join(&ask(&account, false), None).await.expect("its channel");
                socket
            })
        })
        .collect();
    let (tell, goal) = watch::channel(None);
    let counts = Arc::new(Counts::default());
    let followers: Vec<_> = (0..SOUND)
        .map(|_| {
            let counts = Arc::clone(&counts);
            let addresses = single.addresses();
            let position = counts.wait_for_follower(None);
            let ask = ask(&account, false);
            let follower = Follower { addresses, node: 0, ask, from: None, counts, position };
            runtime.spawn(follower.run(goal.clone()))
        })
        .collect();
    let written =
        Writers::start_beside(&single.addresses(), &single.token, WRITES, Some(Arc::clone(&counts))).finish();
    let log = Log::read(&mut single.client(), written.acknowledged);
    tell.send_replace(Some(log.head()));
    let stories: Vec<_> = followers.into_iter().map(|follower| runtime.block_on(follower).unwrap()).collect();
    for story in &stories {
        log.judge("a sound client", story);
        assert_eq!(story.joins, 1, "a sound client was cut off: {story}");
    }
    // Only now do the slow clients read what the kernel had buffered for them, and the close code.
    let mut ends = Vec::new();
    for mut socket in slow {
        let (heard, code) = runtime.block_on(drain(&mut socket));
        assert!(matches!(code, 3008 | 3009 | 0), "closed with {code}");
        assert!(heard < log.0.len(), "the slow one was told everything: it was not slow");
        ends.push((heard, code));
    }
    println!(
        "realtime on {}: {SLOW} clients that did not read were let go during {} writes, after (events, close) {ends:?}; {} \
         others heard all, never cut off, commit to arrival {}",
        single.engine,
        log.0.len(),
        SOUND,
        lags(&stories),
    );
    single.server.stopped();
}

/// Returns how many events had reached a client, and its close code, or 0 if it got none.
async fn drain(socket: &mut Socket) -> (usize, u16) {
    let mut heard = 0;
    loop {
        let next = tokio::time::timeout(crate::log::STUCK, socket.next()).await;
        match next.expect("it was never let go") {
            Heard::Message(message) => heard += usize::from(message.push.is_some()),
            Heard::Closed(code, _) => return (heard, code),
            Heard::Gone => return (heard, 0),
        }
    }
}
