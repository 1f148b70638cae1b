//! All limits of the stream, each with its unit: what a client may send, hold and use.

/// Bytes of one frame from a client. A larger frame closes the connection with 1009.
pub const FRAME_BYTES_MAX: usize = 65_536;
/// Bytes of frames that may be queued while an earlier command of the connection is in progress.
pub const PENDING_BYTES_MAX: usize = 2 * FRAME_BYTES_MAX;
/// Channels that one connection may hold, counting those of its token and those that it joined.
pub const CHANNELS_MAX: usize = 128;
/// Bytes of a channel's name.
pub const CHANNEL_BYTES_MAX: usize = 255;
/// Sustained commands per second that one connection may send.
pub const COMMANDS_PER_SECOND: u64 = 100;
/// Commands that may arrive at once: an SDK that reconnects sends its connect and all its subscribes in one frame.
pub const COMMANDS_BURST: u64 = 200;
/// Events in one recovery reply. A client that missed more is told to reload.
pub const RECOVERY_EVENTS_MAX: usize = 1_000;
/// Bytes of event data in one recovery reply, which is one frame.
pub const RECOVERY_BYTES_MAX: usize = 1 << 20;
/// Events in one history reply.
pub const HISTORY_EVENTS_MAX: usize = 300;
/// Bytes that may be queued for a client before it counts as slow and its connection is closed with 3008.
pub const OUTBOX_BYTES_MAX: usize = 1 << 20;
/// Messages packed into one frame to a client.
pub const BATCH_MESSAGES_MAX: usize = 16;
/// Bytes after which no further message is added to a frame for a client.
pub const BATCH_BYTES_MAX: usize = 65_536;
/// Bytes of one event's data, so that a frame holds at least one event. A larger event is published as a reference to
/// it.
pub const EVENT_BYTES_MAX: usize = BATCH_BYTES_MAX;
/// Connections that one user may hold.
pub const CONNECTIONS_PER_USER_MAX: u32 = 20;
/// Connections that one organisation may hold.
pub const CONNECTIONS_PER_ORGANISATION_MAX: u32 = 10_000;

/// Milliseconds after opening within which a client must send a valid connect.
pub const STALE_MS: u64 = 10_000;
/// Milliseconds between pings.
pub const PING_MS: u64 = 25_000;
/// Milliseconds within which a ping must be answered.
pub const PONG_MS: u64 = 8_000;
/// Milliseconds that a connection or a subscription stays open after its token expired, so that the SDK can refresh
/// the token.
pub const EXPIRY_GRACE_MS: u64 = 25_000;

const _: () = assert!(PONG_MS < PING_MS, "at most one ping is unanswered at a time");
const _: () = assert!(COMMANDS_BURST > CHANNELS_MAX as u64, "a full reconnect must pass the rate limit");
const _: () =
    assert!(8 * EVENT_BYTES_MAX <= OUTBOX_BYTES_MAX, "a few large events must not make a client slow");
const _: () = assert!(8 * EVENT_BYTES_MAX <= RECOVERY_BYTES_MAX, "a few large events must be recoverable");
const _: () = assert!(PENDING_BYTES_MAX >= FRAME_BYTES_MAX, "one frame must always be able to wait");
