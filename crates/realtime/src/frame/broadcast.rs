//! One event on its way to many: encoded once for each codec, shared by everyone who hears it.
//!
//! Of a published event only the channel's name differs between listeners. In JSON everything after the name is the
//! same for all; in Protobuf two lengths before the name differ too. So a message is a small head and a body that is
//! written once for everyone.

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
/// What a reply has around a push. Unidirectional transports send the push without it.
const ENVELOPE: &str = r#"{"push":"#;
const BEFORE_NAME: &str = r#"{"channel":""#;
const AFTER_NAME: &str = r#"","pub":{"data":"#;
/// What stands around an event's data, roughly.
const AROUND_BYTES: usize = 160;

/// An event as it is published: its place in the log and its JSON.
#[derive(Debug)]
pub struct Broadcast {
    offset: u64,
    data: Bytes,
    json: OnceLock<Bytes>,
    protobuf: OnceLock<Bytes>,
}

impl Broadcast {
    /// Takes valid JSON. Newlines separate messages in a frame, so those between its tokens become spaces.
    pub fn new(offset: u64, data: Bytes) -> Self {
        let is_newline = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let data = match data.iter().any(is_newline) {
            false => data,
            true => data.iter().map(|byte| if is_newline(byte) { b' ' } else { *byte }).collect(),
        };
        Self { offset, data, json: OnceLock::new(), protobuf: OnceLock::new() }
    }

    /// The event's place in the log.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The event's JSON.
    pub fn data(&self) -> &Bytes {
        &self.data
    }

    /// Everything after the channel's name. The first listener of each codec pays for it.
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

/// A channel as messages begin with it, made once for everyone who listens to it.
#[derive(Debug)]
pub struct Head {
    channel: Channel,
    /// What stands before an event's data. Written for the first event, so that an idle listener costs little.
    json: OnceLock<Bytes>,
}

impl Head {
    /// The beginning of every message of this channel.
    pub fn new(channel: Channel) -> Self {
        Self { channel, json: OnceLock::new() }
    }

    /// Which channel it is.
    pub fn channel(&self) -> &Channel {
        &self.channel
    }

    fn json(&self) -> &Bytes {
        // No character of a channel's name needs escaping.
        self.json.get_or_init(|| format!("{ENVELOPE}{BEFORE_NAME}{}{AFTER_NAME}", self.channel).into())
    }

    /// The channel's name, cut out of the JSON around it.
    fn name(&self) -> &[u8] {
        let json = self.json();
        &json[ENVELOPE.len() + BEFORE_NAME.len()..json.len() - AFTER_NAME.len()]
    }
}

/// Bytes for the client: one websocket message, one chunk of a stream.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Frame(Bytes);

impl Frame {
    /// How many they are.
    pub fn bytes(&self) -> usize {
        self.0.len()
    }

    /// The bytes, for whoever writes them.
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
/// Their bytes are copied together. Half a kilobyte is sooner copied than shared: what all listeners share is counted,
/// and the count passes between the cores with every listener.
pub struct Packer {
    codec: Codec,
    /// Whether pushes stand alone, as on unidirectional transports.
    is_bare: bool,
    messages_max: usize,
    messages: usize,
    frame: Vec<u8>,
}

impl Packer {
    /// `is_single` is for transports that frame each message themselves.
    pub fn new(codec: Codec, is_bare: bool, is_single: bool) -> Self {
        let messages_max = if is_single { 1 } else { BATCH_MESSAGES_MAX };
        Self { codec, is_bare, messages_max, messages: 0, frame: Vec::new() }
    }

    /// Makes room for so many bytes of data in so many events.
    pub fn reserve(&mut self, events: usize, bytes: usize) {
        self.frame.reserve(bytes + events * AROUND_BYTES);
    }

    /// Adds one event.
    pub fn add(&mut self, head: &Head, event: &Broadcast) {
        let body = event.body(self.codec);
        match self.codec {
            Codec::Json => {
                if self.messages > 0 {
                    self.frame.push(b'\n');
                }
                // Without the envelope there is less before the channel, and one brace less at the end.
                let (before, after) = if self.is_bare { (ENVELOPE.len(), 1) } else { (0, 0) };
                self.frame.extend_from_slice(&head.json()[before..]);
                self.frame.extend_from_slice(&body[..body.len() - after]);
            }
            Codec::Protobuf => {
                let name = head.name();
                self.lengths(name.len(), body.len());
                self.frame.extend_from_slice(name);
                self.frame.extend_from_slice(body);
            }
        }
        self.messages += 1;
    }

    /// Whether the next event belongs into a new frame.
    pub fn is_full(&self) -> bool {
        self.messages >= self.messages_max || self.frame.len() >= BATCH_BYTES_MAX
    }

    /// The frame, if anything is in it; the packer is empty again.
    pub fn take(&mut self) -> Option<Frame> {
        self.messages = 0;
        let frame = std::mem::take(&mut self.frame);
        (!frame.is_empty()).then(|| frame.into())
    }

    /// What stands before the name: the lengths of message, push and name.
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
    use crate::frame::{Publication, Push, Raw, Reply};

    fn packed(codec: Codec, is_bare: bool, events: &[(u64, String)]) -> Bytes {
        let head = Head::new(Channel::Announcements);
        let mut packer = Packer::new(codec, is_bare, false);
        for (offset, data) in events {
            packer.add(&head, &Broadcast::new(*offset, Bytes::from(data.clone())));
        }
        packer.take().unwrap_or_default().into_bytes()
    }

    fn written(codec: Codec, is_bare: bool, events: &[(u64, String)]) -> Vec<u8> {
        let mut out = Vec::new();
        for (offset, data) in events {
            let publication = Publication {
                data: Raw(Bytes::from(data.clone())),
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
        /// The short way to the bytes is the same as the long one.
        #[test]
        fn pieces_are_the_codec_s_bytes(
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
        let head = Head::new(Channel::Announcements);
        for (data, fits) in [(2, 16), (30_000, 3), (100_000, 1)] {
            let event = Broadcast::new(1, Bytes::from(vec![b'1'; data]));
            let mut packer = Packer::new(Codec::Json, false, false);
            let count = (1..).find(|_| {
                packer.add(&head, &event);
                packer.is_full()
            });
            assert_eq!(count, Some(fits));
        }
    }
}
