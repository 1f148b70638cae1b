//! Encoding of one event for many listeners: once per codec, with the bytes shared.
//!
//! The messages of one event differ between listeners only in the channel's name. In JSON, all bytes after the name
//! are equal. In Protobuf, two lengths before the name differ too. So a message consists of a small prefix per
//! channel and a body that is encoded once.

use std::sync::OnceLock;

use bytes::Bytes;

use super::{Codec, protobuf};
use crate::channel::Channel;
use crate::limits::{BATCH_BYTES_MAX, BATCH_MESSAGES_MAX};

/// Field numbers: a reply's push; a push's channel and publication; a publication's data and offset.
const PUSH: u32 = 4;
const CHANNEL: u32 = 2;
const PUBLICATION: u32 = 4;
const DATA: u32 = 4;
const OFFSET: u32 = 6;
/// The part of a reply before its push. Unidirectional transports send the push without it.
const ENVELOPE: &str = r#"{"push":"#;
const BEFORE_NAME: &str = r#"{"channel":""#;
const AFTER_NAME: &str = r#"","pub":{"data":"#;
/// Approximate bytes of a message besides the event's data.
const AROUND_BYTES: usize = 160;

/// A published event: its offset in the log and its JSON.
#[derive(Debug)]
pub struct Broadcast {
    offset: u64,
    data: Bytes,
    json: OnceLock<Bytes>,
    protobuf: OnceLock<Bytes>,
}

impl Broadcast {
    /// Creates an event from valid JSON. Newlines between JSON tokens become spaces, because a newline separates the
    /// messages of a frame.
    pub fn new(offset: u64, data: Bytes) -> Self {
        let is_newline = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let data = match data.iter().any(is_newline) {
            false => data,
            true => data.iter().map(|byte| if is_newline(byte) { b' ' } else { *byte }).collect(),
        };
        Self { offset, data, json: OnceLock::new(), protobuf: OnceLock::new() }
    }

    /// Returns the event's offset in the log.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the event's JSON.
    pub fn data(&self) -> &Bytes {
        &self.data
    }

    /// Returns the bytes after the channel's name, encoded on the first call per codec.
    fn body(&self, codec: Codec) -> &Bytes {
        match codec {
            Codec::Json => self.json.get_or_init(|| {
                let tail = format!(",\"offset\":{}}}}}}}", self.offset);
                [self.data.as_ref(), tail.as_bytes()].concat().into()
            }),
            Codec::Protobuf => self.protobuf.get_or_init(|| {
                let mut out = Vec::with_capacity(self.data.len() + 32);
                protobuf::tag(PUBLICATION, protobuf::DELIMITED, &mut out);
                protobuf::delimited(&mut out, |out| {
                    protobuf::bytes(DATA, &self.data, out);
                    protobuf::tag(OFFSET, protobuf::VARINT, out);
                    protobuf::varint(self.offset, out);
                });
                out.into()
            }),
        }
    }
}

/// The encoded beginning of a channel's messages, shared by all its listeners.
#[derive(Debug)]
pub struct MessagePrefix {
    channel: Channel,
    /// The bytes before an event's data. Encoded for the first event, so that an idle listener costs little memory.
    json: OnceLock<Bytes>,
}

impl MessagePrefix {
    /// Creates the prefix of this channel's messages.
    pub fn new(channel: Channel) -> Self {
        Self { channel, json: OnceLock::new() }
    }

    /// Returns the channel.
    pub fn channel(&self) -> &Channel {
        &self.channel
    }

    fn json(&self) -> &Bytes {
        // No character of a channel's name needs escaping.
        self.json.get_or_init(|| format!("{ENVELOPE}{BEFORE_NAME}{}{AFTER_NAME}", self.channel).into())
    }

    /// Returns the channel's name as a part of the encoded JSON.
    fn name(&self) -> &[u8] {
        let json = self.json();
        &json[ENVELOPE.len() + BEFORE_NAME.len()..json.len() - AFTER_NAME.len()]
    }
}

/// Bytes for the client: one websocket message, or one chunk of a stream.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Frame(Bytes);

impl Frame {
    /// Returns the frame's length in bytes.
    pub fn bytes(&self) -> usize {
        self.0.len()
    }

    /// Returns the bytes, for the socket.
    pub fn into_bytes(self) -> Bytes {
        self.0
    }
}

impl AsRef<[u8]> for Frame {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl From<Vec<u8>> for Frame {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes.into())
    }
}

/// Packs events into a frame, as many as its limits allow.
///
/// The bytes are copied. For half a kilobyte a copy is faster than sharing: a shared buffer has a reference count,
/// and its cache line would move between cores for every listener.
pub struct Packer {
    codec: Codec,
    /// Whether pushes are sent without a reply around them, as on unidirectional transports.
    is_bare: bool,
    messages_max: usize,
    messages: usize,
    frame: Vec<u8>,
}

impl Packer {
    /// Creates an empty packer. Set `is_single` if the transport frames each message itself.
    pub fn new(codec: Codec, is_bare: bool, is_single: bool) -> Self {
        let messages_max = if is_single { 1 } else { BATCH_MESSAGES_MAX };
        Self { codec, is_bare, messages_max, messages: 0, frame: Vec::new() }
    }

