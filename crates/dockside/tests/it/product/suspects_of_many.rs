//! Purchases and webhook lanes that may be what stops servers: after two stops they are resumed alone, and after three stops
//! alone they are set aside for a person. A node that has just started leaves those that were resumed alone before.

use std::time::Duration;

use model::{Id, Result, Shipment, Timestamp};
use serde_json::{Value, json};
use store::Tx;
use store::events::webhook_lanes;
use store::shipping::purchases::{self, Purchase};

use crate::setup::purchase_requests::{errors, parcel_to, service};
use crate::setup::receiver::{Answer, Gate, sequences};
use crate::setup::test_endpoint::{TestEndpoint, statuses};
use crate::setup::world::World;

const HOME: &str = "BS1 4DJ";
const ALL: usize = 100;
/// Stops alone after which a purchase or a lane is set aside.
const STOPS_ALONE: usize = 3;
/// The age at which a node resumes or sets aside whatever it finds.
const AGED_SECONDS: i64 = 10;
/// Starts of servers during which a suspect may be left untouched and still is one.
const STARTS: usize = 10;
/// How long a receiver usually has for its answer.
const WEBHOOK_TIME_LIMIT: Duration = Duration::from_secs(15);

impl World {
    async fn begin_purchase(&self) -> String {
        let path = self.shipment(parcel_to(HOME)).await;
        let begun = self.begin(&format!("{path}/purchase"), Some(service("standard"))).await;
        assert_eq!(begun.status, 202, "{begun}");
        path
    }

    /// Lets time pass while the server sends heartbeats.
    async fn live_for(&self, seconds: i64) {
        for _ in 0..seconds {
            self.service.nodes.heartbeat().await.expect("a heartbeat");
            self.advance_seconds(1);
        }
    }

    /// Has servers stop that hold a suspect and no other one.
    async fn stop_alone(&self, times: usize, claim: AloneClaim) {
        for _ in 0..times {
            let stopped = self.stop_at(async move |tx: &mut Tx<'_>, node: &str, now| match claim {
                AloneClaim::Purchase => {
                    Ok(purchases::claim_suspect(tx, node, now, i64::MAX).await?.iter().count())
                }
                AloneClaim::Lane => {
                    Ok(webhook_lanes::claim_suspect(tx, node, now, i64::MAX).await?.iter().count())
                }
            });
            assert_eq!(stopped.await, 1);
        }
    }

    /// Has servers start that stop before they resume any suspect.
    async fn start_and_stop(&self, times: usize) {
        for _ in 0..times {
            self.service.suspects.count_start().await.expect("starts are counted");
        }
    }

    /// Expects that a server that has just started leaves a suspect that was resumed alone, and lets the server grow old.
    async fn work_suspects_when_aged(&self, is_untouched: impl AsyncFn() -> bool) {
        self.work_suspects().await;
        assert!(is_untouched().await, "a server that has just started worked on it");
        self.live_for(AGED_SECONDS).await;
        self.work_suspects().await;
    }

    async fn status_of(&self, path: &str) -> Value {
        self.get(path).await.json()["status"].clone()
    }

    async fn crashes_of(&self, path: &str) -> i64 {
        let owner = self.owner();
        let id = path.rsplit('/').next().and_then(Id::<Shipment>::parse).expect("an id");
        let read = self.db.read(owner, async move |tx| purchases::get(tx, owner, id).await);
        read.await.unwrap().expect("a purchase").crashes
    }
}

#[derive(Clone, Copy)]
enum AloneClaim {
    Purchase,
    Lane,
}

async fn claim_purchases(tx: &mut Tx<'_>, node: &str, now: Timestamp) -> Result<Vec<Purchase>> {
    let due = purchases::due(tx, now, ALL, ALL).await?;
    purchases::claim(tx, node, &due, now).await
}

/// A server claims all purchases, and stops.
async fn claim_only(tx: &mut Tx<'_>, node: &str, now: Timestamp) -> Result<usize> {
    Ok(claim_purchases(tx, node, now).await?.len())
}

/// A server claims all purchases, records that it calls their carriers, and stops.
async fn claim_and_call(tx: &mut Tx<'_>, node: &str, now: Timestamp) -> Result<usize> {
    let claimed = claim_purchases(tx, node, now).await?;
    let called = purchases::call(tx, &claimed.iter().collect::<Vec<_>>(), now).await?;
    Ok(called.into_iter().filter(|is_held| *is_held).count())
}

