//! A transaction on PostgreSQL. It pipelines its statements, and waits only for the answers that the operation needs.
//! A round trip is most of the cost of a statement, so a change of four statements takes one round trip instead of
//! four.

use std::collections::VecDeque;
use std::pin::pin;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::TryStreamExt as _;
use model::{Error, Result};
use tokio_postgres::types::{IsNull, ToSql, Type, private::BytesMut};
use tokio_postgres::{Client, Statement};

use super::super::row_limit::Gathered;
use super::super::value::{Row, Value};
use super::connection::Connection;
use super::error::{fault, is_shutting_down};
use super::pipeline::{Sent, Unanswered};

/// How long a connection keeps its cached plans. A plan from the time when a table was empty may use any index. One
/// such plan read all purchases of an organisation to find a single one, until the table was analysed.
const PLANS_KEPT: Duration = Duration::from_secs(5);
/// Statements of one transaction that may be unanswered at once.
const UNANSWERED_MAX: usize = 256;

/// Returns the names of the database system, its timeline and the database. A promoted replica has another timeline.
/// It is read from the position in the write-ahead log, because the last checkpoint shows it only minutes after a
/// promotion.
const PLACE: &str = "SELECT s.system_identifier || '/'
        || CAST(CAST(CAST('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8) AS BIT(32)) AS BIGINT) AS TEXT)
        || '/' || d.oid
    FROM pg_control_system() s, pg_database d WHERE d.datname = current_database()";
/// The same without system and timeline, for a role that may not read them.
const PLACE_IN_SYSTEM: &str = "SELECT CAST(oid AS TEXT) FROM pg_database WHERE datname = current_database()";
const MAY_ASK_SYSTEM: &str = "SELECT CAST(has_function_privilege('pg_control_system()', 'execute')
    AND has_function_privilege('pg_current_wal_lsn()', 'execute')
    AND has_function_privilege('pg_walfile_name(pg_lsn)', 'execute') AS TEXT)";

/// Whether to wait for the answer to COMMIT. A transaction that only read need not: its result is known already.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum End {
    Awaited,
    Sent,
}

/// Why a transaction did not commit, and whether its connection can be used again.
pub(super) enum Ended {
    /// The server rolled it back, and its connection can be used again.
    RolledBack(Error),
    /// Its connection must be closed.
    Broken(Failure),
}

/// Whether a failed attempt can have committed.
pub(super) enum Failure {
    /// It did not commit, so it can be repeated.
    Before(Error),
    /// The answer to the commit was lost. It may have committed, so it must not be repeated.
    Unknown(Error),
}

/// A transaction on PostgreSQL. Its first statement also sends BEGIN, in the same round trip.
pub struct PgTx<'a> {
    connection: &'a mut Connection,
    begin: Option<String>,
    /// Statements that were sent and are not answered yet, in their order.
    unanswered: VecDeque<Sent<()>>,
    /// Whether a statement failed. PostgreSQL then answers COMMIT with success, although it rolls back.
    has_failed: bool,
}

impl<'a> PgTx<'a> {
    pub(super) fn new(connection: &'a mut Connection, begin: &str) -> Self {
        Self { connection, begin: Some(begin.to_owned()), unanswered: VecDeque::new(), has_failed: false }
    }

    /// Goes on with a transaction that an earlier one began on the connection and did not end.
    pub(super) fn resumed(connection: &'a mut Connection) -> Self {
        Self { connection, begin: None, unanswered: VecDeque::new(), has_failed: false }
    }

    pub async fn execute(&mut self, sql: &'static str, values: &[Value]) -> Result<u64> {
        let request = self.request(sql, values).await?;
        let sent = Sent::new(request.execute()).await;
        self.answer(sent).await
    }

    pub async fn execute_each(&mut self, sql: &'static str, of: &[Vec<Value>]) -> Result<Vec<u64>> {
        let mut changed = Vec::with_capacity(of.len());
        for part in of.chunks(UNANSWERED_MAX) {
            let mut all_sent = Vec::with_capacity(part.len());
            for values in part {
                let request = self.request(sql, values).await?;
                all_sent.push(Sent::new(request.execute()).await);
            }
            for sent in all_sent {
                changed.push(self.answer(sent).await?);
            }
        }
        Ok(changed)
    }

