//! Tests of the judge: it reports each result of a faulty server as the right kind of fault.

use carriers::sandbox::desk::{Entry, Event, Request};
use model::Timestamp;
use testkit::carrier_ledger::{LedgerAccount, LedgerAccounts};

use crate::journal::Word;
use crate::judge::{Held, Receipt, Verdict, View};
use crate::ledger::Ledger;

const SHIPMENT: &str = "shp_1";
const BATCH: &str = "batch_1";

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

fn purchased() -> Held {
    let receipt =
        Receipt { purchase: format!("{SHIPMENT}.1"), tracking_numbers: vec!["SB1".to_owned()], charged: 500 };
    Held {
        status: "purchased".to_owned(),
        batch: Some(BATCH.to_owned()),
        number: Some("SB1".to_owned()),
        state: "bought".to_owned(),
        receipt: Some(receipt),
    }
}

fn told() -> Vec<Word> {
    let (shipment, batch) = (SHIPMENT.to_owned(), BATCH.to_owned());
    vec![
        Word::Made { shipment: shipment.clone() },
        Word::Batch { batch: batch.clone(), mode: "look_up".to_owned(), shipments: vec![shipment.clone()] },
        Word::Accepted { batch: batch.clone(), status: 202 },
        Word::Progress { batch, status: "purchased".to_owned(), purchased: 1 },
        Word::Purchased { shipment, number: "SB1".to_owned() },
    ]
}

fn judged(words: &[Word], held: Option<Held>, events: &[Event]) -> Verdict {
    let mut account = LedgerAccount::default();
    events.iter().cloned().for_each(|event| account.note(event));
    let view: View = held.map(|held| (SHIPMENT.to_owned(), held)).into_iter().collect();
    Verdict::of(words, &view, &[("look_up", &LedgerAccounts::from([(SHIPMENT.to_owned(), account)]))])
}

#[test]
fn a_shipment_that_is_paid_once_and_shown_is_accepted() {
    let verdict = judged(&told(), Some(purchased()), &[visit(Some(201)), charge(1)]);
    assert!(verdict.is_clean(), "{verdict:?}");
    let mended = judged(&told(), Some(purchased()), &[visit(None), charge(1), charge(2), voided(2)]);
    assert!(mended.is_clean(), "{mended:?}");
    let tally = &mended.tallies["look_up"];
    assert_eq!((tally.charges, tally.voided, tally.found, tally.shipments), (2, 1, 1, 1));
}

#[test]
fn a_shipment_that_is_paid_twice_is_double() {
    let verdict = judged(&told(), Some(purchased()), &[visit(None), charge(1), visit(Some(201)), charge(2)]);
    assert_eq!((verdict.double.len(), verdict.lost.len(), verdict.wrong.len()), (1, 0, 0), "{verdict:?}");
    assert_eq!((verdict.tallies["look_up"].double, verdict.tallies["look_up"].lost), (1, 0));
}

#[test]
fn a_shipment_that_is_only_paid_or_only_shown_is_lost() {
    let failed = Held { status: "purchase_failed".to_owned(), number: None, receipt: None, ..purchased() };
    let paid = [visit(None), charge(1)];
    let untold = &told()[..3];
    assert_eq!(judged(untold, Some(failed.clone()), &paid).lost.len(), 1);
    assert_eq!(judged(untold, Some(failed.clone()), &paid).tallies["look_up"].lost, 1);
    assert!(judged(untold, Some(failed.clone()), &[visit(None)]).is_clean());
    assert_eq!(judged(&told(), Some(purchased()), &[visit(None)]).lost.len(), 1);
    // A client was told that it was bought, and it was not.
    assert_eq!(judged(&told(), Some(failed), &[visit(None)]).lost.len(), 1);
    assert_eq!(judged(&told(), None, &paid).lost.len(), 2);
    let elsewhere = Held { batch: None, ..purchased() };
    assert_eq!(judged(&told(), Some(elsewhere), &paid).lost.len(), 1);
    let other = Held { number: Some("SB2".to_owned()), ..purchased() };
    assert!(!judged(&told(), Some(other), &paid).is_clean());
}

#[test]
fn progress_and_numbers_that_a_client_saw_may_not_change() {
    let paid = [visit(Some(201)), charge(1)];
    let mut words = told();
    words.push(Word::Progress { batch: BATCH.to_owned(), status: "purchasing".to_owned(), purchased: 0 });
    assert_eq!(judged(&words, Some(purchased()), &paid).lost.len(), 1);
    let mut words = told();
    words.insert(4, Word::Purchased { shipment: SHIPMENT.to_owned(), number: "SB9".to_owned() });
    assert_eq!(judged(&words, Some(purchased()), &paid).lost.len(), 1);
}

#[test]
fn an_unrequested_or_different_purchase_is_wrong() {
    let verdict = judged(&[], Some(purchased()), &[visit(Some(201)), charge(1)]);
    assert_eq!(verdict.wrong.len(), 2, "{verdict:?}");
    let other = Receipt { purchase: "shp_1.7".to_owned(), ..purchased().receipt.unwrap() };
    let held = Held { receipt: Some(other), ..purchased() };
    assert_eq!(judged(&told(), Some(held), &[visit(Some(201)), charge(1)]).wrong.len(), 1);
}

#[test]
fn faults_are_counted_by_what_the_ledger_shows() {
    let mut ledger = Ledger::new("look_up", "none".into(), 0.0, 1);
    let look_up = Event::Visited { request: Request::LookUp, status: None };
    let events = [
        visit(None),
        visit(None),
        charge(1),
        visit(Some(500)),
        visit(Some(500)),
        charge(2),
        visit(None),
        charge(3),
        charge(4),
        visit(Some(201)),
        charge(5),
        look_up,
    ];
    for event in events {
        ledger.note(Entry { at: Timestamp::from_micros(0), reference: SHIPMENT.to_owned(), event });
    }
    assert_eq!(ledger.struck().all(), [2, 1, 1, 1, 0, 1]);
    assert_eq!(ledger.charges, 5);
    let mut slow = Ledger::new("look_up", "none".into(), 1.0, 1);
    slow.note(Entry {
        at: Timestamp::from_micros(0),
        reference: SHIPMENT.to_owned(),
        event: visit(Some(201)),
    });
    slow.heal();
    slow.note(Entry {
        at: Timestamp::from_micros(0),
        reference: SHIPMENT.to_owned(),
        event: visit(Some(201)),
    });
    assert_eq!(slow.struck().all(), [0, 0, 0, 0, 1, 0]);
}
