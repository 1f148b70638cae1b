//! A transaction: statements in their order, of which only those are waited for that somebody needs the answer of. A
//! round trip is most of what a statement costs, and a change that is written in four of them takes one.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;

use model::{Error, Result};
use tokio_postgres::types::{IsNull, ToSql, Type, private::BytesMut};
use tokio_postgres::{Client, Statement};

use super::super::{Row, Value};
use super::pipeline::Sent;
use super::{Connection, End, Ended, Failure, PLANS_KEPT, fault, is_shutting_down};

/// Statements that may be on their way unanswered.
const UNANSWERED_MAX: usize = 256;

/// The system tells itself from others, and which line of its history it is on: a copy that went its own way has another.
const PLACE: &str = "SELECT s.system_identifier || '/' || c.timeline_id || '/' || d.oid
    FROM pg_control_system() s, pg_control_checkpoint() c, pg_database d WHERE d.datname = current_database()";
/// Where somebody took the right away to ask that.
const PLACE_IN_SYSTEM: &str = "SELECT CAST(oid AS TEXT) FROM pg_database WHERE datname = current_database()";
const MAY_ASK_SYSTEM: &str = "SELECT CAST(has_function_privilege('pg_control_system()', 'execute')
    AND has_function_privilege('pg_control_checkpoint()', 'execute') AS TEXT)";

/// A transaction on PostgreSQL. It begins with its first statement, in the same round trip.
pub struct PgTx<'a> {
    connection: &'a mut Connection,
    begin: Option<String>,
    /// What was sent and is not answered yet, in its order.
    unanswered: VecDeque<Sent<()>>,
    /// PostgreSQL rolls back at the end whatever had a failed statement in it, and calls that a commit.
    has_failed: bool,
}

impl<'a> PgTx<'a> {
    pub(super) fn new(connection: &'a mut Connection, begin: &str) -> Self {
        Self { connection, begin: Some(begin.to_owned()), unanswered: VecDeque::new(), has_failed: false }
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

    /// That it failed is told by the next that is waited for, or by the end.
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

    pub async fn place(&mut self) -> Result<String> {
        let may_ask = self.all(MAY_ASK_SYSTEM, &[]).await?.pop().map(|mut row| row.text(0)).transpose()?;
        let sql = if may_ask.as_deref() == Some("true") { PLACE } else { PLACE_IN_SYSTEM };
        let place = self.all(sql, &[]).await?.pop().map(|mut row| row.text(0)).transpose()?;
        Ok(place.unwrap_or_default())
    }

    /// Ends it, with all that was sent. The end is sent before that is answered.
    pub(super) async fn commit(mut self, end: End) -> Result<(), Ended> {
        if self.begin.is_some() {
            return Ok(());
        }
        if self.has_failed {
            let error = Error::fault("an operation went on after a statement that failed");
            return Err(self.roll_back(error).await);
        }
        // Over a connection that was gone already nothing was sent, and the end need not be.
        if self.unanswered.iter().any(Sent::is_refused)
            && let Err(error) = self.answer_all().await
        {
            return Err(self.roll_back(error).await);
        }
        let commit = control(&self.connection.client, "COMMIT").await;
        while let Some(sent) = self.unanswered.pop_front() {
            let Err(error) = sent.answer().await else { continue };
            // Where the server said so, the end that came after it was none. Where the answer is lost, nobody knows.
            return Err(match error.code() {
                Some(_) if commit.answer().await.is_ok() => Ended::RolledBack(fault(error)),
                Some(_) => Ended::Broken(Failure::Before(fault(error))),
                None => Ended::Broken(Failure::Unknown(fault(error))),
            });
        }
        if end == End::Sent {
            return Ok(());
        }
        commit.answer().await.map_err(|error| match error.code() {
            // The server said no, so it is not committed. That it goes down says neither.
            Some(code) if !is_shutting_down(code) => Ended::Broken(Failure::Before(fault(error))),
            _ => Ended::Broken(Failure::Unknown(fault(error))),
        })
    }

    /// Ends it as if it had never been, because of this error.
    pub(super) async fn roll_back(self, error: Error) -> Ended {
        if self.begin.is_none() && self.connection.client.batch_execute("ROLLBACK").await.is_err() {
            return Ended::Broken(Failure::Before(error));
        }
        Ended::RolledBack(error)
    }

    /// All that is needed to run a statement. The first begins the transaction.
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
        let prepared = self.connection.client.prepare(sql).await;
        // After a statement that failed none is prepared: that one tells why.
        self.answer_all().await?;
        self.has_failed |= prepared.is_err();
        let statement = prepared.map_err(fault)?;
        self.connection.statements.insert(sql, statement.clone());
        Ok(statement)
    }

    /// Waits for an answer, and for all that were due before it.
    async fn answer<T>(&mut self, sent: Sent<T>) -> Result<T> {
        self.answer_all().await?;
        let answer = sent.answer().await;
        self.has_failed |= answer.is_err();
        answer.map_err(fault)
    }

    async fn answer_all(&mut self) -> Result<()> {
        while let Some(sent) = self.unanswered.pop_front() {
            let answer = sent.answer().await;
            self.has_failed |= answer.is_err();
            answer.map_err(fault)?;
        }
        Ok(())
    }
}

/// Sends what begins or ends a transaction.
async fn control(client: &Arc<Client>, text: &str) -> Sent<()> {
    let (client, text) = (Arc::clone(client), text.to_owned());
    Sent::new(async move { client.batch_execute(&text).await }).await
}

/// A statement with its values, and who sends it.
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
