//! Two servers with clients on each, and a tenth of the hints between them lost. A lost hint delays events, and loses none.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use api::server;
use api::{App, Limits};
use model::{Scopes, World};
use service::onboarding::TokenOrder;
use service::{Service, Settings, SystemClock, SystemRandom};
use store::{Db, Place};
use testkit::client::Client;
use testkit::database::Database;
use testkit::nats::Nats;
use testkit::resources::create_location;
use testkit::server::wait_until;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::{oneshot, watch};
use tokio::task::JoinHandle;

use crate::follower::{Counts, Follower};
use crate::log::{Log, STUCK};
use crate::stream_account::{StreamAccount, access_token, connection_token};
use crate::subscription_races::ask;
use crate::websocket_client::{Ask, Socket};

const LOSS_PERCENT: u8 = 10;
/// Clients of each server.
const CLIENTS: usize = 2;
/// Single writes, of which every client must get each before the next: at least so many, and so many with a lost hint.
const WRITES_MIN: u64 = 40;
const REPAIRS_MIN: usize = 3;
/// Far more writes than it takes to lose three hints.
const WRITES_MAX: u64 = 500;
/// If an event takes longer than this, its hint was lost and the server found it by polling.
const HINTED: Duration = Duration::from_millis(400);
/// A server polls every second. The rest is tolerance for a busy machine.
const REPAIRED: Duration = Duration::from_secs(10);

/// A server within this process: the program has no setting that loses hints.
struct Node {
    service: Service,
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    serving: JoinHandle<()>,
    _files: tempfile::TempDir,
}

impl Node {
    async fn start(place: Place, nats: Option<&Nats>) -> Self {
        let files = tempfile::tempdir().expect("a folder");
        let settings = Settings {
            page_limit_default: 20,
            page_limit_max: 100,
            batch_shipments_max: 100_000,
            idempotency_seconds: 24 * 3600,
            event_seconds: 24 * 3600,
            retention: service::Retention::default(),
            outbound_allow: Vec::new(),
            printer_networks: Vec::new(),
            stream: service::events::stream::Settings::default(),
            carriers: service::shipping::purchasing::Settings::default(),
            files: service::shipping::documents::Settings {
                place: service::shipping::documents::FilePlace::Folder(files.path().to_owned()),
                public_url: "http://127.0.0.1:8080".to_owned(),
                link_seconds: service::shipping::documents::LINK_SECONDS,
            },
            openid: None,
            mail: None,
            nats: nats.map(|nats| nats.url().parse().expect("an address")),
            hint_loss_percent: LOSS_PERCENT,
            signing_key: [7; 32],
            encryption_key: [8; 32],
        };
        let db = Db::open(place).await.expect("the store opens");
        let service =
            Service::new(db, Arc::new(SystemClock), Arc::new(SystemRandom), settings).expect("a service");
        let jobs = service.start_jobs().expect("jobs");
        let app = App::new(service.clone(), Limits::default()).expect("the route table is sound");
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("its address");
        let (stop, stopped) = oneshot::channel();
        let serving = tokio::spawn(async move {
            let stopped = async { drop(stopped.await) };
            server::serve(listener, app, stopped).await;
            jobs.stop().await;
        });
        Self { service, address, stop, serving, _files: files }
    }
}

#[test]
fn clients_on_every_server_hear_everything_although_hints_are_lost() {
    match std::env::var("TEST_DB").as_deref() {
        Ok("postgres") => {
            let place = |database: &Database| Place::Postgres { url: database.url.clone(), connections: 8 };
            let database = Database::create();
            prove("postgres, 2 servers, by NOTIFY", &[place(&database), place(&database)], None);
            drop(database);
            let (database, nats) = (Database::create(), Nats::start(&[]));
            prove("postgres, 2 servers, by NATS", &[place(&database), place(&database)], Some(&nats));
        }
        // SQLite has one server, which sends hints to itself and loses none.
        _ => {
            let folder = tempfile::tempdir().expect("a folder");
            let file = Path::new(folder.path()).join("dockside.db");
            prove("sqlite, 1 server", &[Place::Sqlite { file, readers: 2 }], None);
        }
    }
}

