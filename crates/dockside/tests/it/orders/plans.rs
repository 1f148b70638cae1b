//! Plans: ranked, explained, the same every time; and applied all or nothing, on the stock that is there then.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::setup::stock_requests::{lines, refusal, texts};
use crate::setup::world::{Reply, World, depot};

impl World {
    /// Makes a location at these coordinates and gives its id.
    async fn site(&self, name: &str, latitude: f64) -> String {
        let mut body = depot(name);
        body["coordinates"] = json!({"latitude": latitude, "longitude": 0});
        self.post("/locations", body).await.json()["id"].as_str().unwrap().to_owned()
    }

    /// Makes a committed order that goes to latitude 50.
    async fn order_to(&self, wants: &[(&str, i64)]) -> String {
        let address =
            json!({"line_1": "1 High Street", "city": "Town", "country_code": "GB", "post_code": "BS1 1AA"});
        let destination = json!({"address": address, "coordinates": {"latitude": 50, "longitude": 0}});
        let reply = self.post("/orders", json!({"items": lines(wants), "destination": destination})).await;
        reply.json()["id"].as_str().unwrap().to_owned()
    }

    async fn plan(&self, order: &str, query: &str) -> Reply {
        self.request("POST", &format!("/allocations/orders/{order}/plan{query}")).send().await
    }
}

/// The locations of each proposal.
fn ranking(plan: &Value) -> Vec<Vec<String>> {
    let proposals = plan["proposals"].as_array().unwrap().iter();
    proposals.map(|proposal| texts(&proposal["allocations"], "/location/id")).collect()
}

#[tokio::test]
async fn proposals_are_ranked_by_locations_then_distance_then_balance() {
    let world = World::new().await;
    let (hat, mug) = (world.item("HAT").await, world.item("MUG").await);
    let near_hats = world.site("Near, hats only", 50.1).await;
    let near_mugs = world.site("Near, mugs only", 50.2).await;
    let far = world.site("Far, everything", 58.0).await;
    let middle = world.site("Middle, everything", 54.0).await;
    let rich = world.site("Middle, everything, and more of it", 54.0).await;
    let bare = world.site("Bare", 50.0).await;
    for (item, location, on_hand) in [
        (&hat, &near_hats, 9),
        (&mug, &near_mugs, 9),
        (&hat, &far, 2),
        (&mug, &far, 1),
        (&hat, &middle, 2),
        (&mug, &middle, 1),
        (&hat, &rich, 20),
        (&mug, &rich, 20),
    ] {
        world.count(item, location, on_hand).await;
    }
    let order = world.order_to(&[(&hat, 2), (&mug, 1)]).await;
    let before = world.everything().await;
    let reply = world.plan(&order, "").await;
    assert_eq!(reply.status, 200, "{reply}");
    let plan = reply.json();
    let expected = [vec![rich], vec![middle], vec![far], vec![near_hats, near_mugs]];
    assert_eq!(ranking(&plan)[..4], expected);
    let best = &plan["proposals"][0];
    assert_eq!((&best["locations_count"], &best["distance"]["basis"]), (&json!(1), &json!("kilometres")));
    let reasons = texts(&best["reasons"], "");
    assert_eq!(reasons[0], "One location has everything.");
    assert!(reasons[1].ends_with("km from the destination (confidence 1)."), "{reasons:?}");
    assert_eq!(best["allocations"][0]["items"], lines(&[(&hat, 2), (&mug, 1)]));
    assert_eq!((&plan["unallocated"], &plan["is_applied"]), (&json!([]), &json!(false)));
    let rejected = json!([{"location": {"id": bare}, "reason": "Has none of the ordered items in stock."}]);
    assert_eq!((&plan["rejected"], &plan["rejected_count"]), (&rejected, &json!(1)));
    assert_eq!(plan["search"]["complete"], true);
    // The same question has the same answer, to the byte, and changes nothing.
    assert_eq!(world.plan(&order, "?apply=false").await.text, reply.text);
    assert_eq!(world.everything().await, before);
}

