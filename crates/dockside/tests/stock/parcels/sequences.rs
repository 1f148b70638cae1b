//! Random sequences from order to parcel: the product gives the same answers and has the same state as the reference model.
//!
//! Jobs and time are part of the steps, so each worker has a product of its own, with its own clock.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use serde_json::json;
use testkit::product::Product;
use testkit::progress::Progress;

use super::packing_steps::{PackingAction, ScanName, ScanWish, Share};
use super::replay::{ParcelReplay, replay, tenant};
use super::shipment::Destination;
use super::steps::{ParcelAction, ParcelStep, What, sequence};
use crate::replay::{Divergence, Tally};
use crate::sequences::seeds;
use crate::steps::{Action, Pick};

const SEQUENCES_SQLITE: usize = 1_000;
const SEQUENCES_POSTGRES: usize = 250;
const WORKERS: usize = 4;
/// Sequences of one product, so that its files don't fill the memory, and of one organisation.
const OF_PRODUCT: usize = 100;
const OF_TENANT: usize = 10;
/// One in so many sequences is compared after each of its steps.
const THOROUGH_EVERY: u64 = 8;
/// With so many sequences, everything below must occur.
const SEQUENCES_TELLING: usize = 10_000;
/// The answers that the rules of parcels can give, and what must have become of orders and shipments. A run without one of them
/// proves nothing about it.
const ANSWERS: &[&str] = &[
    "200 ",
    "201 ",
    "202 ",
    "204 ",
    "404 not_found",
    "409 allocation_completed",
    "409 allocation_in_shipment",
    "409 batch_finalised",
    "409 batch_purchasing",
    "409 exceeds_reservation",
    "409 insufficient_stock",
    "409 nothing_to_allocate",
    "409 nothing_to_retry",
    "409 nothing_to_ship",
    "409 order_blocked",
    "409 order_cancelled",
    "409 order_fulfilled",
    "409 order_has_shipments",
    "409 order_not_committed",
    "409 order_on_hold",
    "409 order_partly_fulfilled",
    "409 scan_id_reused",
    "409 shipment_in_other_batch",
    "409 shipment_manifested",
    "409 shipment_not_purchased",
    "409 shipment_purchased",
    "409 shipment_purchasing",
    "409 shipment_voided",
    "409 shipment_without_order",
    "409 short_exceeds_missing",
    "409 wave_cancelled",
    "409 wave_completed",
    "409 wave_running",
    "422 allocation_not_found",
    "422 batch_empty",
    "422 destination_missing",
    "422 duplicate_allocation",
    "422 item_not_in_shipment",
    "422 location_configuration_missing",
    "422 order_not_found",
    "422 package_not_found",
    "422 packages_exceed_allocations",
    "422 packages_need_location",
    "422 shipment_not_found",
    "422 wave_empty",
    "exception shipped_unallocated",
    "exception short",
    "exception stock_short",
    "exception voided_after_scan",
    "scan already_packed",
    "scan not_in_shipment",
    "scan packed",
    "scan purchase failed order_on_hold",
    "scan purchase failed purchase_declined",
    "scan purchase failed service_missing",
    "scan purchase purchased ",
    "scan purchase purchasing ",
    "scan unknown_code",
    "scan wrong_package",
    "shipment deleted",
    "shipment delivered",
    "shipment draft",
    "shipment failed insufficient_stock",
    "shipment failed order_on_hold",
    "shipment failed purchase_declined",
    "shipment packed",
    "shipment purchased",
    "shipment rated",
    "shipment returned to draft",
    "shipment unlinked",
    "shipment voided",
    "split",
    "wave cancelled",
    "wave completed",
    "wave order cancelled ",
    "wave order done ",
    "wave order exception address_invalid",
    "wave order exception in_other_wave",
    "wave order exception location_configuration_missing",
    "wave order exception no_rule",
    "wave order exception no_stock",
    "wave order exception not_allocated",
    "wave order exception nothing_to_ship",
    "wave order exception on_hold",
    "wave order exception order_blocked",
    "wave order exception order_cancelled",
    "wave order exception order_not_committed",
    "wave order exception order_not_found",
    "wave order exception rate_step_missing",
];

struct Run {
    seeds: Vec<u64>,
    next: AtomicUsize,
    begun: Instant,
    progress: Mutex<(u64, Progress)>,
}

