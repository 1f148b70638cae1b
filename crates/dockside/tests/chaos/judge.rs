//! Compares ledgers, journal and database. It is pure, so that tests can check the judge itself.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::Value;
use testkit::carrier_ledger::LedgerAccounts;

use crate::journal::Word;
use crate::sql::{Row, Store};

/// The columns of [`Held`].
const SHIPMENTS: &str = "SELECT s.id, s.status, s.batch_id, s.doc, p.state, p.receipt FROM shipment s
    LEFT JOIN purchase p ON p.owner = s.owner AND p.shipment_id = s.id";

/// A shipment and its purchase, as the database has them.
#[derive(Clone, Debug, Default)]
pub struct Held {
    pub status: String,
    pub batch: Option<String>,
    pub number: Option<String>,
    pub state: String,
    pub receipt: Option<Receipt>,
}

#[derive(Deserialize, Clone, Debug, Default)]
pub struct Receipt {
    pub purchase: String,
    pub tracking_numbers: Vec<String>,
    pub charged: i64,
}

/// All shipments by id.
pub type View = BTreeMap<String, Held>;

pub fn look(store: &Store) -> View {
    let rows = store.rows(&[SHIPMENTS]).remove(0);
    rows.into_iter().map(held).collect()
}

fn held(row: Row) -> (String, Held) {
    let mut values = row.into_iter();
    let mut next = || values.next().flatten();
    let (id, status, batch) = (next().expect("an id"), next().expect("a status"), next());
    let doc: Value = serde_json::from_str(&next().expect("a document")).expect("JSON");
    let (state, receipt) = (next().unwrap_or_default(), next());
    let receipt = receipt.map(|text| serde_json::from_str(&text).expect("a receipt"));
    let number = doc["tracking_number"].as_str().map(str::to_owned);
    (id, Held { status, batch, number, state, receipt })
}

/// The faults that were found, and counts.
#[derive(Default, Debug)]
pub struct Verdict {
    /// Paid twice.
    pub double: Vec<String>,
    /// Paid and not shown as purchased, shown and not paid, or told to a client and no longer true.
    pub lost: Vec<String>,
    /// Anything else.
    pub wrong: Vec<String>,
    /// By carrier: the mode of a sandbox carrier, or another carrier's handle.
    pub tallies: BTreeMap<String, Tally>,
}

#[derive(Default, Debug, PartialEq)]
pub struct Tally {
    pub batches: usize,
    pub shipments: usize,
    pub charges: usize,
    /// Shipments that were paid twice, and those of which only one is true: paid, or shown as purchased.
    pub double: usize,
    pub lost: usize,
    pub voided: usize,
    /// Shipments that are purchased although the carrier's answer was lost.
    pub found: usize,
    /// Purchases that a person resolved as bought, and as not bought.
    pub resolved_bought: usize,
    pub resolved_not_bought: usize,
}

/// The journal's entries by shipment: what the clients were told.
#[derive(Default)]
struct Story<'a> {
    made: BTreeSet<&'a str>,
    /// The batch and the carrier of each shipment.
    members: BTreeMap<&'a str, (&'a str, &'a str)>,
    purchased: BTreeMap<&'a str, &'a str>,
}

impl Verdict {
    /// Returns the verdict. `books` are the ledgers by carrier.
    pub fn of(words: &[Word], view: &View, books: &[(&str, &LedgerAccounts)]) -> Self {
        let mut verdict = Self::default();
        let story = verdict.hear(words);
        for id in story.made.iter().filter(|id| !view.contains_key(**id)) {
            verdict.lost.push(format!("{id} was made, and is gone"));
        }
        for (id, held) in view {
            match story.members.get(id.as_str()) {
                Some((batch, mode)) => verdict.weigh(id, held, batch, mode, books),
                None => verdict.wrong.push(format!("{id}: no answer and no state told of it")),
            }
        }
        for (mode, book) in books {
            for reference in book.keys() {
                let is_here = story.members.get(reference.as_str()).is_some_and(|(_, of)| of == mode);
                if !is_here {
                    verdict.wrong.push(format!("{reference} was never to be bought from {mode}"));
                }
            }
        }
        for (id, number) in &story.purchased {
            let held = view.get(*id).cloned().unwrap_or_default();
            if held.status != "purchased" || held.number.as_deref() != Some(number) {
                verdict.lost.push(format!("{id} was told to be bought as {number}, and is {held:?}"));
            }
        }
        verdict
    }

