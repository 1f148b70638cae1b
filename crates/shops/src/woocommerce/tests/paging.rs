//! Reading changed orders from a shop whose list changes while it is read.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::super::*;
use crate::connector::{Answer, Request};
use crate::position::Position;
use crate::testing::*;

const BEGINNING: i64 = 1_794_000_000;
/// Orders of a page.
const PAGE: usize = 50;

fn moment(seconds: i64) -> model::Timestamp {
    model::Timestamp::from_micros(seconds * 1_000_000)
}

/// A list of orders that answers as WooCommerce does.
struct List {
    /// The second of the last change of each order.
    orders: BTreeMap<u64, i64>,
    now: i64,
    is_sorted: bool,
}

impl List {
    fn answer(&self, request: &Request) -> Answer {
        let pairs: BTreeMap<&str, &str> = request
            .url
            .split_once('?')
            .unwrap()
            .1
            .split('&')
            .filter_map(|pair| pair.split_once('='))
            .collect();
        assert_eq!((pairs["orderby"], pairs["order"], pairs["dates_are_gmt"]), ("modified", "asc", "true"));
        let after = crate::moment::in_utc(&pairs["modified_after"].replace("%3A", ":")).unwrap().as_seconds();
        let offset = pairs.get("offset").map_or(0, |offset| offset.parse().unwrap());
        let mut found: Vec<(i64, u64)> = self
            .orders
            .iter()
            .map(|(id, second)| (*second, *id))
            .filter(|(second, _)| *second > after)
            .collect();
        if self.is_sorted {
            found.sort_unstable();
        }
        let order = |(second, id): &(i64, u64)| {
            let time = crate::moment::whole_seconds(moment(*second));
            json!({"id": id, "status": "processing", "date_modified_gmt": time.trim_end_matches('Z'), "line_items": []})
        };
        let page: Vec<Value> = found.iter().skip(offset).take(PAGE).map(order).collect();
        let body = Value::from(page).to_string().into();
        Answer::Response { status: 200, retry_after: None, total: Some(found.len() as u64), body }
    }

    fn change(&mut self, id: u64) {
        self.now += 1;
        self.orders.insert(id, self.now);
    }
}

/// Reads pages until a run ends, and returns how many there were. The position is stored and read back after each.
fn run(
    list: &mut List,
    position: &mut Position,
    seen: &mut BTreeMap<String, model::Timestamp>,
    mut between: impl FnMut(&mut List),
) -> usize {
    for pages in 1..200 {
        let task = Task::Poll { position, now: moment(list.now) };
        let Step::Send(request) = WooCommerce.step(&shop(), &task, &[]) else { panic!() };
        let Outcome::Polled(page) = play(&WooCommerce, &shop(), &task, &[list.answer(&request)]).outcome
        else {
            panic!()
        };
        assert!(page.unreadable.is_empty());
        for order in page.orders {
            let newest = seen.entry(order.external_id).or_insert(order.modified_at);
            *newest = order.modified_at.max(*newest);
        }
        *position = serde_json::from_str(&serde_json::to_string(&page.next).unwrap()).unwrap();
        if page.is_last {
            return pages;
        }
        between(list);
    }
    panic!("the run never ends: {position:?}");
}

fn lacking(list: &List, seen: &BTreeMap<String, model::Timestamp>) -> Vec<u64> {
    let is_seen = |(id, second): (&u64, &i64)| seen.get(&id.to_string()) == Some(&moment(*second));
    list.orders.iter().filter(|order| !is_seen(*order)).map(|(id, _)| *id).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn no_change_is_lost_although_orders_move_while_pages_are_read(
        groups in prop::collection::vec((1_usize..130, 0_i64..4000), 1..5),
        moves in prop::collection::vec(prop::collection::vec(0_u64..400, 0..5), 0..12),
    ) {
        let mut orders = BTreeMap::new();
        for (count, second) in groups {
            (0..count).for_each(|_| _ = orders.insert(orders.len() as u64 + 1, BEGINNING + second));
        }
        let count = orders.len() as u64;
        let mut list = List { orders, now: BEGINNING + 5000, is_sorted: true };
        let mut position = Position::starting_at(moment(BEGINNING));
        let mut seen = BTreeMap::new();
        let mut moves = moves.into_iter();
        run(&mut list, &mut position, &mut seen, |list| {
            moves.next().unwrap_or_default().into_iter().for_each(|id| list.change(id % count + 1));
        });
        // What was changed before the last page was read is there, or comes with the next run.
        run(&mut list, &mut position, &mut seen, |_| {});
        prop_assert_eq!(lacking(&list, &seen), Vec::<u64>::new());
        prop_assert!(!position.is_under_way());
    }

    #[test]
    fn pages_in_another_order_are_read_to_the_end(seconds in prop::collection::vec(0_i64..4000, 1..300)) {
        let orders = seconds.iter().enumerate().map(|(id, second)| (id as u64 + 1, BEGINNING + second)).collect();
        let mut list = List { orders, now: BEGINNING + 5000, is_sorted: false };
        let (mut position, mut seen) = (Position::starting_at(moment(BEGINNING)), BTreeMap::new());
        run(&mut list, &mut position, &mut seen, |_| {});
        prop_assert_eq!(lacking(&list, &seen), Vec::<u64>::new());
    }
}

#[test]
fn a_run_without_changes_is_one_request() {
    let orders = (1..=500).map(|id| (id, BEGINNING + id as i64 * 10)).collect();
    let mut list = List { orders, now: BEGINNING + 9000, is_sorted: true };
    let (mut position, mut seen) = (Position::starting_at(moment(BEGINNING)), BTreeMap::new());
    let pages = run(&mut list, &mut position, &mut seen, |_| {});
    assert_eq!((pages, lacking(&list, &seen).len()), (11, 0));
    let quiet = position.clone();
    assert_eq!(run(&mut list, &mut position, &mut seen, |_| {}), 1);
    assert_eq!(position, quiet);
}

#[test]
fn the_first_page_is_asked_for_by_its_time() {
    let position = Position::starting_at(time("2026-11-16T03:25:43.5Z"));
    let task = Task::Poll { position: &position, now: time(NOW) };
    let Step::Send(request) = WooCommerce.step(&shop(), &task, &[]) else { panic!() };
    let query =
        "modified_after=2026-11-16T03%3A25%3A42&dates_are_gmt=true&orderby=modified&order=asc&per_page=50";
    assert_eq!(request.url, format!("https://quay.myshopify.com/wp-json/wc/v3/orders?{query}"));
    assert!(!request.is_write && request.body.is_empty());
}
