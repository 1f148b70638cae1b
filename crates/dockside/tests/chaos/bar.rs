//! How far a long run is, in one line of a terminal that is written again and again.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

const WIDTH: usize = 30;
const DRAW_EVERY: Duration = Duration::from_millis(200);

pub struct Bar {
    engine: &'static str,
    began: Instant,
    drawn_at: Option<Instant>,
    is_shown: bool,
}

impl Bar {
    /// Shown where somebody looks at standard error, or where `CHAOS_BAR` asks for it.
    pub fn new(engine: &'static str) -> Self {
        let is_shown = std::env::var_os("CHAOS_BAR").is_some() || std::io::stderr().is_terminal();
        Self { engine, began: Instant::now(), drawn_at: None, is_shown }
    }

    pub fn draw(&mut self, (kills, kills_all): (usize, usize), (charges, charges_all): (usize, usize)) {
        if !self.is_shown || self.drawn_at.is_some_and(|at| at.elapsed() < DRAW_EVERY) {
            return;
        }
        self.drawn_at = Some(Instant::now());
        let done = (kills as f64 / kills_all as f64).min(charges as f64 / charges_all as f64).min(1.0);
        let full = (done * WIDTH as f64) as usize;
        let seconds = self.began.elapsed().as_secs();
        let line = format!(
            "\r{:8} [{}{}] {:3.0} %  {kills} of {kills_all} kills, {charges} of {charges_all} charges, {seconds} s ",
            self.engine,
            "#".repeat(full),
            ".".repeat(WIDTH - full),
            done * 100.0,
        );
        self.write(&line);
    }

    pub fn end(&self) {
        if self.drawn_at.is_some() {
            self.write("\n");
        }
    }

    fn write(&self, text: &str) {
        // A terminal that went away is no reason to stop.
        let _unseen = std::io::stderr().write_all(text.as_bytes());
    }
}
