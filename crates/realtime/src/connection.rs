//! A session and its place in the hub, as one: what a driver holds for each connection.
//!
//! It does at once whatever the hub can do, and leaves to the driver what needs a socket or the database.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;

use crate::code::Disconnect;
use crate::frame::Frame;
use crate::hub::{Hub, Outbox, Taken};
use crate::session::{Answer, Effect, Output, ReadLog, Seed, Session, Settings, Transport};
use crate::token::Grant;

/// What a driver has to do next.
#[derive(PartialEq, Debug)]
pub enum Step {
    /// Send this. Give up after a second with [`Disconnect::WRITE_ERROR`].
    Send(Frame),
    /// Close, with this code and reason where the transport has them; nothing comes after it.
    Close(Disconnect),
    /// Does the access token still live, may it still read what its stream tokens say, and is its owner provisioned?
    /// Answer [`Answer::Vouched`], with the close that suits where it is not so; mostly
    /// [`Disconnect::STATE_INVALIDATED`], after which the SDK asks for a new token.
    Vouch(Grant),
    /// Read the log, all in one transaction if possible, and answer [`Answer::Log`].
    Read(Vec<ReadLog>),
}

/// One client.
pub struct Connection {
    hub: Arc<Hub>,
    session: Session,
    outbox: Arc<Outbox>,
    is_emulated: bool,
    /// Set once the hub has counted it.
    entered: Option<Grant>,
    steps: VecDeque<Step>,
}

impl Connection {
    /// A client that has just opened a connection.
    pub fn new(hub: &Arc<Hub>, settings: &Arc<Settings>, transport: Transport, seed: Seed, now: u64) -> Self {
        let session = Session::new(Arc::clone(settings), transport, seed, now);
        let outbox = Arc::default();
        let is_emulated = transport.is_emulated();
        if is_emulated {
            hub.open_session(session.session(), &outbox);
        }
        Self { hub: Arc::clone(hub), session, outbox, is_emulated, entered: None, steps: VecDeque::new() }
    }

    /// What to do next. Ask until there is nothing more, after each of the calls below.
    #[expect(clippy::should_implement_trait, reason = "a connection is no iterator: it goes on after `None`")]
    pub fn next(&mut self) -> Option<Step> {
        let step = self.steps.pop_front();
        if self.steps.is_empty() {
            self.steps = VecDeque::new();
        }
        step
    }

    /// A frame came from the client.
    pub fn receive(&mut self, now: u64, frame: Bytes) {
        self.session.receive(now, frame);
        self.pump(now);
    }

    /// The answer to the last [`Step::Vouch`] or [`Step::Read`].
    pub fn answer(&mut self, now: u64, answer: Answer) {
        self.session.answer(now, answer);
        self.pump(now);
    }

    /// [`Connection::wake_at`] has come.
    pub fn tick(&mut self, now: u64) {
        self.session.tick(now);
        self.pump(now);
    }

    /// Takes what waits in the outbox, about as much as a frame holds. Call it only when all steps are done: what is
    /// left in the outbox is how the hub sees that a client is slow.
    pub fn collect(&mut self, now: u64) {
        match self.outbox.take() {
            Taken::Mail(mail) => self.session.deliver(now, mail),
            Taken::Slow => self.session.fall_behind(),
        }
        self.pump(now);
    }

    /// Tells when there is something to [`Connection::collect`].
    pub fn outbox(&self) -> &Arc<Outbox> {
        &self.outbox
    }

    /// When to call [`Connection::tick`]; `None` once it is over.
    pub fn wake_at(&self) -> Option<u64> {
        self.session.wake_at()
    }

    /// Whether to read from the socket.
    pub fn wants_input(&self) -> bool {
        self.session.wants_input()
    }

    /// Whether the last step was to close.
    pub fn is_closed(&self) -> bool {
        self.session.is_closed()
    }

    /// Does what the hub can do, and keeps the rest. Always done at once, so that what the session believes to be
    /// attached is what the hub has attached.
    fn pump(&mut self, now: u64) {
        let client = self.session.client();
        while let Some(output) = self.session.next() {
            match output {
                Output::Send(frame) => self.steps.push_back(Step::Send(frame)),
                Output::Close(why) => {
                    self.steps.push_back(Step::Close(why));
                    self.leave();
                }
                Output::Do(Effect::Vouch(grant)) => self.steps.push_back(Step::Vouch(grant)),
                Output::Do(Effect::Read(reads)) => self.steps.push_back(Step::Read(reads)),
                Output::Do(Effect::Attach(channel)) => self.hub.attach(channel, client, &self.outbox),
                Output::Do(Effect::Detach(channel)) => self.hub.detach(channel, client),
                Output::Do(Effect::Enter(grant)) => {
                    let entered = self.hub.enter(grant, client, &self.outbox);
                    self.entered = entered.is_ok().then_some(grant);
                    self.session.answer(now, Answer::Entered(entered));
                }
                Output::Do(Effect::Presence(channel)) => {
                    let present = self.hub.presence(channel);
                    self.session.answer(now, Answer::Present(present));
                }
            }
        }
    }

    /// Leaves no trace in the hub. Harmless where there is none.
    fn leave(&mut self) {
        let client = self.session.client();
        self.session.channels().for_each(|channel| self.hub.detach(channel, client));
        if let Some(grant) = self.entered.take() {
            self.hub.leave(grant.owner.organisation, client);
        }
        if self.is_emulated {
            self.hub.close_session(self.session.session());
        }
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.leave();
    }
}
