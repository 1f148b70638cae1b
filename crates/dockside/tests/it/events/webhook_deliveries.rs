//! Deliveries: which events each endpoint gets, their signature and their order; which parts of the answers are stored, and
//! for how long.

use serde_json::{Value, json};

use crate::setup::receiver::{Answer, Gate, sequences};
use crate::setup::test_endpoint::{TestEndpoint, micros, statuses};
use crate::setup::world::{World, until};

const DAY_SECONDS: i64 = 24 * 3600;

#[tokio::test]
async fn a_delivery_is_the_event_signed() {
    let world = World::new().await;
    let hook = TestEndpoint::new(&world).await;
    let location = world.location("Depot").await;
    world.patch(format!("/locations/{location}"), json!({"name": "Renamed"})).await;
    world.deliver().await;
    let received = hook.receiver.seen();
    assert_eq!(received.len(), 2);
    for (one, event) in received.iter().zip(world.events().await) {
        let shown = world.get(format!("/events/{}", event.id)).await;
        let (start, _) = shown.text.rsplit_once('}').unwrap();
        let expected = format!("{start},\"timestamp\":\"{}\"}}", event.created_at);
        assert_eq!(std::str::from_utf8(&one.body).unwrap(), expected);
        assert_eq!(one.header("webhook-id"), event.id.to_string());
        assert_eq!((one.header("content-type"), one.path.as_str()), ("application/json", "/hook"));
        assert!(one.header("user-agent").starts_with("Dockside/"));
        let sent_at: i64 = one.header("webhook-timestamp").parse().unwrap();
        assert_eq!(sent_at, world.service.context.now().as_seconds());
        assert_eq!(one.signatures(), [one.signature_by(&hook.secret)]);
        assert_ne!(one.signatures(), [one.signature_by("whsec_AAAA")]);
    }
    let deliveries = hook.deliveries(&world).await;
    insta::assert_snapshot!(
        world.get(hook.path_of(&deliveries[0])).await.to_string().split("\"latency_ms\":").next().unwrap(),
        @r##"200 {"id":"whd_#2","webhook_endpoint_id":"we_#1","event_id":"evt_#1","event_type":"location.created","sequence":1,"status":"succeeded","attempt":1,"next_attempt_at":null,"attempts":[{"attempted_at":"#time","status_code":200,"##
    );
}

#[tokio::test]
async fn events_come_in_order_and_once() {
    let world = World::new().await;
    world.happen(2).await;
    let hook = TestEndpoint::new(&world).await;
    world.happen(100).await;
    world.deliver().await;
    world.happen(50).await;
    world.deliver().await;
    world.deliver().await;
    assert_eq!(sequences(&hook.receiver.seen()), (3..=152).collect::<Vec<i64>>());
}

#[tokio::test]
async fn an_endpoint_gets_the_types_it_asked_for() {
    let world = World::new().await;
    let hook =
        TestEndpoint::with(&world, json!({"event_types": ["location.deleted", "location.updated"]})).await;
    let location = world.location("Depot").await;
    let path = format!("/locations/{location}");
    world.patch(&path, json!({"name": "Renamed"})).await;
    world.item("sku").await;
    assert_eq!(world.delete(&path).await.status, 204);
    world.deliver().await;
    assert_eq!(sequences(&hook.receiver.take()), [2, 4]);
    // The change applies to later events only. Events that were skipped are not sent.
    hook.patch(&world, json!({"event_types": ["location.created"]})).await;
    world.deliver().await;
    assert_eq!(hook.receiver.seen().len(), 0);
    world.happen(1).await;
    world.deliver().await;
    assert_eq!(sequences(&hook.receiver.seen()), [5]);
    assert_eq!(hook.deliveries(&world).await.len(), 3);
}

#[tokio::test]
async fn a_change_holds_for_the_next_event() {
    let world = World::new().await;
    let hook = TestEndpoint::new(&world).await;
    // Run the jobs as a server does: a lane that waits for events has the endpoint in memory.
    let jobs = world.service.start_jobs().unwrap();
    world.happen(1).await;
    hook.receiver.wait_for(1).await;
    until("it is written down", async || !hook.deliveries(&world).await.is_empty()).await;
    hook.patch(&world, json!({"url": hook.receiver.url("/new")})).await;
    world.happen(1).await;
    assert_eq!(hook.receiver.wait_for(2).await[1].path, "/new");
    let rotated = world.act(&format!("{}/rotate_secret", hook.path)).await.json();
    world.happen(1).await;
    let third = hook.receiver.wait_for(3).await.remove(2);
    assert_eq!(third.signatures()[0], third.signature_by(rotated["secret"].as_str().unwrap()));
    jobs.stop().await;
}

