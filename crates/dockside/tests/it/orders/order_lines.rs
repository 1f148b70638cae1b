//! Lines: items follow from them, unknown SKUs wait for their item, and what was read may be sent back.

use serde_json::{Value, json};

use crate::setup::stock_requests::{lines, refusal};
use crate::setup::world::{Reply, World};

impl World {
    /// Posts an order of lines, each a SKU and a quantity.
    async fn order_by_sku(&self, status: &str, wants: &[(&str, i64)]) -> Reply {
        let lines: Vec<_> =
            wants.iter().map(|(sku, quantity)| json!({"sku": sku, "quantity": quantity})).collect();
        self.post("/orders", json!({"status": status, "lines": lines})).await
    }

    async fn types_since(&self, place: usize) -> Vec<String> {
        self.events().await[place..].iter().map(|event| event.r#type.clone()).collect()
    }
}

#[tokio::test]
async fn items_follow_from_lines() {
    let world = World::new().await;
    let (hat, mug) = (world.item("HAT").await, world.item("MUG").await);
    let created = world.order_by_sku("committed", &[("HAT", 1), ("MUG", 5), ("HAT", 2)]).await;
    let order = created.json();
    assert_eq!(order["items"], lines(&[(&hat, 3), (&mug, 5)]));
    let path = created.header("location").to_owned();
    let kept = &order["lines"][1];
    let changed = world.patch(&path, json!({"lines": [kept, {"item_id": hat, "quantity": 7}]})).await.json();
    assert_eq!(changed["items"], lines(&[(&mug, 5), (&hat, 7)]));
    assert_eq!(changed["lines"][0], *kept, "an entry with its id is the same line");
    assert!(!order.to_string().contains(changed["lines"][1]["id"].as_str().unwrap()), "and a new one is new");
    assert_eq!(world.reserved(order["id"].as_str().unwrap()).await, [(5, 0), (7, 0)]);

    // Without lines the items stay, and are changed by themselves.
    let plain = world.patch(&path, json!({"lines": []})).await.json();
    assert_eq!((&plain["items"], &plain["lines"]), (&changed["items"], &json!([])));
    let plain = world.patch(&path, json!({"items": lines(&[(&hat, 1)])})).await.json();
    assert_eq!(plain["items"], lines(&[(&hat, 1)]));
    let much = world.order_by_sku("committed", &[("HAT", 1_000_000), ("HAT", 1)]).await;
    assert_eq!(much.issues(), [("out_of_range".to_owned(), "/lines/1/quantity".to_owned())]);
    world.assert_clean().await;
}

#[tokio::test]
async fn items_that_contradict_lines_are_refused_and_what_was_read_is_not() {
    let world = World::new().await;
    let (hat, mug) = (world.item("HAT").await, world.item("MUG").await);
    let both = |items: Value| json!({"items": items, "lines": [{"item_id": hat, "quantity": 2}, {"sku": "MUG", "quantity": 1}]});
    let created = world.post("/orders", both(lines(&[(&mug, 1), (&hat, 2)]))).await;
    assert_eq!(created.status, 201, "{created}");
    assert_eq!(world.post("/orders", both(json!([]))).await.status, 201, "empty is the same as absent");
    assert_eq!(
        world.post("/orders", both(lines(&[(&hat, 2)]))).await.status,
        201,
        "as it was before the SKU was known"
    );
    let (path, order) = (created.header("location").to_owned(), created.json());
    let before = world.everything().await;
    let contradiction = [("items_contradict_lines".to_owned(), "/items".to_owned())];
    assert_eq!(world.post("/orders", both(lines(&[(&hat, 3)]))).await.issues(), contradiction);
    assert_eq!(world.patch(&path, json!({"items": lines(&[(&hat, 3)])})).await.issues(), contradiction);
    let mut read = order.clone();
    read["items"][0]["quantity"] = json!(9);
    assert_eq!(world.patch(&path, read).await.issues(), contradiction);
    let unknown = format!("inv_{}", "7".repeat(26));
    let reply = world.post("/orders", both(lines(&[(&unknown, 3)]))).await;
    assert_eq!(reply.issues(), [("inventory_item_not_found".to_owned(), "/items/0/id".to_owned())]);
    assert_eq!(world.everything().await, before);

    // A client that changes the lines of what it read sends the old items too.
    let mut read = order.clone();
    read["lines"][0]["quantity"] = json!(4);
    let changed = world.patch(&path, read).await;
    assert_eq!(
        (changed.status.as_u16(), &changed.json()["items"]),
        (200, &lines(&[(&hat, 4), (&mug, 1)])),
        "{changed}"
    );
}

#[tokio::test]
async fn lines_change_no_more_than_items_may() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 5).await;
    let created = world.order_by_sku("committed", &[("HAT", 4)]).await;
    let (path, order) =
        (created.header("location").to_owned(), created.json()["id"].as_str().unwrap().to_owned());
    let ids = world.allocated(&order, &[(&depot, &hat, 3)]).await;
    let less = world.patch(&path, json!({"lines": [{"sku": "HAT", "quantity": 2}]})).await;
    assert_eq!(less.issues(), [("order_items_allocated".to_owned(), "/lines".to_owned())]);
    let unknown = world
        .patch(&path, json!({"lines": [{"sku": "HAT", "quantity": 4}, {"sku": "NEW", "quantity": 1}]}))
        .await;
    assert_eq!(refusal(&unknown), (422, "sku_not_found".to_owned()), "{unknown}");
    assert_eq!(unknown.issues(), [("sku_not_found".to_owned(), "/lines/1/sku".to_owned())]);
    assert_eq!(world.complete(&order, &[&ids[0]]).await.status, 200);
    let fulfilled = world.patch(&path, json!({"lines": [{"sku": "HAT", "quantity": 3}]})).await.json();
    assert_eq!(
        (&fulfilled["status"], &fulfilled["fulfilment"]["status"]),
        (&json!("fulfilled"), &json!("shipped"))
    );
    let late = world.patch(&path, json!({"lines": [{"sku": "HAT", "quantity": 3, "name": "Hat"}]})).await;
    assert_eq!(refusal(&late), (409, "order_fulfilled".to_owned()));
    let read = world.get(&path).await.json();
    assert_eq!(world.patch(&path, read).await.status, 200, "what was read may be sent back");
    world.assert_clean().await;
}

