//! Orders from elsewhere in the server: a token was revoked, a scope was lost, the server stops.

use model::{AccessToken, Id};

use crate::channel::{Resource, Stream, Topic};
use crate::code::{Disconnect, Unsubscription};

use super::command::Waiting;
use super::{Session, State};

/// What a session must do at once. It is sent to all connections that it may concern; each decides for itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// Close. [`Disconnect::FORCE`] makes SDKs stop, [`Disconnect::SHUTDOWN`] makes them come back elsewhere.
    Disconnect(Disconnect),
    /// An access token was revoked. A connection that it opened is closed with 3014, so that the SDK asks for a new
    /// token and learns there that it gets none; a channel that it joined is taken away.
    RevokeToken(Id<AccessToken>),
    /// An access token may no longer read a resource: its channel is taken away.
    RevokeResource { access_token: Id<AccessToken>, resource: Resource },
    /// Positions in this stream are worth nothing any more, such as after a restore. The SDK subscribes anew.
    Resync(Stream),
}

impl Session {
    pub(super) fn obey(&mut self, order: Order) {
        match order {
            Order::Disconnect(why) => self.close(why),
            Order::RevokeToken(token) => self.revoke_token(token),
            Order::RevokeResource { access_token, resource } => {
                self.revoke_topic(access_token, Topic::Events(resource));
            }
            Order::Resync(stream) => self.resync(stream),
        }
    }

    /// A command that is being answered may lean on the token too: it was vouched for, perhaps, just before.
    fn is_awaited(&self, token: Id<AccessToken>) -> bool {
        match self.waiting.as_deref() {
            Some(Waiting::Refresh(refreshing)) => refreshing.grant.access_token == token,
            Some(Waiting::SubRefresh(refreshing)) => refreshing.access_token == token,
            _ => false,
        }
    }

    fn revoke_token(&mut self, token: Id<AccessToken>) {
        if self.grant.is_some_and(|grant| grant.access_token == token) || self.is_awaited(token) {
            return self.close(Disconnect::STATE_INVALIDATED);
        }
        let joined = self.subscriptions.iter().filter(|held| held.access_token == token);
        for topic in joined.map(|held| held.topic).collect::<Vec<_>>() {
            self.unsubscribe(topic, Unsubscription::SERVER);
        }
    }

    fn revoke_topic(&mut self, token: Id<AccessToken>, topic: Topic) {
        let is_connecting =
            self.state == State::Opened && self.grant.is_some_and(|grant| grant.access_token == token);
        if is_connecting && self.granted.contains(&topic) || self.is_awaited(token) {
            return self.close(Disconnect::STATE_INVALIDATED);
        }
        if self.subscription(topic).is_some_and(|held| held.access_token == token) {
            self.granted.retain(|granted| *granted != topic);
            self.unsubscribe(topic, Unsubscription::SERVER);
        }
    }

    fn resync(&mut self, stream: Stream) {
        let channel = self.channels().find(|channel| channel.stream() == stream);
        let Some(topic) = channel.map(|channel| channel.topic()) else { return };
        let Some(held) = self.subscription(topic) else { return };
        if held.is_live && !held.is_server_side {
            self.unsubscribe(topic, Unsubscription::INSUFFICIENT_STATE);
        } else {
            // A channel of the token can't be joined again alone; and of one that is being started, the log may have
            // been read too early.
            self.close(Disconnect::INSUFFICIENT_STATE);
        }
    }
}
