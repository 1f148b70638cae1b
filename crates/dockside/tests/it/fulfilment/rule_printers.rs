//! Printers that shipping rules choose: for labels, before the default printers.

use serde_json::{Value, json};

use crate::fulfilment::order_shipments::Warehouse;
use crate::fulfilment::package_types::with;
use crate::fulfilment::shipping_rules::{create, text};
use crate::setup::raw_printer::label_printer;
use crate::setup::stock_requests::refusal;
use crate::setup::world::World;

/// Where nothing listens: these tests only ask on which printer a job is queued.
const NOWHERE: &str = "127.0.0.1:9";

impl Warehouse {
    /// Makes a shipment of one unit by the rules, buys it, and returns its path and the id of its label.
    async fn bought_label(&self) -> (String, String) {
        let order = self.order(1).await;
        let path = self.shipped(&order).await.remove(0);
        let zpl = json!({"options": {"label": {"format": "zpl"}}});
        assert_eq!(self.world.patch(&path, zpl).await.status, 200);
        self.world.buy(&path).await;
        let documents = self.world.get(format!("{path}/documents")).await.json();
        (path, text(&documents["data"][0]["id"]))
    }

    async fn queued_on(&self, document: &str) -> Value {
        let job = self.world.post("/print_jobs", json!({"document_ids": [document]})).await;
        assert_eq!(job.status, 201, "{job}");
        job.json()["printer_id"].clone()
    }
}

fn rule(name: &str, printer: &str) -> Value {
    json!({"name": name, "action": {"printer_id": printer}})
}

#[tokio::test]
async fn labels_are_printed_where_the_first_rule_says() {
    let house = Warehouse::new(9).await;
    let world = &house.world;
    let usual = json!({"is_default_for": ["label", "packing_slip"], "formats": ["zpl", "pdf"]});
    let usual = world.printer(with(label_printer(NOWHERE), usual)).await;
    let (chosen, later) =
        (world.printer(label_printer(NOWHERE)).await, world.printer(label_printer(NOWHERE)).await);
    let first = create(world, rule("Chosen", &chosen)).await;
    create(world, rule("Later", &later)).await;
    let (path, label) = house.bought_label().await;
    let evaluation = world.get(format!("{path}/rule_evaluation")).await.json();
    assert_eq!(evaluation["decision"]["printer_id"], json!(chosen));
    assert_eq!(evaluation["decision"]["set_by"]["printer_id"], first["id"]);
    assert_eq!(evaluation["rules"][1]["reasons"][0]["field"], "/action/printer_id");
    let asked = json!({"shipment_id": path.rsplit('/').next()});
    let asked = world.post("/shipping_rules/evaluate", asked).await.json();
    assert_eq!(asked["data"][0]["decision"]["printer_id"], json!(chosen));
    assert_eq!(house.queued_on(&label).await, json!(chosen));
    // A job that names a printer takes that one, and other papers keep their default.
    let named = json!({"printer_id": later, "document_ids": [label]});
    assert_eq!(world.post("/print_jobs", named).await.json()["printer_id"], json!(later));
    let slip = world.paper(&format!("{path}/packing_slip"), json!({"format": "a4"})).await;
    assert_eq!(house.queued_on(&text(&slip["id"])).await, json!(usual));
    let both = world.post("/print_jobs", json!({"document_ids": [label, slip["id"]]})).await;
    assert_eq!(refusal(&both), (422, "printer_ambiguous".to_owned()));
}

#[tokio::test]
async fn a_scan_prints_on_the_printer_of_the_rules() {
    let house = Warehouse::new(9).await;
    let chosen = house.world.printer(label_printer(NOWHERE)).await;
    create(&house.world, rule("Chosen", &chosen)).await;
    let (path, _) = house.bought_label().await;
    let scanned =
        house.world.scan(&path, json!({"scan_id": "a", "code": "CUBE", "then": ["print"]})).await.json();
    assert_eq!(scanned["print"]["status"], "queued", "{scanned}");
    let job = format!("/print_jobs/{}", text(&scanned["print"]["print_job_id"]));
    assert_eq!(house.world.get(&job).await.json()["printer_id"], json!(chosen));
}

#[tokio::test]
async fn a_printer_that_a_rule_names_stays_and_what_was_decided_outlives_it() {
    let house = Warehouse::new(9).await;
    let world = &house.world;
    let usual = world.printer(with(label_printer(NOWHERE), json!({"is_default_for": ["label"]}))).await;
    let chosen = world.printer(label_printer(NOWHERE)).await;
    let made = create(world, rule("Chosen", &chosen)).await;
    let (path, label) = house.bought_label().await;
    let printer = format!("/printers/{chosen}");
    let refused = world.delete(&printer).await;
    assert_eq!(refusal(&refused), (409, "printer_in_use".to_owned()));
    assert_eq!(refused.issues(), [("used_by_shipping_rule".to_owned(), "printer_id".to_owned())]);
    // Another rule now does not change what was decided for the shipment.
    let rule_path = format!("/shipping_rules/{}", text(&made["id"]));
    assert_eq!(world.patch(&rule_path, json!({"action": {"printer_id": usual}})).await.status, 200);
    assert_eq!(house.queued_on(&label).await, json!(chosen));
    // A printer that is gone leaves the label to the default.
    let jobs = world.get(format!("/print_jobs?printer_id={chosen}")).await.ids();
    for job in jobs {
        assert_eq!(world.print_action(&format!("/print_jobs/{job}/cancel")).await.status, 200);
    }
    assert_eq!(world.delete(&printer).await.status, 204);
    assert_eq!(house.queued_on(&label).await, json!(usual));
    let kept = world.get(format!("{path}/rule_evaluation")).await.json();
    assert_eq!(kept["decision"]["printer_id"], json!(chosen));
    let gone = world.post("/shipping_rules", rule("Gone", &chosen)).await;
    assert_eq!(refusal(&gone), (422, "printer_not_found".to_owned()));
}

#[tokio::test]
async fn what_was_decided_before_rules_had_printers_shows_none() {
    let house = Warehouse::new(9).await;
    let usual = house.world.printer(with(label_printer(NOWHERE), json!({"is_default_for": ["label"]}))).await;
    let (path, label) = house.bought_label().await;
    let evaluation = format!("{path}/rule_evaluation");
    let before = house.world.get(&evaluation).await.json();
    assert_eq!(before["decision"]["printer_id"], Value::Null);
    drop_printer(&house.world).await;
    assert_eq!(house.world.get(&evaluation).await.json(), before);
    assert_eq!(house.queued_on(&label).await, json!(usual));
}

/// Makes the stored evaluations those of a version that knew no printers of rules.
async fn drop_printer(world: &World) {
    world.tamper("UPDATE shipment_evaluation SET doc = REPLACE(doc, '\"printer_id\":null,', '')").await;
}
