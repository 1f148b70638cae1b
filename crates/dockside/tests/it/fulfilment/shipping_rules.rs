//! Shipping rules: create, read, change and delete them, and what a rule may name.

use std::sync::Arc;

use model::World as Mode;
use serde_json::{Value, json};

use crate::setup::raw_printer::label_printer;
use crate::setup::stock_requests::refusal;
use crate::setup::world::{Reply, World};

pub fn hold(name: &str) -> Value {
    json!({"name": name, "action": {"hold": {"reason": "Look"}}})
}

pub async fn create(world: &World, body: Value) -> Value {
    let reply = world.post("/shipping_rules", body).await;
    assert_eq!(reply.status, 201, "{reply}");
    reply.json()
}

pub fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

/// Returns the names of all rules, in the order of the list, after checking that their positions are 1 to n.
pub async fn names(world: &World) -> Vec<String> {
    let list = world.get("/shipping_rules?limit=100").await.json();
    let rules = list["data"].as_array().expect("a list").clone();
    for (place, rule) in rules.iter().enumerate() {
        assert_eq!(rule["position"], json!(place + 1), "{rule}");
    }
    rules.iter().map(|rule| text(&rule["name"])).collect()
}

/// A rule that says everything a client can say of one.
fn full(location: &str) -> Value {
    json!({
        "name": "Everything",
        "position": 1,
        "is_active": false,
        "conditions": {
            "destination_countries": ["DE", "AT"], "post_code_prefixes": ["10", "BS1 "],
            "mass": {"min": 0.5, "max": 30.0}, "dimensions": {"length": {"max": 60.0}, "height": {"min": 1.5}},
            "order_value": {"min": 1000, "max": 9999, "currency_code": "EUR"}, "item_tags": ["fragile"], "skus": ["MUG"],
            "channels": ["web"], "requested_services": ["Express"], "order_tags": ["gift"],
            "origin_location_ids": [location], "weekdays": ["mon", "fri"], "time_window": {"from": "22:00", "until": "02:00"},
        },
        "action": {
            "choose": {"by": "cheapest_within_days", "days": 3, "among": [
                {"carrier_account": "sandbox"}, {"carrier_account": "sandbox", "carrier_service": "standard"},
            ]},
            "options": {
                "signature_type": "adult", "saturday_delivery": true, "label_format": "zpl",
                "insure_from": {"value": 10000, "currency_code": "EUR"}, "incoterm": "DDP", "contents_type": "merchandise",
            },
            "hold": {"reason": "Look"},
        },
    })
}

