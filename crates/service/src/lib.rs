//! The operations of the product, each one transaction, and the jobs that run beside them. All decisions are made here.
//!
//! Architecture Invariant: a transaction awaits nothing but the database, and a request never calls the outside
//! world, except to ask carriers for rates. What the world must hear of is recorded with the change, and acted on later.

pub mod access;
mod cleaning;
pub mod events;
pub mod jobs;
mod orders;
mod places;
pub mod platform;
pub mod shipping;
mod stock;
mod suspects;

use std::sync::Arc;

use model::platform::id::Kind;
use model::{Code, Id, Owner, Result, Scope, Scopes, Timestamp, User, ensure};
use store::Db;

pub use access::access_tokens::Welcome;
pub use cleaning::Retention;
pub use platform::clock::ClockState;
pub use platform::context::{Clock, Random, SystemClock, SystemRandom};
pub use platform::cursor::{Cursor, ListQuery};
pub use platform::patience::WAIT_SECONDS_MAX;
pub use platform::reply::{Listing, Outcome, Reply};
pub use platform::write::{Command, Idempotency, Precondition};
pub use shipping::batch_labels::LabelPage;
pub use shipping::purchasing::Wait;
pub use store::events::events::Filter as EventFilter;
pub use store::orders::allocations::Filter as AllocationFilter;
pub use store::orders::orders::Filter as OrderFilter;
pub use store::stock::inventory_levels::At;
pub use store::{FairPermit, FairPermits, Page, Place};

/// Limits and keys that an operator sets.
#[derive(Clone)]
pub struct Settings {
    /// Page size where the caller names none, and the largest there is.
    pub page_limit_default: usize,
    pub page_limit_max: usize,
    /// Most shipments that a batch may have.
    pub batch_shipments_max: usize,
    /// How long an answer is kept for a repeated request, in seconds.
    pub idempotency_seconds: i64,
    /// How long an event is kept, in seconds.
    pub event_seconds: i64,
    /// How long histories and leftovers are kept.
    pub retention: Retention,
    /// Networks beside the public ones that may be called.
    pub outbound_allow: Vec<platform::outbound::Network>,
    pub stream: events::stream::Settings,
    pub carriers: shipping::purchasing::Settings,
    pub files: shipping::documents::Settings,
    /// The NATS server that carries hints between the nodes of one database, instead of the database itself.
    pub nats_url: Option<events::bus::nats::NatsUrl>,
    /// The share of other nodes' hints that is lost, in percent. Only tests set it.
    pub hint_loss_percent: u8,
    /// Signs cursors and file links. Nodes that share a database share it.
    pub signing_key: [u8; 32],
    /// Encrypts credentials at rest. Nodes that share a database share it.
    pub encryption_key: [u8; 32],
}

/// The running product, behind whatever speaks to it. Clones share it.
#[derive(Clone)]
pub struct Service(Arc<Inner>);

struct Inner {
    db: Db,
    clocks: platform::clock::Clocks,
    random: Arc<dyn Random>,
    settings: Settings,
    tokens: access::access_tokens::Cache,
    relay: events::relay::Relay,
    delivery: events::delivery::Delivery,
    purchasing: shipping::purchasing::Purchasing,
    manifesting: shipping::manifests::Manifesting,
    labelling: shipping::batch_labels::Labelling,
    node: platform::nodes::Node,
    restoration: platform::restorations::Memory,
    outbound: platform::outbound::Outbound,
    bus: events::bus::Bus,
    streams: events::stream::Streams,
    documents: shipping::documents::Documents,
}

/// The caller of an operation, as its access token says.
#[derive(Clone, Copy, Debug)]
pub struct Caller {
    pub owner: Owner,
    pub user: Id<User>,
    pub token: Id<model::AccessToken>,
    pub scopes: Scopes,
    /// When the token ends, if it does.
    pub expires_at: Option<Timestamp>,
}

impl Caller {
    /// Refuses a caller whose token lacks the scope.
    pub fn require(&self, scope: Scope) -> Result<()> {
        if self.scopes.contains(scope) {
            return Ok(());
        }
        let problem = model::Problem::from(Code::InsufficientScope);
        Err(problem.with_detail(format!("The token lacks the scope `{scope}`.")).into())
    }
}

impl Service {
    pub fn new(db: Db, clock: Arc<dyn Clock>, random: Arc<dyn Random>, settings: Settings) -> Result<Self> {
        let inner = Inner {
            outbound: platform::outbound::Outbound::new(&settings.outbound_allow)?,
            streams: events::stream::Streams::new(&settings.stream, &settings.signing_key, &*random)?,
            documents: shipping::documents::Documents::new(&settings.files, &settings.signing_key)?,
            db,
            clocks: platform::clock::Clocks::new(clock),
            random,
            settings,
            tokens: access::access_tokens::Cache::default(),
            relay: events::relay::Relay::default(),
            bus: events::bus::Bus::default(),
            delivery: events::delivery::Delivery::default(),
            purchasing: shipping::purchasing::Purchasing::default(),
            manifesting: shipping::manifests::Manifesting::default(),
            labelling: shipping::batch_labels::Labelling::default(),
            node: platform::nodes::Node::default(),
            restoration: platform::restorations::Memory::default(),
        };
        Ok(Self(Arc::new(inner)))
    }

    pub fn settings(&self) -> &Settings {
        &self.0.settings
    }

    /// Fills the bytes with randomness.
    pub fn fill_random(&self, bytes: &mut [u8]) {
        self.0.random.fill(bytes);
    }

    /// Whether the database answers.
    pub async fn is_ready(&self) -> Result<()> {
        let any =
            self.0.db.read(store::Access::System, async |tx| store::access::organisations::any(tx).await);
        any.await?;
        if self.0.node.is_failing() {
            return Err(Code::StoreNotWritable.into());
        }
        Ok(())
    }

    fn db(&self) -> &Db {
        &self.0.db
    }

    /// Returns the HTTP client for the outside world.
    pub fn outbound(&self) -> &platform::outbound::Outbound {
        &self.0.outbound
    }

    /// Wakes the tasks that number or send events. Call it after a commit that wrote events of this owner.
    fn notice(&self, owner: Owner) {
        if self.db().is_shared() {
            self.0.relay.signal.notify_one();
        } else {
            self.forget_position(owner);
            self.ring();
            self.hint_here(owner);
        }
    }

    fn new_id<K: Kind>(&self, now: Timestamp) -> Id<K> {
        platform::context::new_id(&*self.0.random, now)
    }
}

/// Refuses a resource that does not exist, or is not the caller's.
fn found<T>(resource: Option<T>) -> Result<T> {
    resource.ok_or_else(|| Code::NotFound.into())
}

/// The tag of a state of a resource that counts its versions.
fn version_etag(version: i64) -> String {
    format!("\"{version}\"")
}

/// Refuses a stale precondition.
fn ensure_current(precondition: &Precondition, etag: &str) -> Result<()> {
    ensure(precondition.permits(etag), Code::PreconditionFailed)
}
