//! Inventory items, the levels of their stock, the history of those, and the audit.

use model::World as Mode;
use serde_json::{Value, json};

use crate::setup::stock_requests::{refusal, texts};
use crate::setup::world::World;

#[tokio::test]
async fn an_item_is_created_read_changed_and_deleted() {
    let world = World::new().await;
    let body = json!({
        "sku": "TEE-M", "name": "T-shirt, M", "mass": 0.2,
        "dimensions": {"length": 30, "width": 20, "height": 2.5},
        "hs_code": "610910", "origin_country_code": "PT", "metadata": {"shelf": "A3", "n": [1]},
    });
    let created = world.post("/inventory_items", body.clone()).await;
    insta::assert_snapshot!(created, @r##"201 {"id":"inv_#1","sku":"TEE-M","name":"T-shirt, M","mass":0.2,"dimensions":{"length":30.0,"width":20.0,"height":2.5},"hs_code":"610910","origin_country_code":"PT","barcodes":[],"unit_value":null,"currency_code":null,"customs_description":null,"ships_alone":false,"keep_upright":false,"tags":[],"metadata":{"shelf":"A3","n":[1]},"created_at":"#time","updated_at":"#time"}"##);
    let path = created.header("location").to_owned();
    assert_eq!(path, format!("/inventory_items/{}", created.json()["id"].as_str().unwrap()));
    let read = world.get(&path).await;
    assert_eq!((read.json(), read.header("etag")), (created.json(), created.header("etag")));

    let patch = json!({"name": "T-shirt", "mass": null, "dimensions": {"height": 3}, "hs_code": null});
    let changed = world.patch(&path, patch).await;
    assert_eq!(changed.status, 200, "{changed}");
    let (changed, mut expected) = (changed.json(), body);
    assert_eq!((&changed["mass"], &changed["hs_code"]), (&Value::Null, &Value::Null));
    expected["name"] = json!("T-shirt");
    expected["dimensions"]["height"] = json!(3);
    for name in ["sku", "name", "origin_country_code", "metadata"] {
        assert_eq!(changed[name], expected[name], "{name}");
    }
    assert_eq!(changed["dimensions"]["height"].as_f64(), Some(3.0));
    assert_eq!(changed["dimensions"]["length"].as_f64(), Some(30.0));
    assert_eq!(world.get(&path).await.json(), changed);

    assert_eq!(world.delete(&path).await.status, 204);
    assert_eq!(refusal(&world.get(&path).await), (404, "not_found".to_owned()));
    assert_eq!(world.get("/inventory_items").await.ids(), [""; 0]);
}

#[tokio::test]
async fn what_is_wrong_with_an_item_is_named() {
    let world = World::new().await;
    let cases = [
        (json!({"name": "x"}), "required", "/sku"),
        (json!({"sku": "x"}), "required", "/name"),
        (json!({"sku": "", "name": "x"}), "too_short", "/sku"),
        (json!({"sku": "x".repeat(101), "name": "x"}), "too_long", "/sku"),
        (json!({"sku": "x", "name": "x", "mass": 0}), "out_of_range", "/mass"),
        (
            json!({"sku": "x", "name": "x", "dimensions": {"length": 1, "width": 1}}),
            "required",
            "/dimensions/height",
        ),
        (
            json!({"sku": "x", "name": "x", "origin_country_code": "ZZ"}),
            "invalid_value",
            "/origin_country_code",
        ),
        (json!({"sku": "x", "name": "x", "hs_code": "61091"}), "too_short", "/hs_code"),
        (json!({"sku": "x", "name": "x", "colour": "blue"}), "unknown_field", "/colour"),
    ];
    for (body, code, field) in cases {
        let reply = world.post("/inventory_items", body.clone()).await;
        assert_eq!(reply.status, 422, "{body}: {reply}");
        assert_eq!(reply.issues(), [(code.to_owned(), field.to_owned())], "{body}");
    }
    assert_eq!(world.get("/inventory_items").await.ids(), [""; 0]);
}

#[tokio::test]
async fn a_sku_is_unique_in_the_organisation() {
    let world = World::new().await;
    let (hat, mug) = (world.item("HAT").await, world.item("MUG").await);
    let before = world.everything().await;
    let again = world.post("/inventory_items", json!({"sku": "HAT", "name": "Other"})).await;
    assert_eq!(refusal(&again), (409, "sku_taken".to_owned()));
    assert_eq!(again.issues(), [("sku_taken".to_owned(), "/sku".to_owned())]);
    let renamed = world.patch(format!("/inventory_items/{mug}"), json!({"sku": "HAT"})).await;
    assert_eq!(refusal(&renamed), (409, "sku_taken".to_owned()));
    assert_eq!(world.everything().await, before);

    // An item may keep its own SKU, and SKUs differ by case.
    assert_eq!(world.patch(format!("/inventory_items/{hat}"), json!({"sku": "HAT"})).await.status, 200);
    assert_eq!(world.patch(format!("/inventory_items/{mug}"), json!({"sku": "hat"})).await.status, 200);
    assert_eq!(world.get("/inventory_items?sku=HAT").await.ids(), [hat.as_str()]);
    assert_eq!(world.get("/inventory_items?sku=MUG").await.ids(), [""; 0]);
    assert_eq!(world.delete(format!("/inventory_items/{hat}")).await.status, 204);
    assert_ne!(world.item("HAT").await, hat);
    for (organisation, mode) in [("Acme", Mode::Test), ("Globex", Mode::Live)] {
        let token = world.token_for(organisation, "*", mode).await;
        let body = json!({"sku": "HAT", "name": "Hat"});
        let theirs = world.request("POST", "/inventory_items").token(&token).json(body).send().await;
        assert_eq!(theirs.status, 201, "{theirs}");
    }
}

#[tokio::test]
async fn an_item_in_use_cannot_be_deleted() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 1).await;
    let path = format!("/inventory_items/{hat}");
    assert_eq!(refusal(&world.delete(&path).await), (409, "inventory_item_in_use".to_owned()));
    world.count(&hat, &depot, 0).await;
    let order = world.order(&[(&hat, 1)]).await;
    assert_eq!(refusal(&world.delete(&path).await), (409, "inventory_item_in_use".to_owned()));
    // A cancelled order still tells what it wanted.
    assert_eq!(world.post(format!("/orders/{order}/cancel"), json!({})).await.status, 200);
    assert_eq!(refusal(&world.delete(&path).await), (409, "inventory_item_in_use".to_owned()));
    assert_eq!(world.delete(format!("/orders/{order}")).await.status, 204);
    assert_eq!(world.delete(&path).await.status, 204);
    world.assert_clean().await;
}

