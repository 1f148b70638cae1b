//! Batches that are bought: the states and rules of the interface, what is refused, and what becomes of a purchase that
//! half fails. Each name is a row of the document's table, or one of its rules, in its words.

use serde_json::{Value, json};

use crate::setup::purchase_requests::{errors, parcel_to};
use crate::setup::stock_requests::refusal;
use crate::setup::world::{Reply, World};

const FINE: &str = "BS1 4DJ";

/// The service of the account that every test world has.
fn standard() -> Value {
    json!({"carrier_account": {"handle": "sandbox"}, "carrier_service": {"handle": "standard"}})
}

fn id_of(path: &str) -> String {
    path.rsplit('/').next().expect("an id").to_owned()
}

/// The four counts: shipments, bought, errors, packages.
fn counts(batch: &Value) -> [i64; 4] {
    ["shipments_count", "purchased_count", "error_count", "packages_count"]
        .map(|name| batch[name].as_i64().expect("a count"))
}

impl World {
    /// Makes shipments to these post codes; gives their paths.
    async fn parcels_to(&self, words: &[&str]) -> Vec<String> {
        let mut paths = Vec::new();
        for word in words {
            paths.push(self.shipment(parcel_to(word)).await);
        }
        paths
    }

    /// Makes a batch of these shipments, to be bought with the standard service; gives its path.
    async fn batch_to_buy(&self, shipments: &[String]) -> String {
        let ids: Vec<String> = shipments.iter().map(|path| id_of(path)).collect();
        let reply = self.post("/batches", json!({"service": standard(), "shipments": ids})).await;
        assert_eq!(reply.status, 201, "{reply}");
        reply.header("location").to_owned()
    }

    async fn purchase(&self, batch: &str) -> Reply {
        self.begin(&format!("{batch}/purchase"), None).await
    }

    /// Buys a batch, as far as that goes at once.
    async fn buy_batch(&self, batch: &str) -> Value {
        let begun = self.purchase(batch).await;
        assert_eq!(begun.status, 202, "{begun}");
        self.work().await;
        self.get(batch).await.json()
    }

    /// How often money was taken for each of these shipments, and not given back.
    async fn charges(&self, shipments: &[String]) -> Vec<usize> {
        let mut charges = Vec::new();
        for path in shipments {
            let books = self.carrier_charges(path).await;
            charges.push(books.charges - books.voids);
        }
        charges
    }
}

#[tokio::test]
async fn upstream_carriers_answer_within_a_few_seconds_and_200_ok_with_the_batch() {
    let world = World::rehearsal_with(|settings| settings.carriers.wait_seconds = 20).await;
    let shipments = world.parcels_to(&[FINE, FINE, FINE]).await;
    let batch = world.batch_to_buy(&shipments).await;
    let jobs = world.service.start_jobs().expect("jobs");
    let reply = world.request("POST", &format!("{batch}/purchase")).send().await;
    assert_eq!(reply.status, 200, "{reply}");
    let bought = reply.json();
    assert_eq!((bought["status"].as_str(), counts(&bought)), (Some("purchased"), [3, 3, 0, 3]), "{bought}");
    assert_eq!(format!("/batches/{}", bought["id"].as_str().expect("an id")), batch);
    jobs.stop().await;
}

#[tokio::test]
async fn upstream_carriers_take_longer_and_202_accepted_with_the_batch_to_be_polled() {
    let world = World::rehearsal().await;
    let shipments = world.parcels_to(&[FINE, FINE]).await;
    let batch = world.batch_to_buy(&shipments).await;
    let begun = world.purchase(&batch).await;
    assert_eq!((begun.status.as_u16(), begun.json()["status"].as_str()), (202, Some("purchasing")));
    assert_eq!(begun.header("location"), batch);
    assert!(begun.header("retry-after").parse::<u32>().expect("seconds") > 0);
    assert_eq!(format!("/batches/{}", begun.json()["id"].as_str().expect("an id")), batch);
    world.work().await;
    let polled = world.get(&batch).await.json();
    assert_eq!((polled["status"].as_str(), counts(&polled)), (Some("purchased"), [2, 2, 0, 2]));
}

