//! What follows when the last unit is scanned: the purchase, and the print.

use model::World as Mode;
use serde_json::{Value, json};

use crate::fulfilment::order_shipments::Warehouse;
use crate::fulfilment::package_types::with;
use crate::fulfilment::shipping_rules::text;
use crate::setup::raw_printer::{RawPrinter, label_printer};
use crate::setup::stock_requests::{refusal, texts};
use crate::setup::world::Reply;

/// The steps that a packer asks for with every scan.
fn last(name: &str, then: &[&str]) -> Value {
    json!({"scan_id": name, "code": "CUBE", "then": then})
}

impl Warehouse {
    /// Makes a shipment of one unit that has chosen a service, with labels in ZPL; gives its path.
    async fn parcel_to(&self, post_code: &str) -> String {
        let order = self.order_to(1, "GB", post_code).await;
        let carrier =
            json!({"carrier_code": "sandbox", "service_code": "standard", "carrier_accounts": ["sandbox"]});
        let made = self.ship(&order, json!({"carrier": carrier})).await;
        assert_eq!(made.status, 201, "{made}");
        let path = format!("/shipments/{}", text(&made.json()["data"][0]["id"]));
        let zpl = json!({"options": {"label": {"format": "zpl"}}});
        assert_eq!(self.world.patch(&path, zpl).await.status, 200);
        path
    }

    /// Looks for labels to print, as the job does.
    async fn look(&self) {
        self.world.advance_seconds(60);
        self.world.service.scans.work_once().await.expect("labels are looked for");
    }

    async fn scanned(&self, path: &str, name: &str) -> Value {
        self.world.get(format!("{path}/scans/{name}")).await.json()
    }
}

fn step(reply: &Reply, name: &str) -> Value {
    reply.json()[name]["status"].clone()
}

#[tokio::test]
async fn the_last_scan_buys_the_shipment_and_its_label_is_printed_once_it_is_there() {
    let house = Warehouse::new(5).await;
    let mut printer = RawPrinter::start().await;
    let labels = json!({"is_default_for": ["label"]});
    house.world.printer(with(label_printer(&printer.address), labels)).await;
    let path = house.parcel_to("SW1A 1AA").await;
    let done = house.world.scan(&path, last("a", &["purchase", "print"])).await;
    assert_eq!(done.status, 201, "{done}");
    assert_eq!(
        (step(&done, "purchase"), step(&done, "print")),
        (json!("purchasing"), json!("waiting")),
        "{done}"
    );
    assert_eq!(
        (&done.json()["result"], &done.json()["shipment_status"]),
        (&json!("packed"), &json!("purchasing"))
    );
    // Nothing is there yet, and repeating the request buys nothing more.
    house.look().await;
    assert_eq!(house.scanned(&path, "a").await["print"]["status"], "waiting");
    let again = house.world.scan(&path, last("a", &["purchase", "print"])).await;
    assert_eq!((again.status.as_u16(), step(&again, "print")), (201, json!("waiting")), "{again}");
    house.world.work().await;
    assert_eq!(house.world.get(&path).await.json()["status"], "purchased");
    house.look().await;
    let shown = house.scanned(&path, "a").await;
    assert_eq!(
        (&shown["purchase"]["status"], &shown["print"]["status"]),
        (&json!("purchased"), &json!("queued")),
        "{shown}"
    );
    house.look().await;
    let jobs = house.world.get("/print_jobs").await;
    assert_eq!(jobs.ids(), [text(&shown["print"]["print_job_id"])], "it is printed once");
    house.world.print().await;
    assert!(printer.next().await.starts_with(b"^XA"));
    assert_eq!(house.world.carrier_charges(&path).await.charges, 1);
    house.world.assert_clean().await;
}

#[tokio::test]
async fn a_label_that_is_there_is_printed_by_the_request_itself() {
    let house = Warehouse::new(5).await;
    let path = house.parcel_to("SW1A 1AA").await;
    house.world.buy(&path).await;
    // Without a default printer the scan counts, and the answer says what is missing.
    let failed = house.world.scan(&path, last("a", &["print"])).await;
    assert_eq!(
        (step(&failed, "print"), &failed.json()["is_complete"]),
        (json!("failed"), &json!(true)),
        "{failed}"
    );
    assert_eq!(failed.json()["print"]["problem"]["code"], "printer_missing");
    assert_eq!(house.world.delete(format!("{path}/scans/a")).await.status, 204);
    let labels = json!({"is_default_for": ["label"]});
    house.world.printer(with(label_printer("127.0.0.1:9"), labels)).await;
    let printed = house.world.scan(&path, last("b", &["purchase", "print"])).await;
    assert_eq!(
        (step(&printed, "purchase"), step(&printed, "print")),
        (json!("purchased"), json!("queued")),
        "{printed}"
    );
    let again = house.world.scan(&path, last("b", &["purchase", "print"])).await;
    assert_eq!(again.json(), printed.json());
    assert_eq!(house.world.get("/print_jobs").await.ids().len(), 1);
}

