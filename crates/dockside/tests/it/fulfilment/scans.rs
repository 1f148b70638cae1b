//! Scan to pack: what codes mean, what counts, and what is undone.

use std::sync::Arc;

use model::World as Mode;
use serde_json::{Value, json};
use store::{Access, Sql};

use crate::fulfilment::order_shipments::Warehouse;
use crate::fulfilment::shipping_rules::text;
use crate::setup::populated_organisation::parcel;
use crate::setup::stock_requests::{lines, refusal, texts};
use crate::setup::world::{Reply, World};

impl World {
    /// Scans a code, without waiting for a purchase.
    pub async fn scan(&self, path: &str, body: Value) -> Reply {
        self.request("POST", &format!("{path}/scans"))
            .header("prefer", "respond-async")
            .json(body)
            .send()
            .await
    }

    /// Scans a code under a name of its own; gives what it meant.
    pub async fn result(&self, path: &str, name: &str, code: &str) -> String {
        let reply = self.scan(path, json!({"scan_id": name, "code": code})).await;
        assert_eq!(reply.status, 201, "{reply}");
        text(&reply.json()["result"])
    }

    async fn barcodes(&self, item: &str, codes: Value) {
        let reply = self.patch(format!("/inventory_items/{item}"), json!({"barcodes": codes})).await;
        assert_eq!(reply.status, 200, "{reply}");
    }
}

/// Returns the number of rows that all scans have.
async fn stored(world: &World) -> i64 {
    const ROWS: Sql = Sql::same("SELECT (SELECT count(*) FROM scan) + (SELECT count(*) FROM scan_unit)");
    let read = world.db.read(Access::System, async |tx| tx.one(&ROWS, &[]).await);
    read.await.unwrap().unwrap().int(0).unwrap()
}

/// Returns what is packed and what is missing, as an answer says it.
fn counts(reply: &Reply) -> (i64, i64) {
    let answer = reply.json();
    let count = |field: &str| answer[field].as_i64().expect("a number");
    (count("packed_quantity"), count("missing_quantity"))
}

