//! The shipments of manifests.
//!
//! A purchase's row names the manifest that it is in. Manifesting and voiding both lock that row, so they exclude
//! each other. The list of a manifest is a table of its own, because it stays if the carrier rejects the manifest.

use model::{Batch, CarrierAccount, Day, Error, Id, Location, Manifest, Owner, Result, Shipment, Timestamp};

use crate::platform::engine::{Row, Sql, Tx, Value, wanted};

/// Purchases that are in no manifest. The columns by which they are grouped no longer change. Returns are left out:
/// their senders are customers, who hand them over themselves.
const OPEN_OF_LOCATION: Sql = Sql::each(
    "SELECT s.id, p.account_id, s.origin_id, s.origin_version,
         CASE WHEN s.origin_id IS NULL THEN json_extract(s.doc, '$.addresses.origin') END,
         json_extract(s.doc, '$.options.shipping.date'),
         COALESCE(p.sent_at, p.created_at), p.service,
         (SELECT a.carrier FROM carrier_account a WHERE a.owner = p.owner AND a.id = p.account_id), s.packages_count
     FROM purchase p JOIN shipment s ON s.owner = p.owner AND s.id = p.shipment_id
     WHERE p.owner = $1 AND p.state = 'bought' AND p.manifest_id IS NULL AND s.status = 'purchased' AND s.origin_id = $2
     AND json_extract(s.doc, '$.options.shipping.is_return') IS NOT 1
     ORDER BY s.id",
    "SELECT s.id, p.account_id, s.origin_id, s.origin_version,
         CASE WHEN s.origin_id IS NULL THEN s.doc::json #>> '{addresses,origin}' END,
         s.doc::json #>> '{options,shipping,date}',
         COALESCE(p.sent_at, p.created_at), p.service,
         (SELECT a.carrier FROM carrier_account a WHERE a.owner = p.owner AND a.id = p.account_id), s.packages_count
     FROM purchase p JOIN shipment s ON s.owner = p.owner AND s.id = p.shipment_id
     WHERE p.owner = $1 AND p.state = 'bought' AND p.manifest_id IS NULL AND s.status = 'purchased' AND s.origin_id = $2
     AND s.doc::json #>> '{options,shipping,is_return}' IS DISTINCT FROM 'true'
     ORDER BY s.id",
);
const OPEN_OF_BATCH: Sql = Sql::each(
    "SELECT s.id, p.account_id, s.origin_id, s.origin_version,
         CASE WHEN s.origin_id IS NULL THEN json_extract(s.doc, '$.addresses.origin') END,
         json_extract(s.doc, '$.options.shipping.date'),
         COALESCE(p.sent_at, p.created_at), p.service,
         (SELECT a.carrier FROM carrier_account a WHERE a.owner = p.owner AND a.id = p.account_id), s.packages_count
     FROM shipment s JOIN purchase p ON p.owner = s.owner AND p.shipment_id = s.id
     WHERE s.owner = $1 AND s.batch_id = $2 AND p.state = 'bought' AND p.manifest_id IS NULL AND s.status = 'purchased'
     AND json_extract(s.doc, '$.options.shipping.is_return') IS NOT 1
     ORDER BY s.id",
    "SELECT s.id, p.account_id, s.origin_id, s.origin_version,
         CASE WHEN s.origin_id IS NULL THEN s.doc::json #>> '{addresses,origin}' END,
         s.doc::json #>> '{options,shipping,date}',
         COALESCE(p.sent_at, p.created_at), p.service,
         (SELECT a.carrier FROM carrier_account a WHERE a.owner = p.owner AND a.id = p.account_id), s.packages_count
     FROM shipment s CROSS JOIN LATERAL (
         SELECT owner, account_id, sent_at, created_at, service, state, manifest_id FROM purchase
         WHERE owner = s.owner AND shipment_id = s.id OFFSET 0) p
     WHERE s.owner = $1 AND s.batch_id = $2 AND p.state = 'bought' AND p.manifest_id IS NULL AND s.status = 'purchased'
     AND s.doc::json #>> '{options,shipping,is_return}' IS DISTINCT FROM 'true'
     ORDER BY s.id",
);
/// Locks in the order of the keys, so that two transactions never wait for each other in a circle. The list leads,
/// and each of its entries is looked up: with the statistics of a young table, the planner would otherwise read the
/// list again for each purchase. The state is compared after the look-up: with statistics from before a batch was bought, the
/// planner takes an index of bought purchases for an empty one, and reads all of it for each entry.
const HOLD: Sql = Sql::each(
    "",
    concat!(
        "SELECT held.shipment_id FROM ",
        wanted!("$2"),
        " CROSS JOIN LATERAL (
             SELECT shipment_id, state, manifest_id FROM purchase
             WHERE owner = $1 AND shipment_id = wanted.id OFFSET 0 FOR UPDATE) held
         WHERE held.state = 'bought' AND held.manifest_id IS NULL"
    ),
);
const ATTACH: Sql = Sql::each(
    "UPDATE purchase SET manifest_id = $1 WHERE owner = $2 AND shipment_id IN (SELECT value FROM json_each($3))
     AND state = 'bought' AND manifest_id IS NULL",
    "UPDATE purchase SET manifest_id = $1 WHERE ctid = ANY (ARRAY(
         SELECT held.ctid FROM jsonb_array_elements_text($3::text::jsonb) AS wanted (id)
         CROSS JOIN LATERAL (
             SELECT ctid, state, manifest_id FROM purchase
             WHERE owner = $2 AND shipment_id = wanted.id OFFSET 0 FOR UPDATE) held
         WHERE held.state = 'bought' AND held.manifest_id IS NULL))",
);
const LIST_ATTACHED: Sql = Sql::same(
    "INSERT INTO manifest_shipment (owner, manifest_id, shipment_id)
     SELECT owner, manifest_id, shipment_id FROM purchase WHERE owner = $1 AND manifest_id = $2
     ON CONFLICT (owner, manifest_id, shipment_id) DO UPDATE SET is_released = 0",
);
/// A shipment that can't be attached again is in another manifest, or was voided.
const FORGET_RELEASED: Sql =
    Sql::same("DELETE FROM manifest_shipment WHERE owner = $1 AND manifest_id = $2 AND is_released = 1");
