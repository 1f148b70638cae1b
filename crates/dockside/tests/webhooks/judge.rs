//! Compares the receivers' records with the log. It uses the API's deliveries only for events that have not arrived.

use std::collections::{BTreeMap, HashMap};

use crate::endpoint_behaviour::EndpointBehaviour;
use crate::endpoints::{Delivery, Endpoint};
use crate::kills::Kill;
use crate::log::Log;
use crate::receivers::{Arrival, Record};

/// A delivery may arrive again after a kill only if it first arrived this shortly before the kill. A lane records every
/// 100 ms what it sent; the rest is tolerance for the write on a busy machine. The time for which the machine was stalled
/// is added, because no lane could write then.
const UNRECORDED_US_MAX: i64 = 2_000_000;
/// A receiver may read a delivery this long after the kill that followed its sending.
const READ_US_MAX: i64 = 500_000;
/// Attempts that a delivery is given before it counts as failed for good.
const ATTEMPTS_MAX: i64 = 8;

/// The error says what is wrong.
pub type Verdict = Result<(), String>;

pub struct Judge<'a> {
    pub log: &'a Log,
    pub kills: &'a [Kill],
    /// The newest sequence when the endpoints were made.
    pub start: u32,
}

/// Counts of all judged endpoints.
#[derive(Default)]
pub struct Tally {
    pub deliveries: usize,
    /// Repeated events of each kill, and the longest time between an event's first arrival and the kill.
    pub duplicates: Vec<usize>,
    pub oldest_duplicate_us: i64,
    pub samples: usize,
}

/// The progress of a faulty endpoint.
#[derive(Default)]
pub struct FaultyOutcome {
    pub taken: usize,
    /// Set aside, to be repeated.
    pub waiting: usize,
    /// Not sent yet.
    pub ahead: u32,
    /// Answers other than 200.
    pub failures: usize,
}

