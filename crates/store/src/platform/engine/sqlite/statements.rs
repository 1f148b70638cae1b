//! Statements on a connection to SQLite, and their values.

use std::os::unix::fs::MetadataExt;

use model::{Error, Result};
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql};

use super::super::row_limit::Gathered;
use super::super::value::{Row, Value};
use super::error::fault;

/// Returns the inode number of the database file. A backup copied over the file keeps that number, so this alone does
/// not detect it.
pub fn place(connection: &Connection) -> String {
    let file = connection.path().and_then(|path| std::fs::metadata(path).ok());
    file.map_or_else(String::new, |file| file.ino().to_string())
}

pub fn execute(connection: &Connection, sql: &str, values: &[Value]) -> Result<u64> {
    let mut statement = connection.prepare_cached(sql).map_err(fault)?;
    let changed = statement.execute(rusqlite::params_from_iter(values)).map_err(fault)?;
    Ok(changed as u64)
}

pub fn all(connection: &Connection, sql: &str, values: &[Value]) -> Result<Vec<Row>> {
    some(connection, sql, values, usize::MAX)
}

pub fn some(connection: &Connection, sql: &str, values: &[Value], bytes_max: usize) -> Result<Vec<Row>> {
    let mut statement = connection.prepare_cached(sql).map_err(fault)?;
    let columns = statement.column_count();
    let mut rows = statement.query(rusqlite::params_from_iter(values)).map_err(fault)?;
    let mut answer = Gathered::up_to(bytes_max);
    while let Some(row) = rows.next().map_err(fault)? {
        let values = (0..columns).map(|column| row.get_ref(column).map_err(fault).and_then(value));
        if !answer.add(Row(values.collect::<Result<_>>()?)) {
            break;
        }
    }
    Ok(answer.rows)
}

fn value(raw: ValueRef<'_>) -> Result<Value> {
    Ok(match raw {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(int) => Value::Int(int),
        ValueRef::Text(text) => Value::Text(std::str::from_utf8(text).map_err(Error::fault)?.to_owned()),
        ValueRef::Blob(bytes) => Value::Blob(bytes.to_vec()),
        ValueRef::Real(_) => return Err(Error::fault("no column holds a real number")),
    })
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Value::Null => ValueRef::Null,
            Value::Int(int) => ValueRef::Integer(*int),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Blob(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

/// Checks that placeholders first appear in order. SQLite numbers `$n` by first appearance, whatever `n` is.
pub fn check_placeholders(connection: &Connection, sql: &str) -> Result<()> {
    let statement = connection.prepare(sql).map_err(fault)?;
    for place in 1..=statement.parameter_count() {
        if statement.parameter_name(place) != Some(&format!("${place}")) {
            return Err(Error::fault(format!("placeholders out of order in: {sql}")));
        }
    }
    Ok(())
}
