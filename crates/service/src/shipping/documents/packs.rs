//! Packs: small files that are stored at the same time share one object in the file store.
//!
//! A durable write costs two syncs in a folder, and a request in a bucket, however small the file is. While one pack of an
//! owner is written, the files that arrive form the next. A file that arrives alone is stored as an object of its own.

use super::Documents;
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytes::{Bytes, BytesMut};
use model::platform::problem::Fault;
use model::{Code, Document, Error, Id, Owner, Result};
use tokio::sync::oneshot;

use super::{FILE_BYTES_MAX, NewDocument, StoredFile, ensure_keepable};

/// Files of at most this many bytes are packed. A larger file is worth an object of its own.
const PACKED_FILE_BYTES_MAX: usize = 256 << 10;
/// Files in one pack, and its bytes before the last file is added.
const PACK_FILES_MAX: usize = 256;
const PACK_BYTES_MAX: usize = 4 << 20;
/// Separates the object's key from the offset of the file in it.
const OFFSET_MARK: char = '@';

/// Files that wait to be stored, by owner. An owner has an entry only while a task drains its queue.
#[derive(Default)]
pub struct Packs(Mutex<HashMap<Owner, Vec<Waiting>>>);

struct Waiting {
    id: Id<Document>,
    bytes: Bytes,
    /// Receives the place of the stored file.
    reply: oneshot::Sender<Result<String>>,
}

impl Packs {
    fn lock(&self) -> MutexGuard<'_, HashMap<Owner, Vec<Waiting>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends to the owner's queue. Returns whether the caller has to start a task that drains it.
    fn push(&self, owner: Owner, waiting: Waiting) -> bool {
        let mut queues = self.lock();
        let is_first = !queues.contains_key(&owner);
        queues.entry(owner).or_default().push(waiting);
        is_first
    }

    /// Takes the files of the next pack. `None` removes the owner's entry: the task that drains the queue ends.
    fn next(&self, owner: Owner) -> Option<Vec<Waiting>> {
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

/// Drains the queue of one owner. If the task ends early, dropping this removes the queue, which tells the waiting callers.
struct Packer {
    documents: Documents,
    owner: Owner,
    is_done: bool,
}

impl Drop for Packer {
    fn drop(&mut self) {
        if !self.is_done {
            self.documents.state.packs.lock().remove(&self.owner);
        }
    }
}

impl Packer {
    async fn store_all(mut self) {
        while let Some(pack) = self.documents.state.packs.next(self.owner) {
            let stored = self.store(&pack).await;
            for (place, waiting) in pack.into_iter().enumerate() {
                let reply = match &stored {
                    Ok(places) => Ok(places[place].clone()),
                    Err(error) => Err(repeated(error)),
                };
                // The caller may have given up waiting.
                let _ = waiting.reply.send(reply);
            }
        }
        self.is_done = true;
    }

    /// Stores a pack, and returns the place of each of its files.
    async fn store(&self, pack: &[Waiting]) -> Result<Vec<String>> {
        let (owner, files) = (self.owner, &self.documents.state.files);
        if let [alone] = pack {
            let place = format!("{owner}/{}", alone.id);
            files.put(&place, alone.bytes.clone()).await?;
            return Ok(vec![place]);
        }
        let mut bytes = BytesMut::with_capacity(pack.iter().map(|waiting| waiting.bytes.len()).sum());
        let Some(first) = pack.first() else { return Ok(Vec::new()) };
        let key = format!("{owner}/pack-{}", first.id);
        let mut places = Vec::with_capacity(pack.len());
        for waiting in pack {
            places.push(format!("{key}{OFFSET_MARK}{}", bytes.len()));
            bytes.extend_from_slice(&waiting.bytes);
        }
        files.put(&key, bytes.freeze()).await?;
        Ok(places)
    }
}

impl Documents {
    /// Stores new files, together with others of the same owner that arrive meanwhile. Once this returns, their bytes
    /// survive a power cut; they can be found once `store::shipping::documents::insert` has committed.
    pub(crate) async fn keep_files(&self, owner: Owner, new: &[NewDocument]) -> Result<Vec<StoredFile>> {
        let mut waiting = Vec::with_capacity(new.len());
        for document in new {
            ensure_keepable(&document.file_name, document.bytes.len(), FILE_BYTES_MAX)?;
            let id = self.context.new_id(self.context.now());
            let place = match document.bytes.len() <= PACKED_FILE_BYTES_MAX {
                true => Some(self.queue_file(owner, id, document.bytes.clone())),
                false => None,
            };
            waiting.push((id, document, place));
        }
        let mut files = Vec::with_capacity(new.len());
        for (id, document, place) in waiting {
            files.push(match place {
                Some(place) => {
                    let place = place.await.map_err(Error::fault)??;
                    super::stored_file(id, document, place)?
                }
                None => self.keep_file_as(owner, id, document).await?,
            });
        }
        Ok(files)
    }

    fn queue_file(&self, owner: Owner, id: Id<Document>, bytes: Bytes) -> oneshot::Receiver<Result<String>> {
        let (reply, answer) = oneshot::channel();
        if self.state.packs.push(owner, Waiting { id, bytes, reply }) {
            tokio::spawn(Packer { documents: self.clone(), owner, is_done: false }.store_all());
        }
        answer
    }
}

/// The same error for another caller: one write failed for all files of a pack.
fn repeated(error: &Error) -> Error {
    let shown = match error {
        Error::Fault(fault) => fault.shown,
        Error::Refused(_) => Code::FilesUnavailable,
    };
    Error::Fault(Fault { shown, cause: error.to_string().into() })
}

/// Splits a place into the key of its object and the offset of the file in it.
pub fn locate(place: &str) -> (&str, u64) {
    let packed = place.rsplit_once(OFFSET_MARK).and_then(|(key, offset)| Some((key, offset.parse().ok()?)));
    packed.unwrap_or((place, 0))
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

    #[test]
    fn a_place_names_an_object_and_an_offset_in_it() {
        assert_eq!(locate("org_1_test/doc_1"), ("org_1_test/doc_1", 0));
        assert_eq!(locate("org_1_test/pack-doc_1@4096"), ("org_1_test/pack-doc_1", 4096));
        assert_eq!(locate("org_1/a@b"), ("org_1/a@b", 0));
    }
}
