//! Tests of the judge: it rejects each result of a faulty server with the message for that fault.

use carriers::sandbox::Mode;
use carriers::sandbox::desk::{Event, Request};
use testkit::carrier_ledger::{LedgerAccount, LedgerAccounts};

use crate::judge::{Judge, Tally};
use crate::shipment_view::{Seen, View};

const SHIPMENT: &str = "shp_1";

fn visit(status: Option<u16>) -> Event {
    Event::Visited { request: Request::Buy, status }
}

fn charge(number: usize) -> Event {
    Event::Charged {
        purchase: format!("{SHIPMENT}.{number}"),
        service: "standard".to_owned(),
        amount: 500,
        currency: "GBP".to_owned(),
        tracking_numbers: vec![format!("SB{number}")],
        word: None,
    }
}

fn voided(number: usize) -> Event {
    Event::Voided { purchase: format!("{SHIPMENT}.{number}"), amount: 500, currency: "GBP".to_owned() }
}

fn purchased() -> Seen {
    Seen {
        status: "purchased".to_owned(),
        number: Some("SB1".to_owned()),
        labels: vec!["/files/1".to_owned()],
        state: "bought".to_owned(),
        amount: Some(500),
        numbers: vec!["SB1".to_owned()],
        told: 1,
        ..Seen::default()
    }
}

fn unended(status: &str, state: &str) -> Seen {
    let errors = vec!["outcome_unknown".to_owned()];
    Seen { status: status.to_owned(), state: state.to_owned(), errors, ..Seen::default() }
}

fn judged(mode: Mode, seen: Seen, events: &[Event]) -> Result<Tally, String> {
    let mut account = LedgerAccount::default();
    events.iter().cloned().for_each(|event| account.note(event));
    let view = View::from([(SHIPMENT.to_owned(), seen)]);
    let shipments = [SHIPMENT.to_owned()];
    Judge { mode, buys_max: 1, shipments: &shipments }
        .check(&view, &LedgerAccounts::from([(SHIPMENT.to_owned(), account)]))
}

fn refused(mode: Mode, seen: Seen, events: &[Event], what: &str) {
    let verdict = judged(mode, seen, events);
    assert!(verdict.as_ref().is_err_and(|why| why.contains(what)), "{what}: {verdict:?}");
}

#[test]
fn a_shipment_that_is_paid_once_is_accepted() {
    let tally = judged(Mode::LookUp, purchased(), &[visit(Some(201)), charge(1)]).unwrap();
    assert_eq!((tally.purchased, tally.charges, tally.found, tally.voided), (1, 1, 0, 0));
    let doubled = [visit(None), charge(1), charge(2), voided(2)];
    let tally = judged(Mode::Idempotent, purchased(), &doubled).unwrap();
    assert_eq!((tally.purchased, tally.charges, tally.found, tally.voided), (1, 2, 1, 1));
    let tally =
        judged(Mode::Neither, unended("purchasing", "needs_review"), &[visit(None), charge(1)]).unwrap();
    assert_eq!((tally.in_review, tally.charges), (1, 1));
    let tally =
        judged(Mode::LookUp, unended("purchase_failed", "failed"), &[visit(None), visit(None)]).unwrap();
    assert_eq!((tally.failed, tally.charges), (1, 0));
}

#[test]
fn a_shipment_that_is_paid_twice_or_not_at_all_is_noticed() {
    let twice = [visit(None), charge(1), visit(Some(201)), charge(2)];
    refused(Mode::LookUp, purchased(), &twice, "paid 2 times");
    refused(Mode::LookUp, purchased(), &[visit(None)], "paid 0 times");
    refused(Mode::LookUp, purchased(), &[charge(1), voided(1)], "paid 0 times");
    refused(Mode::LookUp, unended("purchase_failed", "failed"), &[charge(1)], "it failed, and was paid for");
    refused(Mode::Neither, purchased(), &twice, "on a guess");
    refused(Mode::Neither, purchased(), &[visit(None), visit(Some(201)), charge(1)], "on a guess");
}

#[test]
fn a_purchase_that_never_ends_is_noticed() {
    refused(Mode::LookUp, unended("purchasing", "needs_review"), &[], "no end");
    refused(Mode::Neither, unended("purchasing", "calling"), &[], "no end");
    refused(Mode::Neither, unended("draft", ""), &[], "no end");
    let silent = Seen { errors: Vec::new(), ..unended("purchasing", "needs_review") };
    refused(Mode::Neither, silent, &[], "no error says why");
}

#[test]
fn a_difference_from_the_ledger_is_noticed() {
    let paid = [visit(Some(201)), charge(1)];
    let refused = |seen: Seen, what: &str| refused(Mode::Idempotent, seen, &paid, what);
    refused(Seen { number: None, ..purchased() }, "another tracking number");
    refused(Seen { numbers: Vec::new(), ..purchased() }, "other tracking numbers");
    refused(Seen { amount: Some(499), ..purchased() }, "another amount");
    refused(Seen { labels: Vec::new(), ..purchased() }, "one label");
    refused(Seen { told: 2, ..purchased() }, "shipment.purchased");
    refused(Seen { told: 0, ..purchased() }, "shipment.purchased");
    refused(Seen { told: 1, ..unended("purchase_failed", "failed") }, "shipment.purchased");
}

#[test]
fn a_charge_for_an_unrequested_shipment_is_noticed() {
    let mut accounts = LedgerAccounts::new();
    accounts.entry("shp_2".to_owned()).or_default().note(charge(1));
    let verdict = Judge { mode: Mode::LookUp, buys_max: 1, shipments: &[] }.check(&View::new(), &accounts);
    assert_eq!(verdict, Err("shp_2 was never to be bought here".to_owned()));
}
