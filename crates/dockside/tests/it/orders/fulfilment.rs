//! How far an order is: after every change of its allocations, what is shown is what they add up to.

use model::platform::json::parse;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use crate::setup::stock_requests::lines;
use crate::setup::world::World;

/// Cases of random sequences, and the steps of each.
const CASES: u32 = 12;
const STEPS: usize = 14;

impl World {
    async fn fulfilment(&self, order: &str) -> (String, i64, i64) {
        let shown = self.get(format!("/orders/{order}")).await.json()["fulfilment"].clone();
        let number = |name: &str| shown[name].as_i64().expect("a quantity");
        (
            shown["status"].as_str().unwrap().to_owned(),
            number("allocated_quantity"),
            number("shipped_quantity"),
        )
    }

    /// Recomputes how far an order is from its items and its allocations, as a client could.
    async fn recomputed(&self, order: &str) -> (String, i64, i64) {
        let items = self.get(format!("/orders/{order}")).await.json()["items"].clone();
        let held = self.get(format!("/allocations/orders/{order}")).await.json()["data"].clone();
        let sum =
            |list: &Value, of: &dyn Fn(&Value) -> i64| list.as_array().unwrap().iter().map(of).sum::<i64>();
        let wanted = sum(&items, &|item| item["quantity"].as_i64().unwrap());
        let quantity = |entry: &Value| entry["items"][0]["quantity"].as_i64().unwrap();
        let allocated = sum(&held, &quantity);
        let shipped = sum(&held, &|entry| if entry["completed_at"].is_null() { 0 } else { quantity(entry) });
        let status = if shipped == wanted {
            "shipped"
        } else if shipped > 0 {
            "partially_shipped"
        } else if allocated == wanted {
            "allocated"
        } else if allocated > 0 {
            "partially_allocated"
        } else {
            "unallocated"
        };
        (status.to_owned(), allocated, shipped)
    }
}

