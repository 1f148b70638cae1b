//! The fields of an event or a span, written once as they appear in a line.

use std::fmt::{self, Write};

use tracing::field::{Field, Visit};

use super::format::Format;

/// The field that holds the text of an event.
const MESSAGE: &str = "message";
/// Fields that each line has already. A field of an event or a span with such a name is left out.
const HEAD: &[&str] = &["time", "level", "target"];

/// Fields with their values as text of the line's format. A later value replaces an earlier one of the same field.
pub(super) struct Fields {
    format: Format,
    /// The names of the fields, and where the text of each value begins and ends.
    places: Vec<(&'static str, usize, usize)>,
    text: String,
}

impl Fields {
    pub(super) fn new(format: Format) -> Self {
        Self { format, places: Vec::with_capacity(8), text: String::with_capacity(192) }
    }

    /// Empties it for the next event, and keeps its memory.
    pub(super) fn clear(&mut self) {
        self.places.clear();
        self.text.clear();
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let place = self.places.iter().find(|(known, ..)| *known == name);
        place.map(|(_, from, to)| &self.text[*from..*to])
    }

    pub(super) fn message(&self) -> &str {
        self.get(MESSAGE).unwrap_or_default()
    }

    /// The fields without the message, in the order in which they were recorded.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let fields = self.places.iter().filter(|(name, ..)| *name != MESSAGE);
        fields.map(|(name, from, to)| (*name, &self.text[*from..*to]))
    }

    fn put(&mut self, field: &Field, write: impl FnOnce(&mut String, Format)) {
        if HEAD.contains(&field.name()) {
            return;
        }
        let from = self.text.len();
        write(&mut self.text, self.format);
        let place = (field.name(), from, self.text.len());
        match self.places.iter_mut().find(|(known, ..)| *known == field.name()) {
            Some(known) => *known = place,
            None => self.places.push(place),
        }
    }

    fn put_text(&mut self, field: &Field, write: impl FnOnce(&mut Escaped<'_>) -> fmt::Result) {
        let is_message = field.name() == MESSAGE;
        self.put(field, |text, format| match format {
            Format::Json => write_json(text, write),
            Format::Pretty => write_pretty(text, write, is_message),
        });
    }
}

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.put_text(field, |out| out.write_str(value));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.put_text(field, |out| write!(out, "{value:?}"));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, |text, _| write_number(text, value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, |text, _| write_number(text, value));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, |text, _| text.push_str(if value { "true" } else { "false" }));
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        // JSON has no word for infinity or for what is no number.
        let write = |text: &mut String, _| match value.is_finite() {
            true => write_number(text, value),
            false => text.push_str("null"),
        };
        self.put(field, write);
    }
}

fn write_number(text: &mut String, value: impl fmt::Display) {
    let _endless = write!(text, "{value}");
}

/// Writes a value as a JSON string.
fn write_json(text: &mut String, write: impl FnOnce(&mut Escaped<'_>) -> fmt::Result) {
    text.push('"');
    let _endless = write(&mut Escaped { text, format: Format::Json });
    text.push('"');
}

/// Writes a value for a terminal: on one line, without control characters, and in quotes if it could be mistaken for several.
fn write_pretty(text: &mut String, write: impl FnOnce(&mut Escaped<'_>) -> fmt::Result, is_message: bool) {
    let from = text.len();
    let _endless = write(&mut Escaped { text, format: Format::Pretty });
    let written = &text[from..];
    if !is_message && (written.is_empty() || written.contains([' ', '"', '='])) {
        let quoted = written.replace('"', "\\\"");
        text.truncate(from);
        text.extend(["\"", &quoted, "\""]);
    }
}

/// Writes text with its special characters escaped, as the format demands.
struct Escaped<'a> {
    text: &'a mut String,
    format: Format,
}

impl Escaped<'_> {
    /// Returns where the first special character is.
    fn find(&self, part: &str) -> Option<usize> {
        match self.format {
            // Bytes are enough here, because all special characters are ASCII; looking at characters would take longer.
            Format::Json => part.bytes().position(|byte| byte < 0x20 || matches!(byte, b'"' | b'\\')),
            Format::Pretty => part.find(char::is_control),
        }
    }
}

impl Write for Escaped<'_> {
    fn write_str(&mut self, mut part: &str) -> fmt::Result {
        while let Some(place) = self.find(part) {
            let (plain, rest) = part.split_at(place);
            self.text.push_str(plain);
            let mut rest = rest.chars();
            match rest.next() {
                Some('\n') => self.text.push_str("\\n"),
                Some(char @ ('"' | '\\')) => self.text.extend(['\\', char]),
                Some(char) => write!(self.text, "\\u{:04x}", u32::from(char))?,
                None => {}
            }
            part = rest.as_str();
        }
        self.text.push_str(part);
        Ok(())
    }
}
