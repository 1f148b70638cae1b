//! A simulated person who resolves purchases in review: reads the carriers' ledgers, and reports what they contain.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use carriers::sandbox::Mode;
use serde_json::{Value, json};
use testkit::carrier_ledger::Charge;
use testkit::client::Client;
use testkit::resources::id;
use testkit::server::wait_until;

use crate::call_time::CALL;
use crate::environment::{Environment, STUCK, Shared};
use crate::failover_client::FailoverClient;
use crate::journal::Word;
use crate::ledger::Ledger;

const LOOK_EVERY: Duration = Duration::from_millis(300);
/// How long the reviewer waits before it resolves a case: every request that was sent has arrived by then.
const PATIENCE: Duration = CALL.saturating_add(Duration::from_secs(1));

/// Starts a thread that resolves cases until the run is done.
pub fn start(environment: &Environment) -> JoinHandle<()> {
    start_on(environment, environment.client(0))
}

/// The same in the world of this client.
pub fn start_on(environment: &Environment, client: FailoverClient) -> JoinHandle<()> {
    let shared = Arc::clone(&environment.shared);
    std::thread::spawn(move || Reviewer { shared, client, seen: HashMap::new() }.run())
}

struct Reviewer {
    shared: Arc<Shared>,
    client: FailoverClient,
    /// When the reviewer first saw each case.
    seen: HashMap<String, Instant>,
}

impl Reviewer {
    fn run(mut self) {
        while !self.shared.is_done.load(Ordering::Relaxed) {
            let cases = self.client.list("/purchase_attempts?state=needs_review");
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
        let charges = self.charges(&shipment);
        let (outcome, finding) = match charges.first() {
            Some((_, charge)) => ("bought", bought(charge)),
            None => ("not_bought", json!({ "outcome": "not_bought" })),
        };
        let path = format!("/purchase_attempts/{}/resolve", id(case));
        let reply = self.client.insist("POST", &path, &[], &finding.to_string());
        self.seen.remove(&id(case));
        if charges.len() > 1 && self.is_carriers_doing(&shipment) {
            self.cancel_others(case, &charges);
        }
        // A frozen server may have resumed and stored the carrier's answer, or an earlier answer to the reviewer was lost.
        if reply.status == 409 && reply.code() == "purchase_not_in_review" {
            return;
        }
        assert_eq!(reply.status, 200, "{reply:?}");
        self.shared.journal.note(&Word::Resolved { shipment, outcome: outcome.to_owned() });
    }

    /// Returns the charges that were not voided, with the carrier of each.
    fn charges(&self, shipment: &str) -> Vec<(&'static str, Charge)> {
        let ledgers = self.shared.ledgers.lock().unwrap();
        let of = |ledger: &Ledger| {
            let standing: Vec<_> = ledger.account(shipment).standing().into_iter().cloned().collect();
            standing.into_iter().map(|charge| (ledger.carrier, charge)).collect::<Vec<_>>()
        };
        ledgers.iter().flat_map(of).collect()
    }

    /// Voids the additional charges that a carrier made for one request, because a resolution names one purchase only. Charges
    /// for repeated requests of the servers stay, so that the judge sees them.
    fn cancel_others(&mut self, case: &Value, charges: &[(&'static str, Charge)]) {
        let attempt = self.client.get(&format!("/purchase_attempts/{}", id(case)));
        if attempt["state"] != "bought" {
            return;
        }
        let others =
            charges.iter().filter(|(_, charge)| attempt["tracking_numbers"] != json!(charge.numbers));
        for (carrier, charge) in others {
            let Some(address) = self.shared.carriers.get(carrier) else { continue };
            let path = format!("/v1/purchases/{}/void", charge.purchase);
            // The carrier is still being killed and still injects faults.
            wait_until("a charge is cancelled", STUCK, || {
                let reply = Client::connect(*address, "")
                    .and_then(|mut carrier| carrier.request("POST", &path, &[], "{}"));
                reply.is_ok_and(|reply| reply.status == 200)
            });
        }
    }

    /// Returns whether the charges for a shipment come from one request, or from a carrier with idempotent purchases.
    fn is_carriers_doing(&self, shipment: &str) -> bool {
        let ledgers = self.shared.ledgers.lock().unwrap();
        let of = |ledger: &Ledger| {
            ledger.carrier == Mode::Idempotent.as_str() || ledger.account(shipment).buys <= 1
        };
        ledgers.iter().all(of)
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
