//! Packings of orders: what is proposed, what is refused, and that nothing changes.

use model::World as Mode;
use serde_json::{Value, json};

use crate::fulfilment::package_types::{small_box, with};
use crate::setup::stock_requests::refusal;
use crate::setup::world::{Reply, World};

impl World {
    /// Makes an item with a mass and, if given, sides in centimetres.
    pub async fn measured_item(&self, sku: &str, mass: f64, sides: Option<[f64; 3]>) -> String {
        let sides =
            sides.map(|[length, width, height]| json!({"length": length, "width": width, "height": height}));
        let body = json!({"sku": sku, "name": sku, "mass": mass, "dimensions": sides});
        let reply = self.post("/inventory_items", body).await;
        assert_eq!(reply.status, 201, "{reply}");
        reply.json()["id"].as_str().expect("an id").to_owned()
    }

    pub async fn pack(&self, order: &str) -> Reply {
        self.request("POST", &format!("/allocations/orders/{order}/pack")).send().await
    }
}

/// Returns the sides or the position of a unit in millimetres, so that they compare exactly.
fn millimetres(value: &Value, names: [&str; 3]) -> [i64; 3] {
    names.map(|name| (value[name].as_f64().expect("a measure") * 10.0).round() as i64)
}

/// Checks that all units lie inside of the room and that no two of them overlap.
fn assert_sound(package: &Value, room: [i64; 3]) {
    let units = package["units"].as_array().expect("units");
    let boxes: Vec<([i64; 3], [i64; 3])> = units
        .iter()
        .map(|unit| {
            let at = millimetres(&unit["position"], ["x", "y", "z"]);
            (at, millimetres(&unit["dimensions"], ["length", "width", "height"]))
        })
        .collect();
    for (place, (at, size)) in boxes.iter().enumerate() {
        assert!((0..3).all(|axis| at[axis] >= 0 && at[axis] + size[axis] <= room[axis]), "{package}");
        for (other_at, other_size) in &boxes[..place] {
            let is_apart = |axis: usize| {
                at[axis] + size[axis] <= other_at[axis] || other_at[axis] + other_size[axis] <= at[axis]
            };
            assert!((0..3).any(is_apart), "{package}");
        }
    }
}

#[tokio::test]
async fn packages_are_proposed_for_each_location() {
    let world = World::new().await;
    let (north, south) = (world.location("North").await, world.location("South").await);
    let cube = world.measured_item("CUBE", 0.5, Some([10.0, 10.0, 10.0])).await;
    let loose = world.measured_item("LOOSE", 0.1, None).await;
    let outer = json!({"length": 31, "width": 21, "height": 11});
    let cost = json!({"amount": 45, "currency_code": "GBP"});
    let small = with(small_box("small"), json!({"outer_dimensions": outer, "tare_mass": 0.2, "cost": cost}));
    let small = world.package_type(small).await;
    let large = json!({"inner_dimensions": {"length": 60, "width": 40, "height": 40}, "location_ids": [south],
        "cost": {"amount": 40, "currency_code": "GBP"}});
    let large = world.package_type(with(small_box("large"), large)).await;
    world.package_type(with(small_box("retired"), json!({"is_active": false}))).await;
    let order = world.order(&[(&cube, 20), (&loose, 1)]).await;
    let ids = world.allocated(&order, &[(&north, &cube, 8), (&south, &cube, 3), (&south, &loose, 1)]).await;
    let before = world.everything().await;
    let reply = world.pack(&order).await;
    assert_eq!(reply.status, 200, "{reply}");
    let packed = reply.json();
    assert_eq!(packed["data"].as_array().map(Vec::len), Some(2), "{packed}");

    let first = &packed["data"][0];
    assert_eq!((&first["location"]["id"], &first["allocations"]), (&json!(north), &json!([{"id": ids[0]}])));
    let packages = first["packages"].as_array().unwrap();
    assert_eq!(packages.len(), 2, "6 cubes fill one small box");
    let fullest = &packages[0];
    let expected = json!({"name": "Small box", "geometry": {"length": 31.0, "width": 21.0, "height": 11.0, "mass": 3.2},
        "items": [{"id": cube, "quantity": 6}], "package_type_id": small});
    assert_eq!((&fullest["package"], &fullest["fill_ratio"]), (&expected, &json!(1.0)));
    assert_eq!(packages[1]["package"]["items"], json!([{"id": cube, "quantity": 2}]));
    packages.iter().for_each(|package| assert_sound(package, [300, 200, 100]));
    assert_eq!(first["cost"], json!({"amount": 90, "currency_code": "GBP"}));
    assert_eq!((&first["search"]["is_exact"], &first["unused_package_types"]), (&json!(true), &json!([])));

    let second = &packed["data"][1];
    assert_eq!(second["packages"][0]["package"]["package_type_id"], json!(large), "it costs less");
    assert_eq!(second["items_without_dimensions"], json!([{"id": loose}]));
    let unused = &second["unused_package_types"][0];
    assert_eq!((&unused["package_type_id"], &unused["reason"]), (&json!(small), &json!("dearer")));
    let units = second["packages"][0]["units"].as_array().unwrap();
    assert_eq!(
        (units.len(), &units[3]["position"], &units[3]["item"]["id"]),
        (4, &Value::Null, &json!(loose))
    );

    // The same state gives the same packing, an empty body is no body, and nothing was written.
    for body in ["", "{}", r#"{"allocation_ids": null}"#] {
        let path = format!("/allocations/orders/{order}/pack");
        let again = world.request("POST", &path).raw("application/json", body.to_owned()).send().await;
        assert_eq!(again.text, reply.text);
    }
    assert_eq!(world.everything().await, before);

    // What was proposed is a shipment's package as it is.
    let mut shipment = crate::setup::populated_organisation::parcel();
    shipment["packages"] = packages.iter().map(|package| package["package"].clone()).collect();
    let made = world.post("/shipments", shipment).await;
    assert_eq!(made.status, 201, "{made}");
    assert_eq!(made.json()["packages"][0]["items"], json!([{"id": cube, "quantity": 6}]));
}

