//! Documents: the metadata of files. The bytes are in the file store, and were there before the row.

use model::shipping::document::DocumentType;
use model::{Document, Error, Id, Owner, Result, Shipment, Timestamp};

use crate::platform::engine::{Row, Sql, Tx, Value, wanted};

const INSERT: Sql = Sql::same(
    "INSERT INTO document (owner, id, subject, type, file_name, file_type, file_size, place, package_number,
     created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10)",
);
const FIND: Sql = Sql::same(
    "SELECT id, subject, type, file_name, file_type, file_size, place, package_number, created_at, updated_at
     FROM document WHERE owner = $1 AND id = $2",
);
/// Ids sort by age, so this is the order in which the files were added.
const OF_SUBJECT: Sql = Sql::same(
    "SELECT id, subject, type, file_name, file_type, file_size, place, package_number, created_at, updated_at
     FROM document WHERE owner = $1 AND subject = $2 ORDER BY id",
);
/// `$2` lists the subjects as JSON.
const OF_SUBJECTS: Sql = Sql::each(
    "SELECT id, subject, type, file_name, file_type, file_size, place, package_number, created_at,
     updated_at FROM document
     WHERE owner = $1 AND subject IN (SELECT value FROM json_each($2)) ORDER BY subject, id",
    concat!(
        "SELECT d.* FROM ",
        wanted!("$2"),
        " CROSS JOIN LATERAL (
             SELECT id, subject, type, file_name, file_type, file_size, place, package_number, created_at,
     updated_at FROM document
             WHERE owner = $1 AND subject = wanted.id OFFSET 0) d
         ORDER BY d.subject, d.id"
    ),
);
/// Replaces the file of a document.
const REPLACE: Sql = Sql::same(
    "UPDATE document SET file_name = $1, file_size = $2, place = $3, updated_at = $4 WHERE owner = $5 AND id = $6",
);
/// Spans organisations: a backup has the files of all. Not on PostgreSQL, whose backups copy all files.
const PLACES: Sql = Sql::each(
    "SELECT owner, id, place, file_size FROM document WHERE (owner, id) > ($1, $2) ORDER BY owner, id LIMIT $3",
    "",
);
const DELETE_OF_SUBJECT: Sql = Sql::same("DELETE FROM document WHERE owner = $1 AND subject = $2");

pub(crate) const STATEMENTS: &[&Sql] =
    &[&INSERT, &FIND, &OF_SUBJECT, &OF_SUBJECTS, &REPLACE, &PLACES, &DELETE_OF_SUBJECT];

/// A file whose bytes are durable in the file store.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredFile {
    pub id: Id<Document>,
    pub r#type: DocumentType,
    pub file_name: String,
    /// The media type.
    pub file_type: String,
    /// In bytes.
    pub file_size: i64,
    /// Its key in the file store.
    pub place: String,
    /// The number of the package that the file is for, from 1 on.
    pub package: Option<u32>,
}

/// A document as it is stored.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredDocument {
    /// The id of the shipment, batch or manifest that it belongs to. Papers of a warehouse have another subject, see
    /// [`papers_subject`].
    pub subject: String,
    pub file: StoredFile,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl StoredDocument {
    /// Returns the shipment that it belongs to, or `None` for a file of a batch or a manifest.
    pub fn shipment(&self) -> Option<Id<Shipment>> {
        Id::parse(self.resource())
    }

    /// Returns the id of the shipment, batch or manifest that it belongs to.
    pub fn resource(&self) -> &str {
        self.subject.split(PAPERS_MARK).next().unwrap_or_default()
    }
}

/// Separates an id from the word that tells its warehouse papers from its other files.
const PAPERS_MARK: char = '/';

/// Returns the subject of the warehouse papers of a shipment or a batch. They are made on request, before and after the
/// purchase, and are no part of what was bought: so they are listed apart from the files of the purchase.
pub fn papers_subject(id: &str) -> String {
    format!("{id}{PAPERS_MARK}papers")
}