    /// Sends a statement. If it fails, the next awaited statement or the commit returns the error.
    pub async fn send(&mut self, sql: &'static str, values: &[Value]) -> Result<()> {
        let request = self.request(sql, values).await?;
        let sent = Sent::new(async { request.execute().await.map(drop) }).await;
        self.unanswered.push_back(sent);
        if self.unanswered.len() < UNANSWERED_MAX {
            return Ok(());
        }
        self.answer_all().await
    }

    pub async fn all(&mut self, sql: &'static str, values: &[Value]) -> Result<Vec<Row>> {
        let request = self.request(sql, values).await?;
        let sent = Sent::new(request.query()).await;
        self.answer(sent).await?.iter().map(row).collect()
    }

    /// Reads rows as they arrive. The connection discards those beyond the limit.
    pub async fn some(&mut self, sql: &'static str, values: &[Value], bytes_max: usize) -> Result<Vec<Row>> {
        let request = self.request(sql, values).await?;
        let sent = Sent::new(request.query_some(bytes_max)).await;
        self.answer(sent).await?
    }

    pub async fn place(&mut self) -> Result<String> {
        let may_ask = match self.connection.may_ask_system {
            Some(may_ask) => may_ask,
            None => {
                let row = self.all(MAY_ASK_SYSTEM, &[]).await?.pop();
                row.map(|mut row| row.text(0)).transpose()?.as_deref() == Some("true")
            }
        };
        self.connection.may_ask_system = Some(may_ask);
        let sql = if may_ask { PLACE } else { PLACE_IN_SYSTEM };
        let place = self.all(sql, &[]).await?.pop().map(|mut row| row.text(0)).transpose()?;
        Ok(place.unwrap_or_default())
    }

    /// Commits, together with all statements that were sent. COMMIT is sent before these are answered.
    pub(super) async fn commit(mut self, end: End) -> Result<(), Ended> {
        if self.begin.is_some() {
            return Ok(());
        }
        if self.has_failed {
            let error = Error::fault("an operation went on after a statement that failed");
            return Err(self.roll_back(error).await);
        }
        // A request that was never sent means that the connection is lost. Then nothing was sent after it, and COMMIT
        // need not be.
        if self.unanswered.iter().any(Sent::is_refused)
            && let Err(error) = self.answer_all().await
        {
            return Err(self.roll_back(error).await);
        }
        let commit = control(&self.connection.client, "COMMIT").await;
        while let Some(sent) = self.unanswered.pop_front() {
            let Err(error) = sent.answer().await else { continue };
            self.connection.is_silent |= error.is_silent();
            // If the server reported the error, the commit behind it had no effect. If the answer is lost, the
            // outcome is unknown.
            return Err(match error.code() {
                Some(_) if commit.answer().await.is_ok() => Ended::RolledBack(error.into()),
                Some(_) => Ended::Broken(Failure::Before(error.into())),
                None => Ended::Broken(Failure::Unknown(error.into())),
            });
        }
        if end == End::Sent {
            return Ok(());
        }
        commit.answer().await.map_err(|error| {
            self.connection.is_silent |= error.is_silent();
            match error.code() {
                // The server refused, so nothing is committed. If it refused because it shuts down, the outcome is
                // unknown.
                Some(code) if !is_shutting_down(code) => Ended::Broken(Failure::Before(error.into())),
                _ => Ended::Broken(Failure::Unknown(error.into())),
            }
        })
    }

    /// Rolls back because of this error, which it returns with the state of the connection.
    pub(super) async fn roll_back(self, error: Error) -> Ended {
        if self.begin.is_some() {
            return Ended::RolledBack(error);
        }
        // If the server has left a request unanswered, a ROLLBACK would only make the caller wait. Closing the
        // connection rolls back as well.
        if self.connection.is_silent {
            return Ended::Broken(Failure::Before(error));
        }
        match control(&self.connection.client, "ROLLBACK").await.answer().await {
            Ok(()) => Ended::RolledBack(error),
            Err(unanswered) => {
                self.connection.is_silent |= unanswered.is_silent();
                Ended::Broken(Failure::Before(error))
            }
        }
    }

    /// Returns a statement that is ready to send, prepared if necessary. The first one of a transaction also sends
    /// BEGIN.
    async fn request(&mut self, sql: &'static str, values: &[Value]) -> Result<Request> {
        let statement = match self.connection.statements.get(sql) {
            Some(statement) => statement.clone(),
            None => self.prepare(sql).await?,
        };
        if let Some(begin) = self.begin.take() {
            if self.connection.planned_at.elapsed() > PLANS_KEPT {
                self.connection.planned_at = Instant::now();
                let forgotten = control(&self.connection.client, "DISCARD PLANS").await;
                self.unanswered.push_back(forgotten);
            }
            let begun = control(&self.connection.client, &begin).await;
            self.unanswered.push_back(begun);
        }
        Ok(Request { client: Arc::clone(&self.connection.client), statement, values: values.to_vec() })
    }

