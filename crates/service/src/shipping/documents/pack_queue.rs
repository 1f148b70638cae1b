//! The files that wait to be packed.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use model::{Document, Id, Owner, Result};
use tokio::sync::oneshot;

/// Files in one pack, and its bytes before the last file is added.
const PACK_FILES_MAX: usize = 256;
const PACK_BYTES_MAX: usize = 4 << 20;

/// Files that wait to be stored, by owner. An owner has an entry only while a task drains its queue.
#[derive(Default)]
pub struct Packs(Mutex<HashMap<Owner, Vec<Waiting>>>);

pub struct Waiting {
    pub id: Id<Document>,
    pub bytes: Bytes,
    /// Receives the place of the stored file.
    pub reply: oneshot::Sender<Result<String>>,
}

impl Packs {
    pub fn lock(&self) -> MutexGuard<'_, HashMap<Owner, Vec<Waiting>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends to the owner's queue. Returns whether the caller has to start a task that drains it.
    pub fn push(&self, owner: Owner, waiting: Waiting) -> bool {
        let mut queues = self.lock();
        let is_first = !queues.contains_key(&owner);
        queues.entry(owner).or_default().push(waiting);
        is_first
    }

    /// Takes the files of the next pack. `None` removes the owner's entry: the task that drains the queue ends.
    pub fn next(&self, owner: Owner) -> Option<Vec<Waiting>> {
        let mut queues = self.lock();
        let queue = queues.get_mut(&owner)?;
        if queue.is_empty() {
            queues.remove(&owner);
            return None;
        }
        let mut bytes = 0;
        let fits = |waiting: &&Waiting| {
            let is_room = bytes < PACK_BYTES_MAX;
            bytes += waiting.bytes.len();
            is_room
        };
        let count = queue.iter().take(PACK_FILES_MAX).take_while(fits).count();
        Some(queue.drain(..count).collect())
    }
}

#[cfg(test)]
mod tests {
    use model::World;

    use super::*;

    fn waiting(size: usize) -> Waiting {
        Waiting { id: Id::from_bits(1), bytes: vec![0; size].into(), reply: oneshot::channel().0 }
    }

    fn owner() -> Owner {
        Owner { organisation: Id::from_bits(1), world: World::Test }
    }

    #[test]
    fn a_pack_is_bounded_in_files_and_bytes() {
        let packs = Packs::default();
        assert!(packs.push(owner(), waiting(1)), "the first file starts the task");
        for _ in 0..PACK_FILES_MAX {
            assert!(!packs.push(owner(), waiting(1)), "the task is running");
        }
        let sizes = |packs: &Packs| packs.next(owner()).map(|pack| pack.len());
        assert_eq!([sizes(&packs), sizes(&packs), sizes(&packs)], [Some(PACK_FILES_MAX), Some(1), None]);
        for _ in 0..5 {
            packs.push(owner(), waiting(PACK_BYTES_MAX / 3));
        }
        assert_eq!([sizes(&packs), sizes(&packs), sizes(&packs)], [Some(4), Some(1), None]);
    }
}
