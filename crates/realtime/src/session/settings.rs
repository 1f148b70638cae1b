//! What a session is told at its start: the server's settings, the kind of connection, and some randomness.

use std::fmt;

use crate::frame::Codec;
use crate::limits;
use crate::token::Signer;

/// What all sessions of a server share.
pub struct Settings {
    pub signer: Signer,
    /// Named in the reply to a connect.
    pub version: String,
    /// Which node of several this is; requests to `/emulation` are routed by it.
    pub node: String,
    /// Milliseconds; see [`limits`] for the usual values of all these.
    pub ping_ms: u64,
    pub pong_ms: u64,
    pub stale_ms: u64,
    pub grace_ms: u64,
    pub channels_max: usize,
}

impl Settings {
    /// The usual limits.
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

/// The kind of connection, as far as the protocol differs by it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Transport {
    pub(crate) codec: Codec,
    pub(crate) has_pings: bool,
    kind: Kind,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// Both directions on one socket.
    Socket,
    /// Down by a stream, up by requests to `/emulation`.
    Emulated,
    EmulatedSse,
    /// Down only.
    Uni,
    UniSse,
}

impl Transport {
    const fn new(codec: Codec, kind: Kind) -> Self {
        Self { codec, has_pings: true, kind }
    }

    /// `/connection/websocket`.
    pub const fn websocket(codec: Codec) -> Self {
        Self::new(codec, Kind::Socket)
    }

    /// `/connection/http_stream`. In JSON, write a newline after each frame.
    pub const fn http_stream(codec: Codec) -> Self {
        Self::new(codec, Kind::Emulated)
    }

    /// `/connection/sse`. Write each frame as `data: <frame>\n\n`.
    pub const fn sse() -> Self {
        Self::new(Codec::Json, Kind::EmulatedSse)
    }

    /// `/connection/uni_websocket`.
    pub const fn uni_websocket(codec: Codec) -> Self {
        Self::new(codec, Kind::Uni)
    }

    /// `/connection/uni_http_stream`. In JSON, write a newline after each frame.
    pub const fn uni_http_stream(codec: Codec) -> Self {
        Self::new(codec, Kind::Uni)
    }

    /// `/connection/uni_sse`. Write each frame as `data: <frame>\n\n`.
    pub const fn uni_sse() -> Self {
        Self::new(Codec::Json, Kind::UniSse)
    }

    /// For `?cf_ws_frame_ping_pong=true`: the driver sends websocket pings instead.
    #[must_use]
    pub const fn without_pings(self) -> Self {
        Self { has_pings: false, ..self }
    }

    /// How its messages are written.
    pub fn codec(self) -> Codec {
        self.codec
    }

    /// Whether each frame is an event of server-sent events.
    pub fn is_sse(self) -> bool {
        self.is_single()
    }

    /// Whether nothing but the first message comes from the client.
    pub fn is_uni(self) -> bool {
        matches!(self.kind, Kind::Uni | Kind::UniSse)
    }

    /// Whether the client sends through `/emulation`.
    pub fn is_emulated(self) -> bool {
        matches!(self.kind, Kind::Emulated | Kind::EmulatedSse)
    }

    /// Whether a frame may hold one message only: an SSE event ends at a newline.
    pub(crate) fn is_single(self) -> bool {
        matches!(self.kind, Kind::EmulatedSse | Kind::UniSse)
    }

    /// Whether code and reason of a close must be sent as a message, for want of a close frame.
    pub(crate) fn says_goodbye(self) -> bool {
        self.kind != Kind::Socket
    }
}

/// Random bytes that a session needs.
pub const SEED_BYTES: usize = 40;

/// The names of a session, and when it is first pinged: all made of randomness that is passed in.
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

/// The name of a connection that others may see, or of a session that they may not: a UUID.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClientId(u128);

impl ClientId {
    /// A random UUID, version 4, of these bits.
    pub fn new(random: u128) -> Self {
        const VERSION: u128 = 0xf << 76;
        const VARIANT: u128 = 0b11 << 62;
        Self(random & !(VERSION | VARIANT) | 0x4 << 76 | 0b10 << 62)
    }

    /// Reads what [`fmt::Display`] writes.
    pub fn parse(text: &str) -> Option<Self> {
        let digits: String = text.split('-').collect();
        let id = Self(u128::from_str_radix(&digits, 16).ok()?);
        (id.to_string() == text).then_some(id)
    }

    /// The bits, for dividing connections into parts.
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
