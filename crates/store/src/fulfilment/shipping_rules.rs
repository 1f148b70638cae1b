//! Shipping rules, and what they name.

use model::{CarrierAccount, Id, Owner, Result, ShippingRule};

use crate::platform::engine::{Row, Sql, Tx, Value};
use crate::platform::page::{Keys, Order, Page, PageSql, Sorting, Start};

/// Taken by every transaction that creates, moves or deletes a rule, so that positions stay unique and without gaps.
/// SQLite has one writer, and needs no lock.
const LOCK: Sql =
    Sql::each("", "SELECT 1::bigint FROM pg_advisory_xact_lock(hashtextextended($1, 4716051120338))");
const GET: Sql =
    Sql::same("SELECT id, version, position, doc FROM shipping_rule WHERE owner = $1 AND id = $2");
const ALL: Sql = Sql::same(
    "SELECT id, version, position, doc FROM shipping_rule WHERE owner = $1 ORDER BY position LIMIT $2",
);
const PAGE: PageSql = PageSql {
    older: Sql::same(
        "SELECT position, doc FROM shipping_rule WHERE owner = $1 AND position < $2 ORDER BY position DESC LIMIT $3",
    ),
    newer: Sql::same(
        "SELECT position, doc FROM shipping_rule WHERE owner = $1 AND position > $2 ORDER BY position LIMIT $3",
    ),
};
const INSERT: Sql =
    Sql::same("INSERT INTO shipping_rule (owner, id, version, position, doc) VALUES ($1, $2, 1, $3, $4)");
const UPDATE: Sql = Sql::same(
    "UPDATE shipping_rule SET version = version + 1, position = $1, doc = $2 WHERE owner = $3 AND id = $4",
);
/// Positions are unique at every moment. Those of rules that move become negative first, so that no rule gets a
/// position that another rule still has.
const CLEAR_POSITION: Sql =
    Sql::same("UPDATE shipping_rule SET position = -position WHERE owner = $1 AND id = $2");
const DELETE: Sql = Sql::same("DELETE FROM shipping_rule WHERE owner = $1 AND id = $2");
const HOLD_ACCOUNT: Sql = Sql::each(
    "SELECT id FROM carrier_account WHERE owner = $1 AND id = $2",
    "SELECT id FROM carrier_account WHERE owner = $1 AND id = $2 FOR KEY SHARE",
);
const USE_INSERT: Sql = Sql::same(
    "INSERT INTO shipping_rule_use (owner, used_id, rule_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
);
const USES_DELETE: Sql = Sql::same("DELETE FROM shipping_rule_use WHERE owner = $1 AND rule_id = $2");

pub(crate) const STATEMENTS: &[&Sql] = &[
    &LOCK,
    &GET,
    &ALL,
    &PAGE.older,
    &PAGE.newer,
    &INSERT,
    &UPDATE,
    &CLEAR_POSITION,
    &DELETE,
    &HOLD_ACCOUNT,
    &USE_INSERT,
    &USES_DELETE,
];

/// The sort order of a list of rules.
const BY_POSITION: Sorting = Sorting { keys: Keys::Number, order: Order::OldestFirst };

/// A rule's document as the API serves it, with its version and its position.
#[derive(Clone)]
pub struct StoredShippingRule {
    pub id: Id<ShippingRule>,
    pub version: i64,
    pub position: i64,
    pub doc: String,
}

/// Excludes other transactions that create, move or delete rules of the owner, until this one ends.
pub async fn lock(tx: &mut Tx<'_>, owner: Owner) -> Result<()> {
    tx.send(&LOCK, &[owner.into()]).await
}

pub async fn get(tx: &mut Tx<'_>, owner: Owner, id: Id<ShippingRule>) -> Result<Option<StoredShippingRule>> {
    tx.one(&GET, &[owner.into(), id.into()]).await?.map(read).transpose()
}

/// Returns up to `limit` rules in the order of their positions.
pub async fn all(tx: &mut Tx<'_>, owner: Owner, limit: usize) -> Result<Vec<StoredShippingRule>> {
    let rows = tx.all(&ALL, &[owner.into(), Value::Int(limit as i64)]).await?;
    rows.into_iter().map(read).collect()
}

/// Returns a page of documents in the order of their positions.
pub async fn page(tx: &mut Tx<'_>, owner: Owner, start: &Start, limit: usize) -> Result<Page<String>> {
    let page = Page::read_sorted(tx, &PAGE, BY_POSITION, owner.into(), &[], start, limit).await?;
    page.try_map(|mut row| row.text(1))
}

pub async fn insert(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<ShippingRule>,
    position: i64,
    doc: &str,
) -> Result<()> {
    tx.send(&INSERT, &[owner.into(), id.into(), position.into(), doc.into()]).await
}

pub async fn update(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<ShippingRule>,
    position: i64,
    doc: &str,
) -> Result<()> {
    tx.send(&UPDATE, &[position.into(), doc.into(), owner.into(), id.into()]).await
}

/// Makes the position of a rule free for another one. The rule must be updated later in this transaction.
pub async fn clear_position(tx: &mut Tx<'_>, owner: Owner, id: Id<ShippingRule>) -> Result<()> {
    tx.send(&CLEAR_POSITION, &[owner.into(), id.into()]).await
}

pub async fn delete(tx: &mut Tx<'_>, owner: Owner, id: Id<ShippingRule>) -> Result<()> {
    tx.send(&USES_DELETE, &[owner.into(), id.into()]).await?;
    tx.send(&DELETE, &[owner.into(), id.into()]).await
}

/// Returns whether the carrier account exists, and if so keeps it from being deleted until this transaction ends.
pub async fn hold_account(tx: &mut Tx<'_>, owner: Owner, id: Id<CarrierAccount>) -> Result<bool> {
    Ok(tx.one(&HOLD_ACCOUNT, &[owner.into(), id.into()]).await?.is_some())
}

/// Replaces what a rule names: the ids of locations, carrier accounts, package types and printers.
pub async fn set_uses(tx: &mut Tx<'_>, owner: Owner, id: Id<ShippingRule>, used: &[String]) -> Result<()> {
    tx.send(&USES_DELETE, &[owner.into(), id.into()]).await?;
    for used in used {
        tx.send(&USE_INSERT, &[owner.into(), used.as_str().into(), id.into()]).await?;
    }
    Ok(())
}

fn read(mut row: Row) -> Result<StoredShippingRule> {
    Ok(StoredShippingRule { id: row.id(0)?, version: row.int(1)?, position: row.int(2)?, doc: row.text(3)? })
}
