//! Waits for a count as long as it grows, so that a long run passes and a stuck one fails.

use std::time::{Duration, Instant};

use testkit::progress::Progress;

/// A count that does not grow for this time is stuck. Lanes of a dead node are free after 10 s.
pub const STUCK: Duration = Duration::from_secs(150);
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
