//! Short histories of a few clients on one order's reservation, and on one item's level, each checked for
//! linearizability. Short, because the search for an explanation is exhaustive; many, because each is a new chance.

use std::sync::Barrier;

use serde_json::json;
use testkit::client::{Client, Reply};
use testkit::cluster::Cluster;
use testkit::random::Random;
use testkit::resources::{create_location, send};

use crate::inventory::{
    allocated, allocation_body, allocations_path, assert_clean_audit, create_item, create_order, level_path,
};
use crate::linearizable::{Operation, Outcome, Recorder};

const ROUNDS: usize = 200;
const CLIENTS: usize = 4;
const OPERATIONS: usize = 3;
/// Few units, so that operations exclude each other.
const UNITS: i64 = 5;
const TAKE_MOST: u64 = 3;
/// The quantity of an order that only serves to complete allocations from the level.
const PLENTY: i64 = 100_000;

/// What the clients of a round compete for.
struct Stage {
    location: String,
    item: String,
    /// One order for each client, to complete allocations from the level.
    orders: Vec<String>,
}

/// The operations of a history.
#[derive(Clone, Copy)]
enum Kind {
    /// Allocate, release everything, read the reservation.
    Reservation,
    /// Allocate, grow and shrink one's own allocation, read the reservation.
    OwnAllocation,
    /// Complete, adjust, set and read the level.
    Level,
}

#[test]
fn histories_of_one_order_and_of_one_level_are_linearizable() {
    let mut random = Random::seeded("histories");
    let mut cluster = Cluster::start();
    let mut clients: Vec<_> = (0..CLIENTS).map(|number| cluster.client(number)).collect();
    let location = create_location(&mut clients[0]);
    let item = create_item(&mut clients[0], "contended", &location, UNITS);
    let orders = (0..CLIENTS).map(|_| create_order(&mut clients[0], &[&item], PLENTY)).collect();
    let stage = Stage { location, item, orders };
    let (mut operations, mut overlapping) = (0, 0);
    for round in 0..ROUNDS {
        let kind = [Kind::Reservation, Kind::OwnAllocation, Kind::Level][round % 3];
        let (count, overlaps) = history(&stage, kind, &mut clients, &mut random);
        operations += count;
        overlapping += u64::from(overlaps > 0);
    }
    assert_clean_audit(&mut clients[0]);
    drop(clients);
    cluster.stop();
    let (engine, nodes) = (cluster.engine, cluster.nodes);
    println!(
        "histories on {engine}, {nodes} servers: {ROUNDS} checked, {operations} operations, {overlapping} histories \
         with operations at the same time"
    );
    assert!(overlapping as usize > ROUNDS / 2, "they were concurrent");
}

/// Runs the clients at once, and checks their history. Returns the number of operations and of overlaps.
fn history(stage: &Stage, kind: Kind, clients: &mut [Client], random: &mut Random) -> (usize, u64) {
    let order = match kind {
        Kind::Reservation | Kind::OwnAllocation => create_order(&mut clients[0], &[&stage.item], UNITS),
        Kind::Level => {
            let level = level_path(&stage.item, &stage.location);
            assert_eq!(send(&mut clients[0], "PUT", &level, &json!({ "on_hand": UNITS })).status, 200);
            String::new()
        }
    };
    let recorder = Recorder::new(UNITS);
    let barrier = Barrier::new(clients.len());
    std::thread::scope(|scope| {
        for (number, client) in clients.iter_mut().enumerate() {
            let random = Random(random.below(u64::MAX));
            let order = if order.is_empty() { &stage.orders[number] } else { &order };
            let mut party = Party { stage, order, client, random, own: None };
            let (recorder, barrier) = (&recorder, &barrier);
            scope.spawn(move || party.take_part(kind, number, recorder, barrier));
        }
    });
    recorder.check()
}

/// One client in a round.
struct Party<'a> {
    stage: &'a Stage,
    order: &'a str,
    client: &'a mut Client,
    random: Random,
    /// Its allocation, and how much that holds.
    own: Option<(String, i64)>,
}