const COUNT_PACKAGES: Sql = Sql::each(
    "SELECT count(*), COALESCE(sum(json_array_length(s.doc, '$.packages')), 0)
     FROM manifest_shipment m JOIN shipment s ON s.owner = m.owner AND s.id = m.shipment_id
     WHERE m.owner = $1 AND m.manifest_id = $2",
    "SELECT count(*), COALESCE(sum(json_array_length(s.doc::json -> 'packages')), 0)::bigint
     FROM manifest_shipment m JOIN shipment s ON s.owner = m.owner AND s.id = m.shipment_id
     WHERE m.owner = $1 AND m.manifest_id = $2",
);
const DETACH: Sql = Sql::same("UPDATE purchase SET manifest_id = NULL WHERE owner = $1 AND manifest_id = $2");
const RELEASE: Sql =
    Sql::same("UPDATE manifest_shipment SET is_released = 1 WHERE owner = $1 AND manifest_id = $2");
/// `$2` lists the manifests as JSON.
const SHIPMENTS_OF: Sql = Sql::each(
    "SELECT manifest_id, shipment_id FROM manifest_shipment
     WHERE owner = $1 AND manifest_id IN (SELECT value FROM json_each($2)) ORDER BY manifest_id, shipment_id",
    concat!(
        "SELECT m.manifest_id, m.shipment_id FROM ",
        wanted!("$2"),
        " CROSS JOIN LATERAL (
             SELECT manifest_id, shipment_id FROM manifest_shipment
             WHERE owner = $1 AND manifest_id = wanted.id OFFSET 0) m
         ORDER BY m.manifest_id, m.shipment_id"
    ),
);
const DOCS_OF: Sql = Sql::same(
    "SELECT s.id, s.doc FROM manifest_shipment m JOIN shipment s ON s.owner = m.owner AND s.id = m.shipment_id
     WHERE m.owner = $1 AND m.manifest_id = $2 AND m.shipment_id > $3 ORDER BY m.shipment_id LIMIT $4",
);
/// The carrier's own ids of the shipments of a manifest, and their mailing dates. The plus keeps SQLite from reading all purchases in that order.
const PURCHASES_OF: Sql = Sql::each(
    "SELECT json_extract(receipt, '$.purchase'), ship_on FROM purchase WHERE owner = $1 AND manifest_id = $2 ORDER BY +shipment_id",
    "SELECT receipt::json ->> 'purchase', ship_on FROM purchase WHERE owner = $1 AND manifest_id = $2 ORDER BY shipment_id",
);
const HOLDS: Sql = Sql::same(
    "SELECT manifest_id FROM manifest_shipment WHERE owner = $1 AND shipment_id = $2 AND is_released = 0 LIMIT 1",
);
/// SQLite executes a cross join in the written order, and the plus keeps it from reading the shipments of all batches.
const BATCHES_OF: Sql = Sql::each(
    "SELECT DISTINCT s.batch_id FROM manifest_shipment m
     CROSS JOIN shipment s ON s.owner = m.owner AND s.id = m.shipment_id
     WHERE m.owner = $1 AND m.manifest_id = $2 AND +s.batch_id IS NOT NULL ORDER BY 1",
    "SELECT DISTINCT s.batch_id FROM manifest_shipment m
     JOIN shipment s ON s.owner = m.owner AND s.id = m.shipment_id
     WHERE m.owner = $1 AND m.manifest_id = $2 AND s.batch_id IS NOT NULL ORDER BY s.batch_id",
);
/// Purchases of a finalised batch that are in no manifest that a carrier accepted.
const LEFT_OF_BATCH: Sql = Sql::each(
    "SELECT s.id FROM shipment s WHERE s.owner = $1 AND s.batch_id = $2 AND s.status = 'purchased'
     AND json_extract(s.doc, '$.options.shipping.is_return') IS NOT 1
     AND NOT EXISTS (
         SELECT 1 FROM manifest_shipment l JOIN manifest m ON m.owner = l.owner AND m.id = l.manifest_id
         WHERE l.owner = s.owner AND l.shipment_id = s.id AND l.is_released = 0 AND m.status = 'created')
     LIMIT 1",
    "SELECT s.id FROM shipment s
     LEFT JOIN LATERAL (
         SELECT m.id FROM manifest_shipment l JOIN manifest m ON m.owner = l.owner AND m.id = l.manifest_id
         WHERE l.owner = $1 AND l.shipment_id = s.id AND l.is_released = 0 AND m.status = 'created' LIMIT 1) taken ON true
     WHERE s.owner = $1 AND s.batch_id = $2 AND s.status = 'purchased' AND taken.id IS NULL
     AND s.doc::json #>> '{options,shipping,is_return}' IS DISTINCT FROM 'true'
     LIMIT 1",
);

