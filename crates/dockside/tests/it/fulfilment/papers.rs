//! Papers of shipments: packing slips, and one file with label, slip and customs papers.

use model::World as Mode;
use serde_json::{Value, json};

use crate::fulfilment::branding::logo;
use crate::setup::populated_organisation::parcel;
use crate::setup::purchase_requests::parcel_to;
use crate::setup::stock_requests::refusal;
use crate::setup::world::{Reply, World};
use crate::shipping::batch_labels::{count, data, text};

const FINE: &str = "BS1 4DJ";

/// Returns a parcel that holds units of these items, each in a package of its own.
pub fn packed(items: &[(&str, i64)]) -> Value {
    let mut body = parcel_to(FINE);
    let package = |(item, quantity): &(&str, i64)| json!({"geometry": {"length": 30, "width": 20, "height": 10, "mass": 1.2}, "items": [{"id": item, "quantity": quantity}]});
    body["packages"] = items.iter().map(package).collect();
    body
}

/// Returns the number of pages of a PDF.
pub fn pages(file: &[u8]) -> usize {
    count(file, b"/Type/Page/")
}

impl World {
    /// Asks for a paper, which must come, and returns its document.
    pub async fn paper(&self, path: &str, body: Value) -> Value {
        let reply = self.post(path, body).await;
        assert_eq!(reply.status, 201, "{path}: {reply}");
        data(&reply).remove(0)
    }
}

fn known(document: &Value) -> (String, String) {
    (text(document, "id").to_owned(), text(document, "file_name").to_owned())
}

#[tokio::test]
async fn a_slip_is_a_document_in_each_format_and_keeps_its_id() {
    let world = World::new().await;
    let tee = world.item("TEE").await;
    let mut body = packed(&[(&tee, 3)]);
    body["name"] = json!("ORD-7");
    let shipment = world.shipment(body).await;
    let path = format!("{shipment}/packing_slip");
    let mut made = Vec::new();
    for format in ["a4", "letter", "4x6"] {
        let slip = world.paper(&path, json!({"format": format})).await;
        assert_eq!((text(&slip, "type"), text(&slip, "file_type")), ("packing_slip", "application/pdf"));
        assert_eq!(text(&slip, "file_name"), format!("ORD-7-packing-slip-{format}.pdf"));
        assert!(shipment.ends_with(text(&slip, "shipment_id")), "{slip}");
        assert_eq!(slip["package"], Value::Null);
        let file = world.file(&slip).await;
        assert!(file.starts_with(b"%PDF-") && pages(&file) == 1);
        made.push(slip);
    }
    // Without a format it is the paper of the country, which is not in America.
    let plain = world.request("POST", &path).send().await;
    assert_eq!(known(&data(&plain)[0]), known(&made[0]), "{plain}");

    // A changed shipment has a new file under the same id, and its old link leads there.
    world.put("/branding", json!({"name": "Riverside", "logo": logo(300, 100)})).await;
    world.patch(&shipment, json!({"name": "ORD-8"})).await;
    let again = world.paper(&path, json!({"format": "a4"})).await;
    assert_eq!(again["id"], made[0]["id"]);
    assert_eq!(text(&again, "file_name"), "ORD-8-packing-slip-a4.pdf");
    let file = world.file(&again).await;
    assert_eq!(count(&file, b"/Subtype/Image"), 1, "the logo");
    let linked = text(&made[0], "file_url").strip_prefix("https://dockside.example.com").unwrap().to_owned();
    assert_eq!(
        world.request("HEAD", &linked).anonymous().send().await.header("content-length"),
        file.len().to_string()
    );

    // It is listed with the shipment's documents, and is no part of what was bought.
    let listed = data(&world.get(format!("{shipment}/documents")).await);
    assert_eq!(listed.iter().map(|one| text(one, "type")).collect::<Vec<_>>(), ["packing_slip"; 3]);
    assert_eq!(world.get(&shipment).await.json()["documents"], json!([]));
    assert_eq!(world.delete(&shipment).await.status, 204);
    assert_eq!(
        world.request("GET", &linked).anonymous().send().await.status,
        404,
        "it goes with the shipment"
    );
}

#[tokio::test]
async fn a_repeated_request_gets_the_same_answer() {
    let world = World::new().await;
    let tee = world.item("TEE").await;
    let shipment = world.shipment(packed(&[(&tee, 3)])).await;
    let ask = async || {
        let path = format!("{shipment}/packing_slip");
        world
            .request("POST", &path)
            .header("idempotency-key", "once")
            .json(json!({"format": "a4"}))
            .send()
            .await
    };
    let (first, second) = (ask().await, ask().await);
    assert_eq!((first.status, second.status), (http::StatusCode::CREATED, http::StatusCode::CREATED));
    assert_eq!(second.header("idempotent-replayed"), "true");
    assert_eq!(known(&data(&first)[0]), known(&data(&second)[0]));
    world.file(&data(&second)[0]).await;
}

#[tokio::test]
async fn a_shipment_that_names_nothing_has_no_slip_and_customs_lines_make_one() {
    let world = World::new().await;
    let empty = world.shipment(parcel()).await;
    let refused = world.post(format!("{empty}/packing_slip"), json!({})).await;
    assert_eq!(refusal(&refused), (409, "nothing_to_list".to_owned()), "{refused}");
    let lines =
        json!([{"description": "Mug", "quantity": 2, "value": 1200, "currency_code": "GBP", "sku": "MUG"}]);
    let patched = world.patch(&empty, json!({"customs": {"items": lines}})).await;
    assert_eq!(patched.status, 200, "{patched}");
    world.paper(&format!("{empty}/packing_slip"), json!({"format": "4x6"})).await;
}

