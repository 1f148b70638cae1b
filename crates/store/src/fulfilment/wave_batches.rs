//! The batches that waves have made.

use model::fulfilment::wave::Wave;
use model::{Batch, Id, Owner, Result, Timestamp};

use crate::platform::engine::{Sql, Tx};

const INSERT: Sql =
    Sql::same("INSERT INTO wave_batch (owner, wave_id, batch_id, group_key) VALUES ($1, $2, $3, $4)");
/// Ids sort by age, so the last one was made last.
const OF_GROUP: Sql = Sql::same(
    "SELECT batch_id, is_begun FROM wave_batch WHERE owner = $1 AND wave_id = $2 AND group_key = $3 ORDER BY batch_id",
);
const TO_BEGIN: Sql = Sql::same(
    "SELECT batch_id FROM wave_batch WHERE owner = $1 AND wave_id = $2 AND is_begun = 0 ORDER BY batch_id",
);
const BEGIN: Sql = Sql::same(
    "UPDATE wave_batch SET is_begun = 1 WHERE owner = $1 AND wave_id = $2 AND batch_id = $3 AND is_begun = 0",
);
/// Spans organisations.
const DELETE_ENDED: Sql = Sql::each(
    "DELETE FROM wave_batch WHERE (owner, wave_id, batch_id) IN (
         SELECT b.owner, b.wave_id, b.batch_id FROM wave w CROSS JOIN wave_batch b
         WHERE w.ended_at < $1 AND b.owner = w.owner AND b.wave_id = w.id ORDER BY w.ended_at LIMIT $2)",
    "DELETE FROM wave_batch WHERE ctid = ANY (ARRAY(
         SELECT b.ctid FROM wave w CROSS JOIN LATERAL (
             SELECT ctid FROM wave_batch WHERE owner = w.owner AND wave_id = w.id LIMIT $2) b
         WHERE w.ended_at < $1 ORDER BY w.ended_at LIMIT $2))",
);

pub(crate) const STATEMENTS: &[&Sql] = &[&INSERT, &OF_GROUP, &TO_BEGIN, &BEGIN, &DELETE_ENDED];

/// A batch of a group, and whether the wave has had it bought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroupBatch {
    pub batch: Id<Batch>,
    pub is_begun: bool,
}

pub async fn insert(
    tx: &mut Tx<'_>,
    owner: Owner,
    wave: Id<Wave>,
    batch: Id<Batch>,
    group_key: &str,
) -> Result<()> {
    tx.send(&INSERT, &[owner.into(), wave.into(), batch.into(), group_key.into()]).await
}

/// Returns the batches of a group, oldest first.
pub async fn of_group(
    tx: &mut Tx<'_>,
    owner: Owner,
    wave: Id<Wave>,
    group_key: &str,
) -> Result<Vec<GroupBatch>> {
    let rows = tx.all(&OF_GROUP, &[owner.into(), wave.into(), group_key.into()]).await?;
    rows.into_iter().map(|mut row| Ok(GroupBatch { batch: row.id(0)?, is_begun: row.int(1)? == 1 })).collect()
}

/// Returns the batches that the wave has not had bought yet, oldest first.
pub async fn to_begin(tx: &mut Tx<'_>, owner: Owner, wave: Id<Wave>) -> Result<Vec<Id<Batch>>> {
    let rows = tx.all(&TO_BEGIN, &[owner.into(), wave.into()]).await?;
    rows.into_iter().map(|mut row| row.id(0)).collect()
}

/// Records that the wave has a batch bought. Returns false if that is recorded already.
pub async fn begin(tx: &mut Tx<'_>, owner: Owner, wave: Id<Wave>, batch: Id<Batch>) -> Result<bool> {
    Ok(tx.execute(&BEGIN, &[owner.into(), wave.into(), batch.into()]).await? == 1)
}

/// Spans organisations: deletes rows of waves that ended before the moment. The batches stay.
pub async fn delete_ended(tx: &mut Tx<'_>, before: Timestamp, limit: i64) -> Result<u64> {
    tx.execute(&DELETE_ENDED, &[before.into(), limit.into()]).await
}
