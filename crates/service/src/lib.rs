//! The operations of the product, each one transaction, and the jobs that run beside them. All decisions are made here.
//!
//! Architecture Invariant: a transaction awaits nothing but the database, and a request never calls the outside
//! world, except to ask carriers for rates. What the world must hear of is recorded with the change, and acted on later.

pub mod access_tokens;
mod allocations;
mod audit;
mod batch_labels;
mod batches;
pub mod bus;
mod carrier_accounts;
mod carrier_webhooks;
mod carriers;
mod cleaning;
mod clock;
mod context;
mod cursor;
pub mod delivery;
pub mod documents;
pub mod durable;
pub mod events;
pub mod fault;
mod geo;
mod inventory_items;
mod inventory_levels;
pub mod jobs;
mod location_configurations;
mod locations;
pub mod log;
mod manifests;
mod nodes;
mod order_references;
mod orders;
mod organisations;
pub mod outbound;
mod patience;
mod plans;
pub mod provisions;
pub mod purchasing;
mod rates;
mod relay;
mod reply;
mod restorations;
pub mod revocations;
mod shipments;
mod stock;
pub mod stream;
mod suspects;
mod vault;
mod webhook_deliveries;
mod webhook_endpoints;
mod write;

use std::sync::Arc;

use model::id::Kind;
use model::{Code, Id, Owner, Result, Scope, Scopes, Timestamp, User, ensure};
use store::Db;

pub use access_tokens::Welcome;
pub use batch_labels::LabelPage;
pub use cleaning::Retention;
pub use clock::ClockState;
pub use context::{Clock, Random, SystemClock, SystemRandom};
pub use cursor::{Cursor, ListQuery};
pub use patience::WAIT_SECONDS_MAX;
pub use purchasing::Wait;
pub use reply::{Listing, Outcome, Reply};
pub use store::allocations::Filter as AllocationFilter;
pub use store::events::Filter as EventFilter;
pub use store::inventory_levels::At;
pub use store::orders::Filter as OrderFilter;
pub use store::{FairPermit, FairPermits, Page, Place};
pub use write::{Command, Idempotency, Precondition};

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
    pub outbound_allow: Vec<outbound::Network>,
    pub stream: stream::Settings,
    pub carriers: purchasing::Settings,
    pub files: documents::Settings,
    /// The NATS server that carries hints between the nodes of one database, instead of the database itself.
    pub nats_url: Option<bus::nats::NatsUrl>,
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
    clocks: clock::Clocks,
    random: Arc<dyn Random>,
    settings: Settings,
    tokens: access_tokens::Cache,
    relay: relay::Relay,
    delivery: delivery::Delivery,
    purchasing: purchasing::Purchasing,
    manifesting: manifests::Manifesting,
    labelling: batch_labels::Labelling,
    node: nodes::Node,
    restoration: restorations::Memory,
    outbound: outbound::Outbound,
    bus: bus::Bus,
    streams: stream::Streams,
    documents: documents::Documents,
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
            outbound: outbound::Outbound::new(&settings.outbound_allow)?,
            streams: stream::Streams::new(&settings.stream, &settings.signing_key, &*random)?,
            documents: documents::Documents::new(&settings.files, &settings.signing_key)?,
            db,
            clocks: clock::Clocks::new(clock),
            random,
            settings,
            tokens: access_tokens::Cache::default(),
            relay: relay::Relay::default(),
            bus: bus::Bus::default(),
            delivery: delivery::Delivery::default(),
            purchasing: purchasing::Purchasing::default(),
            manifesting: manifests::Manifesting::default(),
            labelling: batch_labels::Labelling::default(),
            node: nodes::Node::default(),
            restoration: restorations::Memory::default(),
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
        let any = self.0.db.read(store::Access::System, async |tx| store::organisations::any(tx).await);
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
    pub fn outbound(&self) -> &outbound::Outbound {
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
        context::new_id(&*self.0.random, now)
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
