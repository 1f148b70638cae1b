//! How far a long run is, on standard error: a bar on a terminal, a line now and then anywhere else.

use std::io::{IsTerminal, Write, stderr};
use std::time::{Duration, Instant};

const BAR_WIDTH: usize = 30;
/// How often the bar is drawn at most.
const DRAW_EVERY: Duration = Duration::from_millis(200);
/// Per cent between two lines if there is no terminal, so that a log stays short.
const LINE_EVERY: u64 = 20;

pub struct Progress {
    what: String,
    began: Instant,
    drawn_at: Option<Instant>,
    /// The last per cent of which a line was written.
    told: u64,
    has_bar: bool,
}

impl Progress {
    /// The bar is drawn if standard error is a terminal, or if `TEST_PROGRESS_BAR` asks for it.
    pub fn new(what: &str) -> Self {
        let has_bar = std::env::var_os("TEST_PROGRESS_BAR").is_some() || stderr().is_terminal();
        Self { what: what.to_owned(), began: Instant::now(), drawn_at: None, told: 0, has_bar }
    }

    /// Shows that `done` of `total` is done.
    pub fn reach(&mut self, done: u64, total: u64) {
        self.show(per_cent(done, total), &format!("{done} of {total}"));
    }

    /// Shows how much is done in per cent, with the counts behind it.
    pub fn show(&mut self, per_cent: u64, counts: &str) {
        let per_cent = per_cent.min(100);
        if !self.has_bar {
            let reached = per_cent / LINE_EVERY * LINE_EVERY;
            if reached > self.told {
                self.told = reached;
                self.write(&format!("{}: {reached}%, {counts}\n", self.what));
            }
        } else if self.drawn_at.is_none_or(|at| at.elapsed() >= DRAW_EVERY) {
            self.drawn_at = Some(Instant::now());
            let full = per_cent as usize * BAR_WIDTH / 100;
            let (bar, rest) = ("#".repeat(full), ".".repeat(BAR_WIDTH - full));
            let seconds = self.began.elapsed().as_secs();
            self.write(&format!("\r{} [{bar}{rest}] {per_cent:>3}%  {counts}, {seconds} s ", self.what));
        }
    }

    /// Ends the line of the bar, so that what is written next begins on a line of its own.
    pub fn end(&mut self) {
        if self.drawn_at.take().is_some() {
            self.write("\n");
        }
    }

    fn write(&self, text: &str) {
        // A terminal that went away is no reason to stop.
        let _unseen = stderr().write_all(text.as_bytes());
    }
}

/// Returns how much of `total` is done, in per cent. Nothing to do is done.
pub fn per_cent(done: u64, total: u64) -> u64 {
    (done * 100).checked_div(total).unwrap_or(100)
}
