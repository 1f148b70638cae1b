//! Which rows a transaction may touch.

use model::Owner;
use model::platform::fair::Tenant;

/// The rows that a transaction may touch. On PostgreSQL, row level security enforces it.
#[derive(Clone, Copy)]
pub enum Access {
    Owner(Owner),
    /// Work that spans organisations: relays, cleaning, the command line.
    System,
}

impl Access {
    /// Returns the tenant whose turn the transaction uses.
    pub(super) fn tenant(self) -> Tenant {
        match self {
            Access::Owner(owner) => owner.into(),
            Access::System => Tenant::System,
        }
    }
}

impl From<Owner> for Access {
    fn from(owner: Owner) -> Self {
        Access::Owner(owner)
    }
}
