//! Replays: one delivery again, or everything after a sequence of the log.

use serde_json::{Value, json};

use crate::setup::receiver::{Answer, sequences};
use crate::setup::test_endpoint::{TestEndpoint, statuses};
use crate::setup::world::World;

const DAY_SECONDS: i64 = 24 * 3600;

async fn replay(world: &World, hook: &TestEndpoint, after: i64) -> Value {
    let reply = world.post(format!("{}/replay", hook.path), json!({"after_sequence": after})).await;
    assert_eq!(reply.status, 200, "{reply}");
    reply.json()
}

#[tokio::test]
async fn a_delivery_is_sent_again_as_a_new_one() {
    let world = World::new().await;
    let hook = TestEndpoint::new(&world).await;
    world.happen(2).await;
    world.deliver().await;
    let first = hook.deliveries(&world).await.remove(0);
    let path = format!("{}/replay", hook.path_of(&first));
    let made = world.act(&path).await;
    let again = made.json();
    assert_eq!((made.status.as_u16(), made.header("location")), (201, hook.path_of(&again).as_str()));
    assert_ne!(again["id"], first["id"]);
    for same in ["event_id", "event_type", "sequence", "webhook_endpoint_id"] {
        assert_eq!(again[same], first[same], "{same}");
    }
    assert_eq!((&again["status"], &again["attempt"]), (&json!("pending"), &json!(0)));
    world.deliver().await;
    let received = hook.receiver.seen();
    assert_eq!(sequences(&received), [1, 2, 1]);
    assert_eq!(received[0].header("webhook-id"), received[2].header("webhook-id"));
    assert_eq!(received[0].body, received[2].body);
    assert_eq!(statuses(&hook.deliveries(&world).await), ["succeeded"; 3]);
    assert_eq!(hook.deliveries(&world).await[0], first, "the old one stays as it was");
}

#[tokio::test]
async fn a_replayed_delivery_has_its_own_retries() {
    let world = World::new().await;
    let hook = TestEndpoint::new(&world).await;
    world.happen(1).await;
    world.deliver().await;
    let first = hook.delivery(&world).await;
    hook.answers(500);
    let again = world.act(&format!("{}/replay", hook.path_of(&first))).await.json();
    world.deliver().await;
    let path = hook.path_of(&again);
    assert_eq!(world.get(&path).await.json()["status"], "retrying");
    hook.answers(200);
    world.advance_seconds(6);
    world.deliver().await;
    let ended = world.get(&path).await.json();
    assert_eq!((&ended["status"], &ended["attempt"]), (&json!("succeeded"), &json!(2)));
}

#[tokio::test]
async fn what_is_not_kept_any_more_is_not_sent_again() {
    let world = World::new().await;
    let hook = TestEndpoint::new(&world).await;
    world.happen(1).await;
    world.advance_seconds(29 * DAY_SECONDS);
    world.deliver().await;
    world.advance_seconds(2 * DAY_SECONDS);
    world.service.cleaning.work().await.unwrap();
    let delivery = hook.delivery(&world).await;
    let refused = world.request("POST", &format!("{}/replay", hook.path_of(&delivery))).send().await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (409, "event_expired"), "{refused}");
    hook.patch(&world, json!({"disabled": true})).await;
    let refused = world.request("POST", &format!("{}/replay", hook.path_of(&delivery))).send().await;
    assert_eq!(refused.code(), "webhook_endpoint_disabled");
    let refused = world.post(format!("{}/replay", hook.path), json!({"after_sequence": 0})).await;
    assert_eq!(refused.code(), "webhook_endpoint_disabled");
}

#[tokio::test]
async fn everything_after_a_place_comes_again_in_order_and_then_what_is_new() {
    let world = World::new().await;
    world.happen(3).await;
    let hook = TestEndpoint::new(&world).await;
    world.happen(80).await;
    world.deliver().await;
    assert_eq!(sequences(&hook.receiver.take()), (4..=83).collect::<Vec<i64>>());
    assert_eq!(replay(&world, &hook, 10).await, json!({"after_sequence": 10, "through_sequence": 83}));
    world.happen(2).await;
    world.deliver().await;
    let received = hook.receiver.take();
    assert_eq!(sequences(&received), (11..=85).collect::<Vec<i64>>());
    // A replay from 0 includes the events before the endpoint was made.
    replay(&world, &hook, 0).await;
    world.deliver().await;
    assert_eq!(sequences(&hook.receiver.take()), (1..=85).collect::<Vec<i64>>());
    replay(&world, &hook, 85).await;
    world.deliver().await;
    assert_eq!(hook.receiver.seen().len(), 0);
}

