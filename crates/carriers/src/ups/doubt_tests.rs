//! Unknown outcomes: which of UPS's answers mean bought, and which never mean "not bought".

use serde_json::json;

use super::tests::{account, buying, done, failure, parcel, recovered, sent, shipped};
use super::*;
use crate::conformance::{REFERENCE, answer, ok};

fn refused(status: u16, code: &str) -> Answer {
    answer(status, json!({"response": {"errors": [{"code": code, "message": "No."}]}}))
}

fn bought(answer: Answer) -> Outcome {
    let parcel = parcel(&[]);
    done(Ups.resume(&account(), &buying(&parcel), 1, answer))
}

fn look_up() -> Task<'static> {
    Task::LookUp { reference: REFERENCE, prepared: None }
}

#[test]
fn a_purchase_is_denied_only_by_a_refusal_in_ups_s_own_words() {
    let code = |outcome| match outcome {
        Outcome::Rejected(error) => error.code,
        other => panic!("{other:?}"),
    };
    for (told, expected) in [
        ("120205", ErrorCode::AddressInvalid),
        ("120207", ErrorCode::PostCodeInvalid),
        ("120124", ErrorCode::ServiceUnavailable),
        ("121036", ErrorCode::WeightLimit),
        ("121050", ErrorCode::DimensionsLimit),
        ("121045", ErrorCode::OptionUnavailable),
        ("120100", ErrorCode::CredentialsInvalid),
        ("120413", ErrorCode::InsufficientFunds),
        ("128049", ErrorCode::CustomsRequired),
        ("&#xD;120702", ErrorCode::LabelFormatUnavailable),
        ("129999", ErrorCode::PurchaseDeclined),
    ] {
        assert_eq!(code(bought(refused(400, told))), expected, "{told}");
    }
    // The errors may be without their envelope.
    let bare = answer(400, json!({"errors": [{"code": "120205", "message": "No."}]}));
    assert_eq!(code(bought(bare)), ErrorCode::AddressInvalid);
    // The gateway counts requests before it passes them on.
    assert!(matches!(bought(answer(429, failure(429))), Outcome::Unsent { .. }));
    assert!(matches!(bought(Answer::Unsent("refused".to_owned())), Outcome::Unsent { .. }));
    assert!(matches!(bought(refused(401, "250002")), Outcome::TokenRefused(_)));
}

#[test]
fn what_ups_calls_transient_and_what_was_created_before_is_unknown() {
    for told in ["10004", "20001", "120001", "250050", "&#xD;120001", "120021"] {
        for status in [400, 403, 500, 503] {
            let outcome = bought(refused(status, told));
            assert!(matches!(outcome, Outcome::Unknown(_)), "{status} {told}: {outcome:?}");
        }
    }
    // One transient error among others is enough.
    let errors = json!([{"code": "120205", "message": "No."}, {"code": "120001", "message": "Later."}]);
    let outcome = bought(answer(400, json!({"response": {"errors": errors}})));
    assert!(matches!(outcome, Outcome::Unknown(_)), "{outcome:?}");
    for open in [
        refused(429, "429"),
        refused(408, "1"),
        refused(409, "1"),
        answer(400, "<html>"),
        answer(401, ""),
        answer(302, ""),
    ] {
        let outcome = bought(open.clone());
        assert!(matches!(outcome, Outcome::Unknown(_)), "{open:?}: {outcome:?}");
    }
}

#[test]
fn a_success_that_shows_a_number_is_a_purchase_and_any_other_is_unknown() {
    let mut unnamed = shipped(&["1ZA1B2C30390000001"]);
    unnamed["ShipmentResponse"]["ShipmentResults"]["ShipmentIdentificationNumber"] = json!(null);
    let Outcome::Bought(receipt) = bought(ok(&unnamed)) else { panic!("not bought") };
    assert_eq!(receipt.purchase, "1ZA1B2C30390000001");
    let mut unpriced = shipped(&["1ZA1B2C30390000001"]);
    unpriced["ShipmentResponse"]["ShipmentResults"]["NegotiatedRateCharges"] = json!(null);
    unpriced["ShipmentResponse"]["ShipmentResults"]["ShipmentCharges"]["TotalCharges"]["MonetaryValue"] =
        json!("?");
    let Outcome::Bought(receipt) = bought(ok(unpriced)) else { panic!("not bought") };
    assert_eq!((receipt.charged, receipt.currency.as_str()), (0, ""), "the price is left out");
    unnamed["ShipmentResponse"]["ShipmentResults"]["PackageResults"] = json!([]);
    for odd in
        [unnamed, json!({}), json!({"ShipmentResponse": {"Response": {"ResponseStatus": {"Code": "1"}}}})]
    {
        assert!(matches!(bought(ok(&odd)), Outcome::Unknown(_)), "{odd}");
    }
}

