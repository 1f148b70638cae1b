//! Frames of websockets (RFC 6455), as a server reads and writes them. Pure: bytes in, messages out.
//!
//! Our own because of what a client that only listens must cost: no buffer stays allocated between two messages. A
//! library's would be most of a connection's memory.

use bytes::{Buf, Bytes, BytesMut};
use realtime::code::Disconnect;

const FINAL: u8 = 0x80;
const RESERVED: u8 = 0x70;
const MASKED: u8 = 0x80;
const MASK_BYTES: usize = 4;
/// Bytes of a control frame's payload at most; and the lengths that say that a longer one follows.
const CONTROL_BYTES_MAX: u64 = 125;
const LENGTH_16: u8 = 126;
const LENGTH_64: u8 = 127;
/// Bytes of the longest header that we write.
pub const HEADER_BYTES_MAX: usize = 10;

const CONTINUATION: u8 = 0x0;
const CLOSE: u8 = 0x8;
const PING: u8 = 0x9;
const PONG: u8 = 0xa;

/// What a message is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Kind {
    Text = 0x1,
    Binary = 0x2,
}

/// What came.
#[derive(PartialEq, Eq, Debug)]
pub enum Incoming {
    Message(Bytes),
    Ping(Bytes),
    /// The client is going, for whatever reason.
    Close,
}

/// What a client must not do.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Violation {
    Protocol,
    NotText,
    TooBig,
}

impl From<Violation> for Disconnect {
    fn from(violation: Violation) -> Self {
        match violation {
            Violation::Protocol => Self::new(1002, "protocol error"),
            Violation::NotText => Self::new(1007, "not UTF-8"),
            Violation::TooBig => Self::TOO_BIG,
        }
    }
}

/// Reads what a client sends.
pub struct Decoder {
    message_bytes_max: usize,
    /// What came and is not read yet. Holds nothing while there is nothing.
    bytes: BytesMut,
    /// The fragments of a message whose end is still to come.
    fragments: Option<(Kind, BytesMut)>,
}

struct Header {
    is_final: bool,
    opcode: u8,
    mask: [u8; MASK_BYTES],
    header_bytes: usize,
    payload_bytes: usize,
}

impl Decoder {
    pub fn new(message_bytes_max: usize) -> Self {
        Self { message_bytes_max, bytes: BytesMut::new(), fragments: None }
    }

    /// Takes what came, in whatever pieces.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// The next thing that is whole.
    pub fn next(&mut self) -> Result<Option<Incoming>, Violation> {
        while let Some(header) = self.header()? {
            if self.bytes.len() < header.header_bytes + header.payload_bytes {
                return Ok(None);
            }
            self.bytes.advance(header.header_bytes);
            let mut payload = self.bytes.split_to(header.payload_bytes);
            if self.bytes.is_empty() {
                self.bytes = BytesMut::new();
            }
            unmask(&mut payload, header.mask);
            if let Some(incoming) = self.take(&header, payload)? {
                return Ok(Some(incoming));
            }
        }
        Ok(None)
    }

    /// The header of the next frame, once it is whole. What it promises is judged before it is waited for.
    fn header(&self) -> Result<Option<Header>, Violation> {
        let [first, second, rest @ ..] = &self.bytes[..] else { return Ok(None) };
        let (is_final, opcode) = (first & FINAL != 0, first & 0xf);
        let is_control = opcode & 0x8 != 0;
        let is_known = matches!(opcode, CONTINUATION | 1 | 2 | CLOSE | PING | PONG);
        if first & RESERVED != 0 || !is_known || second & MASKED == 0 || (is_control && !is_final) {
            return Err(Violation::Protocol);
        }
        let (length, length_bytes) = match second & !MASKED {
            LENGTH_16 => match rest.first_chunk::<2>() {
                Some(bytes) => (u64::from(u16::from_be_bytes(*bytes)), 2),
                None => return Ok(None),
            },
            LENGTH_64 => match rest.first_chunk::<8>() {
                Some(bytes) => (u64::from_be_bytes(*bytes), 8),
                None => return Ok(None),
            },
            short => (u64::from(short), 0),
        };
        if is_control && length > CONTROL_BYTES_MAX {
            return Err(Violation::Protocol);
        }
        let held = self.fragments.as_ref().map_or(0, |(_, fragments)| fragments.len());
        let payload_bytes = usize::try_from(length).unwrap_or(usize::MAX);
        if !is_control && payload_bytes > self.message_bytes_max.saturating_sub(held) {
            return Err(Violation::TooBig);
        }
        let Some(mask) = rest.get(length_bytes..).and_then(|rest| rest.first_chunk::<MASK_BYTES>()) else {
            return Ok(None);
        };
        let header_bytes = 2 + length_bytes + MASK_BYTES;
        Ok(Some(Header { is_final, opcode, mask: *mask, header_bytes, payload_bytes }))
    }

