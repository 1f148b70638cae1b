//! A backup that is taken while the server writes at full speed: everything that was acknowledged before it began is in it.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use carriers::sandbox::Mode;
use serde_json::json;
use testkit::client::Client;
use testkit::resources::{create, create_location, send};
use testkit::server::{Server, token, wait_until};
use testkit::shipments::create_account;

use super::{PATIENCE, backup, bought_shipment, check_database, fetch_files, restore, succeeded};

const ORDERERS: usize = 6;
const BUYERS: usize = 2;
/// Orders and shipments that are acknowledged before the first backup begins.
const ORDERS_BEFORE: usize = 300;
const SHIPMENTS_BEFORE: usize = 10;
const BACKUPS: usize = 3;
/// Units of the one item that all orders want.
const ON_HAND: i64 = 1_000_000;

/// What was acknowledged, in the order of the answers.
#[derive(Default)]
struct Acknowledged {
    orders: Mutex<Vec<String>>,
    shipments: Mutex<Vec<String>>,
    is_over: AtomicBool,
}

impl Acknowledged {
    fn counts(&self) -> (usize, usize) {
        (self.orders.lock().unwrap().len(), self.shipments.lock().unwrap().len())
    }
}

/// Clients that write without a pause.
struct Writers {
    acknowledged: Arc<Acknowledged>,
    threads: Vec<JoinHandle<()>>,
}

impl Writers {
    fn start(address: SocketAddr, token: &str) -> Self {
        let mut client = Client::connect(address, token).unwrap();
        create_account(&mut client, Mode::Idempotent, None);
        let location = create_location(&mut client);
        let item = create(&mut client, "/inventory_items", &json!({"sku": "CUBE", "name": "Cube"}));
        let level = format!("/inventory_items/{item}/levels/{location}");
        assert_eq!(send(&mut client, "PUT", &level, &json!({ "on_hand": ON_HAND })).status, 200);
        let acknowledged = Arc::new(Acknowledged::default());
        let threads = (0..ORDERERS + BUYERS).map(|number| {
            let (acknowledged, item, location) = (Arc::clone(&acknowledged), item.clone(), location.clone());
            let mut client = Client::connect(address, token).unwrap();
            std::thread::spawn(move || {
                while !acknowledged.is_over.load(Ordering::Relaxed) {
                    match number < ORDERERS {
                        true => order(&mut client, &acknowledged, &item, &location),
                        false => ship(&mut client, &acknowledged),
                    }
                }
            })
        });
        Self { threads: threads.collect(), acknowledged }
    }

    fn stop(self) {
        self.acknowledged.is_over.store(true, Ordering::Relaxed);
        self.threads.into_iter().for_each(|thread| thread.join().expect("a writer that did not panic"));
    }
}

/// Makes an order, and allocates it.
fn order(client: &mut Client, acknowledged: &Acknowledged, item: &str, location: &str) {
    let order = create(client, "/orders", &json!({ "items": [{ "id": item, "quantity": 1 }] }));
    let body = json!({ "allocations": [{ "location": { "id": location }, "items": [{ "id": item, "quantity": 1 }] }] });
    let reply = send(client, "POST", &format!("/allocations/orders/{order}"), &body);
    assert_eq!(reply.status, 201, "{reply:?}");
    acknowledged.orders.lock().unwrap().push(order);
}

/// Buys a shipment, and has its papers made twice: the second file takes the place of the first, which is deleted.
fn ship(client: &mut Client, acknowledged: &Acknowledged) {
    let shipment = bought_shipment(client);
    for format in ["a4", "a4"] {
        let papers = format!("/shipments/{shipment}/papers");
        let reply = send(client, "POST", &papers, &json!({ "format": format }));
        assert_eq!(reply.status, 201, "{reply:?}");
    }
    acknowledged.shipments.lock().unwrap().push(shipment);
}

#[test]
fn a_backup_under_load_has_everything_that_was_acknowledged_before() {
    let home = tempfile::tempdir().unwrap();
    let token = token(home.path(), &["--data", "data", "--test"]);
    let server = Server::start(home.path(), &["--data", "data"]);
    let writers = Writers::start(server.address, &token);
    let acknowledged = Arc::clone(&writers.acknowledged);
    wait_until("the store has contents", PATIENCE, || {
        let (orders, shipments) = acknowledged.counts();
        orders >= ORDERS_BEFORE && shipments >= SHIPMENTS_BEFORE
    });
    let mut before = (0, 0);
    for _ in 0..BACKUPS {
        before = acknowledged.counts();
        succeeded(backup(home.path(), &["--data", "data", "--force"]));
        let after = acknowledged.counts();
        assert!(after.0 > before.0, "nothing was written while the backup was made: this run is void");
        println!("backup under load: {before:?} acknowledged before it, {after:?} after it");
    }
    writers.stop();
    server.stop();

    succeeded(restore(home.path(), &["--data", "restored"]));
    let restored = Server::start(home.path(), &["--data", "restored"]);
    let mut client = restored.client(&token);
    for order in &acknowledged.orders.lock().unwrap()[..before.0] {
        assert_eq!(client.get(&format!("/orders/{order}")).status, 200, "{order}");
    }
    for shipment in &acknowledged.shipments.lock().unwrap()[..before.1] {
        let found = client.get(&format!("/shipments/{shipment}"));
        assert_eq!((found.status, &found.json()["status"]), (200, &json!("purchased")), "{found:?}");
    }
    let files = fetch_files(&restored, &mut client);
    assert!(files >= before.1, "{files} files of {} shipments", before.1);
    let audit = client.get("/inventory/audit").json();
    assert_eq!((&audit["is_clean"], &audit["differences"]), (&json!(true), &json!([])), "{audit}");
    assert!(restored.log().contains("a backup was restored"), "{}", restored.log());
    restored.stop();
    let events = check_database(&home.path().join("restored/dockside.db"));
    println!("restored: {} orders, {} shipments, {files} files, {events} events", before.0, before.1);
}
