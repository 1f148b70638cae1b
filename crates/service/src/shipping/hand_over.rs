//! Hand-over: the moment at which the carrier has the parcels. The first of these says it: a manifest, tracking, or a request.

use std::time::Duration;

use model::events::actor::Actor;
use model::shipping::shipment::{Shipment, Status};
use model::{Event, Id, Owner, Result, Scope};
use store::shipping::hand_overs::{self, HandOver};
use store::shipping::shipments::{self, StoredShipment};
use store::{Access, Tx};
use tracing::warn;

use crate::access::reply::Reply;
use crate::access::write::Command;
use crate::events::events::EventLog;
use crate::platform::context::Context;
use crate::platform::resource::{found, json};
use crate::shipping::order_contents::OrderContents;
use crate::shipping::shipments::{
    Shipments, change_with_documents, documents_of, ensure_version, read_shipment, shown, without_links,
};

/// How often the job looks for created manifests.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// Manifests that one read returns, and shipments of a manifest in one transaction.
const MANIFESTS_MAX: usize = 16;
const GROUP_MAX: usize = 100;

/// Records that carriers have parcels.
#[derive(Clone)]
pub struct HandOvers {
    context: Context,
    shipments: Shipments,
}

impl HandOvers {
    pub(crate) fn new(context: &Context, shipments: &Shipments) -> Self {
        Self { context: context.clone(), shipments: shipments.clone() }
    }

    /// Records that the carrier has a shipment. Repeating it changes nothing.
    pub async fn create(&self, command: Command, id: Id<Shipment>) -> Result<Reply> {
        if let Some(scope) = Scope::read("shipments") {
            command.caller.require(scope)?;
        }
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let log = self.context.event_log(&command.caller, owner, self.context.now());
        let shipments = self.shipments.clone();
        let record = async move |tx: &mut Tx<'_>| {
            let mut contents = OrderContents::lock(tx, owner, &[id]).await?;
            let stored = found(shipments::get_for_update(tx, owner, id).await?)?;
            stored.status.ensure_bought()?;
            ensure_version(&precondition, stored.version)?;
            record(tx, &mut contents, &stored, &log).await?;
            contents.write(tx, &log).await?;
            let now = found(shipments::get(tx, owner, id).await?)?;
            let documents = documents_of(tx, owner, &[&now]).await?;
            shipments.shipment_reply(owner, &now, &documents)
        };
        self.context.write(&command, record).await
    }

    /// Records the shipments of created manifests as handed over, until the server stops.
    pub(crate) async fn work_forever(self) {
        let stop = self.context.stop();
        while !stop.is_cancelled() {
            let is_more = self.work_once().await.unwrap_or_else(|error| {
                warn!(%error, "recording the hand-over of manifests failed, retrying");
                false
            });
            if !is_more {
                tokio::select! {
                    () = stop.cancelled() => {}
                    () = tokio::time::sleep(LOOK_EVERY) => {}
                }
            }
        }
    }

    /// Records a group of shipments of each manifest that is not done. Returns whether it recorded any. A manifest that fails
    /// does not keep the others from being recorded.
    pub async fn work_once(&self) -> Result<bool> {
        let (mut after, mut is_any) = (None, false);
        loop {
            let read = self
                .context
                .db()
                .read(Access::System, async move |tx| hand_overs::unfinished(tx, after, MANIFESTS_MAX).await);
            let page = read.await?;
            let Some(last) = page.last() else { return Ok(is_any) };
            after = Some((last.owner, last.manifest));
            for of in page {
                let (organisation, manifest) = (of.owner, of.manifest);
                match self.record_group(of).await {
                    Ok(()) => is_any = true,
                    Err(error) => {
                        warn!(%error, %organisation, %manifest, "recording the hand-over of a manifest failed, retrying");
                    }
                }
            }
        }
    }

    async fn record_group(&self, of: HandOver) -> Result<()> {
        let owner = of.owner;
        let log = self.context.event_log(Actor::Job("hand_overs"), owner, self.context.now());
        let write = self.context.db().write(owner, async move |tx| {
            let group = hand_overs::next(tx, &of, GROUP_MAX).await?;
            let mut contents = OrderContents::lock(tx, owner, &group).await?;
            for stored in shipments::all_for_update(tx, owner, &group).await? {
                if stored.status == Status::Purchased {
                    record(tx, &mut contents, &stored, &log).await?;
                }
            }
            contents.write(tx, &log).await?;
            let done_to = group.last().copied().filter(|_| group.len() == GROUP_MAX);
            hand_overs::advance(tx, &of, done_to).await
        });
        Box::pin(write).await?;
        self.context.notice(owner);
        Ok(())
    }
}

/// Records that the carrier has a locked shipment, unless that is known.
async fn record(
    tx: &mut Tx<'_>,
    contents: &mut OrderContents,
    stored: &StoredShipment,
    log: &EventLog,
) -> Result<()> {
    let old = read_shipment(stored)?;
    if old.handed_over_at.is_some() {
        return Ok(());
    }
    let owner = contents.owner();
    let new = Shipment { handed_over_at: Some(log.now()), updated_at: log.now(), ..old };
    contents.hand_over(&new, log.now());
    let documents = documents_of(tx, owner, &[stored]).await?;
    let documents = without_links(&documents);
    change_with_documents(tx, owner, stored, &new, &documents, "shipment.handed_over", log).await.map(drop)
}

/// Appends the event of a hand-over that tracking shows.
pub async fn tell_hand_over(
    tx: &mut Tx<'_>,
    owner: Owner,
    stored: &StoredShipment,
    new: &Shipment,
    log: &EventLog,
) -> Result<()> {
    let documents = documents_of(tx, owner, &[stored]).await?;
    let shown = shown(&json(new)?, &without_links(&documents))?;
    log.append(tx, &Event::new("shipment.handed_over", new.id, &shown)).await
}
