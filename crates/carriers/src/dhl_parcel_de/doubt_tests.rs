//! Unknown outcomes: which of DHL's answers mean bought, and which never mean "not bought".

use serde_json::{Value, json};

use super::tests::{
    DELIVERED, NO_DATA, NUMBER, OTHER_NUMBER, PAKET, account, account_of_user, back, buying, done, failure,
    made, orders, parcel, piece, pieces, refused, sent, two_packages, valid, xml_of,
};
use super::*;
use crate::conformance::{REFERENCE, answer, ok};
use crate::{Found, Parcel};

fn bought_with(account: &Account, parcel: &Parcel, exchange: usize, answer: Answer) -> Outcome {
    done(DhlParcelDe.resume(account, &buying(parcel, PAKET), exchange, answer))
}

fn bought(answer: Answer) -> Outcome {
    bought_with(&account(), &parcel(&[]), 1, answer)
}

/// The answer to the purchase of two packages, of which each has its own status.
fn both(items: Value) -> Outcome {
    bought_with(&account(), &two_packages(), 2, answer(207, orders(items)))
}

fn look_up() -> Task<'static> {
    Task::LookUp { reference: REFERENCE, prepared: None }
}

#[test]
fn a_purchase_is_denied_only_by_a_refusal_in_dhl_s_own_words() {
    for (place, words, expected) in [
        ("shipper.city", "The city is unknown.", ErrorCode::AddressInvalid),
        ("consignee.postalCode", "It is wrong.", ErrorCode::PostCodeInvalid),
        ("details.weight", "The weight is too high.", ErrorCode::WeightLimit),
        ("details.dim.length", "It is too long.", ErrorCode::DimensionsLimit),
        ("product", "It is not known.", ErrorCode::ServiceUnavailable),
        ("services.premium", "It is not available.", ErrorCode::OptionUnavailable),
        ("customs", "It is missing.", ErrorCode::CustomsRequired),
        ("billingNumber", "It is not permitted.", ErrorCode::CredentialsInvalid),
        ("x", "Something else.", ErrorCode::PurchaseDeclined),
    ] {
        let body = json!({"status": {"title": "Bad Request", "statusCode": 400},
            "items": [{"sstatus": {"title": "Bad Request", "statusCode": 400},
                "validationMessages": [{"property": place, "validationMessage": words, "validationState": "Error"}]}]});
        match bought(answer(400, body)) {
            Outcome::Rejected(error) => assert_eq!(error.code, expected, "{place}"),
            other => panic!("{other:?}"),
        }
    }
    assert!(matches!(bought(Answer::Unsent("refused".to_owned())), Outcome::Unsent { .. }));
    assert!(matches!(bought(answer(401, failure(401))), Outcome::TokenRefused(_)));
    let with_user = bought_with(&account_of_user(), &parcel(&[]), 1, answer(401, failure(401)));
    assert!(matches!(with_user, Outcome::Rejected(error) if error.code == ErrorCode::CredentialsInvalid));
    let numbered = json!({"status": {"title": "Error", "statusCode": 400, "detail": "Validation failed."},
        "items": [{"shipmentNo": NUMBER, "validationMessages": []}]});
    let contradictory =
        json!({"status": {"title": "ok", "statusCode": 200, "detail": "All is well."}, "items": []});
    for open in [
        answer(429, failure(429)),
        answer(503, failure(503)),
        answer(408, failure(408)),
        answer(400, "<html>"),
        answer(400, "{}"),
        answer(401, ""),
        answer(400, numbered),
        answer(400, contradictory),
        Answer::Lost("cut".to_owned()),
    ] {
        let outcome = bought(open.clone());
        assert!(matches!(outcome, Outcome::Unknown(_)), "{open:?}: {outcome:?}");
    }
}

