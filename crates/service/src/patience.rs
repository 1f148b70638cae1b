//! Patience: how long a request waits for what others do for it, and when it looks again.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use crate::{Service, Wait};

/// Longest time that a request waits for a carrier's answer, in seconds, whatever `Prefer: wait` asks for.
pub const WAIT_SECONDS_MAX: u64 = 30;
/// How often it looks where no news came: another server may be at it.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// The patience of one request.
pub struct Patience {
    end: Instant,
    news: watch::Receiver<u64>,
}

impl Service {
    /// The patience of somebody who waits for such news.
    pub(crate) fn patience(&self, wait: Wait, news: watch::Receiver<u64>) -> Patience {
        let Wait(time) = wait;
        Patience { end: Instant::now() + time.min(Duration::from_secs(WAIT_SECONDS_MAX)), news }
    }
}

impl Patience {
    /// Whether there is no more time to wait. Asked before it is looked, so that nothing happens in between unnoticed.
    pub fn is_over(&mut self) -> bool {
        self.news.mark_unchanged();
        Instant::now() >= self.end
    }

    /// Waits until it is worth a look.
    pub async fn rest(&mut self) {
        tokio::select! {
            _ = self.news.changed() => {}
            () = tokio::time::sleep(LOOK_EVERY) => {}
            () = tokio::time::sleep_until(self.end) => {}
        }
    }
}
