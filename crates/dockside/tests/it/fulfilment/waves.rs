//! Waves: orders become shipments in batches, in the order of their turns, each once, and what can't be processed says why.

use model::World as Mode;
use serde_json::{Value, json};

use crate::fulfilment::order_shipments::Warehouse;
use crate::fulfilment::package_types::small_box;
use crate::fulfilment::shipping_rules::{create, text};
use crate::setup::stock_requests::{lines, refusal, texts};
use crate::setup::world::{Reply, World};

/// Rules that send everything by the standard service.
async fn standard(world: &World) -> Value {
    let action = json!({"service": {"carrier_account": "sandbox", "carrier_service": "standard"}});
    create(world, json!({"name": "Standard", "action": action})).await
}

/// A warehouse in which a wave can process orders.
pub async fn warehouse(on_hand: i64) -> Warehouse {
    let house = Warehouse::new(on_hand).await;
    standard(&house.world).await;
    house
}

/// Makes a committed order of which nothing is allocated; gives its id.
pub async fn order(house: &Warehouse, quantity: i64, fields: Value) -> String {
    let address =
        json!({"line_1": "1 High St", "city": "London", "post_code": "SW1A 1AA", "country_code": "GB"});
    let mut body = json!({"items": lines(&[(&house.item, quantity)]),
        "destination": {"address": address, "contact": {"name": "Ann Miller"}}});
    for (name, value) in fields.as_object().expect("fields") {
        body[name] = value.clone();
    }
    let reply = house.world.post("/orders", body).await;
    assert_eq!(reply.status, 201, "{reply}");
    text(&reply.json()["id"])
}

async fn start(world: &World, body: Value) -> String {
    let reply = world.post("/waves", body).await;
    assert_eq!(reply.status, 201, "{reply}");
    assert_eq!(reply.json()["status"], "queued", "{reply}");
    reply.header("location").to_owned()
}

/// Works on the wave to its end, and gives it.
async fn ended(world: &World, path: &str) -> Value {
    world.service.waves.work().await.expect("waves are worked on");
    world.get(path).await.json()
}

/// Starts a wave and works on it to its end.
async fn wave(world: &World, body: Value) -> (String, Value) {
    let path = start(world, body).await;
    let wave = ended(world, &path).await;
    assert_eq!(wave["status"], "completed", "{wave}");
    (path, wave)
}

/// The counts of a wave: orders, pending, done, exceptions, cancelled, shipments.
fn counts(wave: &Value) -> [i64; 6] {
    ["orders", "pending", "done", "exceptions", "cancelled", "shipments"]
        .map(|name| wave[format!("{name}_count")].as_i64().expect("a count"))
}

/// The orders of a wave with their results and codes, by their turns.
async fn results(world: &World, path: &str) -> Vec<(String, String, Value)> {
    let page = world.get(format!("{path}/orders?limit=100")).await.json();
    let orders = page["data"].as_array().expect("a list");
    orders
        .iter()
        .map(|order| (text(&order["order_id"]), text(&order["result"]), order["code"].clone()))
        .collect()
}

async fn members(world: &World, batch: &Value) -> Vec<Value> {
    let path = format!("/batches/{}/shipments?limit=100", text(batch));
    world.get(path).await.json()["data"].as_array().expect("a list").clone()
}

