//! LISTEN and NOTIFY, on connections outside of the pool.
//!
//! Each notification is a transaction of its own, which does not wait for the disk. Inside a writing transaction,
//! NOTIFY would hold a lock on the whole database while the commit is flushed, and all writers would queue: 500
//! commits/s instead of 5,000.

use std::future::poll_fn;
use std::sync::Arc;
use std::time::{Duration, Instant};

use model::{Error, Result};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::{AsyncMessage, Client, Connection, Socket, Statement};

use super::Pool;
use super::connection::{OPEN_TIME_MAX, within};
use super::tls::Stream;

/// The largest payload of a notification, in bytes. PostgreSQL refuses more.
pub const PAYLOAD_BYTES_MAX: usize = 7_999;
/// Notifications that may wait for the listener. If there are more, the connection is closed as if it had broken: a
/// listener that does not read must not fill the server's queue, which all listeners share.
const UNHEARD_MAX: usize = 1024;
/// How long a listener may receive nothing before it pings the server.
const PING_AFTER: Duration = Duration::from_secs(15);
const ANSWER_TIME_MAX: Duration = Duration::from_secs(8);
/// A crash may lose a notification, so it need not wait for the disk. Nor may it wait for long.
const SESSION: &str = "SET synchronous_commit = off; SET statement_timeout = '5s'";
const NOTIFY: &str = "SELECT pg_notify($1, $2)";

/// A connection that listens on a channel.
pub struct Listener {
    channel: &'static str,
    client: Client,
    notify: Statement,
    payloads: mpsc::Receiver<String>,
    /// When the server last answered or notified.
    heard_at: Instant,
    forwarding: JoinHandle<()>,
}

impl Pool {
    pub async fn listen(&self, channel: &'static str) -> Result<Listener> {
        let listener = self.connect_beside(channel).await?;
        let listen = format!("LISTEN \"{channel}\"");
        within(ANSWER_TIME_MAX, listener.client.batch_execute(&listen)).await?;
        Ok(listener)
    }

    pub async fn notify(&self, channel: &'static str, payload: &str) -> Result<()> {
        self.connect_beside(channel).await?.notify(payload).await
    }

    /// Opens a connection outside of the pool. Its task runs in the pool's runtime: it may outlive the caller, whose
    /// threads may have a low priority.
    async fn connect_beside(&self, channel: &'static str) -> Result<Listener> {
        let shared = Arc::clone(&self.shared);
        let connect = self.shared.runtime.spawn(async move {
            let (client, connection) =
                within(OPEN_TIME_MAX, shared.config.connect(shared.tls.clone())).await?;
            let (heard, payloads) = mpsc::channel(UNHEARD_MAX);
            let forwarding = tokio::spawn(forward(connection, heard));
            let prepare = async {
                client.batch_execute(SESSION).await?;
                client.prepare(NOTIFY).await
            };
            let notify = within(ANSWER_TIME_MAX, prepare).await.inspect_err(|_| forwarding.abort())?;
            Ok(Listener { channel, client, notify, payloads, heard_at: Instant::now(), forwarding })
        });
        connect.await.map_err(Error::fault)?
    }
}

impl Listener {
    pub async fn heard(&mut self) -> Result<String> {
        loop {
            let silence = PING_AFTER.saturating_sub(self.heard_at.elapsed());
            if let Ok(payload) = timeout(silence, self.payloads.recv()).await {
                self.heard_at = Instant::now();
                return payload.ok_or_else(|| Error::unavailable("the connection that listens is broken"));
            }
            // A server that vanished without closing the connection looks like one that has no notification to send,
            // so ping it.
            within(ANSWER_TIME_MAX, self.client.batch_execute("")).await?;
            self.heard_at = Instant::now();
        }
    }

    pub async fn notify(&self, payload: &str) -> Result<()> {
        if payload.len() > PAYLOAD_BYTES_MAX {
            return Err(Error::fault(format!("{} bytes are too many to notify of", payload.len())));
        }
        let notify = async { self.client.execute(&self.notify, &[&self.channel, &payload]).await.map(drop) };
        within(ANSWER_TIME_MAX, notify).await
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        // A connection with an unanswered request would stay open for as long as the server is silent.
        self.forwarding.abort();
    }
}

/// Forwards notifications to the listener, until the connection ends, the listener is dropped, or its queue is full.
async fn forward(mut connection: Connection<Socket, Stream>, heard: mpsc::Sender<String>) {
    while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
        if let AsyncMessage::Notification(notification) = message
            && heard.try_send(notification.payload().to_owned()).is_err()
        {
            return;
        }
    }
}