#[tokio::test]
async fn without_coordinates_country_and_post_code_decide_and_the_plan_says_so() {
    let world = World::new().await;
    let hat = world.item("HAT").await;
    let mut ids = Vec::new();
    for (country, post_code) in [("FR", "75001"), ("GB", "M1 1AE"), ("GB", "BS2 0JP")] {
        let mut body = depot(post_code);
        body["address"]["address"]["country_code"] = json!(country);
        body["address"]["address"]["post_code"] = json!(post_code);
        let location = world.post("/locations", body).await.json()["id"].as_str().unwrap().to_owned();
        world.count(&hat, &location, 3).await;
        ids.insert(0, vec![location]);
    }
    let order = world.order_to(&[(&hat, 1)]).await;
    let plan = world.plan(&order, "").await.json();
    assert_eq!(ranking(&plan), ids);
    let reasons = texts(&plan["proposals"][0]["reasons"], "");
    assert!(reasons[1].contains("by country and post code prefix, because no coordinates"), "{reasons:?}");
    assert_eq!(plan["proposals"][2]["distance"], json!({"basis": "other_country"}));
}

#[tokio::test]
async fn what_is_in_stock_nowhere_remains_unallocated() {
    let world = World::new().await;
    let hat = world.item("HAT").await;
    let (first, second) = (world.site("First", 50.1).await, world.site("Second", 50.2).await);
    world.count(&hat, &first, 3).await;
    world.count(&hat, &second, 4).await;
    let order = world.order_to(&[(&hat, 12)]).await;
    // A plan does not use stock that is allocated to other orders.
    let other = world.order(&[(&hat, 1)]).await;
    world.allocated(&other, &[(&first, &hat, 1)]).await;
    world.allocated(&order, &[(&first, &hat, 1)]).await;
    let plan = world.plan(&order, "").await.json();
    assert_eq!(plan["unallocated"], lines(&[(&hat, 6)]));
    assert_eq!(plan["proposals"][0]["unallocated"], lines(&[(&hat, 6)]));
    let applied = world.plan(&order, "?apply=true").await;
    assert_eq!(applied.status, 200, "{applied}");
    assert_eq!(world.reserved(&order).await, [(12, 6)]);
    assert_eq!((world.level(&hat, &first).await, world.level(&hat, &second).await), ([3, 3, 0], [4, 4, 0]));
    let rest = world.plan(&order, "").await.json();
    assert_eq!((&rest["proposals"], &rest["unallocated"]), (&json!([]), &lines(&[(&hat, 6)])));
    let before = world.everything().await;
    let none = world.plan(&order, "?apply=true").await;
    assert_eq!(refusal(&none), (409, "nothing_to_allocate".to_owned()));
    assert_eq!(world.everything().await, before);
    for query in ["?apply=yes", "?apply=", "?aply=true"] {
        assert_eq!(refusal(&world.plan(&order, query).await), (400, "invalid_query".to_owned()), "{query}");
    }
    world.assert_clean().await;
}

