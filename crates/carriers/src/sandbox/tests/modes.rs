//! The guarantees of the three modes, for any requests in any order; and the meaning of answers that do not come from
//! the sandbox.

use bytes::Bytes;
use model::shipping::shipment::options::LabelFormat;
use model::shipping::shipment::{ErrorCode, ErrorType};
use proptest::prelude::*;

use super::*;
use crate::conformance::day;
use crate::sandbox::Word;
use crate::sandbox::desk::{Fault, Faults};

#[test]
fn a_repeated_purchase_is_made_once_or_again_as_the_mode_says() {
    for (mode, charges) in [(Mode::Idempotent, 1), (Mode::LookUp, 3), (Mode::Neither, 3)] {
        let mut world = World::new(mode);
        let receipts: Vec<_> = (0..3).map(|_| bought(world.buy("BS1 4DJ"))).collect();
        assert_eq!(world.charges(), charges, "{mode:?}");
        assert_eq!(receipts[0] == receipts[2], charges == 1);
        match mode {
            Mode::Neither => {
                let Outcome::Rejected(error) = world.look_up() else { panic!("looked up") };
                assert_eq!(error.code, ErrorCode::ServiceUnavailable);
            }
            _ => assert_eq!(world.found().len(), charges),
        }
    }
}

#[test]
fn a_purchase_may_stay_invisible_for_a_while() {
    let mut world = World::new(Mode::LookUp);
    world.desk.visibility_delay = Duration::from_secs(2);
    let receipt = bought(world.buy("BS1 4DJ"));
    assert_eq!(world.found(), []);
    world.wait(2);
    assert_eq!(world.found(), [receipt]);
}

#[test]
fn other_references_of_a_shipment_are_other_purchases() {
    let mut world = World::new(Mode::Idempotent);
    let parcel = parcel("SBX-LOST-NOT");
    for place in 0..2 {
        let reference = format!("{}.{place}", parcel.id);
        let task = Task::Buy {
            parcel: &parcel,
            service: "standard",
            reference: &reference,
            prepared: None,
            format: LabelFormat::Pdf,
            ship_on: day(),
        };
        assert_eq!(kind(&world.run(&task)), "unknown");
        let receipt = bought(world.run(&task));
        assert_eq!(bought(world.run(&task)), receipt);
    }
    assert_eq!(world.net().into_values().collect::<Vec<_>>(), [1, 1]);
}

