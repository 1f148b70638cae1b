//! Waves under `kill -9`: a server is killed again and again while it turns orders into shipments, and aborts at each of the
//! crash points of waves. Every order is processed exactly once, no allocation or shipment is lost or doubled, and the database,
//! the clients' journal and the stock audit agree.
//!
//! `WAVE_ORDERS` and `WAVE_KILLS` set how many orders there are and how often servers are killed.

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use service::platform::crash_point::WAVE_POINTS;
use testkit::client::Client;
use testkit::cluster::Cluster;
use testkit::random::Random;
use testkit::resources::{create, create_location, id, send};
use testkit::server::{LOOK_EVERY, Server};

use crate::crash_points::{ABORTED, Armed};
use crate::sql::Store;
use crate::wave_judge::{Journal, judge};

const ORDERS_USUAL: u64 = 240;
const KILLS_USUAL: u64 = 3;
/// Waves among which the orders are divided while servers are killed.
const WAVES: usize = 3;
/// Orders of the wave in which a server aborts: more than a group, so that there is a next group.
const ABORTED_ORDERS: usize = 150;
/// A wave that has not ended after this time is stuck. A dead server's claims are free after 10 s.
const STUCK: Duration = Duration::from_secs(180);

#[test]
fn every_order_of_a_wave_is_processed_once_on_sqlite() {
    run("sqlite");
}

#[test]
fn every_order_of_a_wave_is_processed_once_on_postgres() {
    run("postgres");
}

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |text| text.parse().expect("a whole number"))
}

fn run(engine: &str) {
    let mut random = Random::seeded(&format!("waves on {engine}"));
    let (orders, kills) = (number("WAVE_ORDERS", ORDERS_USUAL), number("WAVE_KILLS", KILLS_USUAL));
    let files = tempfile::tempdir().unwrap();
    let place = files.path().to_str().expect("a plain path");
    let mut cluster = Cluster::start_on(engine, &["--test"], &["--files", place]);
    let began = Instant::now();
    let shop = Shop::open(&mut cluster.client(0), orders);
    let mut journal = Journal::default();
    let named: Vec<_> = (0..orders).map(|number| shop.order(&mut cluster.client(0), number)).collect();
    let steps = json!(["plan", "ship", "batch"]);
    for (number, part) in named.chunks(named.len().div_ceil(WAVES)).enumerate() {
        start(&mut cluster.client(0), &mut journal, &format!("wave-{number}"), part, &steps);
    }
    let mut met = 0;
    for kill in 0..kills as usize {
        std::thread::sleep(random.within_millis(400));
        met += usize::from(is_any_running(&mut cluster.client(0), &journal));
        cluster.kill(kill % cluster.nodes);
        // The answer may have been lost, so a client asks again.
        repeat(&mut cluster.client(0), &journal);
    }
    assert!(met > 0, "no kill met a wave that was running");
    wait(&mut cluster.client(0), &journal);
    let aborts = abort_at_each_point(&mut cluster, &shop, &mut journal, orders);
    wait(&mut cluster.client(0), &journal);
    buy_to_the_end(&mut cluster.client(0));
    let audit = cluster.client(0).get("/inventory/audit").json();
    assert_eq!(audit["is_clean"], true, "{audit}");
    let store = Store::of(&cluster);
    cluster.stop();
    let verdict = judge(&store, &journal, &shop.item);
    println!(
        "waves on {engine}: {kills} kills, {met} of them while waves were running, {aborts} aborts; {verdict}; {:.1} s",
        began.elapsed().as_secs_f64()
    );
}

/// Has a server abort at each crash point of a wave, and starts it again. Returns how often it did.
fn abort_at_each_point(cluster: &mut Cluster, shop: &Shop, journal: &mut Journal, first: u64) -> usize {
    // One server, so that no other server reaches the point instead.
    cluster.servers.drain(1..).for_each(Server::stop);
    let mut client = cluster.client(0);
    // The earlier waves may have used up all stock, and without any this wave has nothing to buy.
    shop.receive(&mut client, ABORTED_ORDERS as u64);
    let numbers = first..first + ABORTED_ORDERS as u64;
    let named: Vec<_> = numbers.map(|number| shop.order(&mut client, number)).collect();
    let steps = json!(["plan", "ship", "batch", "purchase"]);
    drop(client);
    cluster.servers.remove(0).kill();
    for (place, point) in WAVE_POINTS.into_iter().enumerate() {
        // The next server takes over from the one that aborted, and aborts at the next point.
        let mut armed = Armed::start(cluster.folders[0].path(), &cluster.arguments, point);
        if place == 0 {
            let address = armed.address().expect("nothing is due, so it listens");
            let mut client = Client::connect(address, &cluster.token).expect("a server that listens");
            start(&mut client, journal, "aborted", &named, &steps);
        }
        let status = armed.ended(STUCK).unwrap_or_else(|| panic!("{point} is never reached"));
        assert_eq!(status.signal(), Some(ABORTED), "{point}: {}", armed.log());
    }
    let given: Vec<_> = cluster.arguments.iter().map(String::as_str).collect();
    cluster.servers.push(Server::start(cluster.folders[0].path(), &given));
    repeat(&mut cluster.client(0), journal);
    WAVE_POINTS.len()
}