#[tokio::test]
async fn applying_makes_the_best_proposal_once() {
    let world = World::new().await;
    let (hat, mug) = (world.item("HAT").await, world.item("MUG").await);
    let (first, second) = (world.site("First", 50.1).await, world.site("Second", 50.2).await);
    world.count(&hat, &first, 3).await;
    world.count(&mug, &second, 3).await;
    let order = world.order_to(&[(&hat, 2), (&mug, 3)]).await;
    let planned = world.plan(&order, "").await.json();
    let call = async || {
        let path = format!("/allocations/orders/{order}/plan?apply=true");
        world.request("POST", &path).header("idempotency-key", "once").send().await
    };
    let applied = call().await;
    assert_eq!(applied.status, 200, "{applied}");
    let shown = applied.json();
    assert_eq!((&shown["is_applied"], &shown["proposals"]), (&json!(true), &planned["proposals"]));
    let made = world.get(format!("/allocations/orders/{order}")).await.json();
    assert_eq!(made["data"], shown["data"]);
    assert_eq!(texts(&made["data"], "/location/id"), [first, second]);
    assert_eq!(world.reserved(&order).await, [(2, 2), (3, 3)]);
    let again = call().await;
    assert_eq!((again.header("idempotent-replayed"), &again.text), ("true", &applied.text));
    // A stored refusal is repeated too, even if the plan would find stock by now.
    let call = async |query: &str, key: &str| {
        let path = format!("/allocations/orders/{order}/plan{query}");
        world.request("POST", &path).header("idempotency-key", key).send().await
    };
    assert_eq!(refusal(&call("?apply=true", "none").await), (409, "nothing_to_allocate".to_owned()));
    let empty = call("", "plan").await.text;
    assert_eq!(world.delete(format!("/allocations/orders/{order}")).await.status, 204);
    let refused = call("?apply=true", "none").await;
    assert_eq!(
        (refused.header("idempotent-replayed"), refused.code().as_str()),
        ("true", "nothing_to_allocate")
    );
    assert_eq!(call("", "plan").await.text, empty);
    assert_eq!(refusal(&call("?apply=true", "plan").await), (422, "idempotency_key_reused".to_owned()));
    let ids = texts(&world.plan(&order, "?apply=true").await.json()["data"], "/id");
    assert_eq!(world.complete(&order, &[&ids[0], &ids[1]]).await.status, 200);
    assert_eq!(world.status(&order).await, "fulfilled");
    let plan = world.plan(&order, "").await.json();
    assert_eq!((&plan["proposals"], &plan["unallocated"]), (&json!([]), &json!([])));
    world.assert_clean().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn plans_applied_at_once_never_promise_the_last_units_twice() {
    let world = Arc::new(World::new().await);
    let hat = world.item("HAT").await;
    let (first, second) = (world.site("First", 50.1).await, world.site("Second", 50.2).await);
    for round in 0..10 {
        world.count(&hat, &first, 3).await;
        world.count(&hat, &second, 2).await;
        let mut orders = Vec::new();
        for _ in 0..6 {
            orders.push(world.order_to(&[(&hat, 2)]).await);
        }
        let calls: Vec<_> = orders
            .iter()
            .map(|order| {
                let (world, order) = (Arc::clone(&world), order.clone());
                tokio::spawn(async move { world.plan(&order, "?apply=true").await })
            })
            .collect();
        let mut promised = 0;
        for (call, order) in calls.into_iter().zip(&orders) {
            let reply = call.await.unwrap();
            let allocated = world.reserved(order).await[0].1;
            match reply.status.as_u16() {
                200 => assert!(allocated > 0, "{reply}"),
                _ => {
                    assert_eq!(allocated, 0, "{reply}");
                    assert_eq!(reply.status, 409, "{reply}");
                    assert!(
                        ["stock_moved", "nothing_to_allocate"].contains(&reply.code().as_str()),
                        "{reply}"
                    );
                }
            }
            promised += allocated;
        }
        let levels = [world.level(&hat, &first).await, world.level(&hat, &second).await];
        assert!(levels.iter().all(|level| level[2] >= 0), "round {round}: {levels:?}");
        assert_eq!(promised, levels[0][1] + levels[1][1], "round {round}");
        assert!(promised >= 2, "round {round}: some order gets stock");
        for order in &orders {
            assert_eq!(world.delete(format!("/orders/{order}")).await.status, 204);
        }
    }
    world.assert_clean().await;
}

#[tokio::test]
async fn a_thousand_locations_are_planned_over() {
    let world = World::new().await;
    let (hat, mug) = (world.item("HAT").await, world.item("MUG").await);
    let mut nearest = Vec::new();
    for number in 0..1000 {
        let location = world.site(&format!("Site {number}"), 51.0 + f64::from(number) * 0.01).await;
        let item = if number % 2 == 0 { &hat } else { &mug };
        world.count(item, &location, 5).await;
        if number < 2 {
            nearest.push(location);
        }
    }
    let order = world.order_to(&[(&hat, 5), (&mug, 5)]).await;
    let plan = world.plan(&order, "").await;
    assert_eq!(plan.status, 200, "{plan}");
    let shown = plan.json();
    assert_eq!(ranking(&shown)[0], nearest);
    let used: std::collections::BTreeSet<String> = ranking(&shown).into_iter().flatten().collect();
    assert_eq!(shown["rejected_count"], 1000 - used.len());
    assert_eq!(shown["rejected"].as_array().unwrap().len(), 100);
    assert_eq!(world.plan(&order, "").await.text, plan.text);
    assert_eq!(world.plan(&order, "?apply=true").await.status, 200);
    assert_eq!(world.reserved(&order).await, [(5, 5), (5, 5)]);
}
