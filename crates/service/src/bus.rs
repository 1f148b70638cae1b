//! Hints.
use std::sync::Arc;

use model::Owner;
use tokio::sync::broadcast;

use crate::Service;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Hint {
    /// These owners' logs have events that can be read.
    Events(Arc<[Owner]>),
    /// Any log may have.
    Anything,
    /// A token was revoked, a provision was taken back.
    Access,
    /// The operators said something to everyone.
    Announcement,
}

pub struct Bus(broadcast::Sender<Hint>);
impl Default for Bus {
    fn default() -> Self {
        Self(broadcast::channel(256).0)
    }
}

impl Service {
    pub(crate) fn hint(&self, hint: Hint) {
        let _nobody = self.0.bus.0.send(hint);
    }
    pub(crate) fn hints(&self) -> broadcast::Receiver<Hint> {
        self.0.bus.0.subscribe()
    }
}
