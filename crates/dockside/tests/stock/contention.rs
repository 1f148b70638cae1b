//! Sixty-four clients compete for twenty units: twenty clients get one.

use std::sync::Barrier;
use std::time::Instant;

use serde_json::{Value, json};
use testkit::client::{Client, Reply};
use testkit::cluster::Cluster;
use testkit::random::Random;
use testkit::resources::{create_location, send};

use crate::contended_stock::ContendedStock;
use crate::contention_run::{CLIENTS, ContentionRun};
use crate::inventory::{
    allocated, allocation_body, allocations_path, assert_clean_audit, create_item, create_order, level_path,
};

/// The units of each round. Each client wants one.
const UNITS: usize = 20;
const ROUNDS: usize = 10;
/// Orders that the clients compete for until nothing is left, one after the other.
const ORDERS: usize = 12;

#[test]
fn one_orders_reservation_is_granted_exactly() {
    let mut cluster = Cluster::start();
    let mut clients: Vec<_> = (0..CLIENTS).map(|number| cluster.client(number)).collect();
    let location = create_location(&mut clients[0]);
    let item = create_item(&mut clients[0], "contended", &location, 0);
    for _ in 0..ROUNDS {
        let order = create_order(&mut clients[0], &[&item], UNITS as i64);
        let body = allocation_body(&location, &item, 1);
        let replies =
            all_at_once(&mut clients, |_, client| send(client, "POST", &allocations_path(&order), &body));
        assert_granted(&replies, 201, "exceeds_reservation");
        let reservation = clients[1].get(&format!("/reservations?order_id={order}")).json();
        let shown = &reservation["data"][0]["items"][0];
        assert_eq!(shown, &json!({ "id": item, "quantity": UNITS, "allocated_quantity": UNITS }));
        let held = clients[2].get(&allocations_path(&order)).json();
        assert_eq!(held["data"].as_array().map(Vec::len), Some(UNITS));
    }
    assert_clean_audit(&mut clients[0]);
    drop(clients);
    cluster.stop();
    let operations = ROUNDS * CLIENTS;
    println!("one order on {}: {ROUNDS} rounds, {operations} operations, exact in each", cluster.engine);
}

#[test]
fn an_items_last_units_are_sent_exactly() {
    let mut cluster = Cluster::start();
    let mut clients: Vec<_> = (0..CLIENTS).map(|number| cluster.client(number)).collect();
    let location = create_location(&mut clients[0]);
    let item = create_item(&mut clients[0], "contended", &location, 0);
    // An order for each client, so that they compete only for the level.
    let orders: Vec<_> = (0..CLIENTS).map(|_| create_order(&mut clients[0], &[&item], 1000)).collect();
    let level = level_path(&item, &location);
    for _ in 0..ROUNDS {
        assert_eq!(send(&mut clients[0], "PUT", &level, &json!({ "on_hand": UNITS })).status, 200);
        let body = allocation_body(&location, &item, 1);
        let made = all_at_once(&mut clients, |number, client| {
            send(client, "POST", &allocations_path(&orders[number]), &body)
        });
        let ids: Vec<_> = made.iter().map(|reply| allocated(reply).remove(0)).collect();
        let replies = all_at_once(&mut clients, |number, client| {
            let body = json!({ "allocations": [{ "id": ids[number], "completed": true }] });
            send(client, "PATCH", &allocations_path(&orders[number]), &body)
        });
        assert_granted(&replies, 200, "insufficient_stock");
        assert_eq!(clients[1].get(&level).json()["on_hand"], Value::from(0));
    }
    assert_clean_audit(&mut clients[0]);
    drop(clients);
    cluster.stop();
    let operations = 2 * ROUNDS * CLIENTS;
    println!("last units on {}: {ROUNDS} rounds, {operations} operations, exact in each", cluster.engine);
}

#[test]
fn a_long_run_over_orders_and_stock_ends_exactly() {
    let mut random = Random::seeded("contention");
    let mut cluster = Cluster::start();
    let contended = ContendedStock::new(&cluster, ORDERS);
    let began = Instant::now();
    let run = ContentionRun::start(&cluster, contended, &mut random);
    let (contended, journal) = run.finish_all();
    let took = began.elapsed().as_secs_f64();
    assert_eq!(journal.broken, 0, "no connection was cut");
    let checked = journal.check(&contended, &mut cluster.client(0));
    assert_eq!(checked.orders_exhausted, ORDERS, "every order was contended for to its end");
    cluster.stop();
    let (engine, nodes) = (cluster.engine, cluster.nodes);
    println!("contention on {engine}, {nodes} servers, {CLIENTS} clients, {took:.1} s: {journal}; {checked}");
}

/// Has every client act at the same moment, and returns the answer of each.
fn all_at_once(clients: &mut [Client], work: impl Fn(usize, &mut Client) -> Reply + Sync) -> Vec<Reply> {
    let (barrier, work) = (&Barrier::new(clients.len()), &work);
    std::thread::scope(|scope| {
        let threads: Vec<_> = clients
            .iter_mut()
            .enumerate()
            .map(|(number, client)| {
                scope.spawn(move || {
                    barrier.wait();
                    work(number, client)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("a client that did not panic")).collect()
    })
}

/// Asserts that exactly as many clients as there were units got one, and that the others got the one expected refusal.
fn assert_granted(replies: &[Reply], status: u16, refusal: &str) {
    let granted = replies.iter().filter(|reply| reply.status == status).count();
    let refused = replies.iter().filter(|reply| reply.status == 409 && reply.code() == refusal).count();
    assert_eq!((granted, refused), (UNITS, CLIENTS - UNITS), "{replies:?}");
}
