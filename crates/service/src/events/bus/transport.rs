//! PostgreSQL's notifications as a transport of messages between nodes.

use std::time::Duration;

use async_trait::async_trait;
use bus::{Incoming, Link, MESSAGE_BYTES_MAX, Transport};
use store::{Db, Listener, PAYLOAD_BYTES_MAX};

/// The channel of notifications.
const CHANNEL: &str = "dockside_hints";
/// How long connecting and sending a message may take.
const TIME_MAX: Duration = Duration::from_secs(5);

const _: () = assert!(MESSAGE_BYTES_MAX <= PAYLOAD_BYTES_MAX);

/// The notifications of a database.
pub struct Notifications(pub Db);

/// A connection that listens and notifies. PostgreSQL acknowledges both, so no probe is needed.
struct NotificationLink(Listener);

#[async_trait]
impl Transport for Notifications {
    async fn connect(&self, _probe: &str) -> bus::Result<Box<dyn Link>> {
        let listener = in_time(self.0.listen(CHANNEL)).await?;
        Ok(Box::new(NotificationLink(listener)))
    }

    async fn deliver(&self, message: &str) -> bus::Result<()> {
        in_time(self.0.notify(CHANNEL, message)).await
    }
}

#[async_trait]
impl Link for NotificationLink {
    async fn next(&mut self) -> bus::Result<Incoming> {
        let payload = self.0.heard().await.map_err(unavailable)?;
        Ok(Incoming::Message(payload.into_bytes()))
    }

    async fn send(&mut self, message: &str) -> bus::Result<()> {
        in_time(self.0.notify(message)).await
    }
}

async fn in_time<T>(work: impl Future<Output = model::Result<T>>) -> bus::Result<T> {
    match tokio::time::timeout(TIME_MAX, work).await {
        Ok(result) => result.map_err(unavailable),
        Err(_) => Err(unavailable(format!("no answer within {} s", TIME_MAX.as_secs()))),
    }
}

fn unavailable(error: impl std::fmt::Display) -> bus::Error {
    bus::Error::Unavailable(error.to_string())
}
