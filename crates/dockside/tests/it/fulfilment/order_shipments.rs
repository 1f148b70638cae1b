//! Shipments from orders: what they hold, what they are refused for, and what they do to stock and orders.

use model::World as Mode;
use serde_json::{Value, json};

use crate::fulfilment::package_types::small_box;
use crate::fulfilment::shipping_rules::{create, text};
use crate::setup::populated_organisation::parcel;
use crate::setup::purchase_requests::service;
use crate::setup::stock_requests::{lines, refusal, texts};
use crate::setup::world::{Reply, World};

/// A warehouse with one item in stock, a box for it, and a configuration from which it is sent.
pub struct Warehouse {
    pub world: World,
    pub configuration: String,
    pub location: String,
    pub item: String,
}

impl Warehouse {
    pub async fn new(on_hand: i64) -> Self {
        Self::of(World::rehearsal().await, on_hand).await
    }

    pub async fn of(world: World, on_hand: i64) -> Self {
        let (configuration, location, _) = world.configuration("Dock").await;
        let item = world.measured_item("CUBE", 0.5, Some([10.0, 10.0, 10.0])).await;
        world.package_type(small_box("small")).await;
        world.count(&item, &location, on_hand).await;
        Self { world, configuration, location, item }
    }

    /// Makes an order with a destination, of which all is allocated here; gives its id.
    pub async fn order(&self, quantity: i64) -> String {
        self.order_to(quantity, "GB", "SW1A 1AA").await
    }

    pub async fn order_to(&self, quantity: i64, country: &str, post_code: &str) -> String {
        let address =
            json!({"line_1": "1 High St", "city": "London", "post_code": post_code, "country_code": country});
        let contact = json!({"name": "Ann Miller"});
        let body = json!({"reference": "1042", "items": lines(&[(&self.item, quantity)]),
            "destination": {"address": address, "contact": contact}});
        let reply = self.world.post("/orders", body).await;
        assert_eq!(reply.status, 201, "{reply}");
        let order = text(&reply.json()["id"]);
        self.world.allocated(&order, &[(&self.location, &self.item, quantity)]).await;
        order
    }

    pub async fn ship(&self, order: &str, body: Value) -> Reply {
        self.world.post(format!("/orders/{order}/shipments"), body).await
    }

    /// Makes the shipments of an order; gives their paths.
    pub async fn shipped(&self, order: &str) -> Vec<String> {
        let reply = self.ship(order, json!({})).await;
        assert_eq!(reply.status, 201, "{reply}");
        let ids = texts(&reply.json()["data"], "/id");
        ids.iter().map(|id| format!("/shipments/{id}")).collect()
    }

    pub async fn allocations(&self, order: &str) -> Vec<Value> {
        let list = self.world.get(format!("/allocations/orders/{order}")).await.json();
        list["data"].as_array().expect("a list").clone()
    }

    /// What is on hand, allocated and available.
    pub async fn level(&self) -> [i64; 3] {
        self.world.level(&self.item, &self.location).await
    }

    pub async fn fulfilment(&self, order: &str) -> Value {
        self.world.get(format!("/orders/{order}")).await.json()["fulfilment"].clone()
    }

    pub async fn exceptions(&self, order: &str) -> Vec<String> {
        let order = self.world.get(format!("/orders/{order}")).await.json();
        texts(&order["exceptions"], "/code")
    }

    pub async fn complete_on_hand_over(&self) {
        let path = format!("/location_configurations/{}", self.configuration);
        let reply = self.world.patch(path, json!({"complete_allocations_on": "hand_over"})).await;
        assert_eq!(reply.status, 200, "{reply}");
    }

    /// Voids a shipment that is bought.
    pub async fn void(&self, path: &str) -> Value {
        let begun = self.world.begin(&format!("{path}/void"), None).await;
        assert_eq!(begun.status, 202, "{begun}");
        self.world.work().await;
        self.world.get(path).await.json()
    }
}

