//! The JSON encoding: objects separated by newlines. Serde decodes; the message tables in `frame.rs` define the
//! encoder.

use bytes::{Buf, Bytes};
use serde::de::DeserializeOwned;

use super::message::MalformedFrame;

/// Removes and decodes the first object of a frame.
pub(crate) fn next<M: DeserializeOwned>(frame: &mut Bytes) -> Option<Result<M, MalformedFrame>> {
    let mut objects = serde_json::Deserializer::from_slice(frame).into_iter::<M>();
    let object = objects.next()?.map_err(|_| MalformedFrame);
    // Serde would fill a struct from an array by position. No client means that, so an array is an error.
    let is_object = frame.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'{');
    let read = objects.byte_offset();
    frame.advance(read.min(frame.len()));
    Some(object.and_then(|object| if is_object { Ok(object) } else { Err(MalformedFrame) }))
}

/// Appends a JSON string with its quotes.
pub(crate) fn text(text: &str, out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    out.push(b'"');
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0..0x20 => {
                out.extend_from_slice(b"\\u00");
                out.extend_from_slice(&[HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
            }
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_text_reads_back(text in any::<String>()) {
            let mut out = Vec::new();
            super::text(&text, &mut out);
            prop_assert_eq!(serde_json::from_slice::<String>(&out).unwrap(), text);
            prop_assert!(!out.contains(&b'\n'));
        }
    }
}
