//! Scan to pack: codes that packers scan are counted against what the packages of a shipment are to hold.
//!
//! A scan is counted in a transaction that locks its shipment, so two packers never count more than there is. What the scan asks
//! for after that is done afterwards: the purchase by the request itself, and the print by the request or by a job, whichever
//! finds the label first.

mod answer;
mod codes;
mod count;
mod print;
mod steps;
mod stored;

use model::fulfilment::scan::{NextStep, ScanInput};
use model::{Error, Id, Result, Scope, Shipment};
use store::fulfilment::scans::{self, ScanKey};
use store::{Page, Tx};

use crate::access::caller::Caller;
use crate::access::reply::{Outcome, Reply};
use crate::access::write::Command;
use crate::fulfilment::print_jobs::PrintJobs;
use crate::platform::context::Context;
use crate::platform::cursor::{ListQuery, Listing};
use crate::platform::resource::found;
use crate::platform::wait_deadline::Wait;
use crate::shipping::purchasing::Purchasing;

use answer::{answer, shown};
use stored::read_scan;

pub(crate) use count::packed_units;

/// Operations on scans.
#[derive(Clone)]
pub struct Scans {
    context: Context,
    purchasing: Purchasing,
    print_jobs: PrintJobs,
}

impl Scans {
    pub(crate) fn new(context: &Context, purchasing: &Purchasing, print_jobs: &PrintJobs) -> Self {
        Self { context: context.clone(), purchasing: purchasing.clone(), print_jobs: print_jobs.clone() }
    }

    /// Counts a scan, and does what it asks for if it makes the shipment complete. A request that is repeated with the same
    /// `scan_id` counts once.
    pub async fn create(
        &self,
        command: Command,
        id: Id<Shipment>,
        input: ScanInput,
        wait: Wait,
    ) -> Result<Reply> {
        require_shipments(&command.caller)?;
        for (step, scope) in
            [(NextStep::Purchase, "shipments:purchase"), (NextStep::Print, "print_jobs:write")]
        {
            if input.then.contains(&step) {
                command.caller.require(scope_named(scope)?)?;
            }
        }
        let caller = command.caller;
        let key = ScanKey { owner: caller.owner, shipment: id, scan_id: input.scan_id.clone() };
        let has_steps = !input.then.is_empty();
        let log = self.context.event_log(&command.caller, caller.owner, self.context.now());
        let count = async move |tx: &mut Tx<'_>| {
            let (location, body) = count::count(tx, &caller, id, &input, &log).await?;
            Ok(Reply::created(location, None, body))
        };
        let counted = self.context.write(&command, count).await?;
        if !has_steps || matches!(counted.outcome, Outcome::Refused(_)) {
            return Ok(counted);
        }
        self.take_steps(caller, &key, wait).await?;
        // A scan that was undone meanwhile is shown as it was counted.
        let body = self.read_answer(key).await?.unwrap_or_else(|| counted.body.clone());
        Ok(Reply { body, ..counted })
    }

    pub async fn get(&self, caller: &Caller, id: Id<Shipment>, scan_id: String) -> Result<Reply> {
        require_shipments(caller)?;
        let key = ScanKey { owner: caller.owner, shipment: id, scan_id };
        Ok(Reply::done(found(self.read_answer(key).await?)?))
    }

    /// A page of the scans of a shipment, newest first.
    pub async fn list(&self, caller: &Caller, query: ListQuery, id: Id<Shipment>) -> Result<Listing> {
        require_shipments(caller)?;
        let owner = caller.owner;
        let start = self.context.start(owner, &query)?;
        let limit = query.limit;
        let read = self.context.db().read(owner, async move |tx| {
            let shipment = count::read(tx, owner, id).await?;
            let page = scans::page(tx, owner, id, &start, limit).await?;
            let Page { items, older_than, newer_than } = page;
            Ok(Page { items: shown(tx, owner, &shipment, &items).await?, older_than, newer_than })
        });
        let page = read.await?;
        self.context.listing(owner, &query, page)
    }

    /// Undoes a scan. Its units no longer count, and a label that it asked for and that is not printed yet is not printed.
    pub async fn delete(&self, command: Command, id: Id<Shipment>, scan_id: String) -> Result<Reply> {
        require_shipments(&command.caller)?;
        let key = ScanKey { owner: command.caller.owner, shipment: id, scan_id };
        let log = self.context.event_log(&command.caller, key.owner, self.context.now());
        let undo = async move |tx: &mut Tx<'_>| {
            count::undo(tx, &key, &log).await?;
            Ok(Reply::gone())
        };
        self.context.write(&command, undo).await
    }

    /// Returns a scan with how far its shipment is packed, or `None` if there is no such scan.
    async fn read_answer(&self, key: ScanKey) -> Result<Option<String>> {
        let owner = key.owner;
        let read = self.context.db().read(owner, async move |tx| {
            let shipment = count::read(tx, owner, key.shipment).await?;
            let Some(stored) = scans::get(tx, &key).await? else { return Ok(None) };
            let packed = packed_units(tx, owner, key.shipment).await?;
            answer(tx, owner, &shipment, &packed, &read_scan(&stored)?).await.map(Some)
        });
        read.await
    }
}

/// Refuses a caller that may not read shipments.
pub(crate) fn require_shipments(caller: &Caller) -> Result<()> {
    caller.require(scope_named("shipments:read")?)
}

pub(crate) fn scope_named(name: &str) -> Result<Scope> {
    Scope::parse(name).ok_or_else(|| Error::fault("there is no such scope"))
}
