//! Reads the index of the search: terms in a range, and the documents of the resources that have them.

use std::collections::BTreeMap;

use model::exchange::search::SearchType;
use model::orders::searched_order::SearchedOrder;
use model::places::searched_location::SearchedLocation;
use model::platform::id::Kind;
use model::platform::search_text::Searched;
use model::shipping::searched_batch::SearchedBatch;
use model::shipping::searched_shipment::SearchedShipment;
use model::stock::searched_item::SearchedItem;
use model::{Batch, Error, InventoryItem, Location, Order, Owner, Result, Shipment};

use crate::platform::engine::{Sql, Tx, Value, wanted};
use crate::platform::page::PAGE_BYTES_MAX;
use crate::platform::search_terms::id_of;

/// The terms of one kind that follow `$4` and `$5`, up to before the term `$3`.
macro_rules! onward {
    ($kind:literal, $name:literal) => {
        concat!(
            "SELECT kind, term, age FROM (SELECT kind, term, age FROM search_term WHERE owner = $1 AND kind = ",
            $kind,
            " AND term < $3 AND (term, age) > ($4, $5) ORDER BY term, age LIMIT $6) ",
            $name
        )
    };
}

/// The terms of one kind that precede `$4` and `$5`, down to the term `$3`.
macro_rules! back {
    ($kind:literal, $name:literal) => {
        concat!(
            "SELECT kind, term, age FROM (SELECT kind, term, age FROM search_term WHERE owner = $1 AND kind = ",
            $kind,
            " AND term >= $3 AND (term, age) < ($4, $5) ORDER BY term DESC, age DESC LIMIT $6) ",
            $name
        )
    };
}

/// Each kind has a limit of its own, so that the few resources of one kind are found behind many of another.
const ONWARD: Sql = Sql::same(concat!(
    onward!("$2", "a"),
    " UNION ALL ",
    onward!("$7", "b"),
    " UNION ALL ",
    onward!("$8", "c"),
    " UNION ALL ",
    onward!("$9", "d"),
    " UNION ALL ",
    onward!("$10", "e")
));
/// As [`ONWARD`], in the opposite direction.
const BACK: Sql = Sql::same(concat!(
    back!("$2", "a"),
    " UNION ALL ",
    back!("$7", "b"),
    " UNION ALL ",
    back!("$8", "c"),
    " UNION ALL ",
    back!("$9", "d"),
    " UNION ALL ",
    back!("$10", "e")
));
/// The documents of some resources, in the order of their ids. `$2` lists the ids as JSON.
const ORDERS: Sql = Sql::each(
    "SELECT id, doc FROM orders WHERE owner = $1 AND id IN (SELECT value FROM json_each($2)) ORDER BY id",
    concat!(
        "SELECT r.id, r.doc FROM ",
        wanted!("$2"),
        " CROSS JOIN LATERAL (SELECT id, doc FROM orders WHERE owner = $1 AND id = wanted.id OFFSET 0) r ORDER BY r.id"
    ),
);
const ITEMS: Sql = Sql::each(
    "SELECT id, doc FROM inventory_item WHERE owner = $1 AND id IN (SELECT value FROM json_each($2)) ORDER BY id",
    concat!(
        "SELECT r.id, r.doc FROM ",
        wanted!("$2"),
        " CROSS JOIN LATERAL (SELECT id, doc FROM inventory_item WHERE owner = $1 AND id = wanted.id OFFSET 0) r
         ORDER BY r.id"
    ),
);
const SHIPMENTS: Sql = Sql::each(
    "SELECT id, doc FROM shipment WHERE owner = $1 AND id IN (SELECT value FROM json_each($2)) ORDER BY id",
    concat!(
        "SELECT r.id, r.doc FROM ",
        wanted!("$2"),
        " CROSS JOIN LATERAL (SELECT id, doc FROM shipment WHERE owner = $1 AND id = wanted.id OFFSET 0) r ORDER BY r.id"
    ),
);
const BATCHES: Sql = Sql::each(
    "SELECT id, details FROM batch WHERE owner = $1 AND id IN (SELECT value FROM json_each($2)) ORDER BY id",
    concat!(
        "SELECT r.id, r.details FROM ",
        wanted!("$2"),
        " CROSS JOIN LATERAL (SELECT id, details FROM batch WHERE owner = $1 AND id = wanted.id OFFSET 0) r ORDER BY r.id"
    ),
);
const LOCATIONS: Sql = Sql::each(
    "SELECT id, doc FROM location WHERE owner = $1 AND id IN (SELECT value FROM json_each($2)) ORDER BY id",
    concat!(
        "SELECT r.id, r.doc FROM ",
        wanted!("$2"),
        " CROSS JOIN LATERAL (SELECT id, doc FROM location WHERE owner = $1 AND id = wanted.id OFFSET 0) r ORDER BY r.id"
    ),
);

