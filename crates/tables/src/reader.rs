//! Reading CSV piece by piece, from any record on.
//!
//! Each record comes with the position in the file at which it ends, in bytes of the file itself and not of the decoded text. A
//! reader that begins there reads the next record: no supported encoding has a state between characters.

use csv_core::{ReadRecordResult, ReaderBuilder};

use crate::encoding::Encoding;

/// The longest record, in bytes of UTF-8. A quote that is never closed must not fill the memory.
pub const RECORD_BYTES_MAX: usize = 1 << 20;
/// The most fields of a record.
pub const FIELDS_MAX: usize = 2000;
/// Sizes with which the buffers of a record begin.
const RECORD_BYTES: usize = 4 << 10;
const FIELDS: usize = 64;

/// A record of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// The fields as they are in the file, without their quotes. Empty if there is a flaw.
    pub fields: Vec<String>,
    /// Where the next record begins, in bytes of the file.
    pub end: u64,
    pub flaw: Option<Flaw>,
}

/// Why a record can't be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flaw {
    /// It has too many bytes or too many fields.
    TooLarge,
    /// It has bytes that are no text in the file's encoding.
    NotText,
}

/// What a reader has.
#[derive(Debug, PartialEq, Eq)]
pub enum Step {
    Record(Record),
    /// More bytes are needed.
    More,
    End,
}

/// Reads the records of a CSV file.
pub struct Csv {
    core: csv_core::Reader,
    encoding: Encoding,
    /// What was fed and not read yet: in UTF-8 if the file is UTF-16, and otherwise as it is in the file.
    input: Vec<u8>,
    read: usize,
    /// Bytes of UTF-16 that are no whole character yet.
    unfinished: Vec<u8>,
    is_complete: bool,
    /// The record so far: its fields one after the other, and where each ends.
    output: Vec<u8>,
    written: usize,
    ends: Vec<usize>,
    fields: usize,
    is_too_large: bool,
    position: u64,
}

impl Csv {
    /// Begins at a record. `position` is where in the file that is, in bytes: behind the byte order mark, if the file has one.
    pub fn new(encoding: Encoding, delimiter: u8, position: u64) -> Self {
        let mut core = ReaderBuilder::new().delimiter(delimiter).build();
        // Its first call drops a byte order mark, which in the middle of a file is text. Without room for output, this call does nothing.
        core.read_record(b"\n", &mut [], &mut []);
        Self {
            core,
            encoding,
            input: Vec::new(),
            read: 0,
            unfinished: Vec::new(),
            is_complete: false,
            output: vec![0; RECORD_BYTES],
            written: 0,
            ends: vec![0; FIELDS],
            fields: 0,
            is_too_large: false,
            position,
        }
    }

    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        self.input.drain(..self.read);
        self.read = 0;
        if self.encoding.is_ascii_compatible() {
            self.input.extend_from_slice(bytes);
        } else {
            self.unfinished.extend_from_slice(bytes);
            self.decode_utf16();
        }
    }

    pub(crate) fn finish(&mut self) {
        self.is_complete = true;
        if !self.unfinished.is_empty() {
            self.unfinished.truncate(self.unfinished.len() / 2 * 2);
            self.decode_utf16();
        }
    }

    /// Moves what is complete of the UTF-16 into the input.
    fn decode_utf16(&mut self) {
        let bytes = std::mem::take(&mut self.unfinished);
        let unit = |pair: &[u8]| match self.encoding {
            Encoding::Utf16Be => u16::from_be_bytes([pair[0], pair[1]]),
            _ => u16::from_le_bytes([pair[0], pair[1]]),
        };
        let mut units: Vec<u16> = bytes.chunks_exact(2).map(unit).collect();
        let is_high = |unit: &u16| (0xD800..0xDC00).contains(unit);
        // The second half of a pair may come with the next piece.
        if !self.is_complete && units.last().is_some_and(is_high) {
            units.pop();
        }
        self.unfinished = bytes[units.len() * 2..].to_vec();
        // A lone half becomes one character, which is one unit as well: positions stay exact.
        let chars = char::decode_utf16(units).map(|char| char.unwrap_or(char::REPLACEMENT_CHARACTER));
        let mut buffer = [0; 4];
        for char in chars {
            self.input.extend_from_slice(char.encode_utf8(&mut buffer).as_bytes());
        }
    }

    pub(crate) fn step(&mut self) -> Step {
        loop {
            let input = &self.input[self.read..];
            if input.is_empty() && !self.is_complete {
                return Step::More;
            }
            let (output, ends) = (&mut self.output[self.written..], &mut self.ends[self.fields..]);
            let (result, read, written, fields) = self.core.read_record(input, output, ends);
            self.position += file_bytes(self.encoding, &input[..read]);
            self.read += read;
            self.written += written;
            self.fields += fields;
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => self.grow_output(),
                ReadRecordResult::OutputEndsFull => self.grow_fields(),
                ReadRecordResult::Record => return Step::Record(self.take_record()),
                ReadRecordResult::End => return Step::End,
            }
        }
    }

    fn grow_output(&mut self) {
        if self.output.len() >= RECORD_BYTES_MAX {
            self.discard();
        } else {
            self.output.resize(self.output.len() * 2, 0);
        }
    }

    fn grow_fields(&mut self) {
        if self.ends.len() >= FIELDS_MAX {
            self.discard();
        } else {
            self.ends.resize((self.ends.len() * 2).min(FIELDS_MAX), 0);
        }
    }

    /// Forgets what was read of a record that is too large.
    fn discard(&mut self) {
        self.is_too_large = true;
        (self.written, self.fields) = (0, 0);
    }

    fn take_record(&mut self) -> Record {
        let (ends, encoding) = (&self.ends[..self.fields], self.encoding);
        let mut flaw = std::mem::take(&mut self.is_too_large).then_some(Flaw::TooLarge);
        let mut fields = Vec::new();
        if flaw.is_none() {
            let mut from = 0;
            for end in ends {
                let bytes = &self.output[from..*end];
                from = *end;
                let text = match encoding {
                    Encoding::Windows1252 => Some(encoding.decode(bytes)),
                    _ => std::str::from_utf8(bytes).ok().map(str::to_owned),
                };
                match text {
                    Some(text) => fields.push(text),
                    None => flaw = Some(Flaw::NotText),
                }
            }
        }
        if flaw.is_some() {
            fields.clear();
        }
        (self.written, self.fields) = (0, 0);
        Record { fields, end: self.position, flaw }
    }
}

/// Returns how many bytes of the file a part of the input is. A part may end inside of a character.
fn file_bytes(encoding: Encoding, part: &[u8]) -> u64 {
    if encoding.is_ascii_compatible() {
        return part.len() as u64;
    }
    let units = |byte: &u8| match byte {
        0x80..=0xBF => 0,
        0xF0.. => 2,
        _ => 1,
    };
    2 * part.iter().map(units).sum::<u64>()
}

#[cfg(test)]
mod tests;