#[tokio::test]
async fn an_order_becomes_a_shipment_with_packages_that_hold_its_units() {
    let house = Warehouse::new(10).await;
    let order = house.order(8).await;
    let reply = house.ship(&order, json!({})).await;
    assert_eq!(reply.status, 201, "{reply}");
    let shipment = &reply.json()["data"][0];
    assert_eq!(
        (&shipment["order_id"], &shipment["status"], &shipment["name"]),
        (&json!(order), &json!("draft"), &json!("1042"))
    );
    let packages = shipment["packages"].as_array().unwrap();
    let held: Vec<_> = packages.iter().map(|package| package["items"][0]["quantity"].as_i64()).collect();
    assert_eq!(held, [Some(6), Some(2)], "6 cubes fill a small box");
    assert_eq!(shipment["addresses"]["destination"]["address"]["post_code"], "SW1A 1AA");
    assert_eq!(shipment["addresses"]["location_configuration_id"], json!(house.configuration));
    assert_eq!(shipment["complete_allocations_on"], "purchase");
    let id = text(&shipment["id"]);
    assert_eq!(house.allocations(&order).await[0]["shipment_id"], json!(id));
    assert_eq!(house.fulfilment(&order).await["shipment_ids"], json!([id]));
    assert_eq!(house.world.get(format!("/shipments/{id}")).await.json()["order_id"], json!(order));
    assert_eq!(refusal(&house.ship(&order, json!({})).await), (409, "nothing_to_ship".to_owned()));
    house.world.assert_clean().await;

    // Buying it completes the allocation and takes the stock, in the transaction that records the purchase.
    let bought = house.world.buy(&format!("/shipments/{id}")).await;
    assert_eq!(bought["status"], "purchased", "{bought}");
    assert_eq!(house.level().await, [2, 0, 2]);
    assert_eq!(house.world.status(&order).await, "fulfilled");
    assert_eq!(house.fulfilment(&order).await["status"], "shipped");
    house.world.assert_clean().await;
}

#[tokio::test]
async fn a_void_opens_the_allocations_again_and_returns_the_stock() {
    let house = Warehouse::new(5).await;
    let order = house.order(3).await;
    let path = house.shipped(&order).await.remove(0);
    house.world.buy(&path).await;
    assert_eq!(house.level().await, [2, 0, 2]);
    assert_eq!(house.void(&path).await["status"], "voided");
    let allocation = &house.allocations(&order).await[0];
    assert_eq!((&allocation["shipment_id"], &allocation["completed_at"]), (&Value::Null, &Value::Null));
    assert_eq!(house.level().await, [5, 3, 2]);
    assert_eq!(house.world.status(&order).await, "committed");
    let history = house.world.history(&house.item, &house.location).await;
    assert_eq!(history.last(), Some(&(3, 5, "shipment_voided".to_owned())));
    house.world.assert_clean().await;
    // A new shipment is possible only then.
    assert_eq!(house.shipped(&order).await.len(), 1);
    let shipments = house.fulfilment(&order).await["shipment_ids"].clone();
    assert_eq!(shipments.as_array().map(Vec::len), Some(2), "the voided one as well");
    house.world.assert_clean().await;
}