    /// Reserves memory for this many events with this many bytes of data in total.
    pub fn reserve(&mut self, events: usize, bytes: usize) {
        self.frame.reserve(bytes + events * AROUND_BYTES);
    }

    /// Appends one event.
    pub fn add(&mut self, prefix: &MessagePrefix, event: &Broadcast) {
        let body = event.body(self.codec);
        match self.codec {
            Codec::Json => {
                if self.messages > 0 {
                    self.frame.push(b'\n');
                }
                // Without the envelope, fewer bytes precede the channel and one brace fewer follows the event.
                let (before, after) = if self.is_bare { (ENVELOPE.len(), 1) } else { (0, 0) };
                self.frame.extend_from_slice(&prefix.json()[before..]);
                self.frame.extend_from_slice(&body[..body.len() - after]);
            }
            Codec::Protobuf => {
                let name = prefix.name();
                self.lengths(name.len(), body.len());
                self.frame.extend_from_slice(name);
                self.frame.extend_from_slice(body);
            }
        }
        self.messages += 1;
    }

    /// Returns whether the next event must start a new frame.
    pub fn is_full(&self) -> bool {
        self.messages >= self.messages_max || self.frame.len() >= BATCH_BYTES_MAX
    }

    /// Returns the frame and empties the packer, or returns `None` if it is empty.
    pub fn take(&mut self) -> Option<Frame> {
        self.messages = 0;
        let frame = std::mem::take(&mut self.frame);
        (!frame.is_empty()).then(|| frame.into())
    }

    /// Appends the bytes before the name: the lengths of message, push and name.
    fn lengths(&mut self, name: usize, body: usize) {
        let out = &mut self.frame;
        let push = 1 + protobuf::varint_bytes(name as u64) + name + body;
        if !self.is_bare {
            protobuf::varint((1 + protobuf::varint_bytes(push as u64) + push) as u64, out);
            protobuf::tag(PUSH, protobuf::DELIMITED, out);
        }
        protobuf::varint(push as u64, out);
        protobuf::tag(CHANNEL, protobuf::DELIMITED, out);
        protobuf::varint(name as u64, out);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::frame::{Publication, Push, RawData, Reply};

    fn packed(codec: Codec, is_bare: bool, events: &[(u64, String)]) -> Bytes {
        let prefix = MessagePrefix::new(Channel::Announcements);
        let mut packer = Packer::new(codec, is_bare, false);
        for (offset, data) in events {
            packer.add(&prefix, &Broadcast::new(*offset, Bytes::from(data.clone())));
        }
        packer.take().unwrap_or_default().into_bytes()
    }

    fn written(codec: Codec, is_bare: bool, events: &[(u64, String)]) -> Vec<u8> {
        let mut out = Vec::new();
        for (offset, data) in events {
            let publication = Publication {
                data: RawData(Bytes::from(data.clone())),
                offset: *offset,
                ..Publication::default()
            };
            let channel = Channel::Announcements.to_string();
            let push = Push { channel, publication: Some(publication), ..Push::default() };
            match is_bare {
                true => codec.write_push(&push, &mut out),
                false => codec.write_reply(&Reply { push: Some(push), ..Reply::default() }, &mut out),
            }
        }
        out
    }

    proptest! {
        /// The packed bytes equal the bytes that the codec writes.
        #[test]
        fn packed_bytes_equal_the_codec_s_bytes(
            events in prop::collection::vec((1u64.., "\\{\"n\":[0-9]{1,300}\\}"), 0..12),
            is_bare: bool,
        ) {
            for codec in [Codec::Json, Codec::Protobuf] {
                prop_assert_eq!(packed(codec, is_bare, &events), written(codec, is_bare, &events));
            }
        }
    }

    #[test]
    fn an_event_is_encoded_once_for_each_codec() {
        let event = Broadcast::new(7, Bytes::from_static(b"{\"a\":1}"));
        for codec in [Codec::Json, Codec::Protobuf] {
            assert_eq!(event.body(codec).as_ptr(), event.body(codec).as_ptr());
        }
    }

    #[test]
    fn a_newline_in_the_data_does_not_split_the_message() {
        let event = Broadcast::new(1, Bytes::from_static(b"{\r\n\"a\": \"x\\ny\"}"));
        assert_eq!(event.data().as_ref(), b"{  \"a\": \"x\\ny\"}");
    }

    #[test]
    fn a_frame_is_full_after_sixteen_messages_or_64_kib() {
        let prefix = MessagePrefix::new(Channel::Announcements);
        for (data, fits) in [(2, 16), (30_000, 3), (100_000, 1)] {
            let event = Broadcast::new(1, Bytes::from(vec![b'1'; data]));
            let mut packer = Packer::new(Codec::Json, false, false);
            let count = (1..).find(|_| {
                packer.add(&prefix, &event);
                packer.is_full()
            });
            assert_eq!(count, Some(fits));
        }
    }
}