#[test]
fn a_success_that_does_not_say_it_is_unknown() {
    let with = |changes: Value| {
        let mut item = made(NUMBER);
        for (name, value) in changes.as_object().unwrap() {
            item[name] = value.clone();
        }
        bought(ok(orders(json!([item]))))
    };
    for odd in [
        json!({"shipmentNo": ""}),
        json!({"shipmentNo": "../x"}),
        json!({"sstatus": {"statusCode": 206, "title": "GeneralShipmentError"}}),
        json!({"sstatus": {"statusCode": 200, "status": 400}}),
        json!({"sstatus": {}}),
        // A single shipment that is refused has the status of a refusal: this one may be anything.
        json!({"sstatus": {"statusCode": 400}, "shipmentNo": null}),
    ] {
        let outcome = with(odd.clone());
        assert!(matches!(outcome, Outcome::Unknown(_)), "{odd}: {outcome:?}");
    }
    for odd in [json!([]), json!([made(NUMBER), made(OTHER_NUMBER)])] {
        assert!(matches!(bought(ok(orders(odd))), Outcome::Unknown(_)));
    }
    // The interface of returns has another shape.
    let back = back();
    let outcome = done(DhlParcelDe.resume(
        &account(),
        &buying(&back, "dhl_parcel_de.retoure"),
        1,
        answer(201, json!({"sstatus": {"status": 500}, "shipmentNo": "999991587211"})),
    ));
    assert!(matches!(outcome, Outcome::Unknown(_)), "{outcome:?}");
}

#[test]
fn of_several_packages_all_are_bought_or_none_or_a_person_decides() {
    assert!(matches!(both(json!([made(NUMBER), made(OTHER_NUMBER)])), Outcome::Bought(_)));
    let none = both(json!([refused("The city is unknown."), refused("The city is unknown.")]));
    assert!(matches!(none, Outcome::Rejected(_)), "{none:?}");
    let Outcome::Untraceable(error) = both(json!([made(NUMBER), refused("The city is unknown.")])) else {
        panic!("a part is neither bought nor not bought")
    };
    assert!(
        error.message.contains(NUMBER) && error.message.contains("The city is unknown."),
        "{}",
        error.message
    );
    let unclear =
        json!({"shipmentNo": OTHER_NUMBER, "sstatus": {"title": "GeneralShipmentError", "statusCode": 206}});
    assert!(matches!(both(json!([made(NUMBER), unclear])), Outcome::Untraceable(_)));
    assert!(matches!(both(json!([unclear, refused("x")])), Outcome::Unknown(_)));
    assert!(matches!(
        both(json!([made(NUMBER), made(NUMBER)])),
        Outcome::Untraceable(_) | Outcome::Unknown(_)
    ));
    assert!(matches!(both(json!([made(NUMBER)])), Outcome::Unknown(_)));
}

#[test]
fn a_dry_run_that_fails_buys_nothing() {
    let parcel = two_packages();
    let task = buying(&parcel, PAKET);
    let tried = |answer| DhlParcelDe.resume(&account(), &task, 1, answer);
    assert!(matches!(tried(answer(207, valid(2))), Step::Send(request) if request.is_purchase));
    let mut refused_one = valid(2);
    refused_one["items"][1] = refused("The city is unknown.");
    assert!(matches!(tried(answer(207, refused_one)), Step::Done(Outcome::Rejected(_))));
    for open in [
        answer(503, failure(503)),
        ok("{}"),
        ok(valid(1)),
        Answer::Lost("cut".to_owned()),
        answer(207, orders(json!([{}, {}]))),
    ] {
        let step = tried(open.clone());
        assert!(matches!(step, Step::Done(Outcome::Unsent { .. })), "{open:?}: {step:?}");
    }
}

#[test]
fn a_look_up_asks_the_tracking_for_each_number_of_packages() {
    let mut step = DhlParcelDe.begin(&account(), &look_up());
    let mut asked = Vec::new();
    let outcome = loop {
        match step {
            Step::Send(request) => {
                assert!(!request.is_purchase);
                let xml = xml_of(&request);
                let reference =
                    xml.split("piece-customer-reference=\"").nth(1).unwrap().split('"').next().unwrap();
                asked.push(reference.to_owned());
                step = DhlParcelDe.resume(&account(), &look_up(), asked.len(), ok(NO_DATA));
            }
            Step::Done(outcome) => break outcome,
        }
    };
    let expected: Vec<String> = (1..=6)
        .map(|count| if count == 1 { REFERENCE.to_owned() } else { format!("{REFERENCE}-{count}") })
        .collect();
    assert_eq!(asked, expected);
    assert!(matches!(outcome, Outcome::Unsent { .. }), "that nothing is shown proves nothing: {outcome:?}");
}