#[tokio::test]
async fn a_label_needs_units_that_are_on_hand_and_in_no_other_shipment() {
    let house = Warehouse::new(5).await;
    let (first, second) = (house.order(3).await, house.order(3).await);
    let path = house.shipped(&first).await.remove(0);
    let refused = house.ship(&second, json!({})).await;
    assert_eq!(refusal(&refused), (409, "insufficient_stock".to_owned()));
    let issue = &refused.json()["errors"][0];
    assert_eq!((&issue["requested"], &issue["available"]), (&json!(3), &json!(2)), "{refused}");
    // Packages that hold less split the allocation; the old id keeps the packed part.
    let packages = json!({"packages": [{"items": [{"id": house.item, "quantity": 2}]}]});
    let part = house.ship(&second, packages.clone()).await;
    assert_eq!(part.status, 201, "{part}");
    assert_eq!(part.json()["data"][0]["packages"][0]["geometry"]["mass"], json!(1.0));
    let split = house.allocations(&second).await;
    let quantities: Vec<_> = split.iter().map(|one| one["items"][0]["quantity"].as_i64()).collect();
    assert_eq!(quantities, [Some(2), Some(1)]);
    assert!(split[0]["shipment_id"].is_string() && split[1]["shipment_id"].is_null());
    house.world.assert_clean().await;
    // Deleting a draft frees its units.
    assert_eq!(house.world.delete(&path).await.status, 204);
    assert_eq!(house.allocations(&first).await[0]["shipment_id"], Value::Null);
    assert_eq!(house.fulfilment(&first).await["shipment_ids"], json!([]));
    assert_eq!(house.shipped(&second).await.len(), 1);
    house.world.assert_clean().await;
}

#[tokio::test]
async fn stock_that_became_short_fails_the_purchase_before_anything_is_sent() {
    let house = Warehouse::new(3).await;
    let order = house.order(3).await;
    let path = house.shipped(&order).await.remove(0);
    house.world.count(&house.item, &house.location, 2).await;
    let begun = house.world.begin(&format!("{path}/purchase"), Some(service("standard"))).await;
    assert_eq!(begun.json()["status"], "purchase_failed", "{begun}");
    assert_eq!(begun.json()["errors"][0]["code"], "insufficient_stock");
    assert_eq!(house.world.carrier_charges(&path).await.charges, 0);
    house.world.assert_clean().await;
    house.world.count(&house.item, &house.location, 3).await;
    assert_eq!(house.world.buy(&path).await["status"], "purchased");
    assert_eq!(house.level().await, [0, 0, 0]);
    house.world.assert_clean().await;
}

#[tokio::test]
async fn stock_that_became_short_during_the_purchase_leaves_the_allocation_open() {
    let house = Warehouse::new(3).await;
    let order = house.order(3).await;
    let path = house.shipped(&order).await.remove(0);
    let begun = house.world.begin(&format!("{path}/purchase"), Some(service("standard"))).await;
    assert_eq!(begun.status, 202, "{begun}");
    house.world.count(&house.item, &house.location, 2).await;
    house.world.work().await;
    assert_eq!(house.world.get(&path).await.json()["status"], "purchased");
    assert_eq!(house.allocations(&order).await[0]["completed_at"], Value::Null);
    assert_eq!(house.exceptions(&order).await, ["stock_short"]);
    assert!(
        house.world.story(&format!("/orders/{order}")).await.contains(&"order.exception_raised".to_owned())
    );
    house.world.assert_clean().await;
    // A person finds the units and completes it.
    house.world.count(&house.item, &house.location, 3).await;
    let id = text(&house.allocations(&order).await[0]["id"]);
    assert_eq!(house.world.complete(&order, &[&id]).await.status, 200);
    assert_eq!(house.level().await, [0, 0, 0]);
    house.world.assert_clean().await;
}

#[tokio::test]
async fn a_failed_purchase_gives_its_claim_on_stock_back() {
    let house = Warehouse::new(3).await;
    let order = house.order_to(3, "GB", "SBX-DECLINED").await;
    let path = house.shipped(&order).await.remove(0);
    let failed = house.world.buy(&path).await;
    assert_eq!(failed["status"], "purchase_failed", "{failed}");
    house.world.assert_clean().await;
    assert_eq!(house.level().await, [3, 3, 0]);
    assert_eq!(house.world.delete(&path).await.status, 204);
    house.world.assert_clean().await;
}

