//! Every word has the effect that the guide describes.

use std::time::Duration;

use model::shipping::shipment::options::LabelFormat;
use model::shipping::shipment::{ErrorCode, ErrorType, Source, TrackingStatus};

use super::*;
use crate::conformance::day;
use crate::sandbox::{Word, is_tracking_number};
use crate::{Label, Quotes};

fn quoted(outcome: Outcome) -> Quotes {
    match outcome {
        Outcome::Quoted(quotes) => quotes,
        other => panic!("{other:?}"),
    }
}

#[test]
fn without_a_word_all_goes_well() {
    let mut world = World::new(Mode::Idempotent);
    let quotes = quoted(world.rate("BS1 4DJ"));
    let services: Vec<_> = quotes.quotes.iter().map(|quote| quote.service.as_str()).collect();
    assert_eq!((services, quotes.errors.len()), (vec!["economy", "standard", "express"], 0));
    let receipt = bought(world.buy("BS1 4DJ"));
    assert_eq!((receipt.charged, receipt.currency.as_str()), (quotes.quotes[1].amount, "GBP"));
    assert_eq!(receipt.tracking_numbers.len(), 2);
    assert!(receipt.tracking_numbers.iter().all(|number| is_tracking_number(number)));
    assert_ne!(receipt.tracking_numbers[0], receipt.tracking_numbers[1]);
    assert_eq!(receipt.labels, [Label::Ours]);
    assert_eq!(world.found(), std::slice::from_ref(&receipt));
    assert_eq!(world.run(&Task::Void(&receipt)), Outcome::Voided);
    assert_eq!(world.run(&Task::Void(&receipt)), Outcome::Voided, "what is given back stays given back");
    assert_eq!((world.net().into_values().sum::<i64>(), world.found().len()), (0, 0));
    let Outcome::Tracked(tracked) = world.run(&Task::Track(&receipt)) else { panic!("not tracked") };
    assert_eq!(tracked.status, TrackingStatus::Cancelled);
    // A purchase after that is another one.
    let again = bought(world.buy("BS1 4DJ"));
    assert_ne!((&again.purchase, &again.tracking_numbers), (&receipt.purchase, &receipt.tracking_numbers));
}

/// The outcomes of repeated purchases, and the number of charges, in the mode in which they matter least.
#[test]
fn buying_goes_as_the_word_says() {
    let table: &[(&str, &[&str], usize)] = &[
        ("SBX-RATES-NONE", &["bought"], 1),
        ("SBX-RATES-PARTIAL", &["bought"], 1),
        ("SBX-RATE-EXPIRED", &["rejected", "rejected"], 0),
        ("SBX-ADDRESS-INVALID", &["rejected", "rejected"], 0),
        ("SBX-DECLINED", &["rejected", "rejected"], 0),
        ("SBX-FUNDS", &["rejected", "rejected"], 0),
        ("SBX-FLAKY-2", &["unsent", "unsent", "bought", "bought"], 1),
        ("SBX-429", &["unsent", "bought", "bought"], 1),
        ("SBX-SLOW-3", &["bought", "bought"], 1),
        ("SBX-SLOW-20", &["bought"], 1),
        ("SBX-LOST-BOUGHT", &["unknown", "bought"], 1),
        ("SBX-LOST-NOT", &["unknown", "bought"], 1),
        ("SBX-LOST-FOREVER", &["unknown", "unknown", "unknown"], 1),
        ("SBX-DUP", &["unknown", "bought"], 2),
        ("SBX-LABEL-LATE", &["bought"], 1),
        ("SBX-LABEL-GIF", &["bought"], 1),
        ("SBX-VOID-REJECTED", &["bought"], 1),
        ("SBX-MANIFEST-FAIL", &["bought"], 1),
        ("SBX-MANIFEST-SLOW", &["bought"], 1),
        ("SBX-TRACK-DELIVERED", &["bought"], 1),
        ("SBX-TRACK-EXCEPTION", &["bought"], 1),
        ("SBX-TRACK-RETURNED", &["bought"], 1),
    ];
    let known: Vec<_> = Word::ALL.iter().map(|(word, _, _)| *word).collect();
    assert_eq!(known, table.iter().map(|(word, _, _)| *word).collect::<Vec<_>>());
    for (word, outcomes, charges) in table {
        let mut world = World::new(Mode::Idempotent);
        let kinds: Vec<_> = outcomes.iter().map(|_| kind(&world.buy(word))).collect();
        assert_eq!((kinds.as_slice(), world.charges()), (*outcomes, *charges), "{word}");
    }
}

