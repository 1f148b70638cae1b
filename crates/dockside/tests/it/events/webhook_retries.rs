//! A failed delivery is retried by its schedule. If all deliveries of an endpoint fail, its lane pauses. A receiver that asks
//! for a pause gets it.

use model::events::webhook_delivery::RETRY_SECONDS;
use serde_json::{Value, json};

use crate::setup::receiver::{Answer, sequences};
use crate::setup::test_endpoint::{TestEndpoint, micros, statuses};
use crate::setup::world::World;

/// How long a wait is, in microseconds: it may be stretched by a fifth.
fn assert_waits(delivery: &Value, seconds: i64) {
    let attempts = delivery["attempts"].as_array().unwrap();
    let waited = micros(&delivery["next_attempt_at"]) - micros(&attempts.last().unwrap()["attempted_at"]);
    // The attempt itself takes a few ticks of the clock.
    let range = seconds * 1_000_000..=seconds * 1_200_000 + 1000;
    assert!(range.contains(&waited), "{waited} µs instead of {seconds} s: {delivery}");
}

/// Moves the clock to just before the moment, and then to it.
async fn nothing_before(world: &World, hook: &TestEndpoint, moment: i64) {
    let seen = hook.receiver.seen().len();
    let seconds = (moment - world.service.context.now().as_micros()) / 1_000_000;
    world.advance_seconds(seconds - 1);
    world.deliver().await;
    assert_eq!(hook.receiver.seen().len(), seen, "it came too early");
    world.advance_seconds(2);
}

#[tokio::test]
async fn a_failing_event_is_set_aside_and_tried_by_the_schedule_to_its_end() {
    let world = World::new().await;
    let hook = TestEndpoint::new(&world).await;
    hook.receiver.answer_next([Answer::status(500).body("no")]);
    world.happen(3).await;
    world.deliver().await;
    assert_eq!(sequences(&hook.receiver.take()), [1, 2, 3], "later events go on");
    let deliveries = hook.deliveries(&world).await;
    assert_eq!(statuses(&deliveries), ["retrying", "succeeded", "succeeded"]);
    let path = hook.path_of(&deliveries[0]);
    hook.answers(503);
    for (place, seconds) in RETRY_SECONDS.into_iter().enumerate() {
        let delivery = world.get(&path).await.json();
        assert_eq!((&delivery["status"], &delivery["attempt"]), (&json!("retrying"), &json!(place + 1)));
        assert_waits(&delivery, seconds);
        nothing_before(&world, &hook, micros(&delivery["next_attempt_at"])).await;
        world.deliver().await;
        assert_eq!(sequences(&hook.receiver.take()), [1]);
    }
    let failed = world.get(&path).await.json();
    assert_eq!((&failed["status"], &failed["attempt"]), (&json!("failed"), &json!(8)));
    assert_eq!(failed["next_attempt_at"], Value::Null);
    let attempts = failed["attempts"].as_array().unwrap();
    assert_eq!((attempts.len(), &attempts[0]["response_body"]), (8, &json!("no")));
    let codes: Vec<i64> = attempts.iter().map(|one| one["status_code"].as_i64().unwrap()).collect();
    assert_eq!(codes, [500, 503, 503, 503, 503, 503, 503, 503]);
    world.advance_seconds(10 * 24 * 3600);
    world.deliver().await;
    assert_eq!(hook.receiver.seen().len(), 0);
}

#[tokio::test]
async fn a_retry_that_succeeds_carries_the_same_id_and_ends_it() {
    let world = World::new().await;
    let hook = TestEndpoint::new(&world).await;
    hook.receiver.answer_next([Answer::status(500)]);
    world.happen(1).await;
    world.deliver().await;
    world.advance_seconds(6);
    world.deliver().await;
    world.advance_seconds(3600);
    world.deliver().await;
    let received = hook.receiver.seen();
    assert_eq!(received.len(), 2);
    assert_eq!(received[0].header("webhook-id"), received[1].header("webhook-id"));
    assert_eq!(received[0].body, received[1].body);
    assert_ne!(received[0].header("webhook-timestamp"), received[1].header("webhook-timestamp"));
    assert_eq!(received[1].signatures(), [received[1].signature_by(&hook.secret)]);
    let delivery = hook.delivery(&world).await;
    assert_eq!((&delivery["status"], &delivery["attempt"]), (&json!("succeeded"), &json!(2)));
}

