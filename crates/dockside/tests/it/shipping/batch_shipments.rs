//! The shipments of batches: listed, and added and removed all or none, in one batch at a time.

use model::World as Mode;
use serde_json::{Value, json};

use crate::setup::batch_requests::id;
use crate::setup::populated_organisation::parcel;
use crate::setup::purchase_requests::service;
use crate::setup::stock_requests::refusal;
use crate::setup::world::{Reply, World};

/// The fields at fault and the shipments that they name.
fn named(reply: &Reply) -> Vec<(String, String)> {
    let errors = reply.json()["errors"].as_array().cloned().unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    errors.iter().map(|error| (text(&error["field"]), text(&error["shipment_id"]))).collect()
}

fn unknown() -> String {
    format!("shp_{}", "7".repeat(26))
}

#[tokio::test]
async fn shipments_are_added_and_removed_while_the_batch_is_not_finalised() {
    let world = World::rehearsal().await;
    let shipments = world.parcels(3).await;
    let ids: Vec<&str> = shipments.iter().map(|path| id(path)).collect();
    let batch = world.batch(json!({})).await;
    let added = world.add(&batch, &ids).await;
    assert_eq!((added.status.as_u16(), &added.json()["shipments_count"]), (200, &json!(3)), "{added}");
    assert_eq!(added.json(), world.get(&batch).await.json());
    let removed = world.remove(&batch, &[ids[1], ids[1]]).await;
    assert_eq!((removed.status.as_u16(), &removed.json()["status"]), (200, &json!("open")), "{removed}");
    assert_eq!(world.get(format!("{batch}/shipments")).await.ids(), [ids[0], ids[2]]);
    assert_eq!(world.counts(&batch).await, [2, 0, 0, 2]);
    assert_eq!(world.get(&shipments[1]).await.status, 200, "a removed shipment stays");
    assert_eq!(world.batch_of(&shipments[1..2]).await.len(), batch.len(), "and is free");
    let by_patch = world.patch(&batch, json!({"shipments": [ids[0]]})).await;
    assert_eq!(by_patch.json()["shipments_count"], 2, "a patch of the batch removes none: {by_patch}");
}

#[tokio::test]
async fn adding_what_is_in_the_batch_already_changes_nothing() {
    let world = World::rehearsal().await;
    let shipments = world.parcels(2).await;
    let batch = world.batch_of(&shipments[..1]).await;
    let before = (world.get(&batch).await.text, world.events().await.len());
    for ids in [vec![id(&shipments[0])], vec![]] {
        let again = world.add(&batch, &ids).await;
        assert_eq!((again.status.as_u16(), &again.text), (200, &before.0));
    }
    assert_eq!(world.remove(&batch, &[]).await.text, before.0);
    assert_eq!(world.events().await.len(), before.1);
    let both = world.add(&batch, &[id(&shipments[0]), id(&shipments[1])]).await;
    assert_eq!(both.json()["shipments_count"], 2);
    assert_eq!(world.counts(&batch).await, [2, 0, 0, 2]);
}

#[tokio::test]
async fn unknown_shipments_are_refused_where_they_are_named_and_nothing_is_applied() {
    let world = World::rehearsal().await;
    let token = world.token_for("Globex", "*", Mode::Test).await;
    let theirs = world.request("POST", "/shipments").token(&token).json(parcel()).send().await;
    let theirs = theirs.json()["id"].as_str().unwrap().to_owned();
    let shipments = world.parcels(1).await;
    let batch = world.batch(json!({})).await;
    for stranger in [unknown(), theirs] {
        let ids = [id(&shipments[0]), &stranger, &stranger];
        let path = format!("{batch}/shipments");
        for reply in [
            world.add(&batch, &ids).await,
            world.remove(&batch, &ids).await,
            world.patch(&batch, json!({"name": "x", "shipments": ids})).await,
            world.post("/batches", json!({"shipments": ids})).await,
            world.patch(&path, json!({"shipments": ids, "override": true})).await,
        ] {
            assert_eq!(refusal(&reply), (422, "shipment_not_found".to_owned()), "{reply}");
            assert_eq!(reply.issues(), [("shipment_not_found".to_owned(), "/shipments/1".to_owned())]);
        }
    }
    assert_eq!((world.counts(&batch).await, world.get("/batches").await.ids().len()), ([0; 4], 1));
    assert_eq!(world.get(&batch).await.header("etag"), "\"1\"");
}

