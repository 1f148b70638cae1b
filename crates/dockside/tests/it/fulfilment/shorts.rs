//! Short picks: what a shipment, its order and its stock become when units are not found.

use serde_json::{Value, json};

use crate::fulfilment::order_shipments::Warehouse;
use crate::fulfilment::shipping_rules::text;
use crate::setup::populated_organisation::parcel;
use crate::setup::stock_requests::{lines, refusal};
use crate::setup::world::Reply;
use model::World as Mode;

impl Warehouse {
    async fn short(&self, path: &str, quantity: i64, adjust_stock: bool) -> Reply {
        let body = json!({"item_id": self.item, "quantity": quantity, "reason": "damaged", "adjust_stock": adjust_stock});
        self.world.post(format!("{path}/shorts"), body).await
    }

    /// Gives the quantity of each allocation of an order, and whether it is in a shipment.
    async fn held(&self, order: &str) -> Vec<(i64, bool)> {
        let held =
            |one: &Value| (one["items"][0]["quantity"].as_i64().unwrap(), one["shipment_id"].is_string());
        self.allocations(order).await.iter().map(held).collect()
    }
}

fn quantities(shipment: &Value) -> Vec<i64> {
    let packages = shipment["packages"].as_array().unwrap().iter();
    packages
        .flat_map(|package| package["items"].as_array().unwrap())
        .map(|item| item["quantity"].as_i64().unwrap())
        .collect()
}

#[tokio::test]
async fn before_the_purchase_the_missing_units_leave_the_shipment() {
    let house = Warehouse::new(10).await;
    let order = house.order(8).await;
    let path = house.shipped(&order).await.remove(0);
    house.world.rate(&path).await;
    let before = house.world.get(&path).await.json();
    assert_eq!((&before["status"], quantities(&before)), (&json!("rated"), vec![6, 2]));
    house.world.result(&path, "a", "CUBE").await;
    // The second box holds nothing else and is gone.
    let short = house.short(&path, 3, false).await;
    assert_eq!(short.status, 201, "{short}");
    let answer = short.json();
    assert_eq!((&answer["written_off_quantity"], &answer["is_shipment_deleted"]), (&json!(0), &json!(false)));
    assert_eq!(answer["exception_id"], Value::Null);
    let after = house.world.get(&path).await.json();
    assert_eq!(
        (&after["status"], &after["rates"], quantities(&after)),
        (&json!("draft"), &json!([]), vec![5])
    );
    assert_eq!(after["packages"][0]["geometry"]["mass"], json!(2.5), "6 cubes had 3 kg");
    let mut held = house.held(&order).await;
    held.sort_unstable();
    assert_eq!(held, [(3, false), (5, true)]);
    let freed = house.allocations(&order).await.into_iter().find(|one| one["shipment_id"].is_null()).unwrap();
    assert_eq!(answer["allocation_ids"], json!([freed["id"]]));
    assert_eq!(house.level().await, [10, 8, 2], "they stay allocated");
    house.world.assert_clean().await;
    // What is left is scanned and bought.
    for name in ["b", "c", "d", "e"] {
        assert_eq!(house.world.result(&path, name, "CUBE").await, "packed");
    }
    assert!(house.world.get(&path).await.json()["packed_at"].is_string());
    assert_eq!(house.world.buy(&path).await["status"], "purchased");
    assert_eq!(house.level().await, [5, 3, 2]);
    // The rest is shipped once it is there.
    assert_eq!(house.shipped(&order).await.len(), 1);
    house.world.assert_clean().await;
}

#[tokio::test]
async fn the_missing_units_are_written_off_in_the_same_transaction() {
    let house = Warehouse::new(4).await;
    let order = house.order(3).await;
    let path = house.shipped(&order).await.remove(0);
    let short = house.short(&path, 1, true).await;
    assert_eq!(short.json()["written_off_quantity"], json!(1), "{short}");
    assert_eq!(house.level().await, [3, 3, 0]);
    let history = house.world.history(&house.item, &house.location).await;
    assert_eq!(history.last(), Some(&(-1, 3, "damaged".to_owned())));
    assert_eq!(house.world.newest_event("inventory.updated").await["data"]["object"]["on_hand"], json!(3));
    house.world.assert_clean().await;
    // Not more than is on hand.
    house.world.count(&house.item, &house.location, 1).await;
    let short = house.short(&path, 2, true).await;
    assert_eq!(
        (&short.json()["written_off_quantity"], &short.json()["is_shipment_deleted"]),
        (&json!(1), &json!(true)),
        "{short}"
    );
    assert_eq!(house.level().await, [0, 3, -3]);
    house.world.assert_clean().await;
}