#[test]
fn a_word_in_the_company_does_the_same() {
    let mut details = details("BS1 4DJ");
    let contact = serde_json::from_value(json!({"company": "SBX-DECLINED"})).unwrap();
    details.addresses.destination.contact = Some(contact);
    let parcel = Parcel::new(Id::from_bits(7), &details);
    let reference = parcel.id.to_string();
    let task = Task::Buy {
        parcel: &parcel,
        service: "economy",
        reference: &reference,
        prepared: None,
        format: LabelFormat::Pdf,
        ship_on: day(),
    };
    assert_eq!(rejected(World::new(Mode::LookUp).run(&task)).code, ErrorCode::PurchaseDeclined);
}

#[test]
fn rates_may_be_missing_in_part_or_whole() {
    let mut world = World::new(Mode::Idempotent);
    let none = quoted(world.rate("SBX-RATES-NONE"));
    assert_eq!((none.quotes.len(), none.errors.len()), (0, 1));
    let some = quoted(world.rate("SBX-RATES-PARTIAL"));
    assert_eq!((some.quotes.len(), some.errors.len()), (2, 1));
    for error in none.errors.iter().chain(&some.errors) {
        assert_eq!(
            (error.r#type, error.code, error.source),
            (ErrorType::Rate, ErrorCode::RatesUnavailable, Source::Provider)
        );
    }
    let mut heavy = details("BS1 4DJ");
    heavy.packages[0].geometry.as_mut().unwrap().mass = Some(31.0);
    let heavy = Parcel::new(Id::from_bits(7), &heavy);
    let quotes = quoted(world.run(&Task::Rate(&heavy)));
    assert_eq!((quotes.quotes.len(), quotes.errors[0].code), (0, ErrorCode::WeightLimit));
    assert_eq!(quotes.errors.len(), 1, "it is said once");
}

#[test]
fn rejections_carry_their_codes_and_come_from_the_carrier() {
    for (word, code) in [
        ("SBX-ADDRESS-INVALID", ErrorCode::AddressInvalid),
        ("SBX-DECLINED", ErrorCode::PurchaseDeclined),
        ("SBX-FUNDS", ErrorCode::InsufficientFunds),
        ("SBX-RATE-EXPIRED", ErrorCode::RateExpired),
    ] {
        let error = rejected(World::new(Mode::Idempotent).buy(word));
        assert_eq!((error.r#type, error.code, error.source), (ErrorType::Purchase, code, Source::Carrier));
        assert!(error.message.ends_with('.'), "{}", error.message);
    }
}

#[test]
fn an_expired_rate_is_cured_by_rating_again_and_only_by_that() {
    let mut world = World::new(Mode::Idempotent);
    quoted(world.rate("SBX-RATE-EXPIRED"));
    assert_eq!(rejected(world.buy("SBX-RATE-EXPIRED")).code, ErrorCode::RateExpired);
    assert_eq!(rejected(world.buy("SBX-RATE-EXPIRED")).code, ErrorCode::RateExpired);
    quoted(world.rate("SBX-RATE-EXPIRED"));
    bought(world.buy("SBX-RATE-EXPIRED"));
}

#[test]
fn who_comes_too_often_is_told_when_to_come_again() {
    let mut world = World::new(Mode::Idempotent);
    let Outcome::Unsent { why, retry_after } = world.buy("SBX-429") else { panic!("not refused") };
    assert_eq!(retry_after, Some(Duration::from_secs(1)));
    assert_eq!((why.code, why.source), (ErrorCode::ProviderUnavailable, Source::Carrier));
}

#[test]
fn slow_purchases_take_their_time_and_nothing_else_does() {
    for (word, seconds) in [("SBX-SLOW-3", 3), ("SBX-SLOW-20", 20), ("BS1 4DJ", 0)] {
        let mut world = World::new(Mode::LookUp);
        bought(world.buy(word));
        assert_eq!(world.delay(), Duration::from_secs(seconds));
        assert_eq!((world.found().len(), world.delay()), (1, Duration::ZERO));
    }
}

#[test]
fn what_was_lost_is_found_or_not() {
    let found = |word: &str| {
        let mut world = World::new(Mode::LookUp);
        assert_eq!(kind(&world.buy(word)), "unknown", "{word}");
        world.look_up()
    };
    assert!(matches!(found("SBX-LOST-BOUGHT"), Outcome::Found(found) if found.len() == 1));
    assert!(matches!(found("SBX-LOST-NOT"), Outcome::Found(found) if found.is_empty()));
    assert_eq!(kind(&found("SBX-LOST-FOREVER")), "unsent");
}

#[test]
fn of_two_charges_one_can_be_voided() {
    let mut world = World::new(Mode::LookUp);
    world.buy("SBX-DUP");
    let found = world.found();
    assert_eq!(found.len(), 2);
    assert_ne!(found[0].tracking_numbers, found[1].tracking_numbers);
    assert_eq!(world.run(&Task::Void(&found[1])), Outcome::Voided);
    assert_eq!((world.found(), world.net().into_values().sum::<i64>()), (vec![found[0].clone()], 1));
}

#[test]
fn a_late_label_comes_after_five_seconds() {
    let mut world = World::new(Mode::Idempotent);
    let receipt = bought(world.buy("SBX-LABEL-LATE"));
    assert_eq!(receipt.labels, []);
    let task = Task::Label { receipt: &receipt, format: LabelFormat::Pdf };
    world.wait(4);
    assert_eq!(world.run(&task), Outcome::Labelled(Vec::new()));
    world.wait(1);
    assert_eq!(world.run(&task), Outcome::Labelled(vec![Label::Ours]));
}

#[test]
fn a_refund_may_be_rejected() {
    let mut world = World::new(Mode::Idempotent);
    let receipt = bought(world.buy("SBX-VOID-REJECTED"));
    let error = rejected(world.run(&Task::Void(&receipt)));
    assert_eq!((error.r#type, error.source), (ErrorType::Void, Source::Carrier));
    assert_eq!(world.net().into_values().sum::<i64>(), 1);
    let stranger = Receipt { purchase: "shp_x.1".to_owned(), ..receipt };
    assert_eq!(rejected(world.run(&Task::Void(&stranger))).r#type, ErrorType::Void);
}

#[test]
fn closing_out_goes_as_the_words_say() {
    let mut world = World::new(Mode::Idempotent);
    let close = |world: &mut World, reference: &str, words: &[&str]| {
        // The purchase's id contains the word that it was bought with.
        let purchases: Vec<_> =
            words.iter().map(|word| bought(World::new(Mode::LookUp).buy(word)).purchase).collect();
        world.run(&Task::Manifest {
            reference,
            named: None,
            purchases: &purchases,
            ship_on: day(),
            origin: None,
        })
    };
    let Outcome::Manifested(first) = close(&mut world, "mf_1", &["BS1 4DJ", "SBX-SLOW-3"]) else {
        panic!("not closed out")
    };
    assert_eq!(first.form, Some(Label::Ours));
    assert_eq!(close(&mut world, "mf_1", &["BS1 4DJ"]), Outcome::Manifested(first), "once is enough");
    let error = rejected(close(&mut world, "mf_2", &["BS1 4DJ", "SBX-MANIFEST-FAIL"]));
    assert_eq!((error.r#type, error.source), (ErrorType::Manifest, Source::Carrier));
    assert!(matches!(close(&mut world, "mf_3", &["SBX-MANIFEST-SLOW"]), Outcome::Manifesting(_)));
    world.wait(9);
    assert!(matches!(close(&mut world, "mf_3", &["SBX-MANIFEST-SLOW"]), Outcome::Manifesting(_)));
    world.wait(1);
    assert!(matches!(close(&mut world, "mf_3", &["SBX-MANIFEST-SLOW"]), Outcome::Manifested(_)));
    for (reference, count) in [("mf_1", 1), ("mf_2", 0), ("mf_3", 1)] {
        let Answer::Response { body, .. } =
            world.exchange("GET", &format!("/v1/manifests?reference={reference}"), b"")
        else {
            panic!("lost")
        };
        let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(body["manifests"].as_array().map(Vec::len), Some(count), "{body}");
    }
}

#[test]
fn parcels_go_the_way_that_the_word_says() {
    for (word, end) in [
        ("SBX-TRACK-DELIVERED", TrackingStatus::Delivered),
        ("SBX-TRACK-EXCEPTION", TrackingStatus::Failure),
        ("SBX-TRACK-RETURNED", TrackingStatus::ReturnToSender),
        ("BS1 4DJ", TrackingStatus::PreTransit),
    ] {
        let mut world = World::new(Mode::Idempotent);
        let receipt = bought(world.buy(word));
        let status = |world: &mut World| match world.run(&Task::Track(&receipt)) {
            Outcome::Tracked(tracked) => tracked.status,
            other => panic!("{other:?}"),
        };
        assert_eq!(status(&mut world), TrackingStatus::PreTransit);
        world.wait(30);
        assert_eq!(status(&mut world), end, "{word}");
    }
}
