//! What was read may be sent back as it is: no field of an answer is refused in a request.

use api::route::{Body, Route, Success};
use api::routes;
use http::Method;
use model::World as Mode;
use serde_json::{Value, json};

use crate::setup::populated_organisation::{PopulatedOrganisation, parcel};
use crate::setup::world::{Reply, World};

/// What a change may touch although nothing was to change.
const MOVING: [&str; 1] = ["updated_at"];

async fn ask(world: &World, tenant: &PopulatedOrganisation, method: &str, path: &str, body: &Value) -> Reply {
    world.request(method, path).token(&tenant.token).json(body.clone()).send().await
}

async fn read(world: &World, tenant: &PopulatedOrganisation, path: &str) -> Value {
    let reply = world.request("GET", path).token(&tenant.token).send().await;
    assert_eq!(reply.status, 200, "{path}: {reply}");
    reply.json()
}

fn without_moving(mut resource: Value) -> Value {
    for field in MOVING {
        resource.as_object_mut().expect("a resource").remove(field);
    }
    resource
}

/// The rows of this method that read or take one resource, by path.
fn rows(method: Method) -> impl Iterator<Item = Route> {
    routes::all().into_iter().filter(move |route| route.method == method && route.scope().is_some())
}

#[tokio::test]
async fn what_was_read_may_be_sent_back_to_patch_and_changes_nothing() {
    let world = World::new().await;
    for mode in [Mode::Live, Mode::Test] {
        let tenant = PopulatedOrganisation::populate(&world, "Acme", mode).await;
        let mut sent = Vec::new();
        for patch in rows(Method::PATCH).filter(|route| matches!(route.body, Some(Body::Patch(_)))) {
            // Both worlds share it, and the live one has it.
            if patch.live_only && mode == Mode::Test {
                sent.push(patch.operation);
                continue;
            }
            let path = tenant.path(&patch);
            let before = read(&world, &tenant, &path).await;
            let reply = ask(&world, &tenant, "PATCH", &path, &before).await;
            assert_eq!(reply.status, 200, "{}: {reply}", patch.operation);
            assert_eq!(without_moving(reply.json()), without_moving(before), "{}", patch.operation);
            sent.push(patch.operation);
        }
        sent.sort_unstable();
        let expected = [
            "update_batch",
            "update_carrier_account",
            "update_inventory_item",
            "update_inventory_level",
            "update_location",
            "update_location_configuration",
            "update_order",
            "update_organisation",
            "update_package_type",
            "update_printer",
            "update_role",
            "update_shipment",
            "update_shipping_rule",
            "update_user",
            "update_webhook_endpoint",
        ];
        assert_eq!(sent, expected, "a resource that can be changed is read and sent back here");
    }
}

#[tokio::test]
async fn what_was_read_may_be_sent_back_to_post_and_makes_another() {
    let world = World::new().await;
    let tenant = PopulatedOrganisation::populate(&world, "Acme", Mode::Live).await;
    let mut made = Vec::new();
    let gets: Vec<Route> =
        rows(Method::GET).filter(|route| matches!(route.success, Success::Resource(_))).collect();
    for post in rows(Method::POST).filter(|route| matches!(route.success, Success::Created(_))) {
        let of_collection = |get: &&Route| {
            get.path.strip_prefix(post.path).is_some_and(|rest| rest.matches('/').count() == 1)
        };
        let Some(get) = gets.iter().find(of_collection) else { continue };
        let mut body = read(&world, &tenant, &tenant.path(get)).await;
        match post.operation {
            // Two items can't have one SKU, nor two package types one handle, nor can a shipment be in two batches.
            "create_inventory_item" => body["sku"] = json!("another"),
            "create_package_type" => body["handle"] = json!("another"),
            "create_role" => body["name"] = json!("another"),
            "create_user" => body["email_address"] = json!("another@acme.example"),
            "create_batch" => body["shipments"] = json!([]),
            // The orders of a wave are a list of their own.
            "create_wave" => body["order_ids"] = json!([tenant.ids["ord"]]),
            _ => {}
        }
        let reply = ask(&world, &tenant, "POST", post.path, &body).await;
        assert_eq!(reply.status, 201, "{}: {reply}", post.operation);
        made.push(post.operation);
    }
    made.sort_unstable();
    let expected = [
        "create_access_token",
        "create_batch",
        "create_carrier_account",
        "create_import",
        "create_inventory_item",
        "create_location",
        "create_location_configuration",
        "create_order",
        "create_package_type",
        "create_print_job",
        "create_printer",
        "create_role",
        "create_shipment",
        "create_shipping_rule",
        "create_user",
        "create_wave",
        "create_webhook_endpoint",
    ];
    assert_eq!(made, expected, "a resource that can be made is read and sent back here");
}

