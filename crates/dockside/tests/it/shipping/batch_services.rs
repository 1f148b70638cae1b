//! The service of a batch: how it is named, and what it means for shipments that chose another.

use serde_json::{Value, json};

use crate::setup::batch_requests::id;
use crate::setup::populated_organisation::parcel;
use crate::setup::stock_requests::refusal;
use crate::setup::world::World;
use crate::shipping::batches::standard;

/// A shipment that asks for a service.
fn parcel_by(service: &str) -> Value {
    let mut body = parcel();
    body["carrier"] = json!({"carrier_code": "sandbox", "service_code": service});
    body
}

#[tokio::test]
async fn a_service_is_named_by_ids_or_handles_and_shown_as_three_carrier_resources() {
    let world = World::rehearsal().await;
    let by_handles = world.post("/batches", json!({"service": standard()})).await.json()["service"].clone();
    assert_eq!(by_handles["carrier"]["name"], "Sandbox");
    assert_eq!(by_handles["carrier_service"]["name"], "Standard");
    assert_eq!(by_handles["carrier_account"]["handle"], "sandbox", "the only account that can be used");
    for part in ["carrier", "carrier_service", "carrier_account"] {
        let fields: Vec<&String> = by_handles[part].as_object().unwrap().keys().collect();
        assert_eq!(fields, ["id", "name", "handle", "description"]);
    }
    let by_id = |part: &str| json!({"id": by_handles[part]["id"]});
    for named in [
        by_handles.clone(),
        json!({"carrier_service": by_id("carrier_service")}),
        json!({"carrier": by_id("carrier"), "carrier_service": by_id("carrier_service")}),
        json!({"carrier_service": {"handle": "standard"}, "carrier_account": by_id("carrier_account")}),
        json!({"carrier_service": {"handle": "standard"}, "carrier_account": {"handle": "sandbox"}}),
    ] {
        let made = world.post("/batches", json!({"service": named})).await;
        assert_eq!(made.json()["service"], by_handles, "{named}: {made}");
    }
}

#[tokio::test]
async fn a_service_that_is_not_there_is_refused_where_it_is_named() {
    let world = World::rehearsal().await;
    let unknown = |prefix: &str| format!("{prefix}_{}", "7".repeat(26));
    let table = [
        (
            json!({"carrier": {"handle": "own"}, "carrier_service": {"handle": "standard"}}),
            "carrier_not_found",
            "/service/carrier/handle",
        ),
        (
            json!({"carrier": {"id": unknown("car")}, "carrier_service": {"handle": "standard"}}),
            "carrier_not_found",
            "/service/carrier/id",
        ),
        (
            json!({"carrier_service": {"handle": "standard"}, "carrier_account": {"handle": "x"}}),
            "carrier_account_not_found",
            "/service/carrier_account/handle",
        ),
        (
            json!({"carrier_service": {"handle": "standard"}, "carrier_account": {"id": unknown("ca")}}),
            "carrier_account_not_found",
            "/service/carrier_account/id",
        ),
        (
            json!({"carrier": {"handle": "sandbox"}, "carrier_service": {"handle": "x"}}),
            "carrier_service_not_found",
            "/service/carrier_service/handle",
        ),
        (
            json!({"carrier": {"handle": "sandbox"}, "carrier_service": {"id": unknown("cs")}}),
            "carrier_service_not_found",
            "/service/carrier_service/id",
        ),
        (
            json!({"carrier": {"handle": "sandbox"}, "carrier_service": {"id": unknown("cs"), "handle": "standard"}}),
            "carrier_service_not_found",
            "/service/carrier_service/id",
        ),
        (
            json!({"carrier_service": {"handle": "x"}}),
            "carrier_account_not_found",
            "/service/carrier_account",
        ),
        (json!({"carrier": {"handle": "sandbox"}}), "validation_failed", "/service/carrier_service"),
        (json!({"carrier_service": {}}), "validation_failed", "/service/carrier_service"),
        (json!({"carrier_service": {"name": "Standard"}}), "validation_failed", "/service/carrier_service"),
        (json!("standard"), "validation_failed", "/service"),
    ];
    let batch = world.batch(json!({})).await;
    for (named, code, field) in table {
        for reply in [
            world.post("/batches", json!({"service": named})).await,
            world.patch(&batch, json!({"service": named})).await,
        ] {
            let seen = (reply.status.as_u16(), reply.code(), reply.issues()[0].1.clone());
            assert_eq!(seen, (422, code.to_owned(), field.to_owned()), "{named}: {reply}");
        }
    }
    assert_eq!(world.get("/batches").await.ids(), [id(&batch)]);
    assert_eq!(world.get(&batch).await.header("etag"), "\"1\"");
}

#[tokio::test]
async fn where_several_accounts_could_be_meant_one_must_be_named() {
    let world = World::rehearsal().await;
    let second = json!({"carrier": {"handle": "sandbox"}, "name": "Second", "handle": "second"});
    let account = world.post("/carrier_accounts", second).await.header("location").to_owned();
    for service in [standard(), json!({"carrier_service": {"handle": "standard"}})] {
        let reply = world.post("/batches", json!({"service": service})).await;
        assert_eq!(
            reply.issues(),
            [("carrier_account_not_found".to_owned(), "/service/carrier_account".to_owned())]
        );
    }
    let mut named = standard();
    named["carrier_account"] = json!({"handle": "second"});
    let made = world.post("/batches", json!({"service": named})).await;
    assert_eq!(made.json()["service"]["carrier_account"]["name"], "Second", "{made}");
    world.patch(&account, json!({"disabled": true})).await;
    assert_eq!(world.post("/batches", json!({"service": standard()})).await.status, 201);
    assert_eq!(world.post("/batches", json!({"service": named})).await.code(), "carrier_account_not_found");
}

