//! The orders of waves, by their turns, and what came of each.

use model::fulfilment::wave::{OrderResult, Step, Wave, WaveException, WaveOrder};
use model::platform::id::ShipmentKind;
use model::{Error, Id, Order, Owner, Result, Shipment, Timestamp};

use crate::fulfilment::waves::WaveClaim;
use crate::platform::engine::{Row, Sql, Tx, Value};
use crate::platform::page::{Keys, Order as ListOrder, Page, PageSql, Sorting, Start};

/// Oldest turn first.
const BY_POSITION: Sorting = Sorting { keys: Keys::Number, order: ListOrder::OldestFirst };

/// `$3` lists positions and orders as JSON. Leaves out orders that wait in another wave.
const INSERT: Sql = Sql::each(
    "INSERT INTO wave_order (owner, wave_id, position, order_id, result)
     SELECT $1, $2, json_extract(value, '$[0]'), json_extract(value, '$[1]'), 'pending' FROM json_each($3) WHERE true
     ON CONFLICT (owner, order_id) WHERE result = 'pending' DO NOTHING RETURNING position",
    "INSERT INTO wave_order (owner, wave_id, position, order_id, result)
     SELECT $1, $2, (value ->> 0)::bigint, value ->> 1, 'pending' FROM jsonb_array_elements($3::text::jsonb)
     ON CONFLICT (owner, order_id) WHERE result = 'pending' DO NOTHING RETURNING position",
);
const INSERT_EXCEPTION: Sql = Sql::same(
    "INSERT INTO wave_order (owner, wave_id, position, order_id, result, code, message)
     VALUES ($1, $2, $3, $4, 'exception', $5, $6)",
);
const NEXT: Sql = Sql::same(
    "SELECT position, order_id, step, shipment_ids FROM wave_order
     WHERE owner = $1 AND wave_id = $2 AND result = 'pending' AND position > $3 ORDER BY position LIMIT $4",
);
const ADVANCE: Sql = Sql::same(
    "UPDATE wave_order SET step = $1, shipment_ids = $2
     WHERE owner = $3 AND wave_id = $4 AND position = $5 AND result = 'pending' AND step = $6
     AND (SELECT w.fence FROM wave w WHERE w.owner = $3 AND w.id = $4) = $7",
);
const FINISH: Sql = Sql::same(
    "UPDATE wave_order SET result = $1, code = $2, message = $3
     WHERE owner = $4 AND wave_id = $5 AND position = $6 AND result = 'pending'",
);
const CANCEL: Sql = Sql::each(
    "UPDATE wave_order SET result = 'cancelled' WHERE (owner, wave_id, position) IN (
         SELECT owner, wave_id, position FROM wave_order
         WHERE owner = $1 AND wave_id = $2 AND result = 'pending' ORDER BY position LIMIT $3)",
    "UPDATE wave_order SET result = 'cancelled' WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM wave_order
         WHERE owner = $1 AND wave_id = $2 AND result = 'pending' ORDER BY position LIMIT $3 FOR UPDATE))",
);
/// What was planned may have changed since, so planning begins again. Shipments that were made stay, unless they are no longer
/// what the wave made.
const RETRY: Sql = Sql::same(
    "UPDATE wave_order SET result = 'pending', code = NULL, message = NULL,
     step = CASE WHEN step = 'plan' OR code = 'shipment_changed' THEN '' ELSE step END
     WHERE owner = $1 AND wave_id = $2 AND result = 'exception' AND NOT EXISTS (
         SELECT 1 FROM wave_order o
         WHERE o.owner = $1 AND o.order_id = wave_order.order_id AND o.result = 'pending')",
);
const STILL_REFUSED: Sql = Sql::same(
    "UPDATE wave_order SET code = $1, message = $2 WHERE owner = $3 AND wave_id = $4 AND result = 'exception'",
);
const DONE_PART: Sql = Sql::same(
    "SELECT shipment_ids FROM wave_order
     WHERE owner = $1 AND wave_id = $2 AND result = 'done' ORDER BY position LIMIT $3 OFFSET $4",
);
/// Spans organisations.
const DELETE_ENDED: Sql = Sql::each(
    "DELETE FROM wave_order WHERE (owner, wave_id, position) IN (
         SELECT o.owner, o.wave_id, o.position FROM wave w CROSS JOIN wave_order o
         WHERE w.ended_at < $1 AND o.owner = w.owner AND o.wave_id = w.id ORDER BY w.ended_at LIMIT $2)",
    "DELETE FROM wave_order WHERE ctid = ANY (ARRAY(
         SELECT o.ctid FROM wave w CROSS JOIN LATERAL (
             SELECT ctid FROM wave_order WHERE owner = w.owner AND wave_id = w.id LIMIT $2) o
         WHERE w.ended_at < $1 ORDER BY w.ended_at LIMIT $2))",
);
const ALL: PageSql = PageSql {
    older: Sql::same(
        "SELECT w.position, w.order_id, o.reference, w.result, w.step, w.code, w.message, w.shipment_ids
         FROM wave_order w LEFT JOIN orders o ON o.owner = $1 AND o.id = w.order_id
         WHERE w.owner = $1 AND w.position < $2 AND w.wave_id = $3 ORDER BY w.position DESC LIMIT $4",
    ),
    newer: Sql::same(
        "SELECT w.position, w.order_id, o.reference, w.result, w.step, w.code, w.message, w.shipment_ids
         FROM wave_order w LEFT JOIN orders o ON o.owner = $1 AND o.id = w.order_id
         WHERE w.owner = $1 AND w.position > $2 AND w.wave_id = $3 ORDER BY w.position LIMIT $4",
    ),
};
const OF_RESULT: PageSql = PageSql {
    older: Sql::same(
        "SELECT w.position, w.order_id, o.reference, w.result, w.step, w.code, w.message, w.shipment_ids
         FROM wave_order w LEFT JOIN orders o ON o.owner = $1 AND o.id = w.order_id
         WHERE w.owner = $1 AND w.position < $2 AND w.wave_id = $3 AND w.result = $4
         ORDER BY w.position DESC LIMIT $5",
    ),
    newer: Sql::same(
        "SELECT w.position, w.order_id, o.reference, w.result, w.step, w.code, w.message, w.shipment_ids
         FROM wave_order w LEFT JOIN orders o ON o.owner = $1 AND o.id = w.order_id
         WHERE w.owner = $1 AND w.position > $2 AND w.wave_id = $3 AND w.result = $4
         ORDER BY w.position LIMIT $5",
    ),
};