#[tokio::test]
async fn every_change_of_a_level_is_a_row_and_their_sum_is_on_hand() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 10).await;
    let path = format!("/inventory_items/{hat}/levels/{depot}");
    let adjusted = world.post(format!("{path}/adjust"), json!({"delta": -3, "reason": "broken"})).await;
    insta::assert_snapshot!(adjusted, @r##"200 {"item":{"id":"inv_#1"},"location":{"id":"loc_#1"},"on_hand":7,"allocated":0,"available":7,"bin":null,"reorder_point":null,"low_stock":false,"updated_at":"#time"}"##);
    assert_eq!(world.get(&path).await.json(), adjusted.json());
    let body = json!({"delta": 5, "expected_on_hand": 7});
    assert_eq!(world.post(format!("{path}/adjust"), body).await.status, 200);
    world.count(&hat, &depot, 4).await;
    assert_eq!(world.post(format!("{path}/adjust"), json!({"delta": -4})).await.status, 200);
    let history = world.history(&hat, &depot).await;
    let told: Vec<_> = history.iter().map(|(delta, on_hand, why)| (*delta, *on_hand, why.as_str())).collect();
    let expected =
        [(10, 10, "set"), (-3, 7, "broken"), (5, 12, "adjusted"), (-8, 4, "set"), (-4, 0, "adjusted")];
    assert_eq!(told, expected);
    assert_eq!(history.iter().map(|change| change.0).sum::<i64>(), world.level(&hat, &depot).await[0]);
    let page = world.get(format!("{path}/history?limit=2")).await.json();
    let rest = world.get(format!("{path}/history?cursor={}", page["next_cursor"].as_str().unwrap())).await;
    assert_eq!(rest.json()["data"].as_array().unwrap().len(), 3);
    let levels = world.get(format!("/inventory_items/{hat}/levels")).await.json();
    assert_eq!(texts(&levels["data"], "/location/id"), [depot]);
    world.assert_clean().await;
}