#[tokio::test]
async fn what_is_told_of_while_disabled_comes_once_enabled() {
    let world = World::new().await;
    let hook = TestEndpoint::new(&world).await;
    world.happen(1).await;
    world.deliver().await;
    let disabled = hook.patch(&world, json!({"disabled": true})).await;
    assert_eq!((&disabled["disabled"], &disabled["disabled_reason"]), (&json!(true), &Value::Null));
    world.happen(3).await;
    world.deliver().await;
    assert_eq!(sequences(&hook.receiver.seen()), [1]);
    hook.patch(&world, json!({"disabled": false})).await;
    world.deliver().await;
    assert_eq!(sequences(&hook.receiver.seen()), [1, 2, 3, 4]);
    let later = TestEndpoint::with(&world, json!({"disabled": true})).await;
    world.happen(1).await;
    world.deliver().await;
    later.patch(&world, json!({"disabled": false})).await;
    world.deliver().await;
    assert_eq!(sequences(&later.receiver.seen()), [5]);
}

#[tokio::test]
async fn an_endpoint_that_does_not_answer_delays_no_other() {
    let world = World::new().await;
    let (stuck, sound) = (TestEndpoint::new(&world).await, TestEndpoint::new(&world).await);
    let gate = Gate::closed();
    stuck.receiver.answer(Answer::status(200).behind(&gate));
    world.happen(20).await;
    world.relay().await;
    let service = world.service.clone();
    let delivering = tokio::spawn(async move { service.delivery.work().await });
    let received = sound.receiver.wait_for(20).await;
    assert_eq!((received.len(), stuck.receiver.wait_for(1).await.len()), (20, 1));
    gate.open();
    delivering.await.unwrap().unwrap();
    assert_eq!(sequences(&stuck.receiver.seen()), sequences(&received));
}

#[tokio::test]
async fn the_beginning_of_an_answer_is_kept_whatever_it_is() {
    let world = World::new().await;
    let hook = TestEndpoint::new(&world).await;
    let long = "0123456789".repeat(1000);
    hook.receiver.answer_next([
        Answer::status(200).body(long.clone()),
        Answer::status(200).body(vec![0xff, 0x00, b'a', 0xc3, 0x28, 0x1b]),
        Answer::status(204),
        Answer::status(200).body(vec![0xfe; 9000]),
        Answer::status(200).body("\u{1f600}".repeat(2000)),
    ]);
    world.happen(5).await;
    world.deliver().await;
    let deliveries = hook.deliveries(&world).await;
    assert_eq!(statuses(&deliveries), ["succeeded"; 5]);
    let kept = |place: usize| &deliveries[place]["attempts"][0]["response_body"];
    assert_eq!(kept(0), &long[..4096]);
    assert_eq!(kept(1), "\u{fffd}\u{fffd}a\u{fffd}(\u{1b}");
    assert_eq!((kept(2), &deliveries[2]["attempts"][0]["status_code"]), (&Value::Null, &json!(204)));
    for place in [3, 4] {
        let text = kept(place).as_str().unwrap();
        assert!((4000..=4096).contains(&text.len()), "{} bytes", text.len());
    }
}

#[tokio::test]
async fn an_attempt_without_an_answer_says_why() {
    let world = World::new().await;
    let hook = TestEndpoint::new(&world).await;
    hook.receiver.answer_next([Answer::cut()]);
    world.happen(1).await;
    world.deliver().await;
    let cut = hook.delivery(&world).await;
    let unreachable = world.endpoint(json!({"url": "http://127.0.0.1:1/hook"})).await;
    world.happen(1).await;
    world.deliver().await;
    let list =
        world.get(format!("/webhook_endpoints/{}/deliveries", unreachable["id"].as_str().unwrap())).await;
    for delivery in [&cut, &list.json()["data"][0]] {
        let attempt = &delivery["attempts"][0];
        assert_eq!(delivery["status"], "retrying");
        assert_eq!((&attempt["status_code"], &attempt["response_body"]), (&Value::Null, &Value::Null));
        assert!(attempt["error"].as_str().unwrap().len() > 10, "{attempt}");
    }
}

#[tokio::test]
async fn a_test_is_sent_once_and_is_no_event() {
    let world = World::new().await;
    let (hook, other) = (TestEndpoint::new(&world).await, TestEndpoint::new(&world).await);
    let ask = async || world.act(&format!("{}/test", hook.path)).await;
    let made = ask().await;
    let delivery = made.json();
    assert_eq!((made.status.as_u16(), made.header("location")), (201, hook.path_of(&delivery).as_str()));
    assert_eq!((&delivery["status"], &delivery["sequence"]), (&json!("pending"), &Value::Null));
    assert_eq!(world.get(made.header("location")).await.text, made.text);
    world.deliver().await;
    let received = hook.receiver.take();
    let body = received[0].json();
    assert_eq!(
        (received.len(), received[0].header("webhook-id")),
        (1, delivery["event_id"].as_str().unwrap())
    );
    assert_eq!(received[0].signatures(), [received[0].signature_by(&hook.secret)]);
    assert_eq!((&body["type"], &body["sequence"]), (&json!("webhook_endpoint.test"), &Value::Null));
    assert_eq!((&body["id"], &body["data"]["object"]), (&delivery["event_id"], &hook.shown(&world).await));
    assert_eq!(world.get(made.header("location")).await.json()["status"], "succeeded");
    assert_eq!((world.events().await.len(), other.receiver.seen().len()), (0, 0));

    hook.answers(500);
    let failed = ask().await.header("location").to_owned();
    world.deliver().await;
    world.advance_seconds(DAY_SECONDS);
    world.deliver().await;
    let failed = world.get(&failed).await.json();
    assert_eq!((&failed["status"], &failed["attempt"]), (&json!("failed"), &json!(1)));
    assert_eq!((&failed["next_attempt_at"], hook.receiver.seen().len()), (&Value::Null, 1));
    hook.patch(&world, json!({"disabled": true})).await;
    let refused = world.request("POST", &format!("{}/test", hook.path)).send().await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (409, "webhook_endpoint_disabled"));
}

