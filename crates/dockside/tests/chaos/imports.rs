//! Imports under `kill -9`: servers are killed again and again while one of them works off a file, and one aborts at each of the crash
//! points of imports. Every row becomes an order exactly once, and the counts of the import agree with the orders.
//!
//! `IMPORT_ORDERS` and `IMPORT_KILLS` set how many orders there are and how often servers are killed.

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use service::platform::crash_point::IMPORT_POINTS;
use testkit::client::Client;
use testkit::cluster::Cluster;
use testkit::random::Random;
use testkit::resources::create;
use testkit::server::{LOOK_EVERY, Server};

use crate::crash_points::{ABORTED, Armed};

const ORDERS_USUAL: u64 = 4000;
const KILLS_USUAL: u64 = 3;
/// Orders of the file in which a server aborts: more than a group, so that there is a next group.
const ABORTED_ORDERS: u64 = 300;
/// One row in so many is refused.
const REFUSED_EVERY: u64 = 50;
/// An import that has not ended after this time is stuck. A dead server's claims are free after 10 s.
const STUCK: Duration = Duration::from_secs(180);

#[test]
fn every_row_of_an_import_becomes_one_order_on_sqlite() {
    run("sqlite");
}

#[test]
fn every_row_of_an_import_becomes_one_order_on_postgres() {
    run("postgres");
}

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |text| text.parse().expect("a whole number"))
}

fn run(engine: &str) {
    let mut random = Random::seeded(&format!("imports on {engine}"));
    let (orders, kills) = (number("IMPORT_ORDERS", ORDERS_USUAL), number("IMPORT_KILLS", KILLS_USUAL));
    let files = tempfile::tempdir().unwrap();
    let place = files.path().to_str().expect("a plain path");
    let mut cluster = Cluster::start_on(engine, &["--test"], &["--files", place]);
    create(&mut cluster.client(0), "/inventory_items", &json!({"sku": "CUBE", "name": "Cube"}));
    let path = start(&mut cluster.client(0), "K", orders);
    let mut met = 0;
    for kill in 0..kills as usize {
        std::thread::sleep(random.within_millis(300));
        met += usize::from(cluster.client(0).get(&path).json()["status"] == "running");
        cluster.kill(kill % cluster.nodes);
    }
    assert!(met > 0, "no kill met an import that was running");
    let import = ended(&mut cluster.client(0), &path);
    judge(&mut cluster.client(0), &import, "K", orders);
    let path = abort_at_each_point(&mut cluster);
    let import = ended(&mut cluster.client(0), &path);
    judge(&mut cluster.client(0), &import, "P", ABORTED_ORDERS);
    cluster.stop();
    println!(
        "imports on {engine}: {kills} kills, {met} of them while the import was running; {orders} orders, each once"
    );
}

/// Sends a file with an order of two rows for each number, some of them with a quantity that is refused.
fn start(client: &mut Client, prefix: &str, orders: u64) -> String {
    let mut file = "reference,sku,quantity\n".to_owned();
    for number in 0..orders {
        let quantity = if is_refused(number) { "many" } else { "2" };
        file.push_str(&format!("{prefix}-{number},CUBE,1\n{prefix}-{number},CUBE,{quantity}\n"));
    }
    let path = format!("/imports/{}", create(client, "/imports", &json!({"type": "orders"})));
    let reply = client.request("PUT", &format!("{path}/content"), &[], &file).expect("an answer");
    assert_eq!(reply.status, 200, "{reply:?}");
    path
}

fn is_refused(number: u64) -> bool {
    number % REFUSED_EVERY == REFUSED_EVERY - 1
}

/// Has a server abort at each crash point of an import, and starts it again.
fn abort_at_each_point(cluster: &mut Cluster) -> String {
    // One server, so that no other server reaches the point instead.
    cluster.servers.drain(1..).for_each(Server::stop);
    cluster.servers.remove(0).kill();
    let mut path = String::new();
    for (place, point) in IMPORT_POINTS.into_iter().enumerate() {
        let mut armed = Armed::start(cluster.folders[0].path(), &cluster.arguments, point);
        if place == 0 {
            let address = armed.address().expect("nothing is due, so it listens");
            let mut client = Client::connect(address, &cluster.token).expect("a server that listens");
            path = start(&mut client, "P", ABORTED_ORDERS);
        }
        let status = armed.ended(STUCK).unwrap_or_else(|| panic!("{point} is never reached"));
        assert_eq!(status.signal(), Some(ABORTED), "{point}: {}", armed.log());
    }
    let given: Vec<_> = cluster.arguments.iter().map(String::as_str).collect();
    cluster.servers.push(Server::start(cluster.folders[0].path(), &given));
    path
}

fn ended(client: &mut Client, path: &str) -> Value {
    let began = Instant::now();
    loop {
        let import = client.get(path).json();
        if import["status"] == "completed" {
            return import;
        }
        assert!(began.elapsed() < STUCK, "the import is stuck: {import}");
        std::thread::sleep(LOOK_EVERY);
    }
}

/// Checks that each row became one order, and that the import says so.
fn judge(client: &mut Client, import: &Value, prefix: &str, orders: u64) {
    let refused = (0..orders).filter(|number| is_refused(*number)).count() as u64;
    assert_eq!(import["rows_count"], orders * 2, "{import}");
    assert_eq!(import["created_count"], orders - refused, "{import}");
    assert_eq!((&import["failed_count"], &import["skipped_count"]), (&json!(refused), &json!(0)), "{import}");
    let mut made: BTreeMap<String, i64> = BTreeMap::new();
    let mut path = "/orders?limit=100".to_owned();
    loop {
        let page = client.get(&path).json();
        for order in page["data"].as_array().expect("orders") {
            let reference = order["reference"].as_str().unwrap_or_default();
            if reference.starts_with(prefix) {
                let pieces = order["items"]
                    .as_array()
                    .expect("items")
                    .iter()
                    .map(|item| item["quantity"].as_i64().unwrap());
                assert_eq!(pieces.sum::<i64>(), 3, "{order}");
                *made.entry(reference.to_owned()).or_default() += 1;
            }
        }
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        path = format!("/orders?limit=100&cursor={cursor}");
    }
    let wanted: BTreeMap<String, i64> = (0..orders)
        .filter(|number| !is_refused(*number))
        .map(|number| (format!("{prefix}-{number}"), 1))
        .collect();
    assert!(made == wanted, "{} of {} orders, some lost or doubled", made.len(), wanted.len());
}
