//! Labels of carriers' own, one for each package: stored, converted where nothing is lost, merged and printed in their order.

use bytes::Bytes;
use http_body_util::BodyExt;
use serde_json::{Value, json};

use crate::setup::purchase_requests::parcel_to;
use crate::setup::raw_printer::{RawPrinter, label_printer};
use crate::setup::world::World;

const GIF: &str = "SBX-LABEL-GIF";
const HOST: &str = "https://dockside.example.com";
const PNG: &[u8] = b"\x89PNG";

/// Two packages to a customer whose carrier has labels of its own.
fn two_packages(format: Option<&str>) -> Value {
    let mut body = parcel_to(GIF);
    let package = json!({"geometry": {"length": 30, "width": 20, "height": 10, "mass": 1.2}});
    body["packages"] = json!([package, package]);
    if let Some(format) = format {
        body["options"] = json!({"label": {"format": format}});
    }
    body
}

impl World {
    async fn label_file(&self, document: &Value) -> Bytes {
        let url = document["file_url"].as_str().expect("a link");
        let path = url.strip_prefix(HOST).expect("our address");
        let (head, body) = self.request("GET", path).anonymous().open().await;
        assert_eq!(head.status, 200);
        body.collect().await.expect("a body").to_bytes()
    }

    /// Buys a shipment, and returns its labels in the order of the packages.
    async fn labels_of(&self, body: Value) -> Vec<Value> {
        let path = self.shipment(body).await;
        let shown = self.buy(&path).await;
        assert_eq!((shown["status"].as_str(), &shown["errors"]), (Some("purchased"), &json!([])), "{shown}");
        self.documents_of(&path).await
    }

    async fn documents_of(&self, path: &str) -> Vec<Value> {
        let list = self.get(format!("{path}/documents")).await.json();
        let mut labels: Vec<Value> = list["data"].as_array().expect("a list").clone();
        labels.retain(|document| document["type"] == "label");
        labels.sort_by_key(|document| document["package"].as_i64());
        labels
    }
}

fn seen(labels: &[Value]) -> Vec<(i64, &str)> {
    let text = |label: &'_ Value| label["package"].as_i64().expect("a package");
    labels.iter().map(|label| (text(label), label["file_type"].as_str().expect("a type"))).collect()
}

#[tokio::test]
async fn each_package_gets_its_own_label_as_png() {
    let world = World::rehearsal().await;
    let labels = world.labels_of(two_packages(None)).await;
    assert_eq!(seen(&labels), [(1, "image/png"), (2, "image/png")]);
    let files = [world.label_file(&labels[0]).await, world.label_file(&labels[1]).await];
    assert!(files.iter().all(|file| file.starts_with(PNG)) && files[0] != files[1]);
    let names: Vec<_> = labels.iter().map(|label| label["file_name"].as_str().expect("a name")).collect();
    assert!(names[0].ends_with("-1.png") && names[1].ends_with("-2.png"), "{names:?}");
}

#[tokio::test]
async fn a_label_is_kept_in_the_format_that_was_asked_for() {
    let world = World::rehearsal().await;
    for (format, media_type, start) in
        [("png", "image/png", PNG), ("pdf", "application/pdf", b"%PDF"), ("zpl", "application/zpl", b"^XA")]
    {
        let labels = world.labels_of(two_packages(Some(format))).await;
        assert_eq!(seen(&labels), [(1, media_type), (2, media_type)]);
        let file = world.label_file(&labels[0]).await;
        assert!(file.starts_with(start), "{format}: {:?}", &file[..20.min(file.len())]);
    }
}

#[tokio::test]
async fn labels_of_a_batch_are_merged_in_the_order_of_their_packages() {
    let world = World::rehearsal().await;
    let (one, other) = (world.shipment(two_packages(None)).await, world.shipment(parcel_to("BS1 4DJ")).await);
    let ids: Vec<&str> = [&one, &other].map(|path| path.rsplit('/').next().expect("an id")).to_vec();
    let service =
        json!({"carrier_account": {"handle": "sandbox"}, "carrier_service": {"handle": "standard"}});
    let body = json!({"service": service, "shipments": ids, "options": {"label_format": "zpl"}});
    let batch = world.batch(body).await;
    assert_eq!(world.begin(&format!("{batch}/purchase"), None).await.status, 202);
    world.work().await;
    let labels = world.documents_of(&one).await;
    assert_eq!(seen(&labels), [(1, "application/zpl"), (2, "application/zpl")]);
    let begun = world.begin(&format!("{batch}/labels"), None).await;
    assert!([201, 202].contains(&begun.status.as_u16()), "{begun}");
    world.work_labels().await;
    let listed = world.get(format!("{batch}/labels?format=zpl")).await.json();
    let merged = listed["data"].as_array().expect("a list").iter().find(|label| label["type"] == "labels");
    let merged = world.label_file(merged.expect("the merged file")).await;
    let text = String::from_utf8(merged.to_vec()).expect("ZPL");
    assert_eq!(text.matches("^XA").count(), 3, "three labels");
    let mut places = Vec::new();
    for label in &labels {
        let file = String::from_utf8(world.label_file(label).await.to_vec()).expect("ZPL");
        places.push(text.find(file.trim()).expect("the label is in the merged file"));
    }
    assert!(places[0] < places[1], "{places:?}");
    // In another format they are made of the carrier's, and not drawn by Dockside.
    let begun = world.begin(&format!("{batch}/labels"), Some(json!({"format": "pdf"}))).await;
    assert!([201, 202].contains(&begun.status.as_u16()), "{begun}");
    world.work_labels().await;
    let labels = world.documents_of(&one).await;
    let pages = labels.iter().filter(|label| label["file_type"] == "application/pdf");
    let packages: Vec<_> = pages.map(|page| page["package"].as_i64()).collect();
    assert_eq!(packages, [Some(1), Some(2)]);
}

#[tokio::test]
async fn the_labels_of_all_packages_are_printed_in_their_order() {
    let world = World::rehearsal().await;
    let mut device = RawPrinter::start().await;
    let mut printer = label_printer(&device.address);
    printer["dpi"] = json!(300);
    let printer = world.printer(printer).await;
    let labels = world.labels_of(two_packages(None)).await;
    let ids: Vec<&Value> = labels.iter().map(|label| &label["id"]).collect();
    let made = world.post("/print_jobs", json!({"printer_id": printer, "document_ids": ids})).await;
    assert_eq!(made.status, 201, "{made}");
    // The pictures are scaled for the printer.
    let sent_as = json!({"format": "zpl", "dpi": 300, "is_converted": true});
    assert_eq!(made.json()["sent_as"], json!([sent_as, sent_as]));
    world.print().await;
    assert_eq!(world.print_status(made.header("location")).await, "printed");
    let mut printed = device.next().await;
    if String::from_utf8_lossy(&printed).matches("^XA").count() < 2 {
        printed.extend(device.next().await);
    }
    let labels: Vec<&[u8]> =
        printed.split(|byte| *byte == b'^').filter(|part| part.starts_with(b"GF")).collect();
    assert!(labels.len() == 2 && labels[0] != labels[1]);
}
