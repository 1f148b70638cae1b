//! Every limit of the stream, with its unit, in one place: what a client may send, hold and cost.

/// Bytes of one frame from a client. Larger ones close the connection with 1009.
pub const FRAME_BYTES_MAX: usize = 65_536;
/// Bytes of frames that wait while a command of the same connection is being answered.
pub const PENDING_BYTES_MAX: usize = 2 * FRAME_BYTES_MAX;
/// Channels that one connection may hold, made by its token and by itself together.
pub const CHANNELS_MAX: usize = 128;
/// Bytes of a channel's name.
pub const CHANNEL_BYTES_MAX: usize = 255;
/// Commands a second that one connection may send in the long run.
pub const COMMANDS_PER_SECOND: u64 = 100;
/// Commands that may come at once: an SDK that reconnects sends its connect and all its subscribes in one frame.
pub const COMMANDS_BURST: u64 = 200;
/// Events in one recovery reply. Who missed more is told to reload.
pub const RECOVERY_EVENTS_MAX: usize = 1_000;
/// Bytes of event data in one recovery reply, which is one frame.
pub const RECOVERY_BYTES_MAX: usize = 1 << 20;
/// Events in one history reply.
pub const HISTORY_EVENTS_MAX: usize = 300;
/// Bytes that may wait for a reader before it counts as slow and is closed with 3008.
pub const OUTBOX_BYTES_MAX: usize = 1 << 20;
/// Messages packed into one frame to a client.
pub const BATCH_MESSAGES_MAX: usize = 16;
/// Bytes after which a frame to a client takes no further message.
pub const BATCH_BYTES_MAX: usize = 65_536;
/// Connections that one user may hold.
pub const CONNECTIONS_PER_USER_MAX: u32 = 20;
/// Connections that one organisation may hold.
pub const CONNECTIONS_PER_ORGANISATION_MAX: u32 = 10_000;

/// Milliseconds after opening in which a connection must have connected.
pub const STALE_MS: u64 = 10_000;
/// Milliseconds between pings.
pub const PING_MS: u64 = 25_000;
/// Milliseconds in which a ping must be answered.
pub const PONG_MS: u64 = 8_000;
/// Milliseconds that a connection or a subscription outlives its token, so that the SDK can refresh it.
pub const EXPIRY_GRACE_MS: u64 = 25_000;

const _: () = assert!(PONG_MS < PING_MS, "at most one ping is unanswered at a time");
const _: () = assert!(COMMANDS_BURST > CHANNELS_MAX as u64, "a full reconnect must pass the rate limit");
const _: () = assert!(PENDING_BYTES_MAX >= FRAME_BYTES_MAX, "one frame must always be able to wait");
