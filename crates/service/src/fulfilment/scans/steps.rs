//! What follows when a scan makes its shipment complete: the purchase, and then the print.

use model::fulfilment::scan::PurchaseStep;
use model::shipping::shipment::Status;
use model::{Error, Result};
use store::fulfilment::scans::{self, ScanKey};
use store::shipping::shipments;

use super::Scans;
use super::stored::read_scan;
use crate::access::caller::Caller;
use crate::access::reply::Outcome;
use crate::access::write::{Command, Precondition};
use crate::platform::resource::found;
use crate::platform::wait_deadline::Wait;
use crate::shipping::batches::wanted_service;

impl Scans {
    /// Does what a scan asked for, if it completed its shipment and that was not done yet. A request that is repeated after the
    /// server stopped goes on where it stopped.
    pub(super) async fn take_steps(&self, caller: Caller, key: &ScanKey, wait: Wait) -> Result<()> {
        let owner = key.owner;
        let of = key.clone();
        let read = self.context.db().read(owner, async move |tx| scans::get(tx, &of).await);
        let Some(scan) = read.await?.as_ref().map(read_scan).transpose()? else { return Ok(()) };
        let mut refused = None;
        if scan.is_purchase_pending() {
            refused = self.purchase(caller, key, wait).await?;
        } else if !scan.is_print_waiting() {
            return Ok(());
        }
        self.settle(key, refused, scan.is_purchase_pending()).await
    }

    /// Buys the shipment of a scan with the service that it, or its batch, has chosen. Returns the step if that was refused.
    async fn purchase(&self, caller: Caller, key: &ScanKey, wait: Wait) -> Result<Option<PurchaseStep>> {
        let (owner, id) = (key.owner, key.shipment);
        let read = self.context.db().read(owner, async move |tx| {
            let stored = found(shipments::get(tx, owner, id).await?)?;
            match stored.status {
                Status::Purchasing | Status::Purchased => Ok(None),
                _ => wanted_service(tx, owner, &stored).await.map(Some),
            }
        });
        let begun = match read.await {
            Ok(None) => return Ok(None),
            Ok(Some(input)) => {
                let command = Command { caller, idempotency: None, precondition: Precondition::Any };
                self.purchasing.purchase(command, id, input, wait).await
            }
            Err(error) => Err(error),
        };
        match begun {
            Ok(reply) => match &reply.outcome {
                Outcome::Refused(problem) => Ok(Some(PurchaseStep::refused(problem))),
                _ => Ok(None),
            },
            Err(Error::Refused(problem)) => Ok(Some(PurchaseStep::refused(&problem))),
            Err(fault) => Err(fault),
        }
    }
}
