//! The protocol's codes for refused commands, ended subscriptions and closed connections.
//!
//! An SDK chooses its next step by the range of the code. An error is final for its subscription unless it is
//! temporary or 109. After an unsubscription with a code of 2500 or more, the SDK subscribes again. After a close,
//! the SDK reconnects unless the code is in 3500–3999 or 4500–4999.

/// The error in the reply to one command.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ErrorReply {
    pub code: u32,
    pub message: &'static str,
    /// Whether the SDK may retry the same command later.
    pub is_temporary: bool,
}

/// The code and reason with which a connection is closed. The reason is never empty: with an empty reason an SDK
/// ignores the code and reconnects forever.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Disconnect {
    pub code: u16,
    pub reason: &'static str,
}

/// The code and reason with which the server ends a subscription.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unsubscription {
    pub code: u32,
    pub reason: &'static str,
}

impl ErrorReply {
    const fn permanent(code: u32, message: &'static str) -> Self {
        Self { code, message, is_temporary: false }
    }

    const fn temporary(code: u32, message: &'static str) -> Self {
        Self { code, message, is_temporary: true }
    }

    pub const INTERNAL: Self = Self::temporary(100, "internal server error");
    pub const UNKNOWN_CHANNEL: Self = Self::permanent(102, "unknown channel");
    pub const PERMISSION_DENIED: Self = Self::permanent(103, "permission denied");
    pub const METHOD_NOT_FOUND: Self = Self::permanent(104, "method not found");
    pub const ALREADY_SUBSCRIBED: Self = Self::permanent(105, "already subscribed");
    pub const LIMIT_EXCEEDED: Self = Self::permanent(106, "limit exceeded");
    pub const BAD_REQUEST: Self = Self::permanent(107, "bad request");
    pub const NOT_AVAILABLE: Self = Self::permanent(108, "not available");
    /// The SDK fetches a new token and retries.
    pub const TOKEN_EXPIRED: Self = Self::permanent(109, "token expired");
    pub const UNRECOVERABLE_POSITION: Self = Self::permanent(112, "unrecoverable position");
}

impl Disconnect {
    /// Returns a close with this code. A reason must be short, not empty, and not JSON, because SDKs try to parse it.
    pub const fn new(code: u16, reason: &'static str) -> Self {
        assert!(!reason.is_empty() && reason.len() <= 123, "a close frame carries 1 to 123 bytes of reason");
        Self { code, reason }
    }

    pub const TOO_BIG: Self = Self::new(1009, "message too big");
    pub const SHUTDOWN: Self = Self::new(3001, "shutdown");
    pub const INTERNAL: Self = Self::new(3004, "internal server error");
    pub const EXPIRED: Self = Self::new(3005, "connection expired");
    pub const SUBSCRIPTION_EXPIRED: Self = Self::new(3006, "subscription expired");
    pub const SLOW: Self = Self::new(3008, "slow");
    /// For drivers: the socket did not accept a frame in time.
    pub const WRITE_ERROR: Self = Self::new(3009, "write error");
    pub const INSUFFICIENT_STATE: Self = Self::new(3010, "insufficient state");
    pub const FORCE_RECONNECT: Self = Self::new(3011, "force reconnect");
    pub const NO_PONG: Self = Self::new(3012, "no pong");
    pub const TOO_MANY_REQUESTS: Self = Self::new(3013, "too many requests");
    /// The SDK drops its token and requests a new one. That request tells the SDK whether it may reconnect.
    pub const STATE_INVALIDATED: Self = Self::new(3014, "state invalidated");
    pub const INVALID_TOKEN: Self = Self::new(3500, "invalid token");
    pub const BAD_REQUEST: Self = Self::new(3501, "bad request");
    pub const STALE: Self = Self::new(3502, "stale");
    pub const FORCE: Self = Self::new(3503, "force disconnect");
    pub const CONNECTION_LIMIT: Self = Self::new(3504, "connection limit");
    pub const CHANNEL_LIMIT: Self = Self::new(3505, "channel limit");
    pub const PERMISSION_DENIED: Self = Self::new(3507, "permission denied");
    pub const NOT_AVAILABLE: Self = Self::new(3508, "not available");

    /// Returns whether an SDK reconnects after this close.
    pub const fn invites_reconnect(self) -> bool {
        !matches!(self.code, 1009 | 3500..=3999 | 4500..=4999)
    }
}

impl Unsubscription {
    /// Final: the SDK does not subscribe again.
    pub const SERVER: Self = Self { code: 2000, reason: "server unsubscribe" };
    pub const INSUFFICIENT_STATE: Self = Self { code: 2500, reason: "insufficient state" };
    pub const EXPIRED: Self = Self { code: 2501, reason: "subscription expired" };
    /// The SDK drops its token and position, and subscribes again from the newest event.
    pub const STATE_INVALIDATED: Self = Self { code: 2502, reason: "state invalidated" };
}
