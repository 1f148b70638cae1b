//! Print jobs.

use model::fulfilment::print_job::Status;
use model::{Id, Owner, PrintJob, Printer, Result, Timestamp};

use crate::platform::engine::{Row, Sql, Tx, Value};
use crate::platform::page::{Page, PageSql, Start};

const GET: Sql =
    Sql::same("SELECT version, fence, is_begun, doc FROM print_job WHERE owner = $1 AND id = $2");
const INSERT: Sql = Sql::same(
    "INSERT INTO print_job (owner, id, version, printer_id, status, doc) VALUES ($1, $2, 1, $3, $4, $5)",
);
const UPDATE: Sql = Sql::same(
    "UPDATE print_job SET version = version + 1, status = $1, fence = $2, is_begun = $3, ended_at = $4, doc = $5
     WHERE owner = $6 AND id = $7",
);
const BEGUN: Sql = Sql::same("UPDATE print_job SET is_begun = 1 WHERE owner = $1 AND id = $2");
/// Ids sort by age, so the oldest comes first.
const FIRST: Sql = Sql::same(
    "SELECT version, fence, is_begun, doc FROM print_job
     WHERE owner = $1 AND printer_id = $2 AND status = $3 ORDER BY id LIMIT 1",
);
/// Spans organisations.
const DELETE_ENDED: Sql = Sql::each(
    "DELETE FROM print_job WHERE (owner, id) IN (
         SELECT owner, id FROM print_job WHERE ended_at < $1 ORDER BY ended_at LIMIT $2)",
    "DELETE FROM print_job WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM print_job WHERE ended_at < $1 ORDER BY ended_at LIMIT $2))",
);
const ALL: PageSql = PageSql {
    older: Sql::same("SELECT id, doc FROM print_job WHERE owner = $1 AND id < $2 ORDER BY id DESC LIMIT $3"),
    newer: Sql::same("SELECT id, doc FROM print_job WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $3"),
};
const OF_STATUS: PageSql = PageSql {
    older: Sql::same(
        "SELECT id, doc FROM print_job WHERE owner = $1 AND id < $2 AND status = $3 ORDER BY id DESC LIMIT $4",
    ),
    newer: Sql::same(
        "SELECT id, doc FROM print_job WHERE owner = $1 AND id > $2 AND status = $3 ORDER BY id LIMIT $4",
    ),
};
const OF_PRINTER: PageSql = PageSql {
    older: Sql::same(
        "SELECT id, doc FROM print_job WHERE owner = $1 AND id < $2 AND printer_id = $3 ORDER BY id DESC LIMIT $4",
    ),
    newer: Sql::same(
        "SELECT id, doc FROM print_job WHERE owner = $1 AND id > $2 AND printer_id = $3 ORDER BY id LIMIT $4",
    ),
};
const OF_BOTH: PageSql = PageSql {
    older: Sql::same(
        "SELECT id, doc FROM print_job WHERE owner = $1 AND id < $2 AND printer_id = $3 AND status = $4
         ORDER BY id DESC LIMIT $5",
    ),
    newer: Sql::same(
        "SELECT id, doc FROM print_job WHERE owner = $1 AND id > $2 AND printer_id = $3 AND status = $4
         ORDER BY id LIMIT $5",
    ),
};

pub(crate) const STATEMENTS: &[&Sql] = &[
    &GET,
    &INSERT,
    &UPDATE,
    &BEGUN,
    &FIRST,
    &DELETE_ENDED,
    &ALL.older,
    &ALL.newer,
    &OF_STATUS.older,
    &OF_STATUS.newer,
    &OF_PRINTER.older,
    &OF_PRINTER.newer,
    &OF_BOTH.older,
    &OF_BOTH.newer,
];

/// A job's document as the API serves it, and what is kept beside it.
pub struct StoredPrintJob {
    pub version: i64,
    /// The claim under which it was last sent.
    pub fence: i64,
    /// Whether a byte of it may have left under that claim.
    pub is_begun: bool,
    pub doc: String,
}

/// Which jobs a list shows.
#[derive(Clone, Copy, Debug, Default)]
pub struct PrintJobFilter {
    pub status: Option<Status>,
    pub printer: Option<Id<Printer>>,
}

pub async fn get(tx: &mut Tx<'_>, owner: Owner, id: Id<PrintJob>) -> Result<Option<StoredPrintJob>> {
    tx.one(&GET, &[owner.into(), id.into()]).await?.map(read).transpose()
}

/// Returns the oldest job of a printer with this status.
pub async fn first(
    tx: &mut Tx<'_>,
    owner: Owner,
    printer: Id<Printer>,
    status: Status,
) -> Result<Option<StoredPrintJob>> {
    let values = [owner.into(), printer.into(), status.as_str().into()];
    tx.one(&FIRST, &values).await?.map(read).transpose()
}

pub async fn page(
    tx: &mut Tx<'_>,
    owner: Owner,
    filter: PrintJobFilter,
    start: &Start,
    limit: usize,
) -> Result<Page<String>> {
    let (sql, filters): (&PageSql, Vec<Value>) = match (filter.printer, filter.status) {
        (None, None) => (&ALL, Vec::new()),
        (None, Some(status)) => (&OF_STATUS, vec![status.as_str().into()]),
        (Some(printer), None) => (&OF_PRINTER, vec![printer.into()]),
        (Some(printer), Some(status)) => (&OF_BOTH, vec![printer.into(), status.as_str().into()]),
    };
    Page::read(tx, sql, owner.into(), &filters, start, limit).await?.try_map(|mut row| row.text(1))
}

pub async fn insert(tx: &mut Tx<'_>, owner: Owner, job: &PrintJob, doc: &str) -> Result<()> {
    let values = [owner.into(), job.id.into(), job.printer_id.into(), job.status.as_str().into(), doc.into()];
    tx.send(&INSERT, &values).await
}

/// Writes a job that has changed, under the claim that it is sent with. A job that has ended is deleted some time after that.
pub async fn update(
    tx: &mut Tx<'_>,
    owner: Owner,
    job: &PrintJob,
    fence: i64,
    is_begun: bool,
    doc: &str,
) -> Result<()> {
    let ended_at = (!job.status.is_open()).then_some(job.updated_at);
    let values = [
        job.status.as_str().into(),
        fence.into(),
        Value::Int(is_begun.into()),
        ended_at.into(),
        doc.into(),
        owner.into(),
        job.id.into(),
    ];
    tx.send(&UPDATE, &values).await
}

/// Records that a byte of the job may leave from now on.
pub async fn set_begun(tx: &mut Tx<'_>, owner: Owner, id: Id<PrintJob>) -> Result<()> {
    tx.send(&BEGUN, &[owner.into(), id.into()]).await
}

/// Spans organisations: deletes jobs that ended before the moment.
pub async fn delete_ended(tx: &mut Tx<'_>, before: Timestamp, limit: i64) -> Result<u64> {
    tx.execute(&DELETE_ENDED, &[before.into(), limit.into()]).await
}

fn read(mut row: Row) -> Result<StoredPrintJob> {
    Ok(StoredPrintJob {
        version: row.int(0)?,
        fence: row.int(1)?,
        is_begun: row.int(2)? == 1,
        doc: row.text(3)?,
    })
}
