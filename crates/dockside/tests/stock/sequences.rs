//! Random sequences: the product gives the same answers and has the same final state as the reference model.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use testkit::product::Product;
use testkit::random::Random;

use crate::replay::{Divergence, ReplayState, Tally, Tenant, replay};
use crate::steps::{Action, Pick, Step, sequence};

const SEQUENCES_SQLITE: usize = 20_000;
const SEQUENCES_POSTGRES: usize = 1_000;
/// Sequences that run at once, so that they share commits.
const WORKERS: usize = 32;
/// Sequences of one organisation. Its audit covers all of them.
const OF_TENANT: usize = 10;
/// With so many sequences, every answer below must occur.
const SEQUENCES_TELLING: usize = 1_000;
/// The answers that the rules of stock can give. A run without one of them proves nothing about it.
const ANSWERS: [&str; 22] = [
    "200 ",
    "201 ",
    "204 ",
    "404 not_found",
    "409 allocation_completed",
    "409 exceeds_reservation",
    "409 insufficient_stock",
    "409 inventory_item_in_use",
    "409 on_hand_changed",
    "409 order_cancelled",
    "409 order_fulfilled",
    "409 order_items_allocated",
    "409 order_not_committed",
    "409 order_partly_fulfilled",
    "422 allocation_not_found",
    "422 duplicate_allocation",
    "422 inventory_item_not_found",
    "422 item_not_in_allocation",
    "422 item_not_in_order",
    "422 location_not_found",
    "422 status_not_writable",
    "422 validation_failed",
];

struct Run {
    product: Arc<Product>,
    seeds: Vec<u64>,
    next: AtomicUsize,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_product_and_the_reference_model_never_part() {
    let (name, usual) = match std::env::var("TEST_DB").as_deref() {
        Ok("postgres") => ("postgres", SEQUENCES_POSTGRES),
        _ => ("sqlite", SEQUENCES_SQLITE),
    };
    let seeds = seeds(&format!("sequences on {name}"), "STOCK", usual);
    let count = seeds.len();
    let run =
        Arc::new(Run { product: Arc::new(Product::open_usual().await), seeds, next: AtomicUsize::new(0) });
    let began = Instant::now();
    let workers: Vec<_> = (0..WORKERS).map(|_| tokio::spawn(work(Arc::clone(&run)))).collect();
    let mut tally = Tally::new();
    for worker in workers {
        match worker.await.expect("a worker that did not panic") {
            Ok(part) => {
                part.into_iter().for_each(|(answer, times)| *tally.entry(answer).or_default() += times)
            }
            Err(seed) => explain(&run.product, seed).await,
        }
    }
    let steps: u64 = tally.values().sum();
    let took = began.elapsed().as_secs_f64();
    println!("sequences on {name}: {count} sequences, {steps} steps, no divergence, {took:.1} s");
    println!("sequences on {name}: {:.0} sequences a second; answers {tally:?}", count as f64 / took);
    if count >= SEQUENCES_TELLING {
        let missing: Vec<_> = ANSWERS.iter().filter(|answer| !tally.contains_key(**answer)).collect();
        assert!(missing.is_empty(), "never met: {missing:?}");
    }
}

/// As many seeds as wanted; or the one that the environment names, by a variable that begins with `prefix`.
pub fn seeds(name: &str, prefix: &str, usual: usize) -> Vec<u64> {
    let given = |rest: &str| {
        let text = std::env::var(format!("{prefix}_{rest}")).ok();
        text.map(|text| text.parse::<u64>().expect("a whole number"))
    };
    if let Some(seed) = given("SEED") {
        return vec![seed];
    }
    let mut random = Random::seeded(name);
    let count = given("SEQUENCES").map_or(usual, |count| count as usize);
    (0..count).map(|_| random.below(u64::MAX)).collect()
}

/// Plays sequences until none is left. Returns the seed of one that diverged.
async fn work(run: Arc<Run>) -> Result<Tally, u64> {
    let mut tally = Tally::new();
    loop {
        let first = run.next.fetch_add(OF_TENANT, Ordering::Relaxed);
        let Some(rest) = run.seeds.get(first..).filter(|rest| !rest.is_empty()) else { return Ok(tally) };
        let tenant = Tenant::new(&run.product).await;
        for seed in rest.iter().take(OF_TENANT) {
            if replay(&tenant, &sequence(*seed), &mut tally).await.is_err() {
                run.next.store(run.seeds.len(), Ordering::Relaxed);
                return Err(*seed);
            }
        }
    }
}

/// Replays a sequence that diverged, alone and with fewer and fewer steps, and shows the shortest one.
async fn explain(product: &Arc<Product>, seed: u64) {
    let steps = sequence(seed);
    let Some((steps, divergence)) = shrunk(product, steps).await else {
        panic!("STOCK_SEED={seed} diverged among others, but not alone");
    };
    let steps: Vec<_> = steps.iter().map(|step| format!("{step:?}")).collect();
    panic!("STOCK_SEED={seed}: {}\nafter\n{}", divergence.what, steps.join("\n"));
}

async fn shrunk(product: &Arc<Product>, mut steps: Vec<Step>) -> Option<(Vec<Step>, Divergence)> {
    let mut divergence = diverges(product, &steps).await?;
    steps.truncate(divergence.steps);
    let mut place = steps.len();
    while place > 0 {
        place -= 1;
        let mut fewer = steps.clone();
        fewer.remove(place);
        if let Some(found) = diverges(product, &fewer).await {
            (steps, divergence) = (fewer, found);
            place = steps.len();
        }
    }
    Some((steps, divergence))
}

async fn diverges(product: &Arc<Product>, steps: &[Step]) -> Option<Divergence> {
    replay(&Tenant::new(product).await, steps, &mut Tally::new()).await.err()
}

#[tokio::test]
async fn a_change_without_the_reference_model_is_noticed() {
    let product = Arc::new(Product::open_usual().await);
    let tenant = Tenant::new(&product).await;
    let step = |action| Step { action, is_repeated: false };
    let order = Action::CreateOrder { status: "committed", items: vec![(Pick::Any(0), 2)] };
    let level = Action::SetLevel { item: 0, location: 0, on_hand: 5 };
    for unseen in ["PUT", "DELETE"] {
        let mut state = ReplayState::new(&tenant).await;
        state.step(&step(order.clone())).await.expect("the same answer");
        state.step(&step(level.clone())).await.expect("the same answer");
        state.compare().await.expect("the same state");
        state.change_unseen(unseen).await;
        let what = state.compare().await.expect_err("another state");
        assert!(what.contains("but the reference model says"), "{what}");
    }
}
