//! The context of a run: its plan, its folder, its output, and the targets so far.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::time::Instant;

use crate::harness::outcome::Outcome;
use crate::harness::plan::Plan;
use crate::harness::report::Targets;

/// The context of all sections.
pub struct Bench {
    pub plan: Plan,
    /// The program under test.
    pub program: PathBuf,
    /// An earlier build of the program, to compare with.
    pub earlier: Option<PathBuf>,
    /// A folder on a real disk, which is deleted at the end. If syncs were free, measurements of writes would be
    /// worthless.
    pub folder: PathBuf,
    pub targets: Targets,
    pub began: Instant,
}

impl Bench {
    /// Shows on the terminal what is being measured.
    pub fn progress(&self, doing: &str) {
        let seconds = self.began.elapsed().as_secs();
        let mut out = std::io::stderr();
        let line = if out.is_terminal() { format!("\r\x1b[K{seconds:>3} s  {doing}") } else { String::new() };
        let _nobody_watches = out.write_all(line.as_bytes()).and_then(|()| out.flush());
    }

    /// Prints a finished table over the progress line.
    pub fn print(&self, text: &str) -> Outcome<()> {
        let mut out = std::io::stdout();
        if std::io::stderr().is_terminal() {
            std::io::stderr().write_all(b"\r\x1b[K")?;
        }
        out.write_all(text.as_bytes())?;
        Ok(out.flush()?)
    }
}
