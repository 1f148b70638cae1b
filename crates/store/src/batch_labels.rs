//! Labels of batches: the work on them, which one node at a time does.

use model::shipment::LabelFormat;
use model::{Batch, Document, Error, Id, Owner, Result, Shipment, Timestamp};

use crate::engine::{Row, Sql, Tx, Value};

macro_rules! columns {
    () => {
        "owner, batch_id, format, document_id, state, made_to, labels_count, told_at, fence, failures, created_at"
    };
}

const GET: Sql =
    Sql::same(concat!("SELECT ", columns!(), " FROM batch_labels WHERE owner = $1 AND batch_id = $2"));
/// What was asked for before stays as it is.
const BEGIN: Sql = Sql::same(
    "INSERT INTO batch_labels (owner, batch_id, format, document_id, state, told_at, due_at, created_at,
     updated_at) VALUES ($1, $2, $3, $4, 'making', $5, $5, $5, $5) ON CONFLICT (owner, batch_id) DO NOTHING",
);
/// Spans organisations.
const ANY_DUE: Sql = Sql::same(
    "SELECT fence FROM batch_labels WHERE due_at <= $1
     AND holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $1) LIMIT 1",
);
/// Spans organisations.
const CLAIM: Sql = Sql::each(
    concat!(
        "UPDATE batch_labels SET holder = $1, fence = fence + 1
         WHERE (owner, batch_id) IN (
             SELECT l.owner, l.batch_id FROM batch_labels l WHERE l.due_at <= $2
             AND l.holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $2)
             ORDER BY l.due_at LIMIT $3)
         RETURNING ",
        columns!()
    ),
    concat!(
        "UPDATE batch_labels SET holder = $1, fence = batch_labels.fence + 1
         FROM (
             SELECT l.owner AS due_owner, l.batch_id AS due_id FROM batch_labels l WHERE l.due_at <= $2
             AND l.holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $2)
             ORDER BY l.due_at LIMIT $3 FOR UPDATE OF l SKIP LOCKED) due
         WHERE batch_labels.owner = due_owner AND batch_labels.batch_id = due_id
         RETURNING ",
        columns!()
    ),
);
/// Only by whoever holds it.
const RECORD: Sql = Sql::same(
    "UPDATE batch_labels SET state = $1, made_to = $2, labels_count = $3, told_at = $4, updated_at = $5
     WHERE owner = $6 AND batch_id = $7 AND fence = $8 AND holder <> ''",
);
const LET_GO: Sql = Sql::same(
    "UPDATE batch_labels SET holder = '', due_at = $1, failures = $2
     WHERE owner = $3 AND batch_id = $4 AND fence = $5 AND holder <> ''",
);
const BOUGHT: Sql = Sql::same(
    "SELECT id FROM shipment WHERE owner = $1 AND batch_id = $2 AND id > $3 AND status = 'purchased' ORDER BY id LIMIT $4",
);

pub(crate) const STATEMENTS: &[&Sql] = &[&GET, &BEGIN, &ANY_DUE, &CLAIM, &RECORD, &LET_GO, &BOUGHT];

/// How far the labels of a batch have come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Each shipment gets its labels in the batch's format.
    Making,
    /// They are put into one file.
    Merging,
    Made,
}

impl State {
    const ALL: [State; 3] = [State::Making, State::Merging, State::Made];

    pub fn as_str(self) -> &'static str {
        match self {
            State::Making => "making",
            State::Merging => "merging",
            State::Made => "made",
        }
    }
}

/// The work on the labels of a batch.
#[derive(Clone, Debug)]
pub struct Work {
    pub owner: Owner,
    pub batch: Id<Batch>,
    pub format: LabelFormat,
    /// The file with all of them.
    pub document: Id<Document>,
    pub state: State,
    /// The last shipment up to which all have their labels; an empty text where none is.
    pub made_to: String,
    /// Labels in the batch's format, so far.
    pub labels: i64,
    /// When its progress was last told of.
    pub told_at: Timestamp,
    pub fence: i64,
    pub failures: i64,
    pub created_at: Timestamp,
}

pub async fn get(tx: &mut Tx<'_>, owner: Owner, batch: Id<Batch>) -> Result<Option<Work>> {
    tx.one(&GET, &[owner.into(), batch.into()]).await?.map(read).transpose()
}

/// Writes down that a batch's labels are wanted; where they were before, nothing changes.
pub async fn begin(
    tx: &mut Tx<'_>,
    owner: Owner,
    batch: Id<Batch>,
    format: LabelFormat,
    document: Id<Document>,
    now: Timestamp,
) -> Result<()> {
    let values = [owner.into(), batch.into(), format.as_str().into(), document.into(), now.into()];
    tx.send(&BEGIN, &values).await
}

/// Whether there is anything to do that no living node is at.
pub async fn any_due(tx: &mut Tx<'_>, now: Timestamp) -> Result<bool> {
    Ok(tx.one(&ANY_DUE, &[now.into()]).await?.is_some())
}

/// Takes what is due, of whichever organisation.
pub async fn claim(tx: &mut Tx<'_>, node: &str, now: Timestamp, limit: usize) -> Result<Vec<Work>> {
    let rows = tx.all(&CLAIM, &[node.into(), now.into(), Value::Int(limit as i64)]).await?;
    rows.into_iter().map(read).collect()
}

/// Writes down how far it has come; false where it is no longer held, and nothing may be written.
pub async fn record(tx: &mut Tx<'_>, work: &Work, now: Timestamp) -> Result<bool> {
    let values = [
        work.state.as_str().into(),
        work.made_to.as_str().into(),
        work.labels.into(),
        work.told_at.into(),
        now.into(),
        work.owner.into(),
        work.batch.into(),
        work.fence.into(),
    ];
    Ok(tx.execute(&RECORD, &values).await? > 0)
}

/// Lets go of it until it is due again; for good where it never is.
pub async fn let_go(tx: &mut Tx<'_>, work: &Work, due_at: Option<Timestamp>) -> Result<()> {
    let values =
        [due_at.into(), work.failures.into(), work.owner.into(), work.batch.into(), work.fence.into()];
    tx.send(&LET_GO, &values).await
}

/// The next shipments of a batch that are bought, and not taken back, after this id, oldest first.
pub async fn bought(
    tx: &mut Tx<'_>,
    owner: Owner,
    batch: Id<Batch>,
    after: &str,
    limit: usize,
) -> Result<Vec<Id<Shipment>>> {
    let values = [owner.into(), batch.into(), after.into(), Value::Int(limit as i64)];
    tx.all(&BOUGHT, &values).await?.into_iter().map(|mut row| row.id(0)).collect()
}

fn read(mut row: Row) -> Result<Work> {
    let (format, state) = (row.text(2)?, row.text(4)?);
    Ok(Work {
        owner: row.owner(0)?,
        batch: row.id(1)?,
        format: LabelFormat::parse(&format)
            .ok_or_else(|| Error::fault(format!("{format:?} is no format of labels")))?,
        document: row.id(3)?,
        state: State::ALL
            .into_iter()
            .find(|known| known.as_str() == state)
            .ok_or_else(|| Error::fault("labels of a batch have no known state"))?,
        made_to: row.text(5)?,
        labels: row.int(6)?,
        told_at: row.moment(7)?,
        fence: row.int(8)?,
        failures: row.int(9)?,
        created_at: row.moment(10)?,
    })
}
