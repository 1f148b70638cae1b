//! Waiting for a count, for as long as it grows: a long run takes its time, a stuck one fails.

use std::time::{Duration, Instant};

use testkit::progress::Progress;

/// What makes no progress for so long is stuck. Lanes of a dead node are free after 10 s.
pub const STUCK: Duration = Duration::from_secs(60);
const LOOK_EVERY: Duration = Duration::from_millis(5);

/// Waits until the count reaches the goal, and shows how far it is.
pub fn wait_for(what: &str, goal: u64, progress: &mut Progress, count: impl Fn() -> u64) {
    let (mut done, mut moved) = (count(), Instant::now());
    while done < goal {
        progress.reach(done, goal);
        std::thread::sleep(LOOK_EVERY);
        let now = count();
        if now > done {
            (done, moved) = (now, Instant::now());
        }
        assert!(moved.elapsed() < STUCK, "{what}: stuck at {done} of {goal}");
    }
    progress.reach(done, goal);
}