pub(crate) const STATEMENTS: &[&Sql] = &[&ONWARD, &BACK, &ORDERS, &ITEMS, &SHIPMENTS, &BATCHES, &LOCATIONS];

/// A row of the index.
#[derive(Clone, Debug, PartialEq)]
pub struct TermRow {
    pub searched: SearchType,
    pub id: String,
    pub term: String,
    /// Sorts rows with the same term, the newest first.
    pub age: String,
}

/// Where to read on: a term, and the age of a resource that has it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TermPlace {
    pub term: String,
    pub age: String,
}

/// The direction in which the index is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    Onward,
    Back,
}

impl TermRow {
    pub fn place(&self) -> TermPlace {
        TermPlace { term: self.term.clone(), age: self.age.clone() }
    }
}

/// Returns the prefix of the ids of a type.
pub(crate) fn kind_of(searched: SearchType) -> &'static str {
    match searched {
        SearchType::Order => Order::PREFIX,
        SearchType::InventoryItem => InventoryItem::PREFIX,
        SearchType::Shipment => Shipment::PREFIX,
        SearchType::Batch => Batch::PREFIX,
        SearchType::Location => Location::PREFIX,
    }
}

/// Returns up to `limit` rows of these types, in the given direction from a place on. Onward, `end` is the first term that is
/// too far; back, the last that is not.
pub async fn rows(
    tx: &mut Tx<'_>,
    owner: Owner,
    types: &[SearchType],
    direction: Direction,
    end: &str,
    from: &TermPlace,
    limit: usize,
) -> Result<Vec<TermRow>> {
    // A type that is not searched has no kind, and no rows.
    let kind = |place: usize| Value::from(types.get(place).map_or("", |searched| kind_of(*searched)));
    let values = [
        owner.into(),
        kind(0),
        end.into(),
        from.term.as_str().into(),
        from.age.as_str().into(),
        Value::Int(limit as i64),
        kind(1),
        kind(2),
        kind(3),
        kind(4),
    ];
    let sql = if direction == Direction::Onward { &ONWARD } else { &BACK };
    let mut rows = Vec::new();
    for mut row in tx.all(sql, &values).await? {
        let (kind, term, age) = (row.text(0)?, row.text(1)?, row.text(2)?);
        let searched = types.iter().copied().find(|searched| kind_of(*searched) == kind);
        let searched = searched.ok_or_else(|| Error::fault("a search term has an unknown kind"))?;
        rows.push(TermRow { searched, id: id_of(&kind, &age)?, term, age });
    }
    rows.sort_by(|left, right| (&left.term, &left.age).cmp(&(&right.term, &right.age)));
    if direction == Direction::Back {
        rows.reverse();
    }
    rows.truncate(limit);
    Ok(rows)
}

/// Returns what a search compares and shows of the resources of these rows, by their ids. A resource that does not exist is
/// left out.
pub async fn resources(
    tx: &mut Tx<'_>,
    owner: Owner,
    rows: &[TermRow],
) -> Result<BTreeMap<String, Searched>> {
    let mut found = BTreeMap::new();
    for searched in SearchType::ALL {
        let mut ids: Vec<&str> =
            rows.iter().filter(|row| row.searched == searched).map(|row| row.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        // Documents may be large, so they are read and dropped in parts.
        while !ids.is_empty() {
            let list = Value::Text(serde_json::Value::from(ids.clone()).to_string());
            let docs = tx.some(docs_of(searched), &[owner.into(), list], PAGE_BYTES_MAX).await?;
            let mut last = None;
            for mut row in docs {
                let (id, doc) = (row.text(0)?, row.text(1)?);
                found.insert(id.clone(), read(searched, &doc)?);
                last = Some(id);
            }
            let Some(last) = last else { break };
            ids.retain(|id| *id > last.as_str());
        }
    }
    Ok(found)
}

fn docs_of(searched: SearchType) -> &'static Sql {
    match searched {
        SearchType::Order => &ORDERS,
        SearchType::InventoryItem => &ITEMS,
        SearchType::Shipment => &SHIPMENTS,
        SearchType::Batch => &BATCHES,
        SearchType::Location => &LOCATIONS,
    }
}

/// Reads what a search compares and shows of a document.
pub(crate) fn read(searched: SearchType, doc: &str) -> Result<Searched> {
    let read = match searched {
        SearchType::Order => serde_json::from_str(doc).map(|it: SearchedOrder| it.searched()),
        SearchType::InventoryItem => serde_json::from_str(doc).map(|it: SearchedItem| it.searched()),
        SearchType::Shipment => serde_json::from_str(doc).map(|it: SearchedShipment| it.searched()),
        SearchType::Batch => serde_json::from_str(doc).map(|it: SearchedBatch| it.searched()),
        SearchType::Location => serde_json::from_str(doc).map(|it: SearchedLocation| it.searched()),
    };
    read.map_err(Error::fault)
}
