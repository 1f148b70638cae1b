//! `/events`: the log as a client reads it, in either direction, by type and by resource; and how long it is kept.

use model::events::actor::Actor;
use model::{Event, Id, Timestamp, World as Mode};
use serde_json::{Value, json};
use store::events::events;

use crate::setup::world::{Reply, World, depot};

const DAY_SECONDS: i64 = 24 * 3600;

/// A page of the log, with everything in it numbered.
async fn page(world: &World, query: &str) -> Reply {
    world.relay().await;
    let page = world.get(format!("/events{query}")).await;
    assert_eq!(page.status, 200, "{query}: {page}");
    page
}

fn sequences(page: &Reply) -> Vec<i64> {
    let page = page.json();
    page["data"].as_array().unwrap().iter().map(|event| event["sequence"].as_i64().unwrap()).collect()
}

/// The sequences of all pages from the first on, following a cursor to its end.
async fn walk(world: &World, query: &str, mut page: Reply, which: &str) -> (Vec<Vec<i64>>, Reply) {
    let mut pages = Vec::new();
    loop {
        assert!(pages.len() < 100, "the walk has no end");
        pages.push(sequences(&page));
        let Some(cursor) = page.json()[which].as_str().map(str::to_owned) else { return (pages, page) };
        page = world.get(format!("/events{query}&cursor={cursor}")).await;
        assert_eq!(page.status, 200, "{query}: {page}");
    }
}

/// Creates, renames and deletes a location, which makes three events. Returns its id.
async fn passing_location(world: &World) -> String {
    let id = world.location("Depot").await;
    let path = format!("/locations/{id}");
    assert_eq!(world.patch(&path, json!({"name": "Renamed"})).await.status, 200);
    assert_eq!(world.delete(&path).await.status, 204);
    id
}

#[tokio::test]
async fn an_event_shows_what_happened() {
    let world = World::new().await;
    let location = world.location("Depot").await;
    let path = format!("/locations/{location}");
    let before = world.get(&path).await.json();
    let after = world.patch(&path, json!({"name": "Renamed"})).await.json();
    let listed = page(&world, "?limit=1").await.json()["data"][0].clone();
    let expected = json!({
        "id": listed["id"], "sequence": 2, "type": "location.updated", "created_at": after["updated_at"],
        "actor": {"type": "token", "id": listed["actor"]["id"], "name": null},
        "data": {"object": after},
        "previous_attributes": {"name": "Depot", "updated_at": before["updated_at"]},
    });
    assert_eq!(listed, expected);
    let names: Vec<&String> = listed.as_object().unwrap().keys().collect();
    assert_eq!(names, ["id", "sequence", "type", "created_at", "actor", "data", "previous_attributes"]);
    let first = page(&world, "?after=0&limit=1").await.json()["data"][0].clone();
    assert_eq!((&first["type"], &first["previous_attributes"]), (&json!("location.created"), &Value::Null));

    let path = format!("/events/{}", listed["id"].as_str().unwrap());
    let one = world.get(&path).await;
    assert_eq!((one.json(), one.header("etag")), (listed, "\"2\""));
    let known = world.request("GET", &path).header("if-none-match", "\"2\"").send().await;
    assert_eq!((known.status.as_u16(), known.text.as_str()), (304, ""));
    let head = world.request("HEAD", &path).send().await;
    assert_eq!((head.status.as_u16(), head.text.as_str()), (200, ""));
    for unknown in ["evt_01jc0000000000000000000000", location.as_str(), "nonsense"] {
        assert_eq!(world.get(format!("/events/{unknown}")).await.code(), "not_found", "{unknown}");
    }
}

#[tokio::test]
async fn without_after_the_newest_comes_first_and_with_it_the_oldest() {
    let world = World::new().await;
    assert_eq!(
        page(&world, "").await.to_string(),
        r#"200 {"data":[],"next_cursor":null,"previous_cursor":null,"limit":20}"#
    );
    passing_location(&world).await;
    passing_location(&world).await;
    let cases = [
        ("", vec![6, 5, 4, 3, 2, 1]),
        ("?after=0", vec![1, 2, 3, 4, 5, 6]),
        ("?after=4", vec![5, 6]),
        ("?after=004&limit=1", vec![5]),
        ("?after=6", vec![]),
        ("?after=9223372036854775807", vec![]),
    ];
    for (query, expected) in cases {
        assert_eq!(sequences(&page(&world, query).await), expected, "{query}");
    }
}