#[tokio::test]
async fn a_shipment_is_in_one_batch_at_most() {
    let world = World::rehearsal().await;
    let shipments = world.parcels(13).await;
    let ids: Vec<&str> = shipments.iter().map(|path| id(path)).collect();
    let first = world.batch_of(&shipments[..12]).await;
    let second = world.batch(json!({})).await;
    let refused = world.add(&second, &[ids[12], ids[3]]).await;
    assert_eq!(refusal(&refused), (409, "shipment_in_other_batch".to_owned()));
    assert_eq!(named(&refused), [("/shipments/1".to_owned(), ids[3].to_owned())]);
    let many = world.add(&second, &ids).await;
    assert_eq!(named(&many).len(), 10, "it names up to ten");
    assert_eq!(
        refusal(&world.post("/batches", json!({"shipments": ids})).await).1,
        "shipment_in_other_batch"
    );
    assert_eq!((world.counts(&first).await[0], world.counts(&second).await[0]), (12, 0));
    world.remove(&first, &ids[3..4]).await;
    assert_eq!(world.add(&second, &[ids[12], ids[3]]).await.status, 200);
    assert_eq!((world.counts(&first).await[0], world.counts(&second).await[0]), (11, 2));
}

#[tokio::test]
async fn what_is_bought_or_being_bought_or_taken_back_can_not_be_added() {
    let world = World::rehearsal().await;
    let shipments = world.parcels(4).await;
    let (bought, voided, buying) = (&shipments[0], &shipments[1], &shipments[2]);
    world.buy(bought).await;
    world.buy(voided).await;
    assert_eq!(world.begin(&format!("{voided}/void"), None).await.status, 202);
    world.work().await;
    assert_eq!(world.begin(&format!("{buying}/purchase"), Some(service("standard"))).await.status, 202);
    let batch = world.batch(json!({})).await;
    for (shipment, code) in
        [(bought, "shipment_purchased"), (voided, "shipment_voided"), (buying, "shipment_purchasing")]
    {
        let refused = world.add(&batch, &[id(&shipments[3]), id(shipment)]).await;
        assert_eq!(refusal(&refused), (409, code.to_owned()), "{refused}");
        assert_eq!(named(&refused), [("/shipments/1".to_owned(), id(shipment).to_owned())]);
    }
    assert_eq!(world.counts(&batch).await, [0; 4]);
}

#[tokio::test]
async fn what_is_not_in_the_batch_or_is_bought_can_not_be_removed() {
    let world = World::rehearsal().await;
    let shipments = world.parcels(4).await;
    let (bought, buying, draft, free) = (&shipments[0], &shipments[1], &shipments[2], &shipments[3]);
    let batch = world.batch_of(&shipments[..3]).await;
    world.buy(bought).await;
    world.begin(&format!("{buying}/purchase"), Some(service("standard"))).await;
    for (shipment, status, code) in [
        (free, 422, "shipment_not_in_batch"),
        (bought, 409, "shipment_purchased"),
        (buying, 409, "shipment_purchasing"),
    ] {
        let refused = world.remove(&batch, &[id(draft), id(shipment)]).await;
        assert_eq!(refusal(&refused), (status, code.to_owned()), "{refused}");
        assert_eq!(named(&refused), [("/shipments/1".to_owned(), id(shipment).to_owned())]);
    }
    assert_eq!(world.counts(&batch).await, [3, 1, 0, 3]);
}

