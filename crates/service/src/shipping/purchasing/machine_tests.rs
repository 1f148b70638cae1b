//! The state machine as a whole, driven by its pure functions alone: whatever carriers answer and whenever servers stop,
//! a purchase has a next step, and a doubt ends in time.

use std::time::Duration;

use ::carriers::{Capabilities, Found, Outcome, Receipt};
use model::shipping::purchase::State;
use model::shipping::shipment::{ErrorCode, ErrorType, ShipmentError, Source};
use model::{Id, Owner, Timestamp, World};
use proptest::prelude::*;
use store::shipping::purchases::Purchase;

use super::next::{Decision, FAILURES_MAX, Facts, Next};
use super::settle::{change, mark_bought};
use super::void::after_void;
use crate::platform::backoff::BACKOFF_SECONDS_MAX;

const CALL_SECONDS: i64 = 30;
/// How long a claim outlives the server that held it.
const DEAD_SECONDS: i64 = 10;

/// Turns within which a purchase is over, if one in sixty is completed.
const TURNS_MAX: usize = 20_000;

/// What happens in one turn.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Happening {
    Bought,
    Found,
    Absent,
    Rejected,
    Unsent,
    Unknown,
    /// An answer to another question.
    Odd,
    /// The server stops before the answer arrives.
    Stop,
}

use Happening::{Absent, Bought, Found as FoundOne, Odd, Rejected, Stop, Unknown, Unsent};

fn happenings() -> impl Strategy<Value = Vec<Happening>> {
    let one = prop_oneof![
        1 => Just(Bought),
        1 => Just(FoundOne),
        4 => Just(Absent),
        1 => Just(Rejected),
        6 => Just(Unsent),
        6 => Just(Unknown),
        2 => Just(Odd),
        3 => Just(Stop),
    ];
    prop::collection::vec(one, 1..60)
}

fn error() -> ShipmentError {
    ShipmentError::new(ErrorType::Purchase, ErrorCode::ProviderTimeout, Source::Carrier, "No.")
}

fn receipt() -> Receipt {
    Receipt {
        purchase: "a".to_owned(),
        tracking_numbers: vec!["1".to_owned()],
        charged: 1,
        currency: "GBP".to_owned(),
        labels: Vec::new(),
    }
}

fn outcome(happening: Happening) -> Outcome {
    match happening {
        Bought => Outcome::Bought(receipt()),
        FoundOne => Outcome::Found(vec![Found { receipt: receipt() }]),
        Absent => Outcome::Found(Vec::new()),
        Rejected => Outcome::Rejected(error()),
        Unsent => Outcome::Unsent { why: error(), retry_after: Some(Duration::from_secs(7_200)) },
        Unknown => Outcome::Unknown(error()),
        Odd | Stop => Outcome::Prepared("?".to_owned()),
    }
}

fn purchase(state: State, now: Timestamp) -> Purchase {
    Purchase {
        owner: Owner { organisation: Id::from_bits(1), world: World::Live },
        id: Id::from_bits(2),
        shipment: Id::from_bits(3),
        account: Id::from_bits(4),
        service: "standard".to_owned(),
        reference: "shp_3".to_owned(),
        state,
        fence: 1,
        sent_fence: 0,
        sent_at: None,
        due_at: Some(now),
        failures: 0,
        unknown_at: (state == State::Checking).then_some(now),
        prepared: None,
        receipt: None,
        is_labelled: false,
        is_follow_up: false,
        earlier: None,
        crashes: 0,
        note: None,
        error: None,
        batch: None,
        label_format: None,
        ship_on: None,
        created_at: now,
        updated_at: now,
    }
}

#[derive(Clone, Copy, Debug)]
struct Terms {
    is_idempotent: bool,
    can_look_up: bool,
    visibility_seconds: u64,
    review_seconds: i64,
    settle_seconds: i64,
}

