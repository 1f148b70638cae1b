//! What packages of shipments say of their contents and their type: kept and shown, and no carrier hears of it.

use model::World as Mode;
use serde_json::{Value, json};

use crate::fulfilment::package_types::{small_box, with};
use crate::setup::populated_organisation::parcel;
use crate::setup::stock_requests::refusal;
use crate::setup::world::World;

/// Returns the body of a shipment with one package.
fn shipment(package: Value) -> Value {
    let mut body = parcel();
    body["packages"] = json!([package]);
    body
}

#[tokio::test]
async fn contents_and_type_are_kept_and_sides_are_copied() {
    let world = World::new().await;
    let tee = world.item("TEE").await;
    let outer = json!({"outer_dimensions": {"length": 31, "width": 21, "height": 11}});
    let boxed = world.package_type(with(small_box("small"), outer)).await;
    let inner_only = world.package_type(small_box("inner")).await;
    let plain = world.post("/shipments", parcel()).await.json();
    assert_eq!(
        (&plain["packages"][0]["items"], &plain["packages"][0]["package_type_id"]),
        (&json!([]), &Value::Null)
    );
    let items = json!([{"id": tee, "quantity": 3}]);
    let package = json!({"geometry": {"mass": 1}, "items": items, "package_type_id": boxed});
    let made = world.post("/shipments", shipment(package)).await;
    assert_eq!(made.status, 201, "{made}");
    let path = made.header("location").to_owned();
    let shown = &made.json()["packages"][0];
    assert_eq!((&shown["items"], &shown["package_type_id"]), (&items, &json!(boxed)));
    assert_eq!(shown["geometry"], json!({"length": 31.0, "width": 21.0, "height": 11.0, "mass": 1.0}));
    // Sides that are given stay, and a type without outer dimensions gives its inner ones.
    let sides = json!({"length": 5, "width": 5, "height": 5, "mass": 1});
    let given = json!({"geometry": sides, "package_type_id": boxed});
    let given = world.post("/shipments", shipment(given)).await.json();
    assert_eq!(given["packages"][0]["geometry"]["length"], 5.0);
    let inner = json!({"geometry": {"mass": 1}, "package_type_id": inner_only});
    let inner = world.post("/shipments", shipment(inner)).await.json();
    assert_eq!(inner["packages"][0]["geometry"]["height"], 10.0);

    // A package type and an item that are gone stay named; sides that were copied stay as they are.
    assert_eq!(world.delete(format!("/package_types/{boxed}")).await.status, 204);
    assert_eq!(world.delete(format!("/inventory_items/{tee}")).await.status, 204);
    let back = world.patch(&path, json!({"packages": made.json()["packages"]})).await;
    assert_eq!((back.status.as_u16(), &back.json()["packages"]), (200, &made.json()["packages"]), "{back}");
    let other = json!({"packages": [{"geometry": {"mass": 1}, "package_type_id": inner_only}]});
    let other = world.patch(&path, other).await.json();
    assert_eq!(other["packages"][0]["geometry"]["length"], 30.0);
}

#[tokio::test]
async fn unknown_contents_are_refused() {
    let world = World::new().await;
    let tee = world.item("TEE").await;
    let stranger = world.token_for("Globex", "*", Mode::Live).await;
    let theirs = world.request("POST", "/package_types").token(&stranger).json(small_box("s")).send().await;
    let theirs = theirs.json()["id"].clone();
    let foreign = json!({"sku": "TEE", "name": "Tee"});
    let foreign = world.request("POST", "/inventory_items").token(&stranger).json(foreign).send().await;
    let foreign = foreign.json()["id"].clone();
    let path = world.post("/shipments", parcel()).await.header("location").to_owned();
    let before = world.get(&path).await.text;
    let line = |id: &Value, quantity: i64| json!([{"id": id, "quantity": quantity}]);
    let unknown = json!(format!("inv_{}", "7".repeat(26)));
    let cases = [
        (json!({"items": line(&unknown, 1)}), "inventory_item_not_found", "/packages/0/items/0/id"),
        (json!({"items": line(&foreign, 1)}), "inventory_item_not_found", "/packages/0/items/0/id"),
        (json!({"package_type_id": theirs}), "package_type_not_found", "/packages/0/package_type_id"),
        (
            json!({"package_type_id": format!("pt_{}", "7".repeat(26))}),
            "package_type_not_found",
            "/packages/0/package_type_id",
        ),
        (json!({"items": line(&json!(tee), 0)}), "out_of_range", "/packages/0/items/0/quantity"),
        (
            json!({"items": [{"id": tee, "quantity": 1}, {"id": tee, "quantity": 2}]}),
            "duplicate",
            "/packages/0/items/1/id",
        ),
        (json!({"package_type_id": "small"}), "invalid_id", "/packages/0/package_type_id"),
        // A package type has no mass of its contents.
        (json!({"geometry": null}), "required", "/packages/0/geometry/mass"),
    ];
    for (change, code, field) in cases {
        let package = with(json!({"geometry": {"mass": 1}}), change.clone());
        let created = world.post("/shipments", shipment(package.clone())).await;
        let changed = world.patch(&path, json!({"packages": [package]})).await;
        for reply in [created, changed] {
            let seen = (reply.status.as_u16(), reply.issues());
            assert_eq!(seen, (422, vec![(code.to_owned(), field.to_owned())]), "{change}: {reply}");
        }
    }
    assert_eq!(world.get(&path).await.text, before);
    assert_eq!(world.get("/shipments").await.ids().len(), 1);
}

#[tokio::test]
async fn a_change_of_the_contents_alone_keeps_the_rates() {
    let world = World::rehearsal().await;
    let tee = world.item("TEE").await;
    let path = world.shipment(parcel()).await;
    let rated = world.post(format!("{path}/rates"), json!({})).await.json();
    assert_eq!(rated["status"], "rated", "{rated}");
    let mut packages = rated["packages"].clone();
    packages[0]["items"] = json!([{"id": tee, "quantity": 1}]);
    let changed = world.patch(&path, json!({"packages": packages})).await.json();
    assert_eq!((&changed["status"], &changed["rates"]), (&json!("rated"), &rated["rates"]), "{changed}");
    packages[0]["geometry"]["mass"] = json!(9);
    assert_eq!(world.patch(&path, json!({"packages": packages})).await.json()["status"], "draft");
    // It is bought as before, and still says what is inside.
    world.buy(&path).await;
    let bought = world.get(&path).await.json();
    assert_eq!(bought["packages"][0]["items"][0]["id"], json!(tee));
    let late = world.patch(&path, json!({"packages": packages})).await;
    assert_eq!(refusal(&late), (409, "shipment_purchased".to_owned()));
}
