//! The life of one connection, as a state machine: bytes, moments, answers and mail in; outputs out.
//!
//! It opens no socket, asks no clock and reads no log. Whoever drives it passes in what happened and does what
//! [`Session::next`] says. Commands are handled strictly one after the other: while the answer to an [`Effect`] is
//! awaited, further frames wait. Timers, orders and live events do not wait.
//!
//! Moments are milliseconds since 1970, from a clock that does not jump back.

mod command;
mod connect;
mod effect;
mod order;
mod recovery;
mod refresh;
mod settings;
mod subscribe;
mod timer;

#[cfg(test)]
mod tests;

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use model::{AccessToken, Id};

use crate::channel::{Channel, Topic};
use crate::code::{Disconnect, Refusal, Unsubscription};
use crate::frame::{
    Broadcast, Codec, DisconnectPush, Empty, Error, Frame, Head, Packer, Push, Reply, UnsubscribePush,
};
use crate::limits::{FRAME_BYTES_MAX, OUTBOX_BYTES_MAX, PENDING_BYTES_MAX};
use crate::token::Grant;

use command::Waiting;
pub use effect::{Answer, Effect, LogEvent, Output, Range, ReadLog, Slice};
pub use order::Order;
pub use settings::{ClientId, SEED_BYTES, Seed, Settings, Transport};

/// What reaches a session from elsewhere in the server, in order.
#[derive(Clone, Debug)]
pub enum Mail {
    /// Events of a channel that the session is attached to, in order. Shared by all who listen: what is counted once
    /// for several events costs less than what is counted for each.
    Events {
        head: Arc<Head>,
        events: Arc<[Arc<Broadcast>]>,
    },
    Order(Order),
    /// A frame that came through `/emulation`.
    Input(Bytes),
}

/// One connection.
pub struct Session {
    settings: Arc<Settings>,
    transport: Transport,
    seed: Seed,
    state: State,
    /// For whom the client acts; known once its token was read.
    grant: Option<Grant>,
    /// The topics of the connection's token, to notice when a new token has others.
    granted: Vec<Topic>,
    subscriptions: Vec<Subscription>,
    /// Frames not handled yet.
    pending: VecDeque<Bytes>,
    pending_bytes: usize,
    /// The command whose answer is awaited.
    waiting: Option<Box<Waiting>>,
    /// Live events of channels whose start is not decided yet.
    buffered: Vec<recovery::Waiting>,
    buffered_bytes: usize,
    outputs: VecDeque<Output>,
    timers: timer::Timers,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// Waiting for the first command, or for answers that it needs.
    Opened,
    /// The connect was answered with an error. The client is expected to leave, and nothing more is heard.
    Refused,
    Connected,
    Closed,
}

struct Subscription {
    topic: Topic,
    /// By whose leave.
    access_token: Id<AccessToken>,
    /// Whether it came with the connection's token.
    is_server_side: bool,
    /// Whether its start is decided; before, its events are buffered.
    is_live: bool,
    /// When its token expires, in milliseconds.
    expires_ms: Option<u64>,
    /// The last offset that was sent.
    last: u64,
}

