//! Holds: an order on hold is not planned, and a hold ends by a request or at its time.

use serde_json::{Value, json};

use crate::setup::stock_requests::refusal;
use crate::setup::world::World;

#[tokio::test]
async fn a_held_order_is_not_planned_and_a_released_one_is() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 5).await;
    let order = world.order(&[(&hat, 4)]).await;
    let (path, plan) = (format!("/orders/{order}"), format!("/allocations/orders/{order}/plan"));
    let start = world.events().await.len();
    let held = world.post(format!("{path}/hold"), json!({"reason": "address_check"})).await;
    assert_eq!(
        (held.status.as_u16(), &held.json()["hold"]),
        (200, &json!({"reason": "address_check", "until": null})),
        "{held}"
    );
    let again = world.post(format!("{path}/hold"), json!({"reason": "address_check"})).await;
    assert_eq!((again.json(), again.header("etag")), (held.json(), held.header("etag")));
    for query in ["", "?apply=true"] {
        let reply = world.post(format!("{plan}{query}"), json!({})).await;
        assert_eq!(refusal(&reply), (409, "order_on_hold".to_owned()), "{query}");
    }
    // What a person allocates by hand is that person's decision.
    world.allocated(&order, &[(&depot, &hat, 1)]).await;
    assert_eq!(world.get(&path).await.json()["hold"]["reason"], "address_check");
    let other = world.post(format!("{path}/hold"), json!({"reason": "paid_late"})).await.json();
    assert_eq!(other["hold"]["reason"], "paid_late");
    let released = world.post(format!("{path}/release"), json!({})).await;
    assert_eq!((released.status.as_u16(), &released.json()["hold"]), (200, &Value::Null));
    let again = world.post(format!("{path}/release"), json!({})).await;
    assert_eq!((again.json(), again.header("etag")), (released.json(), released.header("etag")));
    assert_eq!(world.post(format!("{plan}?apply=true"), json!({})).await.status, 200);
    let events = world.events().await;
    let about: Vec<_> = events[start..]
        .iter()
        .map(|event| event.r#type.as_str())
        .filter(|name| name.ends_with("held") || name.ends_with("released"))
        .collect();
    assert_eq!(about, ["order.held", "order.held", "order.released"]);
    world.assert_clean().await;
}

#[tokio::test]
async fn a_hold_ends_at_its_time_by_itself() {
    let world = World::new().await;
    let hat = world.item("HAT").await;
    let (order, waiting) = (
        world.order(&[(&hat, 1)]).await,
        world.post("/orders", json!({"lines": [{"sku": "NEW", "quantity": 1}]})).await,
    );
    let waiting = waiting.header("location").to_owned();
    let path = format!("/orders/{order}");
    let shown = world.get(&path).await.json();
    let created: String = shown["created_at"].as_str().unwrap().to_owned();
    let created = model::Timestamp::parse(&created).unwrap();
    let until = json!({"reason": "later", "until": created.plus_seconds(3600).to_string()});
    for held in [&path, &waiting] {
        let reply = world.post(format!("{held}/hold"), until.clone()).await;
        assert_eq!(reply.status, 200, "{reply}");
    }
    world.advance_seconds(3000);
    world.service.order_upkeep.work().await.unwrap();
    assert_eq!(world.get(&path).await.json()["hold"], until, "not yet");
    world.advance_seconds(1000);
    let start = world.events().await.len();
    // Several servers may look at the same moment.
    let (one, other) = tokio::join!(world.service.order_upkeep.work(), world.service.order_upkeep.work());
    one.and(other).unwrap();
    let order = world.get(&path).await.json();
    assert_eq!(order["hold"], Value::Null);
    assert_eq!(world.get(&waiting).await.json()["hold"], json!({"reason": "unknown_sku", "until": null}));
    let events = world.events().await;
    let mut told: Vec<_> = events[start..].iter().map(|event| event.r#type.as_str()).collect();
    told.sort_unstable();
    assert_eq!(told, ["order.held", "order.released"]);
    assert_eq!(world.get("/orders?on_hold=true").await.ids().len(), 1);
}

#[tokio::test]
async fn what_can_not_be_held_is_refused() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 5).await;
    let order = world.order(&[(&hat, 1)]).await;
    let path = format!("/orders/{order}/hold");
    let before = world.everything().await;
    for (body, code, field) in [
        (json!({}), "required", "/reason"),
        (json!({"reason": ""}), "too_short", "/reason"),
        (json!({"reason": 7}), "invalid_type", "/reason"),
        (json!({"reason": "x", "until": "soon"}), "invalid_format", "/until"),
        (json!({"reason": "x", "until": "2001-01-01T00:00:00Z"}), "out_of_range", "/until"),
        (json!({"reason": "x", "by": "me"}), "unknown_field", "/by"),
    ] {
        let reply = world.post(&path, body).await;
        assert_eq!(
            (reply.status.as_u16(), reply.issues()),
            (422, vec![(code.to_owned(), field.to_owned())]),
            "{reply}"
        );
    }
    assert_eq!(world.everything().await, before);
    let unknown = format!("/orders/ord_{}", "7".repeat(26));
    for action in ["hold", "release", "notes", "match"] {
        let body = match action {
            "hold" => json!({"reason": "x"}),
            "match" => json!({"line_id": format!("line_{}", "7".repeat(26)), "item_id": hat}),
            _ => json!({"text": "x"}),
        };
        let reply = world.request("POST", &format!("{unknown}/{action}"));
        let reply = if action == "release" { reply.send().await } else { reply.json(body).send().await };
        assert_eq!(refusal(&reply), (404, "not_found".to_owned()), "{action}");
    }
    let ids = world.allocated(&order, &[(&depot, &hat, 1)]).await;
    world.complete(&order, &[&ids[0]]).await;
    assert_eq!(
        refusal(&world.post(&path, json!({"reason": "x"})).await),
        (409, "order_fulfilled".to_owned())
    );
    let cancelled = world.order(&[(&hat, 1)]).await;
    world.post(format!("/orders/{cancelled}/hold"), json!({"reason": "x"})).await;
    let reply = world.post(format!("/orders/{cancelled}/cancel"), json!({})).await.json();
    assert_eq!((&reply["status"], &reply["hold"]), (&json!("cancelled"), &Value::Null));
    let late = world.post(format!("/orders/{cancelled}/hold"), json!({"reason": "x"})).await;
    assert_eq!(refusal(&late), (409, "order_cancelled".to_owned()));
}