pub(crate) const STATEMENTS: &[&Sql] = &[
    &OPEN_OF_LOCATION,
    &OPEN_OF_BATCH,
    &HOLD,
    &ATTACH,
    &LIST_ATTACHED,
    &FORGET_RELEASED,
    &COUNT_PACKAGES,
    &DETACH,
    &RELEASE,
    &SHIPMENTS_OF,
    &DOCS_OF,
    &PURCHASES_OF,
    &HOLDS,
    &BATCHES_OF,
    &LEFT_OF_BATCH,
];

/// A purchased shipment that is in no manifest.
#[derive(Clone, Debug)]
pub struct Open {
    pub shipment: Id<Shipment>,
    pub account: Id<CarrierAccount>,
    /// The handles of its carrier (`None` if the account was deleted) and of its service.
    pub carrier: Option<String>,
    pub service: String,
    /// The location that it leaves from, and the version of that location.
    pub origin: Option<(Id<Location>, i64)>,
    /// The address as JSON, if there is no such location.
    pub address: Option<String>,
    /// The shipping date, if the request had one, and the time of the purchase.
    pub date: Option<Timestamp>,
    pub bought_at: Timestamp,
    pub packages: i64,
}

/// Returns the purchased shipments that leave from a location and are in no manifest.
pub async fn open_of_location(tx: &mut Tx<'_>, owner: Owner, location: Id<Location>) -> Result<Vec<Open>> {
    let rows = tx.all(&OPEN_OF_LOCATION, &[owner.into(), location.into()]).await?;
    rows.into_iter().map(read_open).collect()
}

/// Returns the purchased shipments of a batch that are in no manifest.
pub async fn open_of_batch(tx: &mut Tx<'_>, owner: Owner, batch: Id<Batch>) -> Result<Vec<Open>> {
    let rows = tx.all(&OPEN_OF_BATCH, &[owner.into(), batch.into()]).await?;
    rows.into_iter().map(read_open).collect()
}

/// Locks the purchases of shipments, in the order of their keys.
pub async fn hold(tx: &mut Tx<'_>, owner: Owner, shipments: &[Id<Shipment>]) -> Result<()> {
    tx.all(&HOLD, &[owner.into(), list(shipments)]).await.map(drop)
}

