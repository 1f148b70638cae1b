//! What the clients of a run were told, and whether the store agrees.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde_json::{Value, json};
use testkit::client::{Client, Reply};
use testkit::resources::id;

use crate::contended_stock::{ContendedStock, STOCK, WANTED};
use crate::inventory::{allocations_path, assert_clean_audit, level_path};

/// An allocation that a client was told of.
#[derive(Clone, PartialEq, Debug)]
pub struct Granted {
    pub order: usize,
    pub id: String,
    pub item: String,
    pub quantity: i64,
}

impl Granted {
    pub fn read(order: usize, allocation: &Value) -> Self {
        let line = &allocation["items"][0];
        let quantity = line["quantity"].as_i64().expect("a quantity");
        Self { order, id: id(allocation), item: id(line), quantity }
    }
}

/// A request without an idempotency key whose answer was lost, and the quantities of the order's two items in it.
pub struct Doubt {
    pub order: usize,
    pub amounts: [i64; 2],
}

#[derive(Default)]
pub struct Journal {
    pub granted: Vec<Granted>,
    /// Allocations that were completed.
    pub completed: Vec<String>,
    pub in_doubt: Vec<Doubt>,
    /// Orders of which nothing was left to allocate.
    pub exhausted: BTreeSet<usize>,
    pub requests: u64,
    /// Requests beyond the reservation, and completions beyond the stock.
    pub refused: u64,
    pub short: u64,
    pub broken: u64,
    /// Answers 503: the server had no room, or the database did not answer in time.
    pub turned_away: u64,
    pub looks: u64,
    /// Answers that no client should ever get.
    pub wrong: Vec<String>,
}

impl Journal {
    pub fn add(&mut self, other: Journal) {
        self.granted.extend(other.granted);
        self.completed.extend(other.completed);
        self.in_doubt.extend(other.in_doubt);
        self.exhausted.extend(other.exhausted);
        self.wrong.extend(other.wrong);
        self.requests += other.requests;
        self.refused += other.refused;
        self.short += other.short;
        self.broken += other.broken;
        self.turned_away += other.turned_away;
        self.looks += other.looks;
    }

    pub fn note_reservation(&mut self, reply: &Reply) {
        self.looks += 1;
        let shown = reply.json();
        let items = shown["data"][0]["items"].as_array().cloned().unwrap_or_default();
        let is_within = |item: &Value| item["allocated_quantity"].as_i64() <= item["quantity"].as_i64();
        if items.len() != 2 || !items.iter().all(is_within) {
            self.wrong.push(format!("{reply:?}"));
        }
    }

    pub fn note_audit(&mut self, reply: &Reply) {
        self.looks += 1;
        if reply.json()["is_clean"] != json!(true) {
            self.wrong.push(format!("{reply:?}"));
        }
    }

    /// Checks that the store holds what the clients were told.
    pub fn check(&self, contended: &ContendedStock, client: &mut Client) -> Checked {
        assert_eq!(self.wrong, Vec::<String>::new());
        let mut stored = Vec::new();
        for order in 0..contended.orders.len() {
            stored.extend(self.check_order(contended, order, client));
        }
        let mut sums: BTreeMap<&str, [i64; 2]> = BTreeMap::new();
        for (held, is_completed) in &stored {
            sums.entry(&held.item).or_default()[usize::from(*is_completed)] += held.quantity;
        }
        for item in &contended.items {
            let [open, sent] = sums.get(item.as_str()).copied().unwrap_or_default();
            let level = client.get(&level_path(item, &contended.location)).json();
            let shown = [&level["on_hand"], &level["allocated"], &level["available"]];
            assert_eq!(shown, [&json!(STOCK - sent), &json!(open), &json!(STOCK - sent - open)], "{item}");
            assert!(sent <= STOCK, "{sent} of {item} were sent");
        }
        let audit = assert_clean_audit(client);
        assert_eq!(audit["checked"]["allocations"], json!(stored.len()));
        Checked {
            allocations: stored.len(),
            found: stored.len() - self.granted.len(),
            orders_exhausted: self.exhausted.len(),
        }
    }

    /// Returns the allocations of an order, and whether each is completed. Checks them against the journal and their sums.
    fn check_order(
        &self,
        contended: &ContendedStock,
        order: usize,
        client: &mut Client,
    ) -> Vec<(Granted, bool)> {
        let reply = client.get(&allocations_path(&contended.orders[order])).json();
        let data = reply["data"].as_array().expect("a list");
        let read =
            |allocation: &Value| (Granted::read(order, allocation), !allocation["completed_at"].is_null());
        let stored: Vec<_> = data.iter().map(read).collect();

        let granted: Vec<_> = self.granted.iter().filter(|granted| granted.order == order).collect();
        let told: BTreeSet<_> = granted.iter().map(|granted| granted.id.as_str()).collect();
        assert_eq!(told.len(), granted.len(), "no allocation was told of twice");
        for granted in granted {
            assert!(stored.iter().any(|(held, _)| held == granted), "lost: {granted:?}");
        }
        let completed: BTreeSet<_> = self.completed.iter().map(String::as_str).collect();
        for (held, is_completed) in &stored {
            assert_eq!(*is_completed, completed.contains(held.id.as_str()), "{held:?}");
        }

        let reservation = client.get(&format!("/reservations?order_id={}", contended.orders[order])).json();
        for place in 0..2 {
            let item = &contended.items[order + place];
            let of_item = || stored.iter().filter(|(held, _)| &held.item == item);
            let sum: i64 = of_item().map(|(held, _)| held.quantity).sum();
            let expected = json!({ "id": item, "quantity": WANTED, "allocated_quantity": sum });
            assert_eq!(reservation["data"][0]["items"][place], expected);
            assert!(sum <= WANTED, "{sum} of {item} are allocated");
            assert!(sum == WANTED || !self.exhausted.contains(&order), "nothing was left, yet only {sum}");
            let untold = of_item().filter(|(held, _)| !told.contains(held.id.as_str()));
            let untold: i64 = untold.map(|(held, _)| held.quantity).sum();
            let doubts = self.in_doubt.iter().filter(|doubt| doubt.order == order);
            let in_doubt: i64 = doubts.map(|doubt| doubt.amounts[place]).sum();
            assert!(untold <= in_doubt, "{untold} of {item} are allocated that no request asked for");
        }
        stored
    }
}

impl fmt::Display for Journal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (granted, completed, in_doubt) = (self.granted.len(), self.completed.len(), self.in_doubt.len());
        write!(
            out,
            "{} requests; told of {granted} allocations and {completed} completions; {} beyond the reservation and \
             {} beyond the stock refused; {in_doubt} in doubt; {} broken connections; {} turned away; {} looks meanwhile",
            self.requests, self.refused, self.short, self.broken, self.turned_away, self.looks
        )
    }
}

/// Counts of what the store holds.
pub struct Checked {
    pub allocations: usize,
    /// Allocations whose answer was lost.
    pub found: usize,
    pub orders_exhausted: usize,
}

impl fmt::Display for Checked {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { allocations, found, orders_exhausted } = self;
        write!(
            out,
            "{allocations} allocations stored, {found} of them in doubt; {orders_exhausted} orders exhausted"
        )
    }
}
