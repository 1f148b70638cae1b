//! Unknown outcomes: which of Royal Mail's answers mean bought, and which never mean "not bought".

use serde_json::{Value, json};

use super::tests::{account, buying, created, done, failed, failure, look_up, missing, parcel, sent, shown};
use super::*;
use crate::conformance::{REFERENCE, answer, ok};

fn bought(answer: Answer) -> Outcome {
    let parcel = parcel(&[]);
    done(RoyalMail.resume(&account(), &buying(&parcel, "tracked_24"), 2, answer))
}

#[test]
fn an_order_that_was_not_made_says_why() {
    for (message, field, expected) in [
        ("Invalid value.", "recipient.address.postcode", ErrorCode::PostCodeInvalid),
        ("Invalid value.", "packages.weightInGrams", ErrorCode::WeightLimit),
        ("Invalid value.", "packageFormatIdentifier", ErrorCode::DimensionsLimit),
        ("Invalid value.", "postageDetails.serviceCode", ErrorCode::ServiceUnavailable),
        ("Customs code is missing.", "contents", ErrorCode::CustomsRequired),
        ("Invalid value.", "recipient.address.city", ErrorCode::AddressInvalid),
        ("Something else.", "tags", ErrorCode::PurchaseDeclined),
    ] {
        let Outcome::Rejected(error) = bought(ok(failed(message, field))) else { panic!("{field}") };
        assert_eq!(error.code, expected, "{}", error.message);
        assert!(error.message.contains(message) && error.message.contains(field));
    }
    for status in [400, 401, 403] {
        assert!(matches!(bought(answer(status, failure(status))), Outcome::Rejected(_)), "{status}");
    }
    assert!(matches!(bought(Answer::Unsent("refused".to_owned())), Outcome::Unsent { .. }));
}

#[test]
fn an_order_without_its_label_is_no_purchase() {
    let mut unlabelled = created();
    let order = &mut unlabelled["createdOrders"][0];
    order["label"] = json!(null);
    order["trackingNumber"] = json!(null);
    order["labelErrors"] = json!([{"code": "L1", "message": "The service is not in your contract."}]);
    let Outcome::Rejected(error) = bought(ok(unlabelled)) else { panic!("bought") };
    assert_eq!(error.code, ErrorCode::ServiceUnavailable);
    assert!(
        error.message.contains("not in your contract") && error.message.contains("1001"),
        "{}",
        error.message
    );
}

#[test]
fn everything_else_leaves_a_purchase_open() {
    let with = |pointer: &str, value: Value| {
        let mut body = created();
        *body.pointer_mut(pointer).unwrap() = value;
        ok(body)
    };
    let two = json!([shown(1, REFERENCE, json!("A")), shown(2, REFERENCE, json!("B"))]);
    let mut silent = failed("No.", "x");
    silent["failedOrders"][0]["errors"] = json!([]);
    let mut bare = created();
    bare["createdOrders"][0]["label"] = json!(null);
    bare["createdOrders"][0]["trackingNumber"] = json!(null);
    for open in [
        with("/createdOrders", json!([])),
        with("/createdOrders", two),
        with("/createdOrders/0/orderReference", json!("another")),
        with("/createdOrders/0/orderIdentifier", json!("x")),
        with("/failedOrders", json!([{"errors": []}])),
        ok(silent),
        ok(bare),
        ok(json!({"deletedOrders": [{"orderIdentifier": 1001}]})),
        ok("{}"),
        ok("[]"),
        answer(404, failure(404)),
        answer(409, failure(409)),
        answer(422, failure(422)),
        answer(429, failure(429)),
        answer(500, failure(500)),
        answer(400, "<html>"),
        answer(401, ""),
        Answer::Lost("cut".to_owned()),
    ] {
        let outcome = bought(open.clone());
        assert!(matches!(outcome, Outcome::Unknown(_)), "{open:?}: {outcome:?}");
    }
}

#[test]
fn a_purchase_looks_first() {
    let parcel = parcel(&[]);
    let task = buying(&parcel, "tracked_24");
    let after = |answer| RoyalMail.resume(&account(), &task, 1, answer);
    for nothing in [missing(), ok("[]")] {
        assert!(sent(after(nothing)).is_purchase);
    }
    // What was bought before is not bought again.
    let found = done(after(ok(json!([shown(1001, REFERENCE, json!("AB123456785GB"))]))));
    assert!(matches!(&found, Outcome::Found(found) if found.len() == 1), "{found:?}");
    // What an earlier attempt left is deleted, and looked up again.
    let deletion = sent(after(ok(json!([shown(1001, REFERENCE, json!(null))]))));
    assert_eq!((deletion.method, deletion.is_purchase), ("DELETE", false));
    assert!(deletion.url.ends_with("/orders/1001"), "{}", deletion.url);
    for unclear in [
        answer(404, "<html>"),
        answer(404, ""),
        answer(500, failure(500)),
        answer(401, failure(401)),
        ok("{}"),
        ok(json!([shown(1001, "another", json!("A"))])),
        ok(json!([{"orderIdentifier": 1001}])),
        Answer::Lost("cut".to_owned()),
    ] {
        let step = after(unclear.clone());
        assert!(
            matches!(step, Step::Done(Outcome::Unsent { .. } | Outcome::Rejected(_))),
            "{unclear:?}: {step:?}"
        );
    }
}

#[test]
fn nothing_but_royal_mail_s_own_answer_means_that_there_is_no_order() {
    let look = |answer| done(RoyalMail.resume(&account(), &look_up(), 1, answer));
    assert_eq!(look(missing()), Outcome::Found(Vec::new()));
    for open in [
        answer(404, "<html>"),
        answer(404, "{}"),
        answer(404, json!({"statusCode": 404, "message": "Resource not found"})),
        answer(400, failure(400)),
        answer(500, failure(404)),
        ok(json!([shown(1001, REFERENCE, json!(null))])),
        ok(json!([shown(1001, "another", json!("A"))])),
        ok(json!({"orders": []})),
        Answer::Lost("cut".to_owned()),
    ] {
        let outcome = look(open.clone());
        assert!(matches!(outcome, Outcome::Unsent { .. }), "{open:?}: {outcome:?}");
    }
    assert!(matches!(look(answer(401, failure(401))), Outcome::Rejected(_)), "the key is wrong");
}