#[tokio::test]
async fn a_patch_replaces_the_part_of_the_service_that_it_names_and_null_clears_it() {
    let world = World::rehearsal().await;
    let batch = world.batch(json!({"name": "Monday", "service": standard()})).await;
    let before = world.get(&batch).await.json();
    let express =
        world.patch(&batch, json!({"service": {"carrier_service": {"handle": "express"}}})).await.json();
    assert_eq!(express["service"]["carrier_service"]["name"], "Express");
    assert_eq!(express["service"]["carrier_account"], before["service"]["carrier_account"]);
    assert_eq!(express["name"], "Monday");
    let cleared =
        world.patch(&batch, json!({"service": null, "name": null, "options": {"label_format": "pdf"}})).await;
    let seen = cleared.json();
    assert_eq!((&seen["service"], &seen["name"]), (&Value::Null, &Value::Null), "{cleared}");
    assert_eq!(seen["options"]["label_format"], "pdf");
    let kept = world.patch(&batch, json!({"metadata": {"a": 1}})).await.json();
    assert_eq!((&kept["service"], &kept["options"]["label_format"]), (&Value::Null, &json!("pdf")));
    let png = world.patch(&batch, json!({"options": null})).await.json();
    assert_eq!(png["options"]["label_format"], "png");
}

#[tokio::test]
async fn shipments_that_chose_another_service_are_refused_unless_overridden() {
    let world = World::rehearsal().await;
    let (express, same) =
        (world.shipment(parcel_by("express")).await, world.shipment(parcel_by("standard")).await);
    let undecided = world.shipment(parcel()).await;
    let mixed = world.batch_of(&[express.clone(), same.clone(), undecided.clone()]).await;
    let refused = world.patch(&mixed, json!({"service": standard()})).await;
    assert_eq!(refusal(&refused), (409, "service_already_set".to_owned()));
    let named: Vec<Value> =
        refused.json()["errors"].as_array().unwrap().iter().map(|e| e["shipment_id"].clone()).collect();
    assert_eq!(named, [id(&express)], "only the one that chose another");
    assert_eq!(world.get(&mixed).await.json()["service"], Value::Null, "nothing was applied");
    let forced = world.patch(&mixed, json!({"service": standard(), "override": true})).await;
    assert_eq!(forced.json()["service"]["carrier_service"]["handle"], "standard", "{forced}");
    let other = world.shipment(parcel_by("economy")).await;
    let decided = world.batch(json!({"service": standard()})).await;
    let add = |force: bool| json!({"shipments": [id(&other)], "override": force});
    let refused = world.patch(format!("{decided}/shipments"), add(false)).await;
    assert_eq!(refusal(&refused), (409, "service_already_set".to_owned()));
    assert_eq!(refused.issues()[0].1, "/shipments/0");
    assert_eq!(world.patch(format!("{decided}/shipments"), add(true)).await.status, 200);
    let fresh = world.shipment(parcel_by("economy")).await;
    let create = |force: bool| json!({"service": standard(), "shipments": [id(&fresh)], "override": force});
    assert_eq!(
        refusal(&world.post("/batches", create(false)).await),
        (409, "service_already_set".to_owned())
    );
    assert_eq!(world.post("/batches", create(true)).await.status, 201);
}

#[tokio::test]
async fn a_patch_of_the_service_merges_into_what_is_there() {
    let world = World::rehearsal().await;
    let made = world.post("/batches", json!({"service": standard()})).await;
    let (path, before) = (made.header("location").to_owned(), made.json()["service"].clone());
    let patch = |service: Value| world.patch(&path, json!({"service": service}));
    // A patch that names the current service, in part or whole, changes nothing.
    for same in [
        json!({}),
        before.clone(),
        json!({"carrier": {"id": before["carrier"]["id"]}}),
        json!({"carrier": {"handle": "sandbox"}}),
        json!({"carrier_account": {"id": before["carrier_account"]["id"]}}),
        json!({"carrier_service": {"description": "what a client makes of it"}}),
        json!({"carrier_account": null}),
    ] {
        let reply = patch(same.clone()).await;
        assert_eq!((reply.status.as_u16(), &reply.json()["service"]), (200, &before), "{same}: {reply}");
    }
    // A patch of one part keeps the others.
    let express = patch(json!({"carrier_service": {"handle": "express"}})).await.json()["service"].clone();
    assert_eq!(express["carrier_service"]["name"], "Express");
    assert_eq!(
        (&express["carrier"], &express["carrier_account"]),
        (&before["carrier"], &before["carrier_account"])
    );
    let other = world
        .post("/carrier_accounts", json!({"carrier": {"handle": "sandbox"}, "name": "Other"}))
        .await
        .json();
    let moved = patch(json!({"carrier_account": {"id": other["id"]}})).await.json()["service"].clone();
    assert_eq!(
        (&moved["carrier_account"]["id"], &moved["carrier_service"]),
        (&other["id"], &express["carrier_service"])
    );
    let cleared = world.patch(&path, json!({"service": null})).await;
    assert_eq!(cleared.json()["service"], Value::Null, "{cleared}");
    // A shipment's service is the one that it was bought with. The server sets it, and ignores it in a patch.
    let shipment = world.shipment(parcel_by("standard")).await;
    let rated = world.rate(&shipment).await;
    let reply = world
        .patch(
            &shipment,
            json!({"service": {"carrier": {"handle": "x"}}, "carrier": {"service_code": "express"}}),
        )
        .await;
    assert_eq!(reply.status, 200, "{reply}");
    assert_eq!(
        reply.json()["carrier"],
        json!({"carrier_code": "sandbox", "service_code": "express", "carrier_accounts": []})
    );
    assert_eq!(rated["service"], reply.json()["service"]);
}
