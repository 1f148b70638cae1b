//! A purchase is confirmed once its papers are stored: of single shipments and of batches, whatever fails on the way.
//! Only a label that the carrier delivers later may follow, and is counted until it does.

use std::path::PathBuf;

use bytes::Bytes;
use http_body_util::BodyExt;
use serde_json::{Value, json};
use service::shipping::documents::FilePlace;

use crate::setup::batch_requests::id;
use crate::setup::purchase_requests::{errors, parcel_to, service};
use crate::setup::world::{Reply, World};

const FINE: &str = "BS1 4DJ";
const LATE: &str = "SBX-LABEL-LATE";
const HOST: &str = "https://dockside.example.com";

/// A parcel that leaves the country, so that customs want a paper.
fn parcel_abroad() -> Value {
    let mut body = parcel_to(FINE);
    body["addresses"]["destination"]["address"] =
        json!({"line_1": "1 Rue de la Paix", "city": "Paris", "post_code": "75002", "country_code": "FR"});
    body["customs"] = json!({
        "contents_type": "merchandise", "incoterm": "DAP",
        "declarant": {"name": "Ada Lovelace", "certify": true},
        "items": [{"description": "Mug", "quantity": 40, "value": 1200, "currency_code": "GBP", "mass": 0.02,
            "hs_code": "691200", "origin_country_code": "GB"}],
    });
    body
}

impl World {
    /// Makes a batch of these parcels; gives its path and those of its shipments.
    async fn batch_of_parcels(&self, format: &str, parcels: Vec<Value>) -> (String, Vec<String>) {
        let mut shipments = Vec::new();
        for parcel in parcels {
            shipments.push(self.shipment(parcel).await);
        }
        let ids: Vec<&str> = shipments.iter().map(|path| id(path)).collect();
        let service =
            json!({"carrier_account": {"handle": "sandbox"}, "carrier_service": {"handle": "standard"}});
        let body = json!({"service": service, "shipments": ids, "options": {"label_format": format}});
        (self.batch(body).await, shipments)
    }

    /// Buys a batch, as far as that goes at once.
    async fn buy_whole(&self, batch: &str) -> Value {
        let begun = self.begin(&format!("{batch}/purchase"), None).await;
        assert_eq!(begun.status, 202, "{begun}");
        self.work().await;
        self.get(batch).await.json()
    }

    /// The text of a document's file.
    async fn file_of(&self, document: &Value) -> Bytes {
        let url = document["file_url"].as_str().expect("a link");
        let path = url.strip_prefix(HOST).expect("our address");
        let (head, body) = self.request("GET", path).anonymous().open().await;
        assert_eq!(head.status, 200);
        body.collect().await.expect("a body").to_bytes()
    }

    /// Where the files of the world's own organisation are.
    fn files_of_owner(&self) -> PathBuf {
        let FilePlace::Folder(folder) = self.service.settings().files.place.clone() else {
            panic!("files are in a bucket")
        };
        folder.join(self.owner().to_string())
    }

    /// Makes the file store fail: a file is where the owner's folder should be.
    fn break_files(&self) {
        std::fs::write(self.files_of_owner(), "").expect("a file");
    }

    fn mend_files(&self) {
        std::fs::remove_file(self.files_of_owner()).expect("the file");
    }

    /// How often money was taken for a shipment.
    async fn charges_of(&self, path: &str) -> usize {
        self.carrier_charges(path).await.charges
    }
}

fn types(documents: &Value) -> Vec<&str> {
    let list = documents.as_array().expect("a list").iter();
    list.map(|document| document["type"].as_str().expect("a type")).collect()
}

fn list(reply: &Reply) -> Vec<Value> {
    reply.json()["data"].as_array().expect("a list").clone()
}

fn status(shown: &Value) -> &str {
    shown["status"].as_str().expect("a status")
}

#[tokio::test]
async fn labels_exist_when_a_purchase_is_confirmed() {
    const SIZE: usize = 24;
    let world = World::rehearsal_with(|settings| settings.carriers.wait_seconds = 30).await;
    let jobs = world.service.start_jobs().expect("jobs");
    for format in ["pdf", "png", "zpl"] {
        let (batch, shipments) = world.batch_of_parcels(format, vec![parcel_to(FINE); SIZE]).await;
        let reply = world.request("POST", &format!("{batch}/purchase")).send().await;
        assert_eq!((reply.status.as_u16(), status(&reply.json())), (200, "purchased"), "{reply}");
        let labels = list(&world.get(format!("{batch}/labels")).await);
        assert_eq!(labels.len(), SIZE, "{format}");
        assert_eq!(world.get(&batch).await.json()["labels_pending_count"], 0);
        // Each has its own label, also where many are stored in one object.
        for (label, path) in labels.iter().zip(&shipments).filter(|_| format == "zpl") {
            let shipment = world.get(path).await.json();
            let number = shipment["tracking_number"].as_str().expect("a number").to_owned();
            let text = String::from_utf8(world.file_of(label).await.to_vec()).expect("a text");
            assert!(text.starts_with("^XA") && text.trim_end().ends_with("^XZ"), "{text}");
            assert!(text.contains(&number), "{number}: {text}");
        }
    }
    jobs.stop().await;
}

