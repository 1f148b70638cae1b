//! The state machine of one connection. Inputs are frames, times, results and outbox items; outputs are [`Output`]s.
//!
//! A session opens no socket, reads no clock and reads no log. The driver passes inputs in and performs what
//! [`Session::next`] returns. Commands are handled strictly one after the other: while the result of an [`Effect`] is
//! pending, further frames are queued. Timers, control messages and live events are handled at once.
//!
//! Times are milliseconds since 1970, from a clock that does not go back.

mod command;
mod connect;
mod control;
mod effect;
mod outbox_item;
mod pending;
mod recovery;
mod refresh;
mod settings;
mod subscribe;
mod timeouts;
mod timer;

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use model::{AccessToken, Id};

use crate::channel::{Channel, ChannelTopic};
use crate::code::{Disconnect, ErrorReply, Unsubscription};
use crate::frame::{
    Broadcast, Codec, DisconnectPush, Empty, Error, Frame, MessagePrefix, Packer, Push, Reply,
    UnsubscribePush,
};
use crate::limits::{FRAME_BYTES_MAX, OUTBOX_BYTES_MAX, PENDING_BYTES_MAX};
use crate::token::Grant;

pub use effect::{Effect, EffectResult, LogEvent, Output, Range, ReadLog, Slice};
pub use outbox_item::{ControlMessage, OutboxItem};
use pending::PendingCommand;
pub use settings::{ClientId, SEED_BYTES, Seed, SessionSettings, Transport};

/// The state of one connection.
pub struct Session {
    settings: Arc<SessionSettings>,
    transport: Transport,
    seed: Seed,
    state: State,
    /// The user, owner and access token that the client acts for; set once the connection token is verified.
    grant: Option<Grant>,
    /// The topics of the connection token, to detect a new token with other topics.
    granted: Vec<ChannelTopic>,
    subscriptions: Vec<Subscription>,
    /// Frames that are not handled yet.
    pending: VecDeque<Bytes>,
    pending_bytes: usize,
    /// The command whose effect is in progress.
    pending_command: Option<Box<PendingCommand>>,
    /// Live events of channels whose start position is not decided yet.
    buffered: Vec<recovery::BufferedEvent>,
    buffered_bytes: usize,
    outputs: VecDeque<Output>,
    timers: timer::Timers,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// Waiting for the connect command, or for the results of its effects.
    Opened,
    /// The connect was answered with an error. The SDK is expected to close the connection; further frames are
    /// ignored.
    Refused,
    Connected,
    Closed,
}

struct Subscription {
    topic: ChannelTopic,
    /// Whether the client used the plain channel name, as it may in the test world.
    is_plain: bool,
    /// The access token that authorised the subscription.
    access_token: Id<AccessToken>,
    /// Whether the subscription came with the connection token.
    is_server_side: bool,
    /// Whether the start position is decided. Until then, live events are buffered.
    is_live: bool,
    /// The expiry time of the subscription token, in milliseconds.
    expires_ms: Option<u64>,
    /// The last offset that was sent.
    last: u64,
}

impl Subscription {
    /// Returns the channel under the name that the client used.
    fn channel(&self, grant: Grant) -> Channel {
        let channel = self.topic.channel(grant.owner, grant.user);
        channel.as_plain().filter(|_| self.is_plain).unwrap_or(channel)
    }
}

impl Session {
    /// Creates the state of a connection that was just opened.
    pub fn new(settings: Arc<SessionSettings>, transport: Transport, seed: Seed, now: u64) -> Self {
        let timers = timer::Timers::new(now.saturating_add(settings.stale_ms));
        Self {
            settings,
            transport,
            seed,
            state: State::Opened,
            grant: None,
            granted: Vec::new(),
            subscriptions: Vec::new(),
            pending: VecDeque::new(),
            pending_bytes: 0,
            pending_command: None,
            buffered: Vec::new(),
            buffered_bytes: 0,
            outputs: VecDeque::new(),
            timers,
        }
    }

    /// Returns the public id of this connection.
    pub fn client(&self) -> ClientId {
        self.seed.client
    }

    /// Returns the secret id by which `/emulation` finds this connection.
    pub fn session(&self) -> ClientId {
        self.seed.session
    }

    /// Returns the channels that the session is attached to.
    pub fn channels(&self) -> impl Iterator<Item = Channel> {
        let grant = self.grant;
        self.subscriptions.iter().filter_map(move |held| grant.map(|grant| held.channel(grant)))
    }