pub(crate) const STATEMENTS: &[&Sql] = &[
    &INSERT,
    &INSERT_EXCEPTION,
    &NEXT,
    &ADVANCE,
    &FINISH,
    &CANCEL,
    &RETRY,
    &STILL_REFUSED,
    &DONE_PART,
    &DELETE_ENDED,
    &ALL.older,
    &ALL.newer,
    &OF_RESULT.older,
    &OF_RESULT.newer,
];

/// An order whose turn it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingOrder {
    pub position: i64,
    pub order: Id<Order>,
    /// The last step that was done for it.
    pub step: Option<Step>,
    /// The shipments that the wave made from it.
    pub shipments: Vec<Id<Shipment>>,
}

/// Inserts orders that wait, with their positions, and returns the positions of those that were inserted. Orders that wait in
/// another wave are left out.
pub async fn insert(
    tx: &mut Tx<'_>,
    owner: Owner,
    wave: Id<Wave>,
    orders: &[(i64, Id<Order>)],
) -> Result<Vec<i64>> {
    let list: Vec<_> = orders.iter().map(|(position, order)| (position, order.to_string())).collect();
    let list = serde_json::to_string(&list).map_err(Error::fault)?;
    let rows = tx.all(&INSERT, &[owner.into(), wave.into(), list.into()]).await?;
    rows.into_iter().map(|mut row| row.int(0)).collect()
}

/// Inserts an order that is not processed, and why.
pub async fn insert_exception(
    tx: &mut Tx<'_>,
    owner: Owner,
    wave: Id<Wave>,
    (position, order): (i64, Id<Order>),
    why: &WaveException,
) -> Result<()> {
    let (code, message) = (why.code.as_str().into(), why.message.as_str().into());
    let values = [owner.into(), wave.into(), position.into(), order.into(), code, message];
    tx.send(&INSERT_EXCEPTION, &values).await
}

/// Returns the orders whose turn it is next, after this position.
pub async fn next(tx: &mut Tx<'_>, claim: &WaveClaim, after: i64, limit: usize) -> Result<Vec<WaitingOrder>> {
    let values = [claim.owner.into(), claim.wave.into(), after.into(), Value::Int(limit as i64)];
    let rows = tx.all(&NEXT, &values).await?;
    rows.into_iter()
        .map(|mut row| {
            Ok(WaitingOrder {
                position: row.int(0)?,
                order: row.id(1)?,
                step: Step::parse(&row.text(2)?),
                shipments: serde_json::from_str(&row.text(3)?).map_err(Error::fault)?,
            })
        })
        .collect()
}