#[tokio::test]
async fn a_level_never_falls_below_zero_nor_moves_unexpectedly() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 10).await;
    let path = format!("/inventory_items/{hat}/levels/{depot}/adjust");
    let before = world.everything().await;
    let short = world.post(&path, json!({"delta": -11})).await;
    assert_eq!(refusal(&short), (409, "insufficient_stock".to_owned()));
    let issue = &short.json()["errors"][0];
    assert_eq!(
        (&issue["requested"], &issue["available"], &issue["field"]),
        (&json!(11), &json!(10), &json!("/delta"))
    );
    let stale = world.post(&path, json!({"delta": 1, "expected_on_hand": 9})).await;
    assert_eq!(refusal(&stale), (409, "on_hand_changed".to_owned()));
    assert_eq!(stale.json()["errors"][0]["available"], 10);
    let much = world.post(&path, json!({"delta": 1_000_000_000})).await;
    assert_eq!(much.issues(), [("out_of_range".to_owned(), "/delta".to_owned())]);
    // Without a level, nothing is on hand. A refusal does not make a level.
    let elsewhere = world.location("Elsewhere").await;
    let path = format!("/inventory_items/{hat}/levels/{elsewhere}");
    let none = world.post(format!("{path}/adjust"), json!({"delta": -1})).await;
    assert_eq!(refusal(&none), (409, "insufficient_stock".to_owned()));
    assert_eq!(world.get(&path).await.status, 404);
    assert_eq!(world.everything().await[1..], before[1..]);
    assert_eq!(
        world.post(format!("{path}/adjust"), json!({"delta": 2, "expected_on_hand": 0})).await.status,
        200
    );
}

#[tokio::test]
async fn bad_levels_are_refused_and_change_nothing() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 10).await;
    let path = format!("/inventory_items/{hat}/levels/{depot}");
    let before = world.everything().await;
    for on_hand in [json!(-1), json!(1.5), json!(1_000_000_001), json!("7"), Value::Null] {
        let reply = world.put(&path, json!({"on_hand": on_hand})).await;
        assert_eq!(
            (reply.status.as_u16(), reply.issues()[0].1.as_str()),
            (422, "/on_hand"),
            "{on_hand}: {reply}"
        );
    }
    for body in
        [json!({}), json!({"delta": 0.5}), json!({"delta": "1"}), json!({"delta": 1, "expected_on_hand": -1})]
    {
        let reply = world.post(format!("{path}/adjust"), body.clone()).await;
        assert_eq!(refusal(&reply), (422, "validation_failed".to_owned()), "{body}");
    }
    let reply = world.put(&path, json!({"on_hand": 1, "available": 1, "allocatd": 1})).await;
    assert_eq!(reply.issues(), [("unknown_field".to_owned(), "/allocatd".to_owned())]);
    assert_eq!(world.everything().await, before);
}

#[tokio::test]
async fn levels_of_nothing_are_not_found() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 10).await;
    let stranger = world.token_for("Globex", "*", Mode::Live).await;
    let tester = world.token_for("Acme", "*", Mode::Test).await;
    let (no_item, no_place) = (format!("inv_{}", "7".repeat(26)), format!("loc_{}", "7".repeat(26)));
    let cases =
        [(&no_item, &depot, &world.token), (&hat, &no_place, &world.token), (&depot, &hat, &world.token)];
    let strange = [(&hat, &depot, &stranger), (&hat, &depot, &tester)];
    let before = world.everything().await;
    for (item, location, token) in cases.into_iter().chain(strange) {
        let path = format!("/inventory_items/{item}/levels/{location}");
        let asked = [
            world.request("GET", &path),
            world.request("GET", &format!("{path}/history")),
            world.request("PUT", &path).json(json!({"on_hand": 1})),
            world.request("POST", &format!("{path}/adjust")).json(json!({"delta": 1})),
        ];
        for call in asked {
            let reply = call.token(token).send().await;
            assert_eq!(refusal(&reply), (404, "not_found".to_owned()), "{path}");
        }
    }
    assert_eq!(world.everything().await, before);
}

