//! What carries messages.

use async_trait::async_trait;

use crate::error::{Error, Result};

/// A service that carries each message to all nodes that are connected to it.
#[async_trait]
pub trait Transport: Send + Sync {
    /// Connects, and subscribes: messages that are sent from now on are received. `probe` is a message without content, which
    /// the transport may send to find out that it receives.
    async fn connect(&self, probe: &str) -> Result<Box<dyn Link>>;

    /// Sends one message over a connection of its own, and returns once the service has received it.
    async fn deliver(&self, message: &str) -> Result<()>;
}

/// A connection that sends and receives.
#[async_trait]
pub trait Link: Send {
    /// Waits for what happens next. It is cancel safe. After an error the link is of no more use.
    async fn next(&mut self) -> Result<Incoming>;

    /// Sends a message. The service may receive it later, or never.
    async fn send(&mut self, message: &str) -> Result<()>;
}

/// What happens on a link.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Incoming {
    /// A message arrived. It may be this node's own.
    Message(Vec<u8>),
    /// Messages were dropped, because they arrived faster than they were read.
    Dropped,
    /// The connection was lost, or can't be restored for this reason. The link goes on trying.
    Lost(Error),
    /// The connection was restored: messages that are sent from now on are received.
    Restored,
}
