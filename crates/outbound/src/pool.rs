//! Idle connections that are kept for the next request to the same host, for a limited time and in a limited number.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::HeaderMap;
use tokio::time::Instant;

use super::live::Live;
use super::target::Origin;

/// How long a connection may idle. It is short, because the other side closes idle connections, too, and a request that is sent
/// at that moment is lost.
const IDLE_TIME_MAX: Duration = Duration::from_secs(15);
/// How much sooner this side closes than the time that the other side announces.
const IDLE_MARGIN: Duration = Duration::from_secs(1);
/// How old a connection may become, even if it is busy, so that a host that moved is looked up and judged again.
const AGE_MAX: Duration = Duration::from_secs(300);
/// Idle connections to one host, and in all.
const IDLE_PER_ORIGIN_MAX: usize = 32;
const IDLE_MAX: usize = 1024;
/// How often connections that idled too long are closed.
const SWEEP_EVERY: Duration = Duration::from_secs(5);

#[derive(Default)]
pub struct Pool(Mutex<IdleConnection>);

#[derive(Default)]
struct IdleConnection {
    idle: HashMap<Arc<Origin>, Vec<Idle>>,
    count: usize,
    is_swept: bool,
}

struct Idle {
    live: Live,
    until: Instant,
}

impl Pool {
    /// Returns the connection to the host that was used last, so that the others can expire.
    pub fn take(&self, origin: &Arc<Origin>) -> Option<Live> {
        let now = Instant::now();
        let mut kept = self.kept();
        loop {
            let idle = kept.idle.get_mut(origin)?.pop()?;
            kept.count -= 1;
            if idle.until > now {
                return Some(idle.live);
            }
        }
    }

    /// Keeps a connection whose exchange is over, if it can take another. What is not kept is closed.
    pub fn put(self: &Arc<Self>, origin: Arc<Origin>, live: Live, headers: &HeaderMap) {
        if !live.is_ready() {
            return;
        }
        let until = (Instant::now() + idle_time(headers)).min(live.began + AGE_MAX);
        let mut kept = self.kept();
        if kept.count >= IDLE_MAX {
            return;
        }
        let same = kept.idle.entry(origin).or_default();
        if same.len() >= IDLE_PER_ORIGIN_MAX {
            return;
        }
        same.push(Idle { live, until });
        kept.count += 1;
        if !kept.is_swept {
            kept.is_swept = true;
            tokio::spawn(sweep_until_empty(Arc::downgrade(self)));
        }
    }

    /// Closes connections that idled too long. Returns whether any are left.
    fn sweep(&self) -> bool {
        let now = Instant::now();
        let mut kept = self.kept();
        kept.idle.retain(|_, same| {
            same.retain(|idle| idle.until > now);
            !same.is_empty()
        });
        kept.count = kept.idle.values().map(Vec::len).sum();
        kept.is_swept = kept.count > 0;
        kept.is_swept
    }

    fn kept(&self) -> MutexGuard<'_, IdleConnection> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs while there are idle connections, so that a client without any costs nothing.
async fn sweep_until_empty(pool: std::sync::Weak<Pool>) {
    loop {
        tokio::time::sleep(SWEEP_EVERY).await;
        if !pool.upgrade().is_some_and(|pool| pool.sweep()) {
            return;
        }
    }
}

/// Returns how long the connection may idle: our limit, or less if the other side announces a shorter time.
fn idle_time(headers: &HeaderMap) -> Duration {
    let announced = headers.get("keep-alive").and_then(|value| value.to_str().ok());
    let seconds = announced.into_iter().flat_map(|value| value.split(',')).find_map(|part| {
        let (name, seconds) = part.split_once('=')?;
        name.trim().eq_ignore_ascii_case("timeout").then(|| seconds.trim().parse().ok())?
    });
    let announced = seconds.map(|seconds| Duration::from_secs(seconds).saturating_sub(IDLE_MARGIN));
    announced.map_or(IDLE_TIME_MAX, |announced| announced.min(IDLE_TIME_MAX))
}