impl Party<'_> {
    fn take_part(&mut self, kind: Kind, number: usize, recorder: &Recorder, barrier: &Barrier) {
        // The allocations that it will complete from the level were made before.
        let prepared: [_; OPERATIONS] = std::array::from_fn(|_| match kind {
            Kind::Level => self.prepared(),
            Kind::Reservation | Kind::OwnAllocation => (String::new(), 0),
        });
        barrier.wait();
        for prepared in &prepared {
            match kind {
                Kind::Reservation => self.on_reservation(number, recorder),
                Kind::OwnAllocation => self.on_own_allocation(number, recorder),
                Kind::Level => self.on_level(number, recorder, prepared),
            }
        }
    }

    fn units(&mut self) -> i64 {
        1 + self.random.below(TAKE_MOST) as i64
    }

    fn prepared(&mut self) -> (String, i64) {
        let units = self.units();
        let body = allocation_body(&self.stage.location, &self.stage.item, units);
        let reply = send(self.client, "POST", &allocations_path(self.order), &body);
        assert_eq!(reply.status, 201, "{reply:?}");
        (allocated(&reply).remove(0), units)
    }

    fn on_reservation(&mut self, number: usize, recorder: &Recorder) {
        match self.random.below(6) {
            0..4 => self.allocate(number, recorder),
            4 => recorder.run(number, Operation::Set(UNITS), || {
                let reply = self.client.request("DELETE", &allocations_path(self.order), &[], "");
                done(&reply.expect("an answer"), 204, "")
            }),
            _ => self.read_reservation(number, recorder),
        }
    }

    fn on_own_allocation(&mut self, number: usize, recorder: &Recorder) {
        if self.random.below(4) == 0 {
            return self.read_reservation(number, recorder);
        }
        let Some((id, held)) = self.own.clone() else { return self.allocate(number, recorder) };
        let wanted = self.units();
        let operation =
            if wanted >= held { Operation::Take(wanted - held) } else { Operation::Give(held - wanted) };
        recorder.run(number, operation, || {
            let items = json!([{ "id": self.stage.item, "quantity": wanted }]);
            let body = json!({ "allocations": [{ "id": id, "items": items }] });
            let reply = send(self.client, "PATCH", &allocations_path(self.order), &body);
            if reply.status == 200 {
                self.own = Some((id, wanted));
            }
            done(&reply, 200, "exceeds_reservation")
        });
    }

    fn allocate(&mut self, number: usize, recorder: &Recorder) {
        let units = self.units();
        recorder.run(number, Operation::Take(units), || {
            let body = allocation_body(&self.stage.location, &self.stage.item, units);
            let reply = send(self.client, "POST", &allocations_path(self.order), &body);
            if reply.status == 201 {
                self.own = Some((allocated(&reply).remove(0), units));
            }
            done(&reply, 201, "exceeds_reservation")
        });
    }

    fn read_reservation(&mut self, number: usize, recorder: &Recorder) {
        recorder.run(number, Operation::Read, || {
            let shown = self.client.get(&format!("/reservations?order_id={}", self.order)).json();
            let allocated = shown["data"][0]["items"][0]["allocated_quantity"].as_i64();
            Outcome::Left(UNITS - allocated.expect("a reservation"))
        });
    }

    fn on_level(&mut self, number: usize, recorder: &Recorder, prepared: &(String, i64)) {
        let level = level_path(&self.stage.item, &self.stage.location);
        let units = self.units();
        match self.random.below(10) {
            0..5 => recorder.run(number, Operation::Take(prepared.1), || {
                let body = json!({ "allocations": [{ "id": prepared.0, "completed": true }] });
                let reply = send(self.client, "PATCH", &allocations_path(self.order), &body);
                done(&reply, 200, "insufficient_stock")
            }),
            5 => recorder.run(number, Operation::Take(units), || self.adjust(&level, -units)),
            6 => recorder.run(number, Operation::Give(units), || self.adjust(&level, units)),
            7 => recorder.run(number, Operation::Set(units), || {
                done(&send(self.client, "PUT", &level, &json!({ "on_hand": units })), 200, "")
            }),
            _ => recorder.run(number, Operation::Read, || {
                Outcome::Left(self.client.get(&level).json()["on_hand"].as_i64().expect("a level"))
            }),
        }
    }

    fn adjust(&mut self, level: &str, delta: i64) -> Outcome {
        let reply = send(self.client, "POST", &format!("{level}/adjust"), &json!({ "delta": delta }));
        done(&reply, 200, "insufficient_stock")
    }
}

/// Returns the outcome in an answer. Panics on anything but success and the one expected refusal.
fn done(reply: &Reply, status: u16, refusal: &str) -> Outcome {
    if reply.status == status {
        return Outcome::Done;
    }
    assert_eq!((reply.status, reply.code().as_str()), (409, refusal), "{reply:?}");
    Outcome::Refused
}
