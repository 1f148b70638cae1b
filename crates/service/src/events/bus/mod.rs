//! Hints between the parts of a node, and between the nodes of one database: that there may be something new to read.
//!
//! A hint says where to look and never what is there. The truth is in the database, and every receiver of hints also polls.
//! So a hint may be lost, arrive twice or arrive late: the only cost is a short delay (decision 14).
//!
//! The crate `bus` carries them between nodes. This module says what they mean.

mod gathered;
mod hint;
mod message;
mod transport;

use std::sync::Arc;

use bus::nats::{NatsSettings, NatsTransport};
use bus::{Exchange, Handler, Outbox, Transport};
use model::{Error, Owner, Result};
use tokio::sync::broadcast;
use tracing::{info, warn};

pub use self::hint::Hint;
use crate::access::access_tokens::AccessTokens;
use crate::events::bus::gathered::Gathered;
use crate::events::bus::transport::Notifications;
use crate::platform::context::Context;
use crate::platform::signal::Signal;

/// Hints that a receiver may be behind. Beyond that, the oldest are dropped, and the receiver is told that it lagged.
const UNHEARD_MAX: usize = 1024;
/// The subject of NATS. Several installations on one NATS server receive each other's hints, which only costs them a read.
const SUBJECT: &str = "dockside.hints";
const NAME_BYTES: usize = 12;

/// The channels through which the parts of a node give hints to each other and to other nodes.
pub struct Channels {
    hints: broadcast::Sender<Hint>,
    /// Hints that were not sent to the other nodes yet.
    outbox: Arc<Outbox<Gathered>>,
}

impl Default for Channels {
    fn default() -> Self {
        Self { hints: broadcast::channel(UNHEARD_MAX).0, outbox: Arc::default() }
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
    /// The NATS servers that carry hints, instead of the database itself.
    pub nats: Option<NatsSettings>,
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
            self.channels.outbox.add(&Gathered::from(&hint));
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
        match self.exchange() {
            Some(exchange) => exchange.flush().await.map_err(Error::unavailable),
            None => Ok(()),
        }
    }

    /// Exchanges hints with the other nodes until the process ends. Returns at once if there can be none.
    pub async fn work_forever(self) {
        if let Some(exchange) = self.exchange() {
            exchange.run().await;
        }
    }

    /// Returns the exchange with other nodes, or `None` if this database has a single node.
    fn exchange(&self) -> Option<Exchange<Gathered, Self>> {
        let db = self.context.db();
        let transport: Arc<dyn Transport> = match &self.settings.nats {
            _ if !db.is_shared() => return None,
            None => Arc::new(Notifications(db.clone())),
            Some(nats) => Arc::new(NatsTransport::new(nats.clone(), outbound::roots, SUBJECT)),
        };
        let outbox = Arc::clone(&self.channels.outbox);
        Some(Exchange::new(transport, outbox, self.clone(), self.bus_name()))
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

    /// Returns a random name by which a sender recognises its own messages.
    fn bus_name(&self) -> String {
        let mut random = [0; NAME_BYTES];
        self.context.fill_random(&mut random);
        random.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl Handler for Bus {
    fn received(&self, text: &str) {
        for hint in message::read(text).hints() {
            if !self.loses_a_hint() {
                self.take(hint);
            }
        }
    }

    fn missed(&self) {
        if !self.loses_a_hint() {
            self.take(Hint::Anything);
        }
    }

    /// Makes up for hints that were lost while there was no connection: others may have sent some, and the last of ours may not
    /// have arrived.
    fn connected(&self, is_first: bool, was_lost: bool) {
        if !is_first {
            self.channels.outbox.add(&Gathered::from(&Hint::Anything));
        }
        if was_lost {
            info!("hint bus reconnected");
        }
        self.take(Hint::Anything);
    }

    fn disconnected(&self, error: &bus::Error) {
        warn!(%error, "hint bus disconnected, retrying");
    }
}
