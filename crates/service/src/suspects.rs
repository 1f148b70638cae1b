//! Suspects: work that may be the reason why servers stop. If a node claims work whose last holder stopped without releasing
//! it, the work's count of stops goes up by one; releasing it sets the count to 0. With two stops in a row the work is a
//! suspect: a node resumes it alone, so that the next stop counts against no other work. After one stop alone, or three of a
//! purchase or a lane, a node sets it aside, and only a person's request begins it again.
//!
//! Architecture Invariant: a node resumes one suspect at a time, whatever kind of work it is. A purchase or a lane that takes long
//! is the exception while it is resumed alone for the first time: it goes on beside the next ones.

mod rule;

use std::sync::Arc;
use std::time::Duration;

use model::{Result, Timestamp};
use store::events::stream_relays::Held as Relay;
use store::events::webhook_lanes::Held as Lane;
use store::events::{stream_relays, webhook_lanes};
use store::platform::suspects;
use store::shipping::batch_labels::Work;
use store::shipping::manifests::StoredManifest as Manifest;
use store::shipping::purchases::Purchase;
use store::shipping::{batch_labels, manifests, purchases};
use store::{Access, Tx};
use tokio::task::JoinSet;
use tracing::{error, warn};

use self::rule::{STOPS_MAX, STOPS_MAX_OF_MANY};
use crate::events::delivery::Delivery;
use crate::events::stream::Streams;
use crate::platform::context::Context;
use crate::platform::nodes::Nodes;
use crate::platform::set_aside::STOPS_FIRST;
use crate::shipping::batch_labels::BatchLabels;
use crate::shipping::manifests::Manifests;
use crate::shipping::purchasing::Purchasing;

/// How often a node looks for suspects.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// How long a purchase or a lane is alone when it is resumed for the first time. It may wait for a slow carrier or receiver, and
/// there may be hundreds behind it.
const ALONE_TIME: Duration = Duration::from_secs(2);

/// Work that is resumed alone.
enum Suspect {
    Manifest(Box<Manifest>),
    Labels(Box<Work>),
    Relay(Relay),
    Purchase(Box<Purchase>),
    Lane(Lane),
}

/// What a node may claim.
#[derive(Clone, Copy)]
struct Limits {
    /// Whether no other suspect is under way on the node.
    is_quiet: bool,
    /// The largest number of stops of purchases and lanes.
    stops_max: i64,
    has_relays: bool,
}

impl Suspect {
    /// Claims the first there is, one kind of work after another.
    async fn claim(tx: &mut Tx<'_>, node: &str, now: Timestamp, limits: Limits) -> Result<Option<Self>> {
        if limits.is_quiet
            && let Some(suspect) = Self::claim_file(tx, node, now, limits.has_relays).await?
        {
            return Ok(Some(suspect));
        }
        if let Some(purchase) = purchases::claim_suspect(tx, node, now, limits.stops_max).await? {
            return Ok(Some(Self::Purchase(Box::new(purchase))));
        }
        Ok(webhook_lanes::claim_suspect(tx, node, now, limits.stops_max).await?.map(Self::Lane))
    }

    /// Claims a manifest, the labels of a batch or a relay. Each is set aside after one stop alone, so nothing else may be under
    /// way.
    async fn claim_file(
        tx: &mut Tx<'_>,
        node: &str,
        now: Timestamp,
        has_relays: bool,
    ) -> Result<Option<Self>> {
        if let Some(manifest) = manifests::claim_suspect(tx, node, now).await? {
            return Ok(Some(Self::Manifest(Box::new(manifest))));
        }
        if let Some(work) = batch_labels::claim_suspect(tx, node, now).await? {
            return Ok(Some(Self::Labels(Box::new(work))));
        }
        match has_relays {
            true => Ok(stream_relays::claim_suspect(tx, node, now).await?.map(Self::Relay)),
            false => Ok(None),
        }
    }

