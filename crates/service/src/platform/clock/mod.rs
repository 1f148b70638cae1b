//! The time, as everything in this process sees it (decision 27).
//!
//! - Work, leases and back-off go by a time that never goes back (`steady.rs`), and that is at least what the servers of the
//!   installation have reached: each heartbeat writes it down, and takes it over.
//! - What is deleted for its age goes by a time that never jumps forward (`trust.rs`).

mod source;
mod steady;
mod trust;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::Timestamp;
use store::platform::clocks::Bounds;
use tracing::warn;

pub use self::source::{Clock, SystemClock};
use self::steady::{Reading, Steady};
use self::trust::{Refusal, Trust, judge};

/// How far ahead of a server's clock the installation may have got for the server to follow, in seconds. What is further
/// ahead was written by a clock that is wrong.
const LEAD_SECONDS_MAX: i64 = 48 * 3600;
/// The longest rest of any work, deliveries apart, in seconds: tracking rests for two hours.
const REST_SECONDS_MAX: i64 = 3 * 3600;
/// The longest rest of a delivery, in seconds.
pub const DELIVERY_REST_SECONDS_MAX: i64 = 30 * 3600;
/// How often a fault of a clock is reported while it lasts.
const TELL_EVERY: Duration = Duration::from_secs(3600);

const _: () = assert!(REST_SECONDS_MAX < LEAD_SECONDS_MAX && DELIVERY_REST_SECONDS_MAX < LEAD_SECONDS_MAX);

/// The clocks of this process.
pub struct Clocks {
    source: Arc<dyn Clock>,
    /// The monotonic time when the process started.
    started: Duration,
    state: Mutex<State>,
}

struct State {
    steady: Steady,
    lead_micros: i64,
    /// `None` until the first heartbeat has read what the installation had reached.
    trust: Option<Trust>,
    refusal: Option<Refusal>,
    refusal_told_at: Option<Duration>,
    repair_told_at: Option<Duration>,
}

/// What an operator should know of the clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockState {
    /// How far the process's time is ahead of the machine's clock, which was set back.
    pub lead_seconds: i64,
    /// Whether nothing is deleted for its age, because the clock is not trusted.
    pub is_pruning_refused: bool,
}

/// The moments that a heartbeat brings.
#[derive(Clone, Copy)]
pub struct Moments {
    pub now: Timestamp,
    /// `None` with the first heartbeat.
    pub trusted: Option<Timestamp>,
    /// How long a call to a carrier may take.
    pub call_seconds: i64,
}

impl Moments {
    /// Returns the time for a server that finds that the installation has reached a moment; `None` if that is too far ahead.
    pub fn join(&self, reached: Option<Timestamp>) -> Option<Timestamp> {
        let reached = reached.unwrap_or(self.now).max(self.now);
        (reached <= self.now.plus_seconds(LEAD_SECONDS_MAX)).then_some(reached)
    }

    /// Returns what no stored moment can lie beyond if this server's clock is right.
    pub fn bounds(&self) -> Bounds {
        Bounds {
            now: self.now,
            asked_until: self.now.plus_seconds(self.call_seconds),
            rest_until: self.now.plus_seconds(REST_SECONDS_MAX),
            delivery_rest_until: self.now.plus_seconds(DELIVERY_REST_SECONDS_MAX),
            lease_until: self.now.plus_seconds(LEAD_SECONDS_MAX),
        }
    }
}

