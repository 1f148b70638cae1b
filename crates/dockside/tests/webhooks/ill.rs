//! The ways in which an endpoint can be ill, and what each one answers.

use std::time::Duration;

use crate::random::Random;

/// How long the silent one keeps a connection. The server gives up after 15 s.
const SILENCE: Duration = Duration::from_secs(20);
/// How long the slow one takes for each answer.
const SLOWNESS: Duration = Duration::from_millis(200);
/// What the busy one takes in a second.
const BUSY_PER_SECOND: u64 = 50;
/// One in so many is refused by the one that fails at random.
const FAILS_ONE_IN: u64 = 10;
const SECOND_US: i64 = 1_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nature {
    Sound,
    /// Always 500.
    Fails,
    /// Takes the message and never answers.
    Silent,
    /// Nobody listens there.
    Refuses,
    /// 503 in every other second, from the second one on.
    Flaps,
    FailsAtRandom,
    /// 429 with `Retry-After: 1` beyond a rate.
    Busy,
    /// Succeeds, slowly.
    Slow,
}

pub const ILL: [Nature; 7] = [
    Nature::Fails,
    Nature::Silent,
    Nature::Refuses,
    Nature::Flaps,
    Nature::FailsAtRandom,
    Nature::Busy,
    Nature::Slow,
];

/// What one endpoint remembers in order to answer.
pub struct Mood {
    nature: Nature,
    random: Random,
    /// When the first message came.
    began: Option<i64>,
    second: i64,
    taken: u64,
}

/// An answer, and how long it lets wait.
pub struct Answer {
    /// Zero is no answer at all.
    pub status: u16,
    pub wait: Duration,
}

impl Mood {
    pub fn new(nature: Nature, random: Random) -> Self {
        Self { nature, random, began: None, second: 0, taken: 0 }
    }

    /// What to answer at this moment.
    pub fn answer(&mut self, now: i64) -> Answer {
        let second = (now - *self.began.get_or_insert(now)) / SECOND_US;
        if self.second != second {
            (self.second, self.taken) = (second, 0);
        }
        let (status, wait) = match self.nature {
            Nature::Sound => (200, Duration::ZERO),
            Nature::Fails | Nature::Refuses => (500, Duration::ZERO),
            Nature::Silent => (0, SILENCE),
            Nature::Flaps => (if second % 2 == 0 { 200 } else { 503 }, Duration::ZERO),
            Nature::FailsAtRandom => {
                (if self.random.below(FAILS_ONE_IN) == 0 { 500 } else { 200 }, Duration::ZERO)
            }
            Nature::Busy => (if self.taken < BUSY_PER_SECOND { 200 } else { 429 }, Duration::ZERO),
            Nature::Slow => (200, SLOWNESS),
        };
        self.taken += u64::from(status == 200);
        Answer { status, wait }
    }
}
