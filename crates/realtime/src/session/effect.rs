//! The effects that a session requests from its driver, and their results.
//!
//! A session performs no effect itself. It requests one effect at a time and waits for its result, so a result needs
//! no number: it belongs to the last effect.

use std::sync::Arc;

use bytes::Bytes;

use crate::channel::{Channel, EventStream};
use crate::code::Disconnect;
use crate::frame::Frame;
use crate::token::Grant;

use super::settings::ClientId;

/// An output of a session.
#[derive(PartialEq, Debug)]
pub enum Output {
    /// Send this frame to the client.
    Send(Frame),
    /// Close the connection. No output follows.
    Close(Disconnect),
    Do(Effect),
}

/// An action outside of the session, on the hub or the database.
#[derive(PartialEq, Debug)]
pub enum Effect {
    /// Register and count the connection, so that control messages reach it. The result is
    /// [`EffectResult::Registered`].
    Register(Grant),
    /// Check that the access token is valid, still has the scopes that it had, and that its owner is provisioned. The
    /// result is [`EffectResult::AccessChecked`]. Always requested after [`Effect::Register`], so that a later
    /// revocation finds the connection.
    CheckAccess(Grant),
    /// Add the outbox to the channel's listeners. Has no result.
    Attach(Channel),
    /// Remove the outbox from the channel's listeners. Has no result.
    Detach(Channel),
    /// Read the log. The result is [`EffectResult::Log`], with one slice per read.
    Read(Vec<ReadLog>),
    /// List the connections on the channel. The result is [`EffectResult::Present`].
    Presence(Channel),
}

/// The result of an [`Effect`].
#[derive(Debug)]
pub enum EffectResult {
    /// Fails if there are too many connections.
    Registered(Result<(), Disconnect>),
    /// Fails with the close to use for a connection that depends on this access token.
    AccessChecked(Result<(), Disconnect>),
    /// One slice per read, in the order of the reads.
    Log(Vec<Slice>),
    Present(Vec<ClientId>),
    /// An internal error, for example of the database. The client may retry.
    Failed,
}

/// A read of the log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadLog {
    pub stream: EventStream,
    pub range: Range,
    /// Maximum number of events. Zero reads the position only.
    pub limit: usize,
    /// Bytes of data after which no further event is needed.
    pub bytes_max: usize,
}

/// The events to read, and their order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Range {
    /// The events after this offset, the oldest first.
    After(u64),
    /// The events before this offset, the newest first.
    Before(u64),
}

/// A part of the log of one stream.
///
/// Recovery relies on two rules. Events become visible in order: a reader that sees an offset has seen, or can read,
/// all events before it. An event is published to the hub only after readers can see it. `events` and `top` may be
/// read at different times, in either order, but not before the read was requested.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slice {
    /// The log's epoch. A restored log has a new epoch, so that positions in the old log are recognised as invalid.
    pub epoch: Arc<str>,
    /// The offset of the newest event, or a higher offset at which this stream had no event.
    pub top: u64,
    /// The offset before the oldest event that is still stored.
    pub floor: u64,
    pub events: Vec<LogEvent>,
    /// Whether `events` holds all events of the range.
    pub is_complete: bool,
}

/// An event as it is stored in the log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogEvent {
    pub offset: u64,
    /// JSON on one line.
    pub data: Bytes,
}
