//! Plays a task against answers that are given in advance.

use super::Conformance;
use crate::{Answer, Outcome, Request, Step, Task};

/// The most exchanges of one task, as in the service.
const EXCHANGES_MAX: usize = 6;

/// What was sent, and the end.
pub struct Played {
    pub sent: Vec<Request>,
    pub outcome: Outcome,
}

impl Played {
    /// Returns whether a request that may cost money was sent before the last one, or is the last one.
    pub fn purchases(&self) -> usize {
        self.sent.iter().filter(|request| request.is_purchase).count()
    }
}

/// Plays a task: each request gets the next answer; when there are none left, the last one again.
pub fn play(of: &Conformance, task: &Task<'_>, answers: &[Answer]) -> Played {
    play_with(of, task, |exchange| answers.get(exchange - 1).or_else(|| answers.last()).cloned())
}

/// Plays a task in which the answer to exchange `place`, counted from one, is another one.
pub fn play_replaced(
    of: &Conformance,
    task: &Task<'_>,
    good: &[Answer],
    place: usize,
    bad: &Answer,
) -> Played {
    play_with(of, task, |exchange| {
        if exchange == place {
            Some(bad.clone())
        } else {
            good.get(exchange - 1).or_else(|| good.last()).cloned()
        }
    })
}

fn play_with(of: &Conformance, task: &Task<'_>, answer: impl Fn(usize) -> Option<Answer>) -> Played {
    let mut sent = Vec::new();
    let mut step = of.connector.begin(&of.account, task);
    for exchange in 1..=EXCHANGES_MAX {
        match step {
            Step::Done(outcome) => return Played { sent, outcome },
            Step::Send(request) => sent.push(request),
        }
        let Some(answer) = answer(exchange) else {
            panic!("{}: {} sends a request, and the sample has no answer", of.name(), task.as_str())
        };
        step = of.connector.resume(&of.account, task, exchange, answer);
    }
    match step {
        Step::Done(outcome) => Played { sent, outcome },
        Step::Send(_) => panic!("{}: {} comes to no end", of.name(), task.as_str()),
    }
}