fn terms() -> impl Strategy<Value = Terms> {
    (any::<bool>(), any::<bool>(), 0u64..100, 1i64..100_000, 0i64..60).prop_map(
        |(is_idempotent, can_look_up, visibility_seconds, review_seconds, settle_seconds)| Terms {
            is_idempotent,
            can_look_up,
            visibility_seconds,
            review_seconds,
            settle_seconds,
        },
    )
}

#[derive(Debug)]
struct Machine {
    terms: Terms,
    now: Timestamp,
    purchase: Purchase,
    /// When the carrier charged, if it did.
    charged_at: Option<Timestamp>,
    is_charged_twice: bool,
}

impl Machine {
    fn new(terms: Terms, state: State) -> Self {
        let now = Timestamp::from_micros(1_793_523_600_000_000);
        Self { terms, now, purchase: purchase(state, now), charged_at: None, is_charged_twice: false }
    }

    fn facts(&self) -> Facts {
        let can = Capabilities {
            is_idempotent: self.terms.is_idempotent,
            can_look_up: self.terms.can_look_up,
            can_void: true,
            can_manifest: false,
            can_track: true,
            label_formats: &[],
            packages_max: 99,
            visibility_delay: Duration::from_secs(self.terms.visibility_seconds),
        };
        Facts {
            can,
            now: self.now,
            failures: self.purchase.failures,
            unknown_at: self.purchase.unknown_at,
            review_seconds: self.terms.review_seconds,
            settle_seconds: self.terms.settle_seconds,
        }
    }

    /// Makes one turn at a carrier with books: an answer that proves nothing may hide a charge, and a look-up tells the
    /// truth as soon as a charge must be visible.
    fn turn_at_carrier(&mut self, happening: Happening, does_charge: bool) {
        self.now = self.now.max(self.purchase.due_at.unwrap_or(self.now));
        let delay_seconds = self.terms.visibility_seconds as i64;
        let is_visible = self.charged_at.is_some_and(|at| at.plus_seconds(delay_seconds) <= self.now);
        let happening = match (self.purchase.state, happening) {
            (State::Checking, Absent) if is_visible => FoundOne,
            (State::Checking, FoundOne) if self.charged_at.is_none() => Absent,
            _ => happening,
        };
        if self.purchase.state == State::Ready && self.facts().before_buying().is_none() {
            let charged_at = match happening {
                Rejected | Unsent => None,
                Bought | FoundOne => Some(self.now),
                // The carrier goes on with what it was asked after the call has ended.
                Unknown | Odd | Absent => {
                    Some(self.now.plus_seconds(self.terms.settle_seconds)).filter(|_| does_charge)
                }
                Stop => Some(self.now.plus_seconds(DEAD_SECONDS)).filter(|_| does_charge),
            };
            self.is_charged_twice |=
                self.charged_at.is_some() && charged_at.is_some() && !self.terms.is_idempotent;
            self.charged_at = self.charged_at.or(charged_at);
        }
        self.turn(happening);
    }

    /// Makes one turn, at the moment at which the purchase is due.
    fn turn(&mut self, happening: Happening) {
        self.now = self.now.max(self.purchase.due_at.unwrap_or(self.now));
        let facts = self.facts();
        let next = match (self.purchase.state, happening) {
            (State::Ready, _) if facts.before_buying().is_some() => facts.unasked(),
            (State::Ready, Stop) => {
                self.purchase.state = State::Calling;
                self.now = self.now.plus_seconds(DEAD_SECONDS);
                return;
            }
            (State::Checking | State::Voiding, Stop) => {
                self.now = self.now.plus_seconds(DEAD_SECONDS);
                return;
            }
            (State::Ready, _) => facts.after_buying(outcome(happening)),
            (State::Calling, _) => facts.after_crash(self.now.plus_seconds(CALL_SECONDS)),
            (State::Checking, _) if facts.can.can_look_up => facts.after_look_up(outcome(happening)),
            (State::Checking, _) => facts.unasked(),
            (State::Voiding, _) => {
                let answer = if happening == Absent { Outcome::Voiding } else { outcome(happening) };
                after_void(&mut self.purchase, answer, self.now);
                return;
            }
            _ => return,
        };
        match next {
            Next::Bought { .. } => mark_bought(&mut self.purchase, "{}".to_owned()),
            next => drop(change(&mut self.purchase, next).unwrap()),
        }
    }

