//! Timers: the connect timeout, pings and pongs, token expiry, and the rate limit of commands.

use crate::code::{Disconnect, Unsubscription};
use crate::frame::{Push, Reply};
use crate::limits::{COMMANDS_BURST, COMMANDS_PER_SECOND};

use super::{Session, State};

/// Milliseconds of the rate limit that one command uses.
const COMMAND_MS: u64 = 1000 / COMMANDS_PER_SECOND;

/// The deadlines of a session, in milliseconds since 1970.
pub(super) struct Timers {
    /// When the connection is closed if the client has not connected.
    stale: u64,
    ping: Option<u64>,
    /// When the connection is closed if the last ping is unanswered.
    pong: Option<u64>,
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

impl Session {
    /// Returns when the driver must call [`Session::tick`], or `None` once the session has ended.
    pub fn wake_at(&self) -> Option<u64> {
        let grace = self.settings.grace_ms;
        match self.state {
            State::Closed => None,
            State::Opened | State::Refused => Some(self.timers.stale),
            State::Connected => {
                let tokens = self.subscriptions.iter().filter_map(|held| held.expires_ms);
                let tokens = tokens.chain(self.timers.expires).map(|moment| moment.saturating_add(grace));
                tokens.chain(self.timers.ping).chain(self.timers.pong).min()
            }
        }
    }

    /// Runs due timers. May be called at any time, also before [`Session::wake_at`].
    pub fn tick(&mut self, now: u64) {
        match self.state {
            State::Closed => {}
            State::Opened | State::Refused => {
                if now >= self.timers.stale {
                    self.close(Disconnect::STALE);
                }
            }
            State::Connected => self.tick_connected(now),
        }
    }

    fn tick_connected(&mut self, now: u64) {
        let is_due = |moment: Option<u64>| moment.is_some_and(|moment| now >= moment);
        let grace = self.settings.grace_ms;
        let is_over = |moment: Option<u64>| is_due(moment.map(|moment| moment.saturating_add(grace)));
        if is_over(self.timers.expires) {
            return self.close(Disconnect::EXPIRED);
        }
        if is_due(self.timers.pong) {
            // The pong may be among the queued frames. Then the server is late, not the client.
            if self.pending.is_empty() {
                return self.close(Disconnect::NO_PONG);
            }
            self.timers.pong = Some(now + self.settings.pong_ms);
        }
        let over: Vec<_> = self.subscriptions.iter().filter(|held| is_over(held.expires_ms)).collect();
        for topic in over.iter().map(|held| held.topic).collect::<Vec<_>>() {
            self.unsubscribe(topic, Unsubscription::EXPIRED);
        }
        if is_due(self.timers.ping) {
            self.ping(now);
        }
    }

    /// Schedules the first ping at a random time in the second half of the interval, so that connections opened
    /// together are not always pinged together.
    pub(super) fn start_pings(&mut self, now: u64) {
        if self.transport.has_pings {
            let half = self.settings.ping_ms / 2;
            self.timers.ping = Some(now + half + self.seed.jitter % half.max(1));
        }
    }

    fn ping(&mut self, now: u64) {
        self.timers.ping = Some(now + self.settings.ping_ms);
        if self.transport.is_uni() {
            self.push(Push::default());
        } else {
            self.timers.pong = Some(now + self.settings.pong_ms);
            self.reply(&Reply::default());
        }
    }

    /// Handles the answer to a ping. An answer without a ping closes the connection.
    pub(super) fn pong(&mut self) {
        if self.timers.pong.take().is_none() {
            self.close(Disconnect::BAD_REQUEST);
        }
    }
}
