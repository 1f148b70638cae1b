//! Connecting: the token is read, the connection is counted, the token vouched for, its channels started, and only
//! then the client is answered.

use crate::channel::{Channel, NotAChannel, Topic};
use crate::code::{Disconnect, Refusal};
use crate::frame::{ConnectRequest, ConnectResult, Push, Reply};
use crate::limits::{RECOVERY_BYTES_MAX, RECOVERY_EVENTS_MAX};
use crate::token::{ConnectionToken, Grant, Rejection};

use super::command::{Fault, Waiting};
use super::effect::{Answer, Effect, Range, ReadLog, Slice};
use super::recovery::{self, Room, Wanted};
use super::timer::seconds_left;
use super::{Session, State, Subscription};

/// A connect that waits for an answer.
pub(super) struct Connecting {
    pub id: u32,
    grant: Grant,
    expires_ms: u64,
    /// The channels that come with the token, and where the client stands in each.
    wanted: Vec<(Topic, Wanted)>,
}

impl Session {
    /// The first message of a unidirectional connection is a bare connect; what comes later is not for us.
    pub(super) fn receive_uni(&mut self, now: u64, frame: &[u8]) {
        if self.state != State::Opened || self.waiting.is_some() {
            return;
        }
        let done = match self.transport.codec.read_connect(frame) {
            Ok(request) => self.connect(now, 0, request),
            Err(_) => Err(Disconnect::BAD_REQUEST.into()),
        };
        if let Err(Fault::Close(why)) = done {
            self.close(why);
        }
    }

    pub(super) fn connect(&mut self, now: u64, id: u32, request: ConnectRequest) -> Result<(), Fault> {
        let token = match self.settings.signer.verify_connection(now, &request.token) {
            Ok(token) => token,
            Err(Rejection::Expired) => return self.refuse_connect(Refusal::TOKEN_EXPIRED),
            Err(Rejection::Invalid) => return Err(Disconnect::INVALID_TOKEN.into()),
        };
        let grant = token.terms.grant;
        let topics = match topics(&token) {
            Ok(topics) => topics,
            Err(Fault::Refuse(why)) => return self.refuse_connect(why),
            Err(close) => return Err(close),
        };
        if topics.len() > self.settings.channels_max {
            return Err(Disconnect::CHANNEL_LIMIT.into());
        }
        let wanted = topics.iter().map(|topic| {
            let name = topic.channel(grant.owner, grant.user).to_string();
            (*topic, request.subs.get(&name).map(Wanted::of).unwrap_or_default())
        });
        // Here there is no error to give for one channel: it starts anew, and the client sees that.
        let wanted = wanted.map(|(topic, wanted)| (topic, wanted.leniently())).collect();
        let expires_ms = token.terms.expires_at.saturating_mul(1000);
        self.grant = Some(grant);
        self.granted = topics;
        let connecting = Connecting { id, grant, expires_ms, wanted };
        self.ask(Effect::Enter(grant), Waiting::Connect(connecting));
        Ok(())
    }

    /// Answers with an error and stops listening: the SDK closes the connection itself. A unidirectional one has no
    /// place for errors, so there the close says it.
    fn refuse_connect(&mut self, why: Refusal) -> Result<(), Fault> {
        if self.transport.is_uni() {
            return Err(match why {
                Refusal::TOKEN_EXPIRED => Disconnect::EXPIRED.into(),
                _ => Disconnect::PERMISSION_DENIED.into(),
            });
        }
        self.state = State::Refused;
        self.pending.clear();
        self.pending_bytes = 0;
        Err(why.into())
    }

    pub(super) fn resume_connect(
        &mut self,
        now: u64,
        connecting: Connecting,
        answer: Answer,
    ) -> Result<(), Fault> {
        match answer {
            Answer::Entered(entered) => {
                entered?;
                let grant = connecting.grant;
                self.ask(Effect::Vouch(grant), Waiting::Connect(connecting));
                Ok(())
            }
            Answer::Vouched(verdict) => {
                verdict?;
                self.start_channels(now, connecting)
            }
            Answer::Log(slices) => self.finish_connect(now, &connecting, slices),
            _ => Err(Disconnect::INTERNAL.into()),
        }
    }