#[tokio::test]
async fn orders_become_shipments_in_a_batch() {
    let house = warehouse(10).await;
    let orders = [order(&house, 2, json!({})).await, order(&house, 3, json!({"reference": "77"})).await];
    let body = json!({"name": "Morning", "filter": {}, "batch": {"label_format": "zpl"}});
    let (path, wave) = wave(&house.world, body).await;
    assert_eq!(counts(&wave), [2, 0, 2, 0, 0, 2]);
    assert_eq!(wave["steps"], json!(["plan", "ship", "batch"]));
    assert_eq!((&wave["order_ids"], &wave["errors"]), (&Value::Null, &json!([])));
    assert!(wave["started_at"].is_string() && wave["ended_at"].is_string(), "{wave}");
    let page = house.world.get(format!("{path}/orders")).await.json();
    assert_eq!(texts(&page["data"], "/order_id"), orders);
    assert_eq!(page["data"][1]["reference"], "77");
    assert_eq!(page["data"][0]["step"], "ship");

    let batch = house.world.get(format!("/batches/{}", text(&wave["batch_ids"][0]))).await.json();
    assert_eq!(batch["name"], "Morning, Origin, Sandbox", "{batch}");
    assert_eq!((&batch["shipments_count"], &batch["options"]["label_format"]), (&json!(2), &json!("zpl")));
    let shipments = members(&house.world, &wave["batch_ids"][0]).await;
    // Orders of a group are shipped at once, so their shipments have no certain order.
    for (place, order) in orders.iter().enumerate() {
        let shipment = shipments.iter().find(|shipment| shipment["order_id"] == json!(order)).unwrap();
        assert_eq!(page["data"][place]["shipment_ids"], json!([shipment["id"]]));
        assert!(shipment["rule_id"].is_string(), "{shipment}");
    }
    assert_eq!(house.level().await, [10, 5, 5]);
    assert_eq!(house.fulfilment(&orders[1]).await["status"], "allocated");
    house.world.assert_clean().await;

    house.world.relay().await;
    let events = house.world.get("/events?limit=100").await.json();
    let mut types = texts(&events["data"], "/type");
    types.retain(|name| name.starts_with("wave."));
    types.reverse();
    assert_eq!(types.first().map(String::as_str), Some("wave.created"));
    assert_eq!(types.last().map(String::as_str), Some("wave.completed"));
}

#[tokio::test]
async fn scarce_stock_goes_to_what_must_leave_first() {
    let house = warehouse(5).await;
    let placed = |day: u32| json!({"placed_at": format!("2026-11-{day:02}T08:00:00Z")});
    let late = order(&house, 3, placed(3)).await;
    let early = order(&house, 3, placed(1)).await;
    let urgent = order(&house, 2, json!({"ship_by": "2026-11-20T08:00:00Z"})).await;
    let (path, wave) = wave(&house.world, json!({"filter": {}})).await;
    assert_eq!(counts(&wave), [3, 0, 2, 1, 0, 2]);
    let done = |id: &str| (id.to_owned(), "done".to_owned(), Value::Null);
    let short = (late, "exception".to_owned(), json!("no_stock"));
    assert_eq!(results(&house.world, &path).await, [done(&urgent), done(&early), short]);
    let exceptions = house.world.get(format!("{path}/orders?result=exception")).await.json();
    assert_eq!(exceptions["data"][0]["message"], "CUBE: 3 wanted, 0 can be allocated.");
    assert_eq!(wave["exceptions"], json!([{"code": "no_stock", "orders_count": 1}]));
    house.world.assert_clean().await;
}

