//! The run: clients buy shipments while servers and carriers are killed. When all work has ended, the judge checks the result.

use std::time::{Duration, Instant};

use carriers::sandbox::Mode;
use serde_json::json;
use tempfile::TempDir;
use testkit::carrier_ledger::LedgerAccounts;
use testkit::client::Client;
use testkit::cluster::Cluster;
use testkit::random::Random;
use testkit::sandbox_carrier::SandboxCarrier;
use testkit::shipments::{buy, create_account, create_shipment};

use crate::buyers::{Buyers, PurchaseRequest};
use crate::judge::{Judge, Tally};
use crate::kills::{self, KillCounts, STUCK};
use crate::shipment_view::{View, download, look};

/// Shipments of each carrier.
const SHIPMENTS_USUAL: u64 = 120;
const KILLS_USUAL: u64 = 10;
const KILLS_MIN: u64 = 8;
/// The random faults of every carrier. A carrier without look-up makes no double charges: the servers could not find them.
const FAULTS: [&str; 5] =
    ["lost-before=0.03", "lost-after=0.04", "error-before=0.03", "error-after=0.04", "slow=0.02"];
const DOUBLED: &str = "doubled=0.04";
const LOOK_EVERY: Duration = Duration::from_millis(500);

struct Run {
    cluster: Cluster,
    /// One of each mode.
    carriers: Vec<SandboxCarrier>,
    /// The shipments that are bought from each of them.
    shipments: Vec<Vec<String>>,
    _files: TempDir,
}

#[test]
fn ledger_and_store_agree_although_servers_and_carriers_are_killed() {
    let (count, kills) = (number("PURCHASES", SHIPMENTS_USUAL), number("PURCHASE_KILLS", KILLS_USUAL));
    assert!(kills >= KILLS_MIN && count >= 4 * kills, "fewer kills, or shipments, show nothing");
    let mut random = Random::seeded("purchases");
    let mut run = Run::start(count as usize, &mut random);
    let began = Instant::now();
    let kill_counts = run.buy_and_kill(kills as usize, &mut random);
    let (_, tallies) = run.settle(1);
    let settled = began.elapsed();
    run.resolve();
    let (view, resolved) = run.settle(2);
    run.check_labels(&view);
    run.report(&kill_counts, &tallies, settled);
    check_ends(&resolved);
    check_worth(&kill_counts, &tallies, run.cluster.nodes);
    run.cluster.stop();
}

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |text| text.parse().expect("a whole number"))
}

impl Run {
    fn start(count: usize, random: &mut Random) -> Self {
        let files = tempfile::tempdir().unwrap();
        // Servers that share a database share their files.
        let place = files.path().to_str().expect("a plain path");
        let settings = [
            ("--outbound-allow", "127.0.0.0/8"),
            ("--carrier-seconds", "2"),
            ("--purchase-wait-seconds", "2"),
            ("--files", place),
        ];
        let settings: Vec<_> = settings.into_iter().flat_map(|(name, value)| [name, value]).collect();
        let cluster = Cluster::start_as(&["--test"], &settings);
        let mut client = cluster.client(0);
        let (mut carriers, mut shipments) = (Vec::new(), Vec::new());
        for mode in Mode::ALL {
            let faults = [&FAULTS[..], if mode == Mode::Neither { &[] } else { &[DOUBLED] }].concat();
            let carrier = SandboxCarrier::start(mode, &faults, random);
            create_account(&mut client, mode, Some(&carrier.url()));
            shipments.push((0..count).map(|_| create_shipment(&mut client, "BS1 4DJ")).collect());
            carriers.push(carrier);
        }
        Self { cluster, carriers, shipments, _files: files }
    }

    fn buy_and_kill(&mut self, kills: usize, random: &mut Random) -> KillCounts {
        let mut wanted = Vec::new();
        // The carriers take turns, so that every kill meets all of them.
        for number in 0..self.shipments[0].len() {
            for (shipments, carrier) in self.shipments.iter().zip(&self.carriers) {
                wanted.push(PurchaseRequest::new(shipments[number].clone(), carrier.mode, random));
            }
        }
        let total = wanted.len();
        let buyers = Buyers::start(&self.cluster, wanted);
        let kill_counts =
            kills::inflict(&mut self.cluster, &mut self.carriers, &buyers, (total, kills), random);
        let (requests, broken) = buyers.finish();
        let engine = self.cluster.engine;
        println!(
            "purchases on {engine}: {total} shipments asked for by {requests} requests, {broken} answers lost"
        );
        kill_counts
    }