fn prove(name: &str, places: &[Place], nats: Option<&Nats>) {
    let runtime = Runtime::new().expect("a runtime");
    let nodes: Vec<_> =
        places.iter().map(|place| runtime.block_on(Node::start(place.clone(), nats))).collect();
    let token = runtime.block_on(issue(&nodes[0].service));
    let account = StreamAccount::open(nodes[0].address, &token);
    let addresses = Arc::new(Mutex::new(nodes.iter().map(|node| Some(node.address)).collect::<Vec<_>>()));
    let (tell, goal) = watch::channel(None);
    let counts = Arc::new(Counts::default());
    let followers: Vec<_> = (0..CLIENTS * nodes.len())
        .map(|number| {
            let (addresses, counts) = (Arc::clone(&addresses), Arc::clone(&counts));
            let ask = ask(&account, number / nodes.len() == 1);
            let position = Arc::default();
            let follower =
                Follower { addresses, node: number % nodes.len(), ask, from: None, counts, position };
            runtime.spawn(follower.run(goal.clone()))
        })
        .collect();
    let each = followers.len() as u64;
    wait_until("all have joined", STUCK, || counts.joined.load(Ordering::Relaxed) == each);

    let mut clients: Vec<_> =
        nodes.iter().map(|node| Client::connect(node.address, &token).expect("a server")).collect();
    let lags = write_one_by_one(&mut clients, &counts, each, nodes.len() > 1);
    let log = Log::read(&mut clients[0], lags.len());
    tell.send_replace(Some(log.head()));
    for (number, follower) in followers.into_iter().enumerate() {
        log.judge(&format!("client {number}"), &runtime.block_on(follower).unwrap());
    }
    let revoked = revoke(&runtime, &nodes, &mut clients[0]);
    report(name, lags, revoked);
    for node in nodes {
        let _over = node.stop.send(());
        runtime.block_on(node.serving).expect("an orderly end");
    }
}

async fn issue(service: &Service) -> String {
    let order = TokenOrder {
        organisation: "Acme".to_owned(),
        user: "admin@acme.example".to_owned(),
        scopes: Scopes::ALL,
        world: World::Live,
        expires_in_seconds: None,
    };
    service.onboarding.issue_token(order).await.expect("a token").as_str().to_owned()
}

/// Writes, each time at the next server, and waits until all clients have the event. Otherwise the hint of the next write
/// would hide the delay of a lost one.
fn write_one_by_one(clients: &mut [Client], counts: &Counts, each: u64, is_lossy: bool) -> Vec<Duration> {
    let mut lags: Vec<Duration> = Vec::new();
    let repairs = |lags: &[Duration]| lags.iter().filter(|lag| **lag > HINTED).count();
    while (lags.len() as u64) < WRITES_MIN || is_lossy && repairs(&lags) < REPAIRS_MIN {
        assert!((lags.len() as u64) < WRITES_MAX, "no hint was lost: this run is void");
        let turn = lags.len() % clients.len();
        create_location(&mut clients[turn]);
        let began = Instant::now();
        let goal = (lags.len() as u64 + 1) * each;
        wait_until("all have heard it", REPAIRED, || counts.told.load(Ordering::Relaxed) >= goal);
        lags.push(began.elapsed());
    }
    lags
}

/// Revokes an access token at the first server. Returns how long it took until all servers closed its connections.
fn revoke(runtime: &Runtime, nodes: &[Node], client: &mut Client) -> Duration {
    let (id, secret, _) = access_token(client, &["events:read"]);
    let token = connection_token(nodes[0].address, &secret).expect("a token");
    let mut sockets = Vec::new();
    for node in nodes {
        let mut socket = runtime.block_on(Socket::open(node.address)).expect("a place");
        let channel = String::new();
        let ask = Ask { token: token.clone(), channel, subscription: None };
        let joined = runtime.block_on(socket.join(&ask, None));
        assert_eq!(joined.expect_err("no such channel"), "without the channel");
        sockets.push(socket);
    }
    let reply = client.request("DELETE", &format!("/access_tokens/{id}"), &[], "").expect("an answer");
    assert_eq!(reply.status, 204);
    let began = Instant::now();
    for mut socket in sockets {
        assert_eq!(runtime.block_on(socket.closed()), (3014, "state invalidated".to_owned()));
    }
    assert!(began.elapsed() < REPAIRED, "a revoked token was heard with for {:?}", began.elapsed());
    began.elapsed()
}

fn report(name: &str, mut lags: Vec<Duration>, revoked: Duration) {
    let repaired = lags.iter().filter(|lag| **lag > HINTED).count();
    lags.sort_unstable();
    let part = |percent: usize| lags[(lags.len() - 1) * percent / 100].as_millis();
    println!(
        "realtime on {name}, {LOSS_PERCENT} % of hints lost: {} single writes heard by all clients of all servers, {repaired} \
         found without a hint; from the answer to the last client p50 {} ms, p90 {} ms, max {} ms; a revoked token's \
         clients ended after {} ms",
        lags.len(),
        part(50),
        part(90),
        part(100),
        revoked.as_millis()
    );
}
