//! Several servers on one database: one of them requests a manifest, and another takes over when that one's lease expires.

use std::sync::Arc;

use serde_json::{Value, json};
use service::{Service, SystemRandom};
use store::Access;
use store::shipping::{manifests, sandbox_entries};

use crate::setup::shipping_origin::{ShippingOrigin, statuses};
use crate::setup::world::World;

const HOME: &str = "BS1 4DJ";
/// Longer than the lease that a heartbeat extends.
const SILENT_SECONDS: i64 = 11;

/// Starts another server on the same database with the same clock.
pub async fn another(world: &World) -> Service {
    let settings = world.service.settings().clone();
    let node = Service::new(world.db.clone(), world.clock.clone(), Arc::new(SystemRandom), settings);
    let node = node.expect("a service");
    // On SQLite a server that starts takes all other nodes for dead, so the world's own server sends its heartbeat last.
    node.nodes.heartbeat().await.unwrap();
    world.service.nodes.heartbeat().await.unwrap();
    node
}

async fn all(world: &World) -> Vec<Value> {
    world.get("/manifests").await.json()["data"].as_array().unwrap().clone()
}

/// Returns how often the carrier made a manifest under this id.
async fn closings(world: &World, manifest: &Value) -> usize {
    let (owner, id) = (world.owner(), manifest["id"].as_str().unwrap().to_owned());
    let read = world.db.read(owner, async move |tx| sandbox_entries::all(tx, owner, &id).await);
    read.await.unwrap().iter().filter(|doc| doc.contains("\"manifested\"")).count()
}

#[tokio::test]
async fn a_server_that_dies_between_the_intent_and_the_answer_leaves_it_to_another() {
    let world = World::rehearsal().await;
    let origin = ShippingOrigin::new(&world).await;
    origin.bought(&world, HOME).await;
    let node = another(&world).await;
    origin.begin(&world).await;
    // This node claims the manifest, and sends no heartbeat again.
    let now = world.service.context.now();
    let taken = world.db.write(Access::System, async move |tx| {
        store::platform::nodes::insert(tx, "doomed", now.plus_seconds(10)).await?;
        manifests::claim(tx, "doomed", now, 10).await
    });
    assert_eq!(taken.await.unwrap().len(), 1);
    node.manifests.work().await.unwrap();
    assert_eq!(statuses(&all(&world).await), ["creating"], "it is not taken from a server that lives");
    world.advance_seconds(SILENT_SECONDS);
    node.manifests.work().await.unwrap();
    let manifests = all(&world).await;
    assert_eq!(statuses(&manifests), ["created"]);
    assert_eq!(
        (closings(&world, &manifests[0]).await, manifests[0]["documents"].as_array().unwrap().len()),
        (1, 1)
    );
}

#[tokio::test]
async fn a_server_that_dies_after_the_carrier_took_it_is_followed_by_one_that_learns_so() {
    let world = World::rehearsal().await;
    let origin = ShippingOrigin::new(&world).await;
    let bought = origin.bought(&world, HOME).await;
    origin.begin(&world).await;
    world.service.manifests.work().await.unwrap();
    let before = all(&world).await;
    // As if the server had died before it stored the carrier's answer.
    world
        .tamper("UPDATE manifest SET status = 'creating', due_at = 0, details = replace(details, 'manifest.mfst', 'x'); DELETE FROM document WHERE type = 'manifest';")
        .await;
    assert_eq!(statuses(&all(&world).await), ["creating"]);
    let node = another(&world).await;
    node.manifests.work().await.unwrap();
    let after = all(&world).await;
    assert_eq!((statuses(&after), closings(&world, &after[0]).await), (vec!["created".to_owned()], 1));
    assert_eq!(after[0]["carrier_reference"], before[0]["carrier_reference"]);
    assert_eq!(
        after[0]["documents"][0]["id"], before[0]["documents"][0]["id"],
        "its paper has its id from the beginning"
    );
    assert_eq!(after[0]["shipments"], json!([bought]));
}

#[tokio::test]
async fn the_result_of_a_server_that_lost_the_manifest_is_not_stored() {
    let world = World::rehearsal().await;
    let origin = ShippingOrigin::new(&world).await;
    origin.bought(&world, HOME).await;
    origin.begin(&world).await;
    let now = world.service.context.now();
    let taken = world.db.write(Access::System, async move |tx| manifests::claim(tx, "frozen", now, 10).await);
    let lost = taken.await.unwrap().remove(0);
    world.service.manifests.work().await.unwrap();
    assert_eq!(statuses(&all(&world).await), ["created"]);
    let late = world.db.write(world.owner(), async move |tx| {
        let standing = manifests::Standing {
            status: model::shipping::manifest::Status::Failed,
            details: lost.details.clone(),
            due_at: None,
            failures: 0,
        };
        manifests::record(tx, &lost, &standing, now).await
    });
    assert!(!late.await.unwrap());
    assert_eq!(statuses(&all(&world).await), ["created"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_servers_one_asks() {
    let world = World::rehearsal().await;
    let origin = ShippingOrigin::new(&world).await;
    origin.bought(&world, HOME).await;
    let node = another(&world).await;
    origin.begin(&world).await;
    let (one, two) = tokio::join!(world.service.manifests.work(), node.manifests.work());
    one.and(two).unwrap();
    world.service.manifests.work().await.unwrap();
    let manifests = all(&world).await;
    assert_eq!(
        (statuses(&manifests), closings(&world, &manifests[0]).await),
        (vec!["created".to_owned()], 1)
    );
    let id = manifests[0]["id"].as_str().unwrap();
    assert_eq!(world.story(&format!("/manifests/{id}")).await, ["manifest.created"]);
}
