//! Unknown outcomes: which answers mean bought, and which never mean "not bought".

use bytes::Bytes;

use super::tests::{account, done, parcel, response, sent, shipment};
use super::*;
use crate::conformance::day;

fn looking(prepared: Option<&str>) -> Task<'_> {
    Task::LookUp { reference: "shp_ours", prepared }
}

fn buying(parcel: &Parcel) -> Task<'_> {
    Task::Buy {
        parcel,
        service: "usps.ground_advantage",
        reference: "shp_ours",
        prepared: Some("shp_1"),
        format: LabelFormat::Png,
        ship_on: day(),
    }
}

/// The outcome of a look-up by the shipment's name at EasyPost that is answered so.
fn looked_up(body: &Value) -> Outcome {
    done(EasyPost.resume(&account(), &looking(Some("shp_1")), 1, response(200, body)))
}

#[test]
fn without_a_name_the_carrier_is_asked_and_only_what_is_bought_is_an_answer() {
    let task = looking(None);
    let request = sent(EasyPost.begin(&account(), &task));
    assert_eq!((request.method, request.url.ends_with("/shipments/shp_ours")), ("GET", true));
    let answer = |body: &Value| done(EasyPost.resume(&account(), &task, 1, response(200, body)));
    let mut bought = shipment(true);
    bought["reference"] = json!("shp_ours");
    assert!(matches!(answer(&bought), Outcome::Found(found) if found.len() == 1));
    let mut refunded = bought.clone();
    refunded["refund_status"] = json!("submitted");
    let mut unbought = shipment(false);
    unbought["reference"] = json!("shp_ours");
    for other in [refunded, unbought, shipment(true)] {
        assert!(matches!(answer(&other), Outcome::Untraceable(_)), "{other}");
    }
    let missing =
        json!({"error": {"code": "NOT_FOUND", "message": "The requested resource could not be found."}});
    let outcome = done(EasyPost.resume(&account(), &task, 1, response(404, &missing)));
    assert!(matches!(outcome, Outcome::Untraceable(_)), "{outcome:?}");
    // EasyPost may answer later, so it is asked again.
    for answer in [response(503, &json!({})), response(429, &json!({})), Answer::Lost("cut".to_owned())] {
        let outcome = done(EasyPost.resume(&account(), &task, 1, answer));
        assert!(matches!(outcome, Outcome::Unsent { .. }), "{outcome:?}");
    }
}

#[test]
fn only_a_purchase_is_made_known_under_the_shipments_reference() {
    let parcel = parcel();
    let reference = |task: &Task<'_>| {
        let body: Value = serde_json::from_slice(&sent(EasyPost.begin(&account(), task)).body).unwrap();
        body["shipment"]["reference"].clone()
    };
    assert_eq!(reference(&Task::Prepare(&parcel)), json!(parcel.id.to_string()));
    assert_eq!(reference(&Task::Rate(&parcel)), Value::Null);
}

#[test]
fn a_rate_or_a_label_means_bought_whatever_else_is_missing() {
    let parcel = parcel();
    let without = |fields: &[&str]| {
        let mut body = shipment(true);
        fields.iter().for_each(|field| body[*field] = Value::Null);
        body
    };
    let mut unreadable = without(&[]);
    unreadable["selected_rate"]["rate"] = json!("six dollars");
    unreadable["fees"] = json!([{"type": "PostageFee", "amount": "?", "charged": true}]);
    let mut odd = without(&["fees"]);
    odd["selected_rate"] = json!({"id": 7});
    let cases = [
        (without(&["tracking_code"]), 0, Some(607)),
        (without(&["selected_rate"]), 1, Some(607)),
        (without(&["postage_label"]), 1, Some(607)),
        (without(&["fees", "selected_rate"]), 1, None),
        (unreadable, 1, None),
        (odd, 1, None),
    ];
    for (body, numbers, charged) in cases {
        let bought = done(EasyPost.resume(&account(), &buying(&parcel), 2, response(200, &body)));
        let Outcome::Bought(receipt) = bought else { panic!("{body}: {bought:?}") };
        assert_eq!(receipt.tracking_numbers.len(), numbers, "{body}");
        let shown = (!receipt.currency.is_empty()).then_some(receipt.charged);
        assert_eq!(shown, charged, "{body}");
        assert!(matches!(looked_up(&body), Outcome::Found(found) if found.len() == 1), "{body}");
        // And it is not bought again.
        let again = done(EasyPost.resume(&account(), &buying(&parcel), 1, response(200, &body)));
        assert!(matches!(again, Outcome::Bought(_)), "{body}: {again:?}");
    }
}

