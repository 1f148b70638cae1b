//! Time without what the host took. A virtual machine can stand still for seconds while its host works for others, and a limit
//! on what the server may take must not fail because of that.

use std::time::{Duration, Instant};

/// The unit of the kernel's counters.
const TICK: Duration = Duration::from_millis(10);

/// Measures time, less the processor time that other virtual machines took meanwhile.
pub struct Stopwatch {
    began: Instant,
    stolen: Duration,
}

impl Stopwatch {
    pub fn start() -> Self {
        Self { began: Instant::now(), stolen: stolen() }
    }

    pub fn elapsed(&self) -> Duration {
        self.began.elapsed().saturating_sub(stolen().saturating_sub(self.stolen))
    }
}

/// Returns the time that other virtual machines took from each processor of this one since it was started, on average. It is
/// zero where the kernel does not tell.
pub fn stolen() -> Duration {
    let stat = std::fs::read_to_string("/proc/stat").unwrap_or_default();
    // The first line is the sum of all processors, which follow with a line each. Its eighth number is the stolen time.
    let ticks = stat.split_whitespace().nth(8).and_then(|field| field.parse().ok()).unwrap_or(0);
    let is_processor = |line: &&str| line.starts_with("cpu") && !line.starts_with("cpu ");
    let processors = stat.lines().filter(is_processor).count().max(1);
    TICK * ticks / u32::try_from(processors).expect("a small number")
}
