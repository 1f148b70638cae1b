//! Manifests of batches, by the document's rules.

use serde_json::{Value, json};

use crate::setup::shipping_origin::{ShippingOrigin, lists, statuses, strings};
use crate::setup::stock_requests::refusal;
use crate::setup::world::World;

const HOME: &str = "BS1 4DJ";

/// A purchased batch of so many shipments from one shipping origin.
async fn purchased(world: &World, count: usize) -> (ShippingOrigin, String, Vec<String>) {
    let origin = ShippingOrigin::new(world).await;
    let mut shipments = Vec::new();
    for _ in 0..count {
        shipments.push(origin.bought(world, HOME).await);
    }
    let batch = world.standing_batch("purchased", &shipments).await;
    (origin, format!("/batches/{batch}"), shipments)
}

async fn manifests(world: &World, batch: &str) -> Vec<Value> {
    let reply = world.get(format!("{batch}/manifests")).await;
    assert_eq!(reply.status, 200, "{reply}");
    reply.json()["data"].as_array().unwrap().clone()
}

/// Manifests a batch, and gives its manifests once nothing is under way.
async fn manifest(world: &World, batch: &str) -> Vec<Value> {
    let begun = world.begin(&format!("{batch}/manifests"), None).await;
    assert!([200, 202].contains(&begun.status.as_u16()), "{begun}");
    world.service.manifests.work().await.unwrap();
    manifests(world, batch).await
}

#[tokio::test]
async fn manifests_exist_only_after_the_batch_is_manifested() {
    let world = World::rehearsal().await;
    let (_, batch, shipments) = purchased(&world, 2).await;
    assert_eq!(manifests(&world, &batch).await, Vec::<Value>::new());
    let made = manifest(&world, &batch).await;
    assert_eq!((lists(&made), statuses(&made)), (vec![shipments], vec!["created".to_owned()]));
}

#[tokio::test]
async fn calling_the_manifests_endpoint_does_not_manifest_the_batch() {
    let world = World::rehearsal().await;
    let (_, batch, _) = purchased(&world, 1).await;
    let before = world.events().await.len();
    for _ in 0..3 {
        assert_eq!(manifests(&world, &batch).await, Vec::<Value>::new());
        world.service.manifests.work().await.unwrap();
    }
    assert_eq!(world.get("/manifests").await.ids(), Vec::<String>::new());
    assert_eq!(world.events().await.len(), before);
}

#[tokio::test]
async fn dependent_operations_must_wait_until_the_purchase_has_succeeded_or_failed() {
    let world = World::rehearsal().await;
    let origin = ShippingOrigin::new(&world).await;
    let bought = origin.bought(&world, HOME).await;
    for (status, code) in [
        ("open", "batch_not_finalised"),
        ("partially_purchased", "batch_not_finalised"),
        ("purchase_failed", "batch_not_finalised"),
        ("purchasing", "batch_purchasing"),
    ] {
        let batch = world.standing_batch(status, std::slice::from_ref(&bought)).await;
        let reply = world.begin(&format!("/batches/{batch}/manifests"), None).await;
        assert_eq!(refusal(&reply), (409, code.to_owned()), "{status}");
        assert_eq!(manifests(&world, &format!("/batches/{batch}")).await, Vec::<Value>::new());
    }
    let none = world.begin("/batches/batch_01jc0000000000000000000000/manifests", None).await;
    assert_eq!(refusal(&none), (404, "not_found".to_owned()));
}

#[tokio::test]
async fn manifesting_a_batch_again_gives_the_same_manifests() {
    let world = World::rehearsal().await;
    let (_, batch, _) = purchased(&world, 2).await;
    let path = format!("{batch}/manifests");
    let begun = world.begin(&path, None).await;
    assert_eq!((begun.status.as_u16(), begun.header("location")), (202, path.as_str()));
    assert_eq!(begun.header("retry-after"), "1");
    let joined = world.begin(&path, None).await;
    assert_eq!((joined.status.as_u16(), joined.ids()), (202, begun.ids()));
    world.service.manifests.work().await.unwrap();
    let again = world.begin(&path, None).await;
    assert_eq!((again.status.as_u16(), again.ids()), (200, begun.ids()));
}

#[tokio::test]
async fn a_quick_carrier_is_waited_for() {
    let world = World::rehearsal().await;
    let (_, batch, _) = purchased(&world, 1).await;
    let jobs = world.service.start_jobs().unwrap();
    let reply = world.request("POST", &format!("{batch}/manifests")).send().await;
    assert_eq!(
        (reply.status.as_u16(), &reply.json()["data"][0]["status"]),
        (201, &json!("created")),
        "{reply}"
    );
    jobs.stop().await;
}

#[tokio::test]
async fn a_patch_of_the_location_neither_splits_nor_empties_the_manifest_of_a_batch() {
    let world = World::rehearsal().await;
    let (origin, batch, shipments) = purchased(&world, 3).await;
    let moved = json!({"name": "Moved", "address": {"address": {"line_1": "2 New Street"}}});
    assert_eq!(world.patch(format!("/locations/{}", origin.location), moved).await.status, 200);
    assert_eq!(lists(&manifest(&world, &batch).await), [shipments]);
}