/// Attaches those of the shipments to a manifest that are in no other. Returns their number, and that of their
/// packages.
pub(super) async fn attach(
    tx: &mut Tx<'_>,
    owner: Owner,
    manifest: Id<Manifest>,
    shipments: &[Id<Shipment>],
) -> Result<Option<(i64, i64)>> {
    if tx.execute(&ATTACH, &[manifest.into(), owner.into(), list(shipments)]).await? == 0 {
        return Ok(None);
    }
    tx.send(&LIST_ATTACHED, &[owner.into(), manifest.into()]).await?;
    tx.send(&FORGET_RELEASED, &[owner.into(), manifest.into()]).await?;
    let counted = tx.one(&COUNT_PACKAGES, &[owner.into(), manifest.into()]).await?;
    let mut counted = counted.ok_or_else(|| Error::fault("a count gives a row"))?;
    Ok(Some((counted.int(0)?, counted.int(1)?)))
}

/// Detaches the shipments of a manifest that the carrier rejected. The manifest's list stays.
pub(super) async fn release(tx: &mut Tx<'_>, owner: Owner, manifest: Id<Manifest>) -> Result<()> {
    tx.send(&RELEASE, &[owner.into(), manifest.into()]).await?;
    tx.send(&DETACH, &[owner.into(), manifest.into()]).await
}

/// Returns the shipments of manifests, by manifest, and of each the oldest first.
pub async fn shipments_of(
    tx: &mut Tx<'_>,
    owner: Owner,
    manifests: &[Id<Manifest>],
) -> Result<Vec<(Id<Manifest>, Id<Shipment>)>> {
    if manifests.is_empty() {
        return Ok(Vec::new());
    }
    let rows = tx.all(&SHIPMENTS_OF, &[owner.into(), list(manifests)]).await?;
    rows.into_iter().map(|mut row| Ok((row.id(0)?, row.id(1)?))).collect()
}

/// Returns the documents of the shipments of a manifest that follow the given one.
pub async fn docs_of(
    tx: &mut Tx<'_>,
    owner: Owner,
    manifest: Id<Manifest>,
    after: Option<Id<Shipment>>,
    limit: usize,
) -> Result<Vec<(Id<Shipment>, String)>> {
    let after = after.map(|id| id.to_string()).unwrap_or_default();
    let values = [owner.into(), manifest.into(), after.into(), Value::Int(limit as i64)];
    let rows = tx.all(&DOCS_OF, &values).await?;
    rows.into_iter().map(|mut row| Ok((row.id(0)?, row.text(1)?))).collect()
}

/// Returns the carrier's own ids of the shipments of a manifest, with their mailing dates.
pub async fn purchases_of(
    tx: &mut Tx<'_>,
    owner: Owner,
    manifest: Id<Manifest>,
) -> Result<Vec<(String, Option<Day>)>> {
    let rows = tx.all(&PURCHASES_OF, &[owner.into(), manifest.into()]).await?;
    let read = |mut row: Row| Ok((row.text(0)?, row.text_or_null(1)?.as_deref().and_then(Day::parse)));
    rows.into_iter().map(read).collect()
}

/// Returns whether a shipment is in a manifest that is being made or is complete.
pub async fn holds(tx: &mut Tx<'_>, owner: Owner, shipment: Id<Shipment>) -> Result<bool> {
    Ok(tx.one(&HOLDS, &[owner.into(), shipment.into()]).await?.is_some())
}

/// Returns the batches whose shipments a manifest lists, in the order of their ids.
pub async fn batches_of(tx: &mut Tx<'_>, owner: Owner, manifest: Id<Manifest>) -> Result<Vec<Id<Batch>>> {
    let rows = tx.all(&BATCHES_OF, &[owner.into(), manifest.into()]).await?;
    rows.into_iter().map(|mut row| row.id(0)).collect()
}

/// Returns whether all purchased shipments of a batch are in manifests that carriers accepted.
pub async fn is_batch_manifested(tx: &mut Tx<'_>, owner: Owner, batch: Id<Batch>) -> Result<bool> {
    Ok(tx.one(&LEFT_OF_BATCH, &[owner.into(), batch.into()]).await?.is_none())
}

fn read_open(mut row: Row) -> Result<Open> {
    let origin: Option<Id<Location>> = row.id_or_null(2)?;
    let version = row.int_or_null(3)?;
    let date = row.text_or_null(5)?;
    Ok(Open {
        shipment: row.id(0)?,
        account: row.id(1)?,
        origin: origin.map(|origin| (origin, version.unwrap_or_default())),
        address: row.text_or_null(4)?,
        date: date.and_then(|text| Timestamp::parse(&text)),
        bought_at: row.moment(6)?,
        service: row.text(7)?,
        carrier: row.text_or_null(8)?,
        packages: row.int(9)?,
    })
}

pub(super) fn list<K: model::platform::id::Kind>(ids: &[Id<K>]) -> Value {
    let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
    Value::Text(serde_json::Value::from(ids).to_string())
}