#[tokio::test]
async fn upstream_purchasing_completes_and_the_outcome_is_retrievable_and_announced_by_events() {
    let world = World::rehearsal().await;
    let shipments = world.parcels_to(&[FINE, FINE]).await;
    let batch = world.batch_to_buy(&shipments).await;
    world.buy_batch(&batch).await;
    let story = world.story(&batch).await;
    assert_eq!(story.first().map(String::as_str), Some("batch.created"));
    assert!(story.contains(&"batch.purchase_started".to_owned()), "{story:?}");
    assert_eq!(story.last().map(String::as_str), Some("batch.purchased"));
    let event = world.newest_event("batch.purchased").await;
    let told = &event["data"]["object"];
    assert_eq!((told["status"].as_str(), counts(told)), (Some("purchased"), [2, 2, 0, 2]));
    assert_eq!(event["previous_attributes"]["status"], "purchasing");

    let failing = world.parcels_to(&["SBX-DECLINED"]).await;
    let batch = world.batch_to_buy(&failing).await;
    world.buy_batch(&batch).await;
    let event = world.newest_event("batch.purchase_failed").await;
    assert_eq!(format!("/batches/{}", event["data"]["object"]["id"].as_str().expect("an id")), batch);
}

#[tokio::test]
async fn finalisation_means_purchase_and_no_change_is_allowed_once_finalised() {
    let world = World::rehearsal().await;
    let shipments = world.parcels_to(&[FINE, FINE]).await;
    let batch = world.batch_to_buy(&shipments).await;
    let bought = world.buy_batch(&batch).await;
    assert_eq!(bought["status"], "purchased");
    let more = world.parcels_to(&[FINE]).await;
    let body = |path: &String| json!({"shipments": [id_of(path)]});
    let members = format!("{batch}/shipments");
    let refused = [
        world.patch(&batch, json!({"name": "Tuesday"})).await,
        world.patch(&members, body(&more[0])).await,
        world.request("DELETE", &members).json(body(&shipments[0])).send().await,
        world.patch(&shipments[0], json!({"name": "x"})).await,
    ];
    for reply in &refused {
        assert_eq!(reply.status, 409, "{reply}");
    }
    assert_eq!(refused[0].code(), "batch_finalised");
    assert_eq!(refused[1].code(), "batch_finalised");
    assert_eq!(refused[2].code(), "batch_finalised");
    assert_eq!(world.delete(&batch).await.status, 409);
    assert_eq!(world.get(&batch).await.json(), bought);
    // Bought again it is what it was: nothing is charged twice.
    let again = world.request("POST", &format!("{batch}/purchase")).send().await;
    assert_eq!((again.status.as_u16(), again.json()), (200, bought));
    assert_eq!(world.charges(&shipments).await, [1, 1]);
}

#[tokio::test]
async fn while_it_is_purchased_it_stays_as_it_is_and_a_second_purchase_joins_the_first() {
    let world = World::rehearsal().await;
    let shipments = world.parcels_to(&[FINE, FINE]).await;
    let batch = world.batch_to_buy(&shipments).await;
    let members = format!("{batch}/shipments");
    assert_eq!(world.purchase(&batch).await.status, 202);
    let more = world.parcels_to(&[FINE]).await;
    let body = |path: &String| json!({"shipments": [id_of(path)]});
    for reply in [
        world.patch(&batch, json!({"name": "Tuesday"})).await,
        world.patch(&members, body(&more[0])).await,
        world.request("DELETE", &members).json(body(&shipments[0])).send().await,
        world.patch(&shipments[0], json!({"name": "x"})).await,
        world.delete(&shipments[0]).await,
        world
            .post(format!("{}/purchase", shipments[0]), crate::setup::purchase_requests::service("express"))
            .await,
    ] {
        assert_eq!((reply.status.as_u16(), reply.code().as_str()), (409, "batch_purchasing"), "{reply}");
    }
    for _ in 0..3 {
        assert_eq!(world.purchase(&batch).await.status, 202);
    }
    world.work().await;
    assert_eq!(world.get(&batch).await.json()["status"], "purchased");
    assert_eq!(world.charges(&shipments).await, [1, 1]);
    let started = world.story(&batch).await;
    assert_eq!(started.iter().filter(|event| *event == "batch.purchase_started").count(), 1);
}

