//! Messages between the servers of one installation, which may be lost. It knows nothing of the product: a message is a text
//! of at most [`MESSAGE_BYTES_MAX`] bytes, and the program says what it means.
//!
//! What waits to be sent is gathered in an [`Outbox`]. An [`Exchange`] sends it as one message now and then, receives the
//! messages of others, and reconnects. A [`Transport`] carries the messages: [`nats`] is one, and the program may bring its own,
//! such as the notifications of its database.

mod envelope;
mod error;
mod exchange;
pub mod nats;
mod outbox;
mod transport;

pub use error::{Error, Result};
pub use exchange::{Exchange, Handler};
pub use outbox::{Outbox, Pending};
pub use transport::{Incoming, Link, Transport};

/// The longest message, with its envelope, in bytes. It is what a notification of PostgreSQL can carry.
pub const MESSAGE_BYTES_MAX: usize = 7_999;
/// The longest envelope, with the space behind it, in bytes. A program's own text may fill the rest.
pub const ENVELOPE_BYTES_MAX: usize = 64;
