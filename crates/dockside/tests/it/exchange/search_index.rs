//! The index of the search follows every change, and is filled for what was stored before there was one.

use serde_json::json;

use crate::setup::batch_requests::id;
use crate::setup::populated_organisation::parcel;
use crate::setup::stock_requests::lines;
use crate::setup::world::{World, depot};

/// Returns the ids that a search finds.
async fn found(world: &World, query: &str) -> Vec<String> {
    let reply = world.get(format!("/search?q={query}&limit=100")).await;
    assert_eq!(reply.status, 200, "{reply}");
    reply.ids()
}

#[tokio::test]
async fn a_change_moves_the_terms_and_a_deletion_takes_them_away() {
    let world = World::new().await;
    let item = world.item("HAT").await;
    let order = json!({"items": lines(&[(&item, 1)]), "reference": "before-1", "customer": {"name": "Kept"}});
    let mut shipment = parcel();
    shipment["name"] = json!("before-2");
    for (path, made, changed) in [
        ("/orders", order, json!({"reference": "after-1"})),
        ("/shipments", shipment, json!({"name": "after-2"})),
        ("/inventory_items", json!({"sku": "before-3", "name": "Kept"}), json!({"sku": "after-3"})),
        ("/batches", json!({"name": "before-4"}), json!({"name": "after-4"})),
        ("/locations", depot("before-5"), json!({"name": "after-5"})),
    ] {
        let reply = world.post(path, made).await;
        assert_eq!(reply.status, 201, "{reply}");
        let id = reply.json()["id"].as_str().unwrap().to_owned();
        assert_eq!(found(&world, "before").await, [id.as_str()], "{path}");
        assert_eq!(world.patch(format!("{path}/{id}"), changed).await.status, 200);
        assert_eq!(found(&world, "before").await, [""; 0], "{path}");
        assert_eq!(found(&world, "after").await, [id.as_str()], "{path}");
        assert_eq!(world.delete(format!("{path}/{id}")).await.status, 204);
        assert_eq!(found(&world, "after").await, [""; 0], "{path}");
        assert_eq!(found(&world, "kept").await, [""; 0], "{path}");
    }
    // Only the terms of the item are left.
    world.delete(format!("/inventory_items/{item}")).await;
    assert_eq!(world.terms().await, [""; 0]);
}

#[tokio::test]
async fn a_refused_request_leaves_no_terms() {
    let world = World::new().await;
    world.item("HAT").await;
    let before = world.terms().await;
    let taken = world.post("/inventory_items", json!({"sku": "HAT", "name": "Other"})).await;
    assert_eq!(taken.code(), "sku_taken");
    let unknown =
        json!({"reference": "X-1", "items": [{"id": format!("inv_{}", "7".repeat(26)), "quantity": 1}]});
    assert_eq!(world.post("/orders", unknown).await.code(), "inventory_item_not_found");
    assert_eq!(world.terms().await, before);
}

#[tokio::test]
async fn what_was_stored_before_is_filled_in_and_a_fill_resumes() {
    let world = World::new().await;
    let item = world.item("HAT").await;
    let mut orders = Vec::new();
    for number in 0..5 {
        let body = json!({"items": lines(&[(&item, 1)]), "reference": format!("SO-{number}")});
        orders.push(world.post("/orders", body).await.json()["id"].as_str().unwrap().to_owned());
    }
    orders.sort();
    world.location("Depot").await;
    world.shipment(parcel()).await;
    world.batch(json!({"name": "Monday"})).await;
    let complete = world.terms().await;
    assert!(complete.len() > 8, "{complete:?}");
    // As after an upgrade: no terms, and a mark for each type. Of the orders, three are done.
    let owner = world.owner();
    world
        .tamper(&format!(
            "DELETE FROM search_term;
             INSERT INTO search_fill (owner, kind, after_id) VALUES ('{owner}', 'ord', '{}'), ('{owner}', 'inv', ''),
                 ('{owner}', 'shp', ''), ('{owner}', 'batch', ''), ('{owner}', 'loc', '')",
            orders[2]
        ))
        .await;
    assert_eq!(found(&world, "so").await, [""; 0]);
    // A change before its turn writes only what differs; the fill adds the rest.
    world.patch(format!("/orders/{}", orders[4]), json!({"customer": {"name": "Late"}})).await;
    world.service.search_fill.work().await.unwrap();
    let mut filled = found(&world, "so").await;
    filled.sort();
    assert_eq!(filled, orders[3..]);
    assert_eq!(found(&world, "late").await, [orders[4].as_str()]);
    world
        .tamper(&format!("INSERT INTO search_fill (owner, kind, after_id) VALUES ('{owner}', 'ord', '')"))
        .await;
    world.service.search_fill.work().await.unwrap();
    let mut expected = complete.clone();
    expected.push("=late".to_owned());
    expected.sort();
    assert_eq!(world.terms().await, expected);
    assert_eq!(found(&world, "monday").await.len(), 1);
    // Nothing is left to do.
    world.service.search_fill.work().await.unwrap();
    assert_eq!(world.terms().await, expected);
}

#[tokio::test]
async fn buying_adds_the_tracking_number_and_nothing_else_is_lost() {
    let world = World::rehearsal().await;
    let mut body = parcel();
    body["name"] = json!("SO-9");
    let path = world.shipment(body).await;
    let before = world.terms().await;
    let bought = world.buy(&path).await;
    world.work_for(60).await;
    let number = bought["tracking_number"].as_str().unwrap().to_lowercase();
    let mut expected = before;
    expected.push(format!("={}", number.replace(|char: char| !char.is_alphanumeric(), "")));
    expected.sort();
    assert_eq!(world.terms().await, expected);
    assert_eq!(found(&world, "so-9").await, [id(&path)]);
}

impl World {
    /// Returns all terms of the index, sorted.
    async fn terms(&self) -> Vec<String> {
        const TERMS: store::Sql = store::Sql::same("SELECT term FROM search_term ORDER BY term");
        let read = self.db.read(store::Access::System, async |tx| {
            let rows = tx.all(&TERMS, &[]).await?;
            rows.into_iter().map(|mut row| row.text(0)).collect::<model::Result<Vec<String>>>()
        });
        read.await.expect("the terms")
    }
}