/// A server claims all purchases, records their receipts, and stops.
async fn claim_and_buy(tx: &mut Tx<'_>, node: &str, now: Timestamp) -> Result<usize> {
    let receipt = json!({"purchase": "sold", "tracking_numbers": ["SBX1"], "charged": 515, "currency": "GBP",
        "is_label_ours": true});
    let mut claimed = claim_purchases(tx, node, now).await?;
    claimed.iter_mut().for_each(|purchase| purchase.receipt = Some(receipt.to_string()));
    let kept = purchases::keep_receipts(tx, &claimed.iter().collect::<Vec<_>>(), now).await?;
    Ok(kept.into_iter().filter(|is_held| *is_held).count())
}

async fn claim_late_labels(tx: &mut Tx<'_>, node: &str, now: Timestamp) -> Result<usize> {
    let due = purchases::follow_ups(tx, now, ALL).await?;
    Ok(purchases::claim_follow_ups(tx, node, &due, now).await?.len())
}

async fn claim_lanes(tx: &mut Tx<'_>, node: &str, now: Timestamp) -> Result<usize> {
    Ok(webhook_lanes::claim(tx, node, now, false, ALL).await?.len())
}

#[tokio::test]
async fn purchases_beside_which_two_servers_stopped_are_bought_alone() {
    let world = World::rehearsal().await;
    let paths = [world.begin_purchase().await, world.begin_purchase().await];
    assert_eq!(world.stop_at(claim_only).await, 2);
    assert_eq!(world.stop_at(claim_and_call).await, 2);
    let neighbour = world.begin_purchase().await;
    world.work().await;
    assert_eq!(world.status_of(&neighbour).await, "purchased", "only suspects wait");
    for path in &paths {
        assert_eq!((world.status_of(path).await, world.crashes_of(path).await), (json!("purchasing"), 1));
    }
    world.work_suspects().await;
    world.work_for(60).await;
    for path in &paths {
        let attempt = world.attempt(path).await;
        assert_eq!(
            (world.status_of(path).await, world.crashes_of(path).await),
            (json!("purchased"), 0),
            "{attempt}"
        );
        assert_eq!(world.carrier_charges(path).await.charges, 1);
    }
}

#[tokio::test]
async fn one_stop_is_counted_until_the_carrier_answers_and_makes_no_suspect() {
    let world = World::rehearsal().await;
    let path = world.begin_purchase().await;
    assert_eq!(world.stop_at(claim_and_call).await, 1);
    world.work().await;
    world.work_for(60).await;
    assert_eq!((world.status_of(&path).await, world.crashes_of(&path).await), (json!("purchased"), 0));
    assert_eq!(world.carrier_charges(&path).await.charges, 1);
}

#[tokio::test]
async fn a_purchase_that_stops_servers_before_it_is_sent_fails() {
    let world = World::rehearsal().await;
    let path = world.begin_purchase().await;
    for _ in 0..2 {
        assert_eq!(world.stop_at(claim_only).await, 1);
    }
    world.stop_alone(STOPS_ALONE, AloneClaim::Purchase).await;
    let neighbour = world.begin_purchase().await;
    world.work_suspects_when_aged(async || world.status_of(&path).await == "purchasing").await;
    let shown = world.get(&path).await.json();
    assert_eq!(shown["status"], "purchase_failed", "{shown}");
    assert!(shown["errors"].to_string().contains("set aside"), "{shown}");
    world.work().await;
    assert_eq!(world.status_of(&neighbour).await, "purchased");
    assert_eq!(world.carrier_charges(&path).await.charges, 0);
    // A person asks for it again.
    assert_eq!(world.buy(&path).await["status"], "purchased");
}

