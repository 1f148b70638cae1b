//! Permits for drawing labels and papers: as many at once as there are cores, whatever they are drawn for.

use std::sync::Arc;

use model::{Error, Result};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The permits of a node. Clones share them.
#[derive(Clone)]
pub struct DrawingPermits(Arc<Semaphore>);

impl Default for DrawingPermits {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Self(Arc::new(Semaphore::new(cores)))
    }
}

impl DrawingPermits {
    /// Waits for a permit. Dropping it wakes the next waiter.
    pub async fn acquire(&self) -> Result<OwnedSemaphorePermit> {
        Arc::clone(&self.0).acquire_owned().await.map_err(Error::fault)
    }
}