#[tokio::test]
async fn allocations_and_levels_may_be_sent_back_too() {
    let world = World::new().await;
    let (item, location) = world.stocked("TEE", 5).await;
    let order = world.order(&[(&item, 4)]).await;
    let path = format!("/allocations/orders/{order}");
    let one = json!({"location": {"id": location}, "items": [{"id": item, "quantity": 2}]});
    assert_eq!(world.post(&path, json!({"allocations": [one]})).await.status, 201);
    let read = world.get(&path).await.json()["data"].clone();
    let changed = world.patch(&path, json!({"allocations": read})).await;
    assert_eq!((changed.status.as_u16(), &changed.json()["data"]), (200, &read), "{changed}");
    assert_eq!(world.post(&path, json!({"allocations": read})).await.status, 201, "as much again");

    let level = format!("/inventory_items/{item}/levels/{location}");
    let before = world.get(&level).await.json();
    let set = world.put(&level, before.clone()).await;
    assert_eq!(
        (set.status.as_u16(), set.json()["on_hand"].clone()),
        (200, before["on_hand"].clone()),
        "{set}"
    );
}

#[tokio::test]
async fn a_shipment_that_is_sent_back_still_belongs_to_its_location() {
    let world = World::rehearsal().await;
    let (configuration, location, _) = world.configuration("Main").await;
    let mut body = parcel();
    body["addresses"]["origin"] = Value::Null;
    body["addresses"]["location_configuration_id"] = json!(configuration);
    let path = world.shipment(body).await;
    let read = world.get(&path).await.json();
    assert_eq!(world.patch(&path, read.clone()).await.status, 200);
    let only_origin = json!({"addresses": {"origin": read["addresses"]["origin"]}});
    assert_eq!(world.patch(&path, only_origin).await.status, 200);
    world.buy(&path).await;
    let closed = world.begin("/manifests", Some(json!({"location": {"id": location}}))).await;
    assert_eq!(
        (closed.status.as_u16(), &closed.json()["data"][0]["shipments"]),
        (202, &json!([read["id"]])),
        "{closed}"
    );
}

#[tokio::test]
async fn what_was_bought_may_be_named_whole_wherever_a_shipment_is_named() {
    let world = World::rehearsal().await;
    let bought = world.shipment(parcel()).await;
    let bought = world.buy(&bought).await;
    assert_eq!(bought["documents"].as_array().map(Vec::len), Some(1), "it has all that a shipment may have");
    let batch = world.batch(json!({})).await;
    // No field is refused: that it is bought is.
    for (method, path) in [("POST", "/batches".to_owned()), ("PATCH", batch)] {
        let reply = world.request(method, &path).json(json!({"shipments": bought})).send().await;
        assert_eq!((reply.status.as_u16(), reply.code().as_str()), (409, "shipment_purchased"), "{reply}");
    }
}

#[tokio::test]
async fn a_batch_takes_its_shipments_as_one_object_as_ids_as_objects_and_whole() {
    let world = World::rehearsal().await;
    let mut shipments = Vec::new();
    for _ in 0..10 {
        shipments.push(world.get(world.shipment(parcel()).await).await.json());
    }
    let forms = |at: usize| -> [(Value, usize); 5] {
        let (one, two) = (&shipments[at], &shipments[at + 1]);
        [
            (json!(one["id"]), 1),
            (json!({"id": one["id"]}), 1),
            (one.clone(), 1),
            (json!([one["id"], {"id": two["id"]}]), 2),
            (json!([one, two]), 2),
        ]
    };
    // Errors are the server's to tell, in whatever form they come back.
    let errors =
        [json!([]), json!({"type": "rate_error", "shipment_id": "x"}), json!([{"package": 1}]), json!("x")];
    for (number, (form, count)) in forms(0).into_iter().enumerate() {
        let body = json!({"shipments": form, "errors": errors[number % errors.len()]});
        let made = world.post("/batches", body.clone()).await;
        assert_eq!(
            (made.status.as_u16(), made.json()["shipments_count"].as_u64()),
            (201, Some(count as u64)),
            "{made}"
        );
        let path = made.header("location").to_owned();
        let removed = world.request("DELETE", &format!("{path}/shipments")).json(json!({"shipments": form}));
        assert_eq!(removed.send().await.json()["shipments_count"], 0);
        let changed = world.patch(&path, body).await;
        assert_eq!(changed.json()["shipments_count"], count, "{changed}");
        assert_eq!(world.delete(&path).await.status, 204);
    }
    let refused = world.post("/batches", json!({"shipments": {"id": shipments[0]["id"], "nmae": "x"}})).await;
    assert_eq!(refused.issues(), [("unknown_field".to_owned(), "/shipments/nmae".to_owned())]);
    let refused = world.post("/batches", json!({"shipments": {"name": "x"}})).await;
    assert_eq!(refused.issues(), [("required".to_owned(), "/shipments/id".to_owned())]);
    for wrong in [json!(7), json!(true), json!([7])] {
        assert_eq!(world.post("/batches", json!({"shipments": wrong})).await.status, 422);
    }
}

#[tokio::test]
async fn whatever_is_inside_a_field_that_the_server_makes_is_ignored() {
    let world = World::rehearsal().await;
    let path = world.shipment(parcel()).await;
    let before = world.get(&path).await.json();
    for cost in [json!(null), json!({"amount": null, "since": null}), json!({"": {"x": null}}), json!(7)] {
        let reply = world.patch(&path, json!({"cost": cost, "rates": [null]})).await;
        assert_eq!(reply.status, 200, "{cost}: {reply}");
    }
    assert_eq!(without_moving(world.get(&path).await.json()), without_moving(before));
}
