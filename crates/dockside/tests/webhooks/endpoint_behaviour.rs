//! The ways in which an endpoint can be faulty, and what each one answers.

use std::time::Duration;

use testkit::random::Random;

/// How long the silent endpoint keeps a connection. The server gives up after 15 s.
const SILENCE: Duration = Duration::from_secs(20);
/// How long the slow endpoint takes for each answer.
const SLOWNESS: Duration = Duration::from_millis(200);
/// How many messages the busy endpoint accepts per second.
const BUSY_PER_SECOND: u64 = 50;
/// The endpoint that fails at random refuses one message in so many.
const FAILS_ONE_IN: u64 = 10;
const SECOND_US: i64 = 1_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndpointBehaviour {
    Healthy,
    /// Always 500.
    Fails,
    /// Reads the message and never answers.
    Silent,
    /// No process listens there.
    Refuses,
    /// 503 in every other second, from the second one on.
    Flaps,
    FailsAtRandom,
    /// 429 with `Retry-After: 1` beyond a rate.
    Busy,
    /// Succeeds, slowly.
    Slow,
}

pub const FAULTY: [EndpointBehaviour; 7] = [
    EndpointBehaviour::Fails,
    EndpointBehaviour::Silent,
    EndpointBehaviour::Refuses,
    EndpointBehaviour::Flaps,
    EndpointBehaviour::FailsAtRandom,
    EndpointBehaviour::Busy,
    EndpointBehaviour::Slow,
];

/// Decides the answers of one endpoint.
pub struct Responder {
    behaviour: EndpointBehaviour,
    random: Random,
    /// When the first message arrived.
    began: Option<i64>,
    second: i64,
    taken: u64,
}

/// An answer, and how long the endpoint waits before it sends it.
pub struct Answer {
    /// Zero means no answer.
    pub status: u16,
    pub wait: Duration,
}

impl Responder {
    pub fn new(behaviour: EndpointBehaviour, random: Random) -> Self {
        Self { behaviour, random, began: None, second: 0, taken: 0 }
    }

    /// Returns the answer to a message that arrives at `now`.
    pub fn answer(&mut self, now: i64) -> Answer {
        let second = (now - *self.began.get_or_insert(now)) / SECOND_US;
        if self.second != second {
            (self.second, self.taken) = (second, 0);
        }
        let (status, wait) = match self.behaviour {
            EndpointBehaviour::Healthy => (200, Duration::ZERO),
            EndpointBehaviour::Fails | EndpointBehaviour::Refuses => (500, Duration::ZERO),
            EndpointBehaviour::Silent => (0, SILENCE),
            EndpointBehaviour::Flaps => (if second % 2 == 0 { 200 } else { 503 }, Duration::ZERO),
            EndpointBehaviour::FailsAtRandom => {
                (if self.random.below(FAILS_ONE_IN) == 0 { 500 } else { 200 }, Duration::ZERO)
            }
            EndpointBehaviour::Busy => (if self.taken < BUSY_PER_SECOND { 200 } else { 429 }, Duration::ZERO),
            EndpointBehaviour::Slow => (200, SLOWNESS),
        };
        self.taken += u64::from(status == 200);
        Answer { status, wait }
    }
}
