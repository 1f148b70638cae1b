//! LISTEN and NOTIFY, on connections beside the pool's.
//!
//! A notification is a transaction of its own that does not wait for the disk. Within one that writes, it would hold a
//! lock of the whole database while the commit is flushed, and all writers would queue: 500 commits/s instead of 5,000.

use std::future::poll_fn;
use std::time::Duration;

use model::{Error, Result};
use tokio::sync::mpsc;
use tokio_postgres::tls::NoTlsStream;
use tokio_postgres::{AsyncMessage, Client, Config, Connection, NoTls, Socket, Statement};

use super::{Pool, fault};

/// The longest thing that can be told, in bytes; PostgreSQL refuses more.
pub const PAYLOAD_BYTES_MAX: usize = 7_999;
/// Notifications that may wait to be heard. Beyond it the connection is closed, as if it had broken: a listener that
/// stands still must not fill up the server's queue, which is one for all.
const UNHEARD_MAX: usize = 1024;
/// A server that is gone without a word is found out by these, since a listener sends nothing that it could miss an
/// answer to.
const KEEPALIVE_IDLE: Duration = Duration::from_secs(20);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(5);
const KEEPALIVE_RETRIES: u32 = 3;
/// What is told is lost in a crash, like everything that is told; and it must not wait for long.
const SESSION: &str = "SET synchronous_commit = off; SET statement_timeout = '5s'";
const NOTIFY: &str = "SELECT pg_notify($1, $2)";

/// A connection that listens.
pub struct Listener {
    channel: &'static str,
    client: Client,
    notify: Statement,
    payloads: mpsc::Receiver<String>,
}

impl Pool {
    pub async fn listen(&self, channel: &'static str) -> Result<Listener> {
        let listener = self.connect_beside(channel).await?;
        listener.client.batch_execute(&format!("LISTEN \"{channel}\"")).await.map_err(fault)?;
        Ok(listener)
    }

    pub async fn notify(&self, channel: &'static str, payload: &str) -> Result<()> {
        self.connect_beside(channel).await?.notify(payload).await
    }

    /// A connection outside of the pool, which lives where the pool was opened, and as long as what is given.
    async fn connect_beside(&self, channel: &'static str) -> Result<Listener> {
        let config = quick_to_notice(self.config.clone());
        let connect = self.runtime.spawn(async move {
            let (client, connection) = config.connect(NoTls).await?;
            let (heard, payloads) = mpsc::channel(UNHEARD_MAX);
            tokio::spawn(forward(connection, heard));
            client.batch_execute(SESSION).await?;
            let notify = client.prepare(NOTIFY).await?;
            Ok::<_, tokio_postgres::Error>(Listener { channel, client, notify, payloads })
        });
        connect.await.map_err(Error::fault)?.map_err(fault)
    }
}

impl Listener {
    pub async fn heard(&mut self) -> Result<String> {
        let payload = self.payloads.recv().await;
        payload.ok_or_else(|| Error::unavailable("the connection that listens is broken"))
    }

    pub async fn notify(&self, payload: &str) -> Result<()> {
        if payload.len() > PAYLOAD_BYTES_MAX {
            return Err(Error::fault(format!("{} bytes are too many to notify of", payload.len())));
        }
        self.client.execute(&self.notify, &[&self.channel, &payload]).await.map(drop).map_err(fault)
    }
}

fn quick_to_notice(mut config: Config) -> Config {
    config.keepalives_idle(KEEPALIVE_IDLE);
    config.keepalives_interval(KEEPALIVE_INTERVAL);
    config.keepalives_retries(KEEPALIVE_RETRIES);
    config
}

/// Passes on what is heard, until the connection ends or nobody takes it any more.
async fn forward(mut connection: Connection<Socket, NoTlsStream>, heard: mpsc::Sender<String>) {
    while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
        if let AsyncMessage::Notification(notification) = message
            && heard.try_send(notification.payload().to_owned()).is_err()
        {
            return;
        }
    }
}
