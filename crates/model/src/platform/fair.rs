//! Fair scheduling between tenants: which waiting request is served next if capacity is short.
//!
//! Both structures are pure. [`Queue`] holds work for threads to take. [`Permits`] counts permits that
//! are held while work is in progress. In order of arrival, one organisation with 5,000 requests would make every
//! other wait for all of them. Here each tenant has its own queue, and the queues are served in turn.

mod permits;
mod queue;
mod tenants;

pub use permits::{Asked, Permits};
pub use queue::{Full, Queue};

use crate::{Id, Organisation, Owner};

/// The party that a piece of work is done for. Each tenant has its own queue.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Tenant {
    /// An organisation. Its two worlds share one queue, so that the test world does not add a second share.
    Organisation(Id<Organisation>),
    /// The server's own work, such as relays and cleaning.
    System,
    /// Requests whose organisation is not known, such as requests for a token.
    Unknown,
}

impl From<Owner> for Tenant {
    fn from(owner: Owner) -> Self {
        Self::Organisation(owner.organisation)
    }
}