#[tokio::test]
async fn a_repeated_request_sends_one_test() {
    let world = World::new().await;
    let hook = TestEndpoint::new(&world).await;
    let path = format!("{}/test", hook.path);
    let ask = async || world.request("POST", &path).header("idempotency-key", "k").send().await;
    let (first, again) = (ask().await, ask().await);
    assert_eq!((&first.text, again.header("idempotent-replayed")), (&again.text, "true"));
    world.deliver().await;
    assert_eq!(hook.receiver.seen().len(), 1);
}

#[tokio::test]
async fn deliveries_are_listed_by_status_and_in_pages() {
    let world = World::new().await;
    let hook = TestEndpoint::new(&world).await;
    hook.receiver.answer_next([200, 500, 200, 200, 500, 200, 200].map(Answer::status));
    world.happen(7).await;
    world.deliver().await;
    let list = async |query: &str| world.get(format!("{}/deliveries?{query}", hook.path)).await;
    let all = list("limit=100").await.ids();
    assert_eq!(all.len(), 7);
    for (status, count) in [("succeeded", 5), ("retrying", 2), ("failed", 0), ("pending", 0)] {
        let page = list(&format!("status={status}")).await;
        assert_eq!(page.ids().len(), count, "{status}");
        assert!(page.json()["data"].as_array().unwrap().iter().all(|one| one["status"] == status));
    }
    let mut walked = Vec::new();
    let mut page = list("limit=2&status=succeeded").await;
    loop {
        walked.extend(page.ids());
        let Some(cursor) = page.json()["next_cursor"].as_str().map(str::to_owned) else { break };
        assert_eq!(list(&format!("limit=2&status=retrying&cursor={cursor}")).await.code(), "invalid_cursor");
        page = list(&format!("limit=2&status=succeeded&cursor={cursor}")).await;
    }
    assert_eq!(walked, list("status=succeeded").await.ids());
    assert_eq!(walked.len(), 5);
    assert_eq!(list("status=lost").await.code(), "invalid_query");
    let other = TestEndpoint::new(&world).await;
    let cursor = list("limit=2").await.json()["next_cursor"].as_str().unwrap().to_owned();
    let foreign = world.get(format!("{}/deliveries?limit=2&cursor={cursor}", other.path)).await;
    assert_eq!(foreign.code(), "invalid_cursor");
    let elsewhere = hook.path_of(&json!({"id": all[0]})).replace(&hook.id, &other.id);
    assert_eq!(world.get(elsewhere).await.code(), "not_found");
}

#[tokio::test]
async fn deliveries_are_kept_as_long_as_events_and_until_they_are_done() {
    let world = World::new().await;
    let hook = TestEndpoint::new(&world).await;
    hook.receiver.answer_next([Answer::status(200), Answer::status(500)]);
    world.happen(2).await;
    world.deliver().await;
    // The second delivery waits for longer than the retention, because the endpoint is disabled.
    hook.patch(&world, json!({"disabled": true})).await;
    world.advance_seconds(29 * DAY_SECONDS);
    world.service.cleaning.work().await.unwrap();
    assert_eq!(statuses(&hook.deliveries(&world).await), ["succeeded", "retrying"]);
    world.advance_seconds(2 * DAY_SECONDS);
    world.service.cleaning.work().await.unwrap();
    let left = hook.delivery(&world).await;
    assert_eq!((&left["status"], &left["attempt"]), (&json!("retrying"), &json!(1)));
    hook.patch(&world, json!({"disabled": false})).await;
    world.deliver().await;
    let ended = hook.delivery(&world).await;
    assert_eq!((&ended["status"], &ended["next_attempt_at"]), (&json!("failed"), &Value::Null));
    assert!(micros(&ended["updated_at"]) > micros(&left["updated_at"]));
    assert_eq!(hook.receiver.seen().len(), 2, "its event is not kept any more");
    world.service.cleaning.work().await.unwrap();
    assert_eq!(hook.deliveries(&world).await.len(), 0);
}