#[tokio::test]
async fn a_purchase_that_stops_servers_and_may_be_bought_is_reviewed_by_a_person() {
    let world = World::rehearsal().await;
    let path = world.begin_purchase().await;
    for _ in 0..2 {
        assert_eq!(world.stop_at(claim_and_call).await, 1);
    }
    world.stop_alone(STOPS_ALONE, AloneClaim::Purchase).await;
    world.work_suspects_when_aged(async || world.attempt(&path).await["state"] == "calling").await;
    let attempt = world.attempt(&path).await;
    assert_eq!(
        (&attempt["state"], &attempt["error"]["code"]),
        (&json!("needs_review"), &json!("outcome_unknown"))
    );
    assert!(attempt["error"]["message"].as_str().unwrap().contains("set aside"), "{attempt}");
    assert_eq!(world.status_of(&path).await, "purchasing");
    world.work_suspects().await;
    let resolve = format!("/purchase_attempts/{}/resolve", attempt["id"].as_str().unwrap());
    assert_eq!(world.post(&resolve, json!({"outcome": "not_bought"})).await.status, 200);
    assert_eq!(world.buy(&path).await["status"], "purchased");
    assert_eq!(world.carrier_charges(&path).await.charges, 1);
}

#[tokio::test]
async fn a_purchase_whose_label_stops_servers_is_shown_without_it() {
    let world = World::rehearsal().await;
    let path = world.begin_purchase().await;
    assert_eq!(world.stop_at(claim_and_buy).await, 1);
    assert_eq!(world.stop_at(claim_only).await, 1);
    world.stop_alone(STOPS_ALONE, AloneClaim::Purchase).await;
    world.work_suspects_when_aged(async || world.status_of(&path).await == "purchasing").await;
    assert_label_is_set_aside(&world, &path).await;
}

#[tokio::test]
async fn a_late_label_that_stops_servers_is_set_aside() {
    let world = World::rehearsal().await;
    let path = world.shipment(parcel_to("SBX-LABEL-LATE")).await;
    let shown = world.buy(&path).await;
    assert_eq!((&shown["status"], &shown["label_pending"]), (&json!("purchased"), &json!(true)), "{shown}");
    world.advance_seconds(1);
    for _ in 0..2 {
        assert_eq!(world.stop_at(claim_late_labels).await, 1);
    }
    world.stop_alone(STOPS_ALONE, AloneClaim::Purchase).await;
    world
        .work_suspects_when_aged(async || world.get(&path).await.json()["label_pending"] == json!(true))
        .await;
    assert_label_is_set_aside(&world, &path).await;
}

/// Expects a shipment that is purchased without its label, and has a person ask for the label again.
async fn assert_label_is_set_aside(world: &World, path: &str) {
    let shown = world.get(path).await.json();
    assert_eq!((&shown["status"], &shown["label_pending"]), (&json!("purchased"), &json!(false)), "{shown}");
    assert_eq!(errors(&shown), [["label_error", "provider_unavailable", "service"].map(str::to_owned)]);
    assert!(shown["errors"].to_string().contains("set aside"), "{shown}");
    assert_eq!(world.begin(&format!("{path}/labels"), None).await.status, 202);
    world.work_for(60).await;
    let shown = world.get(path).await.json();
    assert!(shown["documents"].to_string().contains("\"label\""), "{shown}");
    assert_eq!(errors(&shown), Vec::<[String; 3]>::new());
}

#[tokio::test]
async fn suspects_that_servers_left_untouched_before_they_stopped_are_suspects_no_longer() {
    let world = World::rehearsal().await;
    let path = world.begin_purchase().await;
    let hook = TestEndpoint::new(&world).await;
    world.happen(1).await;
    world.relay().await;
    for _ in 0..2 {
        assert_eq!(world.stop_at(claim_only).await, 1);
        assert_eq!(world.stop_at(claim_lanes).await, 1);
    }
    world.start_and_stop(STARTS).await;
    // A claim begins the count anew: work that stops servers is not let off by the starts that follow.
    world.stop_alone(1, AloneClaim::Purchase).await;
    world.stop_alone(1, AloneClaim::Lane).await;
    world.start_and_stop(STARTS).await;
    world.work().await;
    world.deliver().await;
    assert_eq!(world.status_of(&path).await, "purchasing", "it is still a suspect");
    assert_eq!(hook.receiver.seen().len(), 0, "it is still a suspect");
    world.start_and_stop(1).await;
    world.work().await;
    world.deliver().await;
    assert_eq!((world.status_of(&path).await, world.crashes_of(&path).await), (json!("purchased"), 0));
    assert!(!hook.receiver.seen().is_empty(), "its lane is claimed like any other");
}

