//! Joining one channel: checked, attached, vouched for, started; then answered.

use crate::channel::Topic;
use crate::code::{Disconnect, Refusal};
use crate::frame::{Reply, SubscribeRequest};
use crate::limits::CHANNEL_BYTES_MAX;
use crate::token::{Grant, Rejection, SubscriptionToken};

use super::command::{Fault, Waiting};
use super::connect::read_start;
use super::effect::{Answer, Effect};
use super::recovery::{self, Room, Wanted};
use super::timer::seconds_left;
use super::{Session, Subscription};

/// A subscribe that waits for an answer.
pub(super) struct Subscribing {
    pub id: u32,
    pub topic: Topic,
    wanted: Wanted,
}

impl Session {
    pub(super) fn subscribe(&mut self, now: u64, id: u32, request: SubscribeRequest) -> Result<(), Fault> {
        let topic = self.check_subscribe(now, &request)?;
        let Some(connection) = self.grant else { return Err(Disconnect::INTERNAL.into()) };
        let token = match topic {
            Topic::Announcements => None,
            Topic::Events(_) => Some(self.check_token(now, &request.channel, &request.token)?),
        };
        let grant = token.as_ref().map_or(connection, |token| token.terms.grant);
        self.subscriptions.push(Subscription {
            topic,
            access_token: grant.access_token,
            is_server_side: false,
            is_live: false,
            expires_ms: token.as_ref().map(|token| token.terms.expires_at.saturating_mul(1000)),
            last: 0,
        });
        let subscribing = Subscribing { id, topic, wanted: Wanted::of(&request) };
        if token.is_some() {
            self.ask(Effect::Vouch(grant), Waiting::Subscribe(subscribing));
        } else {
            self.start_channel(connection, subscribing);
        }
        Ok(())
    }

    /// In the order of the reference server: an SDK acts on the first code it gets.
    fn check_subscribe(&self, now: u64, request: &SubscribeRequest) -> Result<Topic, Fault> {
        if request.channel.is_empty() {
            return Err(Disconnect::BAD_REQUEST.into());
        }
        if request.channel.len() > CHANNEL_BYTES_MAX {
            return Err(Refusal::BAD_REQUEST.into());
        }
        let topic = self.topic(&request.channel);
        if topic.is_ok_and(|topic| self.subscriptions.iter().any(|held| held.topic == topic)) {
            return Err(Refusal::ALREADY_SUBSCRIBED.into());
        }
        if self.subscriptions.len() >= self.settings.channels_max {
            return Err(Refusal::LIMIT_EXCEEDED.into());
        }
        // Other types of subscription are not events in order, which is all we have.
        if request.kind != 0 {
            return Err(Refusal::PERMISSION_DENIED.into());
        }
        // Nobody may join the channel of another; whoever has a token for it has taken it from there.
        if topic == Err(Refusal::PERMISSION_DENIED) {
            self.check_token(now, &request.channel, &request.token)?;
        }
        Ok(topic?)
    }

    /// A token for something else is an attack or a bug of the application, so the connection ends; one that is no
    /// token at all only fails to permit.
    pub(super) fn check_token(
        &self,
        now: u64,
        channel: &str,
        token: &str,
    ) -> Result<SubscriptionToken, Fault> {
        let token = match self.settings.signer.verify_subscription(now, token) {
            Ok(token) => token,
            Err(Rejection::Expired) => return Err(Refusal::TOKEN_EXPIRED.into()),
            Err(Rejection::Invalid) => return Err(Refusal::PERMISSION_DENIED.into()),
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

    fn start_channel(&mut self, grant: Grant, subscribing: Subscribing) {
        let channel = subscribing.topic.channel(grant.owner, grant.user);
        let read = read_start(channel, &subscribing.wanted);
        self.effect(Effect::Attach(channel));
        self.ask(Effect::Read(vec![read]), Waiting::Subscribe(subscribing));
    }

    pub(super) fn resume_subscribe(
        &mut self,
        now: u64,
        subscribing: Subscribing,
        answer: Answer,
    ) -> Result<(), Fault> {
        let Subscribing { id, topic, .. } = subscribing;
        // Revoked while it was being answered.
        let Some(expires_ms) = self.subscription(topic).map(|held| held.expires_ms) else {
            return Err(Refusal::PERMISSION_DENIED.into());
        };
        let slice = match answer {
            Answer::Vouched(Ok(())) => {
                let Some(grant) = self.grant else { return Err(Disconnect::INTERNAL.into()) };
                self.start_channel(grant, subscribing);
                return Ok(());
            }
            Answer::Vouched(Err(_)) => return Err(Refusal::PERMISSION_DENIED.into()),
            Answer::Failed => return Err(Refusal::INTERNAL.into()),
            Answer::Log(slices) => slices.into_iter().next().ok_or(Disconnect::INTERNAL)?,
            Answer::Entered(_) | Answer::Present(_) => return Err(Disconnect::INTERNAL.into()),
        };
        // One channel starts at a time, so whatever is buffered is its own.
        let buffered = self.buffered.iter().map(|(_, event)| event);
        let start = recovery::start(&subscribing.wanted, slice, buffered, &mut Room::new())?;
        let mut result = start.result;
        if let Some(moment) = expires_ms {
            (result.expires, result.ttl) = (true, seconds_left(now, moment));
        }
        if let Some(held) = self.subscription(topic) {
            (held.is_live, held.last) = (true, start.last);
        }
        self.reply(&Reply { id, subscribe: Some(result), ..Reply::default() });
        self.pass_buffered();
        Ok(())
    }
}
