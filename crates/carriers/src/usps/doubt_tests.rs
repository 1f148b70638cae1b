//! Unknown outcomes: which of USPS's answers mean bought, and which never mean "not bought".

use serde_json::{Value, json};

use super::tests::{account, buying, done, failure, made, parcel, sent};
use super::*;
use crate::conformance::{REFERENCE, answer, ok};

fn refused(status: u16, code: &str, detail: &str) -> Answer {
    answer(
        status,
        json!({"error": {"code": status.to_string(), "message": "Bad Request", "errors": [{"code": code, "detail": detail}]}}),
    )
}

fn bought(answer: Answer) -> Outcome {
    let parcel = parcel(&[]);
    done(Usps.resume(&account(), &buying(&parcel, "usps.ground_advantage"), 1, answer))
}

fn look_up() -> Task<'static> {
    Task::LookUp { reference: REFERENCE, prepared: None }
}

#[test]
fn a_purchase_is_denied_only_by_a_refusal_in_usps_s_own_words() {
    let code = |outcome| match outcome {
        Outcome::Rejected(error) => error.code,
        other => panic!("{other:?}"),
    };
    for (detail, expected) in [
        ("The street address was not found.", ErrorCode::AddressInvalid),
        ("ZIPCode is invalid.", ErrorCode::PostCodeInvalid),
        ("The weight is above the limit.", ErrorCode::WeightLimit),
        ("The length is above the limit.", ErrorCode::DimensionsLimit),
        ("The mailClass is not available.", ErrorCode::ServiceUnavailable),
        ("An extra service is not available.", ErrorCode::OptionUnavailable),
        ("customsForm is required.", ErrorCode::CustomsRequired),
        ("The payment account has insufficient funds.", ErrorCode::InsufficientFunds),
        ("Something else.", ErrorCode::PurchaseDeclined),
    ] {
        assert_eq!(code(bought(refused(400, "1", detail))), expected, "{detail}");
    }
    assert!(matches!(bought(Answer::Unsent("refused".to_owned())), Outcome::Unsent { .. }));
    assert!(matches!(bought(answer(401, failure(401))), Outcome::TokenRefused(_)));
    for open in [
        answer(429, failure(429)),
        answer(503, failure(503)),
        answer(408, failure(408)),
        answer(400, "<html>"),
        answer(400, "{}"),
        answer(401, ""),
        Answer::Lost("cut".to_owned()),
    ] {
        let outcome = bought(open.clone());
        assert!(matches!(outcome, Outcome::Unknown(_)), "{open:?}: {outcome:?}");
    }
}

#[test]
fn a_success_that_shows_a_number_is_a_purchase_and_any_other_is_unknown() {
    let mut bare = made();
    for name in ["postage", "labelImage"] {
        bare[name] = Value::Null;
    }
    let Outcome::Bought(receipt) = bought(ok(&bare)) else { panic!("not bought") };
    assert_eq!((receipt.charged, receipt.currency.as_str(), receipt.labels.len()), (0, "", 0));
    bare["trackingNumber"] = json!("");
    for odd in
        [bare.to_string(), "{}".to_owned(), "[]".to_owned(), "--b\n\n{}\n--b--".to_owned(), "--b".to_owned()]
    {
        assert!(matches!(bought(ok(&odd)), Outcome::Unknown(_)), "{odd}");
    }
}

#[test]
fn a_look_up_prints_the_label_again_by_the_same_key() {
    let parcel = parcel(&[]);
    let key = |request: &Request| {
        request.headers.iter().find(|(name, _)| *name == "x-idempotency-key").map(|(_, value)| value.clone())
    };
    let purchase = sent(Usps.begin(&account(), &buying(&parcel, "usps.ground_advantage")));
    let first = sent(Usps.begin(&account(), &look_up()));
    assert!(!first.is_purchase && first.url.ends_with("/labels/v3/label-reprint"), "{}", first.url);
    assert_eq!(key(&first), key(&purchase));
    let missing =
        || refused(400, "160412", "Idempotency-Key not found for a mailing date within the last 7 days");
    let second = sent(Usps.resume(&account(), &look_up(), 1, missing()));
    assert!(
        !second.is_purchase && second.url.ends_with("/international-labels/v3/international-label-reprint")
    );
    assert_eq!(key(&second), key(&purchase));
    assert_eq!(done(Usps.resume(&account(), &look_up(), 2, missing())), Outcome::Found(Vec::new()));
    let found =
        json!({"labelMetadata": made(), "labelImage": "JVBERi0xLjQ=", "reprintInfo": {"reprintNumber": 1}});
    let Outcome::Found(found) = done(Usps.resume(&account(), &look_up(), 1, ok(found))) else {
        panic!("not found")
    };
    assert_eq!((found.len(), found[0].receipt.charged, found[0].receipt.labels.len()), (1, 1265, 1));
}

#[test]
fn nothing_but_usps_s_own_answer_means_that_there_is_no_label() {
    for open in [
        refused(400, "160378", "Tracking number not found."),
        refused(400, "160979", "Canceled labels are unavailable for reprint"),
        refused(400, "160999", "The reprint limit is reached."),
        refused(500, "160412", "not found"),
        answer(404, failure(404)),
        answer(400, "<html>"),
        ok("{}"),
        ok("[]"),
        Answer::Lost("cut".to_owned()),
        Answer::Unsent("refused".to_owned()),
    ] {
        for exchange in [1, 2] {
            let step = Usps.resume(&account(), &look_up(), exchange, open.clone());
            assert!(
                !matches!(step, Step::Done(Outcome::Found(_) | Outcome::Rejected(_)) | Step::Send(_)),
                "{open:?}: {step:?}"
            );
        }
    }
    let cancelled = done(Usps.resume(&account(), &look_up(), 1, refused(400, "160979", "Canceled")));
    assert!(matches!(cancelled, Outcome::Untraceable(_)), "{cancelled:?}");
}

#[test]
fn usps_is_not_said_to_be_idempotent() {
    // Its documentation says both that a key that comes again gives the same label, and that it makes a new one.
    let can = Usps.capabilities(&account());
    assert!(!can.is_idempotent && can.can_look_up);
}
