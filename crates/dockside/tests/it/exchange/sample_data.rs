//! `POST /sample_data`: the shop is made once, whatever is repeated, interrupted or deleted.

use model::World as Mode;
use serde_json::{Value, json};

use crate::setup::world::{Reply, World};

async fn ask(world: &World) -> Reply {
    world.request("POST", "/sample_data").header("prefer", "respond-async").send().await
}

/// Repeats the request, and does the background work between, until the shop is there.
async fn make(world: &World) -> Value {
    for _ in 0..200 {
        let reply = ask(world).await;
        if reply.status == 200 {
            return reply.json();
        }
        assert_eq!((reply.status.as_u16(), reply.header("retry-after")), (202, "1"), "{reply}");
        assert_eq!(reply.json()["status"], "running");
        world.service.waves.work().await.expect("waves are worked on");
        world.work().await;
        world.service.manifests.work().await.expect("manifests are worked on");
    }
    panic!("the shop is never complete");
}

fn count(shown: &Value, name: &str, which: &str) -> i64 {
    let counts = shown["resources"].as_array().expect("counts");
    counts.iter().find(|count| count["name"] == name).expect("a count")[which].as_i64().expect("a number")
}

/// Returns how many resources there are.
async fn number(world: &World, path: &str) -> usize {
    let (mut all, mut cursor) = (0, String::new());
    let sign = if path.contains('?') { '&' } else { '?' };
    loop {
        let page = world.get(format!("{path}{sign}limit=100{cursor}")).await;
        assert_eq!(page.status, 200, "{page}");
        all += page.ids().len();
        match page.json()["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => return all,
        }
    }
}

#[tokio::test]
async fn every_page_has_something_to_show() {
    let world = World::rehearsal().await;
    let shown = make(&world).await;
    assert_eq!((&shown["status"], &shown["refused"]), (&json!("completed"), &json!([])), "{shown}");
    for counts in shown["resources"].as_array().unwrap() {
        assert_eq!(counts["present_count"], counts["total_count"], "{counts}");
    }
    for (path, least) in [
        ("/locations", 3),
        ("/location_configurations", 3),
        ("/inventory_items", 40),
        ("/inventory_items?low_stock=true", 4),
        ("/package_types", 4),
        ("/shipping_rules", 2),
        ("/orders", 120),
        ("/orders?on_hold=true", 8),
        ("/orders?has_exception=true", 3),
        ("/orders?status=draft", 5),
        ("/orders?fulfilment_status=unallocated", 20),
        ("/orders?fulfilment_status=allocated", 20),
        ("/shipments?status=purchased", 40),
        ("/shipments?status=purchase_failed", 3),
        ("/batches?status=open", 1),
        ("/batches?status=partially_purchased", 1),
        ("/waves", 4),
        ("/manifests", 1),
    ] {
        let number = number(&world, path).await;
        assert!(number >= least, "{path}: {number}");
    }
    let summary = world.get("/summary").await.json();
    assert!(summary["counts"]["late_orders"].as_i64() >= Some(8), "{summary}");
    world.work_for(40).await;
    assert_eq!(number(&world, "/purchase_attempts?state=needs_review").await, 1);
}

#[tokio::test]
async fn pressing_again_makes_nothing_even_of_what_was_deleted() {
    let world = World::rehearsal().await;
    let first = make(&world).await;
    let order = world.get("/orders?reference=SAMPLE-120").await.ids().remove(0);
    assert_eq!(world.delete(format!("/orders/{order}")).await.status, 204);
    let (orders, events) = (number(&world, "/orders").await, world.events().await.len());
    world.advance_seconds(48 * 3600);
    let again = ask(&world).await;
    assert_eq!(again.status, 200, "{again}");
    let mut expected = first;
    for counts in expected["resources"].as_array_mut().unwrap() {
        counts["created_count"] = json!(0);
    }
    assert_eq!(again.json(), expected);
    assert_eq!((number(&world, "/orders").await, world.events().await.len()), (orders, events));
}

#[tokio::test]
async fn what_a_killed_server_did_not_record_is_found_again() {
    let world = World::rehearsal().await;
    // As if the server had been killed each time between a task and its record: the first phases, and the orders.
    for _ in 0..16 {
        assert_eq!(ask(&world).await.status, 202);
    }
    world.tamper("DELETE FROM sample_data").await;
    let shown = make(&world).await;
    assert_eq!(shown["refused"], json!([]));
    assert_eq!(count(&shown, "locations", "created_count"), 0);
    assert_eq!(number(&world, "/shipping_rules").await, 2);
    // The answers of the operations are forgotten, too: what has a key of its own is still recognised.
    world.tamper("DELETE FROM sample_data; DELETE FROM idempotency").await;
    let numbers = async || {
        let mut all = Vec::new();
        for path in ["/locations", "/inventory_items", "/package_types", "/orders"] {
            all.push(number(&world, path).await);
        }
        all
    };
    let before = numbers().await;
    assert_eq!(before, [3, 40, 4, 120]);
    for _ in 0..18 {
        assert_eq!(ask(&world).await.status, 202);
    }
    assert_eq!(numbers().await, before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_requests_at_once_make_one_shop() {
    let world = World::rehearsal().await;
    for _ in 0..60 {
        let (one, two) = tokio::join!(ask(&world), ask(&world));
        for reply in [&one, &two] {
            assert!(matches!(reply.status.as_u16(), 200 | 202), "{reply}");
            assert_eq!(reply.json()["refused"], json!([]), "{reply}");
        }
        if count(&one.json(), "waves", "present_count") == 4 {
            break;
        }
    }
    let numbers = [number(&world, "/orders").await, number(&world, "/inventory_items").await];
    assert_eq!(numbers, [120, 40]);
    assert_eq!([number(&world, "/waves").await, number(&world, "/locations").await], [4, 3]);
}

#[tokio::test]
async fn what_the_organisation_has_already_is_used() {
    let world = World::rehearsal().await;
    let reply = world.post("/inventory_items", json!({"sku": "SAMPLE-01", "name": "Ours"})).await;
    assert_eq!(reply.status, 201, "{reply}");
    let shown = make(&world).await;
    assert_eq!((count(&shown, "inventory_items", "present_count"), &shown["refused"]), (40, &json!([])));
    assert_eq!(world.get("/inventory_items?sku=SAMPLE-01").await.json()["data"][0]["name"], "Ours");
}

#[tokio::test]
async fn only_the_test_world_and_only_a_caller_who_could_make_it() {
    let world = World::new().await;
    let refused = ask(&world).await;
    assert_eq!((refused.status.as_u16(), refused.code()), (409, "test_world_only".to_owned()));
    assert_eq!(number(&world, "/orders").await, 0);
    let token = world.token_for("Acme", "organisation:write locations:write orders:write", Mode::Test).await;
    let refused = world.request("POST", "/sample_data").token(&token).send().await;
    assert_eq!((refused.status.as_u16(), refused.code()), (403, "insufficient_scope".to_owned()));
    assert!(refused.text.contains("location_configurations:write"), "{refused}");
    // Another organisation's shop is its own.
    let theirs = world.token_for("Globex", "*", Mode::Test).await;
    let made = world.request("POST", "/sample_data").token(&theirs).header("prefer", "respond-async");
    assert_eq!(made.send().await.status, 202);
    let ours = world.token_for("Acme", "*", Mode::Test).await;
    let seen = world.request("GET", "/locations").token(&ours).send().await;
    assert_eq!(seen.ids(), Vec::<String>::new());
}
