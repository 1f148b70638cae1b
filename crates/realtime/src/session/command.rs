//! Dispatch of commands, and their continuation when the result of an effect arrives.

use crate::channel::{Channel, ChannelTopic, NotAChannel};
use crate::code::{Disconnect, ErrorReply};
use crate::frame::{
    ClientInfo, Command, HistoryRequest, HistoryResult, PresenceResult, PresenceStatsResult, Publication,
    RawData, Reply,
};
use crate::limits::{CHANNEL_BYTES_MAX, HISTORY_EVENTS_MAX, RECOVERY_BYTES_MAX};

use super::effect::{Effect, EffectResult, Range, ReadLog, Slice};
use super::pending::{PendingCommand, Refreshing, SubRefreshing};
use super::settings::ClientId;
use super::{DONE, Session, State};

/// The failure of a command: an error reply, or the close of the whole connection.
pub(super) enum CommandError {
    Refuse(ErrorReply),
    Close(Disconnect),
}

impl From<ErrorReply> for CommandError {
    fn from(why: ErrorReply) -> Self {
        CommandError::Refuse(why)
    }
}

impl From<Disconnect> for CommandError {
    fn from(why: Disconnect) -> Self {
        CommandError::Close(why)
    }
}

impl Session {
    pub(super) fn command(&mut self, now: u64, command: Command) {
        let id = command.id;
        let done = match self.state {
            State::Connected => self.dispatch(now, command),
            _ => match command.connect {
                Some(connect) if id > 0 => self.connect(now, id, connect),
                _ => Err(Disconnect::BAD_REQUEST.into()),
            },
        };
        self.settle(id, done);
    }

    /// Handles the first request that is set in the command.
    fn dispatch(&mut self, now: u64, command: Command) -> Result<(), CommandError> {
        let id = command.id;
        if id == 0 && command == Command::default() {
            self.pong();
            return Ok(());
        }
        // Only a message without a reply may omit the id.
        if id == 0 {
            let is_send = command.send.is_some();
            return Err(if is_send { Disconnect::NOT_AVAILABLE } else { Disconnect::BAD_REQUEST }.into());
        }
        if command.connect.is_some() {
            return Err(Disconnect::BAD_REQUEST.into());
        }
        if let Some(subscribe) = command.subscribe {
            return self.subscribe(now, id, subscribe);
        }
        if let Some(request) = command.unsubscribe {
            return self.leave(id, &request.channel);
        }
        if let Some(request) = command.publish {
            return if request.channel.is_empty() {
                Err(Disconnect::BAD_REQUEST.into())
            } else {
                Err(ErrorReply::PERMISSION_DENIED.into())
            };
        }
        if let Some(request) = command.presence.as_ref().or(command.presence_stats.as_ref()) {
            return self.presence(id, &request.channel, command.presence.is_none());
        }
        if let Some(request) = command.history {
            return self.history(id, request);
        }
        if command.ping.is_some() {
            return Err(Disconnect::BAD_REQUEST.into());
        }
        if command.send.is_some() {
            return Err(Disconnect::NOT_AVAILABLE.into());
        }
        if command.rpc.is_some() {
            return Err(ErrorReply::METHOD_NOT_FOUND.into());
        }
        if let Some(request) = command.refresh {
            return self.refresh(now, id, &request.token);
        }
        match command.sub_refresh {
            Some(request) => self.sub_refresh(now, id, &request),
            None => Err(Disconnect::BAD_REQUEST.into()),
        }
    }

    /// Continues a command with the result of its effect.
    pub(super) fn resume(&mut self, now: u64, command: PendingCommand, answer: EffectResult) {
        match (command, answer) {
            (PendingCommand::Connect(_), EffectResult::Failed) => self.close(Disconnect::INTERNAL),
            (PendingCommand::Connect(connecting), answer) => {
                let id = connecting.id;
                let done = self.resume_connect(now, connecting, answer);
                self.settle(id, done);
            }
            (PendingCommand::Subscribe(subscribing), answer) => {
                let (id, topic) = (subscribing.id, subscribing.channel.topic());
                let done = self.resume_subscribe(now, subscribing, answer);
                if done.is_err() {
                    self.drop_subscription(topic);
                }
                self.settle(id, done);
            }
            (PendingCommand::Refresh(Refreshing { id, .. }), EffectResult::Failed)
            | (PendingCommand::SubRefresh(SubRefreshing { id, .. }), EffectResult::Failed)
            | (
                PendingCommand::History { id, .. } | PendingCommand::Presence { id, .. },
                EffectResult::Failed,
            ) => {
                self.refuse(id, ErrorReply::INTERNAL);
            }
            (PendingCommand::Refresh(refreshing), EffectResult::AccessChecked(verdict)) => {
                self.resume_refresh(now, refreshing, verdict);
            }
            (PendingCommand::SubRefresh(refreshing), EffectResult::AccessChecked(verdict)) => {
                let id = refreshing.id;
                let done = self.resume_sub_refresh(now, refreshing, verdict);
                self.settle(id, done);
            }
            (PendingCommand::History { id, epoch }, EffectResult::Log(slices)) => {
                let done = self.resume_history(id, &epoch, slices);
                self.settle(id, done);
            }
            (PendingCommand::Presence { id, only_counts }, EffectResult::Present(clients)) => {
                self.resume_presence(id, only_counts, &clients);
            }
            // The driver passed the result of another effect.
            _ => self.close(Disconnect::INTERNAL),
        }
    }

