//! What an answer may mean: a purchase is denied only on proof, and nothing is done that no answer says was done.

use model::shipping::shipment::ShipmentError;

use super::answers::{Bad, failures, large, spoilt};
use super::play::{Played, play_replaced};
use super::{Conformance, samples};
use crate::{Answer, Outcome, Task};

/// Answers that a look-up may take for "nothing was bought".
const ABSENT: [&str; 2] = ["404 in the carrier's words", "a success of an empty list"];

/// Whether an outcome lets the purchase fail, or be sent again, without a look-up.
fn denies_a_charge(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Bought(_) | Outcome::Unknown(_) | Outcome::Untraceable(_) => false,
        Outcome::Found(found) => found.is_empty(),
        _ => true,
    }
}

fn is_success(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Quoted(quotes) => !quotes.quotes.is_empty() || quotes.errors.is_empty(),
        Outcome::Found(found) => !found.is_empty(),
        Outcome::Labelled(labels) => labels.iter().any(|label| *label != crate::Label::Later),
        Outcome::Prepared(_)
        | Outcome::Bought(_)
        | Outcome::Voided
        | Outcome::Voiding
        | Outcome::Tracked(_)
        | Outcome::Manifested(_)
        | Outcome::Manifesting(_) => true,
        Outcome::Rejected(_)
        | Outcome::Unsent { .. }
        | Outcome::TokenRefused(_)
        | Outcome::Unknown(_)
        | Outcome::Untraceable(_) => false,
    }
}

fn error_of(outcome: &Outcome) -> Option<&ShipmentError> {
    match outcome {
        Outcome::Rejected(error)
        | Outcome::Unsent { why: error, .. }
        | Outcome::TokenRefused(error)
        | Outcome::Unknown(error)
        | Outcome::Untraceable(error) => Some(error),
        _ => None,
    }
}

/// Whether a bad answer still says that the task was done, if it was made of a good one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// It says nothing of it.
    Failure,
    /// A good answer that was changed.
    Spoilt,
}

/// Checks the outcome of a task in which the answer to exchange `place` was a bad one.
fn check(of: &Conformance, task: &Task<'_>, place: usize, bad: &Bad, kind: Kind, played: &Played) {
    let Played { sent, outcome } = played;
    let what = format!("{}: {} with {} in exchange {place}: {outcome:?}", of.name(), task.as_str(), bad.what);
    let is_last = sent.len() == place;
    let is_cut = bad.what.starts_with("cut after") || bad.what == "twice in one body";
    if let Some(error) = error_of(outcome) {
        assert!(!error.message.trim().is_empty(), "no reason is given. {what}");
    }
    assert!(!of.secrets().iter().any(|secret| what.contains(secret)), "a secret is shown. {what}");
    if matches!(task, Task::Buy { .. }) {
        return check_purchase(of, place, bad, kind, played, &what);
    }
    assert_eq!(played.purchases(), 0, "only a purchase may cost money. {what}");
    if !is_last {
        return;
    }
    let is_odd_success = matches!(bad.answer, Answer::Response { status: 200..=299, .. });
    let is_voided = matches!(task, Task::Void(_)) && is_odd_success;
    if (kind == Kind::Failure || is_cut) && !is_voided {
        assert!(!is_success(outcome), "no answer says so. {what}");
    }
    if let Outcome::Found(found) = outcome
        && found.is_empty()
        && (kind == Kind::Failure || is_cut)
    {
        assert!(ABSENT.contains(&bad.what.as_str()), "it is no proof that nothing was bought. {what}");
    }
}

fn check_purchase(of: &Conformance, place: usize, bad: &Bad, kind: Kind, played: &Played, what: &str) {
    let Played { sent, outcome } = played;
    assert!(played.purchases() <= 1, "it is bought twice. {what}");
    let is_last = sent.len() == place;
    let is_answer_to_purchase = is_last && sent.last().is_some_and(|request| request.is_purchase);
    let is_cut = bad.what.starts_with("cut after") || bad.what == "twice in one body";
    if is_last && (kind == Kind::Failure || is_cut) {
        assert!(!matches!(outcome, Outcome::Bought(_)), "no answer says that it was bought. {what}");
    }
    if played.purchases() == 0 {
        return;
    }
    let may_refuse_token = bad.may_refuse_token && of.connector.access_tokens().is_some();
    let is_proof = is_answer_to_purchase && bad.proves_no_charge;
    match outcome {
        Outcome::TokenRefused(_) if may_refuse_token && is_answer_to_purchase => {}
        outcome if denies_a_charge(outcome) => assert!(is_proof, "that is no proof. {what}"),
        _ => assert!(!is_proof, "the answer is said to prove that nothing was charged. {what}"),
    }
}

/// Tries bad answers in the place of each good one.
fn try_all(of: &Conformance, bad: impl Fn(&Answer) -> Vec<Bad>, kind: Kind) -> usize {
    let purchases = [of.receipt.purchase.clone()];
    let mut count = 0;
    for (_, task, good) in of.tasks(&purchases) {
        for place in 1..=good.len() {
            for bad in bad(&good[place - 1]) {
                let played = play_replaced(of, &task, good, place, &bad.answer);
                // An earlier answer may have ended the task.
                if played.sent.len() >= place {
                    check(of, &task, place, &bad, kind, &played);
                    count += 1;
                }
            }
        }
    }
    count
}

#[test]
fn failures_of_every_class_have_an_outcome_and_only_proof_denies_a_charge() {
    for of in samples() {
        let count = try_all(&of, |_| failures(&of), Kind::Failure);
        println!("{}: {count} failures", of.name());
    }
}

#[test]
fn answers_that_are_cut_or_changed_have_an_outcome_and_deny_no_charge() {
    for of in samples() {
        let count = try_all(&of, spoilt, Kind::Spoilt);
        println!("{}: {count} answers", of.name());
    }
}

#[test]
fn answers_of_ten_megabytes_have_an_outcome_and_deny_no_charge() {
    for of in samples() {
        try_all(&of, large, Kind::Spoilt);
    }
}

#[test]
fn an_answer_that_comes_again_buys_nothing_again() {
    for of in samples() {
        let purchases = [of.receipt.purchase.clone()];
        for (_, task, good) in of.tasks(&purchases) {
            for place in 2..=good.len() {
                let again = Bad::again(&good[place - 2]);
                let played = play_replaced(&of, &task, good, place, &again.answer);
                if played.sent.len() >= place {
                    check(&of, &task, place, &again, Kind::Spoilt, &played);
                }
            }
        }
    }
}
