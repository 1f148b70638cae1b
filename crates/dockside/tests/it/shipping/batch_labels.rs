//! The labels of a batch: when they exist, in which formats, one by one and in one file. If the node that makes them dies,
//! another one goes on.

use bytes::Bytes;
use http_body_util::BodyExt;
use model::World as Mode;
use serde_json::{Value, json};

use crate::setup::purchase_requests::parcel_to;
use crate::setup::world::{Reply, World};

const FINE: &str = "BS1 4DJ";
const HOST: &str = "https://dockside.example.com";

/// A parcel that wants its own label in this format.
fn parcel_with(format: &str) -> Value {
    let mut body = parcel_to(FINE);
    body["options"] = json!({"label": {"format": format}});
    body
}

pub fn text<'a>(document: &'a Value, name: &str) -> &'a str {
    document[name].as_str().unwrap_or_default()
}

impl World {
    /// Makes a batch of these parcels with this format of labels; gives its path and those of its shipments.
    pub async fn labelled_batch(&self, format: &str, parcels: Vec<Value>) -> (String, Vec<String>) {
        let mut shipments = Vec::new();
        for parcel in parcels {
            shipments.push(self.shipment(parcel).await);
        }
        let ids: Vec<&str> = shipments.iter().filter_map(|path| path.rsplit('/').next()).collect();
        let service =
            json!({"carrier_account": {"handle": "sandbox"}, "carrier_service": {"handle": "standard"}});
        let body = json!({"service": service, "shipments": ids, "options": {"label_format": format}});
        let reply = self.post("/batches", body).await;
        assert_eq!(reply.status, 201, "{reply}");
        (reply.header("location").to_owned(), shipments)
    }

    /// The same, bought.
    pub async fn bought_batch(&self, format: &str, parcels: Vec<Value>) -> (String, Vec<String>) {
        let (batch, shipments) = self.labelled_batch(format, parcels).await;
        let begun = self.begin(&format!("{batch}/purchase"), None).await;
        assert_eq!(begun.status, 202, "{begun}");
        self.work().await;
        assert_eq!(self.get(&batch).await.json()["status"], "purchased");
        (batch, shipments)
    }

    /// Makes the labels of batches that are due.
    pub async fn work_labels(&self) {
        self.service.batch_labels.work().await.expect("labels are worked on");
    }

    /// Asks for the labels of a batch, makes them, and asks again.
    async fn labels(&self, batch: &str) -> Reply {
        let begun = self.begin(&format!("{batch}/labels"), None).await;
        assert!(matches!(begun.status.as_u16(), 201 | 202), "{begun}");
        self.work_labels().await;
        let reply = self.begin(&format!("{batch}/labels"), None).await;
        assert_eq!(reply.status, 201, "{reply}");
        reply
    }

    /// The bytes of a document's file.
    pub async fn file(&self, document: &Value) -> Bytes {
        let path = text(document, "file_url").strip_prefix(HOST).expect("our address").to_owned();
        let (head, body) = self.request("GET", &path).anonymous().open().await;
        assert_eq!(head.status, 200);
        let bytes = body.collect().await.expect("a body").to_bytes();
        assert_eq!(bytes.len() as u64, document["file_size"].as_u64().expect("a size"));
        bytes
    }
}

pub fn data(reply: &Reply) -> Vec<Value> {
    reply.json()["data"].as_array().expect("a list").clone()
}

/// Returns documents without their links, which differ in each answer.
pub fn known(documents: &[Value]) -> Vec<Value> {
    let without_link = |document: &Value| {
        let mut document = document.clone();
        document["file_url"] = Value::Null;
        document
    };
    documents.iter().map(without_link).collect()
}

pub fn count(bytes: &[u8], of: &[u8]) -> usize {
    bytes.windows(of.len()).filter(|window| *window == of).count()
}

#[tokio::test]
async fn labels_are_returned_only_after_finalisation_except_those_of_shipments_already_bought() {
    let world = World::rehearsal().await;
    let (batch, shipments) = world.labelled_batch("png", vec![parcel_to(FINE), parcel_to(FINE)]).await;
    let path = format!("{batch}/labels");
    assert_eq!(world.get(&path).await.json(), json!({"data": []}));
    let refused = world.begin(&path, None).await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (409, "batch_not_finalised"), "{refused}");
    world.buy(&shipments[1]).await;
    let labels = data(&world.get(&path).await);
    let own = data(&world.get(format!("{}/documents", shipments[1])).await);
    assert_eq!(known(&labels), known(&own));
    assert_eq!(labels.len(), 1);
    assert_eq!(world.begin(&path, None).await.code(), "batch_not_finalised");
}

