//! The transport of hints between nodes: none for a single node, PostgreSQL's notifications, or NATS.

use std::time::Duration;

use model::{Error, Result};
use store::{Db, Listener};

use crate::events::bus::nats::{self, NatsUrl};

/// The channel of notifications, and the subject of NATS. Several installations on one NATS server receive each other's hints,
/// which only costs them a read.
const CHANNEL: &str = "dockside_hints";
const SUBJECT: &str = "dockside.hints";
/// How long connecting and sending a message may take.
const TIME_MAX: Duration = Duration::from_secs(5);

pub enum Carrier {
    None,
    Postgres(Db),
    Nats(NatsUrl),
}

/// A connection that sends and receives hints.
pub enum BusConnection {
    Postgres(Listener),
    Nats(nats::NatsConnection),
}

impl Carrier {
    pub async fn connect(&self) -> Result<BusConnection> {
        match self {
            Carrier::None => Err(Error::fault("there are no other nodes")),
            Carrier::Postgres(db) => in_time(db.listen(CHANNEL)).await.map(BusConnection::Postgres),
            Carrier::Nats(url) => {
                in_time(nats::NatsConnection::connect(url, SUBJECT)).await.map(BusConnection::Nats)
            }
        }
    }
}

impl BusConnection {
    /// Returns the next message. It is cancel safe.
    pub async fn heard(&mut self) -> Result<Vec<u8>> {
        match self {
            BusConnection::Postgres(listener) => listener.heard().await.map(String::into_bytes),
            BusConnection::Nats(line) => line.heard().await,
        }
    }

    pub async fn tell(&mut self, message: &str) -> Result<()> {
        match self {
            BusConnection::Postgres(listener) => in_time(listener.notify(message)).await,
            BusConnection::Nats(line) => in_time(line.publish(message.as_bytes())).await,
        }
    }

    /// Closes the connection once the server has received all messages.
    pub async fn close(self) -> Result<()> {
        match self {
            // PostgreSQL acknowledges each message.
            BusConnection::Postgres(_) => Ok(()),
            BusConnection::Nats(line) => in_time(line.close()).await,
        }
    }
}

async fn in_time<T>(work: impl Future<Output = Result<T>>) -> Result<T> {
    match tokio::time::timeout(TIME_MAX, work).await {
        Ok(result) => result,
        Err(_) => Err(Error::unavailable(format!("no answer within {} s", TIME_MAX.as_secs()))),
    }
}
