//! Measures how long the machine was stalled. If other programs keep it busy, a commit that usually takes a millisecond
//! may take seconds, and so does everything that waits for the commit.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::message::now;

/// The pause between two measurements.
const BEAT: Duration = Duration::from_millis(20);
/// A shorter delay is usual on a busy machine, and does not count.
const STILL_US_MIN: i64 = 200_000;
/// Stalls in this time before a moment count for it.
const BEFORE_US: i64 = 10_000_000;

/// A thread that sleeps, writes a little and syncs it, again and again, and notes when that took too long.
pub struct StallMeter {
    /// When each stall ended, and how long it was.
    still: Arc<Mutex<Vec<(i64, i64)>>>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl StallMeter {
    pub fn start() -> Self {
        let (still, is_over) = (Arc::<Mutex<Vec<(i64, i64)>>>::default(), Arc::<AtomicBool>::default());
        let (noted, until) = (Arc::clone(&still), Arc::clone(&is_over));
        let thread = std::thread::spawn(move || {
            let mut file = tempfile::tempfile().expect("a file");
            while !until.load(Ordering::Relaxed) {
                let began = now();
                std::thread::sleep(BEAT);
                file.write_all(&[0; 512]).and_then(|()| file.sync_data()).expect("the file is written");
                let late = now() - began - BEAT.as_micros() as i64;
                if late >= STILL_US_MIN {
                    noted.lock().unwrap().push((now(), late));
                }
            }
        });
        Self { still, is_over, thread: Some(thread) }
    }

    /// Returns for how many microseconds the machine was stalled in the seconds before a moment that has just passed.
    pub fn still_before(&self, at: i64) -> i64 {
        // A stall that has not ended yet is recorded at the end of the next measurement.
        std::thread::sleep(2 * BEAT);
        let still = self.still.lock().unwrap();
        still.iter().filter(|(ended, _)| *ended >= at - BEFORE_US).map(|(_, micros)| micros).sum()
    }
}

impl Drop for StallMeter {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ended = thread.join();
        }
    }
}
