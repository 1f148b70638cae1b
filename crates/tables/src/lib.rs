//! Tables as people have them: CSV of several encodings and delimiters, and lines of JSON. They are read piece by piece, from any
//! row on, in bounded memory. This crate does no I/O and knows no domain.

mod cell;
mod delimiter;
mod encoding;
mod json_lines;
mod reader;
mod writer;

pub use cell::clean;
pub use delimiter::{Start, detect_start};
pub use encoding::{Detected, Detector, Encoding};
pub use json_lines::JsonLines;
pub use reader::{Csv, FIELDS_MAX, Flaw, RECORD_BYTES_MAX, Record, Step};
pub use writer::{escape, guard, write_record};

/// Rows of either format, which is read in the same way.
pub enum Rows {
    Csv(Box<Csv>),
    JsonLines(JsonLines),
}

impl Rows {
    /// Appends the next bytes of the file.
    pub fn feed(&mut self, bytes: &[u8]) {
        match self {
            Rows::Csv(csv) => csv.feed(bytes),
            Rows::JsonLines(lines) => lines.feed(bytes),
        }
    }

    /// Says that the file has no more bytes.
    pub fn finish(&mut self) {
        match self {
            Rows::Csv(csv) => csv.finish(),
            Rows::JsonLines(lines) => lines.finish(),
        }
    }

    /// Returns the next row, or says what is missing for it.
    pub fn step(&mut self) -> Step {
        match self {
            Rows::Csv(csv) => csv.step(),
            Rows::JsonLines(lines) => lines.step(),
        }
    }
}
