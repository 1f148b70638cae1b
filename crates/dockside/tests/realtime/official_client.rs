//! The official Rust client, unchanged, with all of its transports: it connects with the API's token, gets events, refreshes
//! its token, reconnects, reloads if the epoch has changed, and stops when the server says so.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as BASE64;
use centrifuge::{
    Client as Official, ClientBuilder, ClientEvent, Protocol, ProxyConfig, State, TokenError,
    TransportEndpoint,
};
use futures_util::StreamExt;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use testkit::resources::create_location;
use testkit::server::wait_until;
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::client_proxy::ClientProxy;
use crate::follower::now;
use crate::log::{Log, STUCK};
use crate::single_server::{SECRET, Single};
use crate::stream_account::{StreamAccount, connection_token};

/// Its transports: a websocket, or a streaming response with requests beside it.
pub const TRANSPORTS: [(Transport, Protocol); 4] = [
    (Transport::Socket, Protocol::Json),
    (Transport::Socket, Protocol::Protobuf),
    (Transport::Requests, Protocol::Json),
    (Transport::Requests, Protocol::Protobuf),
];
/// How long the first token lives, so that it must be refreshed.
const SOON_SECONDS: i64 = 3;
const QUICKLY: Duration = Duration::from_millis(20);
const AT_MOST: Duration = Duration::from_millis(200);

#[derive(Clone, Copy)]
pub enum Transport {
    Socket,
    Requests,
}

/// A client, the events that it got, and how often it requested a token.
pub struct Sdk {
    pub client: Official,
    events: UnboundedReceiver<ClientEvent>,
    pub fetched: Arc<AtomicU64>,
    /// Offsets and ids of the events that it got.
    pub heard: Vec<(u64, String)>,
}

impl Sdk {
    /// Connects with tokens that the function fetches.
    pub fn start<F>(runtime: &Runtime, address: SocketAddr, way: (Transport, Protocol), fetch: F) -> Self
    where
        F: Fn(u64) -> Option<String> + Clone + Send + Sync + 'static,
    {
        let fetched = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&fetched);
        let _inside = runtime.enter();
        let builder = builder(address, way).get_token(move |_| {
            let (fetch, turn) = (fetch.clone(), count.fetch_add(1, Ordering::SeqCst));
            async move {
                let token = tokio::task::spawn_blocking(move || fetch(turn)).await?;
                token.map(Some).ok_or(TokenError::Unauthorized)
            }
        });
        let client = builder.build().expect("settings that are sound");
        let mut stream = client.events();
        let (sender, events) = unbounded_channel();
        runtime.spawn(async move {
            while let Some(event) = stream.next().await {
                let _over = sender.send(event);
            }
        });
        client.connect().expect("a client that is open");
        Self { client, events, fetched, heard: Vec::new() }
    }

    /// Waits for an event; notes the publications on the way.
    pub fn wait<T>(&mut self, runtime: &Runtime, what: &str, pick: impl Fn(&ClientEvent) -> Option<T>) -> T {
        let wait = async {
            loop {
                let event = self.events.recv().await.expect("events");
                if let ClientEvent::ServerPublication(told) = &event {
                    let data: Value = serde_json::from_slice(&told.data).expect("JSON");
                    self.heard.push((told.offset, data["id"].as_str().expect("an id").to_owned()));
                }
                if let Some(found) = pick(&event) {
                    return found;
                }
            }
        };
        let found = runtime.block_on(async { tokio::time::timeout(STUCK, wait).await });
        found.unwrap_or_else(|_| panic!("{what}: it never came; {:?}", self.client.statistics()))
    }

    /// Waits until it has got the event with this offset on the channel.
    fn wait_for_offset(&mut self, runtime: &Runtime, channel: &str, offset: u64) {
        self.wait(runtime, "the last event", |event| match event {
            ClientEvent::ServerPublication(told) if told.channel == channel && told.offset == offset => {
                Some(())
            }
            _ => None,
        });
    }

    /// Waits until it has joined the channel. Returns whether it tried to recover, and whether it got all missed events.
    fn wait_for_channel(&mut self, runtime: &Runtime, channel: &str) -> (bool, bool) {
        self.wait(runtime, "the channel", |event| match event {
            ClientEvent::ServerSubscribed(joined) if joined.channel == channel => {
                assert!(joined.info.recoverable && joined.info.positioned);
                Some((joined.info.was_recovering, joined.info.recovered))
            }
            _ => None,
        })
    }
}

