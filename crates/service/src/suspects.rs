//! Suspects: work that may be the reason why servers stop. If a node claims work whose last holder stopped without releasing
//! it, the work's count of stops goes up by one; releasing it sets the count to 0. With two stops in a row the work is a
//! suspect: a node resumes it alone, so that the next stop counts against no other work. After three stops a node sets it
//! aside, and only a person's request begins it again.
//!
//! Architecture Invariant: a node resumes one suspect at a time, whatever kind of work it is.

use std::sync::Arc;
use std::time::Duration;

use model::{Result, Timestamp};
use store::events::stream_relays;
use store::events::stream_relays::Held as Relay;
use store::platform::suspects;
use store::shipping::batch_labels::Work;
use store::shipping::manifests::Stored as Manifest;
use store::shipping::{batch_labels, manifests};
use store::{Access, Tx};

use crate::events::stream::Streams;
use crate::platform::context::Context;
use crate::platform::log;
use crate::platform::nodes::Nodes;
use crate::shipping::batch_labels::BatchLabels;
use crate::shipping::manifests::Manifests;
use crate::shipping::purchasing::Purchasing;

/// Stops of a server after which work is set aside.
const CRASHES_MAX: i64 = 3;
/// How often a node looks for suspects.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Work that is resumed alone.
enum Suspect {
    Manifest(Box<Manifest>),
    Labels(Box<Work>),
    Relay(Relay),
}

impl Suspect {
    /// Claims the first there is, one kind of work after another.
    async fn claim(tx: &mut Tx<'_>, node: &str, now: Timestamp, has_relays: bool) -> Result<Option<Self>> {
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
        }
    }

    /// What it is, for the log.
    fn name(&self) -> String {
        match self {
            Self::Manifest(manifest) => format!("the manifest {}", manifest.id),
            Self::Labels(work) => {
                format!("the labels of the batch {} as {}", work.batch, work.format.as_str())
            }
            Self::Relay(relay) => format!("the event {} of {}", relay.cursor + 1, relay.owner),
        }
    }
}

/// Resumes suspects. Clones share what they need.
#[derive(Clone)]
pub struct Suspects {
    context: Context,
    nodes: Nodes,
    streams: Streams,
    purchasing: Purchasing,
    batch_labels: BatchLabels,
    manifests: Manifests,
}

impl Suspects {
    pub(crate) fn new(
        context: &Context,
        nodes: &Nodes,
        streams: &Streams,
        purchasing: &Purchasing,
        batch_labels: &BatchLabels,
        manifests: &Manifests,
    ) -> Self {
        Self {
            context: context.clone(),
            nodes: nodes.clone(),
            streams: streams.clone(),
            purchasing: purchasing.clone(),
            batch_labels: batch_labels.clone(),
            manifests: manifests.clone(),
        }
    }

    /// Resumes suspects until the server stops.
    pub(crate) async fn work_forever(self) {
        let mut stop = self.purchasing.stopping();
        while !*stop.borrow_and_update() {
            match self.resume_suspect().await {
                Ok(true) => continue,
                Ok(false) => {}
                Err(error) => log::error("suspects", &error),
            }
            // Either ends the rest.
            let _either = tokio::time::timeout(LOOK_EVERY, stop.changed()).await;
        }
    }

    /// Resumes or sets aside all suspects that are due, and returns when none are: for tests and tools, which wait for no
    /// notification.
    pub async fn work(&self) -> Result<()> {
        self.nodes.heartbeat().await?;
        while self.resume_suspect().await? {}
        Ok(())
    }

    /// Resumes one suspect, or sets it aside. Returns false if there is none.
    async fn resume_suspect(&self) -> Result<bool> {
        let now = self.context.now();
        let Some(node) = self.nodes.node() else { return Ok(false) };
        let look = self.context.db().read(Access::System, async move |tx| suspects::any(tx, now).await);
        if !look.await? {
            return Ok(false);
        }
        let (name, has_relays) = (Arc::clone(&node), self.streams.has_external_streams());
        let claim = self
            .context
            .db()
            .write(Access::System, async move |tx| Suspect::claim(tx, &name, now, has_relays).await);
        let claimed = self.nodes.check_claim(claim.await)?;
        let Some(suspect) = claimed else { return Ok(false) };
        let (what, crashes) = (suspect.name(), suspect.crashes());
        // Run as a task of its own: a panic ends only that task, and counts as a stop.
        let turn = match crashes >= CRASHES_MAX {
            true => {
                log::info(
                    "suspects",
                    &format!("{what} is set aside after {crashes} stops of servers that worked on it"),
                );
                tokio::spawn(self.clone().set_aside(suspect))
            }
            false => {
                log::info(
                    "suspects",
                    &format!("{what} is resumed alone after {crashes} stops of servers that worked on it"),
                );
                tokio::spawn(self.clone().resume(node, suspect))
            }
        };
        match turn.await {
            Ok(Ok(())) => return Ok(true),
            Ok(Err(error)) => log::error("suspects", &error),
            Err(error) => log::info("suspects", &error.to_string()),
        }
        // The claim was not released.
        self.nodes.disown();
        Ok(true)
    }

    /// Goes on with a suspect as with any other work of its kind.
    async fn resume(self, node: Arc<str>, suspect: Suspect) -> Result<()> {
        match suspect {
            Suspect::Manifest(manifest) => self.manifests.manifest_turn(node, *manifest).await,
            Suspect::Labels(work) => self.batch_labels.label_batch(node, *work).await,
            Suspect::Relay(relay) => self.streams.resume_relay(relay).await?,
        }
        Ok(())
    }

    async fn set_aside(self, suspect: Suspect) -> Result<()> {
        match suspect {
            Suspect::Manifest(manifest) => self.manifests.set_manifest_aside(&manifest).await,
            Suspect::Labels(work) => self.batch_labels.set_labels_aside(*work).await,
            Suspect::Relay(relay) => self.streams.set_event_aside(relay).await,
        }
    }
}