#[tokio::test]
async fn while_a_batch_is_purchased_its_labels_wait() {
    let world = World::rehearsal().await;
    let (batch, _) = world.labelled_batch("png", vec![parcel_to(FINE)]).await;
    assert_eq!(world.begin(&format!("{batch}/purchase"), None).await.status, 202);
    let refused = world.begin(&format!("{batch}/labels"), None).await;
    assert_eq!((refused.status.as_u16(), refused.code().as_str()), (409, "batch_purchasing"), "{refused}");
}

#[tokio::test]
async fn pngs_come_one_by_one_and_in_a_zip_and_are_the_same_whenever_they_are_asked_for() {
    let world = World::rehearsal().await;
    let mut two = parcel_to(FINE);
    two["packages"] = json!([{"geometry": {"mass": 1.0}}, {"geometry": {"mass": 2.0}}]);
    let (batch, shipments) = world.bought_batch("png", vec![parcel_to(FINE), two]).await;
    let labels = data(&world.labels(&batch).await);
    let types: Vec<_> = labels.iter().map(|label| (text(label, "type"), text(label, "file_type"))).collect();
    let png = ("label", "image/png");
    assert_eq!(types, [("labels", "application/zip"), png, png, png]);
    let own_id = batch.rsplit('/').next().unwrap();
    assert_eq!(text(&labels[0], "file_name"), format!("{own_id}-labels.zip"));
    let zip = world.file(&labels[0]).await;
    let ids: Vec<&str> = shipments.iter().filter_map(|path| path.rsplit('/').next()).collect();
    for name in
        [format!("0001-{}-1.png", ids[0]), format!("0002-{}-1.png", ids[1]), format!("0003-{}-2.png", ids[1])]
    {
        // The name is once before the file's bytes, and once in the archive's directory.
        assert_eq!(count(&zip, name.as_bytes()), 2, "{name}");
    }
    for label in &labels[1..] {
        let bytes = world.file(label).await;
        assert_eq!(count(&zip, &bytes), 1);
    }
    let again = world.labels(&batch).await;
    assert_eq!(known(&data(&again)), known(&labels));
    assert_eq!(known(&data(&world.get(format!("{batch}/labels")).await)), known(&labels));
}

#[tokio::test]
async fn labels_of_another_format_are_made_in_the_batch_s() {
    let world = World::rehearsal().await;
    let parcels = vec![parcel_with("zpl"), parcel_to(FINE), parcel_with("png")];
    let (batch, shipments) = world.bought_batch("pdf", parcels).await;
    let labels = data(&world.labels(&batch).await);
    assert_eq!(labels.len(), 4, "{labels:?}");
    assert!(labels.iter().all(|label| text(label, "file_type") == "application/pdf"), "{labels:?}");
    let pdf = world.file(&labels[0]).await;
    assert_eq!((count(&pdf, b"/Type/Page/"), count(&pdf, b"/Type/Pages")), (3, 1));
    // The shipment's own label in its own format still exists beside it, and the shipment's event shows both.
    let own = data(&world.get(format!("{}/documents", shipments[0])).await);
    let types: Vec<_> = own.iter().map(|document| text(document, "file_name").to_owned()).collect();
    let id = shipments[0].rsplit('/').next().unwrap();
    assert_eq!(types, [format!("{id}-1.zpl"), format!("{id}-1.pdf")]);
    assert_eq!(world.story(&shipments[0]).await.last().map(String::as_str), Some("shipment.updated"));
    let told = world.newest_event("shipment.updated").await["data"]["object"]["documents"].clone();
    assert_eq!(told.as_array().map(Vec::len), Some(2), "{told}");
}

#[tokio::test]
async fn zpl_follows_zpl() {
    let world = World::rehearsal().await;
    let (batch, _) = world.bought_batch("zpl", vec![parcel_to(FINE), parcel_to(FINE)]).await;
    let labels = data(&world.labels(&batch).await);
    let (first, second) = (world.file(&labels[1]).await, world.file(&labels[2]).await);
    assert_eq!(world.file(&labels[0]).await, [first, second].concat());
}

#[tokio::test]
async fn a_request_that_does_not_wait_gets_a_location_and_later_an_event() {
    let world = World::rehearsal().await;
    let (batch, _) = world.bought_batch("png", vec![parcel_to(FINE)]).await;
    let path = format!("{batch}/labels");
    let begun = world.begin(&path, None).await;
    let location = format!("{path}?format=png");
    assert_eq!((begun.status.as_u16(), begun.header("location")), (202, location.as_str()), "{begun}");
    assert_eq!((begun.header("retry-after"), data(&begun).len()), ("1", 1));
    world.work_labels().await;
    assert_eq!(data(&world.get(&path).await).len(), 2);
    assert_eq!(world.story(&batch).await.last().map(String::as_str), Some("batch.labels_created"));
    let told = world.newest_event("batch.labels_created").await["data"]["object"].clone();
    assert_eq!((text(&told, "status"), &told["labels_count"]), ("purchased", &json!(1)));
}

