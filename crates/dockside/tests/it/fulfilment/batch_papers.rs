//! Papers of batches: slips and papers in one file, in the order of the batch, and large batches in parts.

use serde_json::json;

use crate::fulfilment::papers::{packed, pages};
use crate::setup::batch_requests::id;
use crate::setup::purchase_requests::parcel_to;
use crate::setup::stock_requests::refusal;
use crate::setup::world::World;
use crate::shipping::batch_labels::{data, text};

const FINE: &str = "BS1 4DJ";

#[tokio::test]
async fn the_slips_of_a_batch_are_one_file_before_and_after_the_purchase() {
    let world = World::rehearsal().await;
    let tee = world.item("TEE").await;
    let parcels = vec![packed(&[(&tee, 1)]), packed(&[(&tee, 2), (&tee, 1)]), parcel_to(FINE)];
    let (batch, _) = world.labelled_batch("zpl", parcels).await;
    let path = format!("{batch}/packing_slips");
    let open = world.paper(&path, json!({"format": "4x6"})).await;
    assert_eq!(text(&open, "type"), "packing_slips");
    assert_eq!(text(&open, "file_name"), format!("{}-packing-slips-4x6.pdf", id(&batch)));
    assert_eq!(open["shipment_id"], json!(null));
    // The third shipment names nothing that it contains.
    assert_eq!(pages(&world.file(&open).await), 2);
    let refused = world.post(format!("{batch}/papers"), json!({})).await;
    assert_eq!(refusal(&refused), (409, "batch_not_finalised".to_owned()));

    world.begin(&format!("{batch}/purchase"), None).await;
    world.work().await;
    let bought = world.paper(&path, json!({"format": "4x6"})).await;
    assert_eq!(bought["id"], open["id"]);
    let papers = world.paper(&format!("{batch}/papers"), json!({"format": "4x6"})).await;
    // Of each shipment its labels and its slip: 1 + 1, 2 + 1, and 1.
    assert_eq!((text(&papers, "type"), pages(&world.file(&papers).await)), ("papers", 6));
    // The papers of a batch are not among its labels.
    let labels = data(&world.get(format!("{batch}/labels")).await);
    assert!(labels.iter().all(|one| text(one, "type") == "label"), "{labels:?}");
}

#[tokio::test]
async fn a_voided_shipment_has_no_papers() {
    let world = World::rehearsal().await;
    let tee = world.item("TEE").await;
    let (batch, shipments) =
        world.bought_batch("pdf", vec![packed(&[(&tee, 1)]), packed(&[(&tee, 1)])]).await;
    world.begin(&format!("{}/void", shipments[0]), None).await;
    world.work().await;
    let slips = world.paper(&format!("{batch}/packing_slips"), json!({})).await;
    assert_eq!(pages(&world.file(&slips).await), 1);
    let papers = world.paper(&format!("{batch}/papers"), json!({})).await;
    assert_eq!(pages(&world.file(&papers).await), 2);
}

#[tokio::test]
async fn empty_batches_are_refused_and_papers_go_with_the_batch() {
    let world = World::rehearsal().await;
    let empty = world.batch(json!({})).await;
    let reply = world.post(format!("{empty}/packing_slips"), json!({})).await;
    assert_eq!(refusal(&reply), (409, "nothing_to_list".to_owned()));
    world.set_batch_status(&empty, "purchased").await;
    let reply = world.post(format!("{empty}/papers"), json!({})).await;
    assert_eq!(refusal(&reply), (422, "batch_empty".to_owned()));
    let tee = world.item("TEE").await;
    let (batch, _) = world.labelled_batch("pdf", vec![packed(&[(&tee, 1)])]).await;
    let slips = world.paper(&format!("{batch}/packing_slips"), json!({})).await;
    assert_eq!(world.delete(&batch).await.status, 204);
    let link = text(&slips, "file_url").strip_prefix("https://dockside.example.com").unwrap().to_owned();
    assert_eq!(world.request("GET", &link).anonymous().send().await.status, 404);
}

#[tokio::test]
async fn a_large_batch_is_printed_part_by_part() {
    let world = World::rehearsal().await;
    let tee = world.item("TEE").await;
    let (batch, shipments) = world.labelled_batch("pdf", vec![packed(&[(&tee, 1)])]).await;
    // Copies of the one shipment, as rows: creating 501 by requests takes too long.
    let (one, name) = (id(&shipments[0]), id(&batch));
    let columns = "owner, version, status, packages_count, errors_count, chosen, origin_id, origin_version, doc, batch_id";
    let copies: Vec<String> = (0..501).map(|n| format!("('shp_7zzzzzzzzzzzzzzzzzzzzz{n:04}')")).collect();
    world
        .tamper(&format!(
            "INSERT INTO shipment (id, {columns})
             SELECT copy.column1, {columns} FROM shipment CROSS JOIN (VALUES {}) AS copy WHERE id = '{one}'",
            copies.join(", ")
        ))
        .await;
    world.tamper(&format!("UPDATE batch SET shipments_count = 502 WHERE id = '{name}'")).await;
    for path in ["packing_slips", "pick_lists"] {
        let path = format!("{batch}/{path}");
        let whole = world.post(&path, json!({})).await;
        assert_eq!(refusal(&whole), (422, "batch_part_required".to_owned()), "{whole}");
        assert_eq!(whole.issues()[0].1, "/part", "{whole}");
        for wrong in [3, 1_000_000] {
            let reply = world.post(&path, json!({"part": wrong})).await;
            assert_eq!(refusal(&reply), (422, "batch_part_not_found".to_owned()), "{reply}");
        }
        let zero = world.post(&path, json!({"part": 0})).await;
        assert_eq!(refusal(&zero), (422, "validation_failed".to_owned()), "{zero}");
    }
    let last = world.paper(&format!("{batch}/packing_slips"), json!({"part": 2, "format": "4x6"})).await;
    assert!(text(&last, "file_name").ends_with("-packing-slips-part-2-4x6.pdf"), "{last}");
    assert_eq!(pages(&world.file(&last).await), 2);
    let first = world.paper(&format!("{batch}/pick_lists"), json!({"part": 1, "format": "4x6"})).await;
    assert!(text(&first, "file_name").ends_with("-pick-list-part-1-4x6.pdf"), "{first}");
}
