//! Manifests and the labels of batches that may be what stops servers: after two stops they are resumed alone, and after three they are
//! set aside for a person.

use model::{Result, Timestamp};
use serde_json::Value;
use store::shipping::{batch_labels, manifests};
use store::{Access, Tx};

use crate::setup::purchase_requests::parcel_to;
use crate::setup::shipping_origin::{ShippingOrigin, statuses};
use crate::setup::world::World;

const HOME: &str = "BS1 4DJ";
/// Longer than the lease that a heartbeat extends.
const SILENT_SECONDS: i64 = 11;
const ALL: usize = 100;

impl World {
    /// Has a server claim work and stop without releasing it. Returns how much it claimed.
    pub async fn stop_at(
        &self,
        claim: impl AsyncFn(&mut Tx<'_>, &str, Timestamp) -> Result<usize> + Send + Sync + 'static,
    ) -> usize {
        let now = self.service.context.now();
        let taken = self.db.write(Access::System, async move |tx| {
            let name = format!("doomed-{}", now.as_micros());
            store::platform::nodes::insert(tx, &name, now.plus_seconds(10)).await?;
            claim(tx, &name, now).await
        });
        let taken = taken.await.unwrap();
        self.advance_seconds(SILENT_SECONDS);
        taken
    }

    pub async fn work_suspects(&self) {
        self.service.suspects.work().await.expect("suspects are worked on");
    }
}

/// Begins a manifest, and has two servers stop while they hold it.
async fn stopped_twice(world: &World) {
    let origin = ShippingOrigin::new(world).await;
    origin.bought(world, HOME).await;
    origin.begin(world).await;
    for _ in 0..2 {
        let claim =
            async |tx: &mut Tx<'_>, node: &str, now| Ok(manifests::claim(tx, node, now, ALL).await?.len());
        assert_eq!(world.stop_at(claim).await, 1);
    }
    world.service.manifests.work().await.unwrap();
    assert_eq!(statuses(&manifests_of(world).await), ["creating"], "it is to be resumed alone");
}

async fn manifests_of(world: &World) -> Vec<Value> {
    world.get("/manifests").await.json()["data"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_manifest_beside_which_two_servers_stopped_is_created_alone() {
    let world = World::rehearsal().await;
    stopped_twice(&world).await;
    world.work_suspects().await;
    assert_eq!(statuses(&manifests_of(&world).await), ["created"]);
}

#[tokio::test]
async fn a_manifest_that_stops_servers_fails() {
    let world = World::rehearsal().await;
    stopped_twice(&world).await;
    let claim = async |tx: &mut Tx<'_>, node: &str, now| {
        Ok(manifests::claim_suspect(tx, node, now).await?.iter().count())
    };
    assert_eq!(world.stop_at(claim).await, 1);
    world.work_suspects().await;
    let all = manifests_of(&world).await;
    assert_eq!(statuses(&all), ["failed"]);
    assert!(all[0]["messages"].to_string().contains("set aside"), "{}", all[0]);
    // A person retries it.
    let path = format!("/manifests/{}/retry", all[0]["id"].as_str().unwrap());
    assert_eq!(world.begin(&path, None).await.status, 202);
    world.service.manifests.work().await.unwrap();
    assert_eq!(statuses(&manifests_of(&world).await), ["created"]);
}

#[tokio::test]
async fn labels_of_a_batch_that_stop_servers_are_refused_for_an_hour() {
    let world = World::rehearsal().await;
    let (batch, _) = world.bought_batch("pdf", vec![parcel_to(HOME)]).await;
    let path = format!("{batch}/labels");
    assert_eq!(world.begin(&path, None).await.status, 202);
    for _ in 0..2 {
        let claim =
            async |tx: &mut Tx<'_>, node: &str, now| Ok(batch_labels::claim(tx, node, now, ALL).await?.len());
        assert_eq!(world.stop_at(claim).await, 1);
    }
    world.work_labels().await;
    assert_eq!(world.begin(&path, None).await.status, 202, "it is resumed alone");
    let claim = async |tx: &mut Tx<'_>, node: &str, now| {
        Ok(batch_labels::claim_suspect(tx, node, now).await?.iter().count())
    };
    assert_eq!(world.stop_at(claim).await, 1);
    world.work_suspects().await;
    let refused = world.begin(&path, None).await;
    assert_eq!((refused.status.as_u16(), refused.code()), (409, "labels_set_aside".to_owned()), "{refused}");
    let single = world.get(&path).await.json();
    assert_eq!(single["data"].as_array().map(Vec::len), Some(1), "the labels themselves are there: {single}");
    world.advance_seconds(3600);
    assert_eq!(world.begin(&path, None).await.status, 202);
    world.work_labels().await;
    assert_eq!(world.begin(&path, None).await.status, 201);
}
