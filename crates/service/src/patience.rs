//! Patience: how long a request waits for what others do for it, and when it looks again.

use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use crate::{Service, Wait};

/// The longest that a request waits.
const WAIT_MAX: Duration = Duration::from_secs(30);
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
        let time = match wait {
            Wait::Usual => Duration::from_secs(self.settings().carriers.wait_seconds),
            Wait::For(time) => time,
        };
        Patience { end: Instant::now() + time.min(WAIT_MAX), news }
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