#[tokio::test]
async fn an_order_shows_how_far_it_is_and_tells_each_change() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 9).await;
    let order = world.order(&[(&hat, 3)]).await;
    let shown = async || world.fulfilment(&order).await;
    let is = |status: &str, allocated, shipped| (status.to_owned(), allocated, shipped);
    let etag = async || world.get(format!("/orders/{order}")).await.header("etag").to_owned();
    assert_eq!((shown().await, etag().await), (is("unallocated", 0, 0), "\"1\"".to_owned()));
    let start = world.events().await.len();
    let first = world.allocated(&order, &[(&depot, &hat, 1)]).await;
    assert_eq!((shown().await, etag().await), (is("partially_allocated", 1, 0), "\"2\"".to_owned()));
    let events = world.events().await;
    let told = events.last().unwrap();
    assert_eq!((told.r#type.as_str(), events.len() - start), ("order.updated", 3));
    let previous = parse(told.previous_attributes.as_deref().unwrap().as_bytes()).unwrap();
    assert_eq!(
        (&previous["fulfilment"]["status"], &previous["status"]),
        (&json!("unallocated"), &Value::Null)
    );
    let rest = world.allocated(&order, &[(&depot, &hat, 1), (&depot, &hat, 1)]).await;
    assert_eq!(shown().await, is("allocated", 3, 0));
    world.complete(&order, &[&first[0]]).await;
    assert_eq!(shown().await, is("partially_shipped", 3, 1));
    let same = etag().await;
    world.complete(&order, &[&first[0]]).await;
    assert_eq!(etag().await, same, "completing again changes nothing");
    world.complete(&order, &[&rest[0], &rest[1]]).await;
    assert_eq!((shown().await, world.status(&order).await.as_str()), (is("shipped", 3, 3), "fulfilled"));
    let events = world.events().await;
    let told: Vec<_> = events[events.len() - 2..].iter().map(|event| event.r#type.as_str()).collect();
    assert_eq!(told, ["order.updated", "order.fulfilled"]);
    world.assert_clean().await;
    world.delete(format!("/allocations/orders/{order}")).await;
    assert_eq!((shown().await, world.status(&order).await.as_str()), (is("unallocated", 0, 0), "committed"));
    world.allocated(&order, &[(&depot, &hat, 2)]).await;
    assert_eq!(
        world.patch(format!("/orders/{order}"), json!({"items": lines(&[(&hat, 2)])})).await.status,
        200
    );
    assert_eq!(shown().await, is("allocated", 2, 0));
    let cancelled = world.post(format!("/orders/{order}/cancel"), json!({})).await.json();
    assert_eq!(cancelled["fulfilment"]["status"], "unallocated");
    world.assert_clean().await;
}

#[tokio::test]
async fn the_audit_reports_a_fulfilment_that_is_not_the_sum() {
    let world = World::new().await;
    let (hat, depot) = world.stocked("HAT", 9).await;
    let order = world.order(&[(&hat, 3)]).await;
    let ids = world.allocated(&order, &[(&depot, &hat, 2), (&depot, &hat, 1)]).await;
    world.complete(&order, &[&ids[1]]).await;
    world.assert_clean().await;
    world.tamper("UPDATE orders SET fulfilment_status = 'allocated'").await;
    world
        .tamper(r#"UPDATE orders SET doc = replace(doc, '"allocated_quantity":3', '"allocated_quantity":2')"#)
        .await;
    world
        .tamper(r#"UPDATE orders SET doc = replace(doc, '"shipped_quantity":1', '"shipped_quantity":0')"#)
        .await;
    let audit = world.get("/inventory/audit").await.json();
    assert_eq!(audit["is_clean"], false);
    let found: Vec<_> = audit["differences"]
        .as_array()
        .unwrap()
        .iter()
        .map(|difference| {
            (difference["what"].clone(), difference["kept"].clone(), difference["recomputed"].clone())
        })
        .collect();
    let expected = [
        ("fulfilment.allocated_quantity", 2, 3),
        ("fulfilment.shipped_quantity", 0, 1),
        ("fulfilment.status", 2, 3),
    ];
    assert_eq!(found, expected.map(|(what, kept, recomputed)| (json!(what), json!(kept), json!(recomputed))));
    assert_eq!(audit["differences"][0]["ids"][0], json!(order));
}

/// A step of a random sequence: what is done, to which allocation, with which quantity.
type Step = (u8, usize, i64);

async fn step(world: &World, order: &str, (kind, place, quantity): Step, item: &str, depots: &[String; 2]) {
    let held = world.get(format!("/allocations/orders/{order}")).await.json()["data"].clone();
    let held = held.as_array().unwrap();
    let id = held.get(place % held.len().max(1)).map(|entry| entry["id"].as_str().unwrap().to_owned());
    let depot = &depots[place % 2];
    // Whether a step is refused does not matter: what is shown must be true either way.
    match (kind, id) {
        (0, _) | (1, None) => drop(world.allocate(order, &[(depot, item, quantity)]).await),
        (1, Some(id)) => {
            drop(world.change(order, json!([{"id": id, "items": lines(&[(item, quantity)])}])).await)
        }
        (2, Some(id)) => drop(world.complete(order, &[&id]).await),
        (3, _) => drop(
            world.patch(format!("/orders/{order}"), json!({"items": lines(&[(item, quantity + 4)])})).await,
        ),
        (4, Some(id)) => drop(world.change(order, json!([{"id": id, "location": {"id": depot}}])).await),
        (5, _) if place == 0 => drop(world.delete(format!("/allocations/orders/{order}")).await),
        _ => drop(world.post(format!("/allocations/orders/{order}/plan?apply=true"), json!({})).await),
    }
}

#[test]
fn whatever_happens_to_allocations_the_fulfilment_is_what_they_add_up_to() {
    let runtime = Runtime::new().unwrap();
    let world = runtime.block_on(World::new());
    let (item, first) = runtime.block_on(world.stocked("HAT", 30));
    let depots = [first, runtime.block_on(world.location("Second"))];
    let steps = prop::collection::vec((0..7_u8, 0..4_usize, 1..6_i64), STEPS);
    let mut runner = TestRunner::new(Config { cases: CASES, failure_persistence: None, ..Config::default() });
    let check = |steps: Vec<Step>| {
        runtime.block_on(async {
            let order = world.order(&[(&item, 8)]).await;
            for next in steps {
                step(&world, &order, next, &item, &depots).await;
                assert_eq!(world.fulfilment(&order).await, world.recomputed(&order).await, "{next:?}");
                let is_shipped = world.fulfilment(&order).await.0 == "shipped";
                assert_eq!(world.status(&order).await == "fulfilled", is_shipped, "{next:?}");
            }
            world.assert_clean().await;
        });
        Ok(())
    };
    runner.run(&steps, check).unwrap();
}
