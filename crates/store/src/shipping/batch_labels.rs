//! Label jobs of batches. One node at a time works on each.

use model::shipping::shipment::LabelFormat;
use model::{Batch, Document, Error, Id, Owner, Result, Shipment, Timestamp};

use crate::platform::engine::{Row, Sql, Tx, Value, taken};
use crate::platform::suspects::{OTHERS, SUSPECTS};

macro_rules! columns {
    () => {
        "owner, batch_id, format, document_id, state, made_to, labels_count, told_at, fence, failures, created_at, refused, crashes, \
         set_aside_at"
    };
}

const GET: Sql = Sql::same(concat!(
    "SELECT ",
    columns!(),
    " FROM batch_labels WHERE owner = $1 AND batch_id = $2 AND format = $3"
));
/// If the job exists already, nothing changes.
const BEGIN: Sql = Sql::same(
    "INSERT INTO batch_labels (owner, batch_id, format, document_id, state, told_at, due_at, created_at,
     updated_at) VALUES ($1, $2, $3, $4, 'making', $5, $5, $5, $5) ON CONFLICT (owner, batch_id, format) DO NOTHING",
);
/// Restarts a job that was refused or set aside.
const RETRY: Sql = Sql::same(
    "UPDATE batch_labels SET state = 'making', made_to = '', labels_count = 0, refused = '[]', due_at = $1, updated_at = $1,
     created_at = $1, set_aside_at = NULL WHERE owner = $2 AND batch_id = $3 AND format = $4
     AND (state = 'refused' OR set_aside_at IS NOT NULL)",
);
/// Spans organisations.
const ANY_DUE: Sql = Sql::same(
    "SELECT fence FROM batch_labels WHERE due_at <= $1 AND crashes = 0
     AND holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $1) LIMIT 1",
);
/// Spans organisations. `$3` is 1 to claim suspects, and 0 to claim everything else.
const CLAIM: Sql = Sql::each(
    concat!(
        "UPDATE batch_labels SET ",
        taken!(),
        " WHERE (owner, batch_id, format) IN (
             SELECT l.owner, l.batch_id, l.format FROM batch_labels l WHERE l.due_at <= $2 AND (l.crashes > 0) = ($3 = 1)
             AND l.holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $2)
             ORDER BY l.due_at LIMIT $4)
         RETURNING ",
        columns!()
    ),
    concat!(
        "UPDATE batch_labels SET ",
        taken!(),
        " WHERE ctid = ANY (ARRAY(
             SELECT l.ctid FROM batch_labels l
             WHERE l.due_at <= $2 AND (l.crashes > 0) = ($3::bigint = 1)
             AND l.holder NOT IN (SELECT n.id FROM node n WHERE n.owner = '*' AND n.alive_until > $2)
             ORDER BY l.due_at LIMIT $4 FOR UPDATE OF l SKIP LOCKED))
         RETURNING ",
        columns!()
    ),
);
/// Only the node that holds the job may record.
const RECORD: Sql = Sql::same(
    "UPDATE batch_labels SET state = $1, made_to = $2, labels_count = $3, told_at = $4, updated_at = $5,
     refused = $6, crashes = 0 WHERE owner = $7 AND batch_id = $8 AND format = $9 AND fence = $10 AND holder <> ''",
);
const LET_GO: Sql = Sql::same(
    "UPDATE batch_labels SET holder = '', crashes = 0, due_at = $1, failures = $2
     WHERE owner = $3 AND batch_id = $4 AND format = $5 AND fence = $6 AND holder <> ''",
);
const SET_ASIDE: Sql = Sql::same(
    "UPDATE batch_labels SET holder = '', crashes = 0, due_at = NULL, set_aside_at = $1
     WHERE owner = $2 AND batch_id = $3 AND format = $4 AND fence = $5 AND holder <> ''",
);
const BOUGHT: Sql = Sql::same(
    "SELECT id FROM shipment WHERE owner = $1 AND batch_id = $2 AND id > $3 AND status = 'purchased' ORDER BY id LIMIT $4",
);

pub(crate) const STATEMENTS: &[&Sql] =
    &[&GET, &BEGIN, &RETRY, &ANY_DUE, &CLAIM, &RECORD, &LET_GO, &SET_ASIDE, &BOUGHT];

/// The state of a label job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Labels of each shipment are being made in the batch's format.
    Making,
    /// Labels are being merged into one file.
    Merging,
    Made,
    /// Some labels can't be made in the format.
    Refused,
}

impl State {
    const ALL: [State; 4] = [State::Making, State::Merging, State::Made, State::Refused];

