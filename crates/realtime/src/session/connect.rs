//! Connecting: verify the token, register the connection, check the access token, start the token's channels, then
//! reply.

use crate::channel::{Channel, ChannelTopic, NotAChannel};
use crate::code::{Disconnect, ErrorReply};
use crate::frame::{ConnectRequest, ConnectResult, Push, Reply};
use crate::limits::{RECOVERY_BYTES_MAX, RECOVERY_EVENTS_MAX};
use crate::token::{ConnectionToken, Rejection};

use super::command::CommandError;
use super::effect::{Effect, EffectResult, Range, ReadLog, Slice};
use super::pending::{Connecting, PendingCommand};
use super::recovery::{self, RecoveryPosition, ReplyBudget};
use super::timer::seconds_left;
use super::{Session, State, Subscription};

impl Session {
    /// Handles a frame on a unidirectional connection. The first frame is a connect request without a command around
    /// it; later frames are ignored.
    pub(super) fn receive_uni(&mut self, now: u64, frame: &[u8]) {
        if self.state != State::Opened || self.pending_command.is_some() {
            return;
        }
        let done = match self.transport.codec.read_connect(frame) {
            Ok(request) => self.connect(now, 0, request),
            Err(_) => Err(Disconnect::BAD_REQUEST.into()),
        };
        if let Err(CommandError::Close(why)) = done {
            self.close(why);
        }
    }

    pub(super) fn connect(&mut self, now: u64, id: u32, request: ConnectRequest) -> Result<(), CommandError> {
        let token = match self.settings.signer.verify_connection(now, &request.token) {
            Ok(token) => token,
            Err(Rejection::Expired) => return self.refuse_connect(ErrorReply::TOKEN_EXPIRED),
            Err(Rejection::Invalid) => return Err(Disconnect::INVALID_TOKEN.into()),
        };
        let grant = token.terms.grant;
        let topics = match topics(&token) {
            Ok(topics) => topics,
            Err(CommandError::Refuse(why)) => return self.refuse_connect(why),
            Err(close) => return Err(close),
        };
        if topics.len() > self.settings.channels_max {
            return Err(Disconnect::CHANNEL_LIMIT.into());
        }
        let wanted = topics.iter().map(|topic| {
            let channel = topic.channel(grant.owner, grant.user);
            let names = [Some(channel), channel.as_plain()].into_iter().flatten();
            let position = names.map(|name| name.to_string()).find_map(|name| request.subs.get(&name));
            (*topic, position.map(RecoveryPosition::of).unwrap_or_default())
        });
        // A connect reply has no error per channel. A position that cannot be recovered starts at the newest event,
        // and the reply tells the client so.
        let wanted = wanted.map(|(topic, wanted)| (topic, wanted.with_optional_recovery())).collect();
        let expires_ms = token.terms.expires_at.saturating_mul(1000);
        self.grant = Some(grant);
        self.granted = topics;
        let connecting = Connecting { id, grant, expires_ms, wanted };
        self.request(Effect::Register(grant), PendingCommand::Connect(connecting));
        Ok(())
    }

    /// Fails the connect with an error reply and ignores further frames; the SDK closes the connection. A
    /// unidirectional transport has no error replies, so there the connection is closed with a code.
    fn refuse_connect(&mut self, why: ErrorReply) -> Result<(), CommandError> {
        if self.transport.is_uni() {
            return Err(match why {
                ErrorReply::TOKEN_EXPIRED => Disconnect::EXPIRED.into(),
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
        answer: EffectResult,
    ) -> Result<(), CommandError> {
        match answer {
            EffectResult::Registered(registered) => {
                registered?;
                let grant = connecting.grant;
                self.request(Effect::CheckAccess(grant), PendingCommand::Connect(connecting));
                Ok(())
            }
            EffectResult::AccessChecked(verdict) => {
                verdict?;
                self.start_channels(now, connecting)
            }
            EffectResult::Log(slices) => self.finish_connect(now, &connecting, slices),
            _ => Err(Disconnect::INTERNAL.into()),
        }
    }

    /// Attaches to all channels, then requests their positions in one read.
    fn start_channels(&mut self, now: u64, connecting: Connecting) -> Result<(), CommandError> {
        if connecting.wanted.is_empty() {
            return self.finish_connect(now, &connecting, Vec::new());
        }
        let grant = connecting.grant;
        self.subscriptions.reserve_exact(connecting.wanted.len());
        let mut reads = Vec::with_capacity(connecting.wanted.len());
        for (topic, wanted) in &connecting.wanted {
            self.subscriptions.push(Subscription {
                topic: *topic,
                is_plain: false,
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
        self.request(Effect::Read(reads), PendingCommand::Connect(connecting));
        Ok(())
    }

    fn finish_connect(
        &mut self,
        now: u64,
        connecting: &Connecting,
        slices: Vec<Slice>,
    ) -> Result<(), CommandError> {
        if slices.len() != connecting.wanted.len() {
            return Err(Disconnect::INTERNAL.into());
        }
        let Connecting { id, grant, expires_ms, .. } = *connecting;
        let mut budget = ReplyBudget::new();
        let mut connect = ConnectResult {
            client: self.seed.client.to_string(),
            version: self.settings.version.clone(),
            expires: true,
            ttl: seconds_left(now, expires_ms),
            ..ConnectResult::default()
        };
        for ((topic, wanted), slice) in connecting.wanted.iter().zip(slices) {
            let buffered = self.buffered.iter().filter(|(prefix, _)| prefix.channel().topic() == *topic);
            let start = recovery::start(wanted, slice, buffered.map(|(_, event)| event), &mut budget)?;
            // The subscription may have been ended while the log was read.
            if let Some(held) = self.subscription(*topic) {
                (held.is_live, held.last) = (true, start.last);
                connect.subs.insert(topic.channel(grant.owner, grant.user).to_string(), start.result);
            }
        }
        self.state = State::Connected;
        self.timers.expires = Some(expires_ms);
        self.start_pings(now);
        self.send_connect_result(id, connect);
        self.forward_buffered();
        Ok(())
    }

    fn send_connect_result(&mut self, id: u32, mut connect: ConnectResult) {
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

/// Returns the read that starts a channel: the missed events if the client is recovering, otherwise only the
/// position.
pub(super) fn read_start(channel: Channel, wanted: &RecoveryPosition) -> ReadLog {
    ReadLog {
        stream: channel.stream(),
        range: Range::After(wanted.offset),
        limit: if wanted.is_recovering { RECOVERY_EVENTS_MAX } else { 0 },
        bytes_max: RECOVERY_BYTES_MAX,
    }
}

/// Returns the topics of a connection token. All channels must belong to the token's own user and owner.
pub(super) fn topics(token: &ConnectionToken) -> Result<Vec<ChannelTopic>, CommandError> {
    let grant = token.terms.grant;
    let mut topics = Vec::with_capacity(token.channels.len());
    for name in &token.channels {
        let topic = match Channel::parse(name) {
            Ok(channel) if channel.topic().channel(grant.owner, grant.user) == channel => channel.topic(),
            Ok(_) | Err(NotAChannel::Malformed) => return Err(Disconnect::INVALID_TOKEN.into()),
            Err(NotAChannel::UnknownNamespace) => return Err(ErrorReply::UNKNOWN_CHANNEL.into()),
        };
        topics.push(topic);
    }
    topics.sort_unstable();
    topics.dedup();
    Ok(topics)
}