#[tokio::test]
async fn an_order_on_hold_cancelled_or_blocked_is_not_bought() {
    let house = Warehouse::new(9).await;
    let order = house.order(3).await;
    let path = house.shipped(&order).await.remove(0);
    let hold = json!({"reason": "Fraud check"});
    assert_eq!(house.world.post(format!("/orders/{order}/hold"), hold).await.status, 200);
    let buy = format!("{path}/purchase");
    let refused = house.world.begin(&buy, Some(service("standard"))).await;
    assert_eq!(refusal(&refused), (409, "order_on_hold".to_owned()));
    assert_eq!(refusal(&house.ship(&order, json!({})).await), (409, "order_on_hold".to_owned()));
    // In a batch it fails by itself, and the others go on.
    let other = house.order(2).await;
    let free = house.shipped(&other).await.remove(0);
    let ids: Vec<_> =
        [&path, &free].iter().map(|path| path.trim_start_matches("/shipments/").to_owned()).collect();
    let batch = house
        .world
        .batch(json!({"service": {"carrier_account": {"handle": "sandbox"},
        "carrier_service": {"handle": "standard"}}, "shipments": ids}))
        .await;
    let begun = house.world.begin(&format!("{batch}/purchase"), None).await;
    assert!([200, 202].contains(&begun.status.as_u16()), "{begun}");
    house.world.work().await;
    let held = house.world.get(&path).await.json();
    assert_eq!(
        (&held["status"], &held["errors"][0]["code"]),
        (&json!("purchase_failed"), &json!("order_on_hold"))
    );
    assert_eq!(house.world.get(&free).await.json()["status"], "purchased");
    assert_eq!(house.world.status(&other).await, "fulfilled");
    house.world.assert_clean().await;
    assert_eq!(house.world.post(format!("/orders/{order}/release"), json!({})).await.status, 200);
    assert_eq!(house.world.buy(&path).await["status"], "purchased");
    house.world.assert_clean().await;
}

#[tokio::test]
async fn bought_shipments_keep_an_order_from_being_cancelled_or_deleted() {
    let house = Warehouse::new(9).await;
    house.complete_on_hand_over().await;
    let order = house.order(3).await;
    let path = house.shipped(&order).await.remove(0);
    house.world.buy(&path).await;
    assert_eq!(house.level().await, [9, 3, 6], "nothing has left yet");
    for reply in [
        house.world.post(format!("/orders/{order}/cancel"), json!({})).await,
        house.world.delete(format!("/orders/{order}")).await,
        house
            .world
            .patch(format!("/orders/{order}"), json!({"destination": {"address": {"city": "York"}}}))
            .await,
    ] {
        assert_eq!(refusal(&reply), (409, "order_has_shipments".to_owned()), "{reply}");
    }
    let id = text(&house.allocations(&order).await[0]["id"]);
    let fewer = json!([{"id": id, "items": lines(&[(&house.item, 1)])}]);
    assert_eq!(refusal(&house.world.change(&order, fewer).await), (409, "allocation_in_shipment".to_owned()));
    // Deleting the allocations always succeeds; the parcel no longer belongs to the order, which is blocked.
    assert_eq!(house.world.delete(format!("/allocations/orders/{order}")).await.status, 204);
    let parcel = house.world.get(&path).await.json();
    assert_eq!((&parcel["order_id"], &parcel["status"]), (&Value::Null, &json!("purchased")));
    assert_eq!(parcel["packages"][0]["items"][0]["quantity"], 3, "it keeps its contents");
    assert_eq!(house.exceptions(&order).await, ["shipped_unallocated"]);
    house.world.assert_clean().await;
    house.world.allocated(&order, &[(&house.location, &house.item, 3)]).await;
    assert_eq!(refusal(&house.ship(&order, json!({})).await), (409, "order_blocked".to_owned()));
    let exception = house.world.get(format!("/orders/{order}")).await.json()["exceptions"][0].clone();
    let resolve = format!("/orders/{order}/exceptions/{}/resolve", text(&exception["id"]));
    assert_eq!(house.world.post(resolve, json!({"note": "It went to a friend"})).await.status, 200);
    assert_eq!(house.shipped(&order).await.len(), 1);
    house.world.assert_clean().await;
}

