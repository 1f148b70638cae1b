//! How far a long command is, on standard error: a bar on a terminal, a line now and then anywhere else.

use std::io::{IsTerminal, Write, stderr};

/// Characters of the bar.
const BAR_WIDTH: u64 = 40;
/// Per cent between two lines where there is no terminal, so that a log stays short.
const LINE_EVERY: u64 = 20;

pub struct Progress {
    what: &'static str,
    /// Zero if the total is unknown; then nothing is shown.
    total: u64,
    /// The last per cent shown.
    shown: Option<u64>,
    is_terminal: bool,
}

impl Progress {
    pub fn new(what: &'static str, total: u64) -> Self {
        Self { what, total, shown: None, is_terminal: stderr().is_terminal() }
    }

    /// So much is done.
    pub fn reach(&mut self, done: u64) {
        if let Some(text) = self.text(done) {
            // The command must go on even if standard error can't be written.
            let _unseen = stderr().write_all(text.as_bytes());
        }
    }

    /// Nothing more will be done: what is written next begins on a line of its own.
    pub fn end(&mut self) {
        if self.is_terminal && self.shown.take().is_some() {
            let _unseen = stderr().write_all(b"\n");
        }
    }

    /// What to show, if it differs from what is shown.
    fn text(&mut self, done: u64) -> Option<String> {
        let per_cent = done.min(self.total) * 100 / if self.total == 0 { return None } else { self.total };
        let step = if self.is_terminal { 1 } else { LINE_EVERY };
        let reached = per_cent / step * step;
        if reached <= self.shown.unwrap_or(0) {
            return None;
        }
        self.shown = Some(reached);
        let what = self.what;
        if !self.is_terminal {
            return Some(format!("{what}: {reached}%\n"));
        }
        let full = (reached * BAR_WIDTH / 100) as usize;
        let (bar, rest) = ("#".repeat(full), ".".repeat(BAR_WIDTH as usize - full));
        Some(format!("\r{what} [{bar}{rest}] {reached:>3}%"))
    }
}

/// A count and its noun: `1 line`, `289,875 lines`.
pub fn counted(count: usize, noun: &str) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    format!("{text} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(total: u64, is_terminal: bool) -> Progress {
        Progress { what: "reading", total, shown: None, is_terminal }
    }

    #[test]
    fn a_terminal_gets_a_bar_that_moves_by_the_per_cent() {
        let mut progress = progress(1000, true);
        assert_eq!(progress.text(9), None);
        let bar = progress.text(500).unwrap();
        assert_eq!(bar, format!("\rreading [{}{}]  50%", "#".repeat(20), ".".repeat(20)));
        assert_eq!(progress.text(509), None);
        assert_eq!(progress.text(1000), Some(format!("\rreading [{}] 100%", "#".repeat(40))));
        assert_eq!(progress.text(2000), None, "there is no more than all of it");
    }

    #[test]
    fn a_log_gets_a_line_now_and_then() {
        let mut progress = progress(1000, false);
        let lines: Vec<_> = (0..=1000).filter_map(|done| progress.text(done)).collect();
        assert_eq!(lines.concat(), "reading: 20%\nreading: 40%\nreading: 60%\nreading: 80%\nreading: 100%\n");
    }

    #[test]
    fn what_has_no_known_end_has_no_progress() {
        assert_eq!(progress(0, true).text(10), None);
    }

    #[test]
    fn counts_are_grouped_and_have_their_plural() {
        let words = [0, 1, 999, 1000, 289_875, 1_000_000].map(|count| counted(count, "line"));
        assert_eq!(
            words,
            ["0 lines", "1 line", "999 lines", "1,000 lines", "289,875 lines", "1,000,000 lines"]
        );
    }
}
