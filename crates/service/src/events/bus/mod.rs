//! Hints between the parts of a node, and between the nodes of one database: that there may be something new to read.
//!
//! A hint says where to look and never what is there. The truth is in the database, and every receiver of hints also polls.
//! So a hint may be lost, arrive twice or arrive late: the only cost is a short delay (decision 14).

mod carrier;
mod gathered;
mod hint;
mod message;
pub mod nats;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use model::{Error, Owner, Result};
use tokio::sync::{Notify, broadcast};
use tokio::time::{Instant, sleep, sleep_until};

pub use self::hint::Hint;
use crate::access::access_tokens::AccessTokens;
use crate::events::bus::carrier::{BusConnection, Carrier};
use crate::events::bus::gathered::Gathered;
use crate::platform::context::Context;
use crate::platform::log;
use crate::platform::signal::Signal;

/// Hints that a receiver may be behind. Beyond that, the oldest are dropped, and the receiver is told that it lagged.
const UNHEARD_MAX: usize = 1024;
/// The shortest time between two messages to other nodes. Hints in between are merged into one message.
const REST: Duration = Duration::from_millis(5);
/// The wait before reconnecting: it doubles from the minimum to the maximum, and starts again at the minimum once a
/// connection has lasted as long as the maximum.
const BACKOFF_MIN: Duration = Duration::from_millis(100);
const BACKOFF_MAX: Duration = Duration::from_secs(5);
const NAME_BYTES: usize = 12;

/// The channels through which the parts of a node give hints to each other and to other nodes.
pub struct Channels {
    hints: broadcast::Sender<Hint>,
    /// Hints that were not sent to the other nodes yet.
    untold: Mutex<Gathered>,
    /// Notified when `untold` has hints to send.
    bell: Notify,
}

impl Default for Channels {
    fn default() -> Self {
        Self { hints: broadcast::channel(UNHEARD_MAX).0, untold: Mutex::default(), bell: Notify::new() }
    }
}

impl Channels {
    /// Sends a hint to the receivers on this node. To avoid building a hint without need, see [`Channels::has_receivers`].
    fn tell_here(&self, hint: Hint) {
        // Sending fails only if there is no receiver, and then there is nothing to do.
        let _nobody = self.hints.send(hint);
    }

    /// Tells only this node that the owner's log has grown, for a database that no other node shares.
    pub fn hint_here(&self, owner: Owner) {
        // This runs after every commit, so it costs next to nothing if there is no receiver.
        if self.has_receivers() {
            self.tell_here(Hint::Events([owner].into()));
        }
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

    /// Waits until there are hints to send, and until the moment. It is cancel safe.
    async fn until_untold(&self, moment: Instant) {
        while self.untold().is_empty() {
            self.bell.notified().await;
        }
        sleep_until(moment).await;
    }
}

/// The exchange of hints with the other nodes of one database.
#[derive(Clone)]
pub struct Bus {
    context: Context,
    settings: BusSettings,
    channels: Arc<Channels>,
    deliveries: Signal,
    access_tokens: AccessTokens,
}

/// What an operator may set.
#[derive(Clone)]
pub struct BusSettings {
    /// The NATS server that carries hints, instead of the database itself.
    pub nats_url: Option<nats::NatsUrl>,
    /// The share of other nodes' hints that is lost, in percent. Only tests set it.
    pub loss_percent: u8,
}

impl Bus {
    pub(crate) fn new(
        context: &Context,
        settings: BusSettings,
        channels: &Arc<Channels>,
        deliveries: &Signal,
        access_tokens: &AccessTokens,
    ) -> Self {
        Self {
            context: context.clone(),
            settings,
            channels: Arc::clone(channels),
            deliveries: deliveries.clone(),
            access_tokens: access_tokens.clone(),
        }
    }

    /// Sends a hint to this node at once, and to the others soon.
    pub(crate) fn hint(&self, hint: Hint) {
        if self.context.db().is_shared() {
            self.channels.tell_others(&Gathered::from(&hint));
        }
        self.channels.tell_here(hint);
    }