    /// Returns the next output. After each call of a method below, call this until it returns `None`.
    #[expect(clippy::should_implement_trait, reason = "a session is no iterator: it goes on after `None`")]
    pub fn next(&mut self) -> Option<Output> {
        let output = self.outputs.pop_front();
        if self.outputs.is_empty() {
            // Free the queue's memory, so that an idle connection does not keep the capacity of its last burst.
            self.outputs = VecDeque::new();
        }
        output
    }

    /// Returns whether the session has ended. It then ignores all input.
    pub fn is_closed(&self) -> bool {
        self.state == State::Closed
    }

    /// Returns whether the driver should read from the socket. While a command is in progress it should not: the
    /// frames would be queued in memory, which is limited.
    pub fn wants_input(&self) -> bool {
        self.pending.is_empty() && !self.is_closed()
    }

    /// Handles a frame from the client.
    pub fn receive(&mut self, now: u64, frame: Bytes) {
        let is_empty = match self.transport.codec {
            Codec::Json => frame.iter().all(u8::is_ascii_whitespace),
            Codec::Protobuf => frame.is_empty(),
        };
        match self.state {
            State::Closed | State::Refused => return,
            State::Opened | State::Connected if frame.len() > FRAME_BYTES_MAX => {
                return self.close(Disconnect::TOO_BIG);
            }
            State::Opened | State::Connected if self.transport.is_uni() => {
                return self.receive_uni(now, &frame);
            }
            State::Opened | State::Connected if is_empty => return self.close(Disconnect::BAD_REQUEST),
            State::Opened | State::Connected => {}
        }
        self.pending_bytes += frame.len();
        if self.pending_bytes > PENDING_BYTES_MAX {
            return self.close(Disconnect::TOO_MANY_REQUESTS);
        }
        self.pending.push_back(frame);
        self.run(now);
    }

    /// Passes in the result of the last [`Effect`] that has one.
    pub fn answer(&mut self, now: u64, answer: EffectResult) {
        if self.is_closed() {
            return;
        }
        match self.pending_command.take() {
            Some(command) => self.resume(now, *command, answer),
            // No effect is pending, so the driver is faulty. Closing lets the client start again in a known state.
            None => self.close(Disconnect::INTERNAL),
        }
        self.run(now);
    }

    /// Handles items from the outbox.
    pub fn deliver(&mut self, now: u64, items: impl IntoIterator<Item = OutboxItem>) {
        let mut packer =
            Packer::new(self.transport.codec, self.transport.is_uni(), self.transport.is_single());
        for item in items {
            if self.is_closed() {
                return;
            }
            match item {
                OutboxItem::Events { prefix, events } => self.forward(&mut packer, &prefix, &events),
                // Control messages and frames must not overtake the events before them.
                OutboxItem::Control(message) => {
                    self.flush(&mut packer);
                    self.apply_control(message);
                }
                OutboxItem::Input(frame) => {
                    self.flush(&mut packer);
                    self.receive(now, frame);
                }
            }
        }
        if !self.is_closed() {
            self.flush(&mut packer);
        }
    }

    /// Closes the connection because its client reads too slowly. Its queued items were discarded, so it must recover
    /// from the log.
    pub fn close_slow(&mut self) {
        self.close(Disconnect::SLOW);
    }

    /// Handles queued commands until one waits for an effect or none is left.
    fn run(&mut self, now: u64) {
        while self.pending_command.is_none() && matches!(self.state, State::Opened | State::Connected) {
            let Some(frame) = self.pending.front_mut() else {
                self.pending = VecDeque::new();
                return;
            };
            let length = frame.len();
            let command = self.transport.codec.next_command(frame);
            self.pending_bytes -= length - frame.len();
            match command {
                Some(Ok(command)) if self.timers.admit_command(now) => self.command(now, command),
                Some(Ok(_)) => self.close(Disconnect::TOO_MANY_REQUESTS),
                Some(Err(_)) => self.close(Disconnect::BAD_REQUEST),
                None => {
                    self.pending_bytes -= frame.len();
                    self.pending.pop_front();
                }
            }
        }
    }

