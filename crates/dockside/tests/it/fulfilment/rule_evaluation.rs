//! The evaluation of shipping rules: for orders, shipments, and what a client would ship.

use model::World as Mode;
use serde_json::{Value, json};

use super::shipping_rules::{create, hold, text};
use crate::setup::populated_organisation::parcel;
use crate::setup::stock_requests::refusal;
use crate::setup::world::{World, depot};

async fn evaluate(world: &World, body: Value) -> Vec<Value> {
    let reply = world.post("/shipping_rules/evaluate", body).await;
    assert_eq!(reply.status, 200, "{reply}");
    reply.json()["data"].as_array().expect("a list").clone()
}

async fn item(world: &World, body: Value) -> String {
    let reply = world.post("/inventory_items", body).await;
    assert_eq!(reply.status, 201, "{reply}");
    text(&reply.json()["id"])
}

/// Returns an order of two mugs and a plate that goes to France.
async fn order(world: &World) -> (String, String, String) {
    let dimensions = json!({"length": 8, "width": 9, "height": 10});
    let mug = item(world, json!({"sku": "MUG", "name": "Mug", "mass": 0.3, "dimensions": dimensions})).await;
    let plate = item(world, json!({"sku": "PLATE", "name": "Plate", "mass": 0.5})).await;
    let address =
        json!({"line_1": "1 Rue de Rivoli", "city": "Paris", "post_code": "75001", "country_code": "FR"});
    let body = json!({"destination": {"address": address},
        "items": [{"id": mug, "quantity": 2}, {"id": plate, "quantity": 1}]});
    let reply = world.post("/orders", body).await;
    assert_eq!(reply.status, 201, "{reply}");
    (text(&reply.json()["id"]), mug, plate)
}

