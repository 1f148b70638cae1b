//! What Royal Mail's answers mean when a task succeeds.

use serde_json::json;

use super::tests::{PDF, account, buying, created, done, look_up, parcel, receipt, shown};
use super::*;
use crate::conformance::{REFERENCE, answer, ok};
use crate::{FileFormat, Label};

#[test]
fn an_order_with_its_label_is_a_purchase_at_the_price_of_the_card() {
    let parcel = parcel(&[]);
    let bought = done(RoyalMail.resume(&account(), &buying(&parcel, "tracked_24"), 2, ok(created())));
    let Outcome::Bought(receipt) = bought else { panic!("{bought:?}") };
    assert_eq!((receipt.purchase.as_str(), receipt.charged, receipt.currency.as_str()), ("1001", 385, "GBP"));
    assert_eq!(receipt.tracking_numbers, ["AB123456785GB"]);
    assert!(matches!(receipt.labels.as_slice(), [Label::File { format: FileFormat::Pdf, .. }]));
    // Services without tracking have no number; the label proves the purchase.
    let mut untracked = created();
    untracked["createdOrders"][0]["trackingNumber"] = json!(null);
    let bought = done(RoyalMail.resume(&account(), &buying(&parcel, "tracked_24"), 2, ok(untracked)));
    assert!(matches!(&bought, Outcome::Bought(receipt) if receipt.tracking_numbers.is_empty()), "{bought:?}");
}

#[test]
fn a_look_up_finds_what_has_a_label() {
    let found =
        |orders: serde_json::Value| match done(RoyalMail.resume(&account(), &look_up(), 1, ok(orders))) {
            Outcome::Found(found) => found.into_iter().map(|found| found.receipt).collect::<Vec<_>>(),
            other => panic!("{other:?}"),
        };
    let receipts = found(json!([shown(1001, REFERENCE, json!("AB123456785GB"))]));
    assert_eq!(
        (receipts[0].purchase.as_str(), receipts[0].currency.as_str()),
        ("1001", ""),
        "it has no price"
    );
    // A date is as good as a number: not every service tracks.
    let mut printed = shown(1002, REFERENCE, json!(null));
    printed["printedOn"] = json!("2026-11-19T09:00:01.1234567");
    let unlabelled = shown(1001, REFERENCE, json!(null));
    let numbers: Vec<_> =
        found(json!([unlabelled, printed])).into_iter().map(|receipt| receipt.purchase).collect();
    assert_eq!(numbers, ["1002", "1001"], "what has no label is a duplicate");
    assert!(found(json!([])).is_empty());
}

#[test]
fn a_label_is_the_pdf_of_the_answer() {
    let task = Task::Label { receipt: &receipt(), format: LabelFormat::Pdf };
    let labels = |answer| match done(RoyalMail.resume(&account(), &task, 1, answer)) {
        Outcome::Labelled(labels) => labels.len(),
        other => panic!("{other:?}"),
    };
    assert_eq!(labels(ok("%PDF-1.4 a label %%EOF\n")), 1);
    for other in ["<html>", PDF, "%PDF-1.4 a label that is cut", "%PDF-1.4 %%EOF%PDF-1.4 %%EOF"] {
        assert_eq!(labels(ok(other)), 0, "{other}");
    }
}

#[test]
fn an_order_that_was_deleted_is_void() {
    let receipt = receipt();
    let voided = |answer| done(RoyalMail.resume(&account(), &Task::Void(&receipt), 1, answer));
    let deleted = |number: u64| json!({"deletedOrders": [{"orderIdentifier": number}], "errors": []});
    assert_eq!(voided(ok(deleted(1001))), Outcome::Voided);
    assert!(matches!(voided(ok(deleted(1002))), Outcome::Unsent { .. }), "another order");
    let errors = json!([{"accountOrderNumber": 1001, "code": "X", "message": "The order is manifested."}]);
    let refused = voided(ok(json!({"deletedOrders": [], "errors": errors})));
    assert!(
        matches!(&refused, Outcome::Rejected(error) if error.message.contains("manifested")),
        "{refused:?}"
    );
    let gone = voided(answer(404, super::tests::failure(404)));
    assert!(matches!(&gone, Outcome::Rejected(error) if error.message.contains("any more")), "{gone:?}");
}
