//! Single decisions; `machine_tests.rs` has what holds for sequences of them.

use ::carriers::Found;

use super::*;

fn can(is_idempotent: bool, can_look_up: bool) -> Capabilities {
    Capabilities {
        is_idempotent,
        can_look_up,
        can_void: true,
        can_manifest: false,
        can_track: true,
        label_formats: &[],
        packages_max: 99,
        visibility_delay: Duration::from_secs(5),
    }
}

fn facts(is_idempotent: bool, can_look_up: bool) -> Facts {
    let now = Timestamp::from_micros(1_793_523_600_000_000);
    Facts {
        can: can(is_idempotent, can_look_up),
        now,
        failures: 0,
        unknown_at: None,
        review_seconds: 100,
        settle_seconds: 0,
    }
}

fn receipt(name: &str) -> Receipt {
    Receipt {
        purchase: name.to_owned(),
        tracking_numbers: vec!["1".to_owned()],
        charged: 1,
        currency: "GBP".to_owned(),
        labels: Vec::new(),
    }
}

fn silence() -> Outcome {
    Outcome::Unknown(puzzled())
}

#[test]
fn silence_is_looked_up_or_repeated_or_a_person_s_to_solve() {
    assert!(matches!(facts(true, true).after_buying(silence()), Next::Check { .. }));
    assert!(matches!(facts(false, true).after_buying(silence()), Next::Check { .. }));
    assert!(matches!(facts(true, false).after_buying(silence()), Next::Again { .. }));
    assert!(matches!(facts(false, false).after_buying(silence()), Next::Review(_)));
}

#[test]
fn what_may_be_bought_and_can_t_be_asked_for_is_repeated_or_a_person_s_to_solve() {
    assert!(matches!(facts(true, false).unasked(), Next::Again { .. }));
    assert!(matches!(facts(false, false).unasked(), Next::Review(_)));
}

#[test]
fn what_is_not_found_is_bought_again_only_once_that_is_certain() {
    let mut facts = facts(false, true);
    let gone = facts.now.plus_seconds(-2);
    facts.unknown_at = Some(gone);
    let certain = gone.plus_seconds(5);
    let next = facts.after_look_up(Outcome::Found(Vec::new()));
    assert_eq!(next, Next::Check { due_at: certain, unknown_at: gone, error: None });
    facts.now = certain;
    assert!(matches!(facts.after_look_up(Outcome::Found(Vec::new())), Next::Again { .. }));
    let facts = Facts { settle_seconds: 30, ..facts };
    let next = facts.after_look_up(Outcome::Found(Vec::new()));
    assert!(matches!(next, Next::Check { due_at, .. } if due_at == certain.plus_seconds(30)), "{next:?}");
}

#[test]
fn after_a_crash_the_last_byte_may_have_left_at_the_end_of_the_call() {
    let facts = facts(false, true);
    let gone_at = facts.now.plus_seconds(20);
    let next = facts.after_crash(gone_at);
    assert!(matches!(next, Next::Check { unknown_at, .. } if unknown_at == gone_at), "{next:?}");
    assert!(matches!(Facts { failures: 7, ..facts }.after_crash(gone_at), Next::Review(_)));
}

#[test]
fn of_several_purchases_one_is_kept() {
    let found = vec![Found { receipt: receipt("a") }, Found { receipt: receipt("b") }];
    let next = facts(false, true).after_look_up(Outcome::Found(found));
    assert_eq!(next, Next::Bought { receipt: receipt("a"), duplicates: vec![receipt("b")] });
}

#[test]
fn a_look_up_that_fails_for_too_long_is_a_person_s_to_solve() {
    let mut facts = facts(true, true);
    facts.unknown_at = Some(facts.now.plus_seconds(-99));
    assert!(matches!(facts.after_look_up(silence()), Next::Check { .. }));
    facts.unknown_at = Some(facts.now.plus_seconds(-100));
    assert!(matches!(facts.after_look_up(silence()), Next::Review(_)));
}

/// What was asked of the carrier, or why it was not.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Call {
    Prepare,
    Buy,
    LookUp,
    /// The server that asked has stopped.
    Crash,
    /// The carrier can't be asked.
    Unasked,
}

const CALLS: [Call; 5] = [Call::Prepare, Call::Buy, Call::LookUp, Call::Crash, Call::Unasked];