#[tokio::test]
async fn more_may_be_promised_than_is_available() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 3).await;
    let order = world.order(&[(&hat, 8)]).await;
    world.allocated(&order, &[(&depot, &hat, 5)]).await;
    assert_eq!(world.level(&hat, &depot).await, [3, 5, -2]);
    world.count(&hat, &depot, 0).await;
    assert_eq!(world.level(&hat, &depot).await, [0, 5, -5]);
    world.assert_clean().await;
}

#[tokio::test]
async fn a_location_stays_while_allocations_or_stock_are_there() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 1).await;
    let order = world.order(&[(&hat, 30)]).await;
    let codes = async || {
        let refused = world.delete(format!("/locations/{depot}")).await;
        assert_eq!(refusal(&refused), (409, "location_in_use".to_owned()));
        refused.issues().into_iter().map(|(code, _)| code).collect::<Vec<_>>()
    };
    assert_eq!(codes().await, ["used_by_stock"]);
    let ids = world.allocated(&order, &[(depot.as_str(), hat.as_str(), 1); 12]).await;
    assert_eq!(codes().await, ["used_by_allocation"; 10]);
    let pair = json!({"name": "Main", "locations": {"origin": {"id": depot}, "return": {"id": depot}}});
    let made = world.post("/location_configurations", pair).await;
    let named = codes().await;
    assert_eq!(
        (named.len(), named[0].as_str(), named[1].as_str()),
        (10, "used_by_location_configuration", "used_by_allocation")
    );
    assert_eq!(world.delete(made.header("location")).await.status, 204);

    // An open allocation prevents the deletion of its location, a completed one does not.
    assert_eq!(world.complete(&order, &[&ids[0]]).await.status, 200);
    assert_eq!(codes().await, ["used_by_allocation"; 10]);
    assert_eq!(world.delete(format!("/allocations/orders/{order}")).await.status, 204);
    assert_eq!(codes().await, ["used_by_stock"]);
    world.count(&hat, &depot, 0).await;
    assert_eq!(world.delete(format!("/locations/{depot}")).await.status, 204);
    world.assert_clean().await;
}

#[tokio::test]
async fn the_audit_shows_what_was_tampered_with() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 5).await;
    let order = world.order(&[(&hat, 4)]).await;
    let ids = world.allocated(&order, &[(&depot, &hat, 1), (&depot, &hat, 2)]).await;
    assert_eq!(world.complete(&order, &[&ids[0]]).await.status, 200);
    let clean = world.get("/inventory/audit").await;
    insta::assert_snapshot!(clean, @r#"200 {"is_clean":true,"checked":{"levels":1,"order_lines":1,"allocations":2,"orders":1},"differences":[]}"#);
    world.tamper("UPDATE inventory_level SET on_hand = on_hand + 7").await;
    world.tamper("UPDATE order_line SET allocated = 4").await;
    world.tamper("UPDATE inventory_change SET allocation_id = NULL").await;
    world.tamper("DELETE FROM reservation").await;
    let audit = world.get("/inventory/audit").await;
    insta::assert_snapshot!(audit, @r#"200 {"is_clean":false,"checked":{"levels":1,"order_lines":1,"allocations":2,"orders":1},"differences":[{"what":"on_hand","ids":["inv_#1","loc_#1"],"kept":11,"recomputed":4},{"what":"allocated_quantity","ids":["inv_#1","ord_#1"],"kept":4,"recomputed":3},{"what":"stock_taken","ids":["inv_#1","alloc_#1"],"kept":-1,"recomputed":0},{"what":"reservation","ids":["ord_#1","ord_#1"],"kept":1,"recomputed":0}]}"#);
    let stranger = world.token_for("Globex", "*", Mode::Live).await;
    let theirs = world.request("GET", "/inventory/audit").token(&stranger).send().await;
    assert_eq!(theirs.json()["is_clean"], true);
}