#[tokio::test]
async fn a_single_purchase_is_confirmed_with_its_label_and_its_customs_papers() {
    let world = World::rehearsal_with(|settings| settings.carriers.wait_seconds = 30).await;
    let jobs = world.service.start_jobs().expect("jobs");
    let path = world.shipment(parcel_abroad()).await;
    let reply = world.post(format!("{path}/purchase"), service("standard")).await;
    assert_eq!((reply.status.as_u16(), status(&reply.json())), (200, "purchased"), "{reply}");
    let papers = types(&reply.json()["documents"]).into_iter().map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(papers.first().map(String::as_str), Some("label"));
    assert!(papers.iter().any(|paper| paper == "commercial_invoice"), "{papers:?}");
    jobs.stop().await;
    let told = world.newest_event("shipment.purchased").await;
    assert_eq!(types(&told["data"]["object"]["documents"]), papers);
}

#[tokio::test]
async fn what_is_bought_of_a_batch_that_half_fails_has_its_papers() {
    let world = World::rehearsal().await;
    let parcels = vec![parcel_to(FINE), parcel_to("SBX-DECLINED"), parcel_abroad()];
    let (batch, shipments) = world.batch_of_parcels("pdf", parcels).await;
    // The log shows that the shipment was never purchased without its papers.
    let half = world.buy_whole(&batch).await;
    assert_eq!(status(&half), "partially_purchased", "{half}");
    let listed = world.get(format!("{batch}/labels")).await;
    assert_eq!(types(&listed.json()["data"]), ["label", "label", "commercial_invoice"]);
    let abroad = world.get(&shipments[2]).await.json();
    assert!(types(&abroad["documents"]).contains(&"commercial_invoice"), "{abroad}");
    for event in world.events().await.iter().filter(|event| event.r#type == "shipment.purchased") {
        let told: Value = serde_json::from_str(&event.object).expect("JSON");
        assert_eq!(types(&told["documents"])[0], "label");
    }
}

#[tokio::test]
async fn a_late_label_is_counted_until_it_is_there_and_the_log_says_when() {
    let world = World::rehearsal().await;
    let (batch, shipments) =
        world.batch_of_parcels("pdf", vec![parcel_to(LATE), parcel_to(FINE), parcel_to(LATE)]).await;
    let bought = world.buy_whole(&batch).await;
    assert_eq!((status(&bought), &bought["labels_pending_count"]), ("purchased", &json!(2)));
    assert_eq!(world.get(&shipments[0]).await.json()["label_pending"], true);
    assert_eq!(world.get(&shipments[1]).await.json()["label_pending"], false);
    assert_eq!(list(&world.get(format!("{batch}/labels")).await).len(), 1);
    let is_ready = |story: &[String]| story.iter().filter(|event| *event == "batch.labels_ready").count();
    assert_eq!(is_ready(&world.story(&batch).await), 0);
    world.work_for(8).await;
    let shown = world.get(&batch).await.json();
    assert_eq!((status(&shown), &shown["labels_pending_count"]), ("purchased", &json!(0)));
    assert_eq!(world.get(&shipments[0]).await.json()["label_pending"], false);
    assert_eq!(list(&world.get(format!("{batch}/labels")).await).len(), 3);
    let story = world.story(&batch).await;
    assert_eq!((is_ready(&story), story.last().map(String::as_str)), (1, Some("batch.labels_ready")));
    let event = world.newest_event("batch.labels_ready").await;
    assert_eq!(event["data"]["object"]["labels_pending_count"], 0);
}

#[tokio::test]
async fn customs_papers_do_not_wait_for_a_late_label_and_are_drawn_once() {
    let world = World::rehearsal().await;
    let mut parcel = parcel_abroad();
    parcel["addresses"]["destination"]["contact"] = json!({"name": "Ada", "company": LATE});
    let path = world.shipment(parcel).await;
    let bought = world.buy(&path).await;
    assert_eq!((status(&bought), &bought["label_pending"]), ("purchased", &json!(true)), "{bought}");
    let before = types(&bought["documents"]);
    assert!(before.contains(&"commercial_invoice") && !before.contains(&"label"), "{before:?}");
    world.work_for(8).await;
    let labelled = world.get(&path).await.json();
    let after = types(&labelled["documents"]);
    assert_eq!(after, [before, vec!["label"]].concat());
    assert_eq!(labelled["label_pending"], false);
}