#[tokio::test]
async fn an_unknown_sku_makes_a_draft_on_hold_that_matching_completes() {
    let world = World::new().await;
    let hat = world.item("HAT").await;
    for (asked, expected) in [("committed", "committed"), ("draft", "draft")] {
        let start = world.events().await.len();
        let created = world.order_by_sku(asked, &[("HAT", 1), ("NEW-A", 2), ("NEW-B", 3)]).await;
        let (path, order) = (created.header("location").to_owned(), created.json());
        let id = order["id"].as_str().unwrap();
        assert_eq!((&order["status"], &order["status_when_matched"]), (&json!("draft"), &json!(asked)));
        assert_eq!(order["hold"], json!({"reason": "unknown_sku", "until": null}));
        assert_eq!((&order["items"], &order["lines"][1]["item_id"]), (&lines(&[(&hat, 1)]), &Value::Null));
        assert_eq!(world.types_since(start).await, ["order.created", "order.held"]);
        assert_eq!(world.patch(&path, order.clone()).await.status, 200, "what was read may be sent back");
        assert_eq!(world.post("/orders", order.clone()).await.status, 201);
        for action in ["commit", "release"] {
            let reply = world.post(format!("{path}/{action}"), json!({})).await;
            assert_eq!(refusal(&reply), (409, "lines_unmatched".to_owned()), "{action}");
        }
        let start = world.events().await.len();
        let matching = async |line: usize, item: &str| {
            let body = json!({"line_id": order["lines"][line]["id"], "item_id": item});
            world.post(format!("{path}/match"), body).await
        };
        let first = matching(1, &hat).await;
        assert_eq!((first.status.as_u16(), &first.json()["items"]), (200, &lines(&[(&hat, 3)])), "{first}");
        assert_eq!(
            (&first.json()["status"], &first.json()["hold"]["reason"]),
            (&json!("draft"), &json!("unknown_sku"))
        );
        assert_eq!(matching(1, &hat).await.json(), first.json(), "again changes nothing");
        let mug = world.item(&format!("MUG-{asked}")).await;
        assert_eq!(refusal(&matching(1, &mug).await), (409, "line_matched".to_owned()));
        let last = matching(2, &mug).await.json();
        assert_eq!(
            (&last["status"], &last["status_when_matched"], &last["hold"]),
            (&json!(expected), &Value::Null, &Value::Null)
        );
        assert_eq!(last["items"], lines(&[(&hat, 3), (&mug, 3)]));
        let mut told = vec!["order.updated", "inventory_item.created", "order.updated", "order.released"];
        if asked == "committed" {
            told.extend(["order.committed", "reservation.created"]);
            assert_eq!(world.reserved(id).await, [(3, 0), (3, 0)]);
        }
        assert_eq!(world.types_since(start).await, told);
    }
    world.assert_clean().await;
}

