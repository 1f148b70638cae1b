//! Batches: what is said of them, and when they can't change any more.

use serde_json::{Value, json};

use crate::setup::batch_requests::id;
use crate::setup::stock_requests::refusal;
use crate::setup::world::World;

pub fn standard() -> Value {
    json!({"carrier": {"handle": "sandbox"}, "carrier_service": {"handle": "standard"}})
}

#[tokio::test]
async fn everything_about_a_batch_is_optional() {
    let world = World::rehearsal().await;
    let made = world.post("/batches", json!({})).await;
    let path = made.header("location").to_owned();
    assert_eq!((made.status.as_u16(), made.header("etag")), (201, "\"1\""));
    let mut batch = made.json();
    let fields = batch.as_object_mut().unwrap();
    assert_eq!(fields.remove("id"), Some(json!(id(&path))));
    assert_eq!(fields.remove("created_at"), fields.remove("updated_at"));
    assert_eq!(
        batch,
        json!({
            "name": null, "service": null, "options": {"label_format": "png"}, "metadata": {}, "status": "open",
            "errors": [], "shipments": [], "shipments_count": 0, "purchased_count": 0, "error_count": 0, "packages_count": 0,
            "error_counts": {},
            "labels_pending_count": 0,
        })
    );
    let read = world.get(&path).await;
    assert_eq!((read.json(), read.header("etag")), (made.json(), "\"1\""));
    assert_eq!(world.story(&path).await, ["batch.created"]);
}

#[tokio::test]
async fn a_batch_is_made_of_shipments_named_by_ids_or_by_objects() {
    let world = World::rehearsal().await;
    let paths = world.parcels(3).await;
    let ids: Vec<&str> = paths.iter().map(|path| id(path)).collect();
    let named = json!([ids[2], {"id": ids[0], "name": "ignored"}, ids[1], ids[2]]);
    let body = json!({"name": "Monday", "metadata": {"wave": 1}, "options": {"label_format": "zpl"}, "shipments": named});
    let batch = world.post("/batches", body).await.json();
    let short = |id: &&str| json!({"id": id, "name": null, "status": "draft", "errors": []});
    assert_eq!(batch["shipments"], json!(ids.iter().map(short).collect::<Vec<_>>()), "in creation order");
    assert_eq!(batch["name"], "Monday");
    assert_eq!(
        (&batch["metadata"], &batch["options"]),
        (&json!({"wave": 1}), &json!({"label_format": "zpl"}))
    );
    let path = format!("/batches/{}", batch["id"].as_str().unwrap());
    assert_eq!(world.counts(&path).await, [3, 0, 0, 3]);
    assert_eq!(world.newest_event("batch.created").await["data"]["object"], batch);
}

#[tokio::test]
async fn what_was_read_can_be_sent_back() {
    let world = World::rehearsal().await;
    let shipments = world.parcels(2).await;
    let batch = world.batch_of(&shipments).await;
    world.patch(&batch, json!({"name": "Monday", "service": standard()})).await;
    let mut before = world.get(&batch).await.json();
    let mut after = world.patch(&batch, before.clone()).await;
    assert_eq!(after.status, 200, "{after}");
    let copy =
        world.post("/batches", json!({"service": before["service"], "options": before["options"]})).await;
    assert_eq!(copy.json()["service"], before["service"], "{copy}");
    let mut seen = std::mem::take(&mut after.text).parse::<Value>().unwrap();
    before.as_object_mut().unwrap().remove("updated_at");
    seen.as_object_mut().unwrap().remove("updated_at");
    assert_eq!(seen, before);
}

#[tokio::test]
async fn once_finalised_or_while_it_is_purchased_nothing_of_a_batch_changes() {
    let world = World::rehearsal().await;
    for (status, code) in [("purchased", "batch_finalised"), ("purchasing", "batch_purchasing")] {
        let shipments = world.parcels(2).await;
        let (member, free) = (&shipments[0], &shipments[1]);
        let batch = world.batch_of(std::slice::from_ref(member)).await;
        world.set_batch_status(&batch, status).await;
        let before = (world.get(&batch).await.text, world.get(member).await.text, world.events().await.len());
        let refused = [
            world.patch(&batch, json!({"name": "x"})).await,
            world.patch(&batch, json!({"service": standard()})).await,
            world.add(&batch, &[id(free)]).await,
            world.add(&batch, &[id(member)]).await,
            world.remove(&batch, &[id(member)]).await,
            world.delete(&batch).await,
            world.patch(member, json!({"name": "x"})).await,
            world.request("POST", &format!("{member}/rates")).send().await,
            world.delete(member).await,
        ];
        for (place, reply) in refused.iter().enumerate() {
            assert_eq!(refusal(reply), (409, code.to_owned()), "{status}, {place}: {reply}");
        }
        let after = (world.get(&batch).await.text, world.get(member).await.text, world.events().await.len());
        assert_eq!(after, before);
    }
}

