//! The deadlines of a session: connect timeout, ping and pong, token expiry, and the rate limit of commands.

use crate::limits::{COMMANDS_BURST, COMMANDS_PER_SECOND};

/// Milliseconds of the rate limit that one command uses.
const COMMAND_MS: u64 = 1000 / COMMANDS_PER_SECOND;

/// The deadlines of a session, in milliseconds since 1970.
pub(super) struct Timers {
    /// When the connection is closed if the client has not connected.
    pub stale: u64,
    pub ping: Option<u64>,
    /// When the connection is closed if the last ping is unanswered.
    pub pong: Option<u64>,
    /// When the connection token expires.
    pub expires: Option<u64>,
    /// Until when the commands so far use up the rate limit.
    commands: u64,
}

impl Timers {
    pub fn new(stale: u64) -> Self {
        Self { stale, ping: None, pong: None, expires: None, commands: 0 }
    }

    /// Counts a command and returns whether the rate limit allows it.
    pub fn admit_command(&mut self, now: u64) -> bool {
        let end = now.saturating_add(COMMANDS_BURST * COMMAND_MS);
        // `commands` never exceeds `end`. If it does, the clock went back, for which the client must not be closed.
        let used = if self.commands > end { now } else { self.commands.max(now) };
        self.commands = used.saturating_add(COMMAND_MS);
        self.commands <= end
    }
}

/// Returns the remaining seconds, at least one. JSON omits a zero, and an SDK stops for good if the field is missing.
/// The grace period covers the added second.
pub(super) fn seconds_left(now: u64, until_ms: u64) -> u32 {
    u32::try_from((until_ms / 1000).saturating_sub(now / 1000)).unwrap_or(u32::MAX).max(1)
}