    /// Sends live events of one channel, or buffers them until the channel's start position is decided.
    fn forward(&mut self, packer: &mut Packer, prefix: &Arc<MessagePrefix>, events: &[Arc<Broadcast>]) {
        let topic = prefix.channel().topic();
        let Some(held) = self.subscriptions.iter_mut().find(|held| held.topic == topic) else {
            return;
        };
        let bytes: usize = events.iter().map(|event| event.data().len()).sum();
        if !held.is_live {
            self.buffered_bytes += bytes;
            self.buffered.extend(events.iter().map(|event| (Arc::clone(prefix), Arc::clone(event))));
            if self.buffered_bytes > OUTBOX_BYTES_MAX {
                self.close(Disconnect::SLOW);
            }
            return;
        }
        packer.reserve(events.len(), bytes);
        for event in events {
            if event.offset() <= held.last {
                continue;
            }
            held.last = event.offset();
            packer.add(prefix, event);
            if packer.is_full() {
                self.outputs.extend(packer.take().map(Output::Send));
            }
        }
    }

    /// Sends the buffered events. Call it once their channels are live.
    fn forward_buffered(&mut self) {
        let mut packer =
            Packer::new(self.transport.codec, self.transport.is_uni(), self.transport.is_single());
        self.buffered_bytes = 0;
        for (prefix, event) in std::mem::take(&mut self.buffered) {
            self.forward(&mut packer, &prefix, &[event]);
        }
        self.flush(&mut packer);
    }

    fn flush(&mut self, packer: &mut Packer) {
        self.outputs.extend(packer.take().map(Output::Send));
    }

    fn effect(&mut self, effect: Effect) {
        self.outputs.push_back(Output::Do(effect));
    }

    /// Requests an effect and suspends command handling until its result arrives.
    fn request(&mut self, effect: Effect, command: PendingCommand) {
        self.pending_command = Some(Box::new(command));
        self.effect(effect);
    }

    fn reply(&mut self, reply: &Reply) {
        let mut out = Vec::new();
        self.transport.codec.write_reply(reply, &mut out);
        self.outputs.push_back(Output::Send(Frame::from(out)));
    }

    fn push(&mut self, push: Push) {
        if self.transport.is_uni() {
            let mut out = Vec::new();
            self.transport.codec.write_push(&push, &mut out);
            self.outputs.push_back(Output::Send(Frame::from(out)));
        } else {
            self.reply(&Reply { push: Some(push), ..Reply::default() });
        }
    }

    fn refuse(&mut self, id: u32, why: ErrorReply) {
        let error = Error { code: why.code, message: why.message.to_owned(), temporary: why.is_temporary };
        self.reply(&Reply { id, error: Some(error), ..Reply::default() });
    }

    fn subscription(&mut self, topic: ChannelTopic) -> Option<&mut Subscription> {
        self.subscriptions.iter_mut().find(|held| held.topic == topic)
    }

    /// Removes a subscription and detaches from its channel. Call it before the client is told: the client may
    /// subscribe again at once, and would be refused as already subscribed.
    fn drop_subscription(&mut self, topic: ChannelTopic) {
        let grant = self.grant;
        let channel = self.subscription(topic).and_then(|held| Some(held.channel(grant?)));
        self.subscriptions.retain(|held| held.topic != topic);
        self.buffered.retain(|(prefix, _)| prefix.channel().topic() != topic);
        self.buffered_bytes = self.buffered.iter().map(|(_, event)| event.data().len()).sum();
        if let Some(channel) = channel {
            self.effect(Effect::Detach(channel));
        }
    }

    /// Ends a subscription and tells the client.
    fn unsubscribe(&mut self, topic: ChannelTopic, why: Unsubscription) {
        let Some(grant) = self.grant else { return };
        // If the subscribe command is still in progress, its reply tells the client.
        let live = self.subscription(topic).filter(|held| held.is_live);
        let channel = live.map(|held| held.channel(grant).to_string());
        self.drop_subscription(topic);
        if let Some(channel) = channel {
            let unsubscribe = UnsubscribePush { code: why.code, reason: why.reason.to_owned() };
            self.push(Push { channel, unsubscribe: Some(unsubscribe), ..Push::default() });
        }
    }

    /// Ends the session. Nothing is sent after the close, and further input is ignored.
    fn close(&mut self, why: Disconnect) {
        if self.is_closed() {
            return;
        }
        if self.transport.sends_disconnect_push() {
            let (code, reason) = (u32::from(why.code), why.reason.to_owned());
            let disconnect = Some(DisconnectPush { code, reason, reconnect: false });
            self.push(Push { disconnect, ..Push::default() });
        }
        self.state = State::Closed;
        self.pending_command = None;
        (self.pending, self.pending_bytes) = (VecDeque::new(), 0);
        self.buffered = Vec::new();
        self.outputs.push_back(Output::Close(why));
    }
}

/// The result of commands that return no data.
const DONE: Option<Empty> = Some(Empty {});