    fn crashes(&self) -> i64 {
        match self {
            Self::Manifest(manifest) => manifest.crashes,
            Self::Labels(work) => work.crashes,
            Self::Relay(relay) => relay.crashes,
            Self::Purchase(purchase) => purchase.crashes,
            Self::Lane(lane) => lane.crashes,
        }
    }

    /// Whether it is one of the many purchases and lanes that a server holds.
    fn is_of_many(&self) -> bool {
        matches!(self, Self::Purchase(_) | Self::Lane(_))
    }

    /// Whether it is to be set aside.
    fn is_over(&self) -> bool {
        self.crashes() >= if self.is_of_many() { STOPS_MAX_OF_MANY } else { STOPS_MAX }
    }

    /// Whether other suspects may begin before it ends, if it takes long.
    fn is_first(&self) -> bool {
        self.is_of_many() && self.crashes() <= STOPS_FIRST
    }

    /// What it is, for the log.
    fn name(&self) -> String {
        match self {
            Self::Manifest(manifest) => format!("the manifest {}", manifest.id),
            Self::Labels(work) => {
                format!("the labels of the batch {} as {}", work.batch, work.format.as_str())
            }
            Self::Relay(relay) => format!("the event {} of {}", relay.cursor + 1, relay.owner),
            Self::Purchase(purchase) => {
                format!("the purchase {} in state {}", purchase.id, purchase.state.as_str())
            }
            Self::Lane(lane) => {
                format!("the lane of the endpoint {} after event {}", lane.endpoint, lane.cursor)
            }
        }
    }
}

/// Resumes suspects.
#[derive(Clone)]
pub struct Suspects {
    context: Context,
    nodes: Nodes,
    streams: Streams,
    delivery: Delivery,
    purchasing: Purchasing,
    batch_labels: BatchLabels,
    manifests: Manifests,
}

impl Suspects {
    pub(crate) fn new(
        context: &Context,
        nodes: &Nodes,
        streams: &Streams,
        delivery: &Delivery,
        purchasing: &Purchasing,
        batch_labels: &BatchLabels,
        manifests: &Manifests,
    ) -> Self {
        Self {
            context: context.clone(),
            nodes: nodes.clone(),
            streams: streams.clone(),
            delivery: delivery.clone(),
            purchasing: purchasing.clone(),
            batch_labels: batch_labels.clone(),
            manifests: manifests.clone(),
        }
    }

    /// Resumes suspects until the server stops.
    pub(crate) async fn work_forever(self) {
        let stop = self.context.stop();
        let mut under_way = JoinSet::new();
        let mut is_counted = false;
        while !stop.is_cancelled() {
            if !is_counted && self.nodes.node().is_some() {
                is_counted = self
                    .count_start()
                    .await
                    .inspect_err(|error| warn!(%error, "counting a start failed, retrying"))
                    .is_ok();
            }
            match self.resume_suspect(&mut under_way).await {
                Ok(true) => continue,
                Ok(false) => {}
                Err(error) => warn!(%error, "claiming a suspect failed, retrying"),
            }
            // Either ends the rest.
            let _either = tokio::time::timeout(LOOK_EVERY, stop.cancelled()).await;
        }
        under_way.join_all().await;
    }