    fn is_over(&self) -> bool {
        use State::{Bought, Failed, Review, Voided};
        matches!(self.purchase.state, Bought | Failed | Review | Voided)
    }

    /// Whether it may have been bought, as far as is written down.
    fn is_in_doubt(&self) -> bool {
        matches!(self.purchase.state, State::Ready | State::Checking) && self.purchase.unknown_at.is_some()
    }

    /// How long a purchase may take to end, if the turns are made when they are due: each attempt may leave it in doubt, and may
    /// be followed by the longest rest.
    fn seconds_max(&self) -> i64 {
        let Terms { visibility_seconds, review_seconds, settle_seconds, .. } = self.terms;
        let doubt_seconds = review_seconds.max(visibility_seconds as i64 + settle_seconds) + CALL_SECONDS;
        (FAILURES_MAX + 1) * (doubt_seconds + BACKOFF_SECONDS_MAX)
    }

    /// By when a doubt must have ended, if the turns are made when they are due.
    fn doubt_ends_at(&self) -> Option<Timestamp> {
        let Terms { visibility_seconds, review_seconds, settle_seconds, .. } = self.terms;
        let seconds = review_seconds.max(visibility_seconds as i64 + settle_seconds);
        self.purchase.unknown_at.filter(|_| self.is_in_doubt()).map(|at| at.plus_seconds(seconds))
    }
}

fn start() -> impl Strategy<Value = State> {
    prop_oneof![Just(State::Ready), Just(State::Checking), Just(State::Voiding)]
}

proptest! {
    #[test]
    fn what_is_not_over_has_a_next_step_or_waits_for_a_person(
        terms in terms(), state in start(), happenings in happenings(),
    ) {
        let mut machine = Machine::new(terms, state);
        for happening in happenings {
            machine.turn(happening);
            let purchase = &machine.purchase;
            let is_final = matches!(purchase.state, State::Failed | State::Voided | State::Review);
            prop_assert_eq!(purchase.due_at.is_none(), is_final, "after {:?}: {:?}", happening, machine);
        }
    }

    #[test]
    fn what_was_charged_never_fails_and_is_never_charged_again(
        terms in terms(), happenings in happenings(), charges in prop::collection::vec(any::<bool>(), 60),
    ) {
        let mut machine = Machine::new(terms, State::Ready);
        for (happening, does_charge) in happenings.into_iter().zip(charges) {
            machine.turn_at_carrier(happening, does_charge);
            let is_lost = machine.purchase.state == State::Failed && machine.charged_at.is_some();
            prop_assert!(!is_lost && !machine.is_charged_twice, "after {:?}: {:?}", happening, machine);
        }
    }

    #[test]
    fn a_doubt_ends_within_the_time_that_the_settings_give_it(
        terms in terms(), happenings in happenings(),
    ) {
        let mut machine = Machine::new(terms, State::Ready);
        for happening in happenings {
            let ends_at = machine.doubt_ends_at();
            machine.turn(happening);
            // A server that stops during its turn leaves the outcome unknown. The first turn that completes resolves it.
            if let Some(ends_at) = ends_at.filter(|ends_at| happening != Stop && machine.now >= *ends_at) {
                prop_assert!(machine.doubt_ends_at() != Some(ends_at), "after {:?}: {:?}", happening, machine);
            }
            if let Some(ends_at) = machine.doubt_ends_at() {
                prop_assert!(machine.purchase.due_at <= Some(ends_at), "after {:?}: {:?}", happening, machine);
            }
        }
    }

    #[test]
    fn a_purchase_ends_within_the_time_that_the_settings_give_it(
        terms in terms(), happenings in happenings(), other in 0usize..7,
    ) {
        let other = [Bought, Absent, Rejected, Unsent, Unknown, Odd, FoundOne][other];
        let mut machine = Machine::new(terms, State::Ready);
        let begun_at = machine.now;
        let mut stops = 0;
        // Servers live long enough to make a turn now and then.
        for happening in happenings.iter().copied().chain([other]).cycle().take(TURNS_MAX) {
            machine.turn_at_carrier(happening, happening == Unknown);
            stops += i64::from(happening == Stop);
            if machine.is_over() {
                break;
            }
        }
        let seconds = machine.now.as_seconds() - begun_at.as_seconds();
        prop_assert!(machine.is_over(), "{:?}", machine);
        prop_assert!(seconds <= machine.seconds_max() + stops * DEAD_SECONDS, "{} s: {:?}", seconds, machine);
    }

    #[test]
    fn what_a_carrier_can_t_be_asked_for_stays_in_doubt_until_it_is_bought(
        terms in terms(), happenings in happenings(),
    ) {
        let mut machine = Machine::new(Terms { is_idempotent: true, can_look_up: false, ..terms }, State::Ready);
        let mut is_in_doubt = false;
        for happening in happenings {
            if machine.is_over() {
                break;
            }
            let was_ready = machine.purchase.state == State::Ready;
            machine.turn(happening);
            is_in_doubt |= was_ready && !matches!(happening, Bought | FoundOne | Rejected | Unsent);
            let is_definite = was_ready && matches!(happening, Bought | FoundOne);
            if is_in_doubt && !is_definite {
                let is_kept = machine.is_in_doubt()
                    || matches!(machine.purchase.state, State::Calling | State::Review);
                prop_assert!(is_kept, "after {:?}: {:?}", happening, machine);
            }
        }
    }
}