#[tokio::test]
async fn a_batch_has_no_more_shipments_than_the_operator_allows() {
    let world = World::rehearsal_with(|settings| settings.batch_shipments_max = 3).await;
    let shipments = world.parcels(4).await;
    let ids: Vec<&str> = shipments.iter().map(|path| id(path)).collect();
    let batch = world.batch_of(&shipments[..2]).await;
    for reply in
        [world.add(&batch, &ids[2..]).await, world.patch(&batch, json!({"shipments": ids[2..]})).await]
    {
        assert_eq!(refusal(&reply), (422, "batch_too_large".to_owned()), "{reply}");
        assert_eq!(reply.issues()[0].1, "/shipments");
    }
    assert_eq!(world.add(&batch, &ids[..3]).await.status, 200, "what is in it already counts once");
    world.remove(&batch, &ids[..3]).await;
    assert_eq!(world.post("/batches", json!({"shipments": ids})).await.code(), "batch_too_large");
    assert_eq!(world.get("/batches").await.ids().len(), 1);
    let too_many = vec![ids[0]; 100_001];
    let reply = world.add(&batch, &too_many).await;
    assert_eq!(reply.issues(), [("too_many".to_owned(), "/shipments".to_owned())]);
}

#[tokio::test]
async fn a_batchs_shipments_are_listed_oldest_first_and_whole() {
    let world = World::rehearsal().await;
    let shipments = world.parcels(5).await;
    world.parcels(1).await;
    let newest_first: Vec<&str> = shipments.iter().rev().map(|path| id(path)).collect();
    let batch = world.batch(json!({"shipments": newest_first})).await;
    world.buy(&shipments[1]).await;
    let oldest_first: Vec<&str> = shipments.iter().map(|path| id(path)).collect();
    let list = format!("{batch}/shipments");
    assert_eq!(world.get(&list).await.ids(), oldest_first);
    let first = world.get(format!("{list}?limit=2")).await;
    assert_eq!(
        (first.ids(), &first.json()["previous_cursor"]),
        (vec![oldest_first[0].to_owned(), oldest_first[1].to_owned()], &Value::Null)
    );
    let page =
        async |cursor: &Value| world.get(format!("{list}?limit=2&cursor={}", cursor.as_str().unwrap())).await;
    let second = page(&first.json()["next_cursor"]).await;
    assert_eq!(second.ids(), oldest_first[2..4]);
    let last = page(&second.json()["next_cursor"]).await;
    assert_eq!((last.ids(), &last.json()["next_cursor"]), (vec![oldest_first[4].to_owned()], &Value::Null));
    assert_eq!(page(&last.json()["previous_cursor"]).await.ids(), oldest_first[2..4]);
    let other = world.batch(json!({})).await;
    let cursor = first.json()["next_cursor"].as_str().unwrap().to_owned();
    assert_eq!(world.get(format!("{other}/shipments?cursor={cursor}")).await.code(), "invalid_cursor");
    for (shown, path) in world.members(&batch).await.into_iter().zip(&shipments) {
        let mut alone = world.get(path).await.json();
        assert_eq!(shown["documents"].as_array().unwrap().len(), usize::from(path == &shipments[1]));
        alone["documents"] = shown["documents"].clone();
        assert_eq!(shown, alone);
    }
}

