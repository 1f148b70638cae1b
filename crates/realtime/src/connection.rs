//! A session with its registration in the hub. The driver holds one per client.
//!
//! A connection applies effects on the hub at once, and returns the effects that need a socket or the database to the
//! driver.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;

use crate::code::Disconnect;
use crate::frame::Frame;
use crate::hub::{Hub, Outbox, OutboxContent};
use crate::session::{Effect, EffectResult, Output, ReadLog, Seed, Session, SessionSettings, Transport};
use crate::token::Grant;

/// The next action of a driver.
#[derive(PartialEq, Debug)]
pub enum DriverStep {
    /// Send this frame. If the socket does not accept it within a second, close with [`Disconnect::WRITE_ERROR`].
    Send(Frame),
    /// Close the connection, with this code and reason if the transport carries them. No step follows.
    Close(Disconnect),
    /// Check that the access token is valid, still has the scopes that its stream tokens name, and that its owner is
    /// provisioned. Answer with [`EffectResult::AccessChecked`]. If a check fails, the answer holds the close to use:
    /// normally [`Disconnect::STATE_INVALIDATED`], after which the SDK requests a new token.
    CheckAccess(Grant),
    /// Read the log, in one transaction if possible, and answer with [`EffectResult::Log`].
    Read(Vec<ReadLog>),
}

/// One client's connection.
pub struct ClientConnection {
    hub: Arc<Hub>,
    session: Session,
    outbox: Arc<Outbox>,
    is_emulated: bool,
    /// Set once the hub has registered the connection.
    registered: Option<Grant>,
    steps: VecDeque<DriverStep>,
}

impl ClientConnection {
    /// Creates the state of a connection that a client has just opened.
    pub fn new(
        hub: &Arc<Hub>,
        settings: &Arc<SessionSettings>,
        transport: Transport,
        seed: Seed,
        now: u64,
    ) -> Self {
        let session = Session::new(Arc::clone(settings), transport, seed, now);
        let outbox = Arc::default();
        let is_emulated = transport.is_emulated();
        if is_emulated {
            hub.open_session(session.session(), &outbox);
        }
        Self { hub: Arc::clone(hub), session, outbox, is_emulated, registered: None, steps: VecDeque::new() }
    }

    /// Returns the next action. After each call of a method below, call this until it returns `None`.
    #[expect(clippy::should_implement_trait, reason = "a connection is no iterator: it goes on after `None`")]
    pub fn next(&mut self) -> Option<DriverStep> {
        let step = self.steps.pop_front();
        if self.steps.is_empty() {
            self.steps = VecDeque::new();
        }
        step
    }

    /// Handles a frame from the client.
    pub fn receive(&mut self, now: u64, frame: Bytes) {
        self.session.receive(now, frame);
        self.pump(now);
    }

    /// Passes in the result of the last [`DriverStep::CheckAccess`] or [`DriverStep::Read`].
    pub fn answer(&mut self, now: u64, answer: EffectResult) {
        self.session.answer(now, answer);
        self.pump(now);
    }

    /// Runs due timers. Call it at [`ClientConnection::wake_at`].
    pub fn tick(&mut self, now: u64) {
        self.session.tick(now);
        self.pump(now);
    }

    /// Handles items from the outbox, about as many as fit into one frame. Call it only when all steps are done: the
    /// hub recognises a slow client by the items that remain in its outbox.
    pub fn collect(&mut self, now: u64) {
        match self.outbox.take() {
            OutboxContent::Items(items) => self.session.deliver(now, items),
            OutboxContent::Slow => self.session.close_slow(),
        }
        self.pump(now);
    }

    /// Returns the outbox, which signals when to call [`ClientConnection::collect`].
    pub fn outbox(&self) -> &Arc<Outbox> {
        &self.outbox
    }

    /// Returns when to call [`ClientConnection::tick`], or `None` once the connection is closed.
    pub fn wake_at(&self) -> Option<u64> {
        self.session.wake_at()
    }

    /// Returns whether the driver should read from the socket.
    pub fn wants_input(&self) -> bool {
        self.session.wants_input()
    }

    /// Returns whether the last step was [`DriverStep::Close`].
    pub fn is_closed(&self) -> bool {
        self.session.is_closed()
    }

    /// Applies the session's effects on the hub and queues the other outputs for the driver. Runs after every input,
    /// so that the hub's attached channels always equal the session's.
    fn pump(&mut self, now: u64) {
        let client = self.session.client();
        while let Some(output) = self.session.next() {
            match output {
                Output::Send(frame) => self.steps.push_back(DriverStep::Send(frame)),
                Output::Close(why) => {
                    self.steps.push_back(DriverStep::Close(why));
                    self.leave();
                }
                Output::Do(Effect::CheckAccess(grant)) => {
                    self.steps.push_back(DriverStep::CheckAccess(grant))
                }
                Output::Do(Effect::Read(reads)) => self.steps.push_back(DriverStep::Read(reads)),
                Output::Do(Effect::Attach(channel)) => self.hub.attach(channel, client, &self.outbox),
                Output::Do(Effect::Detach(channel)) => self.hub.detach(channel, client),
                Output::Do(Effect::Register(grant)) => {
                    let registered = self.hub.register(grant, client, &self.outbox);
                    self.registered = registered.is_ok().then_some(grant);
                    self.session.answer(now, EffectResult::Registered(registered));
                }
                Output::Do(Effect::Presence(channel)) => {
                    let present = self.hub.presence(channel);
                    self.session.answer(now, EffectResult::Present(present));
                }
            }
        }
    }

    /// Removes the connection from the hub. Calling it again has no effect.
    fn leave(&mut self) {
        let client = self.session.client();
        self.session.channels().for_each(|channel| self.hub.detach(channel, client));
        if let Some(grant) = self.registered.take() {
            self.hub.unregister(grant.owner.organisation, client);
        }
        if self.is_emulated {
            self.hub.close_session(self.session.session());
        }
    }
}

impl Drop for ClientConnection {
    fn drop(&mut self) {
        self.leave();
    }
}