/// The classes of outcomes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Class {
    Bought,
    Found,
    Absent,
    Rejected(Source, ErrorCode),
    Unsent,
    Unknown,
    Untraceable,
    /// An answer to another question.
    Odd,
}

const CLASSES: [Class; 11] = [
    Class::Bought,
    Class::Found,
    Class::Absent,
    Class::Rejected(Source::Carrier, ErrorCode::InsufficientFunds),
    Class::Rejected(Source::Carrier, ErrorCode::CredentialsInvalid),
    Class::Rejected(Source::Provider, ErrorCode::PurchaseDeclined),
    Class::Rejected(Source::Service, ErrorCode::AddressInvalid),
    Class::Unsent,
    Class::Unknown,
    Class::Untraceable,
    Class::Odd,
];

fn outcome(class: Class) -> Outcome {
    match class {
        Class::Bought => Outcome::Bought(receipt("a")),
        Class::Found => Outcome::Found(vec![Found { receipt: receipt("a") }]),
        Class::Absent => Outcome::Found(Vec::new()),
        Class::Rejected(source, code) => {
            Outcome::Rejected(ShipmentError::new(ErrorType::Purchase, code, source, "No."))
        }
        Class::Unsent => Outcome::Unsent { why: puzzled(), retry_after: Some(Duration::from_secs(u64::MAX)) },
        Class::Unknown => silence(),
        Class::Untraceable => Outcome::Untraceable(puzzled()),
        Class::Odd => Outcome::Voided,
    }
}

/// What is known of a charge after a call.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Charge {
    Exists,
    MayExist,
    /// Nothing was charged, and nothing that was sent can be charged any more.
    Impossible,
}

/// The table: what is known of a charge after each call and each class of outcome. `is_in_doubt` tells whether an earlier
/// attempt may have been charged, and `is_late` whether everything that was sent must be visible to a look-up.
fn charge(call: Call, class: Class, is_in_doubt: bool, is_late: bool) -> Charge {
    let as_before = if is_in_doubt { Charge::MayExist } else { Charge::Impossible };
    match (call, class) {
        (Call::Crash | Call::Unasked, _) => Charge::MayExist,
        (Call::Buy, Class::Bought | Class::Found) | (Call::LookUp, Class::Found) => Charge::Exists,
        // What was asked for was provably not done. That says nothing of earlier attempts.
        (Call::Buy, Class::Rejected(..) | Class::Unsent) => as_before,
        (Call::Buy, _) => Charge::MayExist,
        // Preparing costs nothing.
        (Call::Prepare, _) => as_before,
        (Call::LookUp, Class::Absent) if is_late => Charge::Impossible,
        (Call::LookUp, _) => Charge::MayExist,
    }
}

fn decide(facts: &Facts, call: Call, class: Class) -> Next {
    match call {
        Call::Buy => facts.after_buying(outcome(class)),
        Call::Prepare => facts.after_preparing(outcome(class)),
        Call::LookUp => facts.after_look_up(outcome(class)),
        Call::Crash => facts.after_crash(facts.now),
        Call::Unasked => facts.unasked(),
    }
}

/// Checks one cell of the table against the decision.
fn check(facts: &Facts, call: Call, class: Class) {
    let certain_at = facts.unknown_at.unwrap_or(facts.now).plus_seconds(5 + facts.settle_seconds);
    let charge = charge(call, class, facts.unknown_at.is_some(), facts.now >= certain_at);
    let next = decide(facts, call, class);
    let cell = format!("{call:?}, {class:?}, {} failures, {:?}: {next:?}", facts.failures, facts.unknown_at);
    match (charge, &next) {
        (Charge::Exists, next) => assert!(matches!(next, Next::Bought { .. }), "{cell}"),
        (Charge::MayExist, Next::Check { .. } | Next::Review(_)) => {}
        // The carrier makes the same purchase once, and the doubt stays.
        (Charge::MayExist, Next::Again { unknown_at, .. }) => {
            assert!(facts.can.is_idempotent && !facts.can.can_look_up && unknown_at.is_some(), "{cell}");
        }
        (Charge::MayExist, _) => panic!("a charge may exist. {cell}"),
        (Charge::Impossible, Next::Again { unknown_at, .. }) => assert!(unknown_at.is_none(), "{cell}"),
        (Charge::Impossible, next) => assert!(matches!(next, Next::Failed(_)), "{cell}"),
    }
}

