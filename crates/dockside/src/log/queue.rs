//! The lines that wait to be written, and the thread that writes them.
//!
//! A write for each line would cost more than a request. So callers append to a buffer, and the thread writes the whole buffer
//! a few milliseconds later. The buffer is bounded: if the reader of the log is slow, lines are dropped and counted, because
//! a slow disk must not stop the service.

use std::io::Write;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::format::{Format, write_notice};

/// The name of the writing thread.
pub(super) const THREAD: &str = "log";
/// Bytes of lines that may wait to be written. Further lines are dropped.
pub(super) const WAITING_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Capacity that a written buffer keeps. A larger one is freed, so that a burst of lines holds no memory for ever.
const KEPT_BYTES: usize = 256 * 1024;
const DROPPED: &str = "log lines dropped: they came faster than they could be written";
/// How long lines gather before they are written: to wake the thread for each would cost more than the line.
const GATHER: Duration = Duration::from_millis(5);

pub(super) struct Queue {
    state: Mutex<State>,
    /// Notified when the first line arrives in an empty buffer, and when a caller waits for the buffer to be written.
    arrived: Condvar,
    /// Notified after each write.
    written: Condvar,
    format: Format,
}

#[derive(Default)]
struct State {
    waiting: Vec<u8>,
    /// Lines that were dropped since the last notice of it.
    dropped: u64,
    /// Buffers that the thread has taken, and those that it has written.
    taken: u64,
    written: u64,
    /// Callers that wait for the buffer to be written. The thread does not gather meanwhile.
    flushing: usize,
}

impl Queue {
    /// Starts the thread that writes to `out`.
    pub(super) fn start(out: impl Write + Send + 'static, format: Format) -> std::io::Result<Arc<Self>> {
        let queue = Arc::new(Self {
            state: Mutex::default(),
            arrived: Condvar::new(),
            written: Condvar::new(),
            format,
        });
        let writer = Arc::clone(&queue);
        std::thread::Builder::new().name(THREAD.to_owned()).spawn(move || writer.write_forever(out))?;
        Ok(queue)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends a line, which ends with a line break. If the buffer is full, the line is dropped.
    pub(super) fn push(&self, line: &str) {
        let mut state = self.lock();
        if state.waiting.len() + line.len() > WAITING_BYTES_MAX {
            state.dropped += 1;
            return;
        }
        let is_first = state.waiting.is_empty();
        state.waiting.extend_from_slice(line.as_bytes());
        drop(state);
        if is_first {
            self.arrived.notify_one();
        }
    }

    /// Waits until all lines that were appended before are written.
    pub(super) fn flush(&self) {
        let mut state = self.lock();
        let last = state.taken + u64::from(!state.waiting.is_empty());
        state.flushing += 1;
        self.arrived.notify_one();
        while state.written < last {
            state = self.written.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.flushing -= 1;
    }

    fn write_forever(&self, mut out: impl Write) {
        let mut chunk = Vec::new();
        loop {
            self.take(&mut chunk);
            // No place is left to report a failed write to.
            let _lost = out.write_all(&chunk).and_then(|()| out.flush());
            chunk.clear();
            chunk.shrink_to(KEPT_BYTES);
            self.lock().written += 1;
            self.written.notify_all();
        }
    }

    /// Waits for lines, lets more of them gather, and takes them all. If lines were dropped, a notice follows them.
    fn take(&self, chunk: &mut Vec<u8>) {
        let is_empty = |state: &mut State| state.waiting.is_empty();
        let state = self.arrived.wait_while(self.lock(), is_empty).unwrap_or_else(PoisonError::into_inner);
        let is_patient = |state: &mut State| state.flushing == 0;
        let gathered = self.arrived.wait_timeout_while(state, GATHER, is_patient);
        let (mut state, _) = gathered.unwrap_or_else(PoisonError::into_inner);
        std::mem::swap(&mut state.waiting, chunk);
        state.taken += 1;
        let dropped = std::mem::take(&mut state.dropped);
        drop(state);
        if dropped > 0 {
            let mut notice = String::new();
            write_notice(&mut notice, self.format, DROPPED, dropped);
            chunk.extend_from_slice(notice.as_bytes());
        }
    }
}