#[tokio::test]
async fn a_rule_is_created_read_changed_and_deleted() {
    let world = World::rehearsal().await;
    let body = json!({"name": "Germany", "conditions": {"destination_countries": ["DE"]},
        "action": {"service": {"carrier_account": "sandbox", "carrier_service": "standard"}}});
    let created = world.post("/shipping_rules", body).await;
    insta::assert_snapshot!(created, @r##"201 {"id":"rule_#1","name":"Germany","position":1,"is_active":true,"conditions":{"destination_countries":["DE"]},"action":{"service":{"carrier_account":"ca_#1","carrier_service":"standard"}},"created_at":"#time","updated_at":"#time"}"##);
    let path = created.header("location").to_owned();
    assert_eq!(path, format!("/shipping_rules/{}", text(&created.json()["id"])));
    let read = world.get(&path).await;
    assert_eq!((read.json(), read.header("etag")), (created.json(), created.header("etag")));

    let patch =
        json!({"conditions": {"destination_countries": null, "mass": {"max": 2}}, "is_active": false});
    let changed = world.patch(&path, patch).await;
    assert_eq!(changed.status, 200, "{changed}");
    assert_eq!(changed.json()["conditions"], json!({"mass": {"max": 2.0}}));
    assert_eq!(changed.json()["is_active"], false);
    assert_eq!(world.get(&path).await.json(), changed.json());
    let stale = world.request("PATCH", &path).header("if-match", created.header("etag"));
    assert_eq!(
        refusal(&stale.json(json!({"name": "x"})).send().await),
        (412, "precondition_failed".to_owned())
    );

    assert_eq!(world.delete(&path).await.status, 204);
    assert_eq!(refusal(&world.get(&path).await), (404, "not_found".to_owned()));
    assert_eq!(names(&world).await, [""; 0]);
    let story: Vec<_> = world.events().await.iter().map(|event| event.r#type.clone()).collect();
    assert!(
        story.ends_with(
            &["shipping_rule.created", "shipping_rule.updated", "shipping_rule.deleted"].map(str::to_owned)
        ),
        "{story:?}"
    );
}

#[tokio::test]
async fn all_that_a_client_says_of_a_rule_is_kept() {
    let world = World::rehearsal().await;
    let location = world.location("Depot").await;
    let created = create(&world, full(&location)).await;
    let account = world.get("/carrier_accounts").await.json()["data"][0]["id"].clone();
    let mut expected = full(&location);
    for place in [0, 1] {
        expected["action"]["choose"]["among"][place]["carrier_account"] = account.clone();
    }
    for field in ["id", "created_at", "updated_at"] {
        expected[field] = created[field].clone();
    }
    assert_eq!(created, expected);
    let path = format!("/shipping_rules/{}", text(&created["id"]));
    let again = world.patch(&path, created.clone()).await.json();
    expected["updated_at"] = again["updated_at"].clone();
    assert_eq!(again, expected, "what was read may be sent back");
    let nulls = json!({"conditions": null, "action": {"choose": null, "options": null}});
    let bare = world.patch(&path, nulls).await.json();
    assert_eq!((&bare["conditions"], &bare["action"]), (&json!({}), &json!({"hold": {"reason": "Look"}})));
}

#[tokio::test]
async fn what_a_rule_names_must_exist() {
    let world = World::rehearsal().await;
    let stranger = world.token_for("Globex", "*", Mode::Test).await;
    let theirs =
        world.request("GET", "/carrier_accounts").token(&stranger).send().await.json()["data"][0]["id"]
            .clone();
    let their_printer = world.request("POST", "/printers").token(&stranger);
    let their_printer = their_printer.json(label_printer("127.0.0.1")).send().await.json()["id"].clone();
    let unknown_location = "loc_01jc0000000000000000000000";
    let service = |account: &Value, service: &str| json!({"service": {"carrier_account": account, "carrier_service": service}});
    let cases = [
        (
            json!({"origin_location_ids": [unknown_location]}),
            json!({"hold": {"reason": "x"}}),
            "location_not_found",
            "/conditions/origin_location_ids/0",
        ),
        (
            json!({}),
            service(&json!("nobody"), "standard"),
            "carrier_account_not_found",
            "/action/service/carrier_account",
        ),
        (
            json!({}),
            service(&theirs, "standard"),
            "carrier_account_not_found",
            "/action/service/carrier_account",
        ),
        (
            json!({}),
            service(&json!("sandbox"), "teleport"),
            "carrier_service_not_found",
            "/action/service/carrier_service",
        ),
        (
            json!({}),
            json!({"choose": {"by": "fastest", "among": [{"carrier_account": "sandbox"}, {"carrier_account": "nobody"}]}}),
            "carrier_account_not_found",
            "/action/choose/among/1/carrier_account",
        ),
        (
            json!({}),
            json!({"package_type_id": "pt_01jc0000000000000000000000"}),
            "package_type_not_found",
            "/action/package_type_id",
        ),
        (
            json!({}),
            json!({"printer_id": "prn_01jc0000000000000000000000"}),
            "printer_not_found",
            "/action/printer_id",
        ),
        (json!({}), json!({"printer_id": their_printer}), "printer_not_found", "/action/printer_id"),
        (json!({}), json!({}), "shipping_rule_empty", "/action"),
        (json!({"mass": {"max": 1}}), json!({"options": {}}), "shipping_rule_empty", "/action"),
    ];
    let before = world.events().await.len();
    for (conditions, action, code, field) in cases {
        let body = json!({"name": "x", "conditions": conditions, "action": action});
        let refused = world.post("/shipping_rules", body).await;
        assert_eq!(refusal(&refused), (422, code.to_owned()), "{refused}");
        assert_eq!(refused.issues(), [(code.to_owned(), field.to_owned())]);
    }
    assert_eq!((names(&world).await.len(), world.events().await.len()), (0, before));
    let rule = create(&world, hold("Hold")).await;
    let path = format!("/shipping_rules/{}", text(&rule["id"]));
    assert_eq!(
        refusal(&world.patch(&path, json!({"action": {"hold": null}})).await),
        (422, "shipping_rule_empty".to_owned())
    );
    let bad = json!({"conditions": {"origin_location_ids": [unknown_location]}});
    assert_eq!(refusal(&world.patch(&path, bad).await), (422, "location_not_found".to_owned()));
    assert_eq!(world.get(&path).await.json(), rule);
}

fn naming(location: &str) -> Value {
    json!({"name": "From here", "conditions": {"origin_location_ids": [location]}, "action": {"hold": {"reason": "x"}}})
}

#[tokio::test]
async fn a_package_type_that_a_rule_names_cannot_be_deleted() {
    let world = World::rehearsal().await;
    let inner = json!({"length": 30, "width": 20, "height": 10});
    let made = world
        .post("/package_types", json!({"name": "Box", "handle": "box", "inner_dimensions": inner}))
        .await;
    let package_type = text(&made.json()["id"]);
    let rule = create(&world, json!({"name": "Small", "action": {"package_type_id": package_type}})).await;
    assert_eq!(rule["action"]["package_type_id"], json!(package_type));
    let path = format!("/package_types/{package_type}");
    assert_eq!(refusal(&world.delete(&path).await), (409, "package_type_in_use".to_owned()));
    assert_eq!(world.delete(format!("/shipping_rules/{}", text(&rule["id"]))).await.status, 204);
    assert_eq!(world.delete(&path).await.status, 204);
    let gone = json!({"name": "Small", "action": {"package_type_id": package_type}});
    assert_eq!(
        refusal(&world.post("/shipping_rules", gone).await),
        (422, "package_type_not_found".to_owned())
    );
}

#[tokio::test]
async fn what_a_rule_names_cannot_be_deleted() {
    let world = World::rehearsal().await;
    let (location, spare) = (world.location("Depot").await, world.location("Spare").await);
    let account = world
        .post("/carrier_accounts", json!({"carrier": {"handle": "sandbox"}, "name": "Mine"}))
        .await
        .json();
    let account = text(&account["id"]);
    let mut body = naming(&location);
    body["action"] = json!({"service": {"carrier_account": account, "carrier_service": "standard"}});
    let rule = create(&world, body).await;
    let path = format!("/shipping_rules/{}", text(&rule["id"]));
    let refused = world.delete(format!("/locations/{location}")).await;
    insta::assert_snapshot!(refused, @r##"409 {"type":"/docs/errors#location_in_use","title":"The location is still in use.","status":409,"detail":"The shipping rule rule_#1 (From here) names it.","code":"location_in_use","request_id":"test","errors":[{"type":"state_error","code":"used_by_shipping_rule","source":"request","message":"The shipping rule rule_#1 (From here) names it.","field":"location_id"}]}"##);
    let refused = world.delete(format!("/carrier_accounts/{account}")).await;
    insta::assert_snapshot!(refused, @r##"409 {"type":"/docs/errors#carrier_account_in_use","title":"The carrier account is still in use.","status":409,"detail":"The shipping rule rule_#1 (From here) names it.","code":"carrier_account_in_use","request_id":"test","errors":[{"type":"state_error","code":"used_by_shipping_rule","source":"request","message":"The shipping rule rule_#1 (From here) names it.","field":"carrier_account_id"}]}"##);

    // A disabled account stays in the rule, which may still be changed otherwise, but no new rule may name it.
    assert_eq!(
        world.patch(format!("/carrier_accounts/{account}"), json!({"disabled": true})).await.status,
        200
    );
    let patch = json!({"name": "Renamed", "conditions": {"origin_location_ids": [spare]}});
    assert_eq!(world.patch(&path, patch).await.status, 200);
    let other = json!({"name": "Other", "action": rule["action"]});
    assert_eq!(
        refusal(&world.post("/shipping_rules", other).await),
        (422, "carrier_account_not_found".to_owned())
    );
    assert_eq!(world.delete(format!("/locations/{location}")).await.status, 204, "no rule names it any more");
    assert_eq!(
        refusal(&world.delete(format!("/locations/{spare}")).await),
        (409, "location_in_use".to_owned())
    );
    assert_eq!(world.delete(&path).await.status, 204);
    assert_eq!(world.delete(format!("/locations/{spare}")).await.status, 204);
    assert_eq!(world.delete(format!("/carrier_accounts/{account}")).await.status, 204);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_rule_names_is_either_deleted_or_named_never_both() {
    let world = Arc::new(World::rehearsal().await);
    for round in 0..12 {
        let location = world.location("Depot").await;
        let account = world
            .post("/carrier_accounts", json!({"carrier": {"handle": "sandbox"}, "name": "Mine"}))
            .await
            .json();
        let account = text(&account["id"]);
        let (body, path, code) = match round % 2 {
            0 => (naming(&location), format!("/locations/{location}"), "location_not_found"),
            _ => {
                let choose = json!({"choose": {"by": "cheapest", "among": [{"carrier_account": account}]}});
                (
                    json!({"name": "Mine", "action": choose}),
                    format!("/carrier_accounts/{account}"),
                    "carrier_account_not_found",
                )
            }
        };
        let (left, right) = (world.clone(), world.clone());
        let naming = tokio::spawn(async move { left.post("/shipping_rules", body).await });
        let deleting = tokio::spawn(async move { right.delete(path).await });
        let (named, deleted): (Reply, Reply) = (naming.await.unwrap(), deleting.await.unwrap());
        match (named.status.as_u16(), deleted.status.as_u16()) {
            (201, 409) => {}
            (422, 204) => assert_eq!(named.code(), code),
            _ => panic!("named: {named}\ndeleted: {deleted}"),
        }
    }
}

#[tokio::test]
async fn an_organisation_may_have_a_thousand_rules() {
    let world = World::new().await;
    let rule = create(&world, hold("First")).await;
    let owner = world.owner();
    let insert = (2..=1000).map(|position| {
        let id = format!("rule_{position:026}");
        let mut doc = rule.clone();
        (doc["id"], doc["position"]) = (json!(id), json!(position));
        format!("('{owner}', '{id}', 1, {position}, '{doc}')")
    });
    let rows = insert.collect::<Vec<_>>().join(", ");
    world
        .tamper(&format!("INSERT INTO shipping_rule (owner, id, version, position, doc) VALUES {rows}"))
        .await;
    let refused = world.post("/shipping_rules", hold("One too many")).await;
    assert_eq!(refusal(&refused), (409, "too_many_shipping_rules".to_owned()));
    let path = format!("/shipping_rules/{}", text(&rule["id"]));
    assert_eq!(world.delete(&path).await.status, 204);
    let last = create(&world, hold("Last")).await;
    assert_eq!(last["position"], 1000);
    let first = world.get("/shipping_rules?limit=1").await.json()["data"][0].clone();
    assert_eq!((&first["id"], &first["position"]), (&json!(format!("rule_{:026}", 2)), &json!(1)));
}
