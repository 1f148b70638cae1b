//! Printing the labels that scans asked for, once there are any.
//!
//! That a label is to be printed is stored with the scan. One transaction locks the scan, finds the label and makes the print job,
//! so the label is printed once, whichever of a request and a job on any node comes first.

use std::time::Duration;

use model::events::actor::Actor;
use model::fulfilment::scan::{PrintStep, Printing, PurchaseStep, next_printing};
use model::shipping::document::DocumentType;
use model::{Error, Owner, Result, Scan, Shipment, Timestamp};
use store::fulfilment::scans::{self, ScanKey};
use store::shipping::documents::{self, StoredDocument};
use store::{Access, Tx};
use tracing::warn;

use super::Scans;
use super::count::read;
use super::stored::read_scan;
use crate::events::events::EventLog;
use crate::fulfilment::print_jobs::queue_labels;
use crate::platform::resource::json;

/// How often the job looks for labels that have arrived.
const LOOK_EVERY: Duration = Duration::from_millis(500);
/// Scans that one look works on.
const SCANS_AT_ONCE: usize = 32;
/// How soon a scan is tried again whose transaction failed.
const RETRY_SECONDS: i64 = 60;

impl Scans {
    /// Prints labels that have arrived, until the server stops.
    pub(crate) async fn work_forever(self) {
        let stop = self.context.stop();
        while !stop.is_cancelled() {
            let is_more = self.work_once().await.unwrap_or_else(|error| {
                warn!(%error, "looking for labels to print failed, retrying");
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

    /// Looks for the labels of scans that are due. Returns whether more may be due.
    pub async fn work_once(&self) -> Result<bool> {
        let now = self.context.now();
        let read = self
            .context
            .db()
            .read(Access::System, async move |tx| scans::to_print(tx, now, SCANS_AT_ONCE).await);
        let due = read.await?;
        for key in &due {
            if let Err(error) = self.settle(key, None, false).await {
                let (organisation, shipment) = (key.owner, key.shipment);
                warn!(%error, %organisation, %shipment, "printing the label of a scan failed, retrying");
                self.postpone(key).await?;
            }
        }
        Ok(due.len() == SCANS_AT_ONCE)
    }

    async fn postpone(&self, key: &ScanKey) -> Result<()> {
        let (owner, of, due_at) = (key.owner, key.clone(), self.context.now().plus_seconds(RETRY_SECONDS));
        self.context.db().write(owner, async move |tx| scans::postpone(tx, &of, due_at).await).await
    }

    /// Records what became of the purchase that a scan asked for, and prints its label if there is one.
    pub(super) async fn settle(
        &self,
        key: &ScanKey,
        refused: Option<PurchaseStep>,
        is_purchase_begun: bool,
    ) -> Result<()> {
        let (owner, of) = (key.owner, key.clone());
        let log = self.context.event_log(Actor::Job("scans"), owner, self.context.now());
        let settle = async move |tx: &mut Tx<'_>| {
            let Some(stored) = scans::get_for_update(tx, &of).await? else { return Ok(()) };
            let mut scan = read_scan(&stored)?;
            let shipment = read(tx, owner, of.shipment).await?;
            match &refused {
                Some(step) => scan.purchase = Some(step.clone()),
                None if is_purchase_begun => scan.purchase = Some(PurchaseStep::of(&shipment)),
                None => scan.follow(&shipment),
            }
            let due_at = print(tx, owner, &mut scan, &shipment, &log).await?;
            scans::update(tx, &of, &json(&scan)?, due_at).await
        };
        self.context.db().write(owner, settle).await?;
        self.context.notice(owner);
        self.print_jobs.notify();
        Ok(())
    }
}

/// Makes a print job of the labels that a locked scan waits for, if there are any. Returns when to look again.
async fn print(
    tx: &mut Tx<'_>,
    owner: Owner,
    scan: &mut Scan,
    shipment: &Shipment,
    log: &EventLog,
) -> Result<Option<Timestamp>> {
    if !scan.is_print_waiting() {
        return Ok(None);
    }
    let is_label = |document: &StoredDocument| document.file.r#type == DocumentType::Label;
    let mut labels = documents::of_subject(tx, owner, &shipment.id.to_string()).await?;
    labels.retain(is_label);
    let step = match next_printing(scan, shipment, !labels.is_empty(), log.now()) {
        Printing::Wait(due_at) => return Ok(Some(due_at)),
        Printing::Never(code) => PrintStep::failed(&code.into()),
        Printing::Now => match queue_labels(tx, owner, &labels, log).await {
            Ok(job) => PrintStep::queued(job),
            Err(Error::Refused(problem)) => PrintStep::failed(&problem),
            Err(fault) => return Err(fault),
        },
    };
    scan.print = Some(step);
    Ok(None)
}
