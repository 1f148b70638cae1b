//! A transaction on either engine.

use model::Result;

use super::postgres::PgTx;
use super::sql::Sql;
use super::sqlite::statements;
use super::value::{Row, Value};

/// An open transaction.
pub enum Tx<'a> {
    Sqlite(&'a mut rusqlite::Connection),
    Postgres(PgTx<'a>),
}

impl Tx<'_> {
    /// Returns a name that differs between this database and a copy of it: on SQLite the file's inode number, on
    /// PostgreSQL the system identifier, the timeline and the database. A restored backup usually has another one.
    pub async fn place(&mut self) -> Result<String> {
        match self {
            Tx::Sqlite(connection) => Ok(statements::place(connection)),
            Tx::Postgres(tx) => tx.place().await,
        }
    }

    /// Executes a statement and returns the number of rows that it changed.
    pub async fn execute(&mut self, sql: &Sql, values: &[Value]) -> Result<u64> {
        match self {
            Tx::Sqlite(_) if sql.sqlite.is_empty() => Ok(0),
            Tx::Postgres(_) if sql.postgres.is_empty() => Ok(0),
            Tx::Sqlite(connection) => statements::execute(connection, sql.sqlite, values),
            Tx::Postgres(tx) => tx.execute(sql.postgres, values).await,
        }
    }

    /// Executes a statement once for each set of values, and returns the number of rows that each changed. On
    /// PostgreSQL this takes one round trip.
    pub async fn execute_each(&mut self, sql: &Sql, of: &[Vec<Value>]) -> Result<Vec<u64>> {
        match self {
            Tx::Sqlite(connection) => {
                of.iter().map(|values| statements::execute(connection, sql.sqlite, values)).collect()
            }
            Tx::Postgres(tx) => tx.execute_each(sql.postgres, of).await,
        }
    }

    /// Executes a statement without returning a row count. On PostgreSQL the statement is pipelined: its error
    /// surfaces at the next awaited statement or at the commit.
    pub async fn send(&mut self, sql: &Sql, values: &[Value]) -> Result<()> {
        match self {
            Tx::Sqlite(_) if sql.sqlite.is_empty() => Ok(()),
            Tx::Postgres(_) if sql.postgres.is_empty() => Ok(()),
            Tx::Sqlite(connection) => statements::execute(connection, sql.sqlite, values).map(drop),
            Tx::Postgres(tx) => tx.send(sql.postgres, values).await,
        }
    }

    /// Runs a query that returns at most one row.
    pub async fn one(&mut self, sql: &Sql, values: &[Value]) -> Result<Option<Row>> {
        Ok(self.all(sql, values).await?.pop())
    }

    /// Runs a query and returns all rows. The statement itself must limit their number.
    pub async fn all(&mut self, sql: &Sql, values: &[Value]) -> Result<Vec<Row>> {
        match self {
            Tx::Sqlite(_) if sql.sqlite.is_empty() => Ok(Vec::new()),
            Tx::Postgres(_) if sql.postgres.is_empty() => Ok(Vec::new()),
            Tx::Sqlite(connection) => statements::all(connection, sql.sqlite, values),
            Tx::Postgres(tx) => tx.all(sql.postgres, values).await,
        }
    }

    /// Runs a query and returns its first rows: those that fit into `bytes_max`, and the one that exceeds it, which
    /// tells the caller that there is more. If the query has two rows or more, at least two are returned. Further
    /// rows are not kept in memory.
    pub async fn some(&mut self, sql: &Sql, values: &[Value], bytes_max: usize) -> Result<Vec<Row>> {
        match self {
            Tx::Sqlite(connection) => statements::some(connection, sql.sqlite, values, bytes_max),
            Tx::Postgres(tx) => tx.some(sql.postgres, values, bytes_max).await,
        }
    }
}