    /// Hints that callers lost access, unless the change was refused. A change that failed may still have been made, because the
    /// answer to a commit can be lost.
    pub(crate) fn hint_access<T>(&self, result: &Result<T>) {
        if !matches!(result, Err(Error::Refused(_))) {
            self.hint(Hint::Access);
        }
    }

    /// Returns a receiver of the hints of this node and of others. A receiver that lags must act as on `Hint::Anything`.
    pub fn hints(&self) -> broadcast::Receiver<Hint> {
        self.channels.hints.subscribe()
    }

    /// Sends the pending hints to other nodes. For a command, which ends before a background job would send them.
    pub async fn send(&self) -> Result<()> {
        let untold = std::mem::take(&mut *self.channels.untold());
        let carrier = self.carrier();
        if untold.is_empty() || matches!(carrier, Carrier::None) {
            return Ok(());
        }
        let mut line = carrier.connect().await?;
        line.tell(&message::write(&self.bus_name(), &untold)).await?;
        line.close().await
    }

    /// Exchanges hints with the other nodes until the process ends.
    pub async fn work_forever(self) {
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
            // Log only the first failure of an outage: the failures of further attempts say nothing new.
            if !is_out {
                log::error("hints", &error);
            }
            is_out = true;
            backoff = if begin.elapsed() < BACKOFF_MAX { backoff } else { BACKOFF_MIN };
            sleep(backoff).await;
            backoff = BACKOFF_MAX.min(backoff * 2);
        }
    }

    /// Makes up for hints that were lost while there was no connection: others may have sent some, and the last of ours may not
    /// have arrived.
    fn begin_to_carry(&self, is_first: bool, was_out: bool) {
        if !is_first {
            self.channels.tell_others(&Gathered::from(&Hint::Anything));
        }
        if was_out {
            log::info("hints", "hint bus reconnected");
        }
        self.take(Hint::Anything);
    }

    /// Sends and receives hints until the connection breaks, and returns the error.
    async fn carry(&self, mut line: BusConnection, name: &str) -> Error {
        let mut rest_until = Instant::now();
        loop {
            tokio::select! {
                heard = line.heard() => match heard {
                    Ok(payload) => self.hear(&payload, name),
                    Err(error) => return error,
                },
                () = self.channels.until_untold(rest_until) => {
                    let untold = std::mem::take(&mut *self.channels.untold());
                    if let Err(error) = line.tell(&message::write(name, &untold)).await {
                        self.channels.tell_others(&untold);
                        return error;
                    }
                    rest_until = Instant::now() + REST;
                }
            }
        }
    }

    /// Takes the hints in a message of another node.
    fn hear(&self, payload: &[u8], name: &str) {
        let Some(told) = message::read(payload, name) else { return };
        for hint in told.hints() {
            if !self.loses_a_hint() {
                self.take(hint);
            }
        }
    }

    /// Acts on a hint of another node, then passes it on to the receivers on this node.
    fn take(&self, hint: Hint) {
        match hint {
            Hint::Events(_) | Hint::Anything => self.deliveries.notify(),
            Hint::Access => self.access_tokens.forget_callers(),
            Hint::Announcement => {}
        }
        self.channels.tell_here(hint);
    }

    /// Whether a hint of another node is dropped. Only tests set this, to show that nothing depends on hints.
    fn loses_a_hint(&self) -> bool {
        let percent = self.settings.loss_percent;
        if percent == 0 {
            return false;
        }
        let mut random = [0; 4];
        self.context.fill_random(&mut random);
        u32::from_be_bytes(random) % 100 < u32::from(percent)
    }

    fn carrier(&self) -> Carrier {
        match &self.settings.nats_url {
            _ if !self.context.db().is_shared() => Carrier::None,
            None => Carrier::Postgres(self.context.db().clone()),
            Some(url) => Carrier::Nats(url.clone()),
        }
    }

    /// Returns a random name by which a sender recognises its own messages.
    fn bus_name(&self) -> String {
        let mut random = [0; NAME_BYTES];
        self.context.fill_random(&mut random);
        random.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}