#[test]
fn what_may_be_charged_never_fails_without_a_look_up_that_finds_nothing() {
    let ages = [None, Some(0), Some(1), Some(34), Some(35), Some(99), Some(100), Some(100_000)];
    for (is_idempotent, can_look_up) in [(false, false), (false, true), (true, false), (true, true)] {
        for (failures, age, settle_seconds) in (0..20)
            .flat_map(|count| ages.iter().flat_map(move |age| [0, 30].map(|settle| (count, *age, settle))))
        {
            let facts = facts(is_idempotent, can_look_up);
            let unknown_at = age.map(|age| facts.now.plus_seconds(-age));
            let facts = Facts { failures, unknown_at, settle_seconds, ..facts };
            for (call, class) in
                CALLS.iter().flat_map(|call| CLASSES.iter().map(move |class| (*call, *class)))
            {
                check(&facts, call, class);
            }
        }
    }
}

#[test]
fn a_look_up_waits_for_as_long_as_the_carrier_asks_but_not_beyond_the_review() {
    let facts = Facts { unknown_at: Some(facts(false, true).now), ..facts(false, true) };
    let limited =
        |seconds| Outcome::Unsent { why: puzzled(), retry_after: Some(Duration::from_secs(seconds)) };
    assert_eq!(facts.after_look_up(limited(40)).due_at(), Some(facts.now.plus_seconds(40)));
    assert_eq!(facts.after_look_up(limited(4_000)).due_at(), Some(facts.now.plus_seconds(100)));
}

#[test]
fn look_ups_rest_for_seconds_in_the_first_minutes_and_for_an_hour_after_a_day() {
    let day = 24 * 3600;
    let rest = |failures, unknown_seconds: i64| {
        let facts = Facts { failures, review_seconds: 2 * day, ..facts(false, true) };
        let facts = Facts { unknown_at: Some(facts.now.plus_seconds(-unknown_seconds)), ..facts };
        let due_at = facts.after_look_up(silence()).due_at().expect("another look-up");
        (due_at.as_micros() - facts.now.as_micros()) / 1_000_000
    };
    let first: Vec<_> = (0..6).map(|failures| rest(failures, 0)).collect();
    assert_eq!(first, [1, 2, 4, 8, 15, 15]);
    assert_eq!([rest(40, 60), rest(40, 3_600), rest(40, day)], [15, 900, BACKOFF_SECONDS_MAX]);
    assert_eq!(rest(0, -20), 1, "what a server that died has sent may be on its way for some seconds");
}

#[test]
fn what_was_prepared_earlier_is_prepared_anew_only_if_it_was_not_bought() {
    let facts = facts(false, true);
    assert_eq!(facts.after_earlier_look_up(Outcome::Found(Vec::new())), None);
    let found = Outcome::Found(vec![Found { receipt: receipt("1") }]);
    assert!(matches!(facts.after_earlier_look_up(found), Some(Next::Review(_))));
    assert!(matches!(facts.after_earlier_look_up(Outcome::Untraceable(puzzled())), Some(Next::Review(_))));
    assert_eq!(facts.after_earlier_look_up(Outcome::Rejected(puzzled())), None);
    let code = ErrorCode::CredentialsInvalid;
    let locked_out = ShipmentError::new(ErrorType::Purchase, code, Source::Carrier, "The key is revoked.");
    assert!(matches!(facts.after_earlier_look_up(Outcome::Rejected(locked_out)), Some(Next::Failed(_))));
    for outcome in [silence(), Outcome::Unsent { why: puzzled(), retry_after: None }] {
        assert!(matches!(facts.after_earlier_look_up(outcome), Some(Next::Again { .. })));
    }
}

#[test]
fn without_an_account_only_what_was_never_sent_fails() {
    let now = Timestamp::from_micros(0);
    let next = |state, unknown_at| given_up(state, unknown_at, puzzled()).map(|next| next.as_str());
    assert_eq!(next(State::Ready, None), Some("failed"));
    for (state, unknown_at) in
        [(State::Ready, Some(now)), (State::Calling, None), (State::Checking, Some(now))]
    {
        assert_eq!(next(state, unknown_at), Some("needs_review"), "{state:?}");
    }
    for state in [State::Bought, State::Voiding, State::Voided, State::Failed, State::Review] {
        assert_eq!(next(state, None), None, "{state:?}");
    }
}
