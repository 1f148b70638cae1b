//! The inputs of a new session: the server's settings, the transport, and random bytes.

use std::fmt;

use crate::frame::Codec;
use crate::limits;
use crate::token::Signer;

/// The settings that all sessions of a server share.
pub struct SessionSettings {
    pub signer: Signer,
    /// The server version in the reply to a connect.
    pub version: String,
    /// The id of this node. Requests to `/emulation` are routed by it.
    pub node: String,
    /// Milliseconds between pings. See [`limits`] for the default values of this and the following fields.
    pub ping_ms: u64,
    pub pong_ms: u64,
    pub stale_ms: u64,
    pub grace_ms: u64,
    pub channels_max: usize,
}

impl SessionSettings {
    /// Creates settings with the default limits.
    pub fn new(signer: Signer, version: impl Into<String>, node: impl Into<String>) -> Self {
        Self {
            signer,
            version: version.into(),
            node: node.into(),
            ping_ms: limits::PING_MS,
            pong_ms: limits::PONG_MS,
            stale_ms: limits::STALE_MS,
            grace_ms: limits::EXPIRY_GRACE_MS,
            channels_max: limits::CHANNELS_MAX,
        }
    }
}

/// The properties of a connection on which the protocol depends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transport {
    pub(crate) codec: Codec,
    pub(crate) has_pings: bool,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// One socket for both directions.
    Socket,
    /// A stream to the client; the client sends by requests to `/emulation`.
    Emulated,
    EmulatedSse,
    /// A stream to the client only.
    Uni,
    UniSse,
}

impl Transport {
    const fn new(codec: Codec, kind: Kind) -> Self {
        Self { codec, has_pings: true, kind }
    }

    /// Returns the transport of `/connection/websocket`.
    pub const fn websocket(codec: Codec) -> Self {
        Self::new(codec, Kind::Socket)
    }

    /// Returns the transport of `/connection/http_stream`. In JSON, write a newline after each frame.
    pub const fn http_stream(codec: Codec) -> Self {
        Self::new(codec, Kind::Emulated)
    }

    /// Returns the transport of `/connection/sse`. Write each frame as `data: <frame>\n\n`.
    pub const fn sse() -> Self {
        Self::new(Codec::Json, Kind::EmulatedSse)
    }

    /// Returns the transport of `/connection/uni_websocket`.
    pub const fn uni_websocket(codec: Codec) -> Self {
        Self::new(codec, Kind::Uni)
    }

    /// Returns the transport of `/connection/uni_http_stream`. In JSON, write a newline after each frame.
    pub const fn uni_http_stream(codec: Codec) -> Self {
        Self::new(codec, Kind::Uni)
    }

    /// Returns the transport of `/connection/uni_sse`. Write each frame as `data: <frame>\n\n`.
    pub const fn uni_sse() -> Self {
        Self::new(Codec::Json, Kind::UniSse)
    }

    /// Returns the transport without protocol pings, for `?cf_ws_frame_ping_pong=true`: the driver sends websocket
    /// pings instead.
    #[must_use]
    pub const fn without_pings(self) -> Self {
        Self { has_pings: false, ..self }
    }

    /// Returns the encoding of the messages.
    pub fn codec(self) -> Codec {
        self.codec
    }

    /// Returns whether each frame is one server-sent event.
    pub fn is_sse(self) -> bool {
        self.is_single()
    }

    /// Returns whether only the first message comes from the client.
    pub fn is_uni(self) -> bool {
        matches!(self.kind, Kind::Uni | Kind::UniSse)
    }

    /// Returns whether the client sends through `/emulation`.
    pub fn is_emulated(self) -> bool {
        matches!(self.kind, Kind::Emulated | Kind::EmulatedSse)
    }

    /// Returns whether a frame holds one message only, because a server-sent event ends at a newline.
    pub(crate) fn is_single(self) -> bool {
        matches!(self.kind, Kind::EmulatedSse | Kind::UniSse)
    }

    /// Returns whether the code and reason of a close must be sent as a message, because the transport has no close
    /// frame.
    pub(crate) fn sends_disconnect_push(self) -> bool {
        self.kind != Kind::Socket
    }
}

/// Number of random bytes that a session needs.
pub const SEED_BYTES: usize = 40;

/// The ids of a session and the time of its first ping, derived from random bytes that the caller passes in.
#[derive(Clone, Copy)]
pub struct Seed {
    pub(crate) client: ClientId,
    pub(crate) session: ClientId,
    pub(crate) jitter: u64,
}

impl From<[u8; SEED_BYTES]> for Seed {
    fn from(bytes: [u8; SEED_BYTES]) -> Self {
        let number = |range: std::ops::Range<usize>| {
            bytes[range].iter().fold(0, |number: u128, byte| number << 8 | u128::from(*byte))
        };
        let (client, session) = (ClientId::new(number(0..16)), ClientId::new(number(16..32)));
        Self { client, session, jitter: number(32..40) as u64 }
    }
}

/// The public id of a connection, or the secret id of a session: a UUID.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClientId(u128);

impl ClientId {
    /// Returns a UUID of version 4 with these random bits.
    pub fn new(random: u128) -> Self {
        const VERSION: u128 = 0xf << 76;
        const VARIANT: u128 = 0b11 << 62;
        Self(random & !(VERSION | VARIANT) | 0x4 << 76 | 0b10 << 62)
    }

    /// Parses what [`fmt::Display`] writes.
    pub fn parse(text: &str) -> Option<Self> {
        let digits: String = text.split('-').collect();
        let id = Self(u128::from_str_radix(&digits, 16).ok()?);
        (id.to_string() == text).then_some(id)
    }

    /// Returns the bits, to divide connections into parts.
    pub(crate) fn bits(self) -> u128 {
        self.0
    }
}

impl fmt::Display for ClientId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = |shift: u32, digits: u32| self.0 >> shift & ((1 << (4 * digits)) - 1);
        write!(
            out,
            "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
            part(96, 8),
            part(80, 4),
            part(64, 4),
            part(48, 4),
            part(0, 12)
        )
    }
}

impl fmt::Debug for ClientId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn client_ids_are_version_4_uuids_and_read_back() {
        assert_eq!(ClientId::new(u128::MAX).to_string(), "ffffffff-ffff-4fff-bfff-ffffffffffff");
        assert_eq!(ClientId::new(0).to_string(), "00000000-0000-4000-8000-000000000000");
        for bits in [0, 7, u128::MAX, 0x1234_5678_9abc_def0 << 32] {
            assert_eq!(ClientId::parse(&ClientId::new(bits).to_string()), Some(ClientId::new(bits)));
        }
        for text in ["", "x", "0", "00000000000040008000000000000000", "+0000000-0000-4000-8000-000000000000"]
        {
            assert_eq!(ClientId::parse(text), None, "{text}");
        }
    }
}