#[tokio::test]
async fn an_order_without_allocations_is_evaluated_without_an_origin() {
    let world = World::rehearsal().await;
    let (order, ..) = order(&world).await;
    let service = json!({"carrier_account": "sandbox", "carrier_service": "standard"});
    create(&world, json!({"name": "Germany", "conditions": {"destination_countries": ["DE", "AT"], "dimensions": {"length": {"max": 60}}},
        "action": {"service": service}})).await;
    create(
        &world,
        json!({"name": "Light", "conditions": {"mass": {"max": 2}, "weekdays": ["sun"]},
        "action": {"choose": {"by": "cheapest"}, "options": {"signature_type": "adult"}}}),
    )
    .await;
    create(
        &world,
        json!({"name": "Rest", "action": {"service": service, "hold": {"reason": "Look"},
        "options": {"insure_from": {"value": 100, "currency_code": "EUR"}}}}),
    )
    .await;
    let reply = world.post("/shipping_rules/evaluate", json!({"order_id": order})).await;
    insta::assert_snapshot!(reply, @r##"200 {"data":[{"facts":{"origin_location_id":null,"destination_country":"FR","post_code":"75001","mass":1.1,"dimensions":null,"order_value":null,"contents_value":null,"skus":["MUG","PLATE"],"item_tags":[],"channel":null,"requested_service":null,"order_tags":[],"local_time":{"weekday":"sun","time":"09:00","time_zone":"UTC"},"unknown":{"dimensions":"The item PLATE has no dimensions.","order_value":"Not all lines have a price, and the item MUG has no value.","origin_location_id":"No allocation says from where the order is shipped."}},"decision":{"service":null,"choose":{"by":"cheapest"},"options":{"shipping":{"signature_type":"adult","saturday_delivery":null},"label":{"format":null},"insurance":null},"customs":{"incoterm":null,"contents_type":null},"package_type_id":null,"printer_id":null,"hold":{"reason":"Look"},"set_by":{"hold":"rule_#3","service":"rule_#2","signature_type":"rule_#2"}},"rules":[{"rule_id":"rule_#1","name":"Germany","position":1,"is_match":false,"sets":[],"reasons":[{"field":"/conditions/destination_countries","message":"The destination is FR; the rule is for DE, AT."},{"field":"/conditions/dimensions/length","message":"The longest side is unknown; the rule is for up to 60 cm. The item PLATE has no dimensions."}]},{"rule_id":"rule_#2","name":"Light","position":2,"is_match":true,"sets":["service","signature_type"],"reasons":[]},{"rule_id":"rule_#3","name":"Rest","position":3,"is_match":true,"sets":["hold"],"reasons":[{"field":"/action/service","message":"The earlier rule rule_#2 has set this already."},{"field":"/action/options/insure_from","message":"The order value is unknown; the rule insures from 1.00 EUR. Not all lines have a price, and the item MUG has no value."}]}]}]}"##);
}

#[tokio::test]
async fn an_order_is_evaluated_for_each_location_it_is_shipped_from() {
    let world = World::new().await;
    let (order, mug, plate) = order(&world).await;
    let mut tokyo = depot("Tokyo");
    tokyo["time_zone"] = json!("Asia/Tokyo");
    let tokyo = text(&world.post("/locations", tokyo).await.json()["id"]);
    let bristol = world.location("Bristol").await;
    assert_eq!(world.patch("/organisation", json!({"time_zone": "America/New_York"})).await.status, 200);
    for (place, items) in [
        (&bristol, json!([{"id": mug, "quantity": 1}, {"id": plate, "quantity": 1}])),
        (&tokyo, json!([{"id": mug, "quantity": 1}])),
    ] {
        let body = json!({"allocations": [{"location": {"id": place}, "items": items}]});
        assert_eq!(world.post(format!("/allocations/orders/{order}"), body).await.status, 201);
    }
    create(&world, json!({"name": "Tokyo", "conditions": {"origin_location_ids": [tokyo]}, "action": {"hold": {"reason": "From Tokyo"}}})).await;
    create(&world, json!({"name": "Morning", "conditions": {"time_window": {"from": "08:00", "until": "12:00"}}, "action": {"options": {"label_format": "zpl"}}})).await;
    // 12:30 in New York, and 01:30 of the next day in Tokyo.
    let found = evaluate(&world, json!({"order_id": order, "at": "2026-11-06T17:30:00Z"})).await;
    let of = |location: &str| {
        found
            .iter()
            .find(|one| one["facts"]["origin_location_id"] == *location)
            .expect("its location")
            .clone()
    };
    assert_eq!(found.len(), 2);
    let (here, there) = (of(&bristol), of(&tokyo));
    assert_eq!(
        here["facts"]["local_time"],
        json!({"weekday": "fri", "time": "12:30", "time_zone": "America/New_York"})
    );
    assert_eq!(
        there["facts"]["local_time"],
        json!({"weekday": "sat", "time": "02:30", "time_zone": "Asia/Tokyo"})
    );
    assert_eq!((&here["facts"]["mass"], &there["facts"]["mass"]), (&json!(0.8), &json!(0.3)));
    assert_eq!(
        (&here["facts"]["skus"], &there["facts"]["skus"]),
        (&json!(["MUG", "PLATE"]), &json!(["MUG"]))
    );
    assert_eq!(
        (&here["decision"]["hold"], &there["decision"]["hold"]["reason"]),
        (&Value::Null, &json!("From Tokyo"))
    );
    let morning = evaluate(&world, json!({"order_id": order, "at": "2026-11-06T13:00:00Z"})).await;
    let formats: Vec<_> =
        morning.iter().map(|one| one["decision"]["options"]["label"]["format"].clone()).collect();
    assert_eq!(formats.iter().filter(|format| **format == json!("zpl")).count(), 1);

    let completed = world.get(format!("/allocations/orders/{order}")).await.json()["data"].clone();
    for allocation in completed.as_array().unwrap() {
        for item in allocation["items"].as_array().unwrap() {
            world.count(&text(&item["id"]), &text(&allocation["location"]["id"]), 5).await;
        }
    }
    let ids: Vec<String> = completed.as_array().unwrap().iter().map(|one| text(&one["id"])).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    assert_eq!(world.complete(&order, &ids).await.status, 200);
    let none = evaluate(&world, json!({"order_id": order})).await;
    assert_eq!(
        (none.len(), &none[0]["facts"]["origin_location_id"]),
        (1, &Value::Null),
        "nothing is left to ship"
    );
}

/// Sets fields of a stored document that another part of the product writes.
async fn set_fields(world: &World, table: &str, path: &str, fields: Value) {
    let mut doc = world.get(path).await.json();
    doc.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    let id = text(&doc["id"]);
    world.tamper(&format!("UPDATE {table} SET doc = '{doc}' WHERE id = '{id}'")).await;
}

#[tokio::test]
async fn prices_channels_and_tags_are_compared_where_documents_have_them() {
    let world = World::new().await;
    let (order, mug, plate) = order(&world).await;
    let lines = json!([
        {"id": "line_1", "item_id": mug, "sku": "MUG", "quantity": 2, "unit_price": 900, "is_shippable": true},
        {"id": "line_2", "item_id": plate, "sku": "PLATE", "quantity": 1, "unit_price": 1200, "is_shippable": true},
    ]);
    let fields = json!({"channel": "Web", "requested_service": "Express", "tags": ["gift"], "currency_code": "EUR", "lines": lines});
    set_fields(&world, "orders", &format!("/orders/{order}"), fields).await;
    set_fields(&world, "inventory_item", &format!("/inventory_items/{mug}"), json!({"tags": ["fragile"]}))
        .await;
    let conditions = json!({"channels": ["web"], "requested_services": ["express"], "order_tags": ["gift"], "item_tags": ["fragile"],
        "order_value": {"min": 3000, "max": 3000, "currency_code": "EUR"}});
    create(
        &world,
        json!({"name": "All", "conditions": conditions,
        "action": {"options": {"insure_from": {"value": 3000, "currency_code": "EUR"}}}}),
    )
    .await;
    let found = evaluate(&world, json!({"order_id": order})).await;
    assert_eq!(found[0]["decision"]["options"]["insurance"], json!({"value": 3000, "currency_code": "EUR"}));
    assert_eq!(found[0]["rules"][0]["sets"], json!(["insurance"]));
}

#[tokio::test]
async fn shipments_are_evaluated_stored_or_not() {
    let world = World::rehearsal().await;
    let (configuration, origin, _) = world.configuration("Main").await;
    assert_eq!(
        world.patch(format!("/locations/{origin}"), json!({"time_zone": "Europe/London"})).await.status,
        200
    );
    create(&world, json!({"name": "Here", "conditions": {"origin_location_ids": [origin], "post_code_prefixes": ["BS1 "], "mass": {"max": 1.2}},
        "action": {"service": {"carrier_account": "sandbox", "carrier_service": "standard"}}})).await;
    let mut body = parcel();
    body["addresses"]["origin"] = Value::Null;
    body["addresses"]["location_configuration_id"] = json!(configuration);
    let path = world.shipment(body.clone()).await;
    let id = path.strip_prefix("/shipments/").unwrap();
    let stored = evaluate(&world, json!({"shipment_id": id, "at": "2026-07-01T12:00:00Z"})).await;
    let given = evaluate(&world, json!({"shipment": body, "at": "2026-07-01T12:00:00Z"})).await;
    assert_eq!(stored, given);
    assert_eq!(
        stored[0]["facts"]["local_time"],
        json!({"weekday": "wed", "time": "13:00", "time_zone": "Europe/London"})
    );
    assert_eq!(stored[0]["decision"]["service"]["carrier_service"], "standard");
    let elsewhere = evaluate(&world, json!({"shipment": parcel()})).await;
    let reason = &elsewhere[0]["rules"][0]["reasons"][0]["message"];
    assert!(text(reason).starts_with("The origin is unknown; the rule is for loc_"), "{reason}");
    assert_eq!(evaluate(&world, json!({"shipment_id": id})).await.len(), 1);
    assert_eq!(world.get(&path).await.json()["status"], "draft", "nothing changed");
}

#[tokio::test]
async fn rules_of_disabled_accounts_and_inactive_rules_leave_the_service_to_others() {
    let world = World::rehearsal().await;
    let account = world
        .post("/carrier_accounts", json!({"carrier": {"handle": "sandbox"}, "name": "Mine"}))
        .await
        .json();
    let mine = json!({"carrier_account": account["id"], "carrier_service": "standard"});
    create(&world, json!({"name": "Off", "is_active": false, "action": {"choose": {"by": "fastest"}}})).await;
    create(&world, json!({"name": "Mine", "action": {"service": mine}})).await;
    create(&world, json!({"name": "Else", "action": {"choose": {"by": "cheapest"}}})).await;
    let before = evaluate(&world, json!({"shipment": parcel()})).await;
    assert_eq!(before[0]["decision"]["service"], mine);
    assert_eq!(
        world
            .patch(format!("/carrier_accounts/{}", text(&account["id"])), json!({"disabled": true}))
            .await
            .status,
        200
    );
    let after = evaluate(&world, json!({"shipment": parcel()})).await;
    assert_eq!(
        (&after[0]["decision"]["service"], &after[0]["decision"]["choose"]),
        (&Value::Null, &json!({"by": "cheapest"}))
    );
    let messages: Vec<_> = after[0]["rules"]
        .as_array()
        .unwrap()
        .iter()
        .map(|rule| rule["reasons"][0]["message"].clone())
        .collect();
    assert_eq!(messages[0], "The rule is not active.");
    assert_eq!(text(&messages[1]), format!("The carrier account {} is disabled.", text(&account["id"])));
}

#[tokio::test]
async fn bad_requests_to_evaluate_are_refused_by_the_field() {
    let world = World::new().await;
    let (order, ..) = order(&world).await;
    let mut far = parcel();
    far["addresses"]["location_configuration_id"] = json!("lc_01jc0000000000000000000000");
    let mut broken = parcel();
    broken["packages"] = json!([]);
    let cases = [
        (json!({}), "validation_failed", "required", ""),
        (
            json!({"order_id": "ord_01jc0000000000000000000000"}),
            "order_not_found",
            "order_not_found",
            "/order_id",
        ),
        (
            json!({"order_id": "shp_01jc0000000000000000000000"}),
            "validation_failed",
            "invalid_id",
            "/order_id",
        ),
        (
            json!({"shipment_id": "shp_01jc0000000000000000000000"}),
            "shipment_not_found",
            "shipment_not_found",
            "/shipment_id",
        ),
        (
            json!({"shipment": far}),
            "location_configuration_not_found",
            "location_configuration_not_found",
            "/shipment/addresses/location_configuration_id",
        ),
        (json!({"shipment": broken}), "validation_failed", "too_few", "/shipment/packages"),
        (json!({"order_id": order, "at": "tomorrow"}), "validation_failed", "invalid_format", "/at"),
    ];
    for (body, code, issue, field) in cases {
        let refused = world.post("/shipping_rules/evaluate", body).await;
        assert_eq!(refusal(&refused), (422, code.to_owned()), "{refused}");
        assert_eq!(refused.issues(), [(issue.to_owned(), field.to_owned())]);
    }
    let both = world.post("/shipping_rules/evaluate", json!({"order_id": order, "shipment": parcel()})).await;
    let fields: Vec<_> = both.issues().into_iter().map(|(_, field)| field).collect();
    assert_eq!(refusal(&both), (422, "validation_failed".to_owned()));
    assert_eq!(fields, ["/order_id", "/shipment"]);
    let stranger = world.token_for("Globex", "*", Mode::Live).await;
    let ask = async |id: &str| {
        world
            .request("POST", "/shipping_rules/evaluate")
            .token(&stranger)
            .json(json!({"order_id": id}))
            .send()
            .await
            .text
    };
    assert_eq!(ask(&order).await, ask("ord_01jc0000000000000000000000").await);
}

#[tokio::test]
async fn what_the_caller_may_not_read_is_not_evaluated() {
    let world = World::new().await;
    let (order, ..) = order(&world).await;
    create(&world, hold("All")).await;
    let rules_only = world.token_for("Acme", "shipping_rules:read", Mode::Live).await;
    let ask = async |token: &str, body: Value| {
        world.request("POST", "/shipping_rules/evaluate").token(token).json(body).send().await
    };
    for body in [json!({"order_id": order}), json!({"shipment_id": "shp_01jc0000000000000000000000"})] {
        assert_eq!(refusal(&ask(&rules_only, body).await), (403, "insufficient_scope".to_owned()));
    }
    assert_eq!(ask(&rules_only, json!({"shipment": parcel()})).await.status, 200);
    let with_orders = world.token_for("Acme", "shipping_rules:read orders:read", Mode::Live).await;
    assert_eq!(ask(&with_orders, json!({"order_id": order})).await.status, 200);
    let keyed = async || {
        let request = world.request("POST", "/shipping_rules/evaluate").header("idempotency-key", "once");
        request.json(json!({"order_id": order})).send().await.text
    };
    let first = keyed().await;
    create(&world, hold("Later")).await;
    assert_eq!(keyed().await, first, "a repeated request has the same answer");
}
