//! `shipments`, `batches` and `print`.

use serde_json::json;
use testkit::resources::{create, send};
use testkit::shipments::shipment_body;

use super::{Desk, row};

/// Makes shipments, rates them, and puts them into a batch. Returns the batch and the shipments.
fn batch(desk: &Desk, post_codes: &[&str]) -> (String, Vec<String>) {
    let mut client = desk.client();
    let mut shipments = Vec::new();
    for (place, post_code) in post_codes.iter().enumerate() {
        let mut body = shipment_body(post_code);
        body["name"] = json!(format!("Parcel {}", place + 1));
        let id = create(&mut client, "/shipments", &body);
        assert_eq!(client.post(&format!("/shipments/{id}/rates"), "").status, 200);
        shipments.push(id);
    }
    let service = json!({"carrier": {"handle": "sandbox"}, "carrier_service": {"handle": "standard"}});
    let batch = create(
        &mut client,
        "/batches",
        &json!({"name": "Monday", "service": service, "shipments": shipments}),
    );
    (batch, shipments)
}

#[test]
fn a_batch_is_purchased_once_its_cost_was_shown() {
    let desk = Desk::new();
    let (batch, shipments) = batch(&desk, &["LS1 4DY", "LS1 4DY"]);
    let rate = |shipment: &str| -> i64 {
        let shipment = desk.client().get(&format!("/shipments/{shipment}")).json();
        let rates = shipment["rates"].as_array().unwrap().clone();
        rates.iter().find(|rate| rate["carrier_service"]["handle"] == "standard").unwrap()["rate"]
            .as_i64()
            .unwrap()
    };
    let cost: i64 = shipments.iter().map(|shipment| rate(shipment)).sum();
    // There is no terminal to ask at.
    let asked = desk.refused(2, &["batches", "purchase", &batch]);
    let cost =
        format!("Batch Monday: 2 shipments to purchase; they cost {}.{:02} GBP.", cost / 100, cost % 100);
    assert!(asked.contains(&cost) && asked.contains("--yes"), "{asked}\n{cost}");
    assert_eq!(row(&desk.output(&["batches", "list"]), &batch)[1..5], ["Monday", "open", "2", "0"]);

    let bought = desk.output(&["batches", "purchase", &batch, "--yes"]);
    assert_eq!(
        (row(&bought, "Status"), row(&bought, "Purchased")),
        (vec!["Status", "purchased"], vec!["Purchased", "2"])
    );
    let again = desk.run(&["batches", "purchase", &batch, "--yes"]);
    assert!(again.code == 0 && again.stderr.contains("purchased already"), "{}", again.stderr);
    assert_eq!(desk.json(&["batches", "show", &batch])[0]["purchased_count"], 2);
}

#[test]
fn a_purchase_that_half_fails_fails_and_says_what_to_repair() {
    let desk = Desk::new();
    let (batch, shipments) = batch(&desk, &["LS1 4DY"]);
    let mut client = desk.client();
    let wrong = create(&mut client, "/shipments", &shipment_body("SBX-ADDRESS-INVALID"));
    let added =
        send(&mut client, "PATCH", &format!("/batches/{batch}/shipments"), &json!({"shipments": [wrong]}));
    assert_eq!(added.status, 200, "{added:?}");
    let failed = desk.run(&["batches", "purchase", &batch, "--yes"]);
    assert_eq!(failed.code, 1);
    assert!(failed.stderr.contains("1 of 2 shipments are purchased"), "{}", failed.stderr);
    assert_eq!(row(&failed.stdout, &wrong)[1], "address_invalid");
    let listed = desk.output(&["shipments", "list", "--status", "purchase_failed"]);
    assert!(listed.contains(&wrong) && !listed.contains(&shipments[0]), "{listed}");
}

#[test]
fn labels_are_saved_and_printed() {
    let desk = Desk::new();
    let (batch, shipments) = batch(&desk, &["LS1 4DY"]);
    let early = desk.run(&["shipments", "label", &shipments[0]]);
    assert!(early.code == 1 && early.stderr.contains("shipment_not_purchased"), "{}", early.stderr);
    desk.output(&["batches", "purchase", &batch, "--yes"]);
    let shown = desk.output(&["shipments", "show", "Parcel 1"]);
    assert_eq!(
        (row(&shown, "Shipment"), row(&shown, "Status")),
        (vec!["Shipment", &*shipments[0]], vec!["Status", "purchased"])
    );
    let label = row(&shown, "label")[0].to_owned();

    std::fs::create_dir(desk.home.path().join("labels")).unwrap();
    let saved = desk.run(&["shipments", "label", "Parcel 1", "--folder", "labels"]);
    assert_eq!(saved.code, 0, "{}", saved.stderr);
    let files: Vec<_> = std::fs::read_dir(desk.home.path().join("labels"))
        .unwrap()
        .map(|file| file.unwrap().path())
        .collect();
    assert_eq!(files.len(), 1, "{files:?}");
    desk.output(&["shipments", "label", &shipments[0], "--output", "label.pdf"]);
    let bytes = std::fs::read(desk.home.path().join("label.pdf")).unwrap();
    assert_eq!(std::fs::read(&files[0]).unwrap(), bytes);
    let mut piped = desk.command(&["shipments", "label", &shipments[0], "--output", "-"]);
    let piped = piped.output().unwrap();
    assert!(piped.status.success() && piped.stdout == bytes);

    let none = desk.refused(1, &["print", &label, "--printer", "Bench"]);
    assert!(none.contains("no printer with the name \"Bench\""), "{none}");
    let printer = json!({"name": "Bench", "kind": "raw", "connection": "agent", "address": "192.168.1.20", "formats": ["pdf", "png", "zpl"]});
    let printer = create(&mut desk.client(), "/printers", &printer);
    let job = desk.output(&["print", &label, "--printer", "Bench", "--copies", "2"]);
    assert_eq!((row(&job, "Status"), row(&job, "Copies")), (vec!["Status", "queued"], vec!["Copies", "2"]));
    for word in [&shipments[0], "Parcel 1", &batch] {
        let job = &desk.json(&["print", word, "--printer", &printer])[0];
        assert_eq!((&job["printer_id"], &job["document_ids"]), (&json!(printer), &json!([label])), "{word}");
    }
}
