//! A carrier's ledger by reference: what was charged and what was refunded.

use std::collections::BTreeMap;
use std::path::Path;

use carriers::sandbox::desk::{Entry, Event, Request};

/// The accounts by reference.
pub type LedgerAccounts = BTreeMap<String, LedgerAccount>;

/// Everything that happened under one reference.
#[derive(Clone, Default, Debug)]
pub struct LedgerAccount {
    pub charges: Vec<Charge>,
    /// Purchase requests that arrived.
    pub buys: usize,
    /// Whether the carrier answered the last of them with a success, as far as it knows.
    is_answered: bool,
}

#[derive(Clone, Debug)]
pub struct Charge {
    pub purchase: String,
    pub amount: i64,
    pub currency: String,
    pub numbers: Vec<String>,
    pub is_voided: bool,
    /// Whether the carrier confirmed it to the buyer.
    pub is_answered: bool,
}

impl LedgerAccount {
    /// Returns the charges that were not voided.
    pub fn standing(&self) -> Vec<&Charge> {
        self.charges.iter().filter(|charge| !charge.is_voided).collect()
    }

    pub fn note(&mut self, event: Event) {
        match event {
            Event::Visited { request: Request::Buy, status } => {
                self.buys += 1;
                self.is_answered = matches!(status, Some(200 | 201));
            }
            Event::Charged { purchase, amount, currency, tracking_numbers, .. } => {
                self.charges.push(Charge {
                    purchase,
                    amount,
                    currency,
                    numbers: tracking_numbers,
                    is_voided: false,
                    is_answered: self.is_answered,
                });
            }
            Event::Voided { purchase, .. } => {
                let charge = self.charges.iter_mut().find(|charge| charge.purchase == purchase);
                charge.expect("only what was charged is given back").is_voided = true;
            }
            Event::Visited { .. } | Event::Manifested { .. } => {}
        }
    }
}

/// Reads the complete lines.
pub fn read(ledger: &Path) -> LedgerAccounts {
    let text = std::fs::read_to_string(ledger).expect("a ledger");
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    let entries = whole.lines().map(|line| serde_json::from_str::<Entry>(line).expect("a line of a ledger"));
    of(entries)
}

/// The accounts of these entries.
pub fn of(entries: impl Iterator<Item = Entry>) -> LedgerAccounts {
    let mut book = LedgerAccounts::new();
    for entry in entries {
        book.entry(entry.reference).or_default().note(entry.event);
    }
    book
}
