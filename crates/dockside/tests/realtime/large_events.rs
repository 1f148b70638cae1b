//! An event that is larger than a client's outbox: the socket stays open, and later events follow.

use serde_json::json;

use crate::single_server::Single;
use crate::stream_account::StreamAccount;
use crate::subscription_races::ask;
use crate::websocket_client::{Place, Socket};

/// Texts of a location that together are larger than a mebibyte.
const LISTS: usize = 20;
const TEXTS: usize = 95;
const TEXT_CHARS: usize = 250;

fn location(name: &str, lists: usize) -> String {
    let texts = vec!["\u{6771}".repeat(TEXT_CHARS); TEXTS];
    let shops: serde_json::Map<String, serde_json::Value> =
        (0..lists).map(|list| (format!("shop_{list}"), json!(texts))).collect();
    let address =
        json!({"line_1": "1 Quay Street", "city": "Bristol", "post_code": "BS1 4DJ", "country_code": "GB"});
    json!({"name": name, "address": {"address": address}, "marketplaces": shops}).to_string()
}

#[test]
fn a_large_event_leaves_sockets_open_and_is_recovered() {
    let mut single = Single::start(&[]);
    let account = StreamAccount::open(single.server.address, &single.token);
    let ask = ask(&account, false);
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let mut client = single.client();
    runtime.block_on(async {
        let mut socket = Socket::open(single.server.address).await.expect("a place");
        let joined = socket.join(&ask, None).await.expect("its channel");
        for (name, lists) in [("First", 0), ("Large", LISTS), ("Last", 0)] {
            let made = client.post("/locations", &location(name, lists));
            assert_eq!(made.status, 201, "{}", made.body);
        }
        let mut heard = Vec::new();
        while heard.len() < 3 {
            let message = socket.message().await.expect("the socket stays open");
            let publication = message.push.and_then(|push| push.publication);
            heard.extend(publication.map(|publication| (publication.offset, publication.data.is_truncated)));
        }
        let large: Vec<bool> = heard.iter().map(|(_, is_truncated)| *is_truncated).collect();
        assert_eq!(large, [false, true, false]);
        // A client that recovers from an earlier position gets the same.
        let place = Place { offset: joined.offset, epoch: joined.epoch };
        let mut other = Socket::open(single.server.address).await.expect("a place");
        let back = other.join(&ask, Some(&place)).await.expect("its channel");
        let recovered: Vec<(u64, bool)> =
            back.publications.iter().map(|event| (event.offset, event.data.is_truncated)).collect();
        assert_eq!((back.recovered, recovered), (true, heard));
    });
    println!(
        "realtime on {}: an event beyond a mebibyte came as a reference, live and recovered",
        single.engine
    );
    single.server.stopped();
}