impl Clocks {
    pub fn new(source: Arc<dyn Clock>) -> Self {
        let started = source.monotonic();
        let state = State {
            steady: Steady::new(source.now(), started),
            lead_micros: 0,
            trust: None,
            refusal: None,
            refusal_told_at: None,
            repair_told_at: None,
        };
        Self { source, started, state: Mutex::new(state) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn now(&self) -> Timestamp {
        // Read under the lock: of two threads, the later one must not have the earlier moment.
        let mut state = self.lock();
        let Reading { now, lead_micros, is_news } =
            state.steady.read(self.source.now(), self.source.monotonic());
        state.lead_micros = lead_micros;
        drop(state);
        if is_news {
            warn!("{}", lead_text(lead_micros / 1_000_000));
        }
        now
    }

    /// The machine's own time.
    pub fn machine_time(&self) -> Timestamp {
        self.source.now()
    }

    /// Returns the database's time as this clock tells it.
    pub fn database_time(&self, told: Timestamp) -> Timestamp {
        self.source.database_time(told)
    }

    /// What an operator should know of the clocks.
    pub fn state(&self) -> ClockState {
        let state = self.lock();
        ClockState {
            lead_seconds: state.lead_micros / 1_000_000,
            is_pruning_refused: state.refusal.is_some(),
        }
    }

    /// Judges by which time things may be deleted for their age; `None` if the clock is not trusted.
    pub fn pruning_time(&self, database: Option<Timestamp>) -> Option<Timestamp> {
        let now = self.now();
        let judged = judge(now, self.trusted(now).unwrap_or(now), database);
        if let Some(refusal) = self.note(judged.err()) {
            warn!("{refusal}");
        }
        judged.ok()
    }

    /// After a heartbeat's commit: takes over what the installation has reached, and reports rows that were repaired.
    pub fn reach(&self, now: Timestamp, trusted: Timestamp, repaired: Option<u64>) {
        let monotonic = self.source.monotonic();
        let mut state = self.lock();
        state.steady.lift(now, monotonic);
        state.trust.get_or_insert_with(|| Trust::new(trusted, self.started));
        let Some(rows) = repaired else { return };
        if is_time_to_tell(&mut state.repair_told_at, monotonic) {
            warn!(
                rows,
                "a server had written moments that are more than {LEAD_SECONDS_MAX} s ahead of this server's clock: \
                 these rows were made due now. One of the two clocks is wrong"
            );
        }
    }

    /// Returns the time by which the age of something is judged; `None` before the first heartbeat.
    pub fn trusted(&self, now: Timestamp) -> Option<Timestamp> {
        let monotonic = self.source.monotonic();
        self.lock().trust.as_mut().map(|trust| trust.advance(now, monotonic))
    }

    /// Remembers whether things may be deleted, and returns the refusal if it is to be reported now.
    fn note(&self, refusal: Option<Refusal>) -> Option<Refusal> {
        let monotonic = self.source.monotonic();
        let mut state = self.lock();
        state.refusal = refusal;
        if refusal.is_none() {
            state.refusal_told_at = None;
        }
        refusal.filter(|_| is_time_to_tell(&mut state.refusal_told_at, monotonic))
    }
}

fn lead_text(seconds: i64) -> String {
    let remedy = match seconds > LEAD_SECONDS_MAX {
        true => "Restart the server to take the machine's time",
        false => "Work goes on by the later time until the machine's clock has caught up",
    };
    format!(
        "the machine's clock is {seconds} s behind the time that this installation has reached: it was set back. {remedy}"
    )
}

/// Whether something that lasts is to be reported, because it was not within the last hour.
fn is_time_to_tell(told_at: &mut Option<Duration>, monotonic: Duration) -> bool {
    let is_time = told_at.is_none_or(|told_at| monotonic.saturating_sub(told_at) >= TELL_EVERY);
    if is_time {
        *told_at = Some(monotonic);
    }
    is_time
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_installation_has_reached_is_followed_unless_it_is_too_far() {
        let now = Timestamp::from_micros(1_793_523_600_000_000);
        let moments = Moments { now, trusted: None, call_seconds: 30 };
        let ahead = |seconds: i64| Some(now.plus_seconds(seconds));
        assert_eq!(moments.join(None), Some(now));
        assert_eq!(moments.join(ahead(-5)), Some(now), "time does not go back to where others are");
        assert_eq!(moments.join(ahead(LEAD_SECONDS_MAX)), ahead(LEAD_SECONDS_MAX));
        assert_eq!(moments.join(ahead(LEAD_SECONDS_MAX + 1)), None);
    }

    #[test]
    fn what_lasts_is_reported_once_an_hour() {
        let mut told_at = None;
        let mut tell = |seconds: u64| is_time_to_tell(&mut told_at, Duration::from_secs(seconds));
        assert_eq!([0, 10, 3599, 3600, 3700].map(&mut tell), [true, false, false, true, false]);
    }
}