#[test]
fn a_purchase_ends_however_its_carrier_fails() {
    let terms = Terms {
        is_idempotent: false,
        can_look_up: true,
        visibility_seconds: 5,
        review_seconds: 86_400,
        settle_seconds: 30,
    };
    for kinds in [&[Unknown, Absent][..], &[Unsent], &[Stop, Odd, Unsent], &[Unknown, Unsent, Absent], &[Odd]]
    {
        let mut machine = Machine::new(terms, State::Ready);
        let turns = (0..1_000).take_while(|turn| {
            machine.turn(kinds[turn % kinds.len()]);
            !machine.is_over()
        });
        let count = turns.count();
        assert!(machine.is_over(), "{kinds:?}: {machine:?}");
        assert!(count < 60, "{kinds:?}: {count} turns");
    }
}

#[test]
fn a_decision_says_the_state_the_outcome_and_the_times() {
    let mut machine = Machine::new(
        Terms {
            is_idempotent: false,
            can_look_up: true,
            visibility_seconds: 5,
            review_seconds: 100,
            settle_seconds: 30,
        },
        State::Checking,
    );
    machine.purchase.failures = 2;
    let (before, now) = (machine.now, machine.now.plus_seconds(3));
    machine.now = now;
    let next = machine.facts().after_look_up(outcome(Absent));
    let expected = Decision {
        state: "checking",
        outcome: "absent",
        next: "checking",
        failures: 2,
        fence: 1,
        late_ms: Some(3000),
        unknown_ms: Some(3000),
        due_ms: Some(32000),
    };
    assert_eq!(Decision::new(&machine.purchase, "absent", &next, now), expected);
    machine.purchase = purchase(State::Ready, before);
    let next = machine.facts().after_buying(outcome(Rejected));
    let expected = Decision {
        state: "ready",
        outcome: "rejected",
        next: "failed",
        failures: 0,
        fence: 1,
        late_ms: Some(3000),
        unknown_ms: None,
        due_ms: None,
    };
    assert_eq!(Decision::new(&machine.purchase, "rejected", &next, now), expected);
}
