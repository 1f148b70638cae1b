//! The judge of waves: compares the database, which it reads by its own SQL, with the clients' journal.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::Value;

use crate::sql::{Row, Store};

/// The waves that clients were told of, by the idempotency keys of their requests: the id, the orders and the steps.
#[derive(Default)]
pub struct Journal {
    pub waves: BTreeMap<String, (String, Vec<String>, Value)>,
}

/// What the judge found.
pub struct Verdict {
    waves: usize,
    orders: usize,
    done: usize,
    exceptions: usize,
    shipments: usize,
    batches: usize,
}

impl fmt::Display for Verdict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { waves, orders, done, exceptions, shipments, batches } = self;
        write!(
            out,
            "{waves} waves with {orders} orders: {done} done, {exceptions} exceptions; {shipments} shipments in {batches} batches, \
             none lost, none doubled"
        )
    }
}

fn text(row: &Row, column: usize) -> String {
    row[column].clone().unwrap_or_default()
}

fn number(row: &Row, column: usize) -> i64 {
    text(row, column).parse().expect("a whole number")
}

const STATEMENTS: [&str; 6] = [
    "SELECT wave_id, order_id, result, step, code, shipment_ids FROM wave_order",
    "SELECT id, status, doc FROM wave",
    "SELECT id, order_id, batch_id, status FROM shipment",
    "SELECT order_id, shipment_id, CAST(quantity AS TEXT), item_id FROM allocation",
    "SELECT b.wave_id, b.batch_id, CAST(a.shipments_count AS TEXT), a.status FROM wave_batch b JOIN batch a ON a.owner = b.owner AND a.id = b.batch_id",
    "SELECT order_id, CAST(quantity AS TEXT), CAST(allocated AS TEXT) FROM order_line",
];

/// Checks that every order of the waves was processed exactly once, with nothing lost or doubled.
pub fn judge(store: &Store, journal: &Journal, item: &str) -> Verdict {
    let mut tables = store.rows(&STATEMENTS).into_iter();
    let mut next = || tables.next().expect("the rows of a statement");
    let (wave_orders, waves, shipments) = (next(), next(), next());
    let (allocations, wave_batches, lines) = (next(), next(), next());

    // The waves are those that clients were told of, and have ended.
    let known: BTreeSet<_> = journal.waves.values().map(|(wave, ..)| wave.clone()).collect();
    let stored: BTreeSet<_> = waves.iter().map(|wave| text(wave, 0)).collect();
    assert_eq!(stored, known, "waves");
    check_counts(&waves, &wave_orders);

    // Each order is in its wave once.
    for (wave, orders, _) in journal.waves.values() {
        let mut listed: Vec<_> =
            wave_orders.iter().filter(|row| text(row, 0) == *wave).map(|row| text(row, 1)).collect();
        let mut expected = orders.clone();
        listed.sort_unstable();
        expected.sort_unstable();
        assert_eq!(listed, expected, "orders of {wave}");
    }
    let batch_of: BTreeMap<_, _> = wave_batches.iter().map(|row| (text(row, 1), text(row, 0))).collect();
    for row in &wave_orders {
        check_order(row, &shipments, &allocations, &lines, &batch_of, item);
    }
    // No shipment belongs to no wave, and the batches count theirs.
    let named: BTreeSet<_> = wave_orders.iter().flat_map(|row| ids(&text(row, 5))).collect();
    let made: BTreeSet<_> = shipments.iter().map(|row| text(row, 0)).collect();
    assert_eq!(made, named, "shipments");
    for row in &wave_batches {
        let members = shipments.iter().filter(|shipment| text(shipment, 2) == text(row, 1)).count();
        assert_eq!(members as i64, number(row, 2), "count of {}", text(row, 1));
    }
    check_purchases(journal, &wave_batches, &shipments);
    let count = |result: &str| wave_orders.iter().filter(|row| text(row, 2) == result).count();
    let verdict = Verdict {
        waves: waves.len(),
        orders: wave_orders.len(),
        done: count("done"),
        exceptions: count("exception"),
        shipments: shipments.len(),
        batches: wave_batches.len(),
    };
    assert!(verdict.done > 0 && verdict.exceptions > 0, "{verdict}: stock was to run out on the way");
    verdict
}