#[tokio::test]
async fn unbought_shipments_follow_their_order() {
    let house = Warehouse::new(9).await;
    let order = house.order(3).await;
    let path = house.shipped(&order).await.remove(0);
    house.world.rate(&path).await;
    let moved = json!({"destination": {"address": {"post_code": "YO1 7HH", "city": "York"}}});
    assert_eq!(house.world.patch(format!("/orders/{order}"), moved).await.status, 200);
    let parcel = house.world.get(&path).await.json();
    assert_eq!(parcel["addresses"]["destination"]["address"]["city"], "York");
    assert_eq!((&parcel["rates"], &parcel["status"]), (&json!([]), &json!("draft")));
    // The units of a shipment can't be changed in it, and neither can its origin.
    let fewer =
        json!({"packages": [{"geometry": {"mass": 1}, "items": [{"id": house.item, "quantity": 1}]}]});
    assert_eq!(refusal(&house.world.patch(&path, fewer).await), (409, "shipment_of_order".to_owned()));
    let heavier =
        json!({"packages": [{"geometry": {"mass": 9}, "items": [{"id": house.item, "quantity": 3}]}]});
    assert_eq!(house.world.patch(&path, heavier).await.status, 200);
    let cancelled = house.world.post(format!("/orders/{order}/cancel"), json!({})).await;
    assert_eq!(cancelled.status, 200, "{cancelled}");
    assert_eq!(house.world.get(&path).await.status, 404);
    house.world.assert_clean().await;
    let other = house.order(2).await;
    let path = house.shipped(&other).await.remove(0);
    assert_eq!(house.world.delete(format!("/orders/{other}")).await.status, 204);
    assert_eq!(house.world.get(&path).await.status, 404);
    assert_eq!(house.level().await, [9, 0, 9]);
    house.world.assert_clean().await;
}

#[tokio::test]
async fn several_locations_are_several_shipments_and_each_needs_a_configuration() {
    let house = Warehouse::new(2).await;
    let (_, south, _) = house.world.configuration("South").await;
    house.world.count(&house.item, &south, 5).await;
    let bare = house.world.location("Bare").await;
    let body = json!({"items": lines(&[(&house.item, 4)]), "destination":
        {"address": {"line_1": "1 High St", "city": "London", "post_code": "SW1A 1AA", "country_code": "GB"}}});
    let order = text(&house.world.post("/orders", body).await.json()["id"]);
    let ids = house
        .world
        .allocated(
            &order,
            &[(&house.location, &house.item, 1), (&south, &house.item, 2), (&bare, &house.item, 1)],
        )
        .await;
    let refused = house.ship(&order, json!({})).await;
    assert_eq!(refusal(&refused), (422, "location_configuration_missing".to_owned()));
    assert_eq!(refused.json()["errors"][0]["location_id"], json!(bare));
    let packages = json!([{"items": [{"id": house.item, "quantity": 1}]}]);
    let both = json!({"allocation_ids": ids[..2], "packages": packages});
    assert_eq!(refusal(&house.ship(&order, both).await), (422, "packages_need_location".to_owned()));
    let made = house.ship(&order, json!({"allocation_ids": ids[..2]})).await;
    assert_eq!(
        (made.status.as_u16(), made.json()["data"].as_array().map(Vec::len)),
        (201, Some(2)),
        "{made}"
    );
    house.world.assert_clean().await;
    // With several configurations, one of them must be the default.
    let second = json!({"name": "Second", "locations": {"origin": {"id": south}, "return": {"id": south}}});
    let second = house.world.post("/location_configurations", second).await.json();
    let more = house.order_at(&south, 1).await;
    assert_eq!(
        refusal(&house.ship(&more, json!({})).await),
        (422, "location_configuration_ambiguous".to_owned())
    );
    let path = format!("/location_configurations/{}", text(&second["id"]));
    assert_eq!(house.world.patch(path, json!({"is_default": true})).await.status, 200);
    let made = house.ship(&more, json!({})).await.json();
    assert_eq!(made["data"][0]["addresses"]["location_configuration_id"], second["id"]);
}

