//! Hints between the parts of a node, and between the nodes of one database: that there is something to look for.
//!
//! A hint says where to look and never what is there: the truth is in the database, and whoever takes hints also looks
//! now and then without one. So hints may be lost, come twice or come late, and nothing but a moment is lost with them
//! (decision 14).

mod carrier;
mod gathered;
mod message;
pub mod nats;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::{Error, Owner, Result};
use tokio::sync::{Notify, broadcast};
use tokio::time::{Instant, sleep, sleep_until};

use crate::bus::carrier::{Carrier, Line};
use crate::bus::gathered::Gathered;
use crate::{Service, log};

/// Hints that a receiver may be behind; beyond it the oldest are dropped, which it is told.
const UNHEARD_MAX: usize = 1024;
/// The shortest time between two messages to other nodes: what comes in between is gathered into one.
const REST: Duration = Duration::from_millis(5);
/// The wait before a broken connection is made anew: it doubles from the one to the other, and begins again once a
/// connection has lasted as long as the longest.
const BACKOFF_MIN: Duration = Duration::from_millis(100);
const BACKOFF_MAX: Duration = Duration::from_secs(5);
const NAME_BYTES: usize = 12;

/// What there may be to look for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Hint {
    /// These owners' logs have events that can be read.
    Events(Arc<[Owner]>),
    /// Any log may have: too many owners to name, or hints may have been lost (the bus was connected anew, a receiver
    /// lagged).
    Anything,
    /// A token was revoked, a provision was taken back.
    Access,
    /// The operators said something to everyone.
    Announcement,
}

/// What the parts of a node share to give each other hints.
pub struct Bus {
    hints: broadcast::Sender<Hint>,
    /// What the other nodes were not told yet.
    untold: Mutex<Gathered>,
    /// Rung when there is something to tell them.
    bell: Notify,
}

impl Default for Bus {
    fn default() -> Self {
        Self { hints: broadcast::channel(UNHEARD_MAX).0, untold: Mutex::default(), bell: Notify::new() }
    }
}

impl Bus {
    /// Tells this node. Whoever makes a hint for nobody can save the work: see [`Bus::has_receivers`].
    fn tell_here(&self, hint: Hint) {
        // Where nobody listens there is nothing to do.
        let _nobody = self.hints.send(hint);
    }

    fn has_receivers(&self) -> bool {
        self.hints.receiver_count() > 0
    }

    fn untold(&self) -> MutexGuard<'_, Gathered> {
        self.untold.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell_others(&self, told: &Gathered) {
        self.untold().merge(told);
        self.bell.notify_one();
    }

    /// Waits until there is something to tell, and until the moment. May be dropped and begun again.
    async fn until_untold(&self, moment: Instant) {
        while self.untold().is_empty() {
            self.bell.notified().await;
        }
        sleep_until(moment).await;
    }
}

impl Service {
    /// Tells this node at once, and the others soon.
    pub(crate) fn hint(&self, hint: Hint) {
        if self.db().is_shared() {
            self.0.bus.tell_others(&Gathered::from(&hint));
        }
        self.0.bus.tell_here(hint);
    }

    /// Tells this node alone that the owner's log has grown: for the writer of a database that no other node has.
    pub(crate) fn hint_here(&self, owner: Owner) {
        // After every commit: where nobody listens it costs next to nothing.
        if self.0.bus.has_receivers() {
            self.0.bus.tell_here(Hint::Events([owner].into()));
        }
    }

    /// Tells that something was taken away from callers, unless that was refused. Where it failed it may have been done: the
    /// answer to a commit can be lost.
    pub(crate) fn hint_access<T>(&self, result: &Result<T>) {
        if !matches!(result, Err(Error::Refused(_))) {
            self.hint(Hint::Access);
        }
    }

    /// What this node and others tell. A receiver that lags must take it for `Hint::Anything`.
    pub fn hints(&self) -> broadcast::Receiver<Hint> {
        self.0.bus.hints.subscribe()
    }

