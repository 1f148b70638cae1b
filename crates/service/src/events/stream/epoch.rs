//! The epoch: the name of the event log. Positions of another epoch, such as before a backup was restored, are not valid, and
//! a client detects that by the different name.

use std::sync::{Arc, PoisonError, RwLock};

use model::Result;
use realtime::code::Disconnect;
use realtime::hub::{Audience, Hub};
use realtime::session::ControlMessage;
use store::Access;
use store::platform::installation;

use crate::events::bus::{Bus, Hint};
use crate::events::stream::position::Positions;
use crate::platform::boxed::BoxFuture;
use crate::platform::context::Context;
use crate::platform::nodes::AfterRestoration;

const NAME: &str = "epoch";
const EPOCH_BYTES: usize = 4;

/// The epoch, once it was read.
#[derive(Default)]
struct Epoch(RwLock<Option<Arc<str>>>);

impl Epoch {
    fn get(&self) -> Option<Arc<str>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Stores the epoch. Returns whether another one was known before.
    fn set(&self, epoch: &Arc<str>) -> bool {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let before = known.replace(Arc::clone(epoch));
        before.is_some_and(|before| before != *epoch)
    }
}

/// The epoch, and the clients that must start anew when it changes.
#[derive(Clone)]
pub struct Epochs {
    context: Context,
    bus: Bus,
    hub: Arc<Hub>,
    positions: Arc<Positions>,
    known: Arc<Epoch>,
}

impl AfterRestoration for Epochs {
    fn restored(&self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async { self.renew_epoch().await.map(drop) })
    }
}

impl Epochs {
    pub(crate) fn new(context: &Context, bus: &Bus, hub: Hub, positions: &Arc<Positions>) -> Self {
        Self {
            context: context.clone(),
            bus: bus.clone(),
            hub: Arc::new(hub),
            positions: Arc::clone(positions),
            known: Arc::default(),
        }
    }

    /// Returns the registry of the clients of this node.
    pub fn hub(&self) -> &Arc<Hub> {
        &self.hub
    }

    pub(super) fn positions(&self) -> &Positions {
        &self.positions
    }

    /// Returns the epoch of this installation's log.
    pub async fn epoch(&self) -> Result<Arc<str>> {
        match self.known.get() {
            Some(epoch) => Ok(epoch),
            None => self.read_epoch().await,
        }
    }

    /// Reads the epoch from the store; the first node to read it creates it. If it has changed, all clients must start anew.
    pub(super) async fn read_epoch(&self) -> Result<Arc<str>> {
        let read = self.context.db().read(Access::System, async |tx| installation::get(tx, NAME).await);
        let epoch = match read.await? {
            Some(epoch) => epoch,
            None => {
                let fresh = self.fresh_epoch();
                let make = self.context.db().write(Access::System, async move |tx| {
                    installation::insert(tx, NAME, &fresh).await?;
                    Ok(installation::get(tx, NAME).await?.unwrap_or_default())
                });
                make.await?
            }
        };
        let epoch: Arc<str> = epoch.into();
        if self.known.set(&epoch) {
            self.positions.forget_all();
            self.hub
                .send_control(Audience::Everyone, ControlMessage::Disconnect(Disconnect::INSUFFICIENT_STATE));
        }
        Ok(epoch)
    }

    /// Gives the log another epoch, as after a backup was restored: clients reload what they show. Other nodes learn
    /// of it within seconds.
    pub async fn renew_epoch(&self) -> Result<Arc<str>> {
        let fresh = self.fresh_epoch();
        let renew = self
            .context
            .db()
            .write(Access::System, async move |tx| installation::replace(tx, NAME, &fresh).await);
        renew.await?;
        self.bus.hint(Hint::Access);
        self.read_epoch().await
    }

    fn fresh_epoch(&self) -> String {
        let mut bytes = [0; EPOCH_BYTES];
        self.context.fill_random(&mut bytes);
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}