#[tokio::test]
async fn named_allocations_are_packed_alone() {
    let world = World::new().await;
    let cube = world.measured_item("CUBE", 0.5, Some([10.0, 10.0, 10.0])).await;
    let depot = world.location("Depot").await;
    world.package_type(small_box("small")).await;
    let order = world.order(&[(&cube, 9)]).await;
    let ids = world.allocated(&order, &[(&depot, &cube, 2), (&depot, &cube, 3), (&depot, &cube, 1)]).await;
    let path = format!("/allocations/orders/{order}/pack");
    let units = |reply: &Reply| {
        let packages = reply.json()["data"][0]["packages"].as_array().cloned().unwrap_or_default();
        packages.iter().map(|package| package["units"].as_array().unwrap().len()).sum::<usize>()
    };
    let named = world.post(&path, json!({"allocation_ids": [ids[0], ids[2]]})).await;
    assert_eq!((named.status.as_u16(), units(&named)), (200, 3), "{named}");
    assert_eq!(units(&world.pack(&order).await), 6);
    // What is completed has left.
    world.count(&cube, &depot, 9).await;
    assert_eq!(world.complete(&order, &[&ids[1]]).await.status, 200);
    assert_eq!(units(&world.pack(&order).await), 3);
    let other = world.order(&[(&cube, 1)]).await;
    let theirs = world.allocated(&other, &[(&depot, &cube, 1)]).await;
    let unknown = format!("alloc_{}", "7".repeat(26));
    for (given, status, code, field) in [
        (json!([unknown]), 422, "allocation_not_found", "/allocation_ids/0"),
        (json!([ids[0], theirs[0]]), 422, "allocation_not_found", "/allocation_ids/1"),
        (json!([ids[0], ids[0]]), 422, "duplicate_allocation", "/allocation_ids/1"),
        (json!([ids[1]]), 409, "allocation_completed", "/allocation_ids/0"),
        (json!([]), 422, "too_few", "/allocation_ids"),
        (json!(["x"]), 422, "invalid_id", "/allocation_ids/0"),
    ] {
        let refused = world.post(&path, json!({"allocation_ids": given})).await;
        let seen = (refused.status.as_u16(), refused.issues());
        assert_eq!(seen, (status, vec![(code.to_owned(), field.to_owned())]), "{given}: {refused}");
    }
    assert_eq!(world.post(&path, json!({"alocation_ids": []})).await.code(), "unknown_field");
}