    fn settle(&mut self, id: u32, done: Result<(), CommandError>) {
        match done {
            Ok(()) => {}
            Err(CommandError::Close(why)) => self.close(why),
            Err(CommandError::Refuse(why)) => self.refuse(id, why),
        }
    }

    /// Parses a channel name from the client. Only the client's own channels and the public channel are allowed.
    pub(super) fn channel(&self, name: &str) -> Result<Channel, ErrorReply> {
        if name.len() > CHANNEL_BYTES_MAX {
            return Err(ErrorReply::BAD_REQUEST);
        }
        let channel = match self.grant {
            Some(grant) => Channel::parse_own(name, grant.owner, grant.user),
            None => Channel::parse(name).map(|_| None),
        };
        match channel {
            Ok(Some(channel)) => Ok(channel),
            Ok(None) | Err(NotAChannel::Malformed) => Err(ErrorReply::PERMISSION_DENIED),
            Err(NotAChannel::UnknownNamespace) => Err(ErrorReply::UNKNOWN_CHANNEL),
        }
    }

    /// Parses the name of a channel that the client has joined. Only these may be queried.
    pub(super) fn joined_channel(&self, name: &str) -> Result<Channel, CommandError> {
        if name.is_empty() {
            return Err(Disconnect::BAD_REQUEST.into());
        }
        let channel = self.channel(name)?;
        let is_held = self.channels().any(|held| held == channel);
        if is_held { Ok(channel) } else { Err(ErrorReply::PERMISSION_DENIED.into()) }
    }

    fn leave(&mut self, id: u32, name: &str) -> Result<(), CommandError> {
        if name.is_empty() {
            return Err(Disconnect::BAD_REQUEST.into());
        }
        // Leaving a channel that is not joined is not an error: the server may have ended the subscription meanwhile.
        if let Ok(channel) = self.joined_channel(name) {
            self.drop_subscription(channel.topic());
        }
        self.reply(&Reply { id, unsubscribe: DONE, ..Reply::default() });
        Ok(())
    }

    fn history(&mut self, id: u32, request: HistoryRequest) -> Result<(), CommandError> {
        let channel = self.joined_channel(&request.channel)?;
        let limit = match usize::try_from(request.limit) {
            Ok(limit) => limit.min(HISTORY_EVENTS_MAX),
            Err(_) => HISTORY_EVENTS_MAX,
        };
        let (since, epoch) = request.since.map(|since| (Some(since.offset), since.epoch)).unwrap_or_default();
        let range = match request.reverse {
            false => Range::After(since.unwrap_or(0)),
            true => Range::Before(since.unwrap_or(u64::MAX)),
        };
        let read = ReadLog { stream: channel.stream(), range, limit, bytes_max: RECOVERY_BYTES_MAX };
        self.request(Effect::Read(vec![read]), PendingCommand::History { id, epoch });
        Ok(())
    }

    fn resume_history(&mut self, id: u32, epoch: &str, slices: Vec<Slice>) -> Result<(), CommandError> {
        let slice = slices.into_iter().next().ok_or(Disconnect::INTERNAL)?;
        if !epoch.is_empty() && *epoch != *slice.epoch {
            return Err(ErrorReply::UNRECOVERABLE_POSITION.into());
        }
        let publication = |event: super::LogEvent| Publication {
            data: RawData(event.data),
            offset: event.offset,
            ..Publication::default()
        };
        let publications = slice.events.into_iter().map(publication).collect();
        let history = HistoryResult { publications, epoch: slice.epoch.to_string(), offset: slice.top };
        self.reply(&Reply { id, history: Some(history), ..Reply::default() });
        Ok(())
    }

    fn presence(&mut self, id: u32, name: &str, only_counts: bool) -> Result<(), CommandError> {
        let channel = self.joined_channel(name)?;
        // The presence of the public channel would reveal the clients of every organisation.
        if channel.topic() == ChannelTopic::Announcements {
            return Err(ErrorReply::NOT_AVAILABLE.into());
        }
        self.request(Effect::Presence(channel), PendingCommand::Presence { id, only_counts });
        Ok(())
    }

    /// Replies with the connections of a channel. A channel belongs to one user, so they all have the same user.
    fn resume_presence(&mut self, id: u32, only_counts: bool, clients: &[ClientId]) {
        let user = self.grant.map(|grant| grant.user.to_string()).unwrap_or_default();
        let mut reply = Reply { id, ..Reply::default() };
        if only_counts {
            let num_clients = u32::try_from(clients.len()).unwrap_or(u32::MAX);
            reply.presence_stats = Some(PresenceStatsResult { num_clients, num_users: num_clients.min(1) });
        } else {
            let info = |client: &ClientId| {
                let client = client.to_string();
                (client.clone(), ClientInfo { user: user.clone(), client, ..ClientInfo::default() })
            };
            reply.presence = Some(PresenceResult { presence: clients.iter().map(info).collect() });
        }
        self.reply(&reply);
    }
}
