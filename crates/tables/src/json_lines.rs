//! Lines of JSON: one value in each line. This reader only finds the lines; the caller parses them.

use crate::reader::{Flaw, RECORD_BYTES_MAX, Record, Step};

/// Reads the lines of a file piece by piece.
pub struct JsonLines {
    input: Vec<u8>,
    /// Bytes of `input` that belong to lines that were returned.
    read: usize,
    /// Bytes of `input` in which there is no end of a line.
    searched: usize,
    is_complete: bool,
    /// Whether the beginning of the current line was discarded, because it is too long.
    is_too_large: bool,
    position: u64,
}

impl JsonLines {
    /// Begins at a line. `position` is where in the file that is, in bytes.
    pub fn new(position: u64) -> Self {
        Self { input: Vec::new(), read: 0, searched: 0, is_complete: false, is_too_large: false, position }
    }

    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.input.drain(..self.read);
        self.searched = self.searched.saturating_sub(self.read);
        self.read = 0;
        self.input.extend_from_slice(bytes);
    }

    pub(crate) fn finish(&mut self) {
        self.is_complete = true;
    }

    pub(crate) fn step(&mut self) -> Step {
        loop {
            let from = self.searched.max(self.read);
            let end = self.input[from..].iter().position(|byte| *byte == b'\n').map(|place| from + place);
            let to = match end {
                Some(end) => end,
                None if self.is_complete && self.read < self.input.len() => self.input.len(),
                None if self.is_complete && self.is_too_large => self.input.len(),
                None if self.is_complete => return Step::End,
                None => {
                    self.searched = self.input.len();
                    self.discard_long();
                    return Step::More;
                }
            };
            let line = self.input[self.read..to].to_vec();
            let next = if end.is_some() { to + 1 } else { to };
            self.position += (next - self.read) as u64;
            self.read = next;
            self.searched = next;
            let is_too_large = std::mem::take(&mut self.is_too_large) || line.len() > RECORD_BYTES_MAX;
            if is_too_large {
                return Step::Record(Record {
                    fields: Vec::new(),
                    end: self.position,
                    flaw: Some(Flaw::TooLarge),
                });
            }
            if line.trim_ascii().is_empty() {
                continue;
            }
            return Step::Record(match String::from_utf8(line) {
                Ok(line) => Record { fields: vec![line], end: self.position, flaw: None },
                Err(_) => Record { fields: Vec::new(), end: self.position, flaw: Some(Flaw::NotText) },
            });
        }
    }

    /// Forgets the beginning of a line that is too long, so that no line fills the memory.
    fn discard_long(&mut self) {
        if self.input.len() - self.read > RECORD_BYTES_MAX {
            self.is_too_large = true;
            self.position += (self.input.len() - self.read) as u64;
            self.read = self.input.len();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8], piece: usize) -> Vec<(Option<String>, u64)> {
        let mut reader = JsonLines::new(0);
        let (mut found, mut pieces) = (Vec::new(), text.chunks(piece));
        loop {
            match reader.step() {
                Step::Record(record) => found.push((record.fields.into_iter().next(), record.end)),
                Step::More => match pieces.next() {
                    Some(piece) => reader.feed(piece),
                    None => reader.finish(),
                },
                Step::End => return found,
            }
        }
    }

    #[test]
    fn lines_are_found_however_they_come() {
        let text = b"{\"a\":1}\n\n {\"b\":2}\r\n{\"c\":3}";
        for piece in 1..text.len() {
            let found = lines(text, piece);
            let read: Vec<_> =
                found.iter().map(|(line, end)| (line.as_deref().unwrap_or("").trim(), *end)).collect();
            assert_eq!(read, [("{\"a\":1}", 8), ("{\"b\":2}", 19), ("{\"c\":3}", 26)], "{piece}");
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_left_out() {
        let mut text = vec![b'x'; RECORD_BYTES_MAX * 2];
        text.extend_from_slice(b"\n{}\n");
        let found = lines(&text, 1 << 16);
        assert_eq!(found.len(), 2);
        assert_eq!(found[0], (None, RECORD_BYTES_MAX as u64 * 2 + 1));
        assert_eq!(found[1].0.as_deref(), Some("{}"));
    }
}