/// A shop with one item in two warehouses, of which there is not enough for all orders.
pub struct Shop {
    pub item: String,
    locations: Vec<String>,
}

impl Shop {
    fn open(client: &mut Client, orders: u64) -> Self {
        let size = json!({"length": 10, "width": 10, "height": 10});
        let body = json!({"sku": "CUBE", "name": "Cube", "mass": 0.5, "dimensions": size});
        let item = create(client, "/inventory_items", &body);
        let inner = json!({"length": 30, "width": 30, "height": 30});
        create(client, "/package_types", &json!({"name": "Box", "handle": "box", "inner_dimensions": inner}));
        let locations: Vec<_> = (0..2).map(|_| create_location(client)).collect();
        for location in &locations {
            let locations = json!({"origin": {"id": location}, "return": {"id": location}});
            create(client, "/location_configurations", &json!({"name": "Dock", "locations": locations}));
            let path = format!("/inventory_items/{item}/levels/{location}");
            assert_eq!(send(client, "PUT", &path, &json!({"on_hand": 0})).status, 200);
        }
        let service = json!({"carrier_account": "sandbox", "carrier_service": "standard"});
        create(client, "/shipping_rules", &json!({"name": "All", "action": {"service": service}}));
        let shop = Self { item, locations };
        shop.receive(client, orders);
        shop
    }

    /// Adds stock to both warehouses: in all nine tenths of what this many orders want.
    fn receive(&self, client: &mut Client, orders: u64) {
        for location in &self.locations {
            let path = format!("/inventory_items/{}/levels/{location}", self.item);
            let level = client.get(&path).json();
            let on_hand = level["on_hand"].as_u64().unwrap_or_else(|| panic!("a level: {level}"));
            // Three of four orders want two pieces, the others one.
            let stock = json!({"on_hand": on_hand + orders * 7 / 4 * 9 / 20});
            assert_eq!(send(client, "PUT", &path, &stock).status, 200);
        }
    }

    fn order(&self, client: &mut Client, number: u64) -> String {
        let quantity = if number.is_multiple_of(4) { 1 } else { 2 };
        let address =
            json!({"line_1": "1 High St", "city": "Bristol", "post_code": "BS1 4DJ", "country_code": "GB"});
        let body = json!({
            "reference": format!("W-{number}"),
            "items": [{"id": self.item, "quantity": quantity}],
            "destination": {"address": address, "contact": {"name": "Ann Miller"}},
        });
        create(client, "/orders", &body)
    }
}

fn request(client: &mut Client, key: &str, orders: &[String], steps: &Value) -> Value {
    let body = json!({"name": key, "order_ids": orders, "steps": steps});
    let headers = [("Idempotency-Key", key)];
    let reply = client.request("POST", "/waves", &headers, &body.to_string()).expect("an answer");
    assert_eq!(reply.status, 201, "{reply:?}");
    reply.json()
}

fn start(client: &mut Client, journal: &mut Journal, key: &str, orders: &[String], steps: &Value) {
    let wave = request(client, key, orders, steps);
    journal.waves.insert(key.to_owned(), (id(&wave), orders.to_vec(), steps.clone()));
}

/// Repeats every request that started a wave. Each answer names the wave that was started first.
fn repeat(client: &mut Client, journal: &Journal) {
    for (key, (wave, orders, steps)) in &journal.waves {
        assert_eq!(id(&request(client, key, orders, steps)), *wave, "{key}");
    }
}

fn is_any_running(client: &mut Client, journal: &Journal) -> bool {
    let mut waves = journal.waves.values();
    waves.any(|(wave, ..)| client.get(&format!("/waves/{wave}")).json()["status"] != "completed")
}

/// Waits until all waves have ended.
fn wait(client: &mut Client, journal: &Journal) {
    let began = Instant::now();
    let mut open: BTreeMap<_, _> = journal.waves.iter().map(|(key, (wave, ..))| (key, wave)).collect();
    while !open.is_empty() {
        assert!(began.elapsed() < STUCK, "{open:?} are stuck");
        open.retain(|_, wave| client.get(&format!("/waves/{wave}")).json()["status"] != "completed");
        std::thread::sleep(LOOK_EVERY);
    }
}

/// Waits until no batch is being bought any more.
fn buy_to_the_end(client: &mut Client) {
    let began = Instant::now();
    while client.get("/batches?status=purchasing").json()["data"] != json!([]) {
        assert!(began.elapsed() < STUCK, "a purchase is stuck");
        std::thread::sleep(LOOK_EVERY);
    }
}