#[tokio::test]
async fn a_shipment_with_nothing_left_is_deleted() {
    let house = Warehouse::new(5).await;
    let order = house.order(2).await;
    let path = house.shipped(&order).await.remove(0);
    let id = path.trim_start_matches("/shipments/").to_owned();
    let batch = house.world.batch(json!({"shipments": [id]})).await;
    let short = house.short(&path, 2, false).await;
    assert_eq!(short.json()["is_shipment_deleted"], json!(true), "{short}");
    assert_eq!(house.world.get(&path).await.status, 404);
    assert_eq!(house.world.get(&batch).await.json()["shipments_count"], json!(0));
    assert_eq!(house.held(&order).await, [(2, false)]);
    assert_eq!(house.fulfilment(&order).await["shipment_ids"], json!([]));
    house.world.assert_clean().await;
    assert_eq!(house.shipped(&order).await.len(), 1);
}

#[tokio::test]
async fn what_was_scanned_was_found_and_the_rest_may_complete_the_shipment() {
    let house = Warehouse::new(5).await;
    let order = house.order(3).await;
    let path = house.shipped(&order).await.remove(0);
    house.world.result(&path, "a", "CUBE").await;
    let more = house.short(&path, 3, false).await;
    assert_eq!(refusal(&more), (409, "short_exceeds_missing".to_owned()));
    let issue = &more.json()["errors"][0];
    assert_eq!(
        (&issue["requested"], &issue["available"], &issue["field"]),
        (&json!(3), &json!(2), &json!("/quantity"))
    );
    assert_eq!(house.short(&path, 2, false).await.status, 201);
    assert!(house.world.get(&path).await.json()["packed_at"].is_string());
    let story = house.world.story(&path).await;
    assert_eq!(story, ["shipment.created", "shipment.updated", "shipment.packed"]);
    house.world.assert_clean().await;
}

#[tokio::test]
async fn scans_follow_their_package_when_one_before_it_is_removed() {
    let house = Warehouse::new(9).await;
    let order = house.order(3).await;
    let box_of = |quantity: i64| json!({"items": lines(&[(&house.item, quantity)])});
    let made = house.ship(&order, json!({"packages": [box_of(1), box_of(2)]})).await;
    let path = format!("/shipments/{}", text(&made.json()["data"][0]["id"]));
    let scan = json!({"scan_id": "a", "code": "CUBE", "package": 2, "quantity": 2});
    assert_eq!(house.world.scan(&path, scan).await.json()["result"], "packed");
    assert_eq!(house.short(&path, 1, false).await.status, 201);
    let shown = house.world.get(format!("{path}/scans/a")).await.json();
    assert_eq!(
        (&shown["parts"], &shown["is_complete"]),
        (&json!([{"package": 1, "quantity": 2}]), &json!(true)),
        "{shown}"
    );
    house.world.assert_clean().await;
}

#[tokio::test]
async fn customs_lines_follow_the_units() {
    let house = Warehouse::new(9).await;
    let details =
        json!({"hs_code": "610910", "origin_country_code": "GB", "unit_value": 1200, "currency_code": "GBP"});
    assert_eq!(house.world.patch(format!("/inventory_items/{}", house.item), details).await.status, 200);
    let order = house.order_to(3, "CH", "8001").await;
    let made = house.ship(&order, json!({})).await;
    assert_eq!(made.status, 201, "{made}");
    let path = format!("/shipments/{}", text(&made.json()["data"][0]["id"]));
    let line = |shipment: &Value| {
        let line = &shipment["customs"]["items"][0];
        (line["quantity"].clone(), line["value"].clone(), line["mass"].clone())
    };
    assert_eq!(line(&made.json()["data"][0]), (json!(3), json!(3600), json!(1.5)));
    assert_eq!(house.short(&path, 1, false).await.status, 201);
    let after = house.world.get(&path).await.json();
    assert_eq!(line(&after), (json!(2), json!(2400), json!(1.0)));
    // A declaration that was written by hand may not have the units.
    let mut customs = after["customs"].clone();
    customs["items"][0]["sku"] = json!("OTHER");
    assert_eq!(house.world.patch(&path, json!({"customs": customs})).await.status, 200);
    let refused = house.short(&path, 1, true).await;
    assert_eq!(refusal(&refused), (409, "customs_lines_unmatched".to_owned()));
    assert_eq!(house.level().await, [9, 3, 6], "nothing is written");
    house.world.assert_clean().await;
}

