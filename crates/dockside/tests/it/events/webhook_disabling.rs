//! Endpoints that Dockside disables: those that answer 410 Gone, and those that fail for five days.

use model::events::webhook_delivery::FAILING_SECONDS_MAX;
use serde_json::{Value, json};

use crate::setup::receiver::{Answer, sequences};
use crate::setup::test_endpoint::{TestEndpoint, statuses};
use crate::setup::world::World;

/// The events of an endpoint that was disabled, as the log shows them.
async fn told(world: &World, hook: &TestEndpoint) -> Vec<Value> {
    world.relay().await;
    let page = world.get(format!("/events?type=webhook_endpoint.disabled&resource_id={}", hook.id)).await;
    page.json()["data"].as_array().unwrap().clone()
}

fn reason(endpoint: &Value) -> (&Value, &Value) {
    (&endpoint["disabled"], &endpoint["disabled_reason"])
}

#[tokio::test]
async fn an_endpoint_that_is_gone_is_disabled_at_once_and_the_log_says_so() {
    let world = World::new().await;
    let (hook, witness) = (TestEndpoint::new(&world).await, TestEndpoint::new(&world).await);
    hook.receiver.answer_next([Answer::status(500), Answer::status(410)]);
    world.happen(3).await;
    world.deliver().await;
    assert_eq!(sequences(&hook.receiver.seen()), [1, 2]);
    assert_eq!(statuses(&hook.deliveries(&world).await), ["failed", "failed"], "nothing is tried again");
    let shown = hook.shown(&world).await;
    assert_eq!(reason(&shown), (&json!(true), &json!("gone")));
    assert_eq!(world.get(&hook.path).await.header("etag"), "\"2\"");
    let told = told(&world, &hook).await;
    assert_eq!((told.len(), &told[0]["data"]["object"]), (1, &shown));
    assert_eq!(told[0]["type"], "webhook_endpoint.disabled");
    world.deliver().await;
    assert_eq!(sequences(&witness.receiver.seen()), [1, 2, 3, 4], "others hear of it");
    world.advance_seconds(24 * 3600);
    world.happen(1).await;
    world.deliver().await;
    assert_eq!(hook.receiver.take().len(), 2);

    let enabled = hook.patch(&world, json!({"disabled": false})).await;
    assert_eq!(reason(&enabled), (&json!(false), &Value::Null));
    world.deliver().await;
    assert_eq!(sequences(&hook.receiver.seen()), [3, 4, 5]);
}

#[tokio::test]
async fn five_days_of_nothing_but_failures_disable() {
    let world = World::new().await;
    let hook = TestEndpoint::new(&world).await;
    hook.answers(500);
    let steps = 10;
    for step in 0..steps {
        world.happen(1).await;
        world.deliver().await;
        assert_eq!(reason(&hook.shown(&world).await), (&json!(false), &Value::Null), "step {step}");
        world.advance_seconds(FAILING_SECONDS_MAX / steps - 1);
    }
    assert!(told(&world, &hook).await.is_empty());
    world.advance_seconds(steps);
    world.happen(1).await;
    world.deliver().await;
    let shown = hook.shown(&world).await;
    assert_eq!(reason(&shown), (&json!(true), &json!("failing")));
    let told = told(&world, &hook).await;
    assert_eq!((told.len(), &told[0]["data"]["object"]), (1, &shown));
    let deliveries = hook.deliveries(&world).await;
    assert!(statuses(&deliveries).iter().all(|status| *status == "failed"), "{deliveries:?}");
    world.advance_seconds(100 * 24 * 3600);
    world.service.cleaning.work().await.unwrap();
    hook.receiver.take();
    world.deliver().await;
    assert_eq!((hook.receiver.seen().len(), hook.shown(&world).await), (0, shown), "it is never deleted");

    // Enabling it resets the failure state, so that the next failure begins a new period of five days.
    hook.patch(&world, json!({"disabled": false})).await;
    world.happen(2).await;
    world.deliver().await;
    assert_eq!(reason(&hook.shown(&world).await), (&json!(false), &Value::Null));
    hook.answers(200);
    world.advance_seconds(6);
    world.deliver().await;
    assert_eq!(hook.deliveries(&world).await.iter().filter(|one| one["status"] == "succeeded").count(), 2);
}

#[tokio::test]
async fn a_success_in_between_starts_the_five_days_anew() {
    let world = World::new().await;
    let hook = TestEndpoint::new(&world).await;
    for _ in 0..4 {
        hook.receiver.answer_next([Answer::status(200)]);
        hook.answers(500);
        world.happen(2).await;
        world.deliver().await;
        world.advance_seconds(FAILING_SECONDS_MAX - 3600);
        // The retries that came due meanwhile fail as well, in time.
        world.deliver().await;
        hook.answers(200);
        world.advance_seconds(7200);
        world.happen(1).await;
        world.deliver().await;
    }
    assert_eq!(reason(&hook.shown(&world).await), (&json!(false), &Value::Null));
    assert!(told(&world, &hook).await.is_empty());
}

#[tokio::test]
async fn a_late_410_does_not_change_an_endpoint_that_the_client_disabled() {
    let world = World::new().await;
    let hook = TestEndpoint::new(&world).await;
    let gate = crate::setup::receiver::Gate::closed();
    hook.receiver.answer(Answer::status(410).behind(&gate));
    world.happen(1).await;
    world.relay().await;
    let service = world.service.clone();
    let delivering = tokio::spawn(async move { service.delivery.work().await });
    hook.receiver.wait_for(1).await;
    hook.patch(&world, json!({"disabled": true})).await;
    gate.open();
    delivering.await.unwrap().unwrap();
    assert_eq!(reason(&hook.shown(&world).await), (&json!(true), &Value::Null));
    assert!(told(&world, &hook).await.is_empty());
    assert_eq!(statuses(&hook.deliveries(&world).await), ["failed"]);
}