#[tokio::test]
async fn a_batch_that_failed_or_was_bought_in_part_changes_still_but_is_not_deleted() {
    let world = World::rehearsal().await;
    for status in ["partially_purchased", "purchase_failed"] {
        let shipments = world.parcels(3).await;
        let batch = world.batch_of(&shipments[..2]).await;
        world.set_batch_status(&batch, status).await;
        for reply in [
            world.patch(&batch, json!({"name": "Again", "service": standard()})).await,
            world.add(&batch, &[id(&shipments[2])]).await,
            world.remove(&batch, &[id(&shipments[1])]).await,
            world.patch(&shipments[0], json!({"name": "Repaired"})).await,
        ] {
            assert_eq!(reply.status, 200, "{reply}");
        }
        assert_eq!(refusal(&world.delete(&batch).await), (409, "batch_not_open".to_owned()));
        assert_eq!(world.get(&batch).await.json()["status"], status);
        assert_eq!(world.counts(&batch).await, [2, 0, 0, 2]);
    }
}

#[tokio::test]
async fn an_open_batch_is_deleted_and_its_shipments_stay_and_are_free() {
    let world = World::rehearsal().await;
    let shipments = world.parcels(2).await;
    let batch = world.batch_of(&shipments).await;
    let last = world.get(&batch).await.json();
    let gone = world.delete(&batch).await;
    assert_eq!((gone.status.as_u16(), gone.text.as_str()), (204, ""));
    for reply in
        [world.get(&batch).await, world.get(format!("{batch}/shipments")).await, world.delete(&batch).await]
    {
        assert_eq!(reply.status, 404, "{reply}");
    }
    assert_eq!(world.newest_event("batch.deleted").await["data"]["object"], last);
    let next = world.batch_of(&shipments).await;
    assert_eq!(world.counts(&next).await, [2, 0, 0, 2]);
}

#[tokio::test]
async fn the_tag_follows_all_that_a_batch_shows_and_a_stale_one_stops_a_change() {
    let world = World::rehearsal().await;
    let shipments = world.parcels(2).await;
    let batch = world.batch_of(&shipments[..1]).await;
    let mut stale = world.get(&batch).await.header("etag").to_owned();
    for step in 0..3 {
        let change = match step {
            0 => world.patch(&batch, json!({"name": "x"})).await,
            1 => world.add(&batch, &[id(&shipments[1])]).await,
            _ => world.patch(&shipments[0], json!({"name": "Shown in short"})).await,
        };
        assert_eq!(change.status, 200, "{change}");
        let unless = world.request("GET", &batch).header("if-none-match", &stale).send().await;
        assert_eq!(unless.status, 200, "it looks different now: {unless}");
        stale = unless.header("etag").to_owned();
    }
    assert_eq!(world.request("GET", &batch).header("if-none-match", &stale).send().await.status, 304);
    let current = world.patch(&batch, json!({"name": "y"})).await.header("etag").to_owned();
    let body = json!({"shipments": [id(&shipments[1])]});
    let members = format!("{batch}/shipments");
    for request in [
        world.request("PATCH", &batch).json(json!({"name": "z"})),
        world.request("PATCH", &members).json(body.clone()),
        world.request("DELETE", &members).json(body.clone()),
        world.request("DELETE", &batch),
    ] {
        let reply = request.header("if-match", &stale).send().await;
        assert_eq!(refusal(&reply), (412, "precondition_failed".to_owned()));
    }
    let removed = world.request("DELETE", &members).json(body).header("if-match", &current).send().await;
    assert_eq!(removed.header("etag"), world.get(&batch).await.header("etag"));
    assert_eq!(world.counts(&batch).await, [1, 0, 0, 1]);
}

