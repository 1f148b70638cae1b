//! Pages of a list, newest first, by a key that sorts by age.
//!
//! A page starts at a key, not at a count, so that rows inserted or deleted meanwhile shift nothing.

use model::Result;

use crate::engine::{Row, Sql, Tx, Value};

/// Where a page starts.
#[derive(Clone, Debug, PartialEq)]
pub enum Start {
    Newest,
    /// Right after this key, towards the old.
    OlderThan(String),
    /// The page that ends right before this key, towards the new.
    NewerThan(String),
}

/// A page, and the keys to go on from: `None` where there is nothing more in that direction.
pub struct Page<T> {
    pub items: Vec<T>,
    pub older_than: Option<String>,
    pub newer_than: Option<String>,
}

/// The two statements of a list. Both take `$1` owner, `$2` key, then the filters, and last the limit; both give the
/// key as their first column.
pub struct PageSql {
    pub older: Sql,
    pub newer: Sql,
}

/// Sorts before every key, and after every key.
const BEFORE: &str = "";
const BEYOND: &str = "~";

impl Page<Row> {
    /// Reads a page, and looks whether there is more on either side.
    pub async fn read(
        tx: &mut Tx<'_>,
        sql: &PageSql,
        owner: Value,
        filters: &[Value],
        start: &Start,
        limit: usize,
    ) -> Result<Page<Row>> {
        let (statement, opposite, key) = match start {
            Start::Newest => (&sql.older, &sql.newer, BEYOND),
            Start::OlderThan(key) => (&sql.older, &sql.newer, key.as_str()),
            Start::NewerThan(key) => (&sql.newer, &sql.older, key.as_str()),
        };
        let values = |key: &str, limit: usize| {
            let mut values = vec![owner.clone(), key.into()];
            values.extend_from_slice(filters);
            values.push(Value::Int(limit as i64));
            values
        };
        let mut items = tx.all(statement, &values(key, limit + 1)).await?;
        let has_more = items.len() > limit;
        items.truncate(limit);
        let onward = items.last().filter(|_| has_more).map(Row::key).transpose()?;
        // Where we came from there was a row, which may be gone by now: so look.
        let edge = match (start, items.first()) {
            (Start::Newest, _) => None,
            (_, Some(first)) => Some(first.key()?),
            // Nothing lies ahead any more. What is left lies behind, from the very end on.
            (Start::OlderThan(_), None) => Some(BEFORE.to_owned()),
            (Start::NewerThan(_), None) => Some(BEYOND.to_owned()),
        };
        let back = match edge {
            Some(edge) if !tx.all(opposite, &values(&edge, 1)).await?.is_empty() => Some(edge),
            _ => None,
        };
        Ok(match start {
            Start::Newest | Start::OlderThan(_) => Page { items, older_than: onward, newer_than: back },
            Start::NewerThan(_) => {
                items.reverse();
                Page { items, older_than: back, newer_than: onward }
            }
        })
    }
}

impl Page<Row> {
    /// Turns each row into what it stands for.
    pub fn try_map<T>(self, read: impl FnMut(Row) -> Result<T>) -> Result<Page<T>> {
        let items = self.items.into_iter().map(read).collect::<Result<_>>()?;
        Ok(Page { items, older_than: self.older_than, newer_than: self.newer_than })
    }
}