#[tokio::test]
async fn a_request_that_waits_has_the_labels_in_its_answer() {
    let world = World::rehearsal_with(|settings| settings.carriers.wait_seconds = 20).await;
    let (batch, _) = world.bought_batch("pdf", vec![parcel_to(FINE), parcel_to(FINE)]).await;
    let jobs = world.service.start_jobs().expect("jobs");
    let path = format!("{batch}/labels");
    let post = || world.request("POST", &path).header("idempotency-key", "once").send();
    let reply = post().await;
    assert_eq!((reply.status.as_u16(), data(&reply).len()), (201, 3), "{reply}");
    let again = post().await;
    jobs.stop().await;
    assert_eq!((again.status.as_u16(), again.header("idempotent-replayed")), (201, "true"));
    assert_eq!(known(&data(&again)), known(&data(&reply)));
}

#[tokio::test]
async fn what_is_voided_is_left_out() {
    let world = World::rehearsal().await;
    let (batch, shipments) = world.bought_batch("pdf", vec![parcel_to(FINE), parcel_to(FINE)]).await;
    world.begin(&format!("{}/void", shipments[0]), None).await;
    world.work().await;
    assert_eq!(world.get(&shipments[0]).await.json()["status"], "voided");
    let labels = data(&world.labels(&batch).await);
    assert_eq!(labels.len(), 2);
    assert_eq!(count(&world.file(&labels[0]).await, b"/Type/Page/"), 1);
}

#[tokio::test]
async fn a_label_that_comes_late_is_waited_for() {
    let world = World::rehearsal().await;
    let parcels = vec![parcel_to("SBX-LABEL-LATE"), parcel_to(FINE)];
    let (batch, _) = world.bought_batch("png", parcels).await;
    let path = format!("{batch}/labels");
    assert_eq!(world.begin(&path, None).await.status, 202);
    world.work_labels().await;
    assert_eq!(data(&world.begin(&path, None).await).len(), 1, "only the other is there");
    for _ in 0..8 {
        world.work_for(1).await;
        world.work_labels().await;
    }
    assert_eq!(data(&world.begin(&path, None).await).len(), 3);
}

#[tokio::test]
async fn another_node_goes_on_where_one_died() {
    let world = World::rehearsal().await;
    let (batch, _) = world.bought_batch("pdf", vec![parcel_to(FINE), parcel_with("zpl")]).await;
    let path = format!("{batch}/labels");
    for state in ["making", "merging"] {
        world.begin(&path, None).await;
        // A node without a heartbeat holds the row, and had got this far.
        let sql = format!("UPDATE batch_labels SET holder = 'gone', fence = fence + 1, state = '{state}'");
        world.tamper(&sql).await;
        world.work_labels().await;
        let reply = world.begin(&path, None).await;
        assert_eq!((reply.status.as_u16(), data(&reply).len()), (201, 3), "{reply}");
        let merged = data(&reply)[0].clone();
        assert_eq!(count(&world.file(&merged).await, b"/Type/Page/"), 2);
        world.tamper("DELETE FROM batch_labels; DELETE FROM document WHERE type = 'labels'").await;
    }
}

#[tokio::test]
async fn a_node_that_lives_is_left_to_its_work() {
    let world = World::rehearsal().await;
    let (batch, _) = world.bought_batch("pdf", vec![parcel_to(FINE)]).await;
    let path = format!("{batch}/labels");
    world.begin(&path, None).await;
    world.tamper("UPDATE batch_labels SET holder = (SELECT id FROM node)").await;
    world.work_labels().await;
    assert_eq!(world.begin(&path, None).await.status, 202);
}

#[tokio::test]
async fn the_labels_of_many_are_listed_whole_and_in_order() {
    const MANY: usize = 230;
    let world = World::rehearsal().await;
    let (batch, shipments) = world.bought_batch("zpl", vec![parcel_to(FINE); MANY]).await;
    world.work_for(3).await;
    let labels = data(&world.labels(&batch).await);
    assert_eq!(labels.len(), MANY + 1);
    let merged = world.file(&labels[0]).await;
    assert_eq!(count(&merged, b"^XA"), MANY);
    for place in [0, 99, 100, 229] {
        let own = data(&world.get(format!("{}/documents", shipments[place])).await);
        assert_eq!(known(&own), known(&labels[place + 1..place + 2]), "{place}");
    }
}

#[tokio::test]
async fn another_organisation_finds_no_such_batch() {
    let world = World::rehearsal().await;
    let (batch, _) = world.bought_batch("png", vec![parcel_to(FINE)]).await;
    let other = world.token_for("Other", "*", Mode::Test).await;
    for method in ["GET", "POST"] {
        let reply = world.request(method, &format!("{batch}/labels")).token(&other).send().await;
        assert_eq!((reply.status.as_u16(), reply.code().as_str()), (404, "not_found"), "{reply}");
    }
}
