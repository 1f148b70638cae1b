//! Running of due timers: the connect timeout, pings and pongs, and token expiry.

use crate::code::{Disconnect, Unsubscription};
use crate::frame::{Push, Reply};

use super::{Session, State};

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