#[tokio::test]
async fn units_are_scanned_into_their_packages_until_nothing_is_missing() {
    let house = Warehouse::new(10).await;
    let order = house.order(8).await;
    let path = house.shipped(&order).await.remove(0);
    let first = house.world.scan(&path, json!({"scan_id": "a", "code": "CUBE"})).await;
    insta::assert_snapshot!(first, @r##"201 {"id":"scan_#1","scan_id":"a","shipment_id":"shp_#1","code":"CUBE","package":null,"quantity":1,"then":[],"result":"packed","item_id":"inv_#1","purchase":null,"print":null,"user_id":"usr_#1","created_at":"#time","parts":[{"package":1,"quantity":1}],"shipment_status":"draft","packed_at":null,"is_complete":false,"packed_quantity":1,"missing_quantity":7,"packages":[{"package":1,"items":[{"id":"inv_#1","quantity":6,"packed_quantity":1,"missing_quantity":5}]},{"package":2,"items":[{"id":"inv_#1","quantity":2,"packed_quantity":0,"missing_quantity":2}]}]}"##);
    assert_eq!(first.header("location"), format!("{path}/scans/a"));
    // The second box has room for two.
    let second =
        house.world.scan(&path, json!({"scan_id": "b", "code": "CUBE", "package": 2, "quantity": 2})).await;
    assert_eq!((&second.json()["result"], counts(&second)), (&json!("packed"), (3, 5)), "{second}");
    let full = house.world.scan(&path, json!({"scan_id": "c", "code": "CUBE", "package": 2})).await;
    assert_eq!((&full.json()["result"], counts(&full)), (&json!("already_packed"), (3, 5)), "{full}");
    let many = house.world.scan(&path, json!({"scan_id": "d", "code": "CUBE", "quantity": 6})).await;
    assert_eq!((&many.json()["result"], counts(&many)), (&json!("already_packed"), (3, 5)), "all or none");
    let rest = house.world.scan(&path, json!({"scan_id": "e", "code": "CUBE", "quantity": 5})).await;
    assert_eq!((&rest.json()["is_complete"], counts(&rest)), (&json!(true), (8, 0)), "{rest}");
    assert!(rest.json()["packed_at"].is_string());
    assert_eq!(house.world.get(&path).await.json()["packed_at"], rest.json()["packed_at"]);
    assert_eq!(house.world.result(&path, "f", "CUBE").await, "already_packed");
    assert_eq!(house.world.story(&path).await, ["shipment.created", "shipment.packed"]);
    let told = house.world.newest_event("shipment.packed").await;
    assert_eq!(
        told["previous_attributes"],
        json!({"packed_at": null, "updated_at": told["previous_attributes"]["updated_at"]})
    );
    house.world.assert_clean().await;
}

#[tokio::test]
async fn a_repeated_scan_counts_once_and_another_under_its_name_is_refused() {
    let house = Warehouse::new(5).await;
    let order = house.order(3).await;
    let path = house.shipped(&order).await.remove(0);
    let body = json!({"scan_id": "a", "code": "CUBE"});
    let first = house.world.scan(&path, body.clone()).await;
    let again = house.world.scan(&path, body.clone()).await;
    assert_eq!((again.status.as_u16(), again.json()), (201, first.json()));
    for change in
        [json!({"code": "TEE"}), json!({"quantity": 2}), json!({"package": 1}), json!({"then": ["print"]})]
    {
        let mut other = body.clone();
        other.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let reply = house.world.scan(&path, other).await;
        assert_eq!(refusal(&reply), (409, "scan_id_reused".to_owned()), "{reply}");
        assert_eq!(reply.issues(), [("scan_id_reused".to_owned(), "/scan_id".to_owned())]);
    }
    // Another shipment has names of its own.
    let other = house.order(2).await;
    let other = house.shipped(&other).await.remove(0);
    assert_eq!(house.world.result(&other, "a", "CUBE").await, "packed");
    let shown = house.world.get(format!("{path}/scans/a")).await;
    assert_eq!((shown.status.as_u16(), shown.json()), (200, first.json()));
}

#[tokio::test]
async fn barcodes_come_before_skus_and_gtins_compare_by_their_number() {
    let house = Warehouse::new(9).await;
    let world = &house.world;
    let order = house.order(6).await;
    let path = house.shipped(&order).await.remove(0);
    world.barcodes(&house.item, json!(["012345678905", "Own-7"])).await;
    for (name, code, result) in [
        ("a", "012345678905", "packed"),
        ("b", "0012345678905", "packed"),
        ("c", "00012345678905", "packed"),
        ("d", "Own-7", "packed"),
        ("e", "own-7", "unknown_code"),
        ("f", "012345678904", "unknown_code"),
    ] {
        assert_eq!(world.result(&path, name, code).await, result, "{code}");
    }
    // The barcode of one item is the SKU of another: the barcode counts.
    let other = world.item("Own-7").await;
    assert_eq!(world.result(&path, "g", "Own-7").await, "packed");
    world.barcodes(&other, json!(["CUBE"])).await;
    let shadowed = world.scan(&path, json!({"scan_id": "h", "code": "CUBE"})).await;
    assert_eq!(
        (&shadowed.json()["result"], &shadowed.json()["item_id"]),
        (&json!("not_in_shipment"), &json!(other))
    );
    // SKUs that are GTINs compare by their number too, and two spellings may be two items.
    world.item("4006381333931").await;
    assert_eq!(world.result(&path, "i", "04006381333931").await, "not_in_shipment");
    world.item("96385074").await;
    world.item("00000096385074").await;
    assert_eq!(world.result(&path, "j", "0000096385074").await, "ambiguous_code");
    assert_eq!(world.result(&path, "k", "96385074").await, "not_in_shipment", "the exact SKU");
}

#[tokio::test]
async fn a_bin_confirms_the_place_and_counts_nothing() {
    let house = Warehouse::new(5).await;
    let world = &house.world;
    let bin = async |item: &str, bin: &str| {
        let level = format!("/inventory_items/{item}/levels/{}", house.location);
        assert_eq!(world.put(level, json!({"on_hand": 5, "bin": bin})).await.status, 200);
    };
    bin(&house.item, "A-03-2").await;
    let other = world.item("TEE").await;
    bin(&other, "B-01").await;
    let order = house.order(1).await;
    let path = house.shipped(&order).await.remove(0);
    let confirmed = world.scan(&path, json!({"scan_id": "a", "code": "A-03-2"})).await;
    assert_eq!(
        (&confirmed.json()["result"], counts(&confirmed)),
        (&json!("bin_confirmed"), (0, 1)),
        "{confirmed}"
    );
    assert_eq!(world.result(&path, "b", "B-01").await, "wrong_bin");
    assert_eq!(world.result(&path, "c", "C-01").await, "unknown_code");
    assert_eq!(world.result(&path, "d", "CUBE").await, "packed");
    assert_eq!(world.result(&path, "e", "A-03-2").await, "wrong_bin", "nothing is missing from it");
}

#[tokio::test]
async fn scans_are_listed_with_who_made_them_and_are_undone() {
    let house = Warehouse::new(5).await;
    let world = &house.world;
    let order = house.order(2).await;
    let path = house.shipped(&order).await.remove(0);
    for name in ["a", "b", "c"] {
        world.result(&path, name, "CUBE").await;
    }
    let list = world.get(format!("{path}/scans?limit=2")).await.json();
    assert_eq!(texts(&list["data"], "/scan_id"), ["c", "b"]);
    assert_eq!(texts(&list["data"], "/result"), ["already_packed", "packed"]);
    assert_eq!(list["data"][1]["parts"], json!([{"package": 1, "quantity": 1}]));
    assert!(list["data"][0]["user_id"].as_str().unwrap().starts_with("usr_"));
    let next = format!("{path}/scans?limit=2&cursor={}", text(&list["next_cursor"]));
    assert_eq!(texts(&world.get(next).await.json()["data"], "/scan_id"), ["a"]);

    assert_eq!(world.delete(format!("{path}/scans/a")).await.status, 204);
    assert_eq!(refusal(&world.delete(format!("{path}/scans/a")).await), (404, "not_found".to_owned()));
    let parcel = world.get(&path).await.json();
    assert_eq!(parcel["packed_at"], Value::Null, "it is no longer complete");
    // A scan that did not count is undone, too.
    assert_eq!(world.delete(format!("{path}/scans/c")).await.status, 204);
    let again = world.scan(&path, json!({"scan_id": "a", "code": "CUBE"})).await;
    assert_eq!((&again.json()["is_complete"], counts(&again)), (&json!(true), (2, 0)), "{again}");
    let story = world.story(&path).await;
    assert_eq!(story, ["shipment.created", "shipment.packed", "shipment.updated", "shipment.packed"]);
}

#[tokio::test]
async fn packers_who_scan_at_once_never_count_more_than_there_is() {
    let house = Arc::new(Warehouse::new(9).await);
    let order = house.order(5).await;
    let path = house.shipped(&order).await.remove(0);
    let mut packers = tokio::task::JoinSet::new();
    for number in 0..16 {
        let (house, path) = (Arc::clone(&house), path.clone());
        // Every name is sent twice.
        let body = json!({"scan_id": format!("scan-{}", number / 2), "code": "CUBE"});
        packers.spawn(async move { house.world.scan(&path, body).await });
    }
    let replies: Vec<Reply> = packers.join_all().await;
    assert!(replies.iter().all(|reply| reply.status == 201), "all are counted or told why not");
    let last = house.world.scan(&path, json!({"scan_id": "last", "code": "CUBE"})).await;
    assert_eq!((&last.json()["result"], counts(&last)), (&json!("already_packed"), (5, 0)), "{last}");
    let list = house.world.get(format!("{path}/scans?limit=100")).await.json();
    let results = texts(&list["data"], "/result");
    assert_eq!(results.iter().filter(|result| *result == "packed").count(), 5, "{results:?}");
    assert_eq!(results.len(), 9, "eight names and the last one");
    let story = house.world.story(&path).await;
    assert_eq!(story.iter().filter(|name| *name == "shipment.packed").count(), 1, "{story:?}");
}

#[tokio::test]
async fn what_can_t_be_scanned_is_refused_and_writes_nothing() {
    let house = Warehouse::new(5).await;
    let world = &house.world;
    let scan = json!({"scan_id": "a", "code": "CUBE"});
    let bare = world.shipment(parcel()).await;
    assert_eq!(refusal(&world.scan(&bare, scan.clone()).await), (409, "nothing_to_scan".to_owned()));
    let order = house.order(1).await;
    let path = house.shipped(&order).await.remove(0);
    let beyond = world.scan(&path, json!({"scan_id": "a", "code": "CUBE", "package": 2})).await;
    assert_eq!(refusal(&beyond), (422, "package_not_found".to_owned()));
    assert_eq!(beyond.issues(), [("package_not_found".to_owned(), "/package".to_owned())]);
    for (change, field) in [
        (json!({"scan_id": "a b"}), "/scan_id"),
        (json!({"scan_id": ""}), "/scan_id"),
        (json!({"code": " CUBE"}), "/code"),
        (json!({"code": "CU\u{7}BE"}), "/code"),
        (json!({"quantity": 0}), "/quantity"),
        (json!({"package": 0}), "/package"),
        (json!({"then": ["ship"]}), "/then/0"),
    ] {
        let mut body = scan.clone();
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        let reply = world.scan(&path, body).await;
        assert_eq!((reply.status.as_u16(), reply.issues()[0].1.as_str()), (422, field), "{reply}");
    }
    assert_eq!(world.get(format!("{path}/scans")).await.ids(), [""; 0]);
    world.buy(&path).await;
    assert_eq!(world.result(&path, "a", "CUBE").await, "packed", "also after the purchase");
    assert_eq!(house.void(&path).await["status"], "voided");
    assert_eq!(refusal(&world.scan(&path, scan).await), (409, "shipment_voided".to_owned()));
    assert_eq!(refusal(&world.delete(format!("{path}/scans/a")).await), (409, "shipment_voided".to_owned()));
    assert_eq!(world.get(format!("{path}/scans")).await.ids().len(), 1, "they can still be read");
}

#[tokio::test]
async fn a_shipment_without_an_order_is_scanned_and_its_contents_then_stay() {
    let world = World::rehearsal().await;
    let (tee, mug) = (world.item("TEE").await, world.item("MUG").await);
    let mut body = parcel();
    body["packages"] = json!([
        {"geometry": {"mass": 1.0}, "items": lines(&[(&tee, 1)])},
        {"geometry": {"mass": 2.0}, "items": lines(&[(&tee, 1), (&mug, 1)])},
    ]);
    let path = world.shipment(body.clone()).await;
    let wrong = world.scan(&path, json!({"scan_id": "a", "code": "MUG", "package": 1})).await;
    assert_eq!(wrong.json()["result"], "wrong_package", "{wrong}");
    assert_eq!(world.patch(&path, json!({"packages": body["packages"]})).await.status, 200);
    let both = world.scan(&path, json!({"scan_id": "b", "code": "TEE", "quantity": 2})).await;
    assert_eq!(both.json()["parts"], json!([{"package": 1, "quantity": 1}, {"package": 2, "quantity": 1}]));
    let fewer = json!({"packages": [body["packages"][0]]});
    assert_eq!(refusal(&world.patch(&path, fewer.clone()).await), (409, "shipment_scanned".to_owned()));
    // What is not about contents may change.
    let mut renamed = body["packages"].clone();
    renamed[0]["name"] = json!("Left box");
    assert_eq!(world.patch(&path, json!({"packages": renamed})).await.status, 200);
    assert_eq!(world.delete(format!("{path}/scans/b")).await.status, 204);
    assert_eq!(world.patch(&path, fewer).await.status, 200);
    // Its scans go with it.
    assert_eq!(world.result(&path, "c", "TEE").await, "packed");
    assert_eq!(stored(&world).await, 3);
    assert_eq!(world.delete(&path).await.status, 204);
    assert_eq!(world.get(format!("{path}/scans")).await.status, 404);
    assert_eq!(stored(&world).await, 0);
}

#[tokio::test]
async fn other_organisations_find_neither_shipments_nor_codes() {
    let house = Warehouse::new(5).await;
    let world = &house.world;
    let stranger = world.token_for("Globex", "*", Mode::Test).await;
    let order = house.order(1).await;
    let path = house.shipped(&order).await.remove(0);
    world.result(&path, "a", "CUBE").await;
    let ask = async |method: &str, path: &str, body: Option<Value>| {
        let request = world.request(method, path).token(&stranger);
        match body {
            Some(body) => request.json(body).send().await,
            None => request.send().await,
        }
    };
    let scans = format!("{path}/scans");
    let hidden = [
        ask("GET", &scans, None).await,
        ask("GET", &format!("{scans}/a"), None).await,
        ask("DELETE", &format!("{scans}/a"), None).await,
        ask("POST", &scans, Some(json!({"scan_id": "b", "code": "CUBE"}))).await,
        ask(
            "POST",
            &format!("{path}/shorts"),
            Some(json!({"item_id": house.item, "quantity": 1, "reason": "x"})),
        )
        .await,
    ];
    for reply in hidden {
        assert_eq!(refusal(&reply), (404, "not_found".to_owned()), "{reply}");
    }
    let theirs = ask(
        "POST",
        "/inventory_items",
        Some(json!({"sku": "THEIRS", "name": "T", "barcodes": ["4006381333931"]})),
    )
    .await;
    assert_eq!(theirs.status, 201);
    assert_eq!(world.result(&path, "c", "THEIRS").await, "unknown_code");
    assert_eq!(world.result(&path, "d", "4006381333931").await, "unknown_code");
}