#[tokio::test]
async fn what_was_bought_stays_and_the_rest_is_repaired_removed_and_bought() {
    let world = World::rehearsal().await;
    let shipments = world.parcels_to(&[FINE, "SBX-ADDRESS-INVALID", FINE, "SBX-DECLINED"]).await;
    let batch = world.batch_to_buy(&shipments).await;
    let half = world.buy_batch(&batch).await;
    assert_eq!((half["status"].as_str(), counts(&half)), (Some("partially_purchased"), [4, 2, 2, 4]));
    let codes: Vec<_> = errors(&half).into_iter().map(|[_, code, _]| code).collect();
    assert_eq!(codes, ["address_invalid", "purchase_declined"]);
    assert_eq!(world.story(&batch).await.last().map(String::as_str), Some("batch.purchase_failed"));
    // Those that were bought can't be removed.
    let remove = |path: &String| json!({"shipments": [id_of(path)]});
    let members = format!("{batch}/shipments");
    let reply = world.request("DELETE", &members).json(remove(&shipments[0])).send().await;
    assert_eq!((reply.status.as_u16(), reply.code().as_str()), (409, "shipment_purchased"));
    // One is repaired and bought; what was bought before is not bought again.
    let address = json!({"addresses": {"destination": {"address": {"post_code": FINE}}}});
    let repaired = world.patch(&shipments[1], address).await;
    assert_eq!(repaired.status, 200, "{repaired}");
    assert_eq!(counts(&world.get(&batch).await.json()), [4, 2, 1, 4]);
    let better = world.buy_batch(&batch).await;
    assert_eq!((better["status"].as_str(), counts(&better)), (Some("partially_purchased"), [4, 3, 1, 4]));
    // The other is removed: nothing is left unbought.
    let whole = world.request("DELETE", &members).json(remove(&shipments[3])).send().await;
    assert_eq!(whole.status, 200, "{whole}");
    let whole = whole.json();
    assert_eq!((whole["status"].as_str(), counts(&whole)), (Some("purchased"), [3, 3, 0, 3]));
    assert_eq!(world.story(&batch).await.last().map(String::as_str), Some("batch.purchased"));
    assert_eq!(world.charges(&shipments).await, [1, 1, 1, 0]);
}

#[tokio::test]
async fn where_none_was_bought_the_purchase_failed_and_can_be_tried_again() {
    let world = World::rehearsal().await;
    let shipments = world.parcels_to(&["SBX-FUNDS", "SBX-FUNDS"]).await;
    let batch = world.batch_to_buy(&shipments).await;
    let failed = world.buy_batch(&batch).await;
    assert_eq!((failed["status"].as_str(), counts(&failed)), (Some("purchase_failed"), [2, 0, 2, 2]));
    let again = world.buy_batch(&batch).await;
    assert_eq!((again["status"].as_str(), counts(&again)), (Some("purchase_failed"), [2, 0, 2, 2]));
}

#[tokio::test]
async fn an_empty_batch_and_one_without_a_service_are_refused() {
    let world = World::rehearsal().await;
    let empty = world.post("/batches", json!({"service": standard()})).await.header("location").to_owned();
    let reply = world.purchase(&empty).await;
    assert_eq!(refusal(&reply), (422, "batch_empty".to_owned()));
    let shipments = world.parcels_to(&[FINE, FINE]).await;
    let ids: Vec<String> = shipments.iter().map(|path| id_of(path)).collect();
    let bare = world.post("/batches", json!({"shipments": ids})).await.header("location").to_owned();
    let reply = world.purchase(&bare).await;
    assert_eq!(refusal(&reply), (422, "service_missing".to_owned()));
    for id in &ids {
        assert!(reply.text.contains(id.as_str()), "{reply}");
    }
    assert_eq!(world.get(&bare).await.json()["status"], "open");
    // Those that ask for a service of their own need none of the batch.
    let own = json!({"carrier": {"carrier_code": "sandbox", "service_code": "express"}});
    for path in &shipments {
        assert_eq!(world.patch(path, own.clone()).await.status, 200);
    }
    let bought = world.buy_batch(&bare).await;
    assert_eq!((bought["status"].as_str(), counts(&bought)), (Some("purchased"), [2, 2, 0, 2]));
    let shipment = world.get(&shipments[0]).await.json();
    assert_eq!(shipment["service"]["carrier_service"]["handle"], "express");
}