#[tokio::test]
async fn what_can_not_be_processed_says_why_and_is_tried_again_once_it_is_repaired() {
    let house = Warehouse::new(20).await;
    let world = &house.world;
    let fine = order(&house, 1, json!({})).await;
    let held = order(&house, 1, json!({})).await;
    let homeless = order(&house, 1, json!({"destination": null})).await;
    let draft = order(&house, 1, json!({"status": "draft"})).await;
    world.post(format!("/orders/{held}/hold"), json!({"reason": "check"})).await;
    let gone = order(&house, 1, json!({})).await;
    let ids = [&fine, &held, &homeless, &draft, &gone];
    let path = start(world, json!({"order_ids": ids})).await;
    world.delete(format!("/orders/{gone}")).await;
    let wave = ended(world, &path).await;
    assert_eq!(counts(&wave), [5, 0, 0, 5, 0, 0]);
    let codes: Vec<_> = results(world, &path).await.into_iter().map(|(_, _, code)| code).collect();
    assert_eq!(codes, ["no_rule", "on_hold", "address_invalid", "order_not_committed", "order_not_found"]);
    assert_eq!(house.fulfilment(&fine).await["allocated_quantity"], 1, "what was planned stays");

    // Repair three of them.
    standard(world).await;
    world.post(format!("/orders/{held}/release"), json!({})).await;
    world.post(format!("/orders/{draft}/commit"), json!({})).await;
    let retried = world.post(format!("{path}/retry"), json!({})).await;
    assert_eq!((retried.status.as_u16(), &retried.json()["status"]), (200, &json!("running")), "{retried}");
    assert_eq!(counts(&retried.json()), [5, 5, 0, 0, 0, 0]);
    assert_eq!(
        refusal(&world.post(format!("{path}/retry"), json!({})).await),
        (409, "wave_running".to_owned())
    );
    let wave = ended(world, &path).await;
    assert_eq!(counts(&wave), [5, 0, 3, 2, 0, 3]);
    assert_eq!(wave["batch_ids"].as_array().unwrap().len(), 1);
    assert_eq!(house.level().await, [20, 4, 16], "the order without a destination keeps its allocation");
    world.assert_clean().await;
}

#[tokio::test]
async fn an_order_waits_in_one_wave_at_a_time() {
    let house = warehouse(5).await;
    let world = &house.world;
    let id = order(&house, 1, json!({})).await;
    let first = start(world, json!({"order_ids": [id]})).await;
    let second = start(world, json!({"order_ids": [id, id]})).await;
    let shown = world.get(&second).await.json();
    assert_eq!(counts(&shown), [1, 0, 0, 1, 0, 0]);
    assert_eq!(shown["exceptions"][0]["code"], "in_other_wave");
    let (first, second_ended) = (ended(world, &first).await, world.get(&second).await.json());
    assert_eq!((counts(&first)[2], counts(&second_ended)[3]), (1, 1));
    // The first has processed it, so nothing is left.
    world.post(format!("{second}/retry"), json!({})).await;
    assert_eq!(ended(world, &second).await["exceptions"][0]["code"], "nothing_to_ship");
    world.assert_clean().await;
}

#[tokio::test]
async fn a_part_of_an_order_is_shipped_if_the_wave_allows_it() {
    let house = warehouse(3).await;
    let world = &house.world;
    let id = order(&house, 5, json!({})).await;
    let (_, refused) = wave(world, json!({"filter": {}})).await;
    assert_eq!(counts(&refused), [1, 0, 0, 1, 0, 0]);
    assert_eq!(house.level().await, [3, 0, 3], "nothing is allocated");
    let (_, allowed) = wave(world, json!({"filter": {}, "allow_partial": true})).await;
    assert_eq!(counts(&allowed), [1, 0, 1, 0, 0, 1]);
    assert_eq!(house.fulfilment(&id).await["allocated_quantity"], 3);

    // Without the step `plan`, what is allocated is shipped; an allocation that is not on hand waits.
    let other = order(&house, 4, json!({})).await;
    world.allocated(&other, &[(&house.location, &house.item, 2)]).await;
    let body = json!({"order_ids": [other], "steps": ["ship"]});
    let (path, refused) = wave(world, body.clone()).await;
    assert_eq!(refused["exceptions"][0]["code"], "not_allocated");
    assert_eq!(results(world, &path).await[0].1, "exception");
    let (_, short) =
        wave(world, json!({"order_ids": [other], "steps": ["ship"], "allow_partial": true})).await;
    assert_eq!(short["exceptions"][0]["code"], "no_stock", "the 3 on hand are in the other shipment");
    house.world.count(&house.item, &house.location, 10).await;
    let (_, shipped) =
        wave(world, json!({"order_ids": [other], "steps": ["ship"], "allow_partial": true})).await;
    assert_eq!((counts(&shipped)[2], &shipped["batch_ids"]), (1, &json!([])));
    world.assert_clean().await;
}

