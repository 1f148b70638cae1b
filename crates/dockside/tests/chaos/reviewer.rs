//! A person who finds out what nobody else can: looks into the carrier's own books, and says what is there.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::book::Charge;
use crate::cluster::id;
use crate::journal::Word;
use crate::scene::{CALL, Scene, Shared};
use crate::way::Way;

const LOOK_EVERY: Duration = Duration::from_millis(300);
/// How long a person lets a case lie: all that was sent has arrived by then.
const PATIENCE: Duration = CALL.saturating_add(Duration::from_secs(1));

/// Reads the ledgers and reviews, until everything is done.
pub fn start(scene: &Scene) -> JoinHandle<()> {
    let (shared, way) = (Arc::clone(&scene.shared), scene.way(0));
    std::thread::spawn(move || Reviewer { shared, way, seen: HashMap::new() }.run())
}

struct Reviewer {
    shared: Arc<Shared>,
    way: Way,
    /// Since when each case is known.
    seen: HashMap<String, Instant>,
}

impl Reviewer {
    fn run(mut self) {
        while !self.shared.is_done.load(Ordering::Relaxed) {
            let cases = self.way.list("/purchase_attempts?state=needs_review");
            let now = Instant::now();
            let due: Vec<_> = cases
                .into_iter()
                .filter(|case| *self.seen.entry(id(case)).or_insert(now) + PATIENCE <= now)
                .collect();
            if !due.is_empty() {
                self.shared.follow_ledgers();
            }
            due.iter().for_each(|case| self.resolve(case));
            std::thread::sleep(LOOK_EVERY);
        }
    }

    fn resolve(&mut self, case: &Value) {
        let shipment = case["shipment_id"].as_str().expect("an id").to_owned();
        let (outcome, finding) = match self.charge(&shipment) {
            Some(charge) => ("bought", bought(&charge)),
            None => ("not_bought", json!({ "outcome": "not_bought" })),
        };
        let path = format!("/purchase_attempts/{}/resolve", id(case));
        let reply = self.way.insist("POST", &path, &[], &finding.to_string());
        self.seen.remove(&id(case));
        // Its server may have come back to life with the answer, or the answer to us was lost.
        if reply.status == 409 && reply.code() == "purchase_not_in_review" {
            return;
        }
        assert_eq!(reply.status, 200, "{reply:?}");
        self.shared.journal.note(&Word::Resolved { shipment, outcome: outcome.to_owned() });
    }

    /// What stands in the books.
    fn charge(&self, shipment: &str) -> Option<Charge> {
        let ledgers = self.shared.ledgers.lock().unwrap();
        let accounts = ledgers.iter().map(|ledger| ledger.account(shipment));
        accounts.flat_map(|account| account.standing().into_iter().cloned().collect::<Vec<_>>()).next()
    }
}

fn bought(charge: &Charge) -> Value {
    json!({
        "outcome": "bought",
        "tracking_numbers": charge.numbers,
        "carrier_purchase": charge.purchase,
        "amount": charge.amount,
        "currency_code": charge.currency,
    })
}
