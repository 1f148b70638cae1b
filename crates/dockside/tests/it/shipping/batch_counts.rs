//! What batches count of their shipments is exact, whatever happens to these, and their status follows from it.

use serde_json::json;

use crate::setup::batch_requests::id;
use crate::setup::populated_organisation::parcel;
use crate::setup::purchase_requests::parcel_to;
use crate::setup::stock_requests::refusal;
use crate::setup::world::World;

#[tokio::test]
async fn counts_are_exact_after_every_kind_of_change_to_a_shipment() {
    let world = World::rehearsal().await;
    let mut shipments = world.parcels(3).await;
    shipments.push(world.shipment(parcel_to("SBX-RATES-NONE")).await);
    shipments.push(world.shipment(parcel_to("SBX-DECLINED")).await);
    let batch = world.batch_of(&shipments).await;
    assert_eq!(world.counts(&batch).await, [5, 0, 0, 5]);
    let piece = parcel()["packages"][0].clone();
    world.patch(&shipments[0], json!({"packages": [piece, piece, piece]})).await;
    assert_eq!(world.counts(&batch).await, [5, 0, 0, 7], "multi-piece shipments have more packages");
    world.rate(&shipments[3]).await;
    assert_eq!(world.counts(&batch).await, [5, 0, 1, 7], "an error of rating");
    let shown = world.get(&batch).await.json();
    let own = world.get(&shipments[3]).await.json()["errors"].clone();
    let mut named = own.clone();
    named[0]["shipment_id"] = json!(id(&shipments[3]));
    assert_eq!((&shown["errors"], &shown["errors"][0]["type"]), (&named, &json!("rate_error")));
    assert_eq!(shown["shipments"][3]["errors"], own);
    world.buy(&shipments[4]).await;
    assert_eq!(world.counts(&batch).await, [5, 0, 2, 7], "a purchase that was declined");
    let by_code = json!({"purchase_declined": 1, "rates_unavailable": 1});
    assert_eq!(world.get(&batch).await.json()["error_counts"], by_code);
    assert_eq!(world.get("/batches").await.json()["data"][0]["error_counts"], by_code);
    world.buy(&shipments[0]).await;
    assert_eq!(world.counts(&batch).await, [5, 1, 2, 7], "one bought by itself");
    assert_eq!(world.get(&batch).await.json()["status"], "open");
    world.patch(&shipments[3], parcel_to("BS1 4DJ")).await;
    assert_eq!(world.counts(&batch).await, [5, 1, 1, 7], "a repair forgets the errors");
    world.begin(&format!("{}/void", shipments[0]), None).await;
    world.work().await;
    assert_eq!(world.counts(&batch).await, [5, 0, 1, 7], "what was taken back is not purchased");
    assert_eq!(world.delete(&shipments[4]).await.status, 204);
    assert_eq!(world.counts(&batch).await, [4, 0, 0, 6], "a shipment was deleted");
    world.remove(&batch, &[id(&shipments[1])]).await;
    assert_eq!(world.counts(&batch).await, [3, 0, 0, 5]);
    world.patch(&shipments[1], json!({"packages": [piece, piece]})).await;
    assert_eq!(world.counts(&batch).await, [3, 0, 0, 5], "what was removed is not counted any more");
}

#[tokio::test]
async fn a_batch_shows_a_hundred_errors_and_counts_them_all() {
    let world = World::rehearsal().await;
    let mut shipments = Vec::new();
    for _ in 0..3 {
        shipments.push(world.shipment(parcel_to("SBX-RATES-NONE")).await);
    }
    for path in &shipments {
        let mut shipment = world.rate(path).await;
        let error = shipment["errors"][0].clone();
        shipment["errors"] = json!(vec![error; 40]);
        shipment.as_object_mut().unwrap().remove("documents");
        let doc = shipment.to_string().replace('\'', "''");
        let codes = vec!["rates_unavailable"; 40].join(" ");
        world
            .tamper(&format!(
                "UPDATE shipment SET doc = '{doc}', errors_count = 40, error_codes = '{codes}' WHERE id = '{}'",
                id(path)
            ))
            .await;
    }
    let batch = world.batch_of(&shipments).await;
    assert_eq!(world.counts(&batch).await, [3, 0, 120, 3]);
    assert_eq!(world.get(&batch).await.json()["error_counts"], json!({"rates_unavailable": 120}));
    assert_eq!(world.get(&batch).await.json()["errors"].as_array().unwrap().len(), 100);
    assert_eq!(world.get("/batches").await.json()["data"][0]["errors"].as_array().unwrap().len(), 100);
}