#[tokio::test]
async fn batches_have_one_location_and_one_service_as_the_wave_groups_them() {
    let house = warehouse(10).await;
    let world = &house.world;
    let (_, south, _) = world.configuration("South").await;
    let express = json!({"service": {"carrier_account": "sandbox", "carrier_service": "express"}});
    let rule =
        json!({"name": "Gifts", "position": 1, "conditions": {"order_tags": ["gift"]}, "action": express});
    create(world, rule).await;
    let mug = world.measured_item("MUG", 0.3, Some([5.0, 5.0, 5.0])).await;
    world.count(&mug, &south, 10).await;
    let gift = order(&house, 1, json!({"tags": ["gift"]})).await;
    let plain = order(&house, 1, json!({})).await;
    let both = order(&house, 1, json!({"items": lines(&[(&house.item, 1), (&mug, 1)])})).await;
    let groups = json!(["location", "service"]);
    let (path, grouped) =
        wave(world, json!({"filter": {}, "group_by": groups, "batch": {"name": "W"}})).await;
    assert_eq!(counts(&grouped), [3, 0, 3, 0, 0, 4]);
    let mut names = Vec::new();
    for batch in grouped["batch_ids"].as_array().unwrap() {
        let batch = world.get(format!("/batches/{}", text(batch))).await.json();
        names.push((text(&batch["name"]), batch["shipments_count"].clone()));
    }
    names.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.as_i64().cmp(&b.1.as_i64())));
    let expected = [("W, Origin, express", 1), ("W, Origin, standard", 1), ("W, Origin, standard", 2)];
    assert_eq!(names, expected.map(|(name, count)| (name.to_owned(), json!(count))));
    let orders = world.get(format!("{path}/orders")).await.json();
    assert_eq!(texts(&orders["data"], "/order_id"), [gift, plain, both.clone()]);
    assert_eq!(orders["data"][2]["shipment_ids"].as_array().unwrap().len(), 2);
    world.assert_clean().await;

    // Only what one location sends.
    let again = order(&house, 1, json!({"items": lines(&[(&house.item, 1), (&mug, 1)])})).await;
    world.allocated(&again, &[(&house.location, &house.item, 1), (&south, &mug, 1)]).await;
    let body = json!({"order_ids": [again], "steps": ["ship"], "location_ids": [south]});
    let (_, one) = wave(world, body).await;
    assert_eq!(counts(&one), [1, 0, 1, 0, 0, 1]);
    let left: Vec<_> =
        house.allocations(&again).await.iter().map(|one| one["shipment_id"].is_null()).collect();
    assert_eq!(left.iter().filter(|is_left| **is_left).count(), 1);
}

#[tokio::test]
async fn a_full_batch_is_followed_by_the_next_and_so_is_one_that_is_bought() {
    let world = World::rehearsal_with(|settings| settings.batch_shipments_max = 2).await;
    let (configuration, location, _) = world.configuration("Dock").await;
    let item = world.measured_item("CUBE", 0.5, Some([10.0, 10.0, 10.0])).await;
    world.package_type(small_box("small")).await;
    world.count(&item, &location, 20).await;
    let house = Warehouse { world, configuration, location, item };
    let rule = standard(&house.world).await;
    for _ in 0..5 {
        order(&house, 1, json!({})).await;
    }
    let (_, full) = wave(&house.world, json!({"filter": {}, "name": "W"})).await;
    let batches = full["batch_ids"].as_array().unwrap().clone();
    assert_eq!(batches.len(), 3);
    let last = house.world.get(format!("/batches/{}", text(&batches[2]))).await.json();
    assert_eq!((&last["name"], &last["shipments_count"]), (&json!("W, Origin, Sandbox (3)"), &json!(1)));

    // A retry does not add to a batch that was bought meanwhile.
    let path = format!("/shipping_rules/{}", text(&rule["id"]));
    house.world.patch(&path, json!({"is_active": false})).await;
    let (early, late) = (order(&house, 1, json!({})).await, order(&house, 1, json!({})).await);
    let (retried, _) = wave(&house.world, json!({"order_ids": [early, late]})).await;
    house.world.patch(&path, json!({"is_active": true})).await;
    house.world.post(format!("/orders/{late}/hold"), json!({"reason": "check"})).await;
    house.world.post(format!("{retried}/retry"), json!({})).await;
    let first = ended(&house.world, &retried).await["batch_ids"][0].clone();
    let bought = house.world.begin(&format!("/batches/{}/purchase", text(&first)), None).await;
    assert_eq!(bought.status, 202, "{bought}");
    house.world.post(format!("/orders/{late}/release"), json!({})).await;
    house.world.post(format!("{retried}/retry"), json!({})).await;
    let wave = ended(&house.world, &retried).await;
    assert_eq!((counts(&wave), wave["batch_ids"].as_array().unwrap().len()), ([2, 0, 2, 0, 0, 2], 2));
    house.world.assert_clean().await;
}

