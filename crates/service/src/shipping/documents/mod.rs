//! Documents: files that belong to a shipment, a batch or a manifest, and the links under which they are fetched.
//!
//! A file is kept in two steps, because the process may end between any two lines: first its bytes, durably
//! ([`Documents::keep_file`], or `Documents::keep_files`, which stores many in one object), then its row
//! (`store::shipping::documents::insert`), in the transaction of the shipment, batch or manifest that it belongs to. So there is never a
//! row without bytes. There can be bytes without a row: no client can fetch them, they only take space, and a file that is
//! kept again under the same id replaces them. No job deletes them, because it could not tell them from bytes whose
//! transaction is still under way.

mod bucket;
mod deletion_lock;
mod files;
mod link;
mod pack_queue;
mod packs;
mod place;
mod writer;

use ::carriers::FileFormat;
use bytes::Bytes;
use model::shipping::document::{DocumentType, shipment_file_name};
use model::{Code, Document, Error, Id, Owner, Result, Shipment, ensure};
use std::sync::Arc;
use store::shipping::documents;

pub use bucket::{Bucket, bucket_and_prefix};
pub use deletion_lock::DeletionLock;
pub use files::FilePlace;
pub(crate) use place::locate;
pub use store::shipping::documents::{StoredDocument, StoredFile};
pub(crate) use writer::{ContentWriter, FileWriter};

use crate::platform::context::Context;
use crate::platform::resource::found;
use crate::shipping::carrier_labels::GivenLabel;
use files::Files;
use link::{Link, LinkKey};
use pack_queue::Packs;

/// How long a link is valid, in seconds, unless the operator sets another time.
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
    /// The number of the package that it is for, from 1 on; `None` if it is not for one package.
    pub package: Option<u32>,
    /// The name under which a browser saves it.
    pub file_name: String,
    /// The media type.
    pub file_type: String,
    pub bytes: Bytes,
}

/// The shipment whose papers are named, with the customer's own reference.
#[derive(Clone)]
pub(crate) struct PaperOwner {
    pub shipment: Id<Shipment>,
    /// Empty where it has none.
    pub reference: String,
    pub packages: usize,
}

impl PaperOwner {
    pub fn of(shipment: &Shipment) -> Self {
        Self {
            shipment: shipment.id,
            reference: shipment.details.name.clone().unwrap_or_default(),
            packages: shipment.details.packages.len(),
        }
    }

