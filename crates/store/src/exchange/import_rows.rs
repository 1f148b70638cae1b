//! What imports record of the rows of their files: errors, rows to correct, and the references that were read.

use std::collections::BTreeSet;

use model::exchange::import::Import;
use model::{Id, Owner, Result, Timestamp};

use crate::platform::engine::{Sql, Tx, Value, wanted};
use crate::platform::page::{Keys, Order as ListOrder, Page, PageSql, Sorting, Start};

/// In the order in which they were found.
const BY_POSITION: Sorting = Sorting { keys: Keys::Number, order: ListOrder::OldestFirst };

const INSERT_ERROR: Sql = Sql::same(
    "INSERT INTO import_error (owner, import_id, position, doc)
     SELECT $1, $2, coalesce(max(e.position), 0) + 1, $3 FROM import_error e WHERE e.owner = $1 AND e.import_id = $2",
);
const INSERT_ROW: Sql = Sql::same(
    "INSERT INTO import_failed_row (owner, import_id, row_number, fields, message) VALUES ($1, $2, $3, $4, $5)",
);
const FAILED_ROWS: Sql = Sql::same(
    "SELECT row_number, fields, message FROM import_failed_row
     WHERE owner = $1 AND import_id = $2 AND row_number > $3 ORDER BY row_number LIMIT $4",
);
/// `$3` lists references as JSON.
const SEEN: Sql = Sql::each(
    "SELECT reference FROM import_reference
     WHERE owner = $1 AND import_id = $2 AND reference IN (SELECT value FROM json_each($3))",
    concat!(
        "SELECT r.reference FROM ",
        wanted!("$3"),
        " CROSS JOIN LATERAL (
             SELECT reference FROM import_reference
             WHERE owner = $1 AND import_id = $2 AND reference = wanted.id OFFSET 0) r"
    ),
);
const INSERT_REFERENCES: Sql = Sql::each(
    "INSERT INTO import_reference (owner, import_id, reference)
     SELECT $1, $2, value FROM json_each($3) WHERE true ON CONFLICT DO NOTHING",
    "INSERT INTO import_reference (owner, import_id, reference)
     SELECT $1, $2, reference FROM jsonb_array_elements_text($3::text::jsonb) AS list (reference) ON CONFLICT DO NOTHING",
);
const DELETE_REFERENCES: Sql = Sql::each(
    "DELETE FROM import_reference WHERE (owner, import_id, reference) IN (
         SELECT owner, import_id, reference FROM import_reference WHERE owner = $1 AND import_id = $2 LIMIT $3)",
    "DELETE FROM import_reference WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM import_reference WHERE owner = $1 AND import_id = $2 LIMIT $3))",
);
/// Spans organisations.
const DELETE_ERRORS: Sql = Sql::each(
    "DELETE FROM import_error WHERE (owner, import_id, position) IN (
         SELECT e.owner, e.import_id, e.position FROM import i CROSS JOIN import_error e
         WHERE i.ended_at < $1 AND e.owner = i.owner AND e.import_id = i.id ORDER BY i.ended_at LIMIT $2)",
    "DELETE FROM import_error WHERE ctid = ANY (ARRAY(
         SELECT e.ctid FROM import i CROSS JOIN LATERAL (
             SELECT ctid FROM import_error WHERE owner = i.owner AND import_id = i.id LIMIT $2) e
         WHERE i.ended_at < $1 ORDER BY i.ended_at LIMIT $2))",
);
/// Spans organisations.
const DELETE_ROWS: Sql = Sql::each(
    "DELETE FROM import_failed_row WHERE (owner, import_id, row_number) IN (
         SELECT r.owner, r.import_id, r.row_number FROM import i CROSS JOIN import_failed_row r
         WHERE i.ended_at < $1 AND r.owner = i.owner AND r.import_id = i.id ORDER BY i.ended_at LIMIT $2)",
    "DELETE FROM import_failed_row WHERE ctid = ANY (ARRAY(
         SELECT r.ctid FROM import i CROSS JOIN LATERAL (
             SELECT ctid FROM import_failed_row WHERE owner = i.owner AND import_id = i.id LIMIT $2) r
         WHERE i.ended_at < $1 ORDER BY i.ended_at LIMIT $2))",
);
const ERRORS: PageSql = PageSql {
    older: Sql::same(
        "SELECT position, doc FROM import_error
         WHERE owner = $1 AND position < $2 AND import_id = $3 ORDER BY position DESC LIMIT $4",
    ),
    newer: Sql::same(
        "SELECT position, doc FROM import_error
         WHERE owner = $1 AND position > $2 AND import_id = $3 ORDER BY position LIMIT $4",
    ),
};

