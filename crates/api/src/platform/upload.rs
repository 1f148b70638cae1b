//! A request's body: read by the routes that take one, and otherwise discarded so that the connection stays usable.
//!
//! If a request is answered while its body is still arriving, hyper closes the connection, and the kernel resets it
//! as soon as more of the body comes in: the client may lose the answer. So the rest of a body is discarded before
//! the answer is sent. If the rest is too large or too slow, the answer says `Connection: close` and the server
//! lingers (see [`crate::platform::linger`]).

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::{HeaderMap, header};
use http_body::Body;
use http_body_util::BodyExt;
use model::platform::fair::Tenant;
use model::{Code, Error, Result};
use tokio::sync::mpsc;
use tokio::time::{Instant, timeout, timeout_at};

use crate::platform::arrivals::Arrivals;

/// The largest rest of a body that is discarded before the answer, in bytes.
const DISCARD_BYTES_MAX: u64 = 256 * 1024;
/// The longest time that the answer waits for the rest of a body.
const DISCARD_TIME: Duration = Duration::from_secs(2);
/// How far a body may fall behind its minimum rate, and that rate in bytes per second.
const PACE_GRACE: Duration = Duration::from_secs(5);
const PACE_BYTES_PER_SECOND: u32 = 4 * 1024;

/// The limits of a body.
pub struct Allowance<'a> {
    /// The largest body, in bytes.
    pub bytes_max: usize,
    /// The longest time until it has arrived.
    pub time: Duration,
    /// Whether it must arrive at the minimum rate.
    pub has_pace: bool,
    /// The arriving bodies that share the limits with it.
    pub arrivals: &'a Arrivals,
    /// The tenant that it counts for.
    pub tenant: Tenant,
}

impl Allowance<'_> {
    /// Returns the time within which more than `received` bytes must have arrived.
    fn time_for(&self, received: usize) -> Duration {
        let pace = PACE_GRACE + Duration::from_secs(received as u64) / PACE_BYTES_PER_SECOND;
        if self.has_pace { pace.min(self.time) } else { self.time }
    }
}

/// A body, and how much of it was read.
pub struct Upload<B> {
    body: B,
    /// The client sends the body only after an interim `100 Continue`, which the first read triggers.
    awaits_continue: bool,
    progress: Progress,
}

#[derive(PartialEq)]
enum Progress {
    Untouched,
    Begun,
    /// Reading timed out or failed. The rest will not arrive in time.
    Stalled,
    Complete,
}

