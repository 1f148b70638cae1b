//! Slots in lanes: how many purchases of each lane wait for their carrier, or for a permit to call it, on this node.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::Notify;

use super::share::Lane;

/// The slots that are taken, by lane.
#[derive(Default)]
pub struct Lanes {
    taken: Mutex<HashMap<Lane, usize>>,
    /// Notified when a slot becomes free.
    freed: Notify,
}

/// One slot. Dropping it lets the next purchase of the lane be claimed.
pub struct LaneSlot {
    lanes: Arc<Lanes>,
    lane: Lane,
}

impl Lanes {
    pub fn take(self: &Arc<Self>, lane: Lane) -> LaneSlot {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        *taken.entry(lane).or_default() += 1;
        LaneSlot { lanes: Arc::clone(self), lane }
    }

    /// Returns how many slots of each lane are taken.
    pub fn taken(&self) -> HashMap<Lane, usize> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until a slot has become free since the last call.
    pub async fn freed(&self) {
        self.freed.notified().await;
    }
}

impl Drop for LaneSlot {
    fn drop(&mut self) {
        let mut taken = self.lanes.taken.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = taken.get_mut(&self.lane) {
            *count -= 1;
            if *count == 0 {
                taken.remove(&self.lane);
            }
        }
        drop(taken);
        self.lanes.freed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use model::Id;

    use super::*;

    #[tokio::test]
    async fn a_slot_that_is_dropped_is_free_and_says_so() {
        let (lanes, lane) = (Arc::new(Lanes::default()), (Id::from_bits(1), None));
        let (one, two) = (lanes.take(lane), lanes.take(lane));
        assert_eq!(lanes.taken(), HashMap::from([(lane, 2)]));
        drop(one);
        lanes.freed().await;
        assert_eq!(lanes.taken(), HashMap::from([(lane, 1)]));
        drop(two);
        lanes.freed().await;
        assert!(lanes.taken().is_empty());
    }
}
