//! Pick lists of batches: one for each location that shipments leave from.

use serde_json::{Value, json};

use crate::fulfilment::papers::{packed, pages};
use crate::setup::batch_requests::id;
use crate::setup::populated_organisation::parcel;
use crate::setup::shipping_origin::ShippingOrigin;
use crate::setup::stock_requests::refusal;
use crate::setup::world::World;
use crate::shipping::batch_labels::{data, text};

/// Returns a parcel with these items that leaves from a location.
fn parcel_from(origin: &ShippingOrigin, items: &[(&str, i64)]) -> Value {
    let mut body = packed(items);
    body["addresses"] = origin.parcel("BS1 4DJ")["addresses"].clone();
    body
}

#[tokio::test]
async fn each_location_has_a_list() {
    let world = World::rehearsal().await;
    let (tee, mug) = (world.item("TEE").await, world.item("MUG").await);
    let (north, south) = (ShippingOrigin::new(&world).await, ShippingOrigin::new(&world).await);
    world.count(&tee, &north.location, 5).await;
    let level = format!("/inventory_items/{tee}/levels/{}", north.location);
    assert_eq!(world.patch(level, json!({"bin": "A-03-2"})).await.status, 200);
    let paths = [
        world.shipment(parcel_from(&north, &[(&tee, 2), (&mug, 1)])).await,
        world.shipment(parcel_from(&south, &[(&mug, 4)])).await,
        world.shipment(packed(&[(&tee, 1)])).await,
        world.shipment(parcel()).await,
    ];
    let batch = world.batch_of(&paths).await;
    let path = format!("{batch}/pick_lists");
    let reply = world.post(&path, json!({"format": "a4"})).await;
    assert_eq!(reply.status, 201, "{reply}");
    let lists = data(&reply);
    // The third shipment leaves from an address, and the fourth names no items.
    assert_eq!(lists.len(), 3, "{reply}");
    for list in &lists {
        assert_eq!((text(list, "type"), text(list, "file_type")), ("pick_list", "application/pdf"));
        assert_eq!(pages(&world.file(list).await), 1);
    }
    let names: Vec<&str> = lists.iter().map(|list| text(list, "file_name")).collect();
    let tail = |location: &str| location[location.len() - 6..].to_owned();
    for origin in [&north, &south] {
        let ending = format!("-pick-list-{}-a4.pdf", tail(&origin.location));
        assert_eq!(names.iter().filter(|name| name.ends_with(&ending)).count(), 1, "{names:?}");
    }

    // One location alone; its document is the same.
    let one = world.post(&path, json!({"format": "a4", "location_id": south.location})).await;
    let ending = format!("-pick-list-{}-a4.pdf", tail(&south.location));
    let same = lists.iter().find(|list| text(list, "file_name").ends_with(&ending)).unwrap();
    assert_eq!(data(&one).len(), 1);
    assert_eq!(data(&one)[0]["id"], same["id"]);
}

#[tokio::test]
async fn what_can_not_be_collected_is_refused() {
    let world = World::rehearsal().await;
    let batch = world.batch_of(&[world.shipment(parcel()).await]).await;
    let path = format!("{batch}/pick_lists");
    assert_eq!(refusal(&world.post(&path, json!({})).await), (409, "nothing_to_pick".to_owned()));
    let elsewhere = world.location("Elsewhere").await;
    let unused = world.post(&path, json!({"location_id": elsewhere})).await;
    assert_eq!(refusal(&unused), (409, "nothing_to_pick".to_owned()));
    let unknown = world.post(&path, json!({"location_id": "loc_00000000000000000000000000"})).await;
    assert_eq!(refusal(&unknown), (422, "location_not_found".to_owned()));
    assert_eq!(unknown.issues()[0].1, "/location_id");
    let other = world.post(&path, json!({"location_id": id(&batch)})).await;
    assert_eq!(other.status, 422, "{other}");
}
