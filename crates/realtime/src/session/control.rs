//! Control messages from other parts of the server: a token was revoked, a scope was lost, the server stops.

use model::{AccessToken, Id};

use crate::channel::{ChannelTopic, EventStream};
use crate::code::{Disconnect, Unsubscription};

use super::outbox_item::ControlMessage;
use super::pending::PendingCommand;
use super::{Session, State};

impl Session {
    pub(super) fn apply_control(&mut self, message: ControlMessage) {
        match message {
            ControlMessage::Disconnect(why) => self.close(why),
            ControlMessage::RevokeToken(token) => self.revoke_token(token),
            ControlMessage::RevokeResource { access_token, resource } => {
                self.revoke_topic(access_token, ChannelTopic::Events(resource));
            }
            ControlMessage::Resync(stream) => self.resync(stream),
        }
    }

    /// Returns whether the command in progress depends on the token. Its access check may have passed just before the
    /// revocation.
    fn is_pending_with(&self, token: Id<AccessToken>) -> bool {
        match self.pending_command.as_deref() {
            Some(PendingCommand::Refresh(refreshing)) => refreshing.grant.access_token == token,
            Some(PendingCommand::SubRefresh(refreshing)) => refreshing.access_token == token,
            _ => false,
        }
    }

    fn revoke_token(&mut self, token: Id<AccessToken>) {
        if self.grant.is_some_and(|grant| grant.access_token == token) || self.is_pending_with(token) {
            return self.close(Disconnect::STATE_INVALIDATED);
        }
        let joined = self.subscriptions.iter().filter(|held| held.access_token == token);
        for topic in joined.map(|held| held.topic).collect::<Vec<_>>() {
            self.unsubscribe(topic, Unsubscription::SERVER);
        }
    }

    fn revoke_topic(&mut self, token: Id<AccessToken>, topic: ChannelTopic) {
        let is_connecting =
            self.state == State::Opened && self.grant.is_some_and(|grant| grant.access_token == token);
        if is_connecting && self.granted.contains(&topic) || self.is_pending_with(token) {
            return self.close(Disconnect::STATE_INVALIDATED);
        }
        if self.subscription(topic).is_some_and(|held| held.access_token == token) {
            self.granted.retain(|granted| *granted != topic);
            self.unsubscribe(topic, Unsubscription::SERVER);
        }
    }

    fn resync(&mut self, stream: EventStream) {
        let channel = self.channels().find(|channel| channel.stream() == stream);
        let Some(topic) = channel.map(|channel| channel.topic()) else { return };
        let Some(held) = self.subscription(topic) else { return };
        if held.is_live && !held.is_server_side {
            self.unsubscribe(topic, Unsubscription::INSUFFICIENT_STATE);
        } else {
            // A channel of the connection token cannot be joined again alone. If the channel is still starting, the
            // log may have been read too early.
            self.close(Disconnect::INSUFFICIENT_STATE);
        }
    }
}