#[tokio::test]
async fn cursors_lead_both_ways_and_never_before_after() {
    let world = World::new().await;
    for _ in 0..4 {
        passing_location(&world).await;
    }
    let cases = [
        ("", (1..=12).rev().collect::<Vec<i64>>()),
        ("&after=0", (1..=12).collect()),
        ("&after=5", (6..=12).collect()),
        ("&type=location.updated", vec![11, 8, 5, 2]),
        ("&after=2&type=location.updated", vec![5, 8, 11]),
    ];
    for (filter, expected) in cases {
        for limit in [1, 2, 3, 7, 50] {
            let query = format!("?limit={limit}{filter}");
            let first = page(&world, &query).await;
            assert_eq!(first.json()["previous_cursor"], Value::Null, "{query}");
            let (pages, last) = walk(&world, &query, first, "next_cursor").await;
            assert_eq!(pages.concat(), expected, "{query}");
            assert!(pages.iter().all(|page| (1..=limit).contains(&page.len())), "{query}: {pages:?}");
            let (mut pages, _) = walk(&world, &query, last, "previous_cursor").await;
            pages.reverse();
            assert_eq!(pages.concat(), expected, "{query} backwards");
        }
    }
}

#[tokio::test]
async fn a_cursor_goes_on_with_what_came_since() {
    let world = World::new().await;
    passing_location(&world).await;
    let tail = page(&world, "?after=1&limit=1").await.json();
    let cursor = tail["next_cursor"].as_str().unwrap();
    passing_location(&world).await;
    let next = page(&world, &format!("?after=1&limit=9&cursor={cursor}")).await;
    assert_eq!((sequences(&next), &next.json()["next_cursor"]), (vec![3, 4, 5, 6], &Value::Null));
    // A cursor belongs to its filters: another `after` is another list.
    for other in ["?", "?after=0&", "?after=1&type=location.created&"] {
        assert_eq!(
            world.get(format!("/events{other}cursor={cursor}")).await.code(),
            "invalid_cursor",
            "{other}"
        );
    }
}

#[tokio::test]
async fn filters_choose_by_type_and_resource_and_deleted_ones_too() {
    let world = World::new().await;
    let gone = passing_location(&world).await;
    let kept = world.location("Depot").await;
    let unknown = "loc_01jc0000000000000000000000";
    let cases = [
        ("type=location.created".to_owned(), vec![4, 1]),
        ("type=location.created&after=1".to_owned(), vec![4]),
        ("type=order.created".to_owned(), vec![]),
        ("type=later_version.invented".to_owned(), vec![]),
        (format!("resource_id={gone}"), vec![3, 2, 1]),
        (format!("resource_id={gone}&after=0"), vec![1, 2, 3]),
        (format!("resource_id={kept}"), vec![4]),
        (format!("resource_id={gone}&type=location.deleted"), vec![3]),
        (format!("resource_id={kept}&type=location.deleted&after=0"), vec![]),
        (format!("resource_id={unknown}"), vec![]),
    ];
    for (query, expected) in cases {
        assert_eq!(sequences(&page(&world, &format!("?{query}")).await), expected, "{query}");
    }
    let last = page(&world, &format!("?resource_id={gone}&limit=1")).await.json()["data"][0].clone();
    assert_eq!(
        (&last["type"], &last["data"]["object"]["name"]),
        (&json!("location.deleted"), &json!("Renamed"))
    );
}

#[tokio::test]
async fn queries_that_make_no_sense_are_refused_by_name() {
    let world = World::new().await;
    world.location("Depot").await;
    let cases = [
        (
            "after",
            vec!["", "-1", "x", "1.5", "1.0", "+1", "%201", "1e2", "0x1", "1%00", "9223372036854775808"],
        ),
        (
            "type",
            vec!["", "location", "Location.created", "a.b.c", "location.created,order.created", "a.b%00"],
        ),
        ("resource_id", vec!["", "loc", "loc_", "LOC_01jc0000000000000000000000", "loc_01jc%00", "1", "%27"]),
        ("types", vec!["location.created"]),
        ("after%5B%5D", vec!["1"]),
    ];
    for (name, values) in cases {
        for value in values {
            let refused = world.get(format!("/events?{name}={value}")).await;
            let seen = (refused.status.as_u16(), refused.code(), refused.issues());
            let named = name.replace("%5B%5D", "[]");
            let issue = vec![("invalid_query".to_owned(), named)];
            assert_eq!(seen, (400, "invalid_query".to_owned(), issue), "{name}={value}: {refused}");
        }
    }
    assert_eq!(world.get("/events?after=1&after=2").await.code(), "invalid_query");
    assert_eq!(world.get("/events?limit=0").await.code(), "invalid_limit");
}