#[tokio::test]
async fn a_service_that_is_gone_fails_its_shipment_and_not_the_others() {
    let world = World::rehearsal().await;
    let shipments = world.parcels_to(&[FINE, FINE]).await;
    let requests = [("sandbox", "express"), ("sandbox", "by_pigeon")];
    for (path, (carrier, service)) in shipments.iter().zip(requests) {
        let own = json!({"carrier": {"carrier_code": carrier, "service_code": service}});
        assert_eq!(world.patch(path, own).await.status, 200);
    }
    let ids: Vec<String> = shipments.iter().map(|path| id_of(path)).collect();
    let batch = world.post("/batches", json!({"shipments": ids})).await.header("location").to_owned();
    let half = world.buy_batch(&batch).await;
    assert_eq!((half["status"].as_str(), counts(&half)), (Some("partially_purchased"), [2, 1, 1, 2]));
    assert_eq!(errors(&half)[0][1], "service_unavailable");
}

#[tokio::test]
async fn a_purchase_with_an_unknown_outcome_waits_for_a_person_and_the_batch_does_not() {
    let world = World::rehearsal().await;
    let shipments = world.parcels_to(&[FINE, "SBX-LOST-FOREVER"]).await;
    let batch = world.batch_to_buy(&shipments).await;
    world.buy_batch(&batch).await;
    world.work_for(32).await;
    let half = world.get(&batch).await.json();
    assert_eq!(
        (half["status"].as_str(), counts(&half)),
        (Some("partially_purchased"), [2, 1, 1, 2]),
        "{half}"
    );
    assert_eq!(errors(&half)[0][1], "outcome_unknown");
    // It is neither bought again on a guess nor taken out.
    let again = world.buy_batch(&batch).await;
    assert_eq!(again["status"], "partially_purchased");
    let body = json!({"shipments": [id_of(&shipments[1])]});
    let reply = world.request("DELETE", &format!("{batch}/shipments")).json(body).send().await;
    assert_eq!(refusal(&reply), (409, "shipment_purchasing".to_owned()));
    // A person finds out, and nothing is left unbought.
    let attempt = world.attempt(&shipments[1]).await;
    let found = json!({"outcome": "bought", "tracking_numbers": ["SB000000001GB"]});
    let path = format!("/purchase_attempts/{}/resolve", attempt["id"].as_str().expect("an id"));
    let reply = world.post(path, found).await;
    assert_eq!(reply.status, 200, "{reply}");
    world.work().await;
    let whole = world.get(&batch).await.json();
    assert_eq!((whole["status"].as_str(), whole["purchased_count"].as_i64()), (Some("purchased"), Some(2)));
    assert_eq!(world.charges(&shipments).await, [1, 1]);
}

#[tokio::test]
async fn a_member_of_an_open_batch_may_be_bought_singly_and_is_counted() {
    let world = World::rehearsal().await;
    let shipments = world.parcels_to(&[FINE, FINE]).await;
    let batch = world.batch_to_buy(&shipments).await;
    assert_eq!(world.buy(&shipments[0]).await["status"], "purchased");
    let open = world.get(&batch).await.json();
    assert_eq!((open["status"].as_str(), counts(&open)), (Some("open"), [2, 1, 0, 2]));
    let bought = world.buy_batch(&batch).await;
    assert_eq!((bought["status"].as_str(), counts(&bought)), (Some("purchased"), [2, 2, 0, 2]));
    assert_eq!(world.charges(&shipments).await, [1, 1]);
}