/// Records that a step was done for an order, with its shipments. Returns false, and records nothing, if the claim is lost or the
/// order is no longer where it was: then the transaction must not commit.
pub async fn advance(
    tx: &mut Tx<'_>,
    claim: &WaveClaim,
    waiting: &WaitingOrder,
    step: Step,
    shipments: &[Id<Shipment>],
) -> Result<bool> {
    let values = [
        step.as_str().into(),
        serde_json::to_string(shipments).map_err(Error::fault)?.into(),
        claim.owner.into(),
        claim.wave.into(),
        waiting.position.into(),
        waiting.step.map_or("", Step::as_str).into(),
        claim.fence.into(),
    ];
    Ok(tx.execute(&ADVANCE, &values).await? == 1)
}

/// Records what came of an order. The wave must be locked.
pub async fn finish(
    tx: &mut Tx<'_>,
    claim: &WaveClaim,
    position: i64,
    exception: Option<&WaveException>,
) -> Result<()> {
    let result = if exception.is_some() { OrderResult::Exception } else { OrderResult::Done };
    let values = [
        result.as_str().into(),
        exception.map(|exception| exception.code.as_str()).into(),
        exception.map(|exception| exception.message.as_str()).into(),
        claim.owner.into(),
        claim.wave.into(),
        position.into(),
    ];
    tx.send(&FINISH, &values).await
}

/// Takes some waiting orders out of a wave, and returns how many.
pub async fn cancel(tx: &mut Tx<'_>, owner: Owner, wave: Id<Wave>, limit: usize) -> Result<u64> {
    tx.execute(&CANCEL, &[owner.into(), wave.into(), Value::Int(limit as i64)]).await
}

/// Makes all exceptions of a wave wait again, except those of orders that wait in another wave, and returns how many.
pub async fn retry(tx: &mut Tx<'_>, owner: Owner, wave: Id<Wave>) -> Result<u64> {
    tx.execute(&RETRY, &[owner.into(), wave.into()]).await
}

/// Gives all exceptions of a wave the same reason, and returns how many there are.
pub async fn still_refused(
    tx: &mut Tx<'_>,
    owner: Owner,
    wave: Id<Wave>,
    why: &WaveException,
) -> Result<u64> {
    let values = [why.code.as_str().into(), why.message.as_str().into(), owner.into(), wave.into()];
    tx.execute(&STILL_REFUSED, &values).await
}

/// Returns the shipments of some of the orders that are done, in the order of their turns: of at most `limit` orders, after
/// the first `skipped`.
pub async fn done_part(
    tx: &mut Tx<'_>,
    owner: Owner,
    wave: Id<Wave>,
    limit: usize,
    skipped: usize,
) -> Result<Vec<Id<Shipment>>> {
    let values = [owner.into(), wave.into(), Value::Int(limit as i64), Value::Int(skipped as i64)];
    let mut shipments = Vec::new();
    for mut row in tx.all(&DONE_PART, &values).await? {
        let of_order: Vec<Id<Shipment>> = serde_json::from_str(&row.text(0)?).map_err(Error::fault)?;
        shipments.extend(of_order);
    }
    Ok(shipments)
}

pub async fn page(
    tx: &mut Tx<'_>,
    owner: Owner,
    wave: Id<Wave>,
    result: Option<OrderResult>,
    start: &Start,
    limit: usize,
) -> Result<Page<WaveOrder>> {
    let (sql, filters): (&PageSql, Vec<Value>) = match result {
        None => (&ALL, vec![wave.into()]),
        Some(result) => (&OF_RESULT, vec![wave.into(), result.as_str().into()]),
    };
    Page::read_sorted(tx, sql, BY_POSITION, owner.into(), &filters, start, limit).await?.try_map(shown)
}

/// Spans organisations: deletes orders of waves that ended before the moment.
pub async fn delete_ended(tx: &mut Tx<'_>, before: Timestamp, limit: i64) -> Result<u64> {
    tx.execute(&DELETE_ENDED, &[before.into(), limit.into()]).await
}

fn shown(mut row: Row) -> Result<WaveOrder> {
    let result = OrderResult::parse(&row.text(3)?);
    let shipments: Vec<Id<ShipmentKind>> = serde_json::from_str(&row.text(7)?).map_err(Error::fault)?;
    Ok(WaveOrder {
        position: row.int(0)?,
        order_id: row.id(1)?,
        reference: row.text_or_null(2)?,
        result: result.ok_or_else(|| Error::fault("an order of a wave has no known result"))?,
        step: Step::parse(&row.text(4)?),
        code: row.text_or_null(5)?,
        message: row.text_or_null(6)?,
        shipment_ids: shipments,
    })
}