impl Session {
    /// A connection that was just opened.
    pub fn new(settings: Arc<Settings>, transport: Transport, seed: Seed, now: u64) -> Self {
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
            waiting: None,
            buffered: Vec::new(),
            buffered_bytes: 0,
            outputs: VecDeque::new(),
            timers,
        }
    }

    /// The name under which others see this connection.
    pub fn client(&self) -> ClientId {
        self.seed.client
    }

    /// The secret name by which `/emulation` finds this connection.
    pub fn session(&self) -> ClientId {
        self.seed.session
    }

    /// The channels that the session is attached to.
    pub fn channels(&self) -> impl Iterator<Item = Channel> {
        let grant = self.grant;
        self.subscriptions
            .iter()
            .filter_map(move |held| grant.map(|grant| held.topic.channel(grant.owner, grant.user)))
    }

    /// What to do next. Ask until there is nothing more, after each of the calls below.
    #[expect(clippy::should_implement_trait, reason = "a session is no iterator: it goes on after `None`")]
    pub fn next(&mut self) -> Option<Output> {
        let output = self.outputs.pop_front();
        if self.outputs.is_empty() {
            // An idle connection keeps no room for what it once had to say.
            self.outputs = VecDeque::new();
        }
        output
    }

    /// Whether it is over: nothing that happens matters any more.
    pub fn is_closed(&self) -> bool {
        self.state == State::Closed
    }

    /// Whether a driver should read from the socket. While an answer is awaited it had better not: what would be read
    /// has to wait in memory, and only so much may.
    pub fn wants_input(&self) -> bool {
        self.pending.is_empty() && !self.is_closed()
    }

    /// A frame came from the client.
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

    /// The answer to the last [`Effect`] that has one.
    pub fn answer(&mut self, now: u64, answer: Answer) {
        if self.is_closed() {
            return;
        }
        match self.waiting.take() {
            Some(waiting) => self.resume(now, *waiting, answer),
            // A driver that answers what was not asked is broken; better to start again than to guess.
            None => self.close(Disconnect::INTERNAL),
        }
        self.run(now);
    }

    /// Mail came from the hub.
    pub fn deliver(&mut self, now: u64, mail: impl IntoIterator<Item = Mail>) {
        let mut packer =
            Packer::new(self.transport.codec, self.transport.is_uni(), self.transport.is_single());
        for item in mail {
            if self.is_closed() {
                return;
            }
            match item {
                Mail::Events { head, events } => self.pass(&mut packer, &head, &events),
                // Whatever these cause must not overtake the events before them.
                Mail::Order(order) => {
                    self.flush(&mut packer);
                    self.obey(order);
                }
                Mail::Input(frame) => {
                    self.flush(&mut packer);
                    self.receive(now, frame);
                }
            }
        }
        if !self.is_closed() {
            self.flush(&mut packer);
        }
    }

    /// The client reads more slowly than events come. What waited is gone, so it must start again from the log.
    pub fn fall_behind(&mut self) {
        self.close(Disconnect::SLOW);
    }

    /// Handles commands until one has to wait, or none is left.
    fn run(&mut self, now: u64) {
        while self.waiting.is_none() && matches!(self.state, State::Opened | State::Connected) {
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

    /// Sends live events of one channel on, or keeps them until the start of the channel is decided.
    fn pass(&mut self, packer: &mut Packer, head: &Arc<Head>, events: &[Arc<Broadcast>]) {
        let topic = head.channel().topic();
        let Some(held) = self.subscriptions.iter_mut().find(|held| held.topic == topic) else {
            return;
        };
        let bytes: usize = events.iter().map(|event| event.data().len()).sum();
        if !held.is_live {
            self.buffered_bytes += bytes;
            self.buffered.extend(events.iter().map(|event| (Arc::clone(head), Arc::clone(event))));
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
            packer.add(head, event);
            if packer.is_full() {
                self.outputs.extend(packer.take().map(Output::Send));
            }
        }
    }

    /// Sends what was buffered, now that the channels are live.
    fn pass_buffered(&mut self) {
        let mut packer =
            Packer::new(self.transport.codec, self.transport.is_uni(), self.transport.is_single());
        self.buffered_bytes = 0;
        for (head, event) in std::mem::take(&mut self.buffered) {
            self.pass(&mut packer, &head, &[event]);
        }
        self.flush(&mut packer);
    }

    fn flush(&mut self, packer: &mut Packer) {
        self.outputs.extend(packer.take().map(Output::Send));
    }

    fn effect(&mut self, effect: Effect) {
        self.outputs.push_back(Output::Do(effect));
    }

    /// Asks for something, and handles no command until it is answered.
    fn ask(&mut self, effect: Effect, waiting: Waiting) {
        self.waiting = Some(Box::new(waiting));
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

    fn refuse(&mut self, id: u32, why: Refusal) {
        let error = Error { code: why.code, message: why.message.to_owned(), temporary: why.is_temporary };
        self.reply(&Reply { id, error: Some(error), ..Reply::default() });
    }

    fn subscription(&mut self, topic: Topic) -> Option<&mut Subscription> {
        self.subscriptions.iter_mut().find(|held| held.topic == topic)
    }

    /// Forgets a subscription and stops its events. Done before the client is told: it may subscribe again at once,
    /// and would be refused as already subscribed.
    fn drop_subscription(&mut self, topic: Topic) {
        let held = self.subscriptions.len();
        self.subscriptions.retain(|held| held.topic != topic);
        self.buffered.retain(|(head, _)| head.channel().topic() != topic);
        self.buffered_bytes = self.buffered.iter().map(|(_, event)| event.data().len()).sum();
        if self.subscriptions.len() < held
            && let Some(grant) = self.grant
        {
            self.effect(Effect::Detach(topic.channel(grant.owner, grant.user)));
        }
    }

    /// Takes a subscription away from the client.
    fn unsubscribe(&mut self, topic: Topic, why: Unsubscription) {
        let Some(grant) = self.grant else { return };
        let was_live = self.subscription(topic).is_some_and(|held| held.is_live);
        self.drop_subscription(topic);
        // Of one that is not answered yet, the client learns by the answer.
        if was_live {
            let unsubscribe = UnsubscribePush { code: why.code, reason: why.reason.to_owned() };
            let channel = topic.channel(grant.owner, grant.user).to_string();
            self.push(Push { channel, unsubscribe: Some(unsubscribe), ..Push::default() });
        }
    }

    /// Ends the connection. Nothing is sent after it, and nothing is heard.
    fn close(&mut self, why: Disconnect) {
        if self.is_closed() {
            return;
        }
        if self.transport.says_goodbye() {
            let (code, reason) = (u32::from(why.code), why.reason.to_owned());
            let disconnect = Some(DisconnectPush { code, reason, reconnect: false });
            self.push(Push { disconnect, ..Push::default() });
        }
        self.state = State::Closed;
        self.waiting = None;
        (self.pending, self.pending_bytes) = (VecDeque::new(), 0);
        self.buffered = Vec::new();
        self.outputs.push_back(Output::Close(why));
    }
}

/// The result of commands that have nothing to say.
const DONE: Option<Empty> = Some(Empty {});