#[tokio::test]
async fn when_nothing_is_left_unbought_a_batch_bought_in_part_is_purchased() {
    let world = World::rehearsal().await;
    for end in ["removed", "bought", "deleted"] {
        let shipments = world.parcels(3).await;
        let batch = world.batch_of(&shipments).await;
        world.buy(&shipments[0]).await;
        world.set_batch_status(&batch, "partially_purchased").await;
        world.remove(&batch, &[id(&shipments[1])]).await;
        assert_eq!(world.get(&batch).await.json()["status"], "partially_purchased", "one is left");
        match end {
            "removed" => drop(world.remove(&batch, &[id(&shipments[2])]).await),
            "bought" => drop(world.buy(&shipments[2]).await),
            _ => drop(world.delete(&shipments[2]).await),
        }
        assert_eq!(world.get(&batch).await.json()["status"], "purchased", "{end}");
        assert_eq!(world.story(&batch).await.last().unwrap(), "batch.purchased", "{end}");
        assert_eq!(refusal(&world.add(&batch, &[id(&shipments[1])]).await).1, "batch_finalised");
        let counts = world.counts(&batch).await;
        assert_eq!(counts[0], counts[1]);
        world.begin(&format!("{}/void", shipments[0]), None).await;
        world.work().await;
        let after = world.get(&batch).await.json();
        assert_eq!(
            (&after["status"], after["purchased_count"].as_i64()),
            (&json!("purchased"), Some(counts[1] - 1))
        );
    }
}

#[tokio::test]
async fn a_batch_of_which_nothing_was_bought_is_bought_in_part_once_one_is() {
    let world = World::rehearsal().await;
    let shipments = world.parcels(2).await;
    let batch = world.batch_of(&shipments).await;
    world.set_batch_status(&batch, "purchase_failed").await;
    world.buy(&shipments[0]).await;
    assert_eq!(world.get(&batch).await.json()["status"], "partially_purchased");
    world.buy(&shipments[1]).await;
    assert_eq!(world.get(&batch).await.json()["status"], "purchased");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn counts_stay_exact_while_shipments_change_come_and_go_at_once() {
    let world = World::rehearsal().await;
    let shipments = world.parcels(6).await;
    let (first, second) = (world.batch_of(&shipments[..3]).await, world.batch(json!({})).await);
    let piece = parcel()["packages"][0].clone();
    for round in 1..=8 {
        let packages = json!({"packages": vec![piece.clone(); round]});
        let change = |place: usize| world.patch(&shipments[place], packages.clone());
        let moved = [id(&shipments[0]), id(&shipments[1])];
        let (from, to) = if round % 2 == 1 { (&first, &second) } else { (&second, &first) };
        let movement = async {
            assert_eq!(world.remove(from, &moved).await.status, 200);
            let [one, two] = moved;
            assert_eq!(world.add(to, &[two, one]).await.status, 200);
        };
        let (_, a, b, c) = tokio::join!(movement, change(0), change(1), change(2));
        for reply in [a, b, c] {
            assert_eq!(reply.status, 200, "{reply}");
        }
        let (first, second) = (world.counts(&first).await, world.counts(&second).await);
        assert_eq!((first[0] + second[0], first[3] + second[3]), (3, 3 * round as i64));
    }
}
