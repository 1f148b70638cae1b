//! Writes the search terms of resources that were stored before there were terms, part by part.
//!
//! A mark for each organisation and type says how far this is done. On PostgreSQL the rows of a part are locked against
//! changes: otherwise terms of a document could be written that another transaction replaces at the same moment.

use model::exchange::search::SearchType;
use model::{Batch, Error, Id, InventoryItem, Location, Order, Owner, Result, Shipment};

use super::search::{kind_of, read};
use crate::platform::engine::{Sql, Tx, Value};
use crate::platform::page::PAGE_BYTES_MAX;
use crate::platform::search_terms;

/// Spans organisations. If another node works on a mark, the next one is taken.
const MARK: Sql = Sql::each(
    "SELECT owner, kind, after_id FROM search_fill ORDER BY owner, kind LIMIT 1",
    "SELECT owner, kind, after_id FROM search_fill ORDER BY owner, kind LIMIT 1 FOR UPDATE SKIP LOCKED",
);
/// Spans organisations.
const ANY_MARK: Sql = Sql::same("SELECT kind FROM search_fill ORDER BY owner, kind LIMIT 1");
const MOVE_MARK: Sql = Sql::same("UPDATE search_fill SET after_id = $1 WHERE owner = $2 AND kind = $3");
const DELETE_MARK: Sql = Sql::same("DELETE FROM search_fill WHERE owner = $1 AND kind = $2");
const ORDERS: Sql = Sql::each(
    "SELECT id, doc FROM orders WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $3",
    "SELECT id, doc FROM orders WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $3 FOR SHARE",
);
const ITEMS: Sql = Sql::each(
    "SELECT id, doc FROM inventory_item WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $3",
    "SELECT id, doc FROM inventory_item WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $3 FOR SHARE",
);
const SHIPMENTS: Sql = Sql::each(
    "SELECT id, doc FROM shipment WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $3",
    "SELECT id, doc FROM shipment WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $3 FOR SHARE",
);
const BATCHES: Sql = Sql::each(
    "SELECT id, details FROM batch WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $3",
    "SELECT id, details FROM batch WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $3 FOR SHARE",
);
const LOCATIONS: Sql = Sql::each(
    "SELECT id, doc FROM location WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $3",
    "SELECT id, doc FROM location WHERE owner = $1 AND id > $2 ORDER BY id LIMIT $3 FOR SHARE",
);

pub(crate) const STATEMENTS: &[&Sql] =
    &[&MARK, &ANY_MARK, &MOVE_MARK, &DELETE_MARK, &ORDERS, &ITEMS, &SHIPMENTS, &BATCHES, &LOCATIONS];

/// What is left to fill.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    pub owner: Owner,
    pub searched: SearchType,
    /// The last resource whose terms are written, or an empty text.
    after_id: String,
}

/// Spans organisations: returns the next mark and locks it, or `None` if there is none that no other node works on.
pub async fn mark(tx: &mut Tx<'_>) -> Result<Option<Mark>> {
    let Some(mut row) = tx.one(&MARK, &[]).await? else { return Ok(None) };
    let kind = row.text(1)?;
    let searched = SearchType::ALL.into_iter().find(|searched| kind_of(*searched) == kind);
    let searched = searched.ok_or_else(|| Error::fault("a mark of the search has an unknown kind"))?;
    Ok(Some(Mark { owner: row.owner(0)?, searched, after_id: row.text(2)? }))
}

/// Spans organisations: returns whether no mark is left.
pub async fn is_done(tx: &mut Tx<'_>) -> Result<bool> {
    Ok(tx.one(&ANY_MARK, &[]).await?.is_none())
}

/// Writes the terms of the next resources, at most `limit`, and moves the mark. Deletes the mark if no resource is left.
/// Returns the number of resources.
pub async fn fill(tx: &mut Tx<'_>, mark: &Mark, limit: usize) -> Result<usize> {
    let Mark { owner, searched, after_id } = mark;
    let values = [(*owner).into(), after_id.as_str().into(), Value::Int(limit as i64)];
    let rows = tx.some(docs_after(*searched), &values, PAGE_BYTES_MAX).await?;
    let (mut last, mut filled) = (None, 0);
    for mut row in rows {
        let (id, doc) = (row.text(0)?, row.text(1)?);
        insert(tx, *owner, *searched, &id, &doc).await?;
        last = Some(id);
        filled += 1;
    }
    match last {
        Some(last) => tx.send(&MOVE_MARK, &[last.into(), (*owner).into(), kind_of(*searched).into()]).await?,
        None => tx.send(&DELETE_MARK, &[(*owner).into(), kind_of(*searched).into()]).await?,
    }
    Ok(filled)
}

fn docs_after(searched: SearchType) -> &'static Sql {
    match searched {
        SearchType::Order => &ORDERS,
        SearchType::InventoryItem => &ITEMS,
        SearchType::Shipment => &SHIPMENTS,
        SearchType::Batch => &BATCHES,
        SearchType::Location => &LOCATIONS,
    }
}

async fn insert(tx: &mut Tx<'_>, owner: Owner, searched: SearchType, id: &str, doc: &str) -> Result<()> {
    let terms = read(searched, doc)?.terms();
    let terms = terms.iter();
    match searched {
        SearchType::Order => search_terms::insert(tx, owner, parsed::<Order>(id)?, terms).await,
        SearchType::InventoryItem => {
            search_terms::insert(tx, owner, parsed::<InventoryItem>(id)?, terms).await
        }
        SearchType::Shipment => search_terms::insert(tx, owner, parsed::<Shipment>(id)?, terms).await,
        SearchType::Batch => search_terms::insert(tx, owner, parsed::<Batch>(id)?, terms).await,
        SearchType::Location => search_terms::insert(tx, owner, parsed::<Location>(id)?, terms).await,
    }
}

fn parsed<K: model::platform::id::Kind>(id: &str) -> Result<Id<K>> {
    Id::parse(id).ok_or_else(|| Error::fault("a resource has no valid id"))
}