impl Judge<'_> {
    /// Checks that a healthy endpoint got every event, in order the first time. Only deliveries that a kill left unrecorded may
    /// come again.
    pub fn check_healthy(&self, endpoint: &Endpoint, record: &Record, tally: &mut Tally) -> Verdict {
        let number = endpoint.number;
        let mut next = self.start + 1;
        for arrival in &record.arrivals {
            let sequence = arrival.sequence;
            ensure(sequence <= next, || format!("endpoint {number} got {sequence} before {next}"))?;
            next += u32::from(sequence == next);
        }
        let head = self.log.head();
        ensure(next > head, || format!("endpoint {number} never got {next} of {head}"))?;
        self.check_any(endpoint, record, tally)
    }

    /// Checks that everything that arrived is in the log and is signed, and that no accepted event came again without a kill.
    pub fn check_any(&self, endpoint: &Endpoint, record: &Record, tally: &mut Tally) -> Verdict {
        let number = endpoint.number;
        tally.deliveries += record.arrivals.len();
        tally.duplicates.resize(self.kills.len(), 0);
        let mut taken: HashMap<u32, (Arrival, usize)> = HashMap::new();
        for arrival in &record.arrivals {
            let sequence = arrival.sequence;
            let event =
                self.log.get(sequence).filter(|event| sequence > self.start && event.event == arrival.event);
            ensure(event.is_some(), || format!("endpoint {number} got a strange event {sequence}"))?;
            let mut kills_spent = 0;
            if let Some((before, spent)) = taken.get(&sequence) {
                let kill = self.reason(before, arrival, *spent).ok_or_else(|| {
                    format!("endpoint {number} got {sequence} again, and no kill explains it")
                })?;
                tally.duplicates[kill] += 1;
                tally.oldest_duplicate_us = tally.oldest_duplicate_us.max(self.kills[kill].at - before.at);
                kills_spent = kill + 1;
            }
            if arrival.status == 200 {
                taken.insert(sequence, (*arrival, kills_spent));
            }
        }
        tally.samples += record.samples.len();
        let forged =
            record.samples.iter().find(|message| message.signature != message.sign(&endpoint.secret));
        forged.map_or(Ok(()), |message| {
            Err(format!("endpoint {number} got {} with a wrong signature", message.id))
        })
    }

    /// Returns the kill that explains a repetition. Each kill explains one repetition of an event.
    fn reason(&self, before: &Arrival, again: &Arrival, spent: usize) -> Option<usize> {
        let explains = |kill: &Kill| {
            let unrecorded = (kill.at - UNRECORDED_US_MAX - kill.still)..(kill.at + READ_US_MAX);
            unrecorded.contains(&before.at) && again.at > kill.at
        };
        (spent..self.kills.len()).find(|place| explains(&self.kills[*place]))
    }

    /// Checks that no event for a faulty endpoint is lost: the endpoint accepted it, or it waits for a retry, or it is ahead of
    /// the cursor. `told` has the deliveries as the API shows them, read before the record.
    pub fn check_faulty(
        &self,
        endpoint: &Endpoint,
        told: &BTreeMap<u32, Vec<Delivery>>,
        record: &Record,
    ) -> Result<FaultyOutcome, String> {
        self.check_any(endpoint, record, &mut Tally::default())?;
        let cursor = told.keys().last().copied().unwrap_or(self.start);
        let mut waiting = 0;
        for sequence in self.start + 1..=cursor {
            let (deliveries, is_taken) = (told.get(&sequence), record.has_taken(sequence));
            check_event(deliveries.map_or(&[], Vec::as_slice), is_taken)
                .map_err(|what| format!("{:?} endpoint, event {sequence}: {what}", endpoint.behaviour))?;
            waiting += usize::from(!is_taken);
        }
        let ahead = self.log.head() - cursor;
        let outcome = FaultyOutcome { taken: record.taken, waiting, ahead, failures: record.failures() };
        let has_error = told.values().flatten().any(|delivery| delivery.has_error);
        ensure(is_faulty(endpoint.behaviour, &outcome, record.arrivals.len(), has_error), || {
            format!(
                "the {:?} endpoint was not faulty: {} arrivals",
                endpoint.behaviour,
                record.arrivals.len()
            )
        })?;
        Ok(outcome)
    }
}

fn ensure(holds: bool, what: impl FnOnce() -> String) -> Verdict {
    if holds { Ok(()) } else { Err(what()) }
}

/// Checks an event behind the cursor of a faulty endpoint.
fn check_event(deliveries: &[Delivery], is_taken: bool) -> Result<(), &'static str> {
    let mut is_waiting = false;
    for delivery in deliveries {
        match delivery.status.as_str() {
            "succeeded" if !is_taken => return Err("said to have succeeded, and never taken"),
            "failed" if delivery.attempts < ATTEMPTS_MAX => return Err("given up early"),
            "pending" | "retrying" => is_waiting = true,
            _ => {}
        }
    }
    match deliveries {
        [] => Err("forgotten"),
        _ if is_taken || is_waiting => Ok(()),
        _ => Err("neither taken nor waiting"),
    }
}

/// Returns whether an endpoint has shown its faulty behaviour. If it was never faulty, the run proves nothing about it.
fn is_faulty(
    behaviour: EndpointBehaviour,
    outcome: &FaultyOutcome,
    arrivals: usize,
    has_error: bool,
) -> bool {
    match behaviour {
        EndpointBehaviour::Healthy => false,
        EndpointBehaviour::Fails => outcome.failures > 0 && outcome.taken == 0,
        // The server's timeout is longer than the time between two kills, so there may be no error yet.
        EndpointBehaviour::Silent => arrivals > 0 && outcome.taken == 0,
        EndpointBehaviour::Refuses => arrivals == 0 && has_error,
        EndpointBehaviour::Flaps | EndpointBehaviour::FailsAtRandom | EndpointBehaviour::Busy => {
            outcome.failures > 0 && outcome.taken > 0
        }
        EndpointBehaviour::Slow => outcome.failures == 0 && outcome.taken > 0,
    }
}
