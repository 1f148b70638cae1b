//! Accepting connections, within the limits. If accepting fails, it backs off and does not flood the log.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tracing::{info, warn};

use crate::platform::limits::Limits;

/// The first and the longest wait after a failed accept, for example when all file descriptors are in use.
const WAIT_MIN: Duration = Duration::from_millis(10);
const WAIT_MAX: Duration = Duration::from_secs(1);

/// Accepts connections while there are permits for them.
pub struct Acceptor {
    listener: TcpListener,
    connections: Arc<Semaphore>,
    descriptors: Arc<Semaphore>,
    backoff: Backoff,
}

/// The permits of one connection.
pub struct Permits {
    /// Held while the connection speaks HTTP.
    pub connection: OwnedSemaphorePermit,
    /// Held while the socket is open, whatever it speaks.
    pub descriptor: OwnedSemaphorePermit,
}

impl Acceptor {
    pub fn new(listener: TcpListener, limits: &Limits) -> Self {
        let semaphore = |permits: usize| Arc::new(Semaphore::new(permits.min(Semaphore::MAX_PERMITS)));
        Self {
            listener,
            connections: semaphore(limits.connections_max),
            descriptors: semaphore(limits.sockets_max),
            backoff: Backoff::default(),
        }
    }

    /// Returns the next connection. Cancel safe: the future may be dropped at any time.
    pub async fn next(&mut self) -> (TcpStream, Permits) {
        let permits = Permits {
            connection: acquire(&self.connections).await,
            descriptor: acquire(&self.descriptors).await,
        };
        loop {
            match self.listener.accept().await {
                Ok((stream, _)) => {
                    if let Some(failures) = self.backoff.reset() {
                        info!(failures, "accepting connections resumed");
                    }
                    return (stream, permits);
                }
                // The client closed the connection before it was accepted.
                Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
                Err(error) => {
                    if self.backoff.failures == 0 {
                        warn!(%error, "accepting connections failed, retrying");
                    }
                    tokio::time::sleep(self.backoff.fail()).await;
                }
            }
        }
    }
}

async fn acquire(permits: &Arc<Semaphore>) -> OwnedSemaphorePermit {
    match Arc::clone(permits).acquire_owned().await {
        Ok(permit) => permit,
        // The semaphores are never closed.
        Err(_) => std::future::pending().await,
    }
}

/// The number of times that accepting has failed in a row.
#[derive(Default)]
struct Backoff {
    failures: u32,
}

impl Backoff {
    /// Counts a failure, and returns how long to wait before the next attempt.
    fn fail(&mut self) -> Duration {
        let wait = WAIT_MIN.saturating_mul(1 << self.failures.min(10)).min(WAIT_MAX);
        self.failures = self.failures.saturating_add(1);
        wait
    }

    /// Returns the number of failures that have just ended, if there were any.
    fn reset(&mut self) -> Option<u32> {
        Some(std::mem::take(&mut self.failures)).filter(|failures| *failures > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failing_accept_is_retried_ever_more_rarely_and_counts_anew_after_a_success() {
        let mut backoff = Backoff::default();
        let waits: Vec<_> = (0..9).map(|_| backoff.fail().as_millis()).collect();
        assert_eq!(waits, [10, 20, 40, 80, 160, 320, 640, 1000, 1000]);
        assert_eq!((backoff.reset(), backoff.reset()), (Some(9), None));
        assert_eq!(backoff.fail(), WAIT_MIN);
    }
}
