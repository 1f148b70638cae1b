//! Joining one channel: validate the request, check the access token, attach to the channel, read the log, then
//! reply.

use crate::channel::{Channel, ChannelTopic};
use crate::code::{Disconnect, ErrorReply};
use crate::frame::{Reply, SubscribeRequest};
use crate::limits::CHANNEL_BYTES_MAX;
use crate::token::{Grant, Rejection, SubscriptionToken};

use super::command::CommandError;
use super::connect::read_start;
use super::effect::{Effect, EffectResult};
use super::pending::{PendingCommand, Subscribing};
use super::recovery::{self, RecoveryPosition, ReplyBudget};
use super::timer::seconds_left;
use super::{Session, Subscription};

impl Session {
    pub(super) fn subscribe(
        &mut self,
        now: u64,
        id: u32,
        request: SubscribeRequest,
    ) -> Result<(), CommandError> {
        let channel = self.check_subscribe(now, &request)?;
        let Some(connection) = self.grant else { return Err(Disconnect::INTERNAL.into()) };
        let token = match channel.topic() {
            ChannelTopic::Announcements => None,
            ChannelTopic::Events(_) => Some(self.check_token(now, &request.channel, &request.token)?),
        };
        let grant = token.as_ref().map_or(connection, |token| token.terms.grant);
        self.subscriptions.push(Subscription {
            topic: channel.topic(),
            is_plain: channel.view().is_some_and(|(_, is_plain)| is_plain),
            access_token: grant.access_token,
            is_server_side: false,
            is_live: false,
            expires_ms: token.as_ref().map(|token| token.terms.expires_at.saturating_mul(1000)),
            last: 0,
        });
        let subscribing = Subscribing { id, channel, wanted: RecoveryPosition::of(&request) };
        if token.is_some() {
            self.request(Effect::CheckAccess(grant), PendingCommand::Subscribe(subscribing));
        } else {
            self.start_channel(subscribing);
        }
        Ok(())
    }

    /// Validates a subscribe request. The checks run in the order of the reference server, because an SDK acts on the
    /// first code it gets.
    fn check_subscribe(&self, now: u64, request: &SubscribeRequest) -> Result<Channel, CommandError> {
        if request.channel.is_empty() {
            return Err(Disconnect::BAD_REQUEST.into());
        }
        if request.channel.len() > CHANNEL_BYTES_MAX {
            return Err(ErrorReply::BAD_REQUEST.into());
        }
        let channel = self.channel(&request.channel);
        let is_held = |channel: Channel| self.subscriptions.iter().any(|held| held.topic == channel.topic());
        if channel.is_ok_and(is_held) {
            return Err(ErrorReply::ALREADY_SUBSCRIBED.into());
        }
        if self.subscriptions.len() >= self.settings.channels_max {
            return Err(ErrorReply::LIMIT_EXCEEDED.into());
        }
        // Other types of subscription do not deliver ordered events, and the server has no other streams.
        if request.kind != 0 {
            return Err(ErrorReply::PERMISSION_DENIED.into());
        }
        // A client may never join another user's channel. If it sends a valid token for it, the token is not its own,
        // and `check_token` closes the connection.
        if channel == Err(ErrorReply::PERMISSION_DENIED) {
            self.check_token(now, &request.channel, &request.token)?;
        }
        Ok(channel?)
    }

    /// Verifies a subscription token. A valid token for another channel or user is an attack or a bug in the
    /// application, so it closes the connection. Text that is not a valid token gets an error reply.
    pub(super) fn check_token(
        &self,
        now: u64,
        channel: &str,
        token: &str,
    ) -> Result<SubscriptionToken, CommandError> {
        let token = match self.settings.signer.verify_subscription(now, token) {
            Ok(token) => token,
            Err(Rejection::Expired) => return Err(ErrorReply::TOKEN_EXPIRED.into()),
            Err(Rejection::Invalid) => return Err(ErrorReply::PERMISSION_DENIED.into()),
        };
        let is_ours = |ours: Grant| {
            let theirs = token.terms.grant;
            (theirs.user, theirs.owner) == (ours.user, ours.owner)
        };
        if token.channel == channel && self.grant.is_some_and(is_ours) {
            Ok(token)
        } else {
            Err(Disconnect::INVALID_TOKEN.into())
        }
    }

    fn start_channel(&mut self, subscribing: Subscribing) {
        let channel = subscribing.channel;
        let read = read_start(channel, &subscribing.wanted);
        self.effect(Effect::Attach(channel));
        self.request(Effect::Read(vec![read]), PendingCommand::Subscribe(subscribing));
    }

    pub(super) fn resume_subscribe(
        &mut self,
        now: u64,
        subscribing: Subscribing,
        answer: EffectResult,
    ) -> Result<(), CommandError> {
        let (id, topic) = (subscribing.id, subscribing.channel.topic());
        // The subscription was revoked while the command was in progress.
        let Some(expires_ms) = self.subscription(topic).map(|held| held.expires_ms) else {
            return Err(ErrorReply::PERMISSION_DENIED.into());
        };
        let slice = match answer {
            EffectResult::AccessChecked(Ok(())) => {
                self.start_channel(subscribing);
                return Ok(());
            }
            EffectResult::AccessChecked(Err(_)) => return Err(ErrorReply::PERMISSION_DENIED.into()),
            EffectResult::Failed => return Err(ErrorReply::INTERNAL.into()),
            EffectResult::Log(slices) => slices.into_iter().next().ok_or(Disconnect::INTERNAL)?,
            EffectResult::Registered(_) | EffectResult::Present(_) => return Err(Disconnect::INTERNAL.into()),
        };
        // Only one channel starts at a time, so all buffered events belong to it.
        let buffered = self.buffered.iter().map(|(_, event)| event);
        let start = recovery::start(&subscribing.wanted, slice, buffered, &mut ReplyBudget::new())?;
        let mut result = start.result;
        if let Some(moment) = expires_ms {
            (result.expires, result.ttl) = (true, seconds_left(now, moment));
        }
        if let Some(held) = self.subscription(topic) {
            (held.is_live, held.last) = (true, start.last);
        }
        self.reply(&Reply { id, subscribe: Some(result), ..Reply::default() });
        self.forward_buffered();
        Ok(())
    }
}
