//! Announcements of the installation's operators to all users, numbered from one.

use model::{Result, Timestamp};

use crate::events::events::Span;
use crate::platform::engine::{Row, Sql, Tx};
use crate::platform::installation::INSTALLATION;

/// The next number is computed from the last: announcements are few and written by hand. If two are written at once,
/// one fails and can be repeated.
const INSERT: Sql = Sql::same(
    "INSERT INTO announcement (owner, sequence, created_at, doc)
     SELECT $1, coalesce(max(sequence), 0) + 1, $2, $3 FROM announcement WHERE owner = $1
     RETURNING sequence",
);
const SPAN: Sql = Sql::same("SELECT min(sequence), max(sequence) FROM announcement WHERE owner = $1");
const AFTER: Sql = Sql::same(
    "SELECT sequence, doc FROM announcement WHERE owner = $1 AND sequence > $2 ORDER BY sequence LIMIT $3",
);
const BEFORE: Sql = Sql::same(
    "SELECT sequence, doc FROM announcement WHERE owner = $1 AND sequence < $2 ORDER BY sequence DESC LIMIT $3",
);

pub(crate) const STATEMENTS: &[&Sql] = &[&INSERT, &SPAN, &AFTER, &BEFORE];

/// A stored announcement.
pub struct Announced {
    pub sequence: i64,
    pub doc: String,
}

/// Inserts an announcement and returns its number.
pub async fn insert(tx: &mut Tx<'_>, doc: &str, now: Timestamp) -> Result<i64> {
    let row = tx.one(&INSERT, &[INSTALLATION.into(), now.into(), doc.into()]).await?;
    row.map_or(Ok(0), |mut row| row.int(0))
}

/// Returns the first and the last number in use.
pub async fn span(tx: &mut Tx<'_>) -> Result<Span> {
    let row = tx.one(&SPAN, &[INSTALLATION.into()]).await?;
    row.map_or(Ok(Span { oldest: None, newest: 0 }), |mut row| {
        Ok(Span { oldest: row.int_or_null(0)?, newest: row.int_or_null(1)?.unwrap_or(0) })
    })
}

/// Returns the announcements after a number, oldest first.
pub async fn after(tx: &mut Tx<'_>, sequence: i64, limit: usize) -> Result<Vec<Announced>> {
    let rows = tx.all(&AFTER, &[INSTALLATION.into(), sequence.into(), (limit as i64).into()]).await?;
    rows.into_iter().map(read).collect()
}

/// Returns the announcements before a number, newest first.
pub async fn before(tx: &mut Tx<'_>, sequence: i64, limit: usize) -> Result<Vec<Announced>> {
    let rows = tx.all(&BEFORE, &[INSTALLATION.into(), sequence.into(), (limit as i64).into()]).await?;
    rows.into_iter().map(read).collect()
}

fn read(mut row: Row) -> Result<Announced> {
    Ok(Announced { sequence: row.int(0)?, doc: row.text(1)? })
}
