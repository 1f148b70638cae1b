//! What happens by itself: silence is ended, pings are sent and missed, tokens expire, commands are rationed.

use crate::code::{Disconnect, Unsubscription};
use crate::frame::{Push, Reply};
use crate::limits::{COMMANDS_BURST, COMMANDS_PER_SECOND};

use super::{Session, State};

/// Milliseconds that one command uses up.
const COMMAND_MS: u64 = 1000 / COMMANDS_PER_SECOND;

/// The moments that a session waits for, in milliseconds.
pub(super) struct Timers {
    /// When a connection that did not connect is closed.
    stale: u64,
    ping: Option<u64>,
    /// By when a ping must be answered.
    pong: Option<u64>,
    /// When the connection's token expires.
    pub expires: Option<u64>,
    /// Up to when the commands so far use up what a client may send.
    commands: u64,
}

impl Timers {
    pub fn new(stale: u64) -> Self {
        Self { stale, ping: None, pong: None, expires: None, commands: 0 }
    }

    /// Whether a client may send another command now: so many at once, so many a second.
    pub fn admit_command(&mut self, now: u64) -> bool {
        let end = now.saturating_add(COMMANDS_BURST * COMMAND_MS);
        // Nobody gets further ahead than that: if it looks so, the clock was set back, which is no client's fault.
        let used = if self.commands > end { now } else { self.commands.max(now) };
        self.commands = used.saturating_add(COMMAND_MS);
        self.commands <= end
    }
}

/// Whole seconds that are left, as SDKs want them: at least one. JSON leaves out a zero, and an SDK that misses it
/// stops for good; the grace makes up for what was added.
pub(super) fn seconds_left(now: u64, until_ms: u64) -> u32 {
    u32::try_from((until_ms / 1000).saturating_sub(now / 1000)).unwrap_or(u32::MAX).max(1)
}

impl Session {
    /// When the session next wants [`Session::tick`]; `None` once it is over.
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

    /// Time has passed. May be called at any moment, not only at the one asked for.
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
            // The pong may be among the frames that wait for us: then it is not the client who is late.
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

    /// Starts pinging. The first comes at a random moment of the second half, so that connections which were
    /// opened together are not pinged together for ever.
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

    /// The client answered a ping, or pretends to.
    pub(super) fn pong(&mut self) {
        if self.timers.pong.take().is_none() {
            self.close(Disconnect::BAD_REQUEST);
        }
    }
}
