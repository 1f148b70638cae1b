//! Tests of the judge: it rejects each record of a faulty server with the message for that fault.

use std::collections::BTreeMap;

use crate::endpoint_behaviour::EndpointBehaviour;
use crate::endpoints::{Delivery, Endpoint};
use crate::judge::{Judge, Tally, Verdict};
use crate::kills::Kill;
use crate::log::Log;
use crate::message::Message;
use crate::receivers::Record;

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const SECOND: i64 = 1_000_000;
/// The servers of these tests are killed at these moments; events arrive one a second from 1 s on.
const KILLS: [i64; 2] = [3 * SECOND + 1, 100 * SECOND];
const EVENTS: u32 = 5;

fn message(sequence: u32) -> Message {
    let id = format!("evt_{sequence}");
    let body = format!(r#"{{"id":"{id}","sequence":{sequence}}}"#);
    let unsigned = Message { id, body, timestamp: "1".to_owned(), ..Message::default() };
    Message { signature: unsigned.sign(SECRET), ..unsigned }
}

/// A record of these sequences at these moments.
fn record(arrivals: &[(u32, i64)]) -> Record {
    let mut record = Record::default();
    arrivals.iter().for_each(|(sequence, at)| record.note(message(*sequence), *at, 200));
    record
}

fn arrivals() -> Vec<(u32, i64)> {
    (1..=EVENTS).map(|sequence| (sequence, i64::from(sequence) * SECOND)).collect()
}

fn endpoint(behaviour: EndpointBehaviour) -> Endpoint {
    Endpoint { number: 0, behaviour, id: String::new(), secret: SECRET.to_owned() }
}

fn judged(record: &Record) -> (Verdict, Tally) {
    judged_after(0, record)
}

/// The same if the machine was stalled for so long before each kill.
fn judged_after(still: i64, record: &Record) -> (Verdict, Tally) {
    let log = Log::numbered(EVENTS);
    let kills = KILLS.map(|at| Kill { node: 0, at, back_at: at, cut: 1, still });
    let mut tally = Tally::default();
    let judge = Judge { log: &log, kills: &kills, start: 0 };
    (judge.check_healthy(&endpoint(EndpointBehaviour::Healthy), record, &mut tally), tally)
}

fn refusal(record: &Record) -> String {
    judged(record).0.expect_err("a record that must be refused")
}

#[test]
fn everything_once_and_in_order_is_accepted() {
    let (verdict, tally) = judged(&record(&arrivals()));
    assert_eq!(verdict, Ok(()));
    assert_eq!((tally.deliveries, tally.duplicates, tally.samples), (5, vec![0, 0], 1));
}

#[test]
fn a_lost_event_is_noticed() {
    assert_eq!(refusal(&record(&arrivals()[..4])), "endpoint 0 never got 5 of 5");
    let mut gap = arrivals();
    gap.remove(2);
    assert_eq!(refusal(&record(&gap)), "endpoint 0 got 4 before 3");
}

#[test]
fn a_wrong_order_is_noticed() {
    let mut swapped = arrivals();
    swapped.swap(1, 2);
    assert_eq!(refusal(&record(&swapped)), "endpoint 0 got 3 before 2");
}

#[test]
fn a_kill_explains_once_what_came_shortly_before_it() {
    let again = |more: &[(u32, i64)]| {
        let mut all = arrivals();
        all.extend(more);
        judged(&record(&all))
    };
    let (verdict, tally) = again(&[(2, 6 * SECOND), (3, 6 * SECOND)]);
    assert_eq!((verdict, tally.duplicates), (Ok(()), vec![2, 0]));
    let unexplained =
        |sequence: u32| Err(format!("endpoint 0 got {sequence} again, and no kill explains it"));
    assert_eq!(again(&[(1, 6 * SECOND)]).0, unexplained(1), "it was recorded long before the kill");
    assert_eq!(again(&[(5, 6 * SECOND)]).0, unexplained(5), "it was sent after the kill");
    assert_eq!(again(&[(3, 6 * SECOND), (3, 7 * SECOND)]).0, unexplained(3), "it came a third time");
    assert_eq!(again(&[(3, 3 * SECOND)]).0, unexplained(3), "it came again before the kill");
}

#[test]
fn a_kill_explains_what_came_before_the_machine_stood_still() {
    let mut all = arrivals();
    all.push((1, 6 * SECOND));
    assert!(judged_after(0, &record(&all)).0.is_err());
    assert_eq!(judged_after(SECOND, &record(&all)).0, Ok(()));
}

#[test]
fn an_event_that_is_not_in_the_log_is_noticed() {
    let mut strange = record(&arrivals());
    strange.arrivals[3].event += 1;
    assert_eq!(refusal(&strange), "endpoint 0 got a strange event 4");
    let log = Log::numbered(EVENTS);
    let judge = Judge { log: &log, kills: &[], start: 1 };
    let early =
        judge.check_any(&endpoint(EndpointBehaviour::Healthy), &record(&arrivals()), &mut Tally::default());
    assert_eq!(early, Err("endpoint 0 got a strange event 1".to_owned()), "it is older than the endpoint");
}

#[test]
fn a_forged_signature_is_noticed() {
    let mut forged = record(&arrivals());
    forged.samples[0].body.push(' ');
    assert_eq!(refusal(&forged), "endpoint 0 got evt_1 with a wrong signature");
}

#[test]
fn an_event_that_is_lost_for_a_faulty_endpoint_is_noticed() {
    let log = Log::numbered(EVENTS);
    let judge = Judge { log: &log, kills: &[], start: 0 };
    let mut record = record(&[(1, SECOND)]);
    record.note(message(2), 2 * SECOND, 503);
    let check = |statuses: &[(u32, &str)]| {
        let delivery = |status: &str| Delivery { status: status.to_owned(), attempts: 1, has_error: false };
        let told: BTreeMap<_, _> =
            statuses.iter().map(|(at, status)| (*at, vec![delivery(status)])).collect();
        let outcome = judge.check_faulty(&endpoint(EndpointBehaviour::Flaps), &told, &record);
        outcome.map(|outcome| (outcome.taken, outcome.waiting, outcome.ahead))
    };
    assert_eq!(check(&[(1, "succeeded"), (2, "retrying")]), Ok((1, 1, 3)));
    let refused = |statuses: &[(u32, &str)], what: &str| {
        assert_eq!(check(statuses), Err(format!("Flaps endpoint, event 2: {what}")));
    };
    refused(&[(1, "succeeded"), (3, "retrying")], "forgotten");
    refused(&[(1, "succeeded"), (2, "succeeded")], "said to have succeeded, and never taken");
    refused(&[(1, "succeeded"), (2, "failed")], "given up early");
}