    /// Counts the start of this server for each suspect. One that many servers left untouched before they stopped is a suspect no
    /// longer: something else stops servers.
    pub async fn count_start(&self) -> Result<()> {
        let now = self.context.now();
        let db = self.context.db();
        let look = async move |tx: &mut Tx<'_>| suspects::any(tx, now, i64::MAX).await;
        if !db.read(Access::System, look).await? {
            return Ok(());
        }
        let count = async move |tx: &mut Tx<'_>| {
            purchases::count_start(tx, now, rule::STARTS_MAX).await?;
            webhook_lanes::count_start(tx, now, rule::STARTS_MAX).await
        };
        db.write(Access::System, count).await
    }

    /// Resumes or sets aside all suspects that are due, and returns when none are: for tests and tools, which wait for no
    /// notification.
    pub async fn work(&self) -> Result<()> {
        self.nodes.heartbeat().await?;
        let mut under_way = JoinSet::new();
        while self.resume_suspect(&mut under_way).await? || under_way.join_next().await.is_some() {}
        Ok(())
    }

    /// Resumes one suspect, or sets it aside. Returns false if there is none. A suspect that takes long is left in `under_way`,
    /// if others may go on beside it.
    async fn resume_suspect(&self, under_way: &mut JoinSet<()>) -> Result<bool> {
        while under_way.try_join_next().is_some() {}
        let Some(node) = self.nodes.node() else { return Ok(false) };
        let Some(suspect) = self.claim_suspect(&node, under_way.is_empty()).await? else { return Ok(false) };
        let is_first = suspect.is_first();
        let mut turn = tokio::spawn(self.clone().work_on_suspect(node, suspect));
        let limit = if is_first { ALONE_TIME } else { Duration::MAX };
        if tokio::time::timeout(limit, &mut turn).await.is_err() {
            under_way.spawn(async move {
                // The turn has logged its own error.
                let _ended = turn.await;
            });
        }
        Ok(true)
    }

    async fn claim_suspect(&self, node: &Arc<str>, is_quiet: bool) -> Result<Option<Suspect>> {
        let now = self.context.now();
        let stops_max = rule::stops_max(self.nodes.age_seconds(), is_quiet);
        let limits = Limits { is_quiet, stops_max, has_relays: self.streams.has_external_streams() };
        let look =
            self.context.db().read(Access::System, async move |tx| suspects::any(tx, now, stops_max).await);
        if !look.await? {
            return Ok(None);
        }
        let name = Arc::clone(node);
        let claim = self
            .context
            .db()
            .write(Access::System, async move |tx| Suspect::claim(tx, &name, now, limits).await);
        self.nodes.check_claim(claim.await)
    }

    /// Resumes a suspect or sets it aside, as a task of its own: a panic ends only that task, and counts as a stop.
    async fn work_on_suspect(self, node: Arc<str>, suspect: Suspect) {
        let (what, crashes) = (suspect.name(), suspect.crashes());
        let turn = match suspect.is_over() {
            true => {
                warn!(
                    suspect = what,
                    stops = crashes,
                    "suspect set aside, because servers stopped during it"
                );
                tokio::spawn(self.clone().set_aside(node, suspect))
            }
            false => {
                warn!(
                    suspect = what,
                    stops = crashes,
                    "suspect resumed alone, because servers stopped during it"
                );
                tokio::spawn(self.clone().resume(node, suspect))
            }
        };
        match turn.await {
            Ok(Ok(())) => return,
            Ok(Err(error)) => warn!(%error, suspect = what, "work on a suspect failed, retrying"),
            Err(error) => error!(%error, suspect = what, "work on a suspect panicked"),
        }
        // The claim was not released.
        self.nodes.disown();
    }

    /// Goes on with a suspect as with any other work of its kind.
    async fn resume(self, node: Arc<str>, suspect: Suspect) -> Result<()> {
        match suspect {
            // A turn logs its own error, and releases its claim.
            Suspect::Manifest(manifest) => drop(self.manifests.manifest_turn(node, *manifest).await),
            Suspect::Labels(work) => drop(self.batch_labels.label_batch(node, *work).await),
            Suspect::Relay(relay) => self.streams.resume_relay(relay).await?,
            Suspect::Purchase(purchase) => self.purchasing.resume_purchase(node, *purchase).await,
            Suspect::Lane(lane) => self.delivery.resume_lane(lane).await,
        }
        Ok(())
    }

    async fn set_aside(self, node: Arc<str>, suspect: Suspect) -> Result<()> {
        match suspect {
            Suspect::Manifest(manifest) => self.manifests.set_manifest_aside(&manifest).await,
            Suspect::Labels(work) => self.batch_labels.set_labels_aside(*work).await,
            Suspect::Relay(relay) => self.streams.set_event_aside(relay).await,
            Suspect::Purchase(purchase) => self.purchasing.set_purchase_aside(&node, *purchase).await,
            Suspect::Lane(lane) => self.delivery.set_delivery_aside(lane).await,
        }
    }
}
