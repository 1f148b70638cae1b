//! The relay: numbers committed events on PostgreSQL, where events are written without a number.
//!
//! The relay looks for events without a number by an index on their positions. PostgreSQL keeps the index entry of an event
//! that got its number for as long as any snapshot is older than that, for example during a `pg_dump`. A look that began at
//! the first position would visit all of these entries, many times a second. So a [`Watermark`] remembers the position below
//! which no event lacks a number, and each look begins there. It is stored, too: a server that starts while such a snapshot is
//! open would else visit all of them, and if there are millions, its looks would time out, one after the other.

mod watermark;

use model::{Owner, Result};

use crate::platform::engine::{Row, Sql, Tx};
use crate::platform::installation;
pub use watermark::Watermark;

/// The name of the watermark in the installation's texts.
const MARK: &str = "relay_watermark";

/// Events that one relay transaction numbers at most.
pub const RELAY_MAX: i64 = 2000;

/// Returns the first position after `$1` without a number, and takes the lock of the relay if there is one, until the
/// transaction ends: only one relay numbers at a time. Also returns the newest position that was drawn, and the era in which
/// positions only grow: a promoted replica or another database may draw lower ones again.
const LOOK: Sql = Sql::each(
    "",
    "SELECT first, CASE WHEN first IS NOT NULL AND pg_try_advisory_xact_lock(4716051120334) THEN 1 ELSE 0 END::bigint,
         coalesce(pg_sequence_last_value('event_position'::regclass), 0),
         pg_postmaster_start_time()::text || ' ' || (SELECT oid FROM pg_database WHERE datname = current_database())
     FROM (SELECT (
         SELECT position FROM event WHERE sequence IS NULL AND position > $1 ORDER BY position LIMIT 1
     ) AS first OFFSET 0) look",
);
/// Spans organisations: numbers the oldest events that have no number yet, and returns how many each owner had, with the last
/// position among all of them. They are found once, and changed where they lie: a plan from the log's first moments would
/// read all of it for every event.
const NUMBER: Sql = Sql::each(
    "",
    "WITH batch AS (
         SELECT owner, ctid AS row, position FROM event WHERE sequence IS NULL AND position > $1
         ORDER BY position LIMIT $2
     ), ready AS (
         SELECT owner, row, row_number() OVER (PARTITION BY owner ORDER BY position) AS place FROM batch
     ), counted AS (
         SELECT owner, max(place) AS amount FROM ready GROUP BY owner
     ), head AS (
         INSERT INTO event_head AS old (owner, sequence) SELECT owner, amount FROM counted
         ON CONFLICT (owner) DO UPDATE SET sequence = old.sequence + excluded.sequence
         RETURNING owner, sequence
     ), numbered AS (
         UPDATE event SET sequence = head.sequence - counted.amount + ready.place
         FROM ready JOIN head USING (owner) JOIN counted USING (owner)
         WHERE event.ctid = ready.row
     )
     SELECT owner, amount, (SELECT max(position) FROM batch) FROM counted",
);
/// The transactions that may have drawn a position and are still open: an INSERT locks the table before it draws, and the lock
/// is released after the commit is visible.
const WRITERS: Sql = Sql::each(
    "",
    "SELECT DISTINCT virtualtransaction FROM pg_locks
     WHERE locktype = 'relation' AND relation = 'event'::regclass AND mode = 'RowExclusiveLock' AND granted
     AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
     AND pid IS DISTINCT FROM pg_backend_pid()",
);

pub(crate) const STATEMENTS: &[&Sql] = &[&LOOK, &NUMBER, &WRITERS];

/// What one relay transaction numbered.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Relayed {
    pub count: u64,
    /// Whose logs have grown, each once.
    pub owners: Vec<Owner>,
}

struct Look {
    has_work: bool,
    is_locked: bool,
    newest: i64,
    era: String,
}

/// Numbers up to [`RELAY_MAX`] committed events; none if another node is numbering. Returns what it numbered, and the watermark
/// for the next call, which holds once this transaction has committed.
pub async fn relay(tx: &mut Tx<'_>, known: &Watermark) -> Result<(Relayed, Watermark)> {
    let mut mark = if *known == Watermark::default() { stored(tx).await? } else { known.clone() };
    let mut relayed = Relayed::default();
    let Some(mut seen) = look(tx, mark.floor()).await? else { return Ok((relayed, mark)) };
    if !mark.holds_in(&seen.era, seen.newest) {
        mark = begin_again(tx, &seen).await?;
        let Some(again) = look(tx, mark.floor()).await? else { return Ok((relayed, mark)) };
        seen = again;
    }
    let floor = mark.floor();
    let mut last = None;
    if seen.is_locked {
        for mut row in tx.all(&NUMBER, &[mark.floor().into(), RELAY_MAX.into()]).await? {
            relayed.owners.push(row.owner(0)?);
            relayed.count += row.int(1)?.unsigned_abs();
            last = Some(row.int(2)?);
        }
    }
    if seen.is_locked || !seen.has_work {
        // A full batch may have left events behind its last one.
        mark.raise(last.filter(|_| relayed.count >= RELAY_MAX.unsigned_abs()));
    }
    if mark.floor() > floor {
        installation::replace(tx, MARK, &mark.to_text()).await?;
    }
    if mark.is_behind(seen.newest) {
        let writers = tx.all(&WRITERS, &[]).await?.into_iter().map(|mut row| row.text(0));
        mark.settle(seen.newest, writers.collect::<Result<_>>()?);
    }
    Ok((relayed, mark))
}

/// Returns the watermark that a relay stored last.
async fn stored(tx: &mut Tx<'_>) -> Result<Watermark> {
    let text = installation::get(tx, MARK).await?;
    Ok(text.as_deref().and_then(Watermark::parse).unwrap_or_default())
}

/// Returns the watermark to go on with after the known one turned out not to hold: the stored one, or else one that knows nothing.
async fn begin_again(tx: &mut Tx<'_>, seen: &Look) -> Result<Watermark> {
    let mark = stored(tx).await?;
    if mark.holds_in(&seen.era, seen.newest) {
        return Ok(mark);
    }
    let mark = Watermark::new(&seen.era);
    // Otherwise the stored one would seem to hold again once as many positions were drawn.
    installation::replace(tx, MARK, &mark.to_text()).await?;
    Ok(mark)
}

async fn look(tx: &mut Tx<'_>, floor: i64) -> Result<Option<Look>> {
    let read = |mut row: Row| {
        Ok(Look {
            has_work: row.int_or_null(0)?.is_some(),
            is_locked: row.int(1)? == 1,
            newest: row.int(2)?,
            era: row.text(3)?,
        })
    };
    tx.one(&LOOK, &[floor.into()]).await?.map(read).transpose()
}