#[tokio::test]
async fn what_can_t_be_bought_is_said_and_the_scan_counts() {
    let house = Warehouse::new(9).await;
    // No service was chosen.
    let order = house.order(1).await;
    let path = house.shipped(&order).await.remove(0);
    let bare = house.world.scan(&path, last("a", &["purchase", "print"])).await;
    assert_eq!((step(&bare, "purchase"), step(&bare, "print")), (json!("failed"), json!("failed")), "{bare}");
    assert_eq!(bare.json()["purchase"]["problem"]["code"], "service_missing");
    assert_eq!(bare.json()["print"]["problem"]["code"], "shipment_not_purchased");
    assert_eq!(bare.json()["is_complete"], json!(true));
    // The order is on hold.
    let path = house.parcel_to("SW1A 1AA").await;
    let order = text(&house.world.get(&path).await.json()["order_id"]);
    assert_eq!(
        house.world.post(format!("/orders/{order}/hold"), json!({"reason": "Look"})).await.status,
        200
    );
    let held = house.world.scan(&path, last("a", &["purchase"])).await;
    assert_eq!(held.json()["purchase"]["problem"]["code"], "order_on_hold", "{held}");
    // The carrier declines, after the answer.
    let path = house.parcel_to("SBX-DECLINED").await;
    let begun = house.world.scan(&path, last("a", &["purchase", "print"])).await;
    assert_eq!(step(&begun, "purchase"), json!("purchasing"), "{begun}");
    house.world.work().await;
    house.look().await;
    let declined = house.scanned(&path, "a").await;
    assert_eq!(declined["shipment_status"], "purchase_failed");
    assert_eq!(
        (&declined["purchase"]["status"], &declined["print"]["status"]),
        (&json!("failed"), &json!("failed")),
        "{declined}"
    );
    assert!(declined["purchase"]["problem"]["message"].is_string());
    let list = house.world.get(format!("{path}/scans")).await.json();
    assert_eq!(texts(&list["data"], "/purchase/status"), ["failed"]);
    assert_eq!(house.world.get("/print_jobs").await.ids(), [""; 0]);
}

#[tokio::test]
async fn steps_follow_only_the_scan_that_completes_the_shipment() {
    let house = Warehouse::new(5).await;
    let order = house.order(2).await;
    let path = house.shipped(&order).await.remove(0);
    let first = house.world.scan(&path, last("a", &["purchase", "print"])).await;
    assert_eq!((&first.json()["purchase"], &first.json()["print"]), (&Value::Null, &Value::Null), "{first}");
    assert_eq!(house.world.get(&path).await.json()["status"], "draft");
    assert_eq!(house.world.result(&path, "b", "CUBE").await, "packed");
    let late = house.world.scan(&path, last("c", &["purchase"])).await;
    assert_eq!((&late.json()["result"], &late.json()["purchase"]), (&json!("already_packed"), &Value::Null));
}

#[tokio::test]
async fn a_request_that_was_cut_off_after_the_count_goes_on_when_it_is_repeated() {
    let house = Warehouse::new(5).await;
    let path = house.parcel_to("SW1A 1AA").await;
    let order = format!("/orders/{}", text(&house.world.get(&path).await.json()["order_id"]));
    assert_eq!(house.world.post(format!("{order}/hold"), json!({"reason": "Look"})).await.status, 200);
    let refused = house.world.scan(&path, last("a", &["purchase"])).await;
    assert_eq!(step(&refused, "purchase"), json!("failed"), "{refused}");
    assert_eq!(house.world.post(format!("{order}/release"), json!({})).await.status, 200);
    // A purchase that was refused is not tried again by itself.
    assert_eq!(step(&house.world.scan(&path, last("a", &["purchase"])).await, "purchase"), json!("failed"));
    // As a server leaves it that stops between the count and the purchase.
    let mut doc = house.scanned(&path, "a").await;
    doc["purchase"] = json!({"status": "pending", "problem": null});
    house.world.tamper(&format!("UPDATE scan SET doc = '{doc}'")).await;
    assert_eq!(house.scanned(&path, "a").await["purchase"]["status"], "pending");
    let repeated = house.world.scan(&path, last("a", &["purchase"])).await;
    assert_eq!(step(&repeated, "purchase"), json!("purchasing"), "{repeated}");
    house.world.work().await;
    assert_eq!(house.scanned(&path, "a").await["purchase"]["status"], "purchased");
    assert_eq!(house.world.carrier_charges(&path).await.charges, 1);
}

#[tokio::test]
async fn a_token_without_the_scope_of_a_step_is_refused_before_the_scan_counts() {
    let house = Warehouse::new(5).await;
    let path = house.parcel_to("SW1A 1AA").await;
    let scans = format!("{path}/scans");
    let ask = async |scopes: &str, then: &[&str]| {
        let token = house.world.token_for("Acme", scopes, Mode::Test).await;
        let request = house.world.request("POST", &scans).token(&token).header("prefer", "respond-async");
        request.json(last("a", then)).send().await
    };
    let packer = "packing:write shipments:read";
    for (scopes, then, lacking) in [
        ("packing:write", &[][..], "shipments:read"),
        ("packing:read shipments:read", &[], "packing:write"),
        (packer, &["purchase"], "shipments:purchase"),
        (packer, &["print"], "print_jobs:write"),
        ("packing:write shipments:write print_jobs:write", &["print", "purchase"], "shipments:purchase"),
    ] {
        let reply = ask(scopes, then).await;
        assert_eq!(refusal(&reply), (403, "insufficient_scope".to_owned()), "{scopes}: {reply}");
        assert!(reply.json()["detail"].as_str().unwrap().contains(lacking), "{reply}");
    }
    assert_eq!(house.world.get(&scans).await.ids(), [""; 0], "nothing was counted");
    assert_eq!(ask(packer, &[]).await.status, 201);
    let reader = house.world.token_for("Acme", "packing:read", Mode::Test).await;
    let list = house.world.request("GET", &scans).token(&reader).send().await;
    assert_eq!(refusal(&list), (403, "insufficient_scope".to_owned()));
}
