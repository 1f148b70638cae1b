//! The intake: decides which bytes of a client reach the HTTP parser. Pure: bytes in, a verdict out.
//!
//! hyper accepts line ends without a carriage return and requests without a `Host`, and answers unparsable requests
//! without a body. So the intake withholds each head until it is complete, checks it (see [`head`]), and follows the
//! framing of bodies to know where the next head begins. A refused head never reaches hyper. The server passes a
//! placeholder request instead, so that the pipeline answers the refusal in order, as it answers all requests.

mod chunks;
mod head;
#[cfg(test)]
mod tests;

use chunks::{Chunks, Progress};
use head::{Framing, Scan, Scanned};
use model::{Code, Problem};

pub use head::{HEADERS_MAX, asks_for_websocket};

/// The most bytes of a head, including the empty lines before it.
pub const HEAD_BYTES_MAX: usize = 64 * 1024;

/// Checks the byte stream of one connection.
pub struct Intake {
    state: State,
    /// Whether the current message asks for a websocket. The bytes behind it may not be HTTP.
    asks_for_websocket: bool,
    /// Heads that passed.
    heads: u64,
}

enum State {
    Head(Scan),
    /// In a body of which this number of bytes is still to come.
    Length(u64),
    Chunks(Chunks),
    /// No more bytes reach the parser: a head was refused, or the connection may leave HTTP.
    Held,
    /// The body's framing is invalid. The parser sees the end of the stream.
    Broken,
}

/// The intake's decision on some bytes.
pub struct Verdict {
    /// The number of bytes from the beginning that the parser may read. The rest belongs to an incomplete head.
    pub passed: usize,
    /// Why the head behind those bytes is refused.
    pub refusal: Option<Problem>,
}

/// The result of looking at the next bytes.
enum Step {
    /// This number of bytes passes, and another message follows.
    Pass(usize),
    /// This number of bytes passes, and the rest waits for more.
    Wait(usize),
    Refuse(Problem),
}

/// What the socket does when the parser wants to read.
#[derive(PartialEq, Eq, Debug)]
pub enum Stance {
    Reads,
    Waits,
    Ends,
}

impl Intake {
    pub fn new() -> Self {
        Self { state: State::Head(Scan::default()), asks_for_websocket: false, heads: 0 }
    }

    pub fn stance(&self) -> Stance {
        match self.state {
            State::Held => Stance::Waits,
            State::Broken => Stance::Ends,
            _ => Stance::Reads,
        }
    }

    /// Returns the number of heads that passed, which is the index of a refused request, counted from zero.
    pub fn heads(&self) -> u64 {
        self.heads
    }

    /// Checks bytes that the parser has not seen: those that the last verdict withheld, then those that have arrived
    /// since.
    pub fn admit(&mut self, bytes: &[u8]) -> Verdict {
        let mut passed = 0;
        loop {
            match self.step(&bytes[passed..]) {
                Step::Pass(length) => passed += length,
                Step::Wait(length) => return Verdict { passed: passed + length, refusal: None },
                Step::Refuse(problem) => {
                    self.state = State::Held;
                    return Verdict { passed, refusal: Some(problem) };
                }
            }
        }
    }

    /// Proceeds to the end of the current head or body.
    fn step(&mut self, rest: &[u8]) -> Step {
        match &mut self.state {
            State::Head(scan) => match scan.advance(rest) {
                Ok(Scanned::Complete(length)) => match self.take_head(&rest[..length]) {
                    Ok(()) => Step::Pass(length),
                    Err(problem) => Step::Refuse(problem),
                },
                Ok(Scanned::Partial) if rest.len() > HEAD_BYTES_MAX => {
                    Step::Refuse(Code::HeadersTooLarge.into())
                }
                Ok(Scanned::Partial) => Step::Wait(0),
                Err(problem) => Step::Refuse(problem),
            },
            State::Length(left) => {
                let length = usize::try_from(*left).unwrap_or(usize::MAX).min(rest.len());
                *left -= length as u64;
                if *left > 0 {
                    return Step::Wait(length);
                }
                self.end_message();
                Step::Pass(length)
            }
            State::Chunks(chunks) => match chunks.advance(rest) {
                Progress::Partial => Step::Wait(rest.len()),
                Progress::Complete(length) => {
                    self.end_message();
                    Step::Pass(length)
                }
                Progress::Broken(length) => {
                    // The parser must see the invalid byte, and nothing behind it.
                    self.state = State::Broken;
                    Step::Pass(length)
                }
            },
            State::Held | State::Broken => Step::Wait(0),
        }
    }

    /// Checks a complete head, and starts to follow its body.
    fn take_head(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        if bytes.len() > HEAD_BYTES_MAX {
            return Err(Code::HeadersTooLarge.into());
        }
        let head = head::check(bytes)?;
        self.heads += 1;
        self.asks_for_websocket = head.asks_for_websocket;
        match head.framing {
            Framing::Length(0) => self.end_message(),
            Framing::Length(length) => self.state = State::Length(length),
            Framing::Chunked => self.state = State::Chunks(Chunks::default()),
        }
        Ok(())
    }

    fn end_message(&mut self) {
        self.state = if self.asks_for_websocket { State::Held } else { State::Head(Scan::default()) };
    }
}