#[test]
fn a_look_up_asks_for_the_label_by_our_reference() {
    let request = sent(Ups.begin(&account(), &look_up()));
    assert!(!request.is_purchase && request.url.ends_with("/api/labels/v1/recovery"));
    let told: Value = serde_json::from_slice(&request.body).unwrap();
    let told = &told["LabelRecoveryRequest"];
    assert_eq!(
        told["ReferenceValues"],
        json!({"ReferenceNumber": {"Value": REFERENCE}, "ShipperNumber": "A1B2C3"})
    );
    assert_eq!(told["LabelSpecification"]["LabelStockSize"], Value::Null, "UPS refuses a size with GIF");
    let Outcome::Found(found) = done(Ups.resume(&account(), &look_up(), 1, ok(recovered(&["1Z1", "1Z2"]))))
    else {
        panic!("not found")
    };
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].receipt.purchase.as_str(), found[0].receipt.tracking_numbers.len()), ("1Z1", 2));
}

#[test]
fn several_purchases_under_a_reference_are_all_found() {
    let candidates = |numbers: &[&str]| {
        let list: Vec<Value> = numbers.iter().map(|number| json!({"TrackingNumber": number})).collect();
        ok(json!({"LabelRecoveryResponse": {"TrackingCandidate": list}}))
    };
    let numbers = |outcome| match outcome {
        Outcome::Found(found) => found.into_iter().map(|found| found.receipt.purchase).collect::<Vec<_>>(),
        other => panic!("{other:?}"),
    };
    let first = |answer| done(Ups.resume(&account(), &look_up(), 1, answer));
    assert_eq!(numbers(first(candidates(&["1Z1", "1Z2"]))), ["1Z1", "1Z2"]);
    // Where all packages of a shipment carry the reference, they may be of one purchase or of several.
    let missing = refused(400, "9801031");
    let request = sent(Ups.resume(&account(), &look_up(), 1, missing));
    let told: Value = serde_json::from_slice(&request.body).unwrap();
    let reference = &told["LabelRecoveryRequest"]["ReferenceValues"]["ReferenceNumber"]["Value"];
    assert_eq!(reference, &json!(format!("{REFERENCE}-M")));
    let second = |answer| done(Ups.resume(&account(), &look_up(), 2, answer));
    assert_eq!(numbers(second(candidates(&["1Z1"]))), ["1Z1"]);
    let open = second(candidates(&["1Z1", "1Z2"]));
    assert!(matches!(&open, Outcome::Untraceable(error) if error.message.contains("1Z1, 1Z2")), "{open:?}");
    assert_eq!(numbers(second(ok(recovered(&["1Z1", "1Z2"])))), ["1Z1"]);
}

#[test]
fn nothing_found_is_no_answer_unless_the_merchant_says_when_it_is() {
    let missing = || refused(400, "&#xD;9801031");
    let second = |account: &Account| done(Ups.resume(account, &look_up(), 2, missing()));
    let outcome = second(&account());
    assert!(matches!(outcome, Outcome::Unsent { .. }), "{outcome:?}");
    let mut decided = account();
    decided.configuration.insert("not_found_is_final_after_minutes".to_owned(), json!(120));
    assert_eq!(second(&decided), Outcome::Found(Vec::new()));
    assert_eq!(Ups.capabilities(&decided).visibility_delay, Duration::from_secs(7200));
    // Nothing else ever means that nothing was bought.
    for open in [
        refused(400, "9801041"),
        refused(400, "9801040"),
        refused(404, "1"),
        refused(500, "9801031"),
        refused(403, "1"),
        ok("{}"),
        ok(json!({"LabelRecoveryResponse": {"LabelResults": []}})),
        answer(404, ""),
        Answer::Lost("cut".to_owned()),
    ] {
        for exchange in [1, 2] {
            let step = Ups.resume(&decided, &look_up(), exchange, open.clone());
            assert!(!matches!(step, Step::Done(Outcome::Found(_)) | Step::Send(_)), "{open:?}: {step:?}");
        }
    }
    let voided = done(Ups.resume(&decided, &look_up(), 1, refused(400, "9801040")));
    assert!(matches!(voided, Outcome::Untraceable(_)), "{voided:?}");
}
