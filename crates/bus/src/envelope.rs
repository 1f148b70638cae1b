//! The envelope of a message: `1 <sender> <text>`, where 1 is the version and the sender is a unique name, by which a node
//! recognises its own messages. A message without text is a probe, which means nothing.
//!
//! Nodes of several versions may run during a roll-out, so a node must not fail on a message of another version.

use crate::{ENVELOPE_BYTES_MAX, MESSAGE_BYTES_MAX};

const VERSION: &str = "1";
/// The longest name of a sender, in bytes.
const NAME_BYTES_MAX: usize = 32;
/// The spaces behind the version and the name.
const SPACES_BYTES: usize = 2;

const _: () = assert!(VERSION.len() + NAME_BYTES_MAX + SPACES_BYTES <= ENVELOPE_BYTES_MAX);

/// What a message is.
#[derive(PartialEq, Eq, Debug)]
pub enum Envelope<'a> {
    /// This node sent it, or it says nothing.
    Ignored,
    /// Another node sent this text.
    Text(&'a str),
    /// Of another version, or nothing that nodes send.
    Unknown,
}

pub fn write(sender: &str, text: &str) -> String {
    format!("{VERSION} {sender} {text}")
}

/// Returns a message that means nothing.
pub fn probe(sender: &str) -> String {
    format!("{VERSION} {sender}")
}

pub fn read<'a>(message: &'a [u8], own_name: &str) -> Envelope<'a> {
    if message.len() > MESSAGE_BYTES_MAX {
        return Envelope::Unknown;
    }
    let Ok(message) = std::str::from_utf8(message) else { return Envelope::Unknown };
    let Some((VERSION, rest)) = message.split_once(' ') else { return Envelope::Unknown };
    match rest.split_once(' ') {
        Some((sender, _)) if sender == own_name => Envelope::Ignored,
        Some((_, text)) => Envelope::Text(text),
        None if rest.is_empty() => Envelope::Unknown,
        None => Envelope::Ignored,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_message_has_a_version_a_sender_and_a_text() {
        assert_eq!(write("ab12", "one two"), "1 ab12 one two");
        assert_eq!(read(b"1 ab12 one two", "cd34"), Envelope::Text("one two"));
        assert_eq!(read(b"1 ab12 one two", "ab12"), Envelope::Ignored, "a node need not hear itself");
        assert_eq!(read(b"1 ab12 ", "cd34"), Envelope::Text(""));
    }

    #[test]
    fn a_probe_means_nothing() {
        for name in ["ab12", "cd34"] {
            assert_eq!(read(probe("ab12").as_bytes(), name), Envelope::Ignored);
        }
    }

    #[test]
    fn what_nodes_do_not_send_is_unknown() {
        for message in ["", "1", "1 ", "2 x text", "11 x text", "2 me text", "{}", "x"] {
            assert_eq!(read(message.as_bytes(), "me"), Envelope::Unknown, "{message:?}");
        }
        assert_eq!(read(b"\xff 1 x text", "me"), Envelope::Unknown);
        let longest = write("x", &"y".repeat(MESSAGE_BYTES_MAX - "1 x ".len()));
        assert!(matches!(read(longest.as_bytes(), "me"), Envelope::Text(_)));
        assert_eq!(read(format!("{longest}y").as_bytes(), "me"), Envelope::Unknown);
    }

    proptest! {
        #[test]
        fn a_text_reads_back(sender in "[0-9a-f]{1,32}", text in "[^ ].{0,100}") {
            let message = write(&sender, &text);
            prop_assert_eq!(read(message.as_bytes(), "me"), Envelope::Text(&text));
        }

        #[test]
        fn no_message_is_a_danger(message in prop::collection::vec(any::<u8>(), 0..200)) {
            read(&message, "me");
        }
    }
}
