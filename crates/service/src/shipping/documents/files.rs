//! The file store: a folder, or a bucket of a server that speaks S3.

use std::fs::{DirBuilder, File};
use std::ops::Range;
use std::os::unix::fs::DirBuilderExt;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use model::platform::problem::Fault;
use model::{Code, Error, Result};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{ObjectStore, ObjectStoreExt, WriteMultipart};
use tracing::warn;

use super::{Bucket, DeletionLock};

/// The place to which [`Files::check`] writes, and the bytes. No owner has this name.
const CHECK_PLACE: &str = "written-at-start";
const CHECK_BYTES: &[u8] = b"Dockside keeps files beside this one.\n";

/// Size of the parts in which a file is uploaded piece by piece. A bucket takes 10,000 parts.
const PART_BYTES: usize = 8 << 20;
/// Parts that are uploaded at once. Each is kept in memory.
const PARTS_MAX: usize = 2;

/// Where the bytes are.
#[derive(Clone)]
pub enum FilePlace {
    Folder(PathBuf),
    Bucket(Bucket),
}

/// The file store, open.
pub struct Files {
    store: Arc<dyn ObjectStore>,
    /// The prefix of all places.
    prefix: String,
    /// The folder. `None` for a bucket.
    folder: Option<PathBuf>,
    /// Its name in error messages.
    name: String,
}

impl Files {
    /// Opens the store. A missing folder is created. A bucket is not called before [`Files::check`].
    pub fn open(place: &FilePlace) -> Result<Self> {
        match place {
            FilePlace::Folder(folder) => {
                let name = format!("the folder {}", folder.display());
                let failed = |error: &dyn std::fmt::Display| {
                    Error::fault(format!("the setting files names {name}, which can't be made: {error}"))
                };
                make_folder(folder).map_err(|error| failed(&error))?;
                // Files that an answer names must survive a power cut: each file and its folder are synced before `put` returns.
                let store = LocalFileSystem::new_with_prefix(folder).map_err(|error| failed(&error))?;
                let folder = Some(folder.clone());
                Ok(Self { store: Arc::new(store.with_fsync(true)), prefix: String::new(), folder, name })
            }
            FilePlace::Bucket(bucket) => Ok(Self {
                store: Arc::new(bucket.open()?),
                prefix: bucket.prefix.clone(),
                folder: None,
                name: bucket.to_string(),
            }),
        }
    }

    fn path(&self, place: &str) -> Result<Path> {
        Path::parse(format!("{}/{place}", self.prefix)).map_err(Error::fault)
    }

    /// Writes a file atomically, and replaces an earlier one. Once this returns, the file is durable.
    pub async fn put(&self, place: &str, bytes: Bytes) -> Result<()> {
        let put = self.store.put(&self.path(place)?, bytes.into()).await;
        put.map(drop).map_err(|error| self.failed(error))
    }

    /// Begins a file that is written piece by piece. It can't be read before [`Upload::finish`], which is as atomic and durable
    /// as [`Files::put`].
    pub async fn begin(&self, place: &str) -> Result<Upload> {
        let path = self.path(place)?;
        let upload = self.store.put_multipart(&path).await.map_err(|error| self.failed(error))?;
        let writer = WriteMultipart::new_with_chunk_size(upload, PART_BYTES);
        Ok(Upload { writer, size: 0, name: self.name.clone() })
    }

    /// Deletes a file, if it exists. Fails while a backup copies the files.
    pub async fn delete(&self, place: &str) -> Result<()> {
        let _deleting = match &self.folder {
            Some(folder) => DeletionLock::share(folder).map_err(|error| self.not_deleted(&error))?,
            None => None,
        };
        let delete = self.store.delete(&self.path(place)?).await;
        self.known(delete).map(drop)
    }