#[tokio::test]
async fn wrong_requests_are_refused_with_their_field() {
    let world = World::rehearsal().await;
    let tee = world.item("TEE").await;
    let shipment = world.shipment(packed(&[(&tee, 1)])).await;
    for (body, field) in [
        (json!({"format": "a3"}), "/format"),
        (json!({"format": 4}), "/format"),
        (json!({"size": "a4"}), "/size"),
    ] {
        for path in ["packing_slip", "papers"] {
            let reply = world.post(format!("{shipment}/{path}"), body.clone()).await;
            assert_eq!((reply.status.as_u16(), reply.issues()[0].1.as_str()), (422, field), "{reply}");
        }
    }
    let unbought = world.post(format!("{shipment}/papers"), json!({})).await;
    assert_eq!(refusal(&unbought), (409, "shipment_not_purchased".to_owned()));
    let bought = world.bought(packed(&[(&tee, 1)])).await;
    assert_eq!(world.begin(&format!("/shipments/{bought}/void"), None).await.status, 202);
    world.work().await;
    for path in ["packing_slip", "papers"] {
        let voided = world.post(format!("/shipments/{bought}/{path}"), json!({})).await;
        assert_eq!(refusal(&voided), (409, "shipment_voided".to_owned()), "{voided}");
    }
    let rival = world.token_for("Rival", "*", Mode::Test).await;
    for id in [shipment.as_str(), "/shipments/shp_00000000000000000000000000"] {
        let reply =
            world.request("POST", &format!("{id}/packing_slip")).token(&rival).json(json!({})).send().await;
        assert_eq!(refusal(&reply), (404, "not_found".to_owned()));
    }
}

/// Buys a shipment abroad with a label in this format, and returns its path.
async fn bought_abroad(world: &World, format: &str, item: &str) -> String {
    let mut body = packed(&[(item, 1), (item, 2)]);
    body["addresses"]["destination"] = json!({"address": {"line_1": "1 Rue de Rivoli", "city": "Paris", "post_code": "75001", "country_code": "FR"}});
    body["customs"] = json!({"contents_type": "merchandise", "items": [{"description": "Mug", "quantity": 3, "value": 90_000, "currency_code": "EUR", "mass": 1.2}]});
    body["options"] = json!({"label": {"format": format}});
    format!("/shipments/{}", world.bought(body).await)
}

/// Marks the label of a shipment as its carrier's own.
async fn take_label_from_carrier(world: &World, shipment: &str) {
    let id = shipment.rsplit('/').next().unwrap();
    let sql = format!(
        "UPDATE purchase SET receipt = replace(receipt, '\"is_label_ours\":true', '\"is_label_ours\":false') WHERE shipment_id = '{id}'"
    );
    world.tamper(&sql).await;
}

async fn ask(world: &World, shipment: &str) -> Reply {
    world.post(format!("{shipment}/papers"), json!({"format": "a4"})).await
}

#[tokio::test]
async fn papers_are_labels_then_the_slip_then_customs_papers() {
    let world = World::rehearsal().await;
    let tee = world.item("TEE").await;
    for format in ["pdf", "png", "zpl"] {
        let shipment = bought_abroad(&world, format, &tee).await;
        let documents = world.get(&shipment).await.json()["documents"].clone();
        let mut customs = 0;
        for one in documents.as_array().unwrap().iter().filter(|one| one["type"] != "label") {
            customs += pages(&world.file(one).await);
        }
        assert!(customs > 0, "{documents}");
        let reply = ask(&world, &shipment).await;
        assert_eq!(reply.status, 201, "{format}: {reply}");
        let papers = &data(&reply)[0];
        assert_eq!(text(papers, "type"), "papers");
        // Two labels, a slip, and the customs papers; whatever format the label has, Dockside draws it anew.
        assert_eq!(pages(&world.file(papers).await), 2 + 1 + customs, "{format}");
        // A carrier's own label is a page if it can be one.
        take_label_from_carrier(&world, &shipment).await;
        let reply = ask(&world, &shipment).await;
        match format {
            "zpl" => {
                assert_eq!(refusal(&reply), (409, "label_format_unavailable".to_owned()), "{reply}");
                let named = reply.json()["errors"][0]["shipment_id"].clone();
                assert!(shipment.ends_with(named.as_str().unwrap()), "{reply}");
            }
            _ => assert_eq!(pages(&world.file(&data(&reply)[0]).await), 2 + 1 + customs, "{format}"),
        }
    }
}

#[tokio::test]
async fn papers_wait_for_a_label_and_go_without_a_slip_of_nothing() {
    let world = World::rehearsal().await;
    let bought = format!("/shipments/{}", world.bought(parcel_to(FINE)).await);
    let reply = ask(&world, &bought).await;
    assert_eq!((reply.status.as_u16(), pages(&world.file(&data(&reply)[0]).await)), (201, 1), "{reply}");
    take_label_from_carrier(&world, &bought).await;
    let id = bought.rsplit('/').next().unwrap();
    world.tamper(&format!("DELETE FROM document WHERE subject = '{id}'")).await;
    assert_eq!(refusal(&ask(&world, &bought).await), (409, "label_missing".to_owned()));
}
