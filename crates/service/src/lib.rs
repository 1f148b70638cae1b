//! The operations of the product, each one transaction, and the jobs that run beside them. All decisions are made here.
//!
//! Architecture Invariant: a transaction awaits nothing but the database, and a request never calls the outside
//! world, except to ask carriers for rates. What the world must hear of is recorded with the change, and acted on later.

pub mod access;
mod cleaning;
mod components;
pub mod events;
pub mod exchange;
pub mod fulfilment;
pub mod jobs;
pub mod onboarding;
mod orders;
mod places;
pub mod platform;
mod settings;
pub mod shipping;
mod stock;
mod suspects;

use std::ops::Deref;
use std::sync::Arc;

use model::Result;
use store::Db;

pub use access::caller::{Caller, CallerSession};
pub use access::new_session::{SignInOrigin, SignedIn};
pub use access::reply::{Outcome, Reply};
pub use access::write::{Command, Idempotency, Precondition};
pub use cleaning::Retention;
pub use components::Components;
pub use events::users::UserChange;
pub use fulfilment::print_jobs::PrintJobFilter;
pub use onboarding::Welcome;
pub use orders::exceptions::NewException;
pub use platform::clock::{Clock, ClockState, SystemClock};
pub use platform::cursor::{Cursor, ListQuery, Listing};
pub use platform::random::{Random, SystemRandom};
pub use platform::wait_deadline::{WAIT_SECONDS_MAX, Wait};
pub use settings::Settings;
pub use shipping::batch_labels::LabelPage;
pub use store::events::events::Filter as EventFilter;
pub use store::exchange::exports::{ChangeFilter, LevelFilter};
pub use store::orders::allocations::Filter as AllocationFilter;
pub use store::orders::order_filters::Filter as OrderFilter;
pub use store::shipping::shipment_filters::ShipmentFilter;
pub use store::stock::inventory_levels::At;
pub use store::stock::item_filters::ItemFilter;
pub use store::{FairPermit, FairPermits, Page, Place};

/// The running product, behind whatever speaks to it: its components, in the order of their areas. Clones share it.
#[derive(Clone)]
pub struct Service(Arc<Components>);

impl Deref for Service {
    type Target = Components;

    fn deref(&self) -> &Components {
        &self.0
    }
}

impl Service {
    pub fn new(db: Db, clock: Arc<dyn Clock>, random: Arc<dyn Random>, settings: Settings) -> Result<Self> {
        Components::new(db, clock, random, settings).map(|components| Self(Arc::new(components)))
    }
}