    /// Returns the size of a file in bytes, or `None` if it does not exist.
    pub async fn size(&self, place: &str) -> Result<Option<u64>> {
        let head = self.store.head(&self.path(place)?).await;
        self.known(head.map(|meta| meta.size))
    }

    /// Returns a part of a file, or `None` if the file does not exist.
    pub async fn read(&self, place: &str, range: Range<u64>) -> Result<Option<Bytes>> {
        let read = self.store.get_range(&self.path(place)?, range).await;
        self.known(read)
    }

    /// Checks that files can be written. If not, the error is a sentence for the operator.
    pub async fn check(&self) -> Result<()> {
        let put = self.store.put(&self.path(CHECK_PLACE)?, Bytes::from_static(CHECK_BYTES).into()).await;
        let Err(error) = put else { return Ok(()) };
        // A full disk is no wrong setting: files can still be read, and writes succeed again once there is space.
        if is_full(&error) {
            warn!(%error, place = self.name, "the file store is full");
            return Ok(());
        }
        let why = match error {
            object_store::Error::NotFound { .. } => {
                "which does not exist: make it, or correct the setting".to_owned()
            }
            object_store::Error::PermissionDenied { .. } | object_store::Error::Unauthenticated { .. } => {
                format!("which may not be written with the key and the secret of the settings: {error}")
            }
            other => format!("which can't be written: {other}"),
        };
        Err(Error::fault(format!("the setting files names {}, {why}", self.name)))
    }

    fn not_deleted(&self, error: &std::io::Error) -> Error {
        let cause = match error.kind() {
            std::io::ErrorKind::WouldBlock => format!("a backup copies the files in {}", self.name),
            _ => format!("{} can't be locked: {error}", self.name),
        };
        Error::Fault(Fault { shown: Code::FilesUnavailable, cause: cause.into() })
    }

    fn known<T>(&self, result: object_store::Result<T>) -> Result<Option<T>> {
        match result {
            Ok(value) => Ok(Some(value)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(self.failed(error)),
        }
    }

    fn failed(&self, error: object_store::Error) -> Error {
        failed(&self.name, &error)
    }
}

/// Whether a folder has no space left.
fn is_full(error: &object_store::Error) -> bool {
    use std::io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    let mut cause = std::error::Error::source(error);
    while let Some(error) = cause {
        if let Some(error) = error.downcast_ref::<std::io::Error>() {
            return matches!(error.kind(), StorageFull | QuotaExceeded | FileTooLarge);
        }
        cause = error.source();
    }
    false
}

fn failed(name: &str, error: &object_store::Error) -> Error {
    let cause = format!("{name} failed: {error}");
    Error::Fault(Fault { shown: Code::FilesUnavailable, cause: cause.into() })
}

/// A file that is being written piece by piece.
pub struct Upload {
    writer: WriteMultipart,
    /// Bytes so far.
    pub size: u64,
    name: String,
}

impl Upload {
    /// Appends bytes, once there is room among the parts that are being uploaded.
    pub async fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.writer.wait_for_capacity(PARTS_MAX).await.map_err(|error| failed(&self.name, &error))?;
        self.writer.write(bytes);
        self.size += bytes.len() as u64;
        Ok(())
    }

    /// Completes the file. Once this returns, the file is durable.
    pub async fn finish(self) -> Result<()> {
        let Self { writer, name, .. } = self;
        writer.finish().await.map(drop).map_err(|error| failed(&name, &error))
    }

    /// Discards what was written.
    pub async fn abort(self) -> Result<()> {
        let Self { writer, name, .. } = self;
        writer.abort().await.map_err(|error| failed(&name, &error))
    }
}

/// Creates the folder if it is missing, durably, like the files in it.
fn make_folder(folder: &std::path::Path) -> std::io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    match folder.canonicalize()?.parent() {
        // Sync even if the folder existed: the process that created it may have been killed before it could sync.
        Some(parent) => File::open(parent)?.sync_all(),
        None => Ok(()),
    }
}