impl<B> Upload<B>
where
    B: Body<Data = Bytes> + Send + Unpin,
    B::Error: std::error::Error + Send + Sync + 'static,
{
    pub fn new(headers: &HeaderMap, body: B) -> Self {
        let progress = if body.is_end_stream() { Progress::Complete } else { Progress::Untouched };
        Self { body, awaits_continue: headers.contains_key(header::EXPECT), progress }
    }

    /// Returns whether the whole body has arrived.
    pub fn is_complete(&self) -> bool {
        self.progress == Progress::Complete
    }

    /// Reads the whole body, within its limits.
    pub async fn read(&mut self, headers: &HeaderMap, allowance: &Allowance<'_>) -> Result<Bytes> {
        let declared =
            headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
        if declared.is_some_and(|length: usize| length > allowance.bytes_max) {
            return Err(Code::BodyTooLarge.into());
        }
        if self.is_complete() {
            return Ok(Bytes::new());
        }
        self.progress = Progress::Begun;
        let began = Instant::now();
        let mut arrival = allowance.arrivals.enter(allowance.tenant);
        let mut all = BytesMut::new();
        loop {
            let deadline = began + allowance.time_for(all.len());
            let frame = tokio::select! {
                biased;
                () = arrival.displaced() => Err(Code::Overloaded),
                frame = timeout_at(deadline, self.body.frame()) => frame.map_err(|_| Code::Timeout),
            };
            let data = match frame {
                Ok(Some(Ok(frame))) => frame.into_data().unwrap_or_default(),
                Ok(None) => break,
                // The client closed the connection before the body ended. No handler has run, and the answer is not read.
                Ok(Some(Err(_))) => return self.stall(Code::InvalidJson),
                Err(code) => return self.stall(code),
            };
            if all.len() + data.len() > allowance.bytes_max {
                return Err(Code::BodyTooLarge.into());
            }
            if all.is_empty() && self.body.is_end_stream() {
                // Most bodies arrive in one chunk, which is passed on without a copy.
                self.progress = Progress::Complete;
                return Ok(data);
            }
            // Copied, because keeping a chunk would keep the connection's whole read buffer.
            arrival.grow(data.len());
            all.extend_from_slice(&data);
        }
        self.progress = Progress::Complete;
        Ok(all.freeze())
    }

    /// Passes the body on, piece by piece, while it arrives. Ends if the receiver wants no more. A body that does not arrive completely
    /// ends with an error.
    pub async fn pass_on(&mut self, allowance: &Allowance<'_>, to: mpsc::Sender<Result<Bytes>>) {
        if self.is_complete() {
            return;
        }
        self.progress = Progress::Begun;
        let mut arrival = allowance.arrivals.enter(allowance.tenant);
        loop {
            let frame = tokio::select! {
                biased;
                () = to.closed() => return,
                () = arrival.displaced() => Err(Code::Overloaded),
                // Only waiting for the client counts, and not waiting for the file store.
                frame = timeout(allowance.time, self.body.frame()) => frame.map_err(|_| Code::Timeout),
            };
            let data = match frame {
                Ok(Some(Ok(frame))) => Ok(frame.into_data().unwrap_or_default()),
                Ok(None) => break,
                Ok(Some(Err(_))) => Err(Code::MalformedRequest),
                Err(code) => Err(code),
            };
            let is_broken = data.is_err();
            if to.send(data.map_err(Error::from)).await.is_err() {
                return;
            }
            if is_broken {
                self.progress = Progress::Stalled;
                return;
            }
        }
        self.progress = Progress::Complete;
    }

    /// Gives up on the rest of a body, which does not arrive in time.
    fn stall(&mut self, code: Code) -> Result<Bytes> {
        self.progress = Progress::Stalled;
        Err(Error::from(code))
    }

    /// Discards the unread rest, and returns whether the body has ended, so that the connection can be kept.
    pub async fn discard(&mut self) -> bool {
        match self.progress {
            Progress::Complete => return true,
            Progress::Stalled => return false,
            // Reading now would make the client send a body that the server does not need.
            Progress::Untouched if self.awaits_continue => return false,
            Progress::Untouched | Progress::Begun => {}
        }
        if self.body.size_hint().lower() > DISCARD_BYTES_MAX {
            return false;
        }
        let rest = async {
            let mut bytes_left = DISCARD_BYTES_MAX;
            while let Some(frame) = self.body.frame().await {
                let Ok(frame) = frame else { return false };
                let bytes = frame.data_ref().map_or(0, |data| data.len() as u64);
                let Some(left) = bytes_left.checked_sub(bytes) else { return false };
                bytes_left = left;
            }
            true
        };
        tokio::time::timeout(DISCARD_TIME, rest).await.unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_with_a_pace_has_time_for_what_has_arrived() {
        let arrivals = Arrivals::new(1, 1);
        let (arrivals, tenant) = (&arrivals, Tenant::Unknown);
        let allowance =
            Allowance { bytes_max: 1, time: Duration::from_secs(30), has_pace: true, arrivals, tenant };
        let seconds = [0, 1024, 40_960, 1_000_000].map(|bytes| allowance.time_for(bytes).as_secs_f64());
        assert_eq!(seconds, [5.0, 5.25, 15.0, 30.0]);
        let without = Allowance { has_pace: false, ..allowance };
        assert_eq!(without.time_for(0), Duration::from_secs(30));
    }
}