#[tokio::test]
async fn what_can_not_be_matched_is_refused() {
    let world = World::new().await;
    let hat = world.item("HAT").await;
    let body = json!({"lines": [{"sku": "NEW", "quantity": 1}, {"name": "Card", "quantity": 1, "is_shippable": false}]});
    let created = world.post("/orders", body).await;
    let (path, order) = (format!("{}/match", created.header("location")), created.json());
    let (line, card) = (order["lines"][0]["id"].as_str().unwrap(), order["lines"][1]["id"].as_str().unwrap());
    let (no_line, no_item) = (format!("line_{}", "7".repeat(26)), format!("inv_{}", "7".repeat(26)));
    let before = world.everything().await;
    for (line, item, code, field) in [
        (no_line.as_str(), hat.as_str(), "line_not_found", "/line_id"),
        (card, &hat, "line_not_found", "/line_id"),
        (line, &no_item, "inventory_item_not_found", "/item_id"),
        ("x", &hat, "invalid_id", "/line_id"),
    ] {
        let reply = world.post(&path, json!({"line_id": line, "item_id": item})).await;
        assert_eq!(
            (reply.status.as_u16(), reply.issues()),
            (422, vec![(code.to_owned(), field.to_owned())]),
            "{reply}"
        );
    }
    assert_eq!(world.post(&path, json!({})).await.issues().len(), 2);
    assert_eq!(world.everything().await, before);
    let order = created.header("location");
    assert_eq!(world.post(format!("{order}/cancel"), json!({})).await.json()["hold"], Value::Null);
    let late = world.post(&path, json!({"line_id": line, "item_id": hat})).await;
    assert_eq!(refusal(&late), (409, "order_cancelled".to_owned()));
    world.item("NEW").await;
    world.service.order_upkeep.work().await.unwrap();
    assert_eq!(world.get(order).await.json()["status"], "cancelled", "a cancelled order waits for nothing");
}

#[tokio::test]
async fn creating_the_sku_completes_the_orders_that_wait_for_it() {
    let world = World::new().await;
    let mut waiting = Vec::new();
    for number in 0..103 {
        let wants: &[(&str, i64)] = if number == 0 { &[("NEW", 1), ("OTHER", 1)] } else { &[("NEW", 2)] };
        waiting.push(world.order_by_sku("committed", wants).await.header("location").to_owned());
    }
    let held = world.get("/orders?sku=NEW&on_hold=true&limit=100").await.json();
    assert_eq!(held["data"].as_array().map(Vec::len), Some(100));
    let item = world.item("NEW").await;
    let status = async |place: usize| world.get(&waiting[place]).await.json();
    let first = status(0).await;
    assert_eq!(
        (&first["status"], &first["items"]),
        (&json!("draft"), &lines(&[(&item, 1)])),
        "OTHER is still unknown"
    );
    for place in [1, 99] {
        assert_eq!(status(place).await["status"], "committed", "{place}");
    }
    // The transaction of the new item completes a hundred; the job completes the others.
    for place in [100, 102] {
        assert_eq!(status(place).await["status"], "draft", "{place}");
    }
    world.service.order_upkeep.work().await.unwrap();
    for place in [100, 101, 102] {
        let order = status(place).await;
        assert_eq!(
            (&order["status"], &order["items"]),
            (&json!("committed"), &lines(&[(&item, 2)])),
            "{place}"
        );
    }
    // An item may also be given the SKU later.
    let other = world.item("ANOTHER").await;
    assert_eq!(world.patch(format!("/inventory_items/{other}"), json!({"sku": "OTHER"})).await.status, 200);
    world.service.order_upkeep.work().await.unwrap();
    assert_eq!(status(0).await["status"], "committed");
    world.assert_clean().await;
}

#[tokio::test]
async fn a_line_that_was_matched_by_hand_keeps_its_item() {
    let world = World::new().await;
    let hat = world.item("HAT").await;
    let created = world.order_by_sku("committed", &[("SHOP-7", 1)]).await;
    let path = created.header("location").to_owned();
    let line = created.json()["lines"][0]["id"].clone();
    world.post(format!("{path}/match"), json!({"line_id": line, "item_id": hat})).await;
    let more = world.patch(&path, json!({"lines": [{"id": line, "sku": "SHOP-7", "quantity": 4}]})).await;
    assert_eq!((more.status.as_u16(), &more.json()["items"]), (200, &lines(&[(&hat, 4)])), "{more}");
    // A draft may be given lines that match nothing, and lose them again.
    let draft = world.post("/orders", json!({"status": "draft", "items": lines(&[(&hat, 1)])})).await;
    let path = draft.header("location").to_owned();
    let held = world.patch(&path, json!({"lines": [{"sku": "GONE", "quantity": 1}]})).await.json();
    assert_eq!((&held["hold"]["reason"], &held["items"]), (&json!("unknown_sku"), &json!([])));
    let back = world.patch(&path, json!({"lines": [], "items": lines(&[(&hat, 1)])})).await.json();
    assert_eq!((&back["hold"], &back["status"]), (&Value::Null, &json!("draft")));
    let none = world.patch(&path, json!({"lines": [{"sku": "GONE", "quantity": 1}]})).await;
    assert_eq!(none.status, 200);
    let nothing = world.patch(&path, json!({"lines": null})).await;
    assert_eq!(nothing.issues(), [("too_few".to_owned(), "/items".to_owned())]);
    assert_eq!(world.delete(&path).await.status, 204);
    world.assert_clean().await;
}