#[tokio::test]
async fn what_cannot_be_packed_is_refused_by_name() {
    let world = World::new().await;
    let depot = world.location("Depot").await;
    let cube = world.measured_item("CUBE", 0.5, Some([10.0, 10.0, 10.0])).await;
    let order = world.order(&[(&cube, 20_000)]).await;
    let nothing = world.pack(&order).await;
    assert_eq!(refusal(&nothing), (409, "nothing_to_pack".to_owned()));
    let ids = world.allocated(&order, &[(&depot, &cube, 1)]).await;
    let none = world.pack(&order).await;
    assert_eq!(refusal(&none), (422, "package_type_missing".to_owned()), "{none}");
    let error = &none.json()["errors"][0];
    assert_eq!((&error["item_id"], &error["location_id"]), (&json!(cube), &json!(depot)));

    // Too small, too light, not active and not there: none of them counts.
    let elsewhere = world.location("Elsewhere").await;
    let flat = json!({"inner_dimensions": {"length": 30, "width": 20, "height": 5}});
    world.package_type(with(small_box("flat"), flat)).await;
    world.package_type(with(small_box("light"), json!({"mass_max": 0.4}))).await;
    world.package_type(with(small_box("retired"), json!({"is_active": false}))).await;
    world.package_type(with(small_box("away"), json!({"location_ids": [elsewhere]}))).await;
    let refused = world.pack(&order).await;
    assert_eq!(refusal(&refused), (422, "package_type_missing".to_owned()), "{refused}");
    let message = refused.json()["errors"][0]["message"].as_str().unwrap().to_owned();
    assert_eq!(message.matches("Small box:").count(), 2, "{message}");

    world.package_type(small_box("small")).await;
    assert_eq!(world.post(format!("/orders/{order}/hold"), json!({"reason": "check"})).await.status, 200);
    assert_eq!(refusal(&world.pack(&order).await), (409, "order_on_hold".to_owned()));
    assert_eq!(world.request("POST", &format!("/orders/{order}/release")).send().await.status, 200);
    assert_eq!(world.pack(&order).await.status, 200);
    let unknown_mass = world.item("FEATHER").await;
    let light = world.order(&[(&unknown_mass, 1)]).await;
    world.allocated(&light, &[(&depot, &unknown_mass, 1)]).await;
    let refused = world.pack(&light).await;
    assert_eq!(refusal(&refused), (422, "item_mass_missing".to_owned()), "{refused}");
    assert_eq!(refused.json()["errors"][0]["item_id"], json!(unknown_mass));

    world.allocated(&order, &[(&depot, &cube, 5000), (&elsewhere, &cube, 5000)]).await;
    let many = world.pack(&order).await;
    assert_eq!(refusal(&many), (422, "too_many_units".to_owned()), "{many}");
    let path = format!("/allocations/orders/{order}/pack");
    assert_eq!(world.post(&path, json!({"allocation_ids": ids})).await.status, 200);
    assert_eq!(world.delete(format!("/allocations/orders/{order}")).await.status, 204);
    assert_eq!(world.post(format!("/orders/{order}/cancel"), json!({})).await.status, 200);
    assert_eq!(refusal(&world.pack(&order).await), (409, "order_cancelled".to_owned()));
}

#[tokio::test]
async fn upright_and_lonely_items_are_packed_as_they_must_be() {
    let world = World::new().await;
    let depot = world.location("Depot").await;
    world.package_type(small_box("small")).await;
    // 25 cm high: it fits if it may lie, and not if it must stand.
    let tall = world.measured_item("TALL", 0.5, Some([8.0, 8.0, 25.0])).await;
    let order = world.order(&[(&tall, 2)]).await;
    world.allocated(&order, &[(&depot, &tall, 2)]).await;
    let packages = async || world.pack(&order).await.json()["data"][0]["packages"].as_array().map(Vec::len);
    assert_eq!(packages().await, Some(1));
    let path = format!("/inventory_items/{tall}");
    assert_eq!(world.patch(&path, json!({"ships_alone": true})).await.status, 200);
    assert_eq!(packages().await, Some(2));
    assert_eq!(world.patch(&path, json!({"keep_upright": true})).await.status, 200);
    assert_eq!(refusal(&world.pack(&order).await), (422, "package_type_missing".to_owned()));
}

#[tokio::test]
async fn packing_needs_both_scopes_and_the_order_of_the_organisation() {
    let world = World::new().await;
    let cube = world.measured_item("CUBE", 0.5, Some([10.0, 10.0, 10.0])).await;
    let depot = world.location("Depot").await;
    world.package_type(small_box("small")).await;
    let order = world.order(&[(&cube, 1)]).await;
    world.allocated(&order, &[(&depot, &cube, 1)]).await;
    let path = format!("/allocations/orders/{order}/pack");
    let one = world.token_for("Acme", "allocations:read", Mode::Live).await;
    let refused = world.request("POST", &path).token(&one).send().await;
    assert_eq!(refusal(&refused), (403, "insufficient_scope".to_owned()));
    assert_eq!(refused.json()["detail"], "The token lacks the scope `package_types:read`.");
    let both = world.token_for("Acme", "allocations:read package_types:read", Mode::Live).await;
    assert_eq!(world.request("POST", &path).token(&both).send().await.status, 200);
    let stranger = world.token_for("Globex", "*", Mode::Live).await;
    let theirs = world.request("POST", &path).token(&stranger).send().await;
    let unknown = format!("/allocations/orders/ord_{}/pack", "7".repeat(26));
    let nowhere = world.request("POST", &unknown).token(&stranger).send().await;
    assert_eq!(
        (refusal(&theirs), refusal(&nowhere)),
        ((404, "not_found".to_owned()), (404, "not_found".to_owned()))
    );
}

#[tokio::test]
async fn a_repeated_request_gets_the_packing_of_the_first() {
    let world = World::new().await;
    let cube = world.measured_item("CUBE", 0.5, Some([10.0, 10.0, 10.0])).await;
    let depot = world.location("Depot").await;
    world.package_type(small_box("small")).await;
    let order = world.order(&[(&cube, 2)]).await;
    world.allocated(&order, &[(&depot, &cube, 1)]).await;
    let path = format!("/allocations/orders/{order}/pack");
    let keyed = async || world.request("POST", &path).header("idempotency-key", "k").send().await;
    let first = keyed().await;
    assert_eq!(first.status, 200, "{first}");
    world.allocated(&order, &[(&depot, &cube, 1)]).await;
    assert_eq!(keyed().await.text, first.text);
    assert_ne!(world.pack(&order).await.text, first.text);
}
