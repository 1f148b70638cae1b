//! Keyset pagination: pages of a list that is sorted by an identifier or a number.
//!
//! A page starts at a key, not at an offset, so rows that are inserted or deleted meanwhile shift nothing.

use model::{Error, Result};

use crate::platform::engine::{Row, Sql, Tx, Value};

/// The most bytes of rows in one page. A page has at least one row, and the next page begins after its last.
pub const PAGE_BYTES_MAX: usize = 4 << 20;

/// Where a page starts.
#[derive(Clone, Debug, PartialEq)]
pub enum Start {
    /// At the beginning of the list.
    First,
    /// After this key, in the direction of older rows.
    OlderThan(String),
    /// After this key, in the direction of newer rows.
    NewerThan(String),
}

/// Which end of the list comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    NewestFirst,
    OldestFirst,
}

/// The kind of key that a list is sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// Identifiers, or other words of ASCII letters.
    Text,
    /// Numbers from 1 on.
    Number,
}

/// The sort order of a list.
#[derive(Clone, Copy, Debug)]
pub struct Sorting {
    pub keys: Keys,
    pub order: Order,
}

/// The sort order of nearly all lists: by identifier, newest first.
pub const BY_ID: Sorting = Sorting { keys: Keys::Text, order: Order::NewestFirst };

/// A page, and the keys from which to continue. A key is `None` if there are no more rows in that direction.
pub struct Page<T> {
    pub items: Vec<T>,
    pub older_than: Option<String>,
    pub newer_than: Option<String>,
}

/// The two statements of a list. Both take `$1` owner, `$2` key, then the filters, and last the limit. Both return
/// the key as their first column.
pub struct PageSql {
    /// Newest first.
    pub older: Sql,
    /// Oldest first.
    pub newer: Sql,
}

impl Keys {
    /// Returns a key that sorts before all others.
    fn before(self) -> String {
        match self {
            Keys::Text => String::new(),
            Keys::Number => 0.to_string(),
        }
    }

    /// Returns a key that sorts after all others.
    fn beyond(self) -> String {
        match self {
            Keys::Text => "~".to_owned(),
            Keys::Number => i64::MAX.to_string(),
        }
    }

    /// Converts the key to the type of its column.
    fn value(self, key: &str) -> Result<Value> {
        match self {
            Keys::Text => Ok(key.into()),
            Keys::Number => key.parse().map(Value::Int).map_err(Error::fault),
        }
    }
}

impl Page<Row> {
    /// Reads a page of a list that is sorted by identifiers, newest first.
    pub async fn read(
        tx: &mut Tx<'_>,
        sql: &PageSql,
        owner: Value,
        filters: &[Value],
        start: &Start,
        limit: usize,
    ) -> Result<Page<Row>> {
        Self::read_sorted(tx, sql, BY_ID, owner, filters, start, limit).await
    }

    /// Reads a page, and checks whether there are more rows on either side.
    pub async fn read_sorted(
        tx: &mut Tx<'_>,
        sql: &PageSql,
        Sorting { keys, order }: Sorting,
        owner: Value,
        filters: &[Value],
        start: &Start,
        limit: usize,
    ) -> Result<Page<Row>> {
        let sorting = Sorting { keys, order };
        let values = |key: &str, limit: usize| {
            let mut values = vec![owner.clone(), keys.value(key)?];
            values.extend_from_slice(filters);
            values.push(Value::Int(limit as i64));
            Ok::<_, Error>(values)
        };
        let (is_towards_old, key) = sorting.bearing(start);
        let (statement, opposite) =
            if is_towards_old { (&sql.older, &sql.newer) } else { (&sql.newer, &sql.older) };
        let items = tx.some(statement, &values(&key, limit + 1)?, PAGE_BYTES_MAX).await?;
        let limit = fitting(&items).min(limit);
        let found = Found::new(sorting, start, items, limit, Row::key)?;
        let has_back = match &found.edge {
            Some(edge) => !tx.all(opposite, &values(edge, 1)?).await?.is_empty(),
            None => false,
        };
        Ok(found.page(has_back))
    }
}

/// Returns how many of the rows fit into a page: at least one, however large it is.
fn fitting(rows: &[Row]) -> usize {
    let mut bytes = 0_usize;
    let fits = |row: &&Row| {
        bytes = bytes.saturating_add(row.bytes());
        bytes <= PAGE_BYTES_MAX
    };
    rows.iter().take_while(fits).count().max(1)
}

impl Sorting {
    /// Returns whether a page goes towards older rows, and the key after which it begins.
    pub fn bearing(self, start: &Start) -> (bool, String) {
        match start {
            Start::First if self.order == Order::NewestFirst => (true, self.keys.beyond()),
            Start::First => (false, self.keys.before()),
            Start::OlderThan(key) => (true, key.clone()),
            Start::NewerThan(key) => (false, key.clone()),
        }
    }
}

/// The rows of a page, before it is known whether there are rows in the opposite direction.
pub struct Found<T> {
    items: Vec<T>,
    onward: Option<String>,
    /// The key from which rows in the opposite direction begin. `None` if the page is at the beginning of the list.
    pub edge: Option<String>,
    is_towards_old: bool,
    is_reversed: bool,
}

impl<T> Found<T> {
    /// Takes the rows that a statement with a limit of one more than the page returned.
    pub fn new(
        sorting: Sorting,
        start: &Start,
        mut items: Vec<T>,
        limit: usize,
        key_of: impl Fn(&T) -> Result<String>,
    ) -> Result<Self> {
        let (is_towards_old, _) = sorting.bearing(start);
        let has_more = items.len() > limit;
        items.truncate(limit);
        let onward = items.last().filter(|_| has_more).map(&key_of).transpose()?;
        // The row that the cursor names existed once, but may be deleted now, so a query has to check.
        let edge = match (start, items.first()) {
            (Start::First, _) => None,
            (_, Some(first)) => Some(key_of(first)?),
            // There are no rows in this direction. All remaining rows are in the opposite one, from the end of the
            // list on.
            (Start::OlderThan(_), None) => Some(sorting.keys.before()),
            (Start::NewerThan(_), None) => Some(sorting.keys.beyond()),
        };
        let is_reversed = is_towards_old != (sorting.order == Order::NewestFirst);
        Ok(Self { items, onward, edge, is_towards_old, is_reversed })
    }

    /// Completes the page, once it is known whether there are rows in the opposite direction.
    pub fn page(mut self, has_back: bool) -> Page<T> {
        if self.is_reversed {
            self.items.reverse();
        }
        let back = self.edge.filter(|_| has_back);
        let (older_than, newer_than) =
            if self.is_towards_old { (self.onward, back) } else { (back, self.onward) };
        Page { items: self.items, older_than, newer_than }
    }
}

impl<T> Page<T> {
    /// Converts each item of the page.
    pub fn try_map<U>(self, read: impl FnMut(T) -> Result<U>) -> Result<Page<U>> {
        let items = self.items.into_iter().map(read).collect::<Result<_>>()?;
        Ok(Page { items, older_than: self.older_than, newer_than: self.newer_than })
    }
}
