//! The command of a session whose effect is in progress.

use model::{AccessToken, Id};

use crate::channel::{Channel, ChannelTopic};
use crate::token::Grant;

use super::recovery::RecoveryPosition;

/// A command that waits for the result of an effect.
pub(super) enum PendingCommand {
    Connect(Connecting),
    Subscribe(Subscribing),
    Refresh(Refreshing),
    SubRefresh(SubRefreshing),
    /// A history request, with the epoch that the client sent.
    History {
        id: u32,
        epoch: String,
    },
    Presence {
        id: u32,
        only_counts: bool,
    },
}

/// A connect command that waits for the result of an effect.
pub(super) struct Connecting {
    pub id: u32,
    pub grant: Grant,
    pub expires_ms: u64,
    /// The channels of the token, with the client's position in each.
    pub wanted: Vec<(ChannelTopic, RecoveryPosition)>,
}

/// A subscribe command that waits for the result of an effect.
pub(super) struct Subscribing {
    pub id: u32,
    pub channel: Channel,
    pub wanted: RecoveryPosition,
}

/// A refresh whose token is verified and whose access check is in progress.
pub(super) struct Refreshing {
    pub id: u32,
    pub grant: Grant,
    pub expires_ms: u64,
}

/// A refresh of one channel's token, whose access check is in progress.
pub(super) struct SubRefreshing {
    pub id: u32,
    pub topic: ChannelTopic,
    pub access_token: Id<AccessToken>,
    pub expires_ms: u64,
}
