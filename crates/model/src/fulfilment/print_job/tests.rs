//! The states of a print job, as a person at the printer sees them.

use proptest::prelude::*;

use super::*;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_micros(1_000_000).plus_seconds(seconds)
}

fn job() -> PrintJob {
    PrintJob {
        id: Id::from_bits(1),
        printer_id: Id::from_bits(2),
        document_ids: vec![Id::from_bits(3)],
        sent_as: Vec::new(),
        copies: 1,
        status: Status::Queued,
        tries: 0,
        next_try_at: None,
        message: None,
        reprint_of: None,
        printed_at: None,
        created_at: at(0),
        updated_at: at(0),
    }
}

#[test]
fn a_printer_that_stays_off_is_tried_five_times_in_growing_pauses() {
    let mut job = job();
    let mut tried = Vec::new();
    let mut now = 0;
    while job.status == Status::Queued {
        tried.push(now);
        job.begin(at(now));
        assert_eq!(job.status, Status::Sending);
        job.end(TryOutcome::Unsent, Some("It is off."), at(now));
        now = job.next_try_at.map_or(now, |due| due.as_seconds() - at(0).as_seconds());
    }
    assert_eq!(tried, [0, 10, 70, 370, 1570]);
    assert_eq!((job.status, job.tries, job.next_try_at), (Status::Failed, TRIES_MAX, None));
    assert_eq!(job.message.as_deref(), Some("It is off."));
}

#[test]
fn a_try_before_the_pause_is_over_does_not_count() {
    let mut job = job();
    job.begin(at(0));
    job.end(TryOutcome::Unsent, Some("off"), at(0));
    for second in 1..10 {
        job.begin(at(second));
        job.end(TryOutcome::Unsent, Some("off"), at(second));
        assert_eq!((job.tries, job.next_try_at, job.status), (1, Some(at(10)), Status::Queued));
    }
    job.begin(at(11));
    assert_eq!((job.tries, job.next_try_at), (2, None));
    job.end(TryOutcome::Printed, Some("ignored"), at(12));
    assert_eq!(
        (job.status, job.printed_at, job.message, job.next_try_at),
        (Status::Printed, Some(at(12)), None, None)
    );
}

#[test]
fn what_may_have_left_is_never_queued_again() {
    for outcome in [TryOutcome::Uncertain, TryOutcome::Failed, TryOutcome::Printed] {
        let mut job = job();
        job.begin(at(0));
        job.end(outcome, Some("x"), at(1));
        assert!(!job.status.is_open() && job.next_try_at.is_none(), "{outcome:?}");
    }
}

#[test]
fn the_words_of_states_are_those_of_the_shape_and_of_json() {
    let Kind::OneOf(words) = STATUS.kind else { panic!("not a list of words") };
    assert_eq!(Status::ALL.map(Status::as_str), words);
    for known in Status::ALL {
        assert_eq!(serde_json::to_value(known).unwrap(), known.as_str());
        assert_eq!(Status::parse(known.as_str()), Some(known));
    }
}

proptest! {
    /// Whatever happens to a job, it is tried a limited number of times that count, and a finished job has no next try.
    #[test]
    fn every_job_ends(steps in proptest::collection::vec((0_i64..2000, 0_usize..4), 1..60)) {
        let mut job = job();
        let mut now = 0;
        for (pause, outcome) in steps {
            now += pause;
            if job.status != Status::Queued {
                break;
            }
            job.begin(at(now));
            let outcome = [TryOutcome::Printed, TryOutcome::Unsent, TryOutcome::Failed, TryOutcome::Uncertain][outcome];
            job.end(outcome, Some("why"), at(now));
            prop_assert!((1..=TRIES_MAX).contains(&job.tries));
            prop_assert_eq!(job.next_try_at.is_some(), job.status == Status::Queued);
            prop_assert!(job.status != Status::Queued || outcome == TryOutcome::Unsent);
        }
    }
}
