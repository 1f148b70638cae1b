//! The official Rust client on a single channel: it joins by a subscription token, refreshes and recovers, and stops when
//! the access token behind it is revoked.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use centrifuge::{ClientEvent, Protocol, State, SubState, Subscription, SubscriptionEvent, TokenError};
use futures_util::StreamExt;
use serde_json::Value;
use testkit::resources::create_location;
use testkit::server::wait_until;
use tokio::runtime::Runtime;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::client_proxy::ClientProxy;
use crate::log::{Log, STUCK};
use crate::official_client::{Sdk, TRANSPORTS, Transport, ending_soon};
use crate::single_server::Single;
use crate::stream_account::{StreamAccount, access_token, connection_token, subscription_token};

/// A subscription of a client, and the events that it got.
struct Joined {
    sdk: Sdk,
    subscription: Subscription,
    events: UnboundedReceiver<SubscriptionEvent>,
    fetched: Arc<AtomicU64>,
    heard: Vec<(u64, String)>,
}

impl Joined {
    fn wait<T>(
        &mut self,
        runtime: &Runtime,
        what: &str,
        pick: impl Fn(&SubscriptionEvent) -> Option<T>,
    ) -> T {
        let wait = async {
            loop {
                let event = self.events.recv().await.expect("events");
                if let SubscriptionEvent::Publication(told) = &event {
                    let data: Value = serde_json::from_slice(&told.data).expect("JSON");
                    self.heard.push((told.offset, data["id"].as_str().expect("an id").to_owned()));
                }
                if let Some(found) = pick(&event) {
                    return found;
                }
            }
        };
        let found = runtime.block_on(async { tokio::time::timeout(STUCK, wait).await });
        found.unwrap_or_else(|_| panic!("{what}: it never came; {:?}", self.sdk.client.statistics()))
    }

    fn wait_joined(&mut self, runtime: &Runtime) -> (bool, bool) {
        self.wait(runtime, "the channel", |event| match event {
            SubscriptionEvent::Subscribed(joined) => Some((joined.was_recovering, joined.recovered)),
            _ => None,
        })
    }

    fn hear_all(&mut self, runtime: &Runtime, log: &Log) {
        if self.heard.last().is_none_or(|(offset, _)| *offset < log.head()) {
            self.wait(runtime, "the last event", |event| match event {
                SubscriptionEvent::Publication(told) if told.offset == log.head() => Some(()),
                _ => None,
            });
        }
        assert_eq!(self.heard, log.0);
    }
}

/// Connects with the token `narrow`, which may not read locations, and joins the channel with a subscription token of a
/// user who may.
fn join(
    single: &Single,
    proxy: &ClientProxy,
    runtime: &Runtime,
    account: &StreamAccount,
    way: (Transport, Protocol),
    narrow: &str,
) -> Joined {
    let (address, narrow) = (single.server.address, narrow.to_owned());
    let sdk = Sdk::start(runtime, proxy.address, way, move |_| connection_token(address, &narrow));
    let fetched = Arc::new(AtomicU64::new(0));
    let (count, token) = (Arc::clone(&fetched), single.token.clone());
    let _inside = runtime.enter();
    let builder = sdk.client.new_subscription(account.channel.clone()).get_token(move |context| {
        let (turn, token) = (count.fetch_add(1, Ordering::SeqCst), token.clone());
        async move {
            let fetch = move || subscription_token(address, &token, &context.channel);
            let token = tokio::task::spawn_blocking(fetch).await?;
            let token = token.ok_or(TokenError::Unauthorized)?;
            Ok(if turn == 0 { ending_soon(&token) } else { token })
        }
    });
    let subscription = builder.build().expect("a channel");
    let mut stream = subscription.events();
    let (sender, events) = unbounded_channel();
    runtime.spawn(async move {
        while let Some(event) = stream.next().await {
            let _over = sender.send(event);
        }
    });
    subscription.subscribe();
    Joined { sdk, subscription, events, fetched, heard: Vec::new() }
}

#[test]
fn the_official_client_joins_a_channel_refreshes_it_and_recovers() {
    let mut single = Single::start(&[]);
    let (mut http, address) = (single.client(), single.server.address);
    let account = StreamAccount::open(address, &single.token);
    let (id, narrow, _) = access_token(&mut http, &["events:read"]);
    let runtime = Runtime::new().expect("a runtime");
    let proxy = ClientProxy::new(address);
    let mut all = TRANSPORTS.map(|way| join(&single, &proxy, &runtime, &account, way, &narrow));
    for joined in &mut all {
        assert_eq!(joined.wait_joined(&runtime), (false, false));
    }
    let write = |http: &mut _, count: usize| (0..count).for_each(|_| drop(create_location(http)));
    write(&mut http, 3);
    let log = Log::read(&mut http, 3);
    all.iter_mut().for_each(|joined| joined.hear_all(&runtime, &log));
    wait_until("all refresh", STUCK, || all.iter().all(|joined| joined.fetched.load(Ordering::SeqCst) >= 2));
    write(&mut http, 1);
    let log = Log::read(&mut http, 4);
    all.iter_mut().for_each(|joined| joined.hear_all(&runtime, &log));
    assert!(all.iter().all(|joined| joined.subscription.state() == SubState::Subscribed));

    proxy.cut();
    write(&mut http, 10);
    proxy.mend();
    let log = Log::read(&mut http, 14);
    for joined in &mut all {
        assert_eq!(joined.wait_joined(&runtime), (true, true));
        joined.hear_all(&runtime, &log);
    }

    // An announcement from the command line reaches all clients on that channel.
    let mut listening = all.each_mut().map(|joined| {
        let _inside = runtime.enter();
        let public = joined.sdk.client.new_subscription("system:announcements").build().expect("a channel");
        let mut told = public.publications();
        public.subscribe();
        runtime.block_on(public.ready(Some(STUCK))).expect("the channel");
        runtime.spawn(async move { told.next().await.expect("an announcement").data.clone() })
    });
    single.command(&["announce", "We move at noon."]);
    for told in &mut listening {
        let told = runtime.block_on(async { tokio::time::timeout(STUCK, told).await });
        let told: Value = serde_json::from_slice(&told.expect("it never came").unwrap()).expect("JSON");
        assert_eq!(told["message"], "We move at noon.");
    }

    // Revoke the access token at the command line: the client requests another stream token, gets none, and stops.
    single.command(&["token", "revoke", &id]);
    for joined in &mut all {
        let code = joined.sdk.wait(&runtime, "the end", |event| match event {
            ClientEvent::Disconnected(end) => Some(end.code),
            _ => None,
        });
        assert_eq!((code, joined.sdk.client.state()), (1, State::Disconnected));
        runtime.block_on(joined.sdk.client.close());
    }
    println!(
        "realtime on {}: the official Rust client on a channel by its token, in the same ways: refreshed, recovered 10 \
         events after a cut, heard an announcement, stopped when its access token was revoked",
        single.engine
    );
    drop(http);
    single.server.stopped();
}