    /// Attaches to all channels, then reads where they stand, in one go.
    fn start_channels(&mut self, now: u64, connecting: Connecting) -> Result<(), Fault> {
        if connecting.wanted.is_empty() {
            return self.finish_connect(now, &connecting, Vec::new());
        }
        let grant = connecting.grant;
        self.subscriptions.reserve_exact(connecting.wanted.len());
        let mut reads = Vec::with_capacity(connecting.wanted.len());
        for (topic, wanted) in &connecting.wanted {
            self.subscriptions.push(Subscription {
                topic: *topic,
                access_token: grant.access_token,
                is_server_side: true,
                is_live: false,
                expires_ms: None,
                last: 0,
            });
            let channel = topic.channel(grant.owner, grant.user);
            self.effect(Effect::Attach(channel));
            reads.push(read_start(channel, wanted));
        }
        self.ask(Effect::Read(reads), Waiting::Connect(connecting));
        Ok(())
    }

    fn finish_connect(&mut self, now: u64, connecting: &Connecting, slices: Vec<Slice>) -> Result<(), Fault> {
        if slices.len() != connecting.wanted.len() {
            return Err(Disconnect::INTERNAL.into());
        }
        let Connecting { id, grant, expires_ms, .. } = *connecting;
        let mut room = Room::new();
        let mut connect = ConnectResult {
            client: self.seed.client.to_string(),
            version: self.settings.version.clone(),
            expires: true,
            ttl: seconds_left(now, expires_ms),
            ..ConnectResult::default()
        };
        for ((topic, wanted), slice) in connecting.wanted.iter().zip(slices) {
            let buffered = self.buffered.iter().filter(|(head, _)| head.channel().topic() == *topic);
            let start = recovery::start(wanted, slice, buffered.map(|(_, event)| event), &mut room)?;
            // It may have been taken away while the log was read.
            if let Some(held) = self.subscription(*topic) {
                (held.is_live, held.last) = (true, start.last);
                connect.subs.insert(topic.channel(grant.owner, grant.user).to_string(), start.result);
            }
        }
        self.state = State::Connected;
        self.timers.expires = Some(expires_ms);
        self.start_pings(now);
        self.greet(id, connect);
        self.pass_buffered();
        Ok(())
    }

    fn greet(&mut self, id: u32, mut connect: ConnectResult) {
        if self.transport.has_pings {
            connect.ping = u32::try_from(self.settings.ping_ms / 1000).unwrap_or(u32::MAX);
            connect.pong = !self.transport.is_uni();
        }
        if self.transport.is_uni() || self.transport.is_emulated() {
            connect.session = self.seed.session.to_string();
        }
        if self.transport.is_emulated() {
            connect.node = self.settings.node.clone();
        }
        if self.transport.is_uni() {
            self.push(Push { connect: Some(connect), ..Push::default() });
        } else {
            self.reply(&Reply { id, connect: Some(connect), ..Reply::default() });
        }
    }
}

/// What to read so that a channel can start: what was missed, or else only where the log stands.
pub(super) fn read_start(channel: Channel, wanted: &Wanted) -> ReadLog {
    ReadLog {
        stream: channel.stream(),
        range: Range::After(wanted.offset),
        limit: if wanted.is_recovering { RECOVERY_EVENTS_MAX } else { 0 },
        bytes_max: RECOVERY_BYTES_MAX,
    }
}

/// The topics of a connection token: all must be its own user's, of its own owner.
pub(super) fn topics(token: &ConnectionToken) -> Result<Vec<Topic>, Fault> {
    let grant = token.terms.grant;
    let mut topics = Vec::with_capacity(token.channels.len());
    for name in &token.channels {
        let topic = match Channel::parse(name) {
            Ok(channel) if channel.topic().channel(grant.owner, grant.user) == channel => channel.topic(),
            Ok(_) | Err(NotAChannel::Malformed) => return Err(Disconnect::INVALID_TOKEN.into()),
            Err(NotAChannel::UnknownNamespace) => return Err(Refusal::UNKNOWN_CHANNEL.into()),
        };
        topics.push(topic);
    }
    topics.sort_unstable();
    topics.dedup();
    Ok(topics)
}
