//! Wait deadlines: how long a request waits for work that other tasks do for it, and when it reads the state again.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

/// Longest time that a request waits for a carrier's answer, in seconds, whatever `Prefer: wait` asks for.
pub const WAIT_SECONDS_MAX: u64 = 30;
/// How often a request reads the state without a notification, because another node may do the work.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// How long a request waits for what it began before it is answered with 202.
#[derive(Clone, Copy)]
pub struct Wait(pub Duration);

/// The wait deadline of one request.
pub struct WaitDeadline {
    end: Instant,
    news: watch::Receiver<u64>,
}

impl WaitDeadline {
    /// Returns the wait deadline of a request that waits for such notifications.
    pub fn new(wait: Wait, news: watch::Receiver<u64>) -> Self {
        let Wait(time) = wait;
        Self { end: Instant::now() + time.min(Duration::from_secs(WAIT_SECONDS_MAX)), news }
    }

    /// Whether the deadline has passed. Call it before reading the state: it marks the channel as seen, so that a notification
    /// during the read is not missed.
    pub fn is_over(&mut self) -> bool {
        self.news.mark_unchanged();
        Instant::now() >= self.end
    }

    /// Waits until the state should be read again: on a notification, after `LOOK_EVERY`, or at the deadline.
    pub async fn rest(&mut self) {
        tokio::select! {
            _ = self.news.changed() => {}
            () = tokio::time::sleep(LOOK_EVERY) => {}
            () = tokio::time::sleep_until(self.end) => {}
        }
    }
}