#[tokio::test]
async fn what_was_sent_and_is_not_recorded_yet_comes_again_too() {
    let world = World::new().await;
    let hook = TestEndpoint::new(&world).await;
    let gate = crate::setup::receiver::Gate::closed();
    hook.receiver.answer_next([Answer::status(200), Answer::status(200).behind(&gate)]);
    world.happen(2).await;
    world.relay().await;
    let service = world.service.clone();
    let delivering = tokio::spawn(async move { service.delivery.work().await });
    hook.receiver.wait_for(2).await;
    replay(&world, &hook, 0).await;
    gate.open();
    delivering.await.unwrap().unwrap();
    world.deliver().await;
    assert_eq!(sequences(&hook.receiver.seen()), [1, 2, 1, 2]);
}

#[tokio::test]
async fn a_replay_under_way_is_not_lost_to_what_was_being_sent() {
    let world = World::new().await;
    let hook = TestEndpoint::new(&world).await;
    let gate = crate::setup::receiver::Gate::closed();
    world.happen(2).await;
    world.deliver().await;
    hook.receiver.take();
    hook.receiver.answer_next([Answer::status(200).behind(&gate)]);
    world.happen(1).await;
    world.relay().await;
    let service = world.service.clone();
    let delivering = tokio::spawn(async move { service.delivery.work().await });
    hook.receiver.wait_for(1).await;
    replay(&world, &hook, 0).await;
    gate.open();
    delivering.await.unwrap().unwrap();
    world.deliver().await;
    assert_eq!(sequences(&hook.receiver.seen()), [3, 1, 2, 3]);
}

#[tokio::test]
async fn a_replay_ends_a_pause() {
    let world = World::new().await;
    let hook = TestEndpoint::new(&world).await;
    world.happen(1).await;
    world.deliver().await;
    hook.answers(500);
    world.happen(3).await;
    world.deliver().await;
    hook.receiver.take();
    hook.answers(200);
    replay(&world, &hook, 0).await;
    world.deliver().await;
    assert_eq!(sequences(&hook.receiver.seen()), [1, 2, 3, 4]);
}

#[tokio::test]
async fn a_place_that_the_log_does_not_reach_is_refused() {
    let world = World::new().await;
    let hook = TestEndpoint::new(&world).await;
    let ask = async |after: Value| {
        let reply = world.post(format!("{}/replay", hook.path), json!({"after_sequence": after})).await;
        (reply.status.as_u16(), reply.issues())
    };
    let issue = |code: &str| (422, vec![(code.to_owned(), "/after_sequence".to_owned())]);
    assert_eq!(ask(json!(1)).await, issue("sequence_unknown"));
    assert_eq!(ask(json!(0)).await.0, 200);
    world.happen(3).await;
    world.advance_seconds(31 * DAY_SECONDS);
    world.happen(2).await;
    world.deliver().await;
    world.service.cleaning.work().await.unwrap();
    for (after, expected) in
        [(6, "sequence_unknown"), (i64::MAX, "sequence_unknown"), (2, "sequence_expired")]
    {
        assert_eq!(ask(json!(after)).await, issue(expected), "{after}");
    }
    for after in [0, 3, 4, 5] {
        assert_eq!(ask(json!(after)).await.0, 200, "{after}");
    }
    for wrong in [json!(-1), json!(1.5), json!("3"), Value::Null] {
        let (status, issues) = ask(wrong.clone()).await;
        assert_eq!((status, issues[0].1.as_str()), (422, "/after_sequence"), "{wrong}");
    }
}

#[tokio::test]
async fn a_repeated_request_replays_once() {
    let world = World::new().await;
    let hook = TestEndpoint::new(&world).await;
    world.happen(2).await;
    world.deliver().await;
    let one = format!("{}/replay", hook.path_of(&hook.deliveries(&world).await[0]));
    let all = format!("{}/replay", hook.path);
    for (path, body, key, count) in
        [(&one, json!({}), "one", 1), (&all, json!({"after_sequence": 0}), "all", 2)]
    {
        hook.receiver.take();
        for replayed in ["", "true"] {
            let request = world.request("POST", path).header("idempotency-key", key).json(body.clone());
            let reply = request.send().await;
            assert!(reply.status.is_success(), "{reply}");
            assert_eq!(reply.header("idempotent-replayed"), replayed);
            world.deliver().await;
        }
        assert_eq!(hook.receiver.seen().len(), count, "{path}");
    }
}
