//! Bins and reorder points of levels: clients that know nothing of them keep them, and a change of one is no count.

use serde_json::{Value, json};

use crate::setup::stock_requests::refusal;
use crate::setup::world::World;

fn details(level: &Value) -> (Value, Value, Value) {
    (level["bin"].clone(), level["reorder_point"].clone(), level["low_stock"].clone())
}

#[tokio::test]
async fn a_count_without_details_keeps_them_and_null_removes_them() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 10).await;
    let path = format!("/inventory_items/{hat}/levels/{depot}");
    assert_eq!(details(&world.get(&path).await.json()), (Value::Null, Value::Null, json!(false)));
    let set = world.put(&path, json!({"on_hand": 5, "bin": "A-03-2", "reorder_point": 5})).await;
    assert_eq!(set.status, 200, "{set}");
    assert_eq!(details(&set.json()), (json!("A-03-2"), json!(5), json!(true)));
    let counted = world.put(&path, json!({"on_hand": 6})).await.json();
    assert_eq!(details(&counted), (json!("A-03-2"), json!(5), json!(false)));
    let adjusted = world.post(format!("{path}/adjust"), json!({"delta": -3})).await.json();
    assert_eq!(details(&adjusted), (json!("A-03-2"), json!(5), json!(true)));
    let one = world.put(&path, json!({"on_hand": 3, "bin": null})).await.json();
    assert_eq!(details(&one), (Value::Null, json!(5), json!(true)));
    let none = world.put(&path, json!({"on_hand": 3, "reorder_point": null})).await.json();
    assert_eq!(details(&none), (Value::Null, Value::Null, json!(false)));
    let zero = world.put(&path, json!({"on_hand": 0, "reorder_point": 0})).await.json();
    assert_eq!(details(&zero), (Value::Null, json!(0), json!(true)));
    // A level may begin with them, and the list shows them.
    let other = world.location("Other").await;
    let new = format!("/inventory_items/{hat}/levels/{other}");
    assert_eq!(world.put(&new, json!({"on_hand": 1, "bin": "B"})).await.status, 200);
    let list = world.get(format!("/inventory_items/{hat}/levels")).await.json();
    let bins: Vec<&Value> = list["data"].as_array().unwrap().iter().map(|level| &level["bin"]).collect();
    assert!(bins.contains(&&json!("B")) && bins.contains(&&Value::Null), "{list}");
    world.assert_clean().await;
}

#[tokio::test]
async fn a_patch_sets_details_without_a_count() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 10).await;
    let path = format!("/inventory_items/{hat}/levels/{depot}");
    let before = world.get(&path).await;
    let log = world.events().await.len();
    let moved = world.patch(&path, json!({"bin": "C-1", "reorder_point": 10})).await;
    assert_eq!((moved.status.as_u16(), &moved.json()["on_hand"]), (200, &json!(10)), "{moved}");
    assert_eq!(details(&moved.json()), (json!("C-1"), json!(10), json!(true)));
    assert_eq!(world.get(&path).await.json(), moved.json());
    assert_eq!(world.history(&hat, &depot).await.len(), 1, "nothing was counted");
    let events = world.events().await;
    let told = &events[log..];
    assert_eq!((told.len(), told[0].r#type.as_str()), (1, "inventory.updated"));
    let previous: Value = serde_json::from_str(told[0].previous_attributes.as_deref().unwrap()).unwrap();
    assert_eq!(details(&previous), (Value::Null, Value::Null, json!(false)));
    assert_eq!(serde_json::from_str::<Value>(&told[0].object).unwrap(), moved.json());

    let counted = world.patch(&path, json!({"on_hand": 4})).await.json();
    assert_eq!((&counted["on_hand"], details(&counted)), (&json!(4), (json!("C-1"), json!(10), json!(true))));
    assert_eq!(world.history(&hat, &depot).await.len(), 2);
    let stale = world.request("PATCH", &path).header("if-match", before.header("etag"));
    let stale = stale.json(json!({"bin": "D"})).send().await;
    assert_eq!(refusal(&stale), (412, "precondition_failed".to_owned()));
    assert_eq!(world.patch(&path, json!({"bin": null})).await.json()["bin"], Value::Null);
    world.assert_clean().await;
}

#[tokio::test]
async fn bad_details_are_refused_and_change_nothing() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 10).await;
    let elsewhere = world.location("Elsewhere").await;
    let path = format!("/inventory_items/{hat}/levels/{depot}");
    let before = world.everything().await;
    for (body, code, field) in [
        (json!({"on_hand": 1, "bin": ""}), "too_short", "/bin"),
        (json!({"on_hand": 1, "bin": "x".repeat(51)}), "too_long", "/bin"),
        (json!({"on_hand": 1, "bin": 7}), "invalid_type", "/bin"),
        (json!({"on_hand": 1, "reorder_point": -1}), "out_of_range", "/reorder_point"),
        (json!({"on_hand": 1, "reorder_point": 1.5}), "not_integer", "/reorder_point"),
        (json!({"on_hand": 1, "shelf": "A"}), "unknown_field", "/shelf"),
    ] {
        for method in ["PUT", "PATCH"] {
            let reply = world.request(method, &path).json(body.clone()).send().await;
            let seen = (reply.status.as_u16(), reply.issues());
            assert_eq!(seen, (422, vec![(code.to_owned(), field.to_owned())]), "{method} {body}");
        }
    }
    assert_eq!(world.put(&path, json!({"bin": "A"})).await.issues()[0].1, "/on_hand");
    assert_eq!(world.patch(&path, json!({"on_hand": null})).await.issues()[0].1, "/on_hand");
    let none = format!("/inventory_items/{hat}/levels/{elsewhere}");
    assert_eq!(refusal(&world.patch(&none, json!({"bin": "A"})).await), (404, "not_found".to_owned()));
    assert_eq!(world.everything().await, before);
}

#[tokio::test]
async fn completing_an_allocation_makes_stock_low() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 6).await;
    let path = format!("/inventory_items/{hat}/levels/{depot}");
    assert_eq!(world.patch(&path, json!({"reorder_point": 4})).await.json()["low_stock"], false);
    let order = world.order(&[(&hat, 2)]).await;
    let ids = world.allocated(&order, &[(&depot, &hat, 2)]).await;
    assert_eq!(world.get(&path).await.json()["low_stock"], false, "nothing has left yet");
    assert_eq!(world.get("/inventory_items?low_stock=true").await.ids(), [""; 0]);
    assert_eq!(world.complete(&order, &[&ids[0]]).await.status, 200);
    assert_eq!(world.get(&path).await.json()["low_stock"], true);
    assert_eq!(world.get("/inventory_items?low_stock=true").await.ids(), [hat.as_str()]);
    assert_eq!(world.delete(format!("/allocations/orders/{order}")).await.status, 204);
    assert_eq!(world.get("/inventory_items?low_stock=true").await.ids(), [""; 0]);
}