    /// Returns a paper that Dockside drew.
    pub fn drawn(&self, paper: labels::Paper) -> NewDocument {
        let ending = paper.file_name.rsplit('.').next().unwrap_or_default();
        let file_name =
            shipment_file_name(self.shipment, &self.reference, paper.r#type, paper.package, ending);
        NewDocument {
            r#type: paper.r#type,
            package: paper.package,
            file_name,
            file_type: paper.media_type.to_owned(),
            bytes: paper.bytes.into(),
        }
    }

    /// Returns the labels that the carrier gave. Several are for the packages in their order; a single one of a shipment with
    /// several packages is assigned to none of them.
    pub fn given(&self, labels: Vec<GivenLabel>) -> Vec<NewDocument> {
        let is_each = labels.len() > 1 || self.packages == 1;
        let label = |(number, (format, bytes))| self.label(format, bytes, is_each.then_some(number));
        (1..).zip(labels).map(label).collect()
    }

    /// Returns a label for this package.
    pub fn label(&self, format: impl Into<FileFormat>, bytes: Bytes, package: Option<u32>) -> NewDocument {
        let format = format.into();
        let (r#type, ending) = (DocumentType::Label, format.as_str());
        NewDocument {
            r#type,
            package,
            file_name: shipment_file_name(self.shipment, &self.reference, r#type, package, ending),
            file_type: format.media_type().to_owned(),
            bytes,
        }
    }
}

/// What the documents of a node share.
struct State {
    files: Files,
    packs: Packs,
    key: LinkKey,
    settings: Settings,
}

/// Files of labels and other papers, and the links to them. Clones share their state.
#[derive(Clone)]
pub struct Documents {
    context: Context,
    state: Arc<State>,
}

impl Documents {
    pub(crate) fn new(context: &Context, settings: &Settings) -> Result<Self> {
        let files = Files::open(&settings.place)?;
        let key = LinkKey::derive(&context.settings().signing_key);
        let state = State { files, packs: Packs::default(), key, settings: settings.clone() };
        Ok(Self { context: context.clone(), state: Arc::new(state) })
    }

    /// Keeps a new file. Once this returns, its bytes survive a power cut; it can be found once
    /// `store::shipping::documents::insert` has committed.
    pub async fn keep_file(&self, owner: Owner, new: &NewDocument) -> Result<StoredFile> {
        self.keep_file_as(owner, self.context.new_id(self.context.now()), new).await
    }

    /// As [`Documents::keep_file`], under an id that the caller made before: a repetition replaces the bytes of the first attempt.
    pub async fn keep_file_as(
        &self,
        owner: Owner,
        id: Id<Document>,
        new: &NewDocument,
    ) -> Result<StoredFile> {
        ensure_keepable(&new.file_name, new.bytes.len(), FILE_BYTES_MAX)?;
        let place = format!("{owner}/{id}");
        self.state.files.put(&place, new.bytes.clone()).await?;
        stored_file(id, new, place)
    }

    /// Returns the document as it is served, with a new signed link to its file.
    pub fn sign(&self, owner: Owner, document: &StoredDocument) -> Document {
        let (file, settings) = (&document.file, &self.state.settings);
        let expires_at = self.context.now().as_seconds() + i64::from(settings.link_seconds);
        let token = self.state.key.write(&Link { owner, document: file.id, expires_at });
        Document {
            id: file.id,
            r#type: file.r#type,
            shipment_id: document.shipment(),
            package: file.package,
            file_name: file.file_name.clone(),
            file_type: file.file_type.clone(),
            file_size: file.file_size,
            file_url: format!("{}/files/{token}", settings.public_url),
            created_at: document.created_at,
            updated_at: document.updated_at,
        }
    }

    /// Returns the document to which a link leads.
    pub async fn linked_document(&self, token: &str) -> Result<StoredDocument> {
        let link = self.state.key.read(token).ok_or(Code::FileLinkInvalid)?;
        ensure(self.context.now().as_seconds() < link.expires_at, Code::FileLinkExpired)?;
        let read = self
            .context
            .db()
            .read(link.owner, async move |tx| documents::find(tx, link.owner, link.document).await);
        found(read.await?)
    }

    /// Refuses a document whose bytes are gone.
    pub async fn ensure_file(&self, document: &StoredDocument) -> Result<()> {
        let (key, _) = locate(&document.file.place);
        found(self.state.files.size(key).await?).map(drop)
    }

    /// Returns the next bytes of a document's file from this position on. They are empty only at the end of the file.
    pub async fn file_piece(&self, document: &StoredDocument, from: i64) -> Result<Bytes> {
        let file = &document.file;
        let to = file.file_size.min(from.saturating_add(PIECE_BYTES));
        if from >= to {
            self.ensure_file(document).await?;
            return Ok(Bytes::new());
        }
        let (key, offset) = locate(&file.place);
        let range = offset + from.unsigned_abs()..offset + to.unsigned_abs();
        let piece = found(self.state.files.read(key, range).await?)?;
        if piece.len() as u64 != (to - from).unsigned_abs() {
            return Err(Error::fault(format!("the file {} is shorter than it was", file.place)));
        }
        Ok(piece)
    }

    /// Returns all bytes of a document's file: for files that were stored at once, and not piece by piece.
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

    /// Writes a test file to the file store, so that a wrong setting is found at the start and not with the first label.
    pub async fn check_files(&self) -> Result<()> {
        self.state.files.check().await
    }
}

fn stored_file(id: Id<Document>, new: &NewDocument, place: String) -> Result<StoredFile> {
    Ok(StoredFile {
        id,
        r#type: new.r#type,
        file_name: new.file_name.clone(),
        file_type: new.file_type.clone(),
        file_size: i64::try_from(new.bytes.len()).map_err(Error::fault)?,
        place,
        package: new.package,
    })
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