/// A row of [`places`].
pub struct PlacedFile {
    /// The owner and the id of the document.
    pub key: (String, String),
    pub place: String,
    pub file_size: i64,
}

/// Returns the next places of files after this owner and id, of all organisations.
pub async fn places(tx: &mut Tx<'_>, after: &(String, String), limit: i64) -> Result<Vec<PlacedFile>> {
    let values = [after.0.as_str().into(), after.1.as_str().into(), limit.into()];
    let rows = tx.all(&PLACES, &values).await?;
    let read = |mut row: Row| {
        Ok(PlacedFile { key: (row.text(0)?, row.text(1)?), place: row.text(2)?, file_size: row.int(3)? })
    };
    rows.into_iter().map(read).collect()
}

/// Adds a file to a shipment, a batch or a manifest. The file store must have its bytes already.
pub async fn insert(
    tx: &mut Tx<'_>,
    owner: Owner,
    subject: &str,
    file: &StoredFile,
    now: Timestamp,
) -> Result<StoredDocument> {
    let values = [
        owner.into(),
        file.id.into(),
        subject.into(),
        file.r#type.as_str().into(),
        file.file_name.as_str().into(),
        file.file_type.as_str().into(),
        file.file_size.into(),
        file.place.as_str().into(),
        file.package.map(i64::from).into(),
        now.into(),
    ];
    tx.send(&INSERT, &values).await?;
    let subject = subject.to_owned();
    Ok(StoredDocument { subject, file: file.clone(), created_at: now, updated_at: now })
}

pub async fn find(tx: &mut Tx<'_>, owner: Owner, id: Id<Document>) -> Result<Option<StoredDocument>> {
    tx.one(&FIND, &[owner.into(), id.into()]).await?.map(read).transpose()
}

/// Returns all documents of one subject, oldest first.
pub async fn of_subject(tx: &mut Tx<'_>, owner: Owner, subject: &str) -> Result<Vec<StoredDocument>> {
    let rows = tx.all(&OF_SUBJECT, &[owner.into(), subject.into()]).await?;
    rows.into_iter().map(read).collect()
}

/// Returns all documents of several subjects, by subject, and of each the oldest first.
pub async fn of_subjects(tx: &mut Tx<'_>, owner: Owner, subjects: &[String]) -> Result<Vec<StoredDocument>> {
    if subjects.is_empty() {
        return Ok(Vec::new());
    }
    let list = Value::Text(serde_json::Value::from(subjects).to_string());
    let rows = tx.all(&OF_SUBJECTS, &[owner.into(), list]).await?;
    rows.into_iter().map(read).collect()
}

/// Replaces the file of a document. The document keeps its id, so links to it lead to the new file.
pub async fn replace(tx: &mut Tx<'_>, owner: Owner, file: &StoredFile, now: Timestamp) -> Result<()> {
    let values = [
        file.file_name.as_str().into(),
        file.file_size.into(),
        file.place.as_str().into(),
        now.into(),
        owner.into(),
        file.id.into(),
    ];
    tx.send(&REPLACE, &values).await
}

/// Deletes all documents of one subject and returns their number. Links to them no longer work.
pub async fn delete_of_subject(tx: &mut Tx<'_>, owner: Owner, subject: &str) -> Result<u64> {
    tx.execute(&DELETE_OF_SUBJECT, &[owner.into(), subject.into()]).await
}

fn read(mut row: Row) -> Result<StoredDocument> {
    let word = row.text(2)?;
    Ok(StoredDocument {
        subject: row.text(1)?,
        file: StoredFile {
            id: row.id(0)?,
            r#type: DocumentType::parse(&word)
                .ok_or_else(|| Error::fault(format!("{word:?} is no type of document")))?,
            file_name: row.text(3)?,
            file_type: row.text(4)?,
            file_size: row.int(5)?,
            place: row.text(6)?,
            package: row.int_or_null(7)?.and_then(|number| u32::try_from(number).ok()),
        },
        created_at: row.moment(8)?,
        updated_at: row.moment(9)?,
    })
}