#[tokio::test]
async fn a_shipment_that_is_voided_before_its_label_came_is_waited_for_no_longer() {
    let world = World::rehearsal().await;
    let (batch, shipments) = world.batch_of_parcels("pdf", vec![parcel_to(LATE), parcel_to(FINE)]).await;
    assert_eq!(world.buy_whole(&batch).await["labels_pending_count"], 1);
    world.begin(&format!("{}/void", shipments[0]), None).await;
    world.work().await;
    let voided = world.get(&shipments[0]).await.json();
    assert_eq!((status(&voided), &voided["label_pending"]), ("voided", &json!(false)));
    assert_eq!(world.get(&batch).await.json()["labels_pending_count"], 0);
    assert_eq!(world.story(&batch).await.last().map(String::as_str), Some("batch.labels_ready"));
}

#[tokio::test]
async fn a_batch_without_late_labels_is_not_told_to_be_ready() {
    let world = World::rehearsal().await;
    let (batch, _) = world.batch_of_parcels("pdf", vec![parcel_to(FINE); 3]).await;
    world.buy_whole(&batch).await;
    world.work_for(3).await;
    assert!(!world.story(&batch).await.contains(&"batch.labels_ready".to_owned()));
}

#[tokio::test]
async fn while_labels_can_t_be_stored_what_was_bought_stays_purchasing_and_says_why() {
    let world = World::rehearsal().await;
    world.break_files();
    let (batch, shipments) = world.batch_of_parcels("pdf", vec![parcel_to(FINE); 2]).await;
    let single = world.shipment(parcel_to(FINE)).await;
    world.begin(&format!("{single}/purchase"), Some(service("standard"))).await;
    let waiting = world.buy_whole(&batch).await;
    assert_eq!((status(&waiting), &waiting["purchased_count"]), ("purchasing", &json!(0)), "{waiting}");
    for path in shipments.iter().chain([&single]) {
        let shown = world.get(path).await.json();
        assert_eq!(status(&shown), "purchasing");
        assert_eq!(errors(&shown), [["label_error", "provider_unavailable", "service"]]);
        assert_eq!(world.attempt(path).await["state"], "bought");
    }
    // However long that takes, the server neither gives up nor buys again.
    for _ in 0..20 {
        world.advance_seconds(61);
        world.work().await;
    }
    assert_eq!(status(&world.get(&batch).await.json()), "purchasing");
    world.mend_files();
    world.advance_seconds(61);
    world.work().await;
    let bought = world.get(&batch).await.json();
    assert_eq!((status(&bought), &bought["error_count"]), ("purchased", &json!(0)), "{bought}");
    assert_eq!(list(&world.get(format!("{batch}/labels")).await).len(), 2);
    for path in shipments.iter().chain([&single]) {
        let shown = world.get(path).await.json();
        assert_eq!((status(&shown), errors(&shown)), ("purchased", Vec::new()));
        assert_eq!(types(&shown["documents"]), ["label"]);
        assert_eq!(world.charges_of(path).await, 1);
        let story = world.story(path).await;
        assert_eq!(story.iter().filter(|event| *event == "shipment.purchased").count(), 1, "{story:?}");
    }
}

#[tokio::test]
async fn a_purchase_whose_node_died_before_its_label_was_drawn_is_labelled_by_another() {
    let world = World::rehearsal().await;
    world.break_files();
    let (batch, shipments) = world.batch_of_parcels("zpl", vec![parcel_to(FINE); 3]).await;
    world.buy_whole(&batch).await;
    world.mend_files();
    // As a crash leaves them: the receipt is committed, and the node that held them is gone.
    world.tamper("UPDATE purchase SET holder = 'gone', failures = 0, due_at = 0").await;
    world.work().await;
    assert_eq!(status(&world.get(&batch).await.json()), "purchased");
    assert_eq!(list(&world.get(format!("{batch}/labels")).await).len(), 3);
    for path in &shipments {
        assert_eq!(world.charges_of(path).await, 1);
    }
}

#[tokio::test]
async fn a_request_that_waits_is_answered_when_the_label_is_stored() {
    let world = World::rehearsal_with(|settings| settings.carriers.wait_seconds = 1).await;
    world.break_files();
    let jobs = world.service.start_jobs().expect("jobs");
    let path = world.shipment(parcel_to(FINE)).await;
    let reply = world.post(format!("{path}/purchase"), service("standard")).await;
    assert_eq!((reply.status.as_u16(), status(&reply.json())), (202, "purchasing"), "{reply}");
    jobs.stop().await;
}