    pub fn as_str(self) -> &'static str {
        match self {
            State::Making => "making",
            State::Merging => "merging",
            State::Made => "made",
            State::Refused => "refused",
        }
    }
}

/// A label job of a batch.
#[derive(Clone, Debug)]
pub struct Work {
    pub owner: Owner,
    pub batch: Id<Batch>,
    pub format: LabelFormat,
    /// The document of the merged file.
    pub document: Id<Document>,
    pub state: State,
    /// The last shipment up to which all have their labels. Empty if none has.
    pub made_to: String,
    /// Labels that exist in the batch's format.
    pub labels: i64,
    /// When the last event about its progress was written.
    pub told_at: Timestamp,
    pub fence: i64,
    pub failures: i64,
    pub created_at: Timestamp,
    /// Shipments whose labels can't be made in the format. If there are many, only the first.
    pub refused: Vec<Id<Shipment>>,
    /// The number of servers in a row that stopped while they held it.
    pub crashes: i64,
    /// When it was set aside, because several servers in a row stopped while they held it.
    pub set_aside_at: Option<Timestamp>,
}

/// Returns the label job of a batch in one format.
pub async fn get(
    tx: &mut Tx<'_>,
    owner: Owner,
    batch: Id<Batch>,
    format: LabelFormat,
) -> Result<Option<Work>> {
    tx.one(&GET, &[owner.into(), batch.into(), format.as_str().into()]).await?.map(read).transpose()
}

/// Inserts a label job. If it exists already, nothing changes.
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

/// Restarts a job that was refused or set aside.
pub async fn retry(
    tx: &mut Tx<'_>,
    owner: Owner,
    batch: Id<Batch>,
    format: LabelFormat,
    now: Timestamp,
) -> Result<()> {
    tx.send(&RETRY, &[now.into(), owner.into(), batch.into(), format.as_str().into()]).await
}

/// Returns whether there is due work that no live node holds.
pub async fn any_due(tx: &mut Tx<'_>, now: Timestamp) -> Result<bool> {
    Ok(tx.one(&ANY_DUE, &[now.into()]).await?.is_some())
}

/// Spans organisations: claims due jobs.
pub async fn claim(tx: &mut Tx<'_>, node: &str, now: Timestamp, limit: usize) -> Result<Vec<Work>> {
    let rows = tx.all(&CLAIM, &[node.into(), now.into(), OTHERS, Value::Int(limit as i64)]).await?;
    rows.into_iter().map(read).collect()
}

/// Claims the suspect that has been due for the longest. The node resumes it while it does no other work.
pub async fn claim_suspect(tx: &mut Tx<'_>, node: &str, now: Timestamp) -> Result<Option<Work>> {
    tx.one(&CLAIM, &[node.into(), now.into(), SUSPECTS, Value::Int(1)]).await?.map(read).transpose()
}

/// Records the progress of a job. Returns false, and writes nothing, if the node no longer holds it.
pub async fn record(tx: &mut Tx<'_>, work: &Work, now: Timestamp) -> Result<bool> {
    let refused: Vec<String> = work.refused.iter().map(ToString::to_string).collect();
    let values = [
        work.state.as_str().into(),
        work.made_to.as_str().into(),
        work.labels.into(),
        work.told_at.into(),
        now.into(),
        Value::Text(serde_json::Value::from(refused).to_string()),
        work.owner.into(),
        work.batch.into(),
        work.format.as_str().into(),
        work.fence.into(),
    ];
    Ok(tx.execute(&RECORD, &values).await? > 0)
}

/// Releases the claim until the job is due again, or for good if `due_at` is `None`.
pub async fn let_go(tx: &mut Tx<'_>, work: &Work, due_at: Option<Timestamp>) -> Result<()> {
    let values = [
        due_at.into(),
        work.failures.into(),
        work.owner.into(),
        work.batch.into(),
        work.format.as_str().into(),
        work.fence.into(),
    ];
    tx.send(&LET_GO, &values).await
}

/// Sets the job aside, because several servers in a row stopped while they held it. It is not due again until a
/// person asks for it.
pub async fn set_aside(tx: &mut Tx<'_>, work: &Work, now: Timestamp) -> Result<()> {
    let values =
        [now.into(), work.owner.into(), work.batch.into(), work.format.as_str().into(), work.fence.into()];
    tx.send(&SET_ASIDE, &values).await
}

/// Returns the next shipments of a batch after this id that are bought and not voided, oldest first.
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
        refused: serde_json::from_str(&row.text(11)?).map_err(Error::fault)?,
        crashes: row.int(12)?,
        set_aside_at: row.moment_or_null(13)?,
    })
}
