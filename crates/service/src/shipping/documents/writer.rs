//! Files that are written piece by piece, because they are too large to hold in memory.

use bytes::Bytes;
use model::shipping::document::DocumentType;
use model::{Document, Error, Id, Owner, Result};
use tracing::warn;

use super::Documents;
use super::files::Upload;
use super::{StoredFile, ensure_keepable};

/// The largest file that is written piece by piece, in bytes: the labels of a hundred thousand shipments.
const STREAM_BYTES_MAX: usize = 16 << 30;

/// A file that is being written. If it is dropped before [`FileWriter::finish`], no file exists.
pub(crate) struct FileWriter {
    upload: Upload,
    file: StoredFile,
}

impl Documents {
    /// Begins a file of some type under an id that was made before. Each attempt writes to a place of its own: an attempt that
    /// was taken to be dead may continue, and must not change the file that another attempt finished.
    pub(crate) async fn keep_stream(
        &self,
        owner: Owner,
        id: Id<Document>,
        attempt: i64,
        r#type: DocumentType,
        (file_name, file_type): (String, &str),
    ) -> Result<FileWriter> {
        ensure_keepable(&file_name, 0, STREAM_BYTES_MAX)?;
        let place = place_of(owner, id, attempt);
        let upload = self.state.files.begin(&place).await?;
        let file_type = file_type.to_owned();
        let file = StoredFile { id, r#type, file_name, file_type, file_size: 0, place, package: None };
        Ok(FileWriter { upload, file })
    }

    /// Deletes the file of an earlier attempt, which may have finished it and died before it was recorded.
    pub(crate) async fn forget_attempt(&self, owner: Owner, id: Id<Document>, attempt: i64) {
        let deleted = self.state.files.delete(&place_of(owner, id, attempt)).await;
        deleted
            .unwrap_or_else(|error| warn!(%error, document = %id, "file of an earlier attempt not deleted"));
    }
}

impl Documents {
    /// Deletes a file that was replaced. If that fails, the file only takes space.
    pub(crate) async fn forget_file(&self, file: &StoredFile) {
        let deleted = self.state.files.delete(&file.place).await;
        deleted.unwrap_or_else(|error| warn!(%error, document = %file.id, "replaced file not deleted"));
    }
}

/// A file that a client sent, while it is written. If it is dropped before [`ContentWriter::finish`], no file exists.
pub(crate) struct ContentWriter {
    upload: Upload,
    place: String,
}

impl Documents {
    /// Begins a file that belongs to no shipment and is never served. `name` must be unique for the owner.
    pub(crate) async fn begin_content(&self, owner: Owner, name: &str) -> Result<ContentWriter> {
        let place = format!("{owner}/{name}");
        Ok(ContentWriter { upload: self.state.files.begin(&place).await?, place })
    }

    /// Returns some bytes of such a file.
    pub(crate) async fn read_content(
        &self,
        place: &str,
        range: std::ops::Range<u64>,
    ) -> Result<Option<Bytes>> {
        self.state.files.read(place, range).await
    }

    /// Deletes such a file, if it exists.
    pub(crate) async fn delete_content(&self, place: &str) -> Result<()> {
        self.state.files.delete(place).await
    }
}

impl ContentWriter {
    pub async fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.upload.write(bytes).await
    }

    /// Completes the file, and returns its place and its size in bytes. Once this returns, its bytes survive a power cut.
    pub async fn finish(self) -> Result<(String, u64)> {
        let size = self.upload.size;
        self.upload.finish().await?;
        Ok((self.place, size))
    }

    /// Discards what was written.
    pub async fn abort(self) {
        let aborted = self.upload.abort().await;
        aborted.unwrap_or_else(|error| warn!(%error, place = self.place, "unfinished file not discarded"));
    }
}

fn place_of(owner: Owner, id: Id<Document>, attempt: i64) -> String {
    format!("{owner}/{id}-{attempt}")
}

impl FileWriter {
    pub async fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let size = usize::try_from(self.upload.size).map_err(Error::fault)?;
        ensure_keepable(&self.file.file_name, size.saturating_add(bytes.len()), STREAM_BYTES_MAX)?;
        self.upload.write(bytes).await
    }

    /// Completes the file. Once this returns, its bytes survive a power cut; it can be found once `store::shipping::documents::insert` has
    /// committed.
    pub async fn finish(self) -> Result<StoredFile> {
        let file_size = i64::try_from(self.upload.size).map_err(Error::fault)?;
        self.upload.finish().await?;
        Ok(StoredFile { file_size, ..self.file })
    }

    /// Discards what was written. Without this, a bucket keeps the parts of the unfinished file.
    pub async fn abort(self) {
        let aborted = self.upload.abort().await;
        aborted
            .unwrap_or_else(|error| warn!(%error, document = %self.file.id, "unfinished file not discarded"));
    }
}
