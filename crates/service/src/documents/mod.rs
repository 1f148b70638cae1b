//! Documents: files that belong to a shipment, a batch or a manifest, and the links under which they are fetched.
//!
//! A file is kept in two steps, because the process may end between any two lines: first its bytes
//! ([`Service::keep_file`]), durably, then its row in the transaction of whatever it belongs to
//! (`store::documents::insert`). A row without bytes can't come of that. Bytes without a row can: nobody finds
//! them, they cost only their room, and a file that is kept again under its id takes their place. No job cleans up
//! after them, because it could not tell them from those whose transaction is still under way.

mod bucket;
mod files;
mod link;
mod writer;

use bytes::Bytes;
use model::document::DocumentType;
use model::{Code, Document, Error, Id, Owner, Result, ensure};
use store::documents;

pub use bucket::{Bucket, bucket_and_prefix};
pub use files::FilePlace;
pub use store::documents::{StoredDocument, StoredFile};
pub(crate) use writer::FileWriter;

use crate::{Service, found};
use files::Files;
use link::{Link, LinkKey};

/// How long a link lives, in seconds, where the operator does not say.
pub const LINK_SECONDS: u32 = 3600;
/// The largest file that is kept at once, in bytes.
const FILE_BYTES_MAX: usize = 256 << 20;
/// Bytes that are read of a file at once.
const PIECE_BYTES: i64 = 1 << 20;
/// The longest name of a file, in characters.
const NAME_CHARS_MAX: usize = 255;

/// What an operator may set.
#[derive(Clone)]
pub struct Settings {
    /// Where the bytes are.
    pub place: FilePlace,
    /// The address under which clients reach this server, such as `https://dockside.example.com`.
    pub public_url: String,
    /// How long a link lives.
    pub link_seconds: u32,
}

/// A file to keep.
pub struct NewDocument {
    pub r#type: DocumentType,
    /// What it is called when it is saved.
    pub file_name: String,
    /// The media type.
    pub file_type: String,
    pub bytes: Bytes,
}

/// What the documents of a node share.
pub(crate) struct Documents {
    files: Files,
    key: LinkKey,
}

impl Documents {
    pub(crate) fn new(settings: &Settings, signing_key: &[u8; 32]) -> Result<Self> {
        Ok(Self { files: Files::open(&settings.place)?, key: LinkKey::derive(signing_key) })
    }
}

impl Service {
    /// Keeps a new file. Once this returns, its bytes survive a power cut; it can be found once
    /// `store::documents::insert` has committed.
    pub async fn keep_file(&self, owner: Owner, new: &NewDocument) -> Result<StoredFile> {
        self.keep_file_as(owner, self.new_id(self.now()), new).await
    }

    /// As [`Service::keep_file`], under an id that was made before: whoever repeats it leaves nothing behind.
    pub async fn keep_file_as(
        &self,
        owner: Owner,
        id: Id<Document>,
        new: &NewDocument,
    ) -> Result<StoredFile> {
        ensure_keepable(&new.file_name, new.bytes.len(), FILE_BYTES_MAX)?;
        let place = format!("{owner}/{id}");
        self.0.documents.files.put(&place, new.bytes.clone()).await?;
        Ok(StoredFile {
            id,
            r#type: new.r#type,
            file_name: new.file_name.clone(),
            file_type: new.file_type.clone(),
            file_size: i64::try_from(new.bytes.len()).map_err(Error::fault)?,
            place,
        })
    }

    /// The document as it is served, with a link of its own to the file.
    pub fn sign(&self, owner: Owner, document: &StoredDocument) -> Document {
        let (file, settings) = (&document.file, &self.settings().files);
        let expires_at = self.now().as_seconds() + i64::from(settings.link_seconds);
        let token = self.0.documents.key.write(&Link { owner, document: file.id, expires_at });
        Document {
            id: file.id,
            r#type: file.r#type,
            file_name: file.file_name.clone(),
            file_type: file.file_type.clone(),
            file_size: file.file_size,
            file_url: format!("{}/files/{token}", settings.public_url),
            created_at: document.created_at,
            updated_at: document.updated_at,
        }
    }

    /// The document that a link leads to.
    pub async fn linked_document(&self, token: &str) -> Result<StoredDocument> {
        let link = self.0.documents.key.read(token).ok_or(Code::FileLinkInvalid)?;
        ensure(self.now().as_seconds() < link.expires_at, Code::FileLinkExpired)?;
        let read =
            self.db().read(link.owner, async move |tx| documents::find(tx, link.owner, link.document).await);
        found(read.await?)
    }

    /// Refuses a document whose bytes are gone.
    pub async fn ensure_file(&self, document: &StoredDocument) -> Result<()> {
        found(self.0.documents.files.size(&document.file.place).await?).map(drop)
    }

    /// The next bytes of a document's file, from this place on: some, unless the file ends there.
    pub async fn file_piece(&self, document: &StoredDocument, from: i64) -> Result<Bytes> {
        let file = &document.file;
        let to = file.file_size.min(from.saturating_add(PIECE_BYTES));
        if from >= to {
            self.ensure_file(document).await?;
            return Ok(Bytes::new());
        }
        let range = from.unsigned_abs()..to.unsigned_abs();
        let piece = found(self.0.documents.files.read(&file.place, range).await?)?;
        if piece.len() as u64 != (to - from).unsigned_abs() {
            return Err(Error::fault(format!("the file {} is shorter than it was", file.place)));
        }
        Ok(piece)
    }

    /// All bytes of a document's file: for files that were kept at once.
    pub(crate) async fn whole_file(&self, document: &StoredDocument) -> Result<Bytes> {
        let first = self.file_piece(document, 0).await?;
        let size = document.file.file_size;
        if first.len() as u64 >= size.unsigned_abs() {
            return Ok(first);
        }
        let mut bytes = first.to_vec();
        while (bytes.len() as u64) < size.unsigned_abs() {
            let from = i64::try_from(bytes.len()).map_err(Error::fault)?;
            bytes.extend_from_slice(&self.file_piece(document, from).await?);
        }
        Ok(bytes.into())
    }

    /// Writes something to the file store, so that a wrong setting is found at the start and not with the first label.
    pub async fn check_files(&self) -> Result<()> {
        self.0.documents.files.check().await
    }
}

fn ensure_keepable(name: &str, size: usize, size_max: usize) -> Result<()> {
    let name_chars = name.chars().count();
    if size > size_max || !(1..=NAME_CHARS_MAX).contains(&name_chars) {
        return Err(Error::fault(format!(
            "a file of {size} bytes with a name of {name_chars} characters can't be kept"
        )));
    }
    Ok(())
}
