//! Unknown outcomes: which of DHL's answers mean bought, and which never mean "not bought".

use serde_json::{Value, json};

use super::tests::{account, buying, done, failure, look_up, parcel, shipment, shipped};
use super::*;
use crate::conformance::{answer, ok};

fn refused(status: u16, detail: &str) -> Answer {
    answer(
        status,
        json!({"instance": "/expressapi/shipments", "title": "Bad request", "detail": detail, "status": status.to_string()}),
    )
}

fn bought(answer: Answer) -> Outcome {
    let parcel = parcel(&[]);
    done(DhlExpress.resume(&account(), &buying(&parcel, LabelFormat::Pdf), 1, answer))
}

#[test]
fn a_purchase_is_denied_only_by_a_refusal_in_dhl_s_own_words() {
    for (detail, expected) in [
        ("The account number is not found or invalid.", ErrorCode::CredentialsInvalid),
        ("Invalid postal code provided", ErrorCode::PostCodeInvalid),
        ("7008: The requested Special Service Code 'EE' is not available.", ErrorCode::OptionUnavailable),
        ("1001: The requested product is not available.", ErrorCode::ServiceUnavailable),
        ("#/content/exportDeclaration: required key [invoice] not found", ErrorCode::CustomsRequired),
        ("#/content/packages/0/weight: 0 is not greater", ErrorCode::WeightLimit),
        ("#/content/packages/0/dimensions/length: 0 is not greater", ErrorCode::DimensionsLimit),
        ("#/customerDetails/receiverDetails/contactInformation: required key", ErrorCode::AddressInvalid),
        ("Something else.", ErrorCode::PurchaseDeclined),
    ] {
        for status in [400, 422] {
            let Outcome::Rejected(error) = bought(refused(status, detail)) else { panic!("{detail}") };
            assert_eq!((error.code, error.message.as_str()), (expected, detail));
        }
    }
    assert!(matches!(bought(answer(401, failure(401))), Outcome::Rejected(_)));
    assert!(matches!(bought(Answer::Unsent("refused".to_owned())), Outcome::Unsent { .. }));
    let mut numberless = shipped();
    numberless["shipmentTrackingNumber"] = json!("");
    for open in [
        refused(400, "999: Process failure occurred. Process ID associated for that transaction (1)"),
        refused(404, "No."),
        refused(409, "No."),
        refused(429, "No."),
        refused(500, "No."),
        answer(400, "<html>"),
        answer(401, ""),
        answer(401, "{}"),
        answer(201, "{}"),
        answer(201, failure(400)),
        answer(201, numberless),
        Answer::Lost("cut".to_owned()),
    ] {
        let outcome = bought(open.clone());
        assert!(matches!(outcome, Outcome::Unknown(_)), "{open:?}: {outcome:?}");
    }
}

fn looked(answer: Answer) -> Outcome {
    done(DhlExpress.resume(&account(), &look_up(), 1, answer))
}

#[test]
fn a_look_up_finds_one_shipment_and_leaves_several_to_a_person() {
    let Outcome::Found(found) = looked(ok(shipment("5374534616", json!([])))) else { panic!("not found") };
    assert_eq!(
        (found.len(), found[0].receipt.purchase.as_str(), found[0].receipt.currency.as_str()),
        (1, "5374534616", "")
    );
    let several: Value =
        json!({"shipments": [{"shipmentTrackingNumber": "1"}, {"shipmentTrackingNumber": "2"}]});
    let Outcome::Untraceable(error) = looked(ok(several)) else { panic!("a duplicate was taken") };
    assert!(error.message.contains("1, 2"), "{}", error.message);
    // The same shipment may be listed for each of its packages.
    let same = json!({"shipments": [{"shipmentTrackingNumber": 1}, {"shipmentTrackingNumber": "1"}]});
    assert!(matches!(looked(ok(same)), Outcome::Found(found) if found.len() == 1));
}

#[test]
fn no_answer_means_that_there_is_no_shipment() {
    for open in [
        refused(404, "No Shipments Found for ReferenceID | shp_7"),
        refused(400, "Missing mandatory parameters"),
        refused(500, "No."),
        ok(json!({"shipments": []})),
        ok(json!({"shipments": [{"shipmentTrackingNumber": null}]})),
        ok("{}"),
        ok("[]"),
        answer(404, "<html>"),
        Answer::Lost("cut".to_owned()),
    ] {
        let outcome = looked(open.clone());
        assert!(matches!(outcome, Outcome::Unsent { .. }), "{open:?}: {outcome:?}");
    }
    assert!(matches!(looked(answer(401, failure(401))), Outcome::Rejected(_)), "the password is wrong");
    let can = DhlExpress.capabilities(&account());
    assert!(!can.is_idempotent && can.can_look_up && !can.can_void);
}