#[test]
fn answers_that_are_not_the_carrier_s_leave_a_purchase_unknown() {
    let parcel = parcel("BS1 4DJ");
    let reference = parcel.id.to_string();
    let buying = Task::Buy {
        parcel: &parcel,
        service: "standard",
        reference: &reference,
        prepared: None,
        format: LabelFormat::Pdf,
        ship_on: day(),
    };
    let account = World::new(Mode::Idempotent).account();
    let outcome = |task: &Task<'_>, status: u16, body: &str| {
        let body = Bytes::from(body.to_owned());
        match Sandbox.resume(&account, task, 1, Answer::Response { status, retry_after: None, body }) {
            Step::Done(outcome) => kind(&outcome),
            Step::Send(request) => panic!("{request:?}"),
        }
    };
    let said = |charged: &str| format!(r#"{{"error":{{"code":"unavailable","message":"No."{charged}}}}}"#);
    let other = r#"{"purchase":"x.1","reference":"x","service":"standard","amount":1,"currency":"GBP","tracking_numbers":[],"status":"charged","label":"ours"}"#;
    let voided = other.replace(r#""x""#, &format!("{reference:?}")).replace(r#""charged""#, r#""voided""#);
    for (status, body, buys, rates) in [
        (200, "<html>", "unknown", "unsent"),
        (200, other, "unknown", "unsent"),
        (200, &voided, "unknown", "unsent"),
        (404, "<html>", "unknown", "unsent"),
        (500, &said(""), "unknown", "unsent"),
        (503, &said(""), "unknown", "unsent"),
        (429, &said(""), "unknown", "unsent"),
        (503, &said(r#","charged":true"#), "unknown", "unsent"),
        (503, &said(r#","charged":false"#), "unsent", "unsent"),
        (429, &said(r#","charged":false"#), "unsent", "unsent"),
        (422, &said(""), "rejected", "rejected"),
        (422, &said(r#","charged":false"#), "rejected", "rejected"),
        (422, &said(r#","charged":true"#), "unknown", "rejected"),
        (302, &said(""), "unknown", "rejected"),
    ] {
        assert_eq!(outcome(&buying, status, body), buys, "{status} {body}");
        assert_eq!(outcome(&Task::Rate(&parcel), status, body), rates, "{status} {body}");
    }
    let unsent = Sandbox.resume(&account, &buying, 1, Answer::Unsent("refused".to_owned()));
    assert!(matches!(unsent, Step::Done(Outcome::Unsent { .. })));
}

#[test]
fn an_account_that_makes_no_sense_is_refused_before_anything_is_sent() {
    let parcel = parcel("BS1 4DJ");
    let mut account = World::new(Mode::Idempotent).account();
    assert_eq!(Sandbox.check(&account), Ok(()));
    account.configuration.insert("mode".to_owned(), json!("both"));
    assert!(Sandbox.check(&account).is_err());
    let Step::Done(outcome) = Sandbox.begin(&account, &Task::Rate(&parcel)) else { panic!("sent") };
    let error = rejected(outcome);
    assert_eq!((error.code, error.r#type), (ErrorCode::CredentialsInvalid, ErrorType::Rate));
    account.configuration = json!({"url": "http://127.0.0.1:4010/"}).as_object().cloned().unwrap();
    let Step::Send(request) = Sandbox.begin(&account, &Task::Rate(&parcel)) else { panic!("not sent") };
    assert_eq!(request.url, "http://127.0.0.1:4010/v1/rates");
}

/// An action of a client, with one of three shipments.
#[derive(Clone, Debug)]
enum Deed {
    Rate,
    Buy,
    LookUp,
    /// Voids the purchase with this number, if there is one.
    Void(usize),
    Track(usize),
    Wait(i64),
}

fn deeds() -> impl Strategy<Value = Vec<(usize, Deed)>> {
    let deed = prop_oneof![
        1 => Just(Deed::Rate),
        4 => Just(Deed::Buy),
        2 => Just(Deed::LookUp),
        1 => (0usize..4).prop_map(Deed::Void),
        1 => (0usize..4).prop_map(Deed::Track),
        1 => (0i64..12).prop_map(Deed::Wait),
    ];
    proptest::collection::vec((0usize..3, deed), 1..40)
}

fn faults(likely: &[f64]) -> Faults {
    let known = Fault::ALL.iter().filter(|(_, fault, _)| *fault != Fault::Doubled);
    known.zip(likely).fold(Faults::default(), |faults, ((_, fault, _), likely)| faults.with(*fault, *likely))
}

fn perform(world: &mut World, place: usize, word: &str, deed: &Deed) {
    let mut parcel = parcel(word);
    parcel.id = Id::from_bits(place as u128);
    let reference = parcel.id.to_string();
    let receipt = |number: usize| {
        let number = number + 1;
        let suffix = if word.starts_with("SBX") { format!(".{word}") } else { String::new() };
        Receipt {
            purchase: format!("{reference}.{number}{suffix}"),
            tracking_numbers: Vec::new(),
            charged: 0,
            currency: String::new(),
            labels: Vec::new(),
        }
    };
    match deed {
        Deed::Rate => drop(world.run(&Task::Rate(&parcel))),
        Deed::Buy => drop(world.run(&Task::Buy {
            parcel: &parcel,
            service: "express",
            reference: &reference,
            prepared: None,
            format: LabelFormat::Pdf,
            ship_on: day(),
        })),
        Deed::LookUp => drop(world.run(&Task::LookUp { reference: &reference, prepared: None })),
        Deed::Void(number) => drop(world.run(&Task::Void(&receipt(*number)))),
        Deed::Track(number) => drop(world.run(&Task::Track(&receipt(*number)))),
        Deed::Wait(seconds) => world.wait(*seconds),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn an_idempotent_carrier_charges_a_reference_at_most_once(
        deeds in deeds(),
        words in proptest::collection::vec(0usize..Word::ALL.len() + 3, 3),
        likely in proptest::collection::vec(0.0f64..0.5, 7),
        seed: u64,
    ) {
        let mut world = World::new(Mode::Idempotent);
        world.desk = Desk { faults: faults(&likely), seed, ..world.desk };
        for (place, deed) in &deeds {
            let word = Word::ALL.get(words[*place]).map_or("BS1 4DJ", |(word, _, _)| *word);
            // This word charges twice on purpose.
            let word = if word == "SBX-DUP" { "SBX-LOST-BOUGHT" } else { word };
            perform(&mut world, *place, word, deed);
            prop_assert!(world.net().into_values().all(|net| net == 0 || net == 1), "{:?}", world.net());
        }
    }

    /// In every mode: a purchase that is rejected or never sent was not charged, one that is bought was, and the same
    /// run repeats.
    #[test]
    fn what_the_carrier_says_of_money_is_true(
        mode in 0usize..3,
        word in 0usize..Word::ALL.len(),
        likely in proptest::collection::vec(0.0f64..0.5, 7),
        seed: u64,
    ) {
        let (word, _, _) = Word::ALL[word];
        let run = || {
            let mut world = World::new(Mode::ALL[mode]);
            world.desk = Desk { faults: faults(&likely), seed, ..world.desk };
            for _ in 0..6 {
                let before = world.charges();
                let outcome = world.buy(word);
                let charged = world.charges() - before;
                match kind(&outcome) {
                    "rejected" | "unsent" => assert_eq!(charged, 0, "{word} {outcome:?}"),
                    "bought" if mode > 0 => assert_eq!(charged, 1, "{word}"),
                    "bought" => assert!(world.charges() > 0, "{word}"),
                    kind => assert_eq!(kind, "unknown"),
                }
            }
            world.ledger
        };
        prop_assert_eq!(run(), run());
    }

    #[test]
    fn a_ledger_that_is_written_and_read_is_the_same(deeds in deeds(), word in 0usize..Word::ALL.len()) {
        let mut world = World::new(Mode::LookUp);
        for (place, deed) in &deeds {
            perform(&mut world, *place, Word::ALL[word].0, deed);
        }
        let lines: Vec<String> = world.ledger.iter().map(|entry| serde_json::to_string(entry).unwrap()).collect();
        let read: Vec<Entry> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        prop_assert_eq!(read, world.ledger);
    }
}