#[tokio::test]
async fn two_failures_in_a_row_pause_the_lane_and_what_waits_keeps_its_order() {
    let world = World::new().await;
    let hook = TestEndpoint::new(&world).await;
    hook.answers(500);
    world.happen(5).await;
    world.deliver().await;
    assert_eq!(sequences(&hook.receiver.take()), [1, 2], "the rest waits");
    assert_eq!(hook.deliveries(&world).await.len(), 2);
    hook.answers(200);
    world.advance_seconds(4);
    world.deliver().await;
    assert_eq!(hook.receiver.seen().len(), 0);
    // The pause is 5 s, and a fifth more at most; so are the waits of the two.
    world.advance_seconds(2);
    world.deliver().await;
    let mut received = sequences(&hook.receiver.take());
    // Each of the two has a schedule of its own.
    received[..2].sort_unstable();
    assert_eq!(received, [1, 2, 3, 4, 5]);
    assert_eq!(statuses(&hook.deliveries(&world).await), ["succeeded"; 5]);
}

#[tokio::test]
async fn a_success_between_failures_keeps_the_lane_going() {
    let world = World::new().await;
    let hook = TestEndpoint::new(&world).await;
    hook.receiver.answer_next([500, 200, 500, 200, 500, 200].map(Answer::status));
    world.happen(6).await;
    world.deliver().await;
    assert_eq!(sequences(&hook.receiver.seen()), [1, 2, 3, 4, 5, 6]);
}

#[tokio::test]
async fn a_receiver_that_asks_for_a_pause_gets_it() {
    let world = World::new().await;
    for status in [429, 503] {
        for is_date in [false, true] {
            let hook = TestEndpoint::new(&world).await;
            let date =
                model::Timestamp::from_micros(world.service.context.now().as_micros()).plus_seconds(600);
            let after = if is_date { http_date(date) } else { "600".to_owned() };
            hook.receiver.answer_next([Answer::status(status).header("retry-after", after)]);
            world.happen(2).await;
            world.deliver().await;
            assert_eq!(hook.receiver.take().len(), 1, "new events wait too");
            let delivery = hook.delivery(&world).await;
            let waits = micros(&delivery["next_attempt_at"]) - micros(&delivery["updated_at"]);
            assert!((599_000_000..=720_000_000).contains(&waits), "{status}: {waits} µs");
            world.advance_seconds(598);
            world.deliver().await;
            assert_eq!(hook.receiver.seen().len(), 0);
            world.advance_seconds(123);
            world.deliver().await;
            assert_eq!(hook.receiver.seen().len(), 2);
            assert_eq!(world.delete(&hook.path).await.status, 204);
        }
    }
}

/// RFC 9110's form of a moment of the tests' day.
fn http_date(moment: model::Timestamp) -> String {
    let text = moment.to_string();
    assert!(text.starts_with("2026-11-01T"), "the tests begin on a Sunday: {text}");
    format!("Sun, 01 Nov 2026 {} GMT", &text[11..19])
}

#[tokio::test]
async fn a_redirect_is_a_failure_and_not_followed() {
    let world = World::new().await;
    let (hook, elsewhere) =
        (TestEndpoint::new(&world).await, TestEndpoint::with(&world, json!({"disabled": true})).await);
    for status in [301, 302, 303, 307, 308] {
        let there = elsewhere.receiver.url("/there");
        hook.receiver.answer_next([Answer::status(status).header("location", there), Answer::status(200)]);
        world.happen(2).await;
        world.deliver().await;
    }
    let deliveries = hook.deliveries(&world).await;
    assert_eq!(statuses(&deliveries), ["retrying", "succeeded"].repeat(5));
    assert_eq!(deliveries[0]["attempts"][0]["status_code"], 301);
    assert_eq!(elsewhere.receiver.seen().len(), 0);
}

#[tokio::test]
async fn a_lane_that_could_not_be_recorded_goes_on_later() {
    let world = World::new().await;
    let hook = TestEndpoint::new(&world).await;
    let gate = crate::setup::receiver::Gate::closed();
    hook.receiver.answer_next([Answer::status(200).behind(&gate)]);
    world.happen(2).await;
    world.relay().await;
    let service = world.service.clone();
    let delivering = tokio::spawn(async move { service.delivery.work().await });
    hook.receiver.wait_for(1).await;
    // The server can neither store what was sent nor release the lane.
    world.tamper("ALTER TABLE webhook_lane RENAME TO lost").await;
    gate.open();
    assert!(delivering.await.unwrap().is_err());
    world.tamper("ALTER TABLE lost RENAME TO webhook_lane").await;
    world.deliver().await;
    assert_eq!(sequences(&hook.receiver.seen()), [1, 2, 1, 2], "the lane is stuck");
}