pub(crate) const STATEMENTS: &[&Sql] = &[
    &INSERT_ERROR,
    &INSERT_ROW,
    &FAILED_ROWS,
    &SEEN,
    &INSERT_REFERENCES,
    &DELETE_REFERENCES,
    &DELETE_ERRORS,
    &DELETE_ROWS,
    &ERRORS.older,
    &ERRORS.newer,
];

/// A row that was refused, with its fields as a JSON array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedRow {
    pub number: i64,
    pub fields: String,
    /// Why, in words.
    pub message: String,
}

/// Appends an error of a row, as the API shows it.
pub async fn insert_error(tx: &mut Tx<'_>, owner: Owner, import: Id<Import>, doc: &str) -> Result<()> {
    tx.send(&INSERT_ERROR, &[owner.into(), import.into(), doc.into()]).await
}

pub async fn insert_row(tx: &mut Tx<'_>, owner: Owner, import: Id<Import>, row: &FailedRow) -> Result<()> {
    let values = [
        owner.into(),
        import.into(),
        row.number.into(),
        row.fields.as_str().into(),
        row.message.as_str().into(),
    ];
    tx.send(&INSERT_ROW, &values).await
}

/// Returns refused rows after this one, in their order.
pub async fn failed_rows(
    tx: &mut Tx<'_>,
    owner: Owner,
    import: Id<Import>,
    after: i64,
    limit: i64,
) -> Result<Vec<FailedRow>> {
    let rows = tx.all(&FAILED_ROWS, &[owner.into(), import.into(), after.into(), limit.into()]).await?;
    rows.into_iter()
        .map(|mut row| Ok(FailedRow { number: row.int(0)?, fields: row.text(1)?, message: row.text(2)? }))
        .collect()
}

/// Returns a page of errors, in the order in which they were found.
pub async fn errors(
    tx: &mut Tx<'_>,
    owner: Owner,
    import: Id<Import>,
    start: &Start,
    limit: usize,
) -> Result<Page<String>> {
    let filters = [import.into()];
    let page = Page::read_sorted(tx, &ERRORS, BY_POSITION, owner.into(), &filters, start, limit);
    page.await?.try_map(|mut row| row.text(1))
}

fn list(references: &BTreeSet<&str>) -> Value {
    Value::Text(serde_json::Value::from_iter(references.iter().copied()).to_string())
}

/// Returns those of the references that the import has read before.
pub async fn seen_references(
    tx: &mut Tx<'_>,
    owner: Owner,
    import: Id<Import>,
    references: &BTreeSet<&str>,
) -> Result<BTreeSet<String>> {
    let rows = tx.all(&SEEN, &[owner.into(), import.into(), list(references)]).await?;
    rows.into_iter().map(|mut row| row.text(0)).collect()
}

/// Records that the import has read these references.
pub async fn insert_references(
    tx: &mut Tx<'_>,
    owner: Owner,
    import: Id<Import>,
    references: &BTreeSet<&str>,
) -> Result<()> {
    tx.send(&INSERT_REFERENCES, &[owner.into(), import.into(), list(references)]).await
}

/// Deletes some references of an import that has ended. Returns how many.
pub async fn delete_references(tx: &mut Tx<'_>, owner: Owner, import: Id<Import>, limit: i64) -> Result<u64> {
    tx.execute(&DELETE_REFERENCES, &[owner.into(), import.into(), limit.into()]).await
}

/// Spans organisations: deletes errors of imports that ended before the moment.
pub async fn delete_errors(tx: &mut Tx<'_>, before: Timestamp, limit: i64) -> Result<u64> {
    tx.execute(&DELETE_ERRORS, &[before.into(), limit.into()]).await
}

/// Spans organisations: deletes refused rows of imports that ended before the moment.
pub async fn delete_rows(tx: &mut Tx<'_>, before: Timestamp, limit: i64) -> Result<u64> {
    tx.execute(&DELETE_ROWS, &[before.into(), limit.into()]).await
}