impl Run {
    fn note_played(&self) {
        let (played, progress) = &mut *self.progress.lock().unwrap();
        *played += 1;
        progress.reach(*played, self.seeds.len() as u64);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn parcels_and_the_reference_model_never_part() {
    let (name, usual) = match std::env::var("TEST_DB").as_deref() {
        Ok("postgres") => ("postgres", SEQUENCES_POSTGRES),
        _ => ("sqlite", SEQUENCES_SQLITE),
    };
    let seeds = seeds(&format!("parcels on {name}"), "PARCEL", usual);
    let count = seeds.len();
    let progress = Mutex::new((0, Progress::new(&format!("parcels on {name}"))));
    let run = Arc::new(Run { seeds, next: AtomicUsize::new(0), begun: Instant::now(), progress });
    let workers: Vec<_> = (0..WORKERS).map(|_| tokio::spawn(work(Arc::clone(&run)))).collect();
    let mut tally = Tally::new();
    for worker in workers {
        match worker.await.expect("a worker that did not panic") {
            Ok(part) => {
                part.into_iter().for_each(|(answer, times)| *tally.entry(answer).or_default() += times)
            }
            Err((seed, divergence)) => explain(seed, divergence).await,
        }
    }
    let steps: u64 = tally
        .iter()
        .filter(|(answer, _)| answer.as_bytes()[0].is_ascii_digit())
        .map(|(_, times)| times)
        .sum();
    let took = run.begun.elapsed().as_secs_f64();
    run.progress.lock().unwrap().1.end();
    println!("parcels on {name}: {count} sequences, {steps} requests, no divergence, {took:.1} s");
    println!("parcels on {name}: {:.1} sequences a second; answers {tally:?}", count as f64 / took);
    if count >= SEQUENCES_TELLING {
        let missing: Vec<_> = ANSWERS.iter().filter(|answer| !tally.contains_key(**answer)).collect();
        assert!(missing.is_empty(), "never met: {missing:?}");
    }
}

/// Plays sequences until none is left. Returns the seed of one that diverged, and how.
async fn work(run: Arc<Run>) -> Result<Tally, (u64, Divergence)> {
    let mut tally = Tally::new();
    let of_worker = run.seeds.len().div_ceil(WORKERS).clamp(1, OF_PRODUCT);
    loop {
        let first = run.next.fetch_add(of_worker, Ordering::Relaxed);
        let Some(rest) = run.seeds.get(first..).filter(|rest| !rest.is_empty()) else { return Ok(tally) };
        let product = Arc::new(Product::open_usual().await);
        for seeds in rest[..of_worker.min(rest.len())].chunks(OF_TENANT) {
            let tenant = tenant(&product).await;
            for seed in seeds {
                let is_thorough = seed.is_multiple_of(THOROUGH_EVERY);
                if let Err(divergence) = replay(&tenant, &sequence(*seed), is_thorough, &mut tally).await {
                    run.next.store(run.seeds.len(), Ordering::Relaxed);
                    return Err((*seed, divergence));
                }
                run.note_played();
            }
        }
    }
}

/// Replays a sequence that diverged, alone and with fewer and fewer steps, and shows the shortest one.
async fn explain(seed: u64, first: Divergence) {
    let product = Arc::new(Product::open_usual().await);
    let Some((steps, divergence)) = shrunk(&product, sequence(seed)).await else {
        let steps: Vec<_> = sequence(seed).iter().map(|step| format!("{step:?}")).collect();
        let what = first.what;
        panic!("PARCEL_SEED={seed} diverged among others, but not alone: {what}\n{}", steps.join("\n"));
    };
    let steps: Vec<_> = steps.iter().map(|step| format!("{step:?}")).collect();
    panic!("PARCEL_SEED={seed}: {}\nafter\n{}", divergence.what, steps.join("\n"));
}

async fn shrunk(product: &Arc<Product>, mut steps: Vec<ParcelStep>) -> Option<(Vec<ParcelStep>, Divergence)> {
    let mut divergence = diverges(product, &steps).await?;
    steps.truncate(divergence.steps);
    let mut place = steps.len();
    while place > 0 {
        place -= 1;
        let mut fewer = steps.clone();
        fewer.remove(place);
        if let Some(found) = diverges(product, &fewer).await {
            fewer.truncate(found.steps);
            (steps, divergence) = (fewer, found);
            place = steps.len();
        }
    }
    Some((steps, divergence))
}

async fn diverges(product: &Arc<Product>, steps: &[ParcelStep]) -> Option<Divergence> {
    replay(&tenant(product).await, steps, true, &mut Tally::new()).await.err()
}

#[tokio::test]
async fn a_parcel_that_changes_without_the_reference_model_is_noticed() {
    let product = Arc::new(Product::open_usual().await);
    let tenant = tenant(&product).await;
    let order = ParcelAction::CreateOrder {
        status: "committed",
        items: vec![(Pick::Any(0), 2)],
        destination: Some(Destination::Usual),
    };
    let level = ParcelAction::Stock(Action::SetLevel { item: 0, location: 0, on_hand: 5 });
    let (item, is_other, package, share) = (0, false, None, Share::One);
    let (shipment, name, is_buying) = (1, ScanName::New, false);
    let scan = PackingAction::Scan(ScanWish { shipment, item, is_other, package, share, name, is_buying });
    let made = [
        level,
        order,
        ParcelAction::Plan { order: 1 },
        ParcelAction::Ship { order: 1, what: What::All },
        ParcelAction::Packing(scan),
    ];
    let service = json!({ "carrier_account": "sandbox", "carrier_service": "standard" });
    let scan = json!({ "scan_id": "unseen", "code": "no such code" });
    for (method, rest, body) in [
        ("DELETE", "", None),
        ("POST", "/purchase", Some(service)),
        ("POST", "/scans", Some(scan)),
        ("POST", "/shorts", None),
    ] {
        let mut replay = ParcelReplay::new(&tenant).await;
        for action in made.clone() {
            replay.step(&ParcelStep { action, is_repeated: false }).await.expect("the same answer");
        }
        replay.compare().await.expect("the same state");
        let names = &replay.state.names;
        let short = json!({ "item_id": names.item(0), "quantity": 1, "reason": "unseen" });
        let body = if rest == "/shorts" { Some(short) } else { body };
        let reply = tenant.send(method, &format!("/shipments/{}{rest}", names.shipment(0)), body, None).await;
        assert!(reply.status < 300, "{}", reply.json);
        let what = replay.compare().await.expect_err("another state");
        assert!(what.contains("but the reference model says"), "{what}");
    }
}
