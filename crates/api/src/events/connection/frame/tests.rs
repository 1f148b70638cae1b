//! Our frames against those of a library that everybody uses, and against what a client must not send.

use proptest::prelude::*;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocket};

use super::*;

const MAX: usize = 65_536;

/// A stream in memory.
#[derive(Default)]
struct Memory {
    input: std::io::Cursor<Vec<u8>>,
    output: Vec<u8>,
}

impl std::io::Read for Memory {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        self.input.read(bytes)
    }
}

impl std::io::Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.output.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// What the library's client writes.
fn written(message: Message) -> Vec<u8> {
    let mut client = WebSocket::from_raw_socket(Memory::default(), Role::Client, None);
    client.send(message).unwrap();
    client.get_ref().output.clone()
}

/// What the library's client reads.
fn read(bytes: Vec<u8>) -> Message {
    let memory = Memory { input: std::io::Cursor::new(bytes), output: Vec::new() };
    WebSocket::from_raw_socket(memory, Role::Client, None).read().unwrap()
}

/// What we read, when the bytes come in pieces of this size.
fn decoded(bytes: &[u8], piece: usize) -> Result<Vec<Incoming>, Violation> {
    let mut decoder = Decoder::new(MAX);
    let mut all = Vec::new();
    for piece in bytes.chunks(piece.max(1)) {
        decoder.feed(piece);
        while let Some(incoming) = decoder.next()? {
            all.push(incoming);
        }
    }
    assert_eq!(decoder.bytes.capacity() > 0, !decoder.bytes.is_empty(), "nothing is kept for nothing");
    Ok(all)
}

/// A frame of a client, masked.
fn frame(first: u8, payload: &[u8]) -> Vec<u8> {
    let mask = [1, 2, 3, 4];
    let mut bytes = vec![first];
    match payload.len() {
        0..=125 => bytes.push(MASKED | payload.len() as u8),
        _ => {
            bytes.push(MASKED | LENGTH_16);
            bytes.extend((payload.len() as u16).to_be_bytes());
        }
    }
    bytes.extend(mask);
    bytes.extend(payload.iter().enumerate().map(|(place, byte)| byte ^ mask[place % 4]));
    bytes
}

proptest! {
    #[test]
    fn what_a_client_writes_is_read(texts in prop::collection::vec("\\PC{0,300}", 1..5), long in 0usize..70_000, piece in 1usize..5000) {
        let mut bytes = Vec::new();
        for text in &texts {
            bytes.extend(written(Message::text(text.clone())));
        }
        let long = "x".repeat(long);
        bytes.extend(written(Message::binary(long.clone())));
        let read = decoded(&bytes, piece);
        if long.len() > MAX {
            prop_assert_eq!(read, Err(Violation::TooBig));
            return Ok(());
        }
        let expected = texts.iter().cloned().chain([long]).map(|text| Incoming::Message(text.into()));
        prop_assert_eq!(read, Ok(expected.collect()));
    }

    #[test]
    fn what_we_write_is_read_by_a_client(text in "\\PC{0,100}", long in 0usize..200_000) {
        let texts = [text, "y".repeat(long)];
        for text in texts {
            let (header, used) = message_header(Kind::Text, text.len());
            let bytes = [&header[..used], text.as_bytes()].concat();
            prop_assert_eq!(read(bytes), Message::text(text));
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes: Vec<u8>, piece in 1usize..64) {
        let whole = decoded(&bytes, bytes.len());
        prop_assert_eq!(decoded(&bytes, piece).is_ok(), whole.is_ok());
    }

    #[test]
    fn fragments_are_put_together(text in "\\PC{1,200}", at in 0usize..200, piece in 1usize..50) {
        let at = at.min(text.len());
        let (one, two) = text.as_bytes().split_at(at);
        let bytes = [frame(0x01, one), frame(0x89, b"now"), frame(0x80, two)].concat();
        let expected = vec![Incoming::Ping("now".into()), Incoming::Message(text.clone().into())];
        prop_assert_eq!(decoded(&bytes, piece), Ok(expected));
    }
}

#[test]
fn what_a_client_must_not_send() {
    let too_long = [frame(0x01, &[b'x'; 60_000]), frame(0x80, &[b'x'; 60_000])].concat();
    for (bytes, violation) in [
        (vec![0x81, 0x01, b'x'], Violation::Protocol),
        (frame(0xc1, b"x"), Violation::Protocol),
        (frame(0x83, b"x"), Violation::Protocol),
        (frame(0x09, b"x"), Violation::Protocol),
        (frame(0x89, &[b'x'; 126]), Violation::Protocol),
        (frame(0x80, b"x"), Violation::Protocol),
        ([frame(0x01, b"x"), frame(0x81, b"x")].concat(), Violation::Protocol),
        (frame(0x88, b"x"), Violation::Protocol),
        (frame(0x88, &1005u16.to_be_bytes()), Violation::Protocol),
        (frame(0x88, &[3, 232, 0xff]), Violation::Protocol),
        (frame(0x81, &[0xff]), Violation::NotText),
        (too_long, Violation::TooBig),
        (vec![0x82, MASKED | LENGTH_64, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff], Violation::TooBig),
    ] {
        assert_eq!(decoded(&bytes, usize::MAX), Err(violation), "{:?}", &bytes[..bytes.len().min(12)]);
    }
}

#[test]
fn a_goodbye_carries_code_and_reason() {
    let Message::Close(Some(said)) = read(close(3501, "bad request")) else { panic!("no close") };
    assert_eq!((u16::from(said.code), said.reason.as_str()), (3501, "bad request"));
    assert_eq!(decoded(&written(Message::Close(None)), 1), Ok(vec![Incoming::Close]));
    assert_eq!(read(pong(b"now")), Message::Pong("now".into()));
    assert_eq!(read(ping()), Message::Ping("".into()));
}