impl Warehouse {
    /// Makes an order that is allocated at another location.
    async fn order_at(&self, location: &str, quantity: i64) -> String {
        let address =
            json!({"line_1": "1 High St", "city": "London", "post_code": "SW1A 1AA", "country_code": "GB"});
        let body = json!({"items": lines(&[(&self.item, quantity)]), "destination": {"address": address}});
        let order = text(&self.world.post("/orders", body).await.json()["id"]);
        self.world.allocated(&order, &[(location, &self.item, quantity)]).await;
        order
    }
}

#[tokio::test]
async fn the_default_of_an_origin_moves_to_the_configuration_that_was_last_chosen() {
    let house = Warehouse::new(1).await;
    let first = format!("/location_configurations/{}", house.configuration);
    assert_eq!(house.world.patch(&first, json!({"is_default": true})).await.status, 200);
    let body = json!({"name": "Second", "is_default": true,
        "locations": {"origin": {"id": house.location}, "return": {"id": house.location}}});
    let second = house.world.post("/location_configurations", body).await;
    assert_eq!((second.status.as_u16(), &second.json()["is_default"]), (201, &json!(true)), "{second}");
    assert_eq!(house.world.get(&first).await.json()["is_default"], json!(false));
    assert!(house.world.story(&first).await.len() >= 3, "its end is told");
}

#[tokio::test]
async fn other_organisations_and_tokens_without_scopes_make_nothing() {
    let house = Warehouse::new(5).await;
    let order = house.order(1).await;
    let path = format!("/orders/{order}/shipments");
    let other = house.world.token_for("Other", "*", Mode::Test).await;
    let ask = |token: String| house.world.request("POST", &path).token(&token).json(json!({})).send();
    let unknown = ask(other).await;
    assert_eq!(unknown.status, 404);
    for scopes in
        ["orders:read allocations:read", "shipments:write orders:read", "shipments:write allocations:read"]
    {
        let token = house.world.token_for("Acme", scopes, Mode::Test).await;
        assert_eq!(refusal(&ask(token).await), (403, "insufficient_scope".to_owned()), "{scopes}");
    }
    let token =
        house.world.token_for("Acme", "shipments:write orders:read allocations:read", Mode::Test).await;
    assert_eq!(ask(token).await.status, 201);
}

#[tokio::test]
async fn rules_choose_the_service_and_the_shipment_says_why() {
    let house = Warehouse::new(9).await;
    let action = json!({"service": {"carrier_account": "sandbox", "carrier_service": "express"},
        "options": {"label_format": "zpl", "signature_type": "adult"}});
    let rule = create(&house.world, json!({"name": "Express", "action": action})).await;
    let order = house.order(1).await;
    let shipment = house.ship(&order, json!({})).await.json()["data"][0].clone();
    assert_eq!(
        (&shipment["rule_id"], &shipment["carrier"]["service_code"]),
        (&rule["id"], &json!("express"))
    );
    assert_eq!(shipment["options"]["label"]["format"], "zpl");
    let path = format!("/shipments/{}/rule_evaluation", text(&shipment["id"]));
    let why = house.world.get(&path).await;
    assert_eq!((why.status.as_u16(), &why.json()["rules"][0]["is_match"]), (200, &json!(true)), "{why}");
    // One that was not made from an order has no evaluation, and the refusal says so.
    let single = house.world.post("/shipments", parcel()).await.json();
    let none = house.world.get(format!("/shipments/{}/rule_evaluation", text(&single["id"]))).await;
    assert_eq!(refusal(&none), (404, "rule_evaluation_not_found".to_owned()));
    // A request that names a carrier is not asked for the rules' service.
    let order = house.order(1).await;
    let own = json!({"carrier": {"carrier_code": "sandbox", "service_code": "standard"}});
    let shipment = house.ship(&order, own).await.json()["data"][0].clone();
    assert_eq!(
        (&shipment["rule_id"], &shipment["carrier"]["service_code"]),
        (&Value::Null, &json!("standard"))
    );
    // A rule that holds refuses, and writes nothing.
    let hold = json!({"name": "Look", "position": 1, "action": {"hold": {"reason": "Look at it"}}});
    let hold = create(&house.world, hold).await;
    let order = house.order(1).await;
    let before = house.world.everything().await;
    let refused = house.ship(&order, json!({})).await;
    assert_eq!(refusal(&refused), (409, "held_by_rule".to_owned()));
    assert_eq!(refused.json()["errors"][0]["rule_id"], hold["id"]);
    assert_eq!(house.world.everything().await, before);
}