#[tokio::test]
async fn a_wave_buys_its_batches_at_its_end() {
    let house = warehouse(10).await;
    let ids = [order(&house, 1, json!({})).await, order(&house, 2, json!({})).await];
    let steps = json!(["plan", "ship", "batch", "purchase"]);
    let (_, done) = wave(&house.world, json!({"order_ids": ids, "steps": steps})).await;
    let batch = format!("/batches/{}", text(&done["batch_ids"][0]));
    assert_eq!(house.world.get(&batch).await.json()["status"], "purchasing");
    house.world.work().await;
    assert_eq!(house.world.get(&batch).await.json()["status"], "purchased");
    for id in &ids {
        assert_eq!(house.fulfilment(id).await["status"], "shipped");
    }
    assert_eq!(house.level().await, [7, 0, 7]);
    house.world.assert_clean().await;
}

#[tokio::test]
async fn a_rule_that_chooses_by_rates_is_followed_in_the_step_rate() {
    let house = Warehouse::new(10).await;
    let world = &house.world;
    create(world, json!({"name": "Fast", "action": {"choose": {"by": "fastest"}}})).await;
    let id = order(&house, 1, json!({})).await;
    let (_, without) = wave(world, json!({"order_ids": [id]})).await;
    assert_eq!(without["exceptions"][0]["code"], "rate_step_missing");
    let steps = json!(["plan", "ship", "rate", "batch", "purchase"]);
    let (path, chosen) =
        wave(world, json!({"order_ids": [id], "steps": steps, "group_by": ["service"]})).await;
    assert_eq!(counts(&chosen), [1, 0, 1, 0, 0, 1], "{chosen}");
    let orders = world.get(format!("{path}/orders")).await.json();
    assert_eq!(orders["data"][0]["step"], "rate");
    let path = format!("/shipments/{}", text(&orders["data"][0]["shipment_ids"][0]));
    world.work().await;
    let shipment = world.get(&path).await.json();
    assert_eq!(shipment["status"], "purchased", "{shipment}");
    let days = |rate: &Value| rate["delivery_days"].as_i64().unwrap_or(i64::MAX);
    let fastest = shipment["rates"].as_array().unwrap().iter().min_by_key(|rate| days(rate)).unwrap();
    assert_eq!(shipment["service"]["carrier_service"]["handle"], fastest["carrier_service"]["handle"]);

    // What no carrier can do in time stays a draft, and says so.
    let action = json!({"choose": {"by": "cheapest_within_days", "days": 0}});
    create(world, json!({"name": "Now", "position": 1, "action": action})).await;
    let id = order(&house, 1, json!({})).await;
    let (path, slow) = wave(world, json!({"order_ids": [id], "steps": ["plan", "ship", "rate"]})).await;
    assert_eq!(slow["exceptions"][0]["code"], "no_rate");
    let orders = world.get(format!("{path}/orders")).await.json();
    assert_eq!((&orders["data"][0]["step"], &orders["data"][0]["code"]), (&json!("ship"), &json!("no_rate")));
    world.assert_clean().await;
}