#[tokio::test]
async fn include_fields_leaves_of_seven_parts_only_the_named_ones() {
    let world = World::rehearsal().await;
    let mut body = parcel();
    body["addresses"]["return"] = body["addresses"]["origin"].clone();
    let path = world.shipment(body).await;
    let batch = world.batch_of(std::slice::from_ref(&path)).await;
    world.rate(&path).await;
    world.buy(&path).await;
    let list = format!("{batch}/shipments");
    let whole = world.get(&list).await.json()["data"][0].clone();
    let parts: [(&str, &str); 7] = [
        ("origin_address", "/addresses/origin"),
        ("destination_address", "/addresses/destination"),
        ("return_address", "/addresses/return"),
        ("rates", "/rates"),
        ("selected_rate", "/service/rate"),
        ("documents", "/documents"),
        ("errors", "/errors"),
    ];
    for (_, place) in parts {
        assert!(whole.pointer(place).is_some(), "{place}");
    }
    let shows = async |query: &str, expected: &[&str]| {
        let shown = world.get(format!("{list}?{query}")).await.json()["data"][0].clone();
        for (name, place) in parts {
            assert_eq!(shown.pointer(place).is_some(), expected.contains(&name), "{query}: {place}");
        }
        for place in [
            "/id",
            "/name",
            "/status",
            "/packages",
            "/service/carrier",
            "/addresses/location_configuration_id",
        ] {
            assert_eq!(shown.pointer(place), whole.pointer(place), "{query}: {place}");
        }
    };
    for (name, _) in parts {
        shows(&format!("include_fields={name}"), &[name]).await;
    }
    shows("include_fields=errors,selected_rate", &["errors", "selected_rate"]).await;
    shows("include_fields=errors&include_fields=rates", &["errors", "rates"]).await;
    let names = parts.map(|(name, _)| name);
    shows(&format!("include_fields={}", names.join(",")), &names).await;
    shows("include_fields=", &names).await;
    let refused = world.get(format!("{list}?include_fields=errors,packages")).await;
    assert_eq!(refusal(&refused), (400, "invalid_query".to_owned()));
    assert_eq!(refused.issues()[0].1, "include_fields");
    assert!(refused.text.contains("`packages`"), "it names the field: {refused}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_batches_that_add_the_same_shipments_at_once_one_wins() {
    let world = World::rehearsal().await;
    let (first, second) = (world.batch(json!({})).await, world.batch(json!({})).await);
    for _ in 0..8 {
        let shipments = world.parcels(3).await;
        let ids: Vec<&str> = shipments.iter().map(|path| id(path)).collect();
        let reversed: Vec<&str> = ids.iter().rev().copied().collect();
        let (one, two) = tokio::join!(world.add(&first, &ids), world.add(&second, &reversed));
        let mut codes = [refusal(&one), refusal(&two)];
        codes.sort();
        assert_eq!(codes, [(200, String::new()), (409, "shipment_in_other_batch".to_owned())]);
    }
    let (first, second) = (world.counts(&first).await, world.counts(&second).await);
    assert_eq!(first[0] + second[0], 24);
}

/// Copies a shipment behind the product's back: it would take long to make so many.
async fn copies(world: &World, of: &str, count: usize) -> Vec<String> {
    let columns = "owner, version, status, origin_id, origin_version, packages_count, errors_count, chosen";
    let copy = match world.db.is_shared() {
        true => format!(
            "INSERT INTO shipment (id, doc, {columns}) SELECT n.id, replace(s.doc, s.id, n.id), {columns} FROM shipment s,
             (SELECT 'shp_' || lpad(n::text, 26, '0') AS id FROM generate_series(1, {count}) AS n) AS n WHERE s.id = '{of}'"
        ),
        false => format!(
            "WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < {count})
             INSERT INTO shipment (id, doc, {columns})
             SELECT printf('shp_%026d', n.n), replace(s.doc, s.id, printf('shp_%026d', n.n)), {columns}
             FROM shipment s, n WHERE s.id = '{of}'"
        ),
    };
    world.tamper(&copy).await;
    (1..=count).map(|number| format!("shp_{number:026}")).collect()
}

#[tokio::test]
async fn ten_thousand_shipments_are_added_and_removed_by_one_request() {
    const MANY: usize = 10_000;
    let world = World::rehearsal().await;
    let one = world.shipment(parcel()).await;
    let ids = copies(&world, id(&one), MANY).await;
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let batch = world.batch(json!({})).await;
    let added = world.add(&batch, &ids).await;
    assert_eq!(added.status, 200, "{}", added.text);
    let count =
        |reply: &Reply| (reply.json()["shipments_count"].clone(), reply.json()["packages_count"].clone());
    assert_eq!(count(&added), (json!(MANY), json!(MANY)));
    let last = world.get(format!("{batch}/shipments?limit=1")).await;
    assert_eq!(last.ids(), [ids[0]]);
    let other = world.batch(json!({})).await;
    let refused = world.add(&other, &ids).await;
    assert_eq!((refusal(&refused).0, named(&refused).len()), (409, 10));
    let removed = world.remove(&batch, &ids[1..]).await;
    assert_eq!(count(&removed), (json!(1), json!(1)));
    assert_eq!(world.add(&other, &ids[1..]).await.status, 200);
    assert_eq!(world.delete(&other).await.status, 204);
    assert_eq!(world.add(&batch, &ids).await.json()["shipments_count"], MANY);
}