    fn take(&mut self, header: &Header, payload: BytesMut) -> Result<Option<Incoming>, Violation> {
        let kind = match header.opcode {
            CLOSE => return closed(&payload).map(Some),
            PING => return Ok(Some(Incoming::Ping(payload.freeze()))),
            PONG => return Ok(None),
            CONTINUATION => {
                let Some((kind, mut fragments)) = self.fragments.take() else {
                    return Err(Violation::Protocol);
                };
                fragments.extend_from_slice(&payload);
                return self.end(header.is_final, kind, fragments);
            }
            1 => Kind::Text,
            _ => Kind::Binary,
        };
        if self.fragments.is_some() {
            return Err(Violation::Protocol);
        }
        self.end(header.is_final, kind, payload)
    }

    /// Gives a message that is whole, and keeps one that is not.
    fn end(&mut self, is_final: bool, kind: Kind, payload: BytesMut) -> Result<Option<Incoming>, Violation> {
        if !is_final {
            self.fragments = Some((kind, payload));
            return Ok(None);
        }
        if kind == Kind::Text && std::str::from_utf8(&payload).is_err() {
            return Err(Violation::NotText);
        }
        Ok(Some(Incoming::Message(payload.freeze())))
    }
}

/// A close says nothing, or a code that may be sent and a reason that is text.
fn closed(payload: &[u8]) -> Result<Incoming, Violation> {
    let Some((code, reason)) = payload.split_first_chunk::<2>() else {
        return if payload.is_empty() { Ok(Incoming::Close) } else { Err(Violation::Protocol) };
    };
    match u16::from_be_bytes(*code) {
        1000..=1003 | 1007..=1014 | 3000..=4999 if std::str::from_utf8(reason).is_ok() => Ok(Incoming::Close),
        _ => Err(Violation::Protocol),
    }
}

fn unmask(payload: &mut [u8], mask: [u8; MASK_BYTES]) {
    for (place, byte) in payload.iter_mut().enumerate() {
        *byte ^= mask[place % MASK_BYTES];
    }
}

/// The header of a whole message of ours; the payload follows as it is.
pub fn message_header(kind: Kind, payload_bytes: usize) -> ([u8; HEADER_BYTES_MAX], usize) {
    let mut header = [0; HEADER_BYTES_MAX];
    header[0] = FINAL | kind as u8;
    let used = match payload_bytes {
        0..=125 => {
            header[1] = payload_bytes as u8;
            2
        }
        126..=0xffff => {
            header[1] = LENGTH_16;
            header[2..4].copy_from_slice(&(payload_bytes as u16).to_be_bytes());
            4
        }
        _ => {
            header[1] = LENGTH_64;
            header[2..].copy_from_slice(&(payload_bytes as u64).to_be_bytes());
            HEADER_BYTES_MAX
        }
    };
    (header, used)
}

/// A ping, as those may want it who speak to us by hand.
pub fn ping() -> Vec<u8> {
    vec![FINAL | PING, 0]
}

/// The answer to a ping, which says the same.
pub fn pong(payload: &[u8]) -> Vec<u8> {
    control(PONG, &[payload])
}

/// A goodbye with its reason.
pub fn close(code: u16, reason: &str) -> Vec<u8> {
    control(CLOSE, &[&code.to_be_bytes(), reason.as_bytes()])
}

fn control(opcode: u8, parts: &[&[u8]]) -> Vec<u8> {
    let mut payload = parts.concat();
    payload.truncate(CONTROL_BYTES_MAX as usize);
    let mut frame = vec![FINAL | opcode, payload.len() as u8];
    frame.append(&mut payload);
    frame
}

#[cfg(test)]
mod tests;
