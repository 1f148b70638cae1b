//! What items say for scanning, customs and packing.

use std::sync::Arc;

use model::World as Mode;
use serde_json::{Value, json};

use crate::setup::stock_requests::refusal;
use crate::setup::world::{Reply, World};

const UPC: &str = "012345678905";
const EAN: &str = "0012345678905";

async fn item_with(world: &World, sku: &str, barcodes: Value) -> Reply {
    world.post("/inventory_items", json!({"sku": sku, "name": sku, "barcodes": barcodes})).await
}

fn id_of(reply: &Reply) -> String {
    reply.json()["id"].as_str().expect("an id").to_owned()
}

#[tokio::test]
async fn details_are_kept_shown_changed_and_told() {
    let world = World::new().await;
    let details = json!({
        "barcodes": ["4006381333931", "BOX-7"], "unit_value": 1299, "currency_code": "GBP",
        "customs_description": "Cotton T-shirt", "ships_alone": true, "keep_upright": true, "tags": ["fragile"],
    });
    let mut body = json!({"sku": "TEE", "name": "Tee"});
    body.as_object_mut().unwrap().extend(details.as_object().unwrap().clone());
    let created = world.post("/inventory_items", body).await;
    assert_eq!(created.status, 201, "{created}");
    let path = created.header("location").to_owned();
    let read = world.get(&path).await.json();
    for (name, value) in details.as_object().unwrap() {
        assert_eq!(&read[name], value, "{name}");
    }
    let cleared = json!({
        "barcodes": null, "unit_value": null, "currency_code": null, "customs_description": null,
        "ships_alone": null, "keep_upright": false, "tags": [],
    });
    let changed = world.patch(&path, cleared).await.json();
    let empty = json!({
        "barcodes": [], "unit_value": null, "currency_code": null, "customs_description": null,
        "ships_alone": false, "keep_upright": false, "tags": [],
    });
    for (name, value) in empty.as_object().unwrap() {
        assert_eq!(&changed[name], value, "{name}");
    }
    let events = world.events().await;
    let last = events.last().expect("an event");
    assert_eq!(last.r#type, "inventory_item.updated");
    let previous: Value = serde_json::from_str(last.previous_attributes.as_deref().unwrap()).unwrap();
    assert_eq!((&previous["barcodes"], &previous["unit_value"]), (&details["barcodes"], &json!(1299)));
    assert_eq!(serde_json::from_str::<Value>(&last.object).unwrap(), changed);
}

#[tokio::test]
async fn what_is_wrong_with_the_details_is_named() {
    let world = World::new().await;
    let cases = [
        (json!({"unit_value": 5}), "required", "/currency_code"),
        (json!({"currency_code": "GBP"}), "required", "/unit_value"),
        (json!({"unit_value": 5.5, "currency_code": "GBP"}), "amount_not_integer", "/unit_value"),
        (json!({"unit_value": -1, "currency_code": "GBP"}), "out_of_range", "/unit_value"),
        (json!({"unit_value": 5, "currency_code": "XYZ"}), "invalid_value", "/currency_code"),
        (json!({"barcodes": [UPC, "A", EAN]}), "duplicate", "/barcodes/2"),
        (json!({"barcodes": ["A", " A"]}), "invalid_format", "/barcodes/1"),
        (json!({"barcodes": [""]}), "too_short", "/barcodes/0"),
        (json!({"barcodes": ["x".repeat(101)]}), "too_long", "/barcodes/0"),
        (json!({"barcodes": [7]}), "invalid_type", "/barcodes/0"),
        (json!({"barcodes": vec!["x"; 21]}), "too_many", "/barcodes"),
        (json!({"tags": ["Not ok"]}), "invalid_format", "/tags/0"),
        (json!({"ships_alone": "yes"}), "invalid_type", "/ships_alone"),
        (json!({"customs_description": " "}), "blank", "/customs_description"),
    ];
    for (details, code, field) in cases {
        let mut body = json!({"sku": "x", "name": "x"});
        body.as_object_mut().unwrap().extend(details.as_object().unwrap().clone());
        let reply = world.post("/inventory_items", body).await;
        assert_eq!(reply.status, 422, "{details}: {reply}");
        assert_eq!(reply.issues(), [(code.to_owned(), field.to_owned())], "{details}");
    }
    assert_eq!(world.get("/inventory_items").await.ids(), [""; 0]);
}

#[tokio::test]
async fn a_barcode_belongs_to_one_item_however_it_is_printed() {
    let world = World::new().await;
    let tee = id_of(&item_with(&world, "TEE", json!([UPC, "own"])).await);
    let before = world.everything().await;
    let again = item_with(&world, "MUG", json!(["free", EAN, "own"])).await;
    assert_eq!(refusal(&again), (409, "barcode_taken".to_owned()), "{again}");
    let taken = |place: &str| ("barcode_taken".to_owned(), place.to_owned());
    assert_eq!(again.issues(), [taken("/barcodes/1"), taken("/barcodes/2")]);
    assert_eq!(world.everything().await, before, "the refused item left nothing, not even its other barcode");

    // An own code matches exactly, and 14 digits are the same number too.
    let mug = id_of(&item_with(&world, "MUG", json!(["OWN", "free"])).await);
    let path = format!("/inventory_items/{mug}");
    let taken = world.patch(&path, json!({"barcodes": ["00012345678905"]})).await;
    assert_eq!(refusal(&taken), (409, "barcode_taken".to_owned()));
    let (with, without) =
        (format!("/inventory_items?barcode={EAN}"), format!("/inventory_items?barcode={UPC}"));
    assert_eq!(world.get(&with).await.ids(), [tee.as_str()]);
    assert_eq!(world.get(&without).await.ids(), [tee.as_str()]);
    assert_eq!(world.get("/inventory_items?barcode=own").await.ids(), [tee.as_str()]);
    assert_eq!(world.get("/inventory_items?barcode=OWN").await.ids(), [mug.as_str()]);

    // Its own barcodes may be written in another form, in another order; a barcode that is given up is free.
    let same = world.patch(format!("/inventory_items/{tee}"), json!({"barcodes": ["own", EAN]})).await;
    assert_eq!(same.status, 200, "{same}");
    assert_eq!(
        world.patch(format!("/inventory_items/{tee}"), json!({"barcodes": ["own"]})).await.status,
        200
    );
    assert_eq!(world.patch(&path, json!({"barcodes": [UPC]})).await.status, 200);
    assert_eq!(world.get(&with).await.ids(), [mug.as_str()]);
    assert_eq!(world.delete(&path).await.status, 204);
    assert_eq!(item_with(&world, "NEW", json!([UPC, "free"])).await.status, 201);
}

#[tokio::test]
async fn organisations_and_worlds_have_barcodes_of_their_own() {
    let world = World::new().await;
    assert_eq!(item_with(&world, "TEE", json!([UPC])).await.status, 201);
    for (organisation, mode) in [("Acme", Mode::Test), ("Globex", Mode::Live)] {
        let token = world.token_for(organisation, "*", mode).await;
        let find = format!("/inventory_items?barcode={UPC}");
        assert_eq!(world.request("GET", &find).token(&token).send().await.ids(), [""; 0]);
        let body = json!({"sku": "TEE", "name": "Tee", "barcodes": [UPC]});
        let theirs = world.request("POST", "/inventory_items").token(&token).json(body).send().await;
        assert_eq!(theirs.status, 201, "{theirs}");
        assert_eq!(world.request("GET", &find).token(&token).send().await.ids().len(), 1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_items_with_one_barcode_at_the_same_moment_one_is_made() {
    const WRITERS: usize = 12;
    let world = Arc::new(World::new().await);
    let moved = id_of(&item_with(&world, "MOVED", json!([])).await);
    let mut writers = tokio::task::JoinSet::new();
    for number in 0..WRITERS {
        let (world, moved) = (world.clone(), moved.clone());
        writers.spawn(async move {
            let (code, other) = if number % 2 == 0 { (UPC, EAN) } else { (EAN, UPC) };
            match number {
                0 => {
                    world.patch(format!("/inventory_items/{moved}"), json!({"barcodes": [other, "z"]})).await
                }
                // In another order, so that transactions would wait for each other in a circle.
                1..6 => {
                    item_with(&world, &format!("SKU-{number}"), json!([code, format!("own-{number}"), "z"]))
                        .await
                }
                _ => {
                    item_with(&world, &format!("SKU-{number}"), json!(["z", format!("own-{number}"), code]))
                        .await
                }
            }
        });
    }
    let replies = writers.join_all().await;
    let (won, lost): (Vec<_>, Vec<_>) = replies.into_iter().partition(|reply| reply.status.is_success());
    assert_eq!((won.len(), lost.len()), (1, WRITERS - 1));
    for reply in &lost {
        assert_eq!(refusal(reply), (409, "barcode_taken".to_owned()), "{reply}");
    }
    assert_eq!(world.get(format!("/inventory_items?barcode={UPC}")).await.ids(), [id_of(&won[0])]);
}