#[tokio::test]
async fn after_the_purchase_the_order_gets_an_exception() {
    let house = Warehouse::new(5).await;
    let order = house.order(3).await;
    let path = house.shipped(&order).await.remove(0);
    let begun = house
        .world
        .begin(&format!("{path}/purchase"), Some(crate::setup::purchase_requests::service("standard")))
        .await;
    assert_eq!(begun.status, 202, "{begun}");
    assert_eq!(refusal(&house.short(&path, 1, false).await), (409, "shipment_purchasing".to_owned()));
    house.world.work().await;
    let short = house.short(&path, 2, true).await;
    assert_eq!(short.status, 201, "{short}");
    assert_eq!(
        (&short.json()["written_off_quantity"], &short.json()["allocation_ids"]),
        (&json!(0), &json!([]))
    );
    assert_eq!(house.level().await, [2, 0, 2], "the purchase has taken the stock already");
    let shown = house.world.get(format!("/orders/{order}")).await.json();
    let exception = &shown["exceptions"][0];
    assert_eq!((&exception["code"], &exception["id"]), (&json!("short"), &short.json()["exception_id"]));
    assert_eq!(exception["message"], json!("2 of CUBE were not found: damaged."));
    assert_eq!(exception["shipment_id"], json!(path.trim_start_matches("/shipments/")));
    assert!(
        house.world.story(&format!("/orders/{order}")).await.contains(&"order.exception_raised".to_owned())
    );
    // A second report is added to it, while it is open.
    let again = house.short(&path, 1, false).await;
    assert_eq!(again.json()["exception_id"], short.json()["exception_id"]);
    let shown = house.world.get(format!("/orders/{order}")).await.json();
    assert_eq!(shown["exceptions"].as_array().map(Vec::len), Some(1));
    assert_eq!(
        shown["exceptions"][0]["message"],
        json!("2 of CUBE were not found: damaged. 1 of CUBE were not found: damaged.")
    );
    house.world.assert_clean().await;
    house.void(&path).await;
    assert_eq!(refusal(&house.short(&path, 1, false).await), (409, "shipment_voided".to_owned()));
}

#[tokio::test]
async fn what_is_not_short_is_refused() {
    let house = Warehouse::new(5).await;
    let world = &house.world;
    let order = house.order(2).await;
    let path = house.shipped(&order).await.remove(0);
    let other = world.item("TEE").await;
    let unknown = format!("inv_{}", "7".repeat(26));
    for item in [&other, &unknown] {
        let body = json!({"item_id": item, "quantity": 1, "reason": "x"});
        let reply = world.post(format!("{path}/shorts"), body).await;
        assert_eq!(refusal(&reply), (422, "item_not_in_shipment".to_owned()), "{reply}");
        assert_eq!(reply.issues(), [("item_not_in_shipment".to_owned(), "/item_id".to_owned())]);
    }
    for (body, field) in [
        (json!({"item_id": house.item, "quantity": 1}), "/reason"),
        (json!({"item_id": house.item, "quantity": 0, "reason": "x"}), "/quantity"),
        (json!({"quantity": 1, "reason": "x"}), "/item_id"),
    ] {
        let reply = world.post(format!("{path}/shorts"), body).await;
        assert_eq!((reply.status.as_u16(), reply.issues()[0].1.as_str()), (422, field), "{reply}");
    }
    let mut loose = parcel();
    loose["packages"][0]["items"] = lines(&[(&house.item, 1)]);
    let loose = world.shipment(loose).await;
    assert_eq!(refusal(&house.short(&loose, 1, false).await), (409, "shipment_without_order".to_owned()));
    // Writing stock off needs the scope of stock.
    let token = world.token_for("Acme", "packing:write shipments:read", Mode::Test).await;
    for (adjust_stock, status) in [(true, 403), (false, 201)] {
        let body = json!({"item_id": house.item, "quantity": 1, "reason": "x", "adjust_stock": adjust_stock});
        let reply = world.request("POST", &format!("{path}/shorts")).token(&token).json(body).send().await;
        assert_eq!(reply.status, status, "{reply}");
    }
    // A unit that a person has completed by hand has left.
    let held =
        house.allocations(&order).await.into_iter().find(|one| one["shipment_id"].is_string()).unwrap();
    assert_eq!(world.complete(&order, &[&text(&held["id"])]).await.status, 200);
    assert_eq!(refusal(&house.short(&path, 1, false).await), (409, "allocation_completed".to_owned()));
    world.assert_clean().await;
}

#[tokio::test]
async fn a_scan_and_a_short_at_once_leave_one_truth() {
    let house = std::sync::Arc::new(Warehouse::new(20).await);
    for _ in 0..4 {
        let order = house.order(4).await;
        let path = house.shipped(&order).await.remove(0);
        let mut work = tokio::task::JoinSet::new();
        for number in 0..8 {
            let (house, path) = (std::sync::Arc::clone(&house), path.clone());
            work.spawn(async move {
                match number % 2 {
                    0 => {
                        house
                            .world
                            .scan(&path, json!({"scan_id": format!("s{number}"), "code": "CUBE"}))
                            .await
                    }
                    _ => house.short(&path, 1, true).await,
                }
            });
        }
        for reply in work.join_all().await {
            assert!([201, 404, 409, 422].contains(&reply.status.as_u16()), "{reply}");
        }
        let shipment = house.world.get(&path).await;
        if shipment.status == 200 {
            let shown = house.world.scan(&path, json!({"scan_id": "last", "code": "none"})).await.json();
            let held: i64 = quantities(&shipment.json()).iter().sum();
            let sum =
                shown["packed_quantity"].as_i64().unwrap() + shown["missing_quantity"].as_i64().unwrap();
            assert_eq!(sum, held, "{shown}");
        }
        house.world.assert_clean().await;
    }
}
