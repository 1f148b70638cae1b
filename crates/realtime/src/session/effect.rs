//! What a session asks of the world around it, and what the world answers.
//!
//! A session does nothing itself. It asks for one thing at a time and waits for the answer, so an answer needs no
//! number: it belongs to the last question.

use std::sync::Arc;

use bytes::Bytes;

use crate::channel::{Channel, Stream};
use crate::code::Disconnect;
use crate::frame::Frame;
use crate::token::Grant;

use super::settings::ClientId;

/// What a session wants done next.
#[derive(PartialEq, Debug)]
pub enum Output {
    /// Send this to the client.
    Send(Frame),
    /// Close the connection; nothing comes after it.
    Close(Disconnect),
    Do(Effect),
}

/// Something that a session can't do itself.
#[derive(PartialEq, Debug)]
pub enum Effect {
    /// Count the connection, from now on let orders reach it, and answer [`Answer::Entered`].
    Enter(Grant),
    /// Find out whether the access token still lives, is allowed what it was, and its owner is provisioned; answer
    /// [`Answer::Vouched`]. Always asked after [`Effect::Enter`]: whoever revokes later finds the connection.
    Vouch(Grant),
    /// Let the channel's events reach the outbox, from now on. No answer.
    Attach(Channel),
    /// No longer. No answer.
    Detach(Channel),
    /// Read the log and answer [`Answer::Log`], with a slice for each.
    Read(Vec<ReadLog>),
    /// Say who else is on the channel: answer [`Answer::Present`].
    Presence(Channel),
}

/// What happened in answer to an [`Effect`].
#[derive(Debug)]
pub enum Answer {
    /// Or why not: there are too many connections.
    Entered(Result<(), Disconnect>),
    /// Or with what to close a connection that leans on this token.
    Vouched(Result<(), Disconnect>),
    /// In the order of the questions.
    Log(Vec<Slice>),
    Present(Vec<ClientId>),
    /// Something broke, such as the database. The client may try again.
    Failed,
}

/// A question to the log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadLog {
    pub stream: Stream,
    pub range: Range,
    /// Events at most; zero asks for the position only.
    pub limit: usize,
    /// Bytes of data after which no further event is needed.
    pub bytes_max: usize,
}

/// Which events, in which order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Range {
    /// Those after this offset, the oldest first.
    After(u64),
    /// Those before this offset, the newest first.
    Before(u64),
}

/// A part of the log of one stream.
///
/// Events must be visible in order: whoever sees an offset must have seen, or be able to read, all before it. And an
/// event may be published to the hub only once it is visible to readers. On these two the recovery rests. Events and
/// `top` need not be read at the same moment, in either order; only not before the question was asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slice {
    /// Which log this is. A new one when it was restored, so that old positions are known to be worthless.
    pub epoch: Arc<str>,
    /// The offset of the newest event, or a higher one at which there was none for this stream.
    pub top: u64,
    /// The offset before the oldest event that is still there.
    pub floor: u64,
    pub events: Vec<LogEvent>,
    /// Whether `events` is all that the range has.
    pub is_complete: bool,
}

/// An event as the log has it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LogEvent {
    pub offset: u64,
    /// JSON on one line.
    pub data: Bytes,
}