fn builder(address: SocketAddr, (way, protocol): (Transport, Protocol)) -> ClientBuilder {
    let endpoint = match way {
        Transport::Socket => TransportEndpoint::websocket(format!("ws://{address}/connection/websocket")),
        Transport::Requests => {
            TransportEndpoint::http_stream(format!("http://{address}/connection/http_stream"))
        }
    };
    Official::builder_with_transports([endpoint])
        .protocol(protocol)
        .proxy(ProxyConfig::None)
        .min_reconnect_delay(QUICKLY)
        .max_reconnect_delay(AT_MOST)
}

/// Returns the same token with an expiry that comes soon.
pub fn ending_soon(token: &str) -> String {
    let [header, claims, _] = token.split('.').collect::<Vec<_>>()[..] else { panic!("not a JWT") };
    let mut claims: Value = serde_json::from_slice(&BASE64.decode(claims).unwrap()).unwrap();
    claims["exp"] = json!(now() / 1_000_000 + SOON_SECONDS);
    let signed = format!("{header}.{}", BASE64.encode(claims.to_string()));
    let mut mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap();
    mac.update(signed.as_bytes());
    format!("{signed}.{}", BASE64.encode(mac.finalize().into_bytes()))
}

#[test]
fn the_official_client_follows_refreshes_recovers_starts_anew_and_stops() {
    // Requests have a short timeout here, and streams outlive it.
    let mut single = Single::start(&["--request-seconds", "2", "--header-seconds", "2"]);
    let address = single.server.address;
    let account = StreamAccount::open(address, &single.token);
    let channel = &account.channel;
    let runtime = Runtime::new().expect("a runtime");
    let proxy = ClientProxy::new(address);
    let mut sdks = TRANSPORTS.map(|way| {
        let token = single.token.clone();
        Sdk::start(&runtime, proxy.address, way, move |turn| {
            let token = connection_token(address, &token)?;
            Some(if turn == 0 { ending_soon(&token) } else { token })
        })
    });
    for sdk in &mut sdks {
        assert_eq!(sdk.wait_for_channel(&runtime, channel), (false, false));
    }
    let write = |count: usize| {
        let mut http = single.client();
        (0..count).for_each(|_| drop(create_location(&mut http)));
    };
    write(5);
    let log = Log::read(&mut single.client(), 5);
    hear_all(&runtime, &mut sdks, channel, &log);

    // Its token expires, it fetches another, and the connection stays.
    wait_until("all refresh", STUCK, || sdks.iter().all(|sdk| sdk.fetched.load(Ordering::SeqCst) >= 2));
    write(1);
    let log = Log::read(&mut single.client(), 6);
    hear_all(&runtime, &mut sdks, channel, &log);
    assert!(sdks.iter().all(|sdk| sdk.client.statistics().connects == 1), "a refresh is no new connection");

    // After a cut, the missed events arrive with the answer to the join.
    proxy.cut();
    write(20);
    proxy.mend();
    let log = Log::read(&mut single.client(), 26);
    for sdk in &mut sdks {
        assert_eq!(sdk.wait_for_channel(&runtime, channel), (true, true));
    }
    hear_all(&runtime, &mut sdks, channel, &log);

    // A new epoch, as after a restored backup: the server can recover nothing, and says so.
    let said = single.command(&["renew-epoch"]);
    assert!(said.contains("The epoch is now"), "{said}");
    for sdk in &mut sdks {
        assert_eq!(sdk.wait_for_channel(&runtime, channel), (true, false));
    }
    write(3);
    let log = Log::read(&mut single.client(), 29);
    hear_all(&runtime, &mut sdks, channel, &log);

    // After a deprovision, the client does not reconnect.
    assert_eq!(single.client().post("/events/deprovision", "").status, 204);
    for sdk in &mut sdks {
        let why = sdk.wait(&runtime, "the end", |event| match event {
            ClientEvent::Disconnected(end) => Some((end.code, end.reason.clone())),
            _ => None,
        });
        assert_eq!(why, (3503, "force disconnect".to_owned()));
        assert_eq!(sdk.client.state(), State::Disconnected);
        runtime.block_on(sdk.client.close());
    }
    println!(
        "realtime on {}: the official Rust client, by websocket and by http_stream, JSON and Protobuf: connected, refreshed, recovered 20 events after a cut, \
         started anew with the epoch, stopped for good; {} events each, as the log has them",
        single.engine,
        log.0.len()
    );
    single.server.stopped();
}

/// Asserts that all clients have got the log so far, and nothing else.
fn hear_all(runtime: &Runtime, sdks: &mut [Sdk], channel: &str, log: &Log) {
    for sdk in sdks {
        if sdk.heard.last().is_none_or(|(offset, _)| *offset < log.head()) {
            sdk.wait_for_offset(runtime, channel, log.head());
        }
        assert_eq!(sdk.heard, log.0);
    }
}
