//! Exceptions: raised by the server, found by a filter, resolved by a person.

use model::orders::order_exception::ExceptionCode;
use model::{Id, World as Mode};
use serde_json::{Value, json};
use service::NewException;

use crate::setup::stock_requests::refusal;
use crate::setup::world::World;

impl World {
    /// Raises an exception through the function that every part of the product uses.
    async fn raise(&self, order: &str, code: ExceptionCode) {
        let new = NewException { code, shipment: None, message: "Two hats were not found.".to_owned() };
        self.service.order_exceptions.raise(self.owner(), Id::parse(order).unwrap(), new).await.unwrap();
    }
}

#[tokio::test]
async fn an_exception_is_shown_told_found_and_resolved() {
    let world = World::new().await;
    let hat = world.item("HAT").await;
    let (order, other) = (world.order(&[(&hat, 1)]).await, world.order(&[(&hat, 1)]).await);
    let path = format!("/orders/{order}");
    let start = world.events().await.len();
    world.raise(&order, ExceptionCode::Short).await;
    world.raise(&order, ExceptionCode::Short).await;
    world.raise(&order, ExceptionCode::ShippedUnallocated).await;
    let read = world.get(&path).await;
    let shown = read.json()["exceptions"].clone();
    assert_eq!(shown.as_array().map(Vec::len), Some(2), "the same is raised once: {shown}");
    assert_eq!((&shown[0]["code"], &shown[0]["is_blocking"]), (&json!("short"), &json!(false)));
    assert_eq!((&shown[1]["code"], &shown[1]["is_blocking"]), (&json!("shipped_unallocated"), &json!(true)));
    assert_eq!(
        (&shown[0]["message"], &shown[0]["shipment_id"]),
        (&json!("Two hats were not found."), &Value::Null)
    );
    assert_eq!(
        (&shown[0]["resolved_at"], &shown[0]["resolved_by"], &shown[0]["note"]),
        (&Value::Null, &Value::Null, &Value::Null)
    );
    assert_eq!(world.get("/orders?has_exception=true").await.ids(), [order.as_str()]);
    assert_eq!(world.get("/orders?has_exception=false").await.ids(), [other.as_str()]);
    let mut same = world.patch(&path, read.json()).await.json();
    same["updated_at"] = read.json()["updated_at"].clone();
    assert_eq!(same, read.json(), "what was read may be sent back");

    let resolve =
        |place: usize| format!("{path}/exceptions/{}/resolve", shown[place]["id"].as_str().unwrap());
    let resolved = world.post(resolve(0), json!({"note": "Sent the rest"})).await;
    assert_eq!(resolved.status, 200, "{resolved}");
    let first = &resolved.json()["exceptions"][0];
    assert_eq!(first["note"], "Sent the rest");
    assert!(first["resolved_at"].is_string() && first["resolved_by"].as_str().unwrap().starts_with("usr_"));
    let again = world.post(resolve(0), json!({"note": "Otherwise"})).await;
    assert_eq!((again.json(), again.header("etag")), (resolved.json(), resolved.header("etag")));
    assert_eq!(world.get("/orders?has_exception=true").await.ids(), [order.as_str()], "one is open");
    assert_eq!(world.post(resolve(1), json!({})).await.status, 200);
    assert_eq!(world.get("/orders?has_exception=true").await.ids(), [""; 0]);
    world.raise(&order, ExceptionCode::Short).await;
    assert_eq!(
        world.get(&path).await.json()["exceptions"].as_array().map(Vec::len),
        Some(3),
        "it happened again"
    );
    let events = world.events().await;
    let told: Vec<_> = events[start..].iter().map(|event| event.r#type.as_str()).collect();
    let (raised, solved) = ("order.exception_raised", "order.exception_resolved");
    assert_eq!(told, [raised, raised, "order.updated", solved, solved, raised]);
}

#[tokio::test]
async fn what_can_not_be_resolved_is_refused() {
    let world = World::new().await;
    let hat = world.item("HAT").await;
    let (order, other) = (world.order(&[(&hat, 1)]).await, world.order(&[(&hat, 1)]).await);
    world.raise(&order, ExceptionCode::StockShort).await;
    let id = world.get(format!("/orders/{order}")).await.json()["exceptions"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let before = world.everything().await;
    let unknown = format!("exc_{}", "7".repeat(26));
    for path in [
        format!("/orders/{other}/exceptions/{id}/resolve"),
        format!("/orders/{order}/exceptions/{unknown}/resolve"),
    ] {
        assert_eq!(refusal(&world.post(path, json!({})).await), (404, "not_found".to_owned()));
    }
    let path = format!("/orders/{order}/exceptions/{id}/resolve");
    let stranger = world.token_for("Other", "*", Mode::Live).await;
    let reply = world.request("POST", &path).token(&stranger).json(json!({})).send().await;
    assert_eq!(refusal(&reply), (404, "not_found".to_owned()));
    for (body, code, field) in [
        (json!({"note": ""}), "too_short", "/note"),
        (json!({"note": 7}), "invalid_type", "/note"),
        (json!({"notes": "x"}), "unknown_field", "/notes"),
    ] {
        assert_eq!(world.post(&path, body).await.issues(), [(code.to_owned(), field.to_owned())]);
    }
    assert_eq!(world.everything().await, before);
}
