//! What a hint says: where to look.

use std::sync::Arc;

use model::Owner;

/// What may have changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Hint {
    /// The logs of these owners have new events that can be read.
    Events(Arc<[Owner]>),
    /// Any log may have new events: there are too many owners to name, or hints may have been lost because the bus was
    /// reconnected or a receiver lagged.
    Anything,
    /// A token was revoked, or a provision was deleted.
    Access,
    /// The operator published an announcement.
    Announcement,
}
