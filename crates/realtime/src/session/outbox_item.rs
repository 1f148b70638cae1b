//! The items that other parts of the server send to a session.

use std::sync::Arc;

use bytes::Bytes;
use model::{AccessToken, Id};

use crate::channel::{EventStream, Resource};
use crate::code::Disconnect;
use crate::frame::{Broadcast, MessagePrefix};

/// An item that other parts of the server send to a session. Items are handled in order.
#[derive(Clone, Debug)]
pub enum OutboxItem {
    /// Events of a channel that the session is attached to, in order. All listeners share the slice, because one
    /// reference count for several events costs less than one per event.
    Events {
        prefix: Arc<MessagePrefix>,
        events: Arc<[Arc<Broadcast>]>,
    },
    Control(ControlMessage),
    /// A frame that arrived through `/emulation`.
    Input(Bytes),
}

/// A change that a session applies at once. The hub sends it to all connections of an audience; each session decides
/// whether the change concerns it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ControlMessage {
    /// Close the connection. After [`Disconnect::FORCE`] SDKs stop; after [`Disconnect::SHUTDOWN`] they reconnect to
    /// another node.
    Disconnect(Disconnect),
    /// An access token was revoked. A connection opened with it is closed with 3014, so that the SDK requests a new
    /// token and is refused there. A channel joined with it is unsubscribed.
    RevokeToken(Id<AccessToken>),
    /// An access token may no longer read a resource. The resource's channel is unsubscribed.
    RevokeResource { access_token: Id<AccessToken>, resource: Resource },
    /// Positions in this stream are invalid, for example after a restore. The SDK subscribes again without a
    /// position.
    Resync(EventStream),
}