#[tokio::test]
async fn labels_of_a_batch_come_in_its_format_unless_a_shipment_says_otherwise() {
    let world = World::rehearsal().await;
    let mut own = parcel_to(FINE);
    own["options"] = json!({"label": {"format": "pdf"}});
    let shipments = [world.shipment(parcel_to(FINE)).await, world.shipment(own).await];
    let ids: Vec<String> = shipments.iter().map(|path| id_of(path)).collect();
    let body = json!({"service": standard(), "shipments": ids, "options": {"label_format": "zpl"}});
    let batch = world.post("/batches", body).await.header("location").to_owned();
    world.buy_batch(&batch).await;
    let mut types = Vec::new();
    for path in &shipments {
        let documents = world.get(format!("{path}/documents")).await.json()["data"].clone();
        types.push(documents[0]["file_type"].as_str().expect("a label").to_owned());
    }
    assert_eq!(types, ["application/zpl", "application/pdf"]);
}

#[tokio::test]
async fn a_large_batch_is_bought_group_by_group_and_its_progress_is_told_now_and_then() {
    let world = World::rehearsal().await;
    let shipments = world.parcels_to(&[FINE; 300]).await;
    let batch = world.batch_to_buy(&shipments).await;
    let bought = world.buy_batch(&batch).await;
    assert_eq!((bought["status"].as_str(), counts(&bought)), (Some("purchased"), [300, 300, 0, 300]));
    assert!(world.charges(&shipments).await.iter().all(|charges| *charges == 1));
    // The clock of this world stands still: within a quarter of a second one event tells of the progress at most.
    let story = world.story(&batch).await;
    let told = story.iter().filter(|event| *event == "batch.updated").count();
    assert!(told <= 1, "{story:?}");
}

#[tokio::test]
async fn two_organisations_buy_at_once_and_neither_sees_the_other() {
    let world = World::rehearsal().await;
    let shipments = world.parcels_to(&[FINE, FINE]).await;
    let batch = world.batch_to_buy(&shipments).await;
    let other = world.token_for("Other", "*", model::World::Test).await;
    for (method, path) in [("GET", batch.clone()), ("POST", format!("{batch}/purchase"))] {
        let reply = world.request(method, &path).token(&other).send().await;
        assert_eq!(reply.status, 404, "{method} {path}: {reply}");
    }
    assert_eq!(world.get(&batch).await.json()["status"], "open");
    let stranger = world
        .request("POST", "/batches")
        .token(&other)
        .json(json!({"shipments": [id_of(&shipments[0])]}))
        .send()
        .await;
    assert_eq!(refusal(&stranger), (422, "shipment_not_found".to_owned()));
}

#[tokio::test]
async fn the_same_key_starts_one_purchase() {
    let world = World::rehearsal().await;
    let shipments = world.parcels_to(&[FINE]).await;
    let batch = world.batch_to_buy(&shipments).await;
    let ask = async || {
        let path = format!("{batch}/purchase");
        let request = world.request("POST", &path).header("prefer", "respond-async");
        request.header("idempotency-key", "once").send().await
    };
    assert_eq!(ask().await.status, 202);
    world.work().await;
    let again = ask().await;
    assert_eq!((again.status.as_u16(), again.header("idempotent-replayed")), (200, "true"));
    assert_eq!(again.json()["status"], "purchased");
    assert_eq!(world.charges(&shipments).await, [1]);
}

#[tokio::test]
async fn more_batches_that_fail_than_a_page_holds_keep_no_other_from_being_bought() {
    let world = World::rehearsal().await;
    for _ in 0..65 {
        let batch = world.batch_to_buy(&world.parcels_to(&[FINE]).await).await;
        assert_eq!(world.purchase(&batch).await.status, 202);
    }
    world.tamper("UPDATE batch SET details = 'unreadable'").await;
    let shipments = world.parcels_to(&[FINE]).await;
    let batch = world.batch_to_buy(&shipments).await;
    assert_eq!(world.buy_batch(&batch).await["status"], "purchased");
    assert_eq!(world.charges(&shipments).await, [1]);
}