#[tokio::test]
async fn a_shipment_that_is_deleted_before_it_is_rated_is_made_again_by_a_retry() {
    let house = Warehouse::new(10).await;
    let world = &house.world;
    let rule = json!({"name": "Now", "action": {"choose": {"by": "cheapest_within_days", "days": 0}}});
    let rule = format!("/shipping_rules/{}", text(&create(world, rule).await["id"]));
    let id = order(&house, 1, json!({})).await;
    let (path, slow) = wave(world, json!({"order_ids": [id], "steps": ["plan", "ship", "rate"]})).await;
    assert_eq!(slow["exceptions"][0]["code"], "no_rate");
    let made = world.get(format!("{path}/orders")).await.json()["data"][0]["shipment_ids"][0].clone();
    assert_eq!(world.delete(format!("/shipments/{}", text(&made))).await.status, 204);
    world.patch(&rule, json!({"action": {"choose": {"by": "cheapest", "days": null}}})).await;
    world.post(format!("{path}/retry"), json!({})).await;
    assert_eq!(ended(world, &path).await["exceptions"][0]["code"], "shipment_changed");
    world.post(format!("{path}/retry"), json!({})).await;
    assert_eq!(counts(&ended(world, &path).await), [1, 0, 1, 0, 0, 1]);
    world.assert_clean().await;
}

#[tokio::test]
async fn a_cancelled_wave_keeps_what_exists() {
    let house = warehouse(10).await;
    let world = &house.world;
    let ids = [order(&house, 1, json!({})).await, order(&house, 1, json!({})).await];
    let path = start(world, json!({"order_ids": ids})).await;
    let asked = world.post(format!("{path}/cancel"), json!({})).await;
    assert_eq!(asked.json()["status"], "cancelling", "{asked}");
    assert_eq!(world.post(format!("{path}/cancel"), json!({})).await.json()["status"], "cancelling");
    let wave = ended(world, &path).await;
    assert_eq!((&wave["status"], counts(&wave)), (&json!("cancelled"), [2, 0, 0, 0, 2, 0]));
    assert_eq!(
        refusal(&world.post(format!("{path}/retry"), json!({})).await),
        (409, "wave_cancelled".to_owned())
    );
    // Its orders are free for another wave, which can't be cancelled once it is done.
    let (path, done) = self::wave(world, json!({"order_ids": ids})).await;
    assert_eq!(counts(&done)[2], 2);
    assert_eq!(
        refusal(&world.post(format!("{path}/cancel"), json!({})).await),
        (409, "wave_completed".to_owned())
    );
    assert_eq!(
        refusal(&world.post(format!("{path}/retry"), json!({})).await),
        (409, "nothing_to_retry".to_owned())
    );
    let listed = world.get("/waves?status=cancelled").await.json();
    assert_eq!(listed["data"].as_array().unwrap().len(), 1);
    world.assert_clean().await;
}