#[test]
fn what_is_not_understood_is_never_nothing() {
    let parcel = parcel();
    assert_eq!(looked_up(&shipment(false)), Outcome::Found(Vec::new()));
    let mut partial = shipment(false);
    partial.as_object_mut().unwrap().remove("selected_rate");
    let mut other = shipment(false);
    other["id"] = json!("shp_2");
    for body in [partial, other, json!({"id": "shp_1"}), json!({}), json!([]), json!("ok")] {
        let outcome = looked_up(&body);
        assert!(matches!(outcome, Outcome::Unsent { .. }), "{body}: {outcome:?}");
        // Nothing is bought on it either.
        let step = EasyPost.resume(&account(), &buying(&parcel), 1, response(200, &body));
        assert!(matches!(step, Step::Done(Outcome::Unsent { .. })), "{body}: {step:?}");
    }
    // An error that EasyPost did not write, such as a proxy's, does not say whether a purchase that was sent succeeded.
    for status in [301, 400, 403, 404, 422] {
        let body = Bytes::from_static(b"<html>");
        let answer = Answer::Response { status, retry_after: None, body };
        let outcome = done(EasyPost.resume(&account(), &buying(&parcel), 2, answer));
        assert!(matches!(outcome, Outcome::Unknown(_)), "{status}: {outcome:?}");
    }
}

#[test]
fn postage_that_exists_and_is_not_shown_is_a_persons_to_find() {
    let parcel = parcel();
    let task = buying(&parcel);
    let exists = json!({"error": {"code": "SHIPMENT.POSTAGE.EXISTS", "message": "Postage already exists.", "errors": []}});
    let look = sent(EasyPost.resume(&account(), &task, 2, response(422, &exists)));
    assert_eq!((look.method, look.is_purchase, look.url.ends_with("/shipments/shp_1")), ("GET", false, true));
    let then = |answer: Answer| done(EasyPost.resume(&account(), &task, 3, answer));
    assert!(matches!(then(response(200, &shipment(true))), Outcome::Bought(_)));
    let unseen = then(response(200, &shipment(false)));
    assert!(matches!(unseen, Outcome::Untraceable(_)), "{unseen:?}");
    // As long as there is no answer, the outcome is unknown.
    for answer in
        [Answer::Lost("cut".to_owned()), Answer::Unsent("refused".to_owned()), response(404, &exists)]
    {
        let outcome = then(answer);
        assert!(matches!(outcome, Outcome::Unknown(_)), "{outcome:?}");
    }
}

#[test]
fn fees_are_in_dollars_whatever_the_rate_is_in() {
    let parcel = parcel();
    let mut body = shipment(true);
    body["selected_rate"]["currency"] = json!("JPY");
    body["selected_rate"]["rate"] = json!("900");
    let bought =
        |body: &Value| match done(EasyPost.resume(&account(), &buying(&parcel), 2, response(200, body))) {
            Outcome::Bought(receipt) => (receipt.charged, receipt.currency),
            other => panic!("{other:?}"),
        };
    assert_eq!(bought(&body), (607, "USD".to_owned()));
    // The sum of several fees is rounded once, and a carrier that bills the customer itself charges its rate.
    let fee = |amount: &str| json!({"type": "PostageFee", "amount": amount, "charged": true});
    body["fees"] = json!([fee("1.00400"), fee("1.00400"), {"type": "InsuranceFee", "amount": "9.00000", "charged": true}]);
    assert_eq!(bought(&body), (201, "USD".to_owned()));
    body["fees"] = json!([]);
    assert_eq!(bought(&body), (900, "JPY".to_owned()));
}

#[test]
fn what_may_have_been_bought_is_unknown_and_what_was_not_is_not() {
    let parcel = parcel();
    let task = buying(&parcel);
    let failed = |status: u16, code: &str| {
        let body = json!({"error": {"code": code, "message": "No.", "errors": []}});
        done(EasyPost.resume(&account(), &task, 2, response(status, &body)))
    };
    for (status, code) in [
        (500, ""),
        (503, ""),
        (408, ""),
        (423, ""),
        (429, ""),
        (429, "RATE_LIMITED"),
        (422, "SHIPMENT.PURCHASE.IN_PROGRESS"),
        (422, "SHIPMENT.POSTAGE.NO_RESPONSE"),
    ] {
        assert!(matches!(failed(status, code), Outcome::Unknown(_)), "{status} {code}");
    }
    assert!(matches!(
        done(EasyPost.resume(&account(), &task, 2, Answer::Lost("cut".into()))),
        Outcome::Unknown(_)
    ));
    let garbled = Answer::Response { status: 200, retry_after: None, body: Bytes::from_static(b"<html>") };
    assert!(matches!(done(EasyPost.resume(&account(), &task, 2, garbled)), Outcome::Unknown(_)));
    assert!(matches!(
        done(EasyPost.resume(&account(), &task, 2, Answer::Unsent("refused".into()))),
        Outcome::Unsent { .. }
    ));
    let code = |outcome| match outcome {
        Outcome::Rejected(error) => error.code,
        other => panic!("{other:?}"),
    };
    assert_eq!(code(failed(402, "PAYMENT.REQUIRED")), ErrorCode::InsufficientFunds);
    assert_eq!(code(failed(403, "APIKEY.INACTIVE")), ErrorCode::CredentialsInvalid);
    assert_eq!(code(failed(422, "ADDRESS.VERIFY.FAILURE")), ErrorCode::AddressInvalid);
    // Before the purchase was sent, nothing could have been bought.
    let looked = done(EasyPost.resume(&account(), &task, 1, Answer::Lost("cut".into())));
    assert!(matches!(looked, Outcome::Unsent { .. }));
}