#[tokio::test]
async fn other_organisations_and_the_other_world_see_no_event() {
    let world = World::new().await;
    let location = passing_location(&world).await;
    let event = page(&world, "?limit=1").await.ids().remove(0);
    for (organisation, mode) in [("Acme", Mode::Test), ("Rival", Mode::Live)] {
        let token = world.token_for(organisation, "*", mode).await;
        for query in ["", "?after=0", &format!("?resource_id={location}"), "?type=location.created"] {
            let list = world.request("GET", &format!("/events{query}")).token(&token).send().await;
            assert_eq!((list.status.as_u16(), list.ids().len()), (200, 0), "{query} by {organisation}");
        }
        let one = world.request("GET", &format!("/events/{event}")).token(&token).send().await;
        assert_eq!(one.code(), "not_found");
    }
}

#[tokio::test]
async fn an_event_without_its_number_is_not_there_yet() {
    let world = World::new().await;
    passing_location(&world).await;
    let ids = page(&world, "").await.ids();
    world.tamper("UPDATE event SET sequence = NULL WHERE sequence = 3").await;
    for query in ["", "?after=0", "?type=location.deleted"] {
        let listed = world.get(format!("/events{query}")).await.ids();
        assert!(!listed.contains(&ids[0]), "{query}");
    }
    assert_eq!(world.get(format!("/events/{}", ids[0])).await.code(), "not_found");
    assert_eq!(world.get(format!("/events/{}", ids[1])).await.status, 200);
}

#[tokio::test]
async fn old_events_go_and_the_numbers_go_on() {
    let world = World::new().await;
    let other = world.token_for("Rival", "*", Mode::Live).await;
    passing_location(&world).await;
    world.advance_seconds(20 * DAY_SECONDS);
    world.location("Later").await;
    world.request("POST", "/locations").token(&other).json(depot("Elsewhere")).send().await;
    world.relay().await;
    world.service.cleaning.work().await.unwrap();
    assert_eq!(sequences(&page(&world, "?after=0").await), [1, 2, 3, 4], "nothing is 30 days old");

    world.advance_seconds(11 * DAY_SECONDS);
    world.service.cleaning.work().await.unwrap();
    assert_eq!(sequences(&page(&world, "?after=0").await), [4]);
    world.advance_seconds(30 * DAY_SECONDS);
    world.service.cleaning.work().await.unwrap();
    assert_eq!(sequences(&page(&world, "").await), Vec::<i64>::new());
    let elsewhere = world.request("GET", "/events").token(&other).send().await;
    assert_eq!(elsewhere.ids().len(), 0, "every log is cleaned");
    world.location("New").await;
    assert_eq!(sequences(&page(&world, "").await), [5], "numbers never start again");
}

#[tokio::test]
async fn what_is_left_of_a_log_has_no_gap() {
    let world = World::new().await;
    passing_location(&world).await;
    passing_location(&world).await;
    world.relay().await;
    // Written by a node whose clock was wrong, or by a transaction that waited long for its commit.
    world.tamper(&format!("UPDATE event SET created_at = {} WHERE sequence = 3", i64::MAX / 2)).await;
    world.advance_seconds(31 * DAY_SECONDS);
    world.service.cleaning.work().await.unwrap();
    assert_eq!(sequences(&page(&world, "?after=0").await), [3, 4, 5, 6]);
}

#[tokio::test]
async fn an_event_is_not_deleted_before_it_was_numbered() {
    let world = World::new().await;
    passing_location(&world).await;
    world.advance_seconds(40 * DAY_SECONDS);
    world.service.cleaning.work().await.unwrap();
    // On SQLite the events got their numbers when they were written, so they were deleted.
    let expected: &[i64] = if world.db.is_shared() { &[1, 2, 3] } else { &[] };
    assert_eq!(sequences(&page(&world, "?after=0").await), expected);
}

#[tokio::test]
async fn many_old_events_go_in_portions() {
    let world = World::new().await;
    let owner = world.owner();
    let old = 2 * events::DELETE_MAX as u128 + 7;
    let write = world.db.write(owner, async move |tx| {
        for number in 0..old {
            let event = Event::new("location.created", number, "{}");
            events::append(
                tx,
                owner,
                Id::from_bits(number),
                &event,
                Actor::System,
                Timestamp::from_micros(0),
            )
            .await?;
        }
        Ok(())
    });
    write.await.unwrap();
    world.location("New").await;
    world.relay().await;
    let portion =
        world.db.write(owner, async move |tx| events::delete_old(tx, owner, Timestamp::from_micros(1)).await);
    assert_eq!(portion.await.unwrap(), Some(events::DELETE_MAX as u64));
    world.service.cleaning.work().await.unwrap();
    assert_eq!(sequences(&page(&world, "?after=0").await), [old as i64 + 1]);
}