#[tokio::test]
async fn bad_requests_are_refused_and_nothing_is_written() {
    let house = warehouse(5).await;
    let world = &house.world;
    let empty = world.post("/waves", json!({"filter": {"channel": "nowhere"}})).await;
    assert_eq!(refusal(&empty), (422, "wave_empty".to_owned()));
    let mine = order(&house, 1, json!({})).await;
    let other = World::rehearsal().await;
    let unknown = other.order(&[(&other.item("A").await, 1)]).await;
    for wrong in [unknown.as_str(), "ord_00000000000000000000000000"] {
        let refused = world.post("/waves", json!({"order_ids": [mine, wrong]})).await;
        assert_eq!(refusal(&refused), (422, "order_not_found".to_owned()));
        assert_eq!(refused.issues()[0].1, "/order_ids/1");
    }
    let body = json!({"filter": {}, "location_ids": ["loc_00000000000000000000000000"]});
    let refused = world.post("/waves", body).await;
    assert_eq!(refusal(&refused), (422, "location_not_found".to_owned()));
    assert_eq!(refused.issues()[0].1, "/location_ids/0");
    for (body, field) in [
        (json!({}), "/order_ids"),
        (json!({"filter": {}, "order_ids": [mine]}), "/filter"),
        (json!({"filter": {}, "steps": ["batch"]}), "/steps"),
        (json!({"filter": {"status": "draft"}}), "/filter/status"),
    ] {
        let refused = world.post("/waves", body).await;
        assert_eq!((refused.status.as_u16(), refused.issues()[0].1.as_str()), (422, field), "{refused}");
    }
    assert_eq!(world.get("/waves").await.json()["data"], json!([]));
}

#[tokio::test]
async fn a_wave_needs_the_scopes_of_its_steps() {
    let house = warehouse(5).await;
    let id = order(&house, 1, json!({})).await;
    let ask = async |scopes: &str, steps: Value| -> Reply {
        let token = house.world.token_for("Acme", scopes, Mode::Test).await;
        let body = json!({"order_ids": [id], "steps": steps});
        house.world.request("POST", "/waves").token(&token).json(body).send().await
    };
    let some = "waves:write orders:read allocations:write shipments:write";
    assert_eq!(ask(some, json!(["plan", "ship", "batch"])).await.status, 403);
    assert_eq!(ask("waves:write allocations:write", json!(["plan"])).await.status, 403);
    let all = format!("{some} batches:write");
    assert_eq!(ask(&all, json!(["plan", "ship", "batch", "purchase"])).await.status, 403);
    assert_eq!(house.world.get("/waves").await.json()["data"], json!([]));
    assert_eq!(ask(&all, json!(["plan", "ship", "batch"])).await.status, 201);
}

#[tokio::test]
async fn a_repeated_request_starts_one_wave_even_if_nothing_is_left_for_it() {
    let house = warehouse(5).await;
    let world = &house.world;
    order(&house, 1, json!({})).await;
    let ask = async || {
        let request = world.request("POST", "/waves").header("idempotency-key", "morning");
        let steps = json!(["plan", "ship", "batch", "purchase"]);
        request.json(json!({"filter": {}, "steps": steps})).send().await
    };
    let first = ask().await;
    assert_eq!(first.status, 201, "{first}");
    ended(world, first.header("location")).await;
    world.work().await;
    let again = ask().await;
    assert_eq!((again.status, &again.json()["id"]), (first.status, &first.json()["id"]), "{again}");
    assert_eq!(world.get("/waves").await.json()["data"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_wave_has_pick_lists() {
    let house = warehouse(9).await;
    let world = &house.world;
    for _ in 0..3 {
        order(&house, 2, json!({})).await;
    }
    let path = start(world, json!({"filter": {}, "name": "Morning"})).await;
    let early = world.post(format!("{path}/pick_lists"), json!({})).await;
    assert_eq!(refusal(&early), (409, "nothing_to_pick".to_owned()));
    ended(world, &path).await;
    let reply = world.post(format!("{path}/pick_lists"), json!({"format": "a4"})).await;
    assert_eq!(reply.status, 201, "{reply}");
    let list = &reply.json()["data"][0];
    assert!(text(&list["file_name"]).starts_with("Morning-Origin-pick-list-"), "{list}");
    let beyond = world.post(format!("{path}/pick_lists"), json!({"part": 2})).await;
    assert_eq!(refusal(&beyond), (422, "wave_part_not_found".to_owned()));
    // It prints like any other document, for a token that may read waves.
    let again = world.post(format!("{path}/pick_lists"), json!({"format": "a4"})).await;
    assert_eq!(again.json()["data"][0]["id"], list["id"]);
}