fn ids(list: &str) -> Vec<String> {
    serde_json::from_str(list).expect("a list of ids")
}

/// Every wave is completed, and counts its orders right.
fn check_counts(waves: &[Row], wave_orders: &[Row]) {
    for wave in waves {
        let doc: Value = serde_json::from_str(&text(wave, 2)).expect("a document");
        assert_eq!((text(wave, 1).as_str(), &doc["status"]), ("completed", &Value::from("completed")));
        let of = |result: &str| {
            let rows = wave_orders.iter().filter(|row| text(row, 0) == text(wave, 0));
            rows.filter(|row| text(row, 2) == result).count() as i64
        };
        for (field, result) in [
            ("pending_count", "pending"),
            ("done_count", "done"),
            ("exceptions_count", "exception"),
            ("cancelled_count", "cancelled"),
        ] {
            assert_eq!(doc[field].as_i64(), Some(of(result)), "{field} of {}", text(wave, 0));
        }
        assert_eq!(of("pending"), 0, "{}", text(wave, 0));
    }
}

/// An order that is done is allocated entirely, and all of it is in its shipment, which is in a batch of its wave. Of one that
/// is not, nothing is allocated: stock was missing.
fn check_order(
    row: &Row,
    shipments: &[Row],
    allocations: &[Row],
    lines: &[Row],
    batch_of: &BTreeMap<String, String>,
    item: &str,
) {
    let (wave, order) = (text(row, 0), text(row, 1));
    let own: Vec<_> = shipments.iter().filter(|shipment| text(shipment, 1) == order).collect();
    let allocated: Vec<_> = allocations.iter().filter(|allocation| text(allocation, 0) == order).collect();
    assert!(allocated.iter().all(|allocation| text(allocation, 3) == item), "{order}");
    let quantity: i64 = allocated.iter().map(|allocation| number(allocation, 2)).sum();
    let line = lines.iter().find(|line| text(line, 0) == order).expect("the line of an order");
    assert_eq!(quantity, number(line, 2), "allocated of {order}");
    let mut listed = ids(&text(row, 5));
    listed.sort_unstable();
    let mut made: Vec<_> = own.iter().map(|shipment| text(shipment, 0)).collect();
    made.sort_unstable();
    assert_eq!(listed, made, "shipments of {order}");
    if text(row, 2) == "exception" {
        assert_eq!((text(row, 4).as_str(), quantity, made.len()), ("no_stock", 0, 0), "{order}");
        return;
    }
    assert_eq!((quantity, text(row, 3).as_str()), (number(line, 1), "ship"), "{order}");
    assert!(!made.is_empty(), "{order} has no shipment");
    assert!(allocated.iter().all(|allocation| made.contains(&text(allocation, 1))), "{order}");
    for shipment in own {
        assert_eq!(batch_of.get(&text(shipment, 2)), Some(&wave), "the batch of {}", text(shipment, 0));
    }
}

/// A wave that buys has bought all of its shipments, and the others none.
fn check_purchases(journal: &Journal, wave_batches: &[Row], shipments: &[Row]) {
    for (wave, _, steps) in journal.waves.values() {
        let buys = steps.as_array().is_some_and(|steps| steps.contains(&Value::from("purchase")));
        let expected = if buys { ("purchased", "purchased") } else { ("open", "draft") };
        for row in wave_batches.iter().filter(|row| text(row, 0) == *wave) {
            assert_eq!(text(row, 3), expected.0, "{}", text(row, 1));
            for shipment in shipments.iter().filter(|shipment| text(shipment, 2) == text(row, 1)) {
                assert_eq!(text(shipment, 3), expected.1, "{}", text(shipment, 0));
            }
        }
    }
}
