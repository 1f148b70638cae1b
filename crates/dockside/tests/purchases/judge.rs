//! Compares what the API shows with a carrier's ledger. It is pure, so that tests can check the judge itself.

use carriers::sandbox::Mode;
use testkit::carrier_ledger::{Charge, LedgerAccount, LedgerAccounts};

use crate::shipment_view::{Seen, View};

/// The error says what is wrong.
pub type Verdict = Result<(), String>;

pub struct Judge<'a> {
    pub mode: Mode,
    /// The maximum number of purchase requests under one reference at a carrier that charges each of them.
    pub buys_max: usize,
    /// The shipments that were to be bought here.
    pub shipments: &'a [String],
}

/// Counts of all judged shipments.
#[derive(Default, Debug, PartialEq)]
pub struct Tally {
    pub purchased: usize,
    pub failed: usize,
    pub in_review: usize,
    /// Shipments in review for which the carrier received no purchase request.
    pub unheard: usize,
    pub charges: usize,
    /// Shipments that are purchased although the carrier's answer was lost.
    pub found: usize,
    pub voided: usize,
}

impl Judge<'_> {
    /// Checks that ledger and store agree about every shipment.
    pub fn check(&self, view: &View, accounts: &LedgerAccounts) -> Result<Tally, String> {
        let mut tally = Tally::default();
        let nothing = LedgerAccount::default();
        for shipment in self.shipments {
            let seen = view.get(shipment).ok_or_else(|| format!("{shipment} is gone"))?;
            let account = accounts.get(shipment).unwrap_or(&nothing);
            self.check_one(seen, account, &mut tally).map_err(|what| {
                format!("{} {shipment}: {what}\n{seen:?}\n{account:?}", self.mode.as_str())
            })?;
        }
        let stray = accounts.keys().find(|reference| !self.shipments.contains(reference));
        stray.map_or(Ok(tally), |reference| Err(format!("{reference} was never to be bought here")))
    }

    fn check_one(&self, seen: &Seen, account: &LedgerAccount, tally: &mut Tally) -> Verdict {
        let standing = account.standing();
        tally.charges += account.charges.len();
        tally.voided += account.charges.len() - standing.len();
        let is_once =
            self.mode != Mode::Neither || (account.charges.len() <= 1 && account.buys <= self.buys_max);
        ensure(is_once, "it was tried again on a guess")?;
        let is_told_rightly = seen.told == usize::from(seen.status == "purchased");
        ensure(is_told_rightly, "the log does not have one shipment.purchased for what was purchased")?;
        match (seen.status.as_str(), seen.state.as_str()) {
            ("purchased", "bought") => {
                tally.purchased += 1;
                let [charge] = standing[..] else { return Err(format!("paid {} times", standing.len())) };
                tally.found += usize::from(!charge.is_answered);
                check_purchased(seen, charge)
            }
            ("purchase_failed", "failed") => {
                tally.failed += 1;
                ensure(standing.is_empty(), "it failed, and was paid for")
            }
            ("purchasing", "needs_review") if self.mode == Mode::Neither => {
                tally.in_review += 1;
                tally.unheard += usize::from(account.buys == 0);
                ensure(seen.errors.iter().any(|code| code == "outcome_unknown"), "no error says why")
            }
            _ => Err("it came to no end".to_owned()),
        }
    }
}

/// Checks that the stored purchase is the charge in the ledger.
fn check_purchased(seen: &Seen, charge: &Charge) -> Verdict {
    ensure(seen.number.as_ref() == charge.numbers.first(), "another tracking number is paid for")?;
    ensure(seen.numbers == charge.numbers, "the purchase has other tracking numbers")?;
    ensure(seen.amount == Some(charge.amount), "another amount is paid")?;
    ensure(seen.labels.len() == 1, "it does not have one label")
}

fn ensure(holds: bool, what: &str) -> Verdict {
    if holds { Ok(()) } else { Err(what.to_owned()) }
}
