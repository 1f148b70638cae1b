//! Pages of a list, by a key that sorts by age: an identifier, or a number.
//!
//! A page starts at a key, not at a count, so that rows inserted or deleted meanwhile shift nothing.

use model::{Error, Result};

use crate::engine::{Row, Sql, Tx, Value};

/// Where a page starts.
#[derive(Clone, Debug, PartialEq)]
pub enum Start {
    /// Where the list begins.
    First,
    /// Right after this key, towards the old.
    OlderThan(String),
    /// Right after this key, towards the new.
    NewerThan(String),
}

/// Which end of the list comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    NewestFirst,
    OldestFirst,
}

/// What the keys of a list are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// Identifiers, or other words of ASCII letters.
    Text,
    /// Numbers from 1 on.
    Number,
}

/// How a list is sorted.
#[derive(Clone, Copy, Debug)]
pub struct Sorting {
    pub keys: Keys,
    pub order: Order,
}

/// As nearly every list is.
pub const BY_ID: Sorting = Sorting { keys: Keys::Text, order: Order::NewestFirst };

/// A page, and the keys to go on from: `None` where there is nothing more in that direction.
pub struct Page<T> {
    pub items: Vec<T>,
    pub older_than: Option<String>,
    pub newer_than: Option<String>,
}

/// The two statements of a list. Both take `$1` owner, `$2` key, then the filters, and last the limit; both give the
/// key as their first column.
pub struct PageSql {
    /// Newest first.
    pub older: Sql,
    /// Oldest first.
    pub newer: Sql,
}

impl Keys {
    /// Sorts before every key.
    fn before(self) -> String {
        match self {
            Keys::Text => String::new(),
            Keys::Number => 0.to_string(),
        }
    }

    /// Sorts after every key.
    fn beyond(self) -> String {
        match self {
            Keys::Text => "~".to_owned(),
            Keys::Number => i64::MAX.to_string(),
        }
    }

    /// The key as the database has it.
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

    /// Reads a page, and looks whether there is more on either side.
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
        let items = tx.all(statement, &values(&key, limit + 1)?).await?;
        let found = Found::new(sorting, start, items, limit, Row::key)?;
        let has_back = match &found.edge {
            Some(edge) => !tx.all(opposite, &values(edge, 1)?).await?.is_empty(),
            None => false,
        };
        Ok(found.page(has_back))
    }
}

impl Sorting {
    /// Whether a page goes towards the old, and the key that it begins after.
    pub fn bearing(self, start: &Start) -> (bool, String) {
        match start {
            Start::First if self.order == Order::NewestFirst => (true, self.keys.beyond()),
            Start::First => (false, self.keys.before()),
            Start::OlderThan(key) => (true, key.clone()),
            Start::NewerThan(key) => (false, key.clone()),
        }
    }
}

/// What was found for a page, before it is known whether there is more where we came from.
pub struct Found<T> {
    items: Vec<T>,
    onward: Option<String>,
    /// From here on, in the opposite direction, is what we came from; `None` where the list begins here.
    pub edge: Option<String>,
    is_towards_old: bool,
    is_reversed: bool,
}

impl<T> Found<T> {
    /// Takes what was found in the page's direction: one more than the limit, where there is more.
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
        // Where we came from there was a row, which may be gone by now: so look.
        let edge = match (start, items.first()) {
            (Start::First, _) => None,
            (_, Some(first)) => Some(key_of(first)?),
            // Nothing lies ahead any more. What is left lies behind, from the very end on.
            (Start::OlderThan(_), None) => Some(sorting.keys.before()),
            (Start::NewerThan(_), None) => Some(sorting.keys.beyond()),
        };
        let is_reversed = is_towards_old != (sorting.order == Order::NewestFirst);
        Ok(Self { items, onward, edge, is_towards_old, is_reversed })
    }

    /// The page, once it is known whether there is anything beyond the edge.
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
    /// Turns each entry into what it stands for.
    pub fn try_map<U>(self, read: impl FnMut(T) -> Result<U>) -> Result<Page<U>> {
        let items = self.items.into_iter().map(read).collect::<Result<_>>()?;
        Ok(Page { items, older_than: self.older_than, newer_than: self.newer_than })
    }
}
