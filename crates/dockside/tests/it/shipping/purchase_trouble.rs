//! Purchases in trouble: accounts that can't be opened any more, receipts that arrive late, and duplicates.

use model::{Id, Shipment};
use serde_json::{Value, json};
use store::shipping::purchases::{self, Purchase};
use store::{Access, Sql};

use crate::setup::populated_organisation::parcel;
use crate::setup::purchase_requests::{errors, parcel_to, service};
use crate::setup::shipping_origin::{ShippingOrigin, statuses};
use crate::setup::world::{World, until};

const NAMES: Sql = Sql::same("SELECT id FROM node WHERE owner = '*'");
const VOIDED: [&str; 3] = ["purchase_error", "duplicate_purchase_voided", "service"];

impl World {
    /// Makes an account with a sandbox carrier that charges again for what is bought again.
    async fn forgetful_account(&self) -> Value {
        let configuration = json!({ "mode": "look_up" });
        let body = json!({ "carrier": { "handle": "sandbox" }, "name": "Twice", "handle": "twice", "configuration": configuration });
        assert_eq!(self.post("/carrier_accounts", body).await.status, 201);
        json!({ "carrier_account": "twice", "carrier_service": "standard" })
    }

    async fn purchase_row(&self, path: &str) -> Purchase {
        let owner = self.owner();
        let id = path.rsplit('/').next().and_then(Id::<Shipment>::parse).expect("an id");
        let read = self.db.read(owner, async move |tx| purchases::get(tx, owner, id).await);
        read.await.unwrap().expect("a purchase")
    }

    async fn node_names(&self) -> Vec<String> {
        let read = self.db.read(Access::System, async |tx| tx.all(&NAMES, &[]).await);
        read.await.unwrap().into_iter().map(|mut row| row.text(0).unwrap()).collect()
    }

    /// Puts bytes that nothing can open in the place of an account's credentials.
    async fn break_account(&self, handle: &str) {
        let bytes = if self.db.is_shared() { "'\\x00'" } else { "X'00'" };
        self.tamper(&format!(
            "UPDATE carrier_account SET credentials = {bytes} WHERE details LIKE '%\"{handle}\"%'"
        ))
        .await;
    }
}

#[tokio::test]
async fn an_account_that_can_t_be_opened_holds_up_its_own_purchases_alone() {
    let world = World::rehearsal().await;
    let wanted = world.forgetful_account().await;
    let (broken, sound) = (world.shipment(parcel()).await, world.shipment(parcel()).await);
    world.service.nodes.heartbeat().await.unwrap();
    let names = world.node_names().await;
    world.begin(&format!("{broken}/purchase"), Some(wanted)).await;
    world.begin(&format!("{sound}/purchase"), Some(service("standard"))).await;
    world.break_account("twice").await;
    world.work().await;
    assert_eq!(world.get(&sound).await.json()["status"], "purchased");
    let attempt = world.attempt(&broken).await;
    assert_eq!(attempt["error"]["code"], "credentials_invalid", "{attempt}");
    assert!(attempt["next_attempt_at"].is_string(), "{attempt}");
    world.service.nodes.heartbeat().await.unwrap();
    assert_eq!(world.node_names().await, names, "the server goes on under its name");
    world.work_for(300).await;
    let shown = world.get(&broken).await.json();
    assert_eq!(shown["status"], "purchase_failed", "{shown}");
    assert_eq!(world.carrier_charges(&broken).await.charges, 0);
}

#[tokio::test]
async fn a_manifest_whose_account_can_t_be_opened_is_put_off_alone() {
    let world = World::rehearsal().await;
    let origin = ShippingOrigin::new(&world).await;
    origin.bought(&world, "BS1 4DJ").await;
    origin.begin(&world).await;
    world.break_account("sandbox").await;
    world.service.nodes.heartbeat().await.unwrap();
    let names = world.node_names().await;
    world.service.manifests.work().await.unwrap();
    world.service.nodes.heartbeat().await.unwrap();
    assert_eq!(world.node_names().await, names, "the server goes on under its name");
    let manifests = world.get("/manifests").await.json()["data"].as_array().unwrap().clone();
    assert_eq!(statuses(&manifests), ["creating"], "{manifests:?}");
}

/// Works on everything that is due, in a task of its own.
fn work_beside(world: &World) -> tokio::task::JoinHandle<()> {
    let service = world.service.clone();
    tokio::spawn(async move { service.work_purchases().await.expect("purchases are worked on") })
}

