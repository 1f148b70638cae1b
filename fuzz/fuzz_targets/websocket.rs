//! Any bytes on a websocket: they are messages or a violation, the same in whichever pieces they arrive.
//!
//! The first byte is the size of the pieces, and whether the rest is what a client sends or the payload of a message.
#![no_main]

use libfuzzer_sys::fuzz_target;

#[expect(dead_code, reason = "the target needs no ping of the server's")]
#[path = "../../crates/api/src/events/connection/frame.rs"]
mod frame;

use frame::{Decoder, HEADER_BYTES_MAX, Incoming, Kind, Violation, close, message_header, pong};

/// Small, so that inputs reach it.
const MESSAGE_BYTES_MAX: usize = 1000;
/// Bytes of a control frame's payload at most.
const CONTROL_BYTES_MAX: usize = 125;
const MASK: [u8; 4] = [0x5a, 0, 0xff, 7];

/// Returns what came, and the violation that ended it.
fn decoded(stream: &[u8], piece: usize) -> (Vec<Incoming>, Option<Violation>) {
    let mut decoder = Decoder::new(MESSAGE_BYTES_MAX);
    let mut came = Vec::new();
    for part in stream.chunks(piece) {
        decoder.feed(part);
        loop {
            match decoder.next() {
                Ok(Some(incoming)) => came.push(incoming),
                Ok(None) => break,
                Err(violation) => return (came, Some(violation)),
            }
        }
    }
    (came, None)
}

/// Masks a frame of ours as a client would. Its header and its payload are given apart.
fn masked(header: &[u8], payload: &[u8]) -> Vec<u8> {
    let mut frame = header.to_vec();
    frame[1] |= 0x80;
    frame.extend_from_slice(&MASK);
    frame.extend(payload.iter().enumerate().map(|(place, byte)| byte ^ MASK[place % 4]));
    frame
}

/// A message that is written as ours is read as it was.
fn round_trip(payload: &[u8], piece: usize) {
    let (header, used) = message_header(Kind::Binary, payload.len());
    assert!(used <= HEADER_BYTES_MAX);
    let expected = match payload.len() <= MESSAGE_BYTES_MAX {
        true => (vec![Incoming::Message(payload.to_vec().into())], None),
        false => (Vec::new(), Some(Violation::TooBig)),
    };
    assert_eq!(decoded(&masked(&header[..used], payload), piece), expected);
    let pong = pong(payload);
    assert_eq!(pong.len(), 2 + payload.len().min(CONTROL_BYTES_MAX));
    assert_eq!(decoded(&masked(&pong[..2], &pong[2..]), piece), (Vec::new(), None), "a pong says nothing");
    if let Ok(reason) = std::str::from_utf8(payload) {
        let close = close(1000, reason);
        let is_whole = reason.len() + 2 <= CONTROL_BYTES_MAX;
        let came = decoded(&masked(&close[..2], &close[2..]), piece);
        // A reason that was cut may end within a character.
        assert!(!is_whole || came == (vec![Incoming::Close], None));
    }
}

fuzz_target!(|bytes: &[u8]| {
    let [choice, stream @ ..] = bytes else { return };
    let piece = usize::from(choice >> 1).max(1);
    if choice & 1 == 1 {
        return round_trip(stream, piece);
    }
    let whole = decoded(stream, stream.len().max(1));
    let mut taken = 0;
    for incoming in &whole.0 {
        let (bytes, bytes_max) = match incoming {
            Incoming::Message(message) => (message.len(), MESSAGE_BYTES_MAX),
            Incoming::Ping(payload) => (payload.len(), CONTROL_BYTES_MAX),
            Incoming::Close => (0, 0),
        };
        assert!(bytes <= bytes_max, "{bytes}");
        taken += bytes;
    }
    assert!(taken <= stream.len());
    assert_eq!(decoded(stream, piece), whole);
});
