//! Finds the end of a chunked body (RFC 9112, section 7.1). hyper decodes the body; this module only follows its
//! framing.

/// Follows the framing of one chunked body.
#[derive(Default)]
pub struct Chunks {
    state: State,
    /// The chunk size that is being read, and then the number of its bytes that are still to come.
    size: u64,
}

#[derive(Clone, Copy, Default)]
enum State {
    /// Before the first digit of a size.
    #[default]
    Size,
    MoreSize,
    Extension,
    SizeLf,
    Data,
    DataCr,
    DataLf,
    /// At the beginning of a line of the trailer, which ends with an empty line.
    Trailer,
    TrailerLine,
    TrailerLf,
    EndLf,
}

#[derive(PartialEq, Eq, Debug)]
pub enum Progress {
    /// All bytes belong to the body, and more follow.
    Partial,
    /// The body ends after this number of bytes.
    Complete(usize),
    /// The last one of this number of bytes is invalid.
    Broken(usize),
}

impl Chunks {
    pub fn advance(&mut self, bytes: &[u8]) -> Progress {
        let mut place = 0;
        while let Some(byte) = bytes.get(place) {
            if let State::Data = self.state {
                let here = usize::try_from(self.size).unwrap_or(usize::MAX).min(bytes.len() - place);
                self.size -= here as u64;
                place += here;
                if self.size == 0 {
                    self.state = State::DataCr;
                }
                continue;
            }
            place += 1;
            if let (State::EndLf, b'\n') = (self.state, byte) {
                return Progress::Complete(place);
            }
            match self.next(*byte) {
                Some(state) => self.state = state,
                None => return Progress::Broken(place),
            }
        }
        Progress::Partial
    }

    /// Returns the state after a byte that is not data, or `None` if the byte is not allowed there.
    fn next(&mut self, byte: u8) -> Option<State> {
        Some(match (self.state, byte) {
            (State::Size | State::MoreSize, digit) if digit.is_ascii_hexdigit() => {
                let digit = char::from(digit).to_digit(16)?;
                self.size = self.size.checked_mul(16)?.checked_add(u64::from(digit))?;
                State::MoreSize
            }
            (State::MoreSize | State::Extension, b'\r') => State::SizeLf,
            (State::MoreSize, b';' | b' ' | b'\t') => State::Extension,
            (State::Extension, b'\n') | (State::TrailerLine, b'\n') | (State::Trailer, b'\n') => return None,
            (State::Extension, _) => State::Extension,
            (State::SizeLf, b'\n') if self.size == 0 => State::Trailer,
            (State::SizeLf, b'\n') => State::Data,
            (State::DataCr, b'\r') => State::DataLf,
            (State::DataLf, b'\n') => State::Size,
            (State::Trailer, b'\r') => State::EndLf,
            (State::TrailerLine, b'\r') => State::TrailerLf,
            (State::Trailer | State::TrailerLine, _) => State::TrailerLine,
            (State::TrailerLf, b'\n') => State::Trailer,
            _ => return None,
        })
    }
}