#[test]
fn what_is_found_under_the_reference_was_bought() {
    let looked = |exchange, body: String| DhlParcelDe.resume(&account(), &look_up(), exchange, ok(body));
    let numbers = |outcome| match outcome {
        Outcome::Found(found) => {
            found.into_iter().map(|Found { receipt }| receipt.tracking_numbers).collect::<Vec<_>>()
        }
        other => panic!("{other:?}"),
    };
    let one = |number| piece(number, REFERENCE, DELIVERED);
    assert_eq!(numbers(done(looked(1, pieces(&[one(NUMBER)])))), [[NUMBER]]);
    let searched = format!("searched-ref-no=\"{REFERENCE}\" {DELIVERED}");
    assert_eq!(numbers(done(looked(1, pieces(&[piece(NUMBER, "", &searched)])))), [[NUMBER]]);
    // Two purchases of one package each: the service keeps the first, and voids the other.
    assert_eq!(
        numbers(done(looked(1, pieces(&[one(NUMBER), one(OTHER_NUMBER)])))),
        [[NUMBER], [OTHER_NUMBER]]
    );
    let of_two = |number| piece(number, &format!("{REFERENCE}-2"), DELIVERED);
    assert_eq!(
        numbers(done(looked(2, pieces(&[of_two(OTHER_NUMBER), of_two(NUMBER)])))),
        [[NUMBER, OTHER_NUMBER]]
    );
    assert!(
        matches!(looked(2, pieces(&[of_two(NUMBER)])), Step::Send(_)),
        "the other package is not shown yet"
    );
    let three = [of_two(NUMBER), of_two(OTHER_NUMBER), of_two("00340434161094015926")];
    assert!(matches!(done(looked(2, pieces(&three))), Outcome::Untraceable(_)));
}

#[test]
fn nothing_that_dhl_s_tracking_says_means_that_there_is_no_label() {
    let login = "<data name=\"piece-shipment-list\" code=\"5\" error=\"Login failed\"/>";
    let broken = "<data name=\"piece-shipment-list\" code=\"45\" error=\"No number\"/>";
    for exchange in 1..=6 {
        for open in [
            ok(NO_DATA),
            ok(login),
            ok(broken),
            ok("<data/>"),
            ok("<data name=\"piece-shipment-list\" code=\"0\"/>"),
            ok(""),
            answer(404, failure(404)),
            answer(400, "<html>"),
            answer(500, NO_DATA),
            Answer::Lost("cut".to_owned()),
            Answer::Unsent("refused".to_owned()),
        ] {
            let step = DhlParcelDe.resume(&account(), &look_up(), exchange, open.clone());
            let is_denial = match &step {
                Step::Done(Outcome::Found(found)) => found.is_empty(),
                Step::Done(Outcome::Rejected(error)) => error.code != ErrorCode::CredentialsInvalid,
                _ => false,
            };
            assert!(!is_denial, "{open:?}: {step:?}");
        }
    }
    let cancelled = pieces(&[piece(NUMBER, REFERENCE, "ice=\"CANCL\" standard-event-code=\"BV\"")]);
    let foreign = pieces(&[piece(NUMBER, "another", DELIVERED)]);
    for odd in [cancelled, foreign] {
        let outcome = done(DhlParcelDe.resume(&account(), &look_up(), 1, ok(odd)));
        assert!(matches!(outcome, Outcome::Untraceable(_)), "{outcome:?}");
    }
}

#[test]
fn an_account_that_may_not_track_can_t_look_up() {
    let can = DhlParcelDe.capabilities(&account_of_user());
    assert!(!can.is_idempotent && !can.can_look_up, "a purchase whose outcome is unknown needs review");
    assert!(
        matches!(DhlParcelDe.begin(&account_of_user(), &look_up()), Step::Done(Outcome::Rejected(error)) if error.code == ErrorCode::CredentialsInvalid)
    );
    assert!(DhlParcelDe.capabilities(&account()).can_look_up);
    let _ = sent(DhlParcelDe.begin(&account(), &look_up()));
}
