//! Packs: small files that are stored at the same time share one object in the file store.
//!
//! A durable write costs two syncs in a folder, and a request in a bucket, however small the file is. While one pack of an
//! owner is written, the files that arrive form the next. A file that arrives alone is stored as an object of its own.

use bytes::{Bytes, BytesMut};
use model::platform::problem::Fault;
use model::{Code, Document, Error, Id, Owner, Result};
use tokio::sync::oneshot;

use super::pack_queue::Waiting;
use super::place::OFFSET_MARK;
use super::{Documents, FILE_BYTES_MAX, NewDocument, StoredFile, ensure_keepable};

/// Files of at most this many bytes are packed. A larger file is worth an object of its own.
const PACKED_FILE_BYTES_MAX: usize = 256 << 10;

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