    async fn prepare(&mut self, sql: &'static str) -> Result<Statement> {
        let client = Arc::clone(&self.connection.client);
        let prepared = Sent::new(async move { client.prepare(sql).await }).await;
        // After a failed statement the server prepares nothing. The earlier error is the cause, and is returned here.
        let statement = self.answer(prepared).await?;
        self.connection.statements.insert(sql, statement.clone());
        Ok(statement)
    }

    /// Waits for an answer, after all answers that are due before it.
    async fn answer<T>(&mut self, sent: Sent<T>) -> Result<T> {
        self.answer_all().await?;
        let answer = sent.answer().await;
        self.note(answer)
    }

    async fn answer_all(&mut self) -> Result<()> {
        while let Some(sent) = self.unanswered.pop_front() {
            let answer = sent.answer().await;
            self.note(answer)?;
        }
        Ok(())
    }

    /// Records that a statement failed.
    fn note<T>(&mut self, answer: Result<T, Unanswered>) -> Result<T> {
        answer.map_err(|unanswered| {
            self.has_failed = true;
            self.connection.is_silent |= unanswered.is_silent();
            unanswered.into()
        })
    }
}

/// Sends a statement without parameters, such as BEGIN, COMMIT or ROLLBACK.
async fn control(client: &Arc<Client>, text: &str) -> Sent<()> {
    let (client, text) = (Arc::clone(client), text.to_owned());
    Sent::new(async move { client.batch_execute(&text).await }).await
}

/// A prepared statement with its parameters, and the client to send it with.
struct Request {
    client: Arc<Client>,
    statement: Statement,
    values: Vec<Value>,
}

impl Request {
    async fn execute(self) -> Result<u64, tokio_postgres::Error> {
        self.client.execute(&self.statement, &parameters(&self.values)).await
    }

    async fn query(self) -> Result<Vec<tokio_postgres::Row>, tokio_postgres::Error> {
        self.client.query(&self.statement, &parameters(&self.values)).await
    }

    async fn query_some(self, bytes_max: usize) -> Result<Result<Vec<Row>>, tokio_postgres::Error> {
        let stream = self.client.query_raw(&self.statement, parameters(&self.values)).await?;
        let mut stream = pin!(stream);
        let mut answer = Gathered::up_to(bytes_max);
        while let Some(found) = stream.try_next().await? {
            match row(&found).map(|row| answer.add(row)) {
                Ok(true) => {}
                Ok(false) => break,
                Err(error) => return Ok(Err(error)),
            }
        }
        Ok(Ok(answer.rows))
    }
}

fn parameters(values: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    values.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

fn row(row: &tokio_postgres::Row) -> Result<Row> {
    let values = row.columns().iter().enumerate().map(|(place, column)| {
        let value = match *column.type_() {
            Type::INT8 => row.try_get::<_, Option<i64>>(place).map(|value| value.map(Value::Int)),
            Type::TEXT => row.try_get::<_, Option<String>>(place).map(|value| value.map(Value::Text)),
            Type::BYTEA => row.try_get::<_, Option<Vec<u8>>>(place).map(|value| value.map(Value::Blob)),
            ref other => return Err(Error::fault(format!("a statement gives a column of type {other}"))),
        };
        value.map(|value| value.unwrap_or(Value::Null)).map_err(fault)
    });
    Ok(Row(values.collect::<Result<_>>()?))
}

impl ToSql for Value {
    fn to_sql(
        &self,
        to: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        match (self, to) {
            (Value::Null, _) => Ok(IsNull::Yes),
            (Value::Int(int), &Type::INT8) => int.to_sql(to, out),
            (Value::Text(text), &Type::TEXT) => text.to_sql(to, out),
            (Value::Blob(bytes), &Type::BYTEA) => bytes.to_sql(to, out),
            (value, to) => Err(format!("{value:?} does not fit a placeholder of type {to}").into()),
        }
    }

    fn accepts(to: &Type) -> bool {
        matches!(*to, Type::INT8 | Type::TEXT | Type::BYTEA)
    }

    tokio_postgres::types::to_sql_checked!();
}