    /// Sends what the others were not told yet: for a command, which ends before a job of its own would do so.
    pub async fn send_hints(&self) -> Result<()> {
        let untold = std::mem::take(&mut *self.0.bus.untold());
        let carrier = self.carrier();
        if untold.is_empty() || matches!(carrier, Carrier::None) {
            return Ok(());
        }
        let mut line = carrier.connect().await?;
        line.tell(&message::write(&self.bus_name(), &untold)).await?;
        line.close().await
    }

    /// Carries hints between this node and the others, for ever.
    pub async fn bus_forever(self) {
        let carrier = self.carrier();
        if matches!(carrier, Carrier::None) {
            return;
        }
        let name = self.bus_name();
        let (mut backoff, mut is_out, mut is_first) = (BACKOFF_MIN, false, true);
        loop {
            let connected = carrier.connect().await;
            let begin = Instant::now();
            let error = match connected {
                Err(error) => error,
                Ok(line) => {
                    self.begin_to_carry(is_first, is_out);
                    (is_out, is_first) = (false, false);
                    self.carry(line, &name).await
                }
            };
            // Once, however often it is tried: whoever reads the log learns nothing from the rest.
            if !is_out {
                log::error("hints", &error);
            }
            is_out = true;
            backoff = if begin.elapsed() < BACKOFF_MAX { backoff } else { BACKOFF_MIN };
            sleep(backoff).await;
            backoff = BACKOFF_MAX.min(backoff * 2);
        }
    }

    /// While there was no connection others may have told something, and what was told last may not have arrived.
    fn begin_to_carry(&self, is_first: bool, was_out: bool) {
        if !is_first {
            self.0.bus.tell_others(&Gathered::from(&Hint::Anything));
        }
        if was_out {
            log::info("hints", "other nodes are within hearing again");
        }
        self.take(Hint::Anything);
    }

    /// Tells and hears until the line breaks, and gives the reason.
    async fn carry(&self, mut line: Line, name: &str) -> Error {
        let mut rest_until = Instant::now();
        loop {
            tokio::select! {
                heard = line.heard() => match heard {
                    Ok(payload) => self.hear(&payload, name),
                    Err(error) => return error,
                },
                () = self.0.bus.until_untold(rest_until) => {
                    let untold = std::mem::take(&mut *self.0.bus.untold());
                    if let Err(error) = line.tell(&message::write(name, &untold)).await {
                        self.0.bus.tell_others(&untold);
                        return error;
                    }
                    rest_until = Instant::now() + REST;
                }
            }
        }
    }

    /// Takes what others told.
    fn hear(&self, payload: &[u8], name: &str) {
        let Some(told) = message::read(payload, name) else { return };
        for hint in told.hints() {
            if !self.loses_a_hint() {
                self.take(hint);
            }
        }
    }

    /// Passes on a hint of another node, after what follows from it here.
    fn take(&self, hint: Hint) {
        match hint {
            Hint::Events(_) | Hint::Anything => self.ring(),
            Hint::Access => self.forget_callers(),
            Hint::Announcement => {}
        }
        self.0.bus.tell_here(hint);
    }

    /// Whether a hint of another node is dropped: only tests want that, to show that nothing depends on hints.
    fn loses_a_hint(&self) -> bool {
        let percent = self.settings().hint_loss_percent;
        if percent == 0 {
            return false;
        }
        let mut random = [0; 4];
        self.fill_random(&mut random);
        u32::from_be_bytes(random) % 100 < u32::from(percent)
    }

    fn carrier(&self) -> Carrier {
        match &self.settings().nats_url {
            _ if !self.db().is_shared() => Carrier::None,
            None => Carrier::Postgres(self.db().clone()),
            Some(url) => Carrier::Nats(url.clone()),
        }
    }

    /// A name by which a sender knows its own messages.
    fn bus_name(&self) -> String {
        let mut random = [0; NAME_BYTES];
        self.fill_random(&mut random);
        random.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}