#[tokio::test]
async fn lanes_that_two_servers_held_when_they_stopped_deliver_alone() {
    const EVENTS: usize = 5;
    let world = World::new().await;
    let hooks = [TestEndpoint::new(&world).await, TestEndpoint::new(&world).await];
    world.happen(EVENTS).await;
    world.relay().await;
    for _ in 0..2 {
        assert_eq!(world.stop_at(claim_lanes).await, 2);
    }
    world.deliver().await;
    assert!(hooks.iter().all(|hook| hook.receiver.seen().is_empty()), "they are to be resumed alone");
    world.work_suspects().await;
    world.deliver().await;
    for hook in &hooks {
        assert_eq!(sequences(&hook.receiver.seen()), (1..=EVENTS as i64).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn an_event_that_stops_servers_is_left_out_of_its_lane() {
    let world = World::new().await;
    let hook = TestEndpoint::new(&world).await;
    world.happen(3).await;
    world.relay().await;
    for _ in 0..2 {
        assert_eq!(world.stop_at(claim_lanes).await, 1);
    }
    world.stop_alone(STOPS_ALONE, AloneClaim::Lane).await;
    let neighbour = TestEndpoint::new(&world).await;
    world.happen(1).await;
    world.deliver().await;
    assert_eq!(sequences(&neighbour.receiver.seen()), [4], "other lanes go on");
    world.work_suspects_when_aged(async || hook.deliveries(&world).await.is_empty()).await;
    world.deliver().await;
    assert_eq!(sequences(&hook.receiver.take()), [2, 3, 4]);
    let all = hook.deliveries(&world).await;
    assert_eq!(statuses(&all), ["failed", "succeeded", "succeeded", "succeeded"]);
    assert!(all[0]["attempts"].to_string().contains("set aside"), "{}", all[0]);
    // A person sends it again.
    world.act(&format!("{}/replay", hook.path_of(&all[0]))).await;
    world.deliver().await;
    assert!(!hook.receiver.seen().is_empty(), "its lane is claimed like any other");
}

#[tokio::test]
async fn a_retry_that_stops_servers_is_given_up() {
    let world = World::new().await;
    let hook = TestEndpoint::new(&world).await;
    hook.answers(500);
    world.happen(1).await;
    world.deliver().await;
    assert_eq!(statuses(&hook.deliveries(&world).await), ["retrying"]);
    hook.receiver.take();
    world.advance_seconds(60);
    let claim = async |tx: &mut Tx<'_>, node: &str, now| {
        Ok(webhook_lanes::claim(tx, node, now, true, ALL).await?.len())
    };
    for _ in 0..2 {
        assert_eq!(world.stop_at(claim).await, 1);
    }
    world.stop_alone(STOPS_ALONE, AloneClaim::Lane).await;
    world.work_suspects_when_aged(async || hook.receiver.seen().is_empty()).await;
    world.deliver().await;
    let delivery = hook.delivery(&world).await;
    assert_eq!((&delivery["status"], &delivery["attempt"]), (&json!("failed"), &json!(2)), "{delivery}");
    assert!(hook.receiver.seen().is_empty(), "it was sent again");
}

#[tokio::test]
async fn a_receiver_that_does_not_answer_does_not_hold_up_other_suspects() {
    let world = World::new().await;
    let hook = TestEndpoint::new(&world).await;
    let gate = Gate::closed();
    hook.receiver.answer(Answer::status(200).behind(&gate));
    world.happen(1).await;
    world.relay().await;
    for _ in 0..2 {
        assert_eq!(world.stop_at(claim_lanes).await, 1);
    }
    world.stop_alone(1, AloneClaim::Lane).await;
    world.live_for(2).await;
    let began = std::time::Instant::now();
    world.work_suspects().await;
    assert!(began.elapsed() < WEBHOOK_TIME_LIMIT, "{:?}", began.elapsed());
    let delivery = hook.delivery(&world).await;
    assert_eq!(delivery["status"], "retrying", "a failed attempt ends the suspicion: {delivery}");
    gate.open();
    hook.receiver.take();
    world.advance_seconds(60);
    world.deliver().await;
    assert!(!hook.receiver.seen().is_empty(), "its lane is claimed like any other");
}