/// Begins to buy from a carrier that takes three seconds, and returns once it has charged.
async fn charged(world: &World, wanted: Value) -> (String, tokio::task::JoinHandle<()>) {
    let path = world.shipment(parcel_to("SBX-SLOW-3")).await;
    world.begin(&format!("{path}/purchase"), Some(wanted)).await;
    let work = work_beside(world);
    until("it is charged", async || world.carrier_charges(&path).await.charges == 1).await;
    (path, work)
}

#[tokio::test]
async fn a_receipt_that_comes_while_it_is_bought_again_is_a_duplicate() {
    let world = World::rehearsal().await;
    let wanted = world.forgetful_account().await;
    let (path, first) = charged(&world, wanted).await;
    // Another server has taken it over, and found that it was not bought.
    world.tamper("UPDATE purchase SET state = 'ready', holder = '', fence = fence + 1").await;
    let second = work_beside(&world);
    first.await.unwrap();
    second.await.unwrap();
    world.work().await;
    let (shown, books) = (world.get(&path).await.json(), world.carrier_charges(&path).await);
    assert_eq!((books.charges, books.voids), (2, 1), "{shown}");
    assert_eq!(
        (shown["status"].as_str(), errors(&shown)),
        (Some("purchased"), vec![VOIDED.map(str::to_owned)])
    );
}

#[tokio::test]
async fn a_receipt_that_comes_after_another_is_a_duplicate() {
    let world = World::rehearsal().await;
    let wanted = world.forgetful_account().await;
    let (path, work) = charged(&world, wanted).await;
    let other = json!({"purchase": "another", "tracking_numbers": ["SB1"], "charged": 1, "currency": "GBP", "is_label_ours": true});
    let set = format!("state = 'bought', holder = '', fence = fence + 1, receipt = '{other}'");
    world.tamper(&format!("UPDATE purchase SET {set}")).await;
    work.await.unwrap();
    world.work().await;
    let (shown, books) = (world.get(&path).await.json(), world.carrier_charges(&path).await);
    assert_eq!((books.charges, books.voids), (1, 1), "{shown}");
    assert_eq!(
        (shown["tracking_number"].as_str(), shown["status"].as_str()),
        (Some("SB1"), Some("purchased"))
    );
}

#[tokio::test]
async fn a_receipt_that_comes_after_its_shipment_was_deleted_is_kept() {
    let world = World::rehearsal().await;
    let wanted = world.forgetful_account().await;
    let (path, work) = charged(&world, wanted).await;
    let (owner, purchase) = (world.owner(), world.purchase_row(&path).await);
    // Another server has taken it over, and found that it was not bought.
    let shipment = "UPDATE shipment SET status = 'purchase_failed'";
    for set in
        ["UPDATE purchase SET state = 'failed', holder = '', fence = fence + 1, due_at = NULL", shipment]
    {
        world.tamper(set).await;
    }
    assert_eq!(world.delete(&path).await.status, 204);
    work.await.unwrap();
    let read = world.db.read(owner, async move |tx| purchases::observed(tx, owner, purchase.id).await);
    let receipts = read.await.unwrap();
    assert_eq!(receipts.len(), 1, "{receipts:?}");
    assert!(receipts[0].contains("tracking_numbers"), "{receipts:?}");
}

#[tokio::test]
async fn what_was_bought_twice_is_taken_back_although_the_shipment_is_voided_first() {
    let world = World::rehearsal().await;
    let wanted = world.forgetful_account().await;
    let path = world.shipment(parcel()).await;
    world.begin(&format!("{path}/purchase"), Some(wanted)).await;
    world.work().await;
    let first: Value =
        serde_json::from_str(&world.purchase_row(&path).await.receipt.expect("a receipt")).unwrap();
    world.tamper("UPDATE purchase SET state = 'ready', receipt = NULL, is_labelled = 0, is_follow_up = 0, due_at = 1").await;
    world.work().await;
    let mut kept: Value =
        serde_json::from_str(&world.purchase_row(&path).await.receipt.expect("a receipt")).unwrap();
    kept["duplicates"] = json!([first]);
    world.tamper(&format!("UPDATE purchase SET receipt = '{kept}', due_at = NULL")).await;
    world.begin(&format!("{path}/void"), None).await;
    world.work().await;
    let (shown, books) = (world.get(&path).await.json(), world.carrier_charges(&path).await);
    assert_eq!((books.charges, books.voids), (2, 2), "{shown}");
    assert_eq!((shown["status"].as_str(), errors(&shown)), (Some("voided"), vec![VOIDED.map(str::to_owned)]));
    assert!(world.attempt(&path).await["next_attempt_at"].is_null(), "nothing is left to do");
}
