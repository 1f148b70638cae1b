//! Commands, one by one, and what happens when the answer that one waited for is there.

use crate::channel::{Channel, NotAChannel, Topic};
use crate::code::{Disconnect, Refusal};
use crate::frame::{
    ClientInfo, Command, HistoryRequest, HistoryResult, PresenceResult, PresenceStatsResult, Publication,
    Raw, Reply,
};
use crate::limits::{CHANNEL_BYTES_MAX, HISTORY_EVENTS_MAX, RECOVERY_BYTES_MAX};

use super::connect::Connecting;
use super::effect::{Answer, Effect, Range, ReadLog, Slice};
use super::refresh::{Refreshing, SubRefreshing};
use super::settings::ClientId;
use super::subscribe::Subscribing;
use super::{DONE, Session, State};

/// A command that waits for an answer.
pub(super) enum Waiting {
    Connect(Connecting),
    Subscribe(Subscribing),
    Refresh(Refreshing),
    SubRefresh(SubRefreshing),
    /// With the epoch that the client believes in.
    History {
        id: u32,
        epoch: String,
    },
    Presence {
        id: u32,
        only_counts: bool,
    },
}

/// Why a command gets nowhere: refused, or the whole connection with it.
pub(super) enum Fault {
    Refuse(Refusal),
    Close(Disconnect),
}

impl From<Refusal> for Fault {
    fn from(why: Refusal) -> Self {
        Fault::Refuse(why)
    }
}

impl From<Disconnect> for Fault {
    fn from(why: Disconnect) -> Self {
        Fault::Close(why)
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

    /// The first request that is there wins.
    fn dispatch(&mut self, now: u64, command: Command) -> Result<(), Fault> {
        let id = command.id;
        if id == 0 && command == Command::default() {
            self.pong();
            return Ok(());
        }
        // Only what wants no answer may come without an id.
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
                Err(Refusal::PERMISSION_DENIED.into())
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
            return Err(Refusal::METHOD_NOT_FOUND.into());
        }
        if let Some(request) = command.refresh {
            return self.refresh(now, id, &request.token);
        }
        match command.sub_refresh {
            Some(request) => self.sub_refresh(now, id, &request),
            None => Err(Disconnect::BAD_REQUEST.into()),
        }
    }

    /// The answer is there.
    pub(super) fn resume(&mut self, now: u64, waiting: Waiting, answer: Answer) {
        match (waiting, answer) {
            (Waiting::Connect(_), Answer::Failed) => self.close(Disconnect::INTERNAL),
            (Waiting::Connect(connecting), answer) => {
                let id = connecting.id;
                let done = self.resume_connect(now, connecting, answer);
                self.settle(id, done);
            }
            (Waiting::Subscribe(subscribing), answer) => {
                let (id, topic) = (subscribing.id, subscribing.topic);
                let done = self.resume_subscribe(now, subscribing, answer);
                if done.is_err() {
                    self.drop_subscription(topic);
                }
                self.settle(id, done);
            }
            (Waiting::Refresh(Refreshing { id, .. }), Answer::Failed)
            | (Waiting::SubRefresh(SubRefreshing { id, .. }), Answer::Failed)
            | (Waiting::History { id, .. } | Waiting::Presence { id, .. }, Answer::Failed) => {
                self.refuse(id, Refusal::INTERNAL);
            }
            (Waiting::Refresh(refreshing), Answer::Vouched(verdict)) => {
                self.resume_refresh(now, refreshing, verdict);
            }
            (Waiting::SubRefresh(refreshing), Answer::Vouched(verdict)) => {
                let id = refreshing.id;
                let done = self.resume_sub_refresh(now, refreshing, verdict);
                self.settle(id, done);
            }
            (Waiting::History { id, epoch }, Answer::Log(slices)) => {
                let done = self.resume_history(id, &epoch, slices);
                self.settle(id, done);
            }
            (Waiting::Presence { id, only_counts }, Answer::Present(clients)) => {
                self.resume_presence(id, only_counts, &clients);
            }
            // The driver answered something else than was asked.
            _ => self.close(Disconnect::INTERNAL),
        }
    }

    fn settle(&mut self, id: u32, done: Result<(), Fault>) {
        match done {
            Ok(()) => {}
            Err(Fault::Close(why)) => self.close(why),
            Err(Fault::Refuse(why)) => self.refuse(id, why),
        }
    }

    /// The topic of a channel that this client may name at all: its own, or everybody's.
    pub(super) fn topic(&self, name: &str) -> Result<Topic, Refusal> {
        if name.len() > CHANNEL_BYTES_MAX {
            return Err(Refusal::BAD_REQUEST);
        }
        let channel = Channel::parse(name).map_err(|why| match why {
            NotAChannel::UnknownNamespace => Refusal::UNKNOWN_CHANNEL,
            NotAChannel::Malformed => Refusal::PERMISSION_DENIED,
        })?;
        let is_ours =
            self.grant.is_some_and(|grant| channel.topic().channel(grant.owner, grant.user) == channel);
        if is_ours { Ok(channel.topic()) } else { Err(Refusal::PERMISSION_DENIED) }
    }

    /// A channel that the client is on: only of these it may ask.
    fn joined(&self, name: &str) -> Result<Channel, Fault> {
        if name.is_empty() {
            return Err(Disconnect::BAD_REQUEST.into());
        }
        let topic = self.topic(name)?;
        let is_held = self.subscriptions.iter().any(|held| held.topic == topic);
        match self.grant {
            Some(grant) if is_held => Ok(topic.channel(grant.owner, grant.user)),
            _ => Err(Refusal::PERMISSION_DENIED.into()),
        }
    }

    fn leave(&mut self, id: u32, name: &str) -> Result<(), Fault> {
        if name.is_empty() {
            return Err(Disconnect::BAD_REQUEST.into());
        }
        // To leave what one is not on is no mistake: it may have been taken away meanwhile.
        if let Ok(topic) = self.topic(name) {
            self.drop_subscription(topic);
        }
        self.reply(&Reply { id, unsubscribe: DONE, ..Reply::default() });
        Ok(())
    }

    fn history(&mut self, id: u32, request: HistoryRequest) -> Result<(), Fault> {
        let channel = self.joined(&request.channel)?;
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
        self.ask(Effect::Read(vec![read]), Waiting::History { id, epoch });
        Ok(())
    }

    fn resume_history(&mut self, id: u32, epoch: &str, slices: Vec<Slice>) -> Result<(), Fault> {
        let slice = slices.into_iter().next().ok_or(Disconnect::INTERNAL)?;
        if !epoch.is_empty() && *epoch != *slice.epoch {
            return Err(Refusal::UNRECOVERABLE_POSITION.into());
        }
        let publication = |event: super::LogEvent| Publication {
            data: Raw(event.data),
            offset: event.offset,
            ..Publication::default()
        };
        let publications = slice.events.into_iter().map(publication).collect();
        let history = HistoryResult { publications, epoch: slice.epoch.to_string(), offset: slice.top };
        self.reply(&Reply { id, history: Some(history), ..Reply::default() });
        Ok(())
    }

    fn presence(&mut self, id: u32, name: &str, only_counts: bool) -> Result<(), Fault> {
        let channel = self.joined(name)?;
        // Who listens to the announcements is nobody's business: it would be everyone of every organisation.
        if channel.topic() == Topic::Announcements {
            return Err(Refusal::NOT_AVAILABLE.into());
        }
        self.ask(Effect::Presence(channel), Waiting::Presence { id, only_counts });
        Ok(())
    }

    /// A channel belongs to one user, so everyone there is the same one.
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