    /// Returns whether no fault was found.
    pub fn is_clean(&self) -> bool {
        self.double.is_empty() && self.lost.is_empty() && self.wrong.is_empty()
    }

    fn tally(&mut self, mode: &str) -> &mut Tally {
        self.tallies.entry(mode.to_owned()).or_default()
    }

    fn hear<'a>(&mut self, words: &'a [Word]) -> Story<'a> {
        let mut story = Story::default();
        let mut progress: BTreeMap<&str, i64> = BTreeMap::new();
        for word in words {
            match word {
                Word::Made { shipment } => {
                    story.made.insert(shipment);
                }
                Word::Batch { batch, mode, shipments } => {
                    let tally = self.tally(mode);
                    tally.batches += 1;
                    tally.shipments += shipments.len();
                    story
                        .members
                        .extend(shipments.iter().map(|id| (id.as_str(), (batch.as_str(), mode.as_str()))));
                }
                Word::Progress { batch, purchased, .. } => {
                    let before = progress.insert(batch, *purchased).unwrap_or(0);
                    if before > *purchased {
                        self.lost.push(format!("{batch} had {before} bought, and then {purchased}"));
                    }
                }
                Word::Purchased { shipment, number } => {
                    let before = story.purchased.insert(shipment, number).unwrap_or(number);
                    if before != number {
                        self.lost
                            .push(format!("{shipment} was told to be bought as {before}, then as {number}"));
                    }
                }
                Word::Resolved { shipment, outcome } => {
                    let mode = story.members.get(shipment.as_str()).map_or("neither", |(_, mode)| *mode);
                    let tally = self.tally(mode);
                    tally.resolved_bought += usize::from(outcome == "bought");
                    tally.resolved_not_bought += usize::from(outcome == "not_bought");
                }
                Word::Accepted { .. } => {}
            }
        }
        story
    }

    /// Compares one shipment with the ledger of its carrier.
    fn weigh(&mut self, id: &str, held: &Held, batch: &str, mode: &str, books: &[(&str, &LedgerAccounts)]) {
        if held.batch.as_deref() != Some(batch) {
            self.lost.push(format!("{id} was put into {batch}, and is in {:?}", held.batch));
        }
        let book = books.iter().find(|(of, _)| *of == mode);
        let account = book.and_then(|(_, book)| book.get(id)).cloned().unwrap_or_default();
        let standing = account.standing();
        let is_shown = held.status == "purchased";
        let tally = self.tally(mode);
        tally.charges += account.charges.len();
        tally.voided += account.charges.len() - standing.len();
        tally.double += usize::from(standing.len() > 1);
        tally.lost += usize::from((standing.len() == 1) != is_shown && standing.len() <= 1);
        match (&standing[..], is_shown) {
            ([], false) => {}
            ([], true) => self.lost.push(format!("{id} is shown as purchased, and not paid: {held:?}")),
            ([_, _, ..], _) => {
                self.double.push(format!("{id} is paid {} times: {account:?}", standing.len()))
            }
            ([_], false) => self.lost.push(format!("{id} is paid, and not shown as purchased: {held:?}")),
            ([charge], true) => {
                tally.found += usize::from(!charge.is_answered);
                let receipt = held.receipt.clone().unwrap_or_default();
                let is_it = held.state == "bought"
                    && receipt.purchase == charge.purchase
                    && receipt.tracking_numbers == charge.numbers
                    && receipt.charged == charge.amount
                    && held.number.as_ref() == charge.numbers.first();
                if !is_it {
                    self.wrong.push(format!(
                        "{id} is another purchase than the one that is paid: {held:?}, {charge:?}"
                    ));
                }
            }
        }
    }
}