#[tokio::test]
async fn customs_lines_come_from_items_where_the_parcel_crosses_a_border() {
    let house = Warehouse::new(9).await;
    let order = house.order_to(2, "CH", "8001").await;
    let refused = house.ship(&order, json!({})).await;
    assert_eq!(refusal(&refused), (422, "customs_data_missing".to_owned()));
    let missing = texts(&refused.json()["errors"], "/missing");
    assert_eq!(missing, ["unit_value", "hs_code", "origin_country_code"]);
    let data =
        json!({"unit_value": 1250, "currency_code": "GBP", "hs_code": "950300", "origin_country_code": "PT"});
    assert_eq!(house.world.patch(format!("/inventory_items/{}", house.item), data).await.status, 200);
    let shipment = house.ship(&order, json!({})).await.json()["data"][0].clone();
    let line = &shipment["customs"]["items"][0];
    assert_eq!((&line["quantity"], &line["value"], &line["mass"]), (&json!(2), &json!(2500), &json!(1.0)));
    assert_eq!(shipment["customs"]["contents_type"], "merchandise");
    assert_eq!(
        house.world.buy(&format!("/shipments/{}", text(&shipment["id"]))).await["status"],
        "purchased"
    );
    house.world.assert_clean().await;
}

#[tokio::test]
async fn what_can_not_be_shipped_is_refused_and_nothing_is_written() {
    let house = Warehouse::new(9).await;
    let order = house.order(2).await;
    let unknown = "alloc_00000000000000000000000000";
    let id = text(&house.allocations(&order).await[0]["id"]);
    let too_many = json!({"packages": [{"items": [{"id": house.item, "quantity": 3}]}]});
    let no_type = json!({"packages": [{"items": [{"id": house.item, "quantity": 1}],
        "package_type_id": "pt_00000000000000000000000000"}]});
    let before = house.world.everything().await;
    for (body, status, code) in [
        (json!({"allocation_ids": [unknown]}), 422, "allocation_not_found"),
        (json!({"allocation_ids": [id, id]}), 422, "duplicate_allocation"),
        (json!({"allocation_ids": []}), 422, "validation_failed"),
        (json!({"packages": []}), 422, "validation_failed"),
        (json!({"packages": [{"items": []}]}), 422, "validation_failed"),
        (too_many, 422, "packages_exceed_allocations"),
        (no_type, 422, "package_type_not_found"),
        (json!({"surprise": 1}), 422, "unknown_field"),
    ] {
        let reply = house.ship(&order, body.clone()).await;
        assert_eq!(refusal(&reply), (status, code.to_owned()), "{body} {reply}");
    }
    assert_eq!(house.world.everything().await, before);
    let nowhere = house.world.order(&[(&house.item, 1)]).await;
    house.world.allocated(&nowhere, &[(&house.location, &house.item, 1)]).await;
    assert_eq!(refusal(&house.ship(&nowhere, json!({})).await), (422, "destination_missing".to_owned()));
    let draft =
        house.world.post("/orders", json!({"status": "draft", "items": lines(&[(&house.item, 1)])})).await;
    let draft = text(&draft.json()["id"]);
    assert_eq!(refusal(&house.ship(&draft, json!({})).await), (409, "order_not_committed".to_owned()));
}