#[tokio::test]
async fn every_change_is_told_with_what_it_changed() {
    let world = World::rehearsal().await;
    let shipments = world.parcels(2).await;
    let batch = world.batch(json!({})).await;
    world.add(&batch, &[id(&shipments[0]), id(&shipments[1])]).await;
    let added = world.newest_event("batch.updated").await;
    assert_eq!(added["data"]["object"], world.get(&batch).await.json());
    let mut previous = added["previous_attributes"].clone();
    previous.as_object_mut().unwrap().remove("updated_at");
    assert_eq!(previous, json!({"shipments_count": 0, "packages_count": 0}));
    world.patch(&batch, json!({"name": "Monday"})).await;
    assert_eq!(world.newest_event("batch.updated").await["previous_attributes"]["name"], Value::Null);
    world.delete(&shipments[0]).await;
    world.remove(&batch, &[id(&shipments[1])]).await;
    world.delete(&batch).await;
    let story = [
        "batch.created",
        "batch.updated",
        "batch.updated",
        "batch.updated",
        "batch.updated",
        "batch.deleted",
    ];
    assert_eq!(world.story(&batch).await, story);
}

#[tokio::test]
async fn batches_are_listed_newest_first_as_each_is_shown() {
    let world = World::rehearsal().await;
    let mut paths = Vec::new();
    for _ in 0..3 {
        paths.push(world.batch_of(&world.parcels(2).await).await);
    }
    paths.reverse();
    let list = world.get("/batches").await;
    for (shown, path) in list.json()["data"].as_array().unwrap().iter().zip(&paths) {
        assert_eq!(*shown, world.get(path).await.json());
    }
    let first = world.get("/batches?limit=2").await.json();
    let second =
        world.get(format!("/batches?limit=2&cursor={}", first["next_cursor"].as_str().unwrap())).await;
    assert_eq!(second.ids(), [id(&paths[2])]);
}

#[tokio::test]
async fn a_batch_shows_its_oldest_twenty_shipments() {
    let world = World::rehearsal().await;
    let shipments = world.parcels(23).await;
    let batch = world.batch_of(&shipments).await;
    let shown = world.get(&batch).await.json();
    let ids: Vec<&str> =
        shown["shipments"].as_array().unwrap().iter().map(|s| s["id"].as_str().unwrap()).collect();
    assert_eq!(ids, shipments[..20].iter().map(|path| id(path)).collect::<Vec<_>>());
    assert_eq!(world.counts(&batch).await, [23, 0, 0, 23]);
}

#[tokio::test]
async fn bad_input_is_refused_where_it_stands() {
    let world = World::rehearsal().await;
    let batch = world.batch(json!({})).await;
    let location = format!("loc_{}", "0".repeat(26));
    let issue = |code: &str, field: &str| (code.to_owned(), field.to_owned());
    let bodies = [
        (json!({"nam": "x"}), issue("unknown_field", "/nam")),
        (json!({"name": ""}), issue("too_short", "/name")),
        (json!({"metadata": []}), issue("invalid_type", "/metadata")),
        (json!({"options": {"label_format": "gif"}}), issue("invalid_value", "/options/label_format")),
        (json!({"override": "yes"}), issue("invalid_type", "/override")),
        (json!({"shipments": "all"}), issue("invalid_id", "/shipments")),
        (json!({"shipments": true}), issue("invalid_type", "/shipments")),
        (json!({"shipments": [{}]}), issue("required", "/shipments/0/id")),
        (json!({"shipments": [location]}), issue("invalid_id", "/shipments/0")),
        (json!({"shipments": [{"id": location}]}), issue("invalid_id", "/shipments/0/id")),
        (json!({"shipments": [7]}), issue("invalid_type", "/shipments/0")),
    ];
    for (body, expected) in bodies {
        for reply in [world.post("/batches", body.clone()).await, world.patch(&batch, body.clone()).await] {
            assert_eq!(
                (reply.status.as_u16(), reply.issues()[0].clone()),
                (422, expected.clone()),
                "{reply}"
            );
        }
    }
    for method in ["PATCH", "DELETE"] {
        let path = format!("{batch}/shipments");
        for (body, expected) in [
            (json!({}), issue("required", "/shipments")),
            (json!({"shipments": null}), issue("required", "/shipments")),
            (json!({"shipments": [location]}), issue("invalid_id", "/shipments/0")),
            (json!({"shipments": [], "force": true}), issue("unknown_field", "/force")),
            (json!([]), issue("invalid_type", "")),
        ] {
            let reply = world.request(method, &path).json(body).send().await;
            assert_eq!(
                (reply.status.as_u16(), reply.issues()[0].clone()),
                (422, expected),
                "{method}: {reply}"
            );
        }
        let empty = world.request(method, &path).send().await;
        assert!(matches!(empty.status.as_u16(), 400 | 415), "{method}: {empty}");
    }
    assert_eq!(world.get(&batch).await.header("etag"), "\"1\"");
}