#[tokio::test]
async fn a_batch_is_told_of_once_all_of_it_is_in_manifests() {
    let world = World::rehearsal().await;
    let (one, two) = (ShippingOrigin::new(&world).await, ShippingOrigin::new(&world).await);
    let shipments = [one.bought(&world, HOME).await, two.bought(&world, "SBX-MANIFEST-SLOW").await];
    let voided = one.bought(&world, HOME).await;
    assert_eq!(world.begin(&format!("/shipments/{voided}/void"), None).await.status, 202);
    world.work().await;
    let id = world.standing_batch("purchased", &[shipments.to_vec(), vec![voided]].concat()).await;
    let batch = format!("/batches/{id}");
    let made = manifest(&world, &batch).await;
    let mut status = statuses(&made);
    status.sort();
    assert_eq!(status, ["created", "creating"]);
    assert_eq!(tellings(&world, &batch).await, 0, "one is still being made");
    world.manifest_for(12).await;
    assert_eq!(statuses(&manifests(&world, &batch).await), ["created", "created"]);
    assert_eq!(tellings(&world, &batch).await, 1);
    let event = world.newest_event("batch.manifested").await;
    assert_eq!(event["data"]["object"]["id"], id);
    manifest(&world, &batch).await;
    world.manifest_for(2).await;
    assert_eq!(tellings(&world, &batch).await, 1, "and once");
}

/// How often it was told that all of a batch is in manifests.
async fn tellings(world: &World, batch: &str) -> usize {
    world.story(batch).await.iter().filter(|name| *name == "batch.manifested").count()
}

#[tokio::test]
async fn a_batch_that_was_handed_over_before_it_was_bought_is_told_of_once_it_is() {
    let world = World::rehearsal().await;
    let origin = ShippingOrigin::new(&world).await;
    let paths = [world.shipment(origin.parcel(HOME)).await, world.shipment(origin.parcel(HOME)).await];
    let batch = world.batch_of(&paths).await;
    for path in &paths {
        assert_eq!(world.buy(path).await["status"], "purchased");
    }
    assert_eq!(statuses(&origin.close(&world).await), ["created"]);
    assert_eq!(tellings(&world, &batch).await, 0, "it could still be changed");
    world.begin(&format!("{batch}/purchase"), None).await;
    world.work().await;
    assert_eq!(world.get(&batch).await.json()["status"], "purchased");
    let story = world.story(&batch).await;
    assert_eq!(story[story.len() - 2..], ["batch.purchased", "batch.manifested"]);
}

#[tokio::test]
async fn a_batch_is_told_of_too_where_what_no_manifest_took_is_voided() {
    let world = World::rehearsal().await;
    let (one, two) = (ShippingOrigin::new(&world).await, ShippingOrigin::new(&world).await);
    let shipments = [one.bought(&world, HOME).await, two.bought(&world, "SBX-MANIFEST-FAIL").await];
    let batch = format!("/batches/{}", world.standing_batch("purchased", &shipments).await);
    let mut stand = statuses(&manifest(&world, &batch).await);
    stand.sort();
    assert_eq!((stand, tellings(&world, &batch).await), (vec!["created".to_owned(), "failed".to_owned()], 0));
    assert_eq!(world.begin(&format!("/shipments/{}/void", shipments[1]), None).await.status, 202);
    world.work().await;
    assert_eq!(tellings(&world, &batch).await, 1);
}

#[tokio::test]
async fn a_batch_of_which_all_was_voided_is_not_told_of() {
    let world = World::rehearsal().await;
    let (_, batch, shipments) = purchased(&world, 1).await;
    assert_eq!(world.begin(&format!("/shipments/{}/void", shipments[0]), None).await.status, 202);
    world.work().await;
    assert_eq!(world.get(&batch).await.json()["purchased_count"], 0);
    assert_eq!(tellings(&world, &batch).await, 0);
}

#[tokio::test]
async fn closing_out_a_day_reaches_across_batches_and_single_shipments() {
    let world = World::rehearsal().await;
    let origin = ShippingOrigin::new(&world).await;
    let mut shipments = Vec::new();
    for _ in 0..3 {
        shipments.push(origin.bought(&world, HOME).await);
    }
    let batches = [
        world.standing_batch("purchased", &shipments[..1]).await,
        world.standing_batch("purchased", &shipments[1..2]).await,
    ];
    assert_eq!(lists(&origin.close(&world).await), [shipments.clone()]);
    for batch in batches {
        let path = format!("/batches/{batch}");
        assert_eq!(lists(&manifests(&world, &path).await), [shipments.clone()]);
        assert!(world.story(&path).await.contains(&"batch.manifested".to_owned()));
        // Nothing is left of it to manifest.
        let again = world.begin(&format!("{path}/manifests"), None).await;
        assert_eq!((again.status.as_u16(), again.ids().len()), (200, 1));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn many_requests_that_manifest_a_batch_at_once_get_the_same_answer() {
    let world = World::rehearsal().await;
    let (_, batch, shipments) = purchased(&world, 4).await;
    let path = format!("{batch}/manifests");
    let ask = || world.begin(&path, None);
    let all = tokio::join!(ask(), ask(), ask(), ask());
    let ids = all.0.ids();
    assert_eq!(ids.len(), 1);
    for reply in [&all.0, &all.1, &all.2, &all.3] {
        assert_eq!((reply.status.as_u16(), reply.ids()), (202, ids.clone()), "{reply}");
        assert_eq!(strings(&reply.json()["data"][0]["shipments"]), shipments);
    }
}

#[tokio::test]
async fn others_batches_are_not_found() {
    let world = World::rehearsal().await;
    let (_, batch, _) = purchased(&world, 1).await;
    let stranger = world.token_for("Globex", "*", model::World::Test).await;
    for method in ["GET", "POST"] {
        let reply = world.request(method, &format!("{batch}/manifests")).token(&stranger).send().await;
        assert_eq!(refusal(&reply), (404, "not_found".to_owned()), "{method}");
    }
    assert_eq!(manifests(&world, &batch).await, Vec::<Value>::new());
}