    /// Waits until ledgers and store agree. Panics with the difference if they never do.
    fn settle(&self, buys_max: usize) -> (View, Vec<Tally>) {
        let began = Instant::now();
        loop {
            let view = look(&mut self.cluster.client(0));
            match self.judge(&view, buys_max) {
                Ok(tallies) => return (view, tallies),
                Err(what) => assert!(began.elapsed() < STUCK, "{what}"),
            }
            std::thread::sleep(LOOK_EVERY);
        }
    }

    fn judge(&self, view: &View, buys_max: usize) -> Result<Vec<Tally>, String> {
        let judged = self.carriers.iter().zip(&self.shipments).map(|(carrier, shipments)| {
            Judge { mode: carrier.mode, buys_max, shipments }.check(view, &carrier.accounts())
        });
        judged.collect()
    }

    /// Resolves the purchases in review as a person would: reads the carrier's ledger, reports what it contains, and buys
    /// again what it does not. The carrier's faults have ended by then.
    fn resolve(&mut self) {
        let place =
            self.carriers.iter().position(|carrier| carrier.mode == Mode::Neither).expect("all modes");
        self.carriers[place].heal();
        let accounts = self.carriers[place].accounts();
        let mut client = self.cluster.client(0);
        let view = look(&mut client);
        for shipment in self.shipments[place].iter().filter(|id| view[*id].state == "needs_review") {
            resolve_one(&mut client, shipment, &view[shipment].attempt, &accounts);
        }
    }

    fn check_labels(&self, view: &View) {
        for (number, (shipment, seen)) in
            view.iter().filter(|(_, seen)| seen.status == "purchased").enumerate()
        {
            let server = &self.cluster.servers[number % self.cluster.nodes];
            let (status, bytes) = download(server.address, &seen.labels[0]);
            assert!(status == 200 && bytes.starts_with(b"%PDF"), "the label of {shipment}: {status}");
        }
    }

    fn report(&self, kill_counts: &KillCounts, tallies: &[Tally], settled: Duration) {
        let (engine, nodes) = (self.cluster.engine, self.cluster.nodes);
        for (carrier, tally) in self.carriers.iter().zip(tallies) {
            println!(
                "purchases on {engine}, {nodes} servers, {}: {} shipments, {} kills of servers, {} of carriers, {} \
                 freezes; {} purchased, {} failed, {} reviewed ({} never sent); {} charges, {} found by look-up, {} \
                 duplicates voided; {:.1} s",
                carrier.mode.as_str(),
                tally.purchased + tally.failed + tally.in_review,
                kill_counts.kills,
                kill_counts.carrier_kills,
                kill_counts.freezes,
                tally.purchased,
                tally.failed,
                tally.in_review,
                tally.unheard,
                tally.charges,
                tally.found,
                tally.voided,
                settled.as_secs_f64(),
            );
        }
    }
}

fn resolve_one(client: &mut Client, shipment: &str, attempt: &str, accounts: &LedgerAccounts) {
    let charge = accounts.get(shipment).and_then(|account| account.charges.first());
    let finding = match charge {
        Some(charge) => json!({
            "outcome": "bought",
            "tracking_numbers": charge.numbers,
            "carrier_purchase": charge.purchase,
            "amount": charge.amount,
            "currency_code": charge.currency,
        }),
        None => json!({ "outcome": "not_bought" }),
    };
    let reply = client.post(&format!("/purchase_attempts/{attempt}/resolve"), &finding.to_string());
    assert_eq!(reply.status, 200, "{reply:?}");
    if charge.is_none() {
        let failed = client.get(&format!("/shipments/{shipment}")).json();
        assert_eq!(failed["status"], "purchase_failed", "{failed}");
        let reply = buy(client, shipment, Mode::Neither, "").expect("an answer");
        assert!(matches!(reply.status, 200 | 202), "{reply:?}");
    }
}

/// After a person resolved the reviews, every purchase has ended. It may have failed if its carrier was down.
fn check_ends(tallies: &[Tally]) {
    let in_review: usize = tallies.iter().map(|tally| tally.in_review).sum();
    assert_eq!(in_review, 0, "a person resolved it, and it is still in review");
}

/// Asserts that enough faults happened: a run without faults proves nothing.
fn check_worth(kill_counts: &KillCounts, tallies: &[Tally], nodes: usize) {
    let [idempotent, look_up, neither] = tallies else { panic!("three carriers") };
    assert!(
        kill_counts.kills as u64 >= KILLS_MIN
            && kill_counts.carrier_kills > 0
            && kill_counts.freezes == nodes - 1,
        "void"
    );
    assert!(idempotent.found + look_up.found > 0, "no answer was lost: void");
    assert!(idempotent.voided + look_up.voided > 0, "nothing was charged twice: void");
    assert!(neither.in_review > 0, "everything was known: void");
}
