//! Changes of orders that concern their shipments: cancel, delete, another destination, allocations taken back.
//!
//! While an order is locked, none of its shipments begins to be bought or ends its purchase, so what is decided here holds.

use std::collections::BTreeSet;

use model::orders::order::Destination;
use model::orders::order_exception::ExceptionCode;
use model::platform::problem::Issue;
use model::shipping::shipment::{AddressRecord, Shipment, Status};
use model::{Allocation, Code, Error, Id, Order, Owner, Problem, Result};
use serde_json::Value;
use store::Tx;
use store::shipping::order_shipments;
use store::shipping::shipments::{self, StoredShipment};

use crate::access::reply::Reply;
use crate::access::write::{Command, Precondition, ensure_current};
use crate::events::events::EventLog;
use crate::orders::allocations::{ensure_allocations_current, take_allocations_back};
use crate::orders::exceptions::{NewException, add_to};
use crate::orders::order_document::LockedOrder;
use crate::orders::orders::{cancel_order, delete_order, update_order};
use crate::platform::context::Context;
use crate::platform::resource::found;
use crate::shipping::batches::ensure_member_changeable;
use crate::shipping::order_contents::{OrderContents, shipment_kind};
use crate::shipping::shipments::{
    change_shipment, change_with_documents, delete_open, documents_of, read_shipment, remove_open,
    without_links,
};

/// Changes of orders that concern their shipments.
#[derive(Clone)]
pub struct OrderChanges {
    context: Context,
}

impl OrderChanges {
    pub(crate) fn new(context: &Context) -> Self {
        Self { context: context.clone() }
    }

    /// Merges a patch into an order. Another destination is copied into its shipments that are not bought; once one is being
    /// bought, it is refused.
    pub async fn update(&self, command: Command, id: Id<Order>, patch: Value) -> Result<Reply> {
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let log = self.context.event_log(&command.caller, owner, self.context.now());
        let update = async move |tx: &mut Tx<'_>| {
            let order = LockedOrder::lock(tx, owner, id).await?;
            change_order(tx, owner, order, &patch, &precondition, &log).await
        };
        self.context.write(&command, update).await
    }

    /// Cancels an order. Its shipments that are not bought are deleted with it.
    pub async fn cancel(&self, command: Command, id: Id<Order>) -> Result<Reply> {
        let owner = command.caller.owner;
        let log = self.context.event_log(&command.caller, owner, self.context.now());
        let cancel = async move |tx: &mut Tx<'_>| {
            let (order, _) = lock_without_shipments(tx, owner, id, &Precondition::Any, &log).await?;
            cancel_order(tx, owner, order, &log).await
        };
        self.context.write(&command, cancel).await
    }

    /// Deletes an order with its shipments that are not bought. Those that were voided stay, without the order.
    pub async fn delete(&self, command: Command, id: Id<Order>) -> Result<Reply> {
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let log = self.context.event_log(&command.caller, owner, self.context.now());
        let delete = async move |tx: &mut Tx<'_>| {
            let (order, rest) = lock_without_shipments(tx, owner, id, &precondition, &log).await?;
            let reply = delete_order(tx, owner, order, &log).await?;
            for stored in rest {
                unlink(tx, owner, &stored, &log).await?;
            }
            Ok(reply)
        };
        self.context.write(&command, delete).await
    }

    /// Takes all allocations of an order back. Shipments that are not bought are deleted. Those that are keep their contents and
    /// no longer belong to the order, which gets a blocking exception so that nothing ships it again.
    pub async fn delete_allocations(&self, command: Command, id: Id<Order>) -> Result<Reply> {
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let log = self.context.event_log(&command.caller, owner, self.context.now());
        let delete = async move |tx: &mut Tx<'_>| {
            let mut order = LockedOrder::lock(tx, owner, id).await?;
            ensure_allocations_current(tx, owner, id, &precondition).await?;
            let all = order_shipments::of_order(tx, owner, id).await?;
            let (bought, rest): (Vec<_>, Vec<_>) = all.into_iter().partition(is_bought);
            if rest.iter().any(is_open) {
                delete_open_shipments(tx, owner, id, &rest, InPurchasingBatch::Deleted, &log).await?;
                order = LockedOrder::lock(tx, owner, id).await?;
            }
            for stored in &bought {
                add_to(&mut order, shipped_unallocated(stored), &log)?;
            }
            let removed: Vec<_> = bought.iter().map(|stored| shipment_kind(stored.id)).collect();
            take_allocations_back(tx, owner, order, &removed, &log).await?;
            for stored in &bought {
                unlink(tx, owner, stored, &log).await?;
            }
            Ok(Reply::gone())
        };
        self.context.write(&command, delete).await
    }
}

/// Merges a patch into a locked order, and copies another destination into its shipments that are not bought.
pub async fn change_order(
    tx: &mut Tx<'_>,
    owner: Owner,
    order: LockedOrder,
    patch: &Value,
    precondition: &Precondition,
    log: &EventLog,
) -> Result<Reply> {
    let (id, old) = (order.id, order.before["destination"].clone());
    let (reply, new) = update_order(tx, owner, order, patch, precondition, log).await?;
    if new["destination"] != old {
        redirect(tx, owner, id, &new["destination"], log).await?;
    }
    Ok(reply)
}

/// Locks an order, and deletes its shipments that are not bought. Returns those that are left, which are voided.
async fn lock_without_shipments(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Order>,
    precondition: &Precondition,
    log: &EventLog,
) -> Result<(LockedOrder, Vec<StoredShipment>)> {
    let mut order = LockedOrder::lock(tx, owner, id).await?;
    ensure_current(precondition, &order.etag())?;
    let all = order_shipments::of_order(tx, owner, id).await?;
    ensure_unbought(&all)?;
    let (open, rest): (Vec<_>, Vec<_>) = all.into_iter().partition(is_open);
    if !open.is_empty() {
        delete_open_shipments(tx, owner, id, &open, InPurchasingBatch::Refused, log).await?;
        order = LockedOrder::lock(tx, owner, id).await?;
    }
    Ok((order, rest))
}

fn is_bought(stored: &StoredShipment) -> bool {
    matches!(stored.status, Status::Purchasing | Status::Purchased)
}

fn is_open(stored: &StoredShipment) -> bool {
    stored.status.ensure_open().is_ok()
}

/// Refuses to go on if a shipment is bought or being bought.
fn ensure_unbought(all: &[StoredShipment]) -> Result<()> {
    let code = Code::OrderHasShipments;
    let issue = |stored: &StoredShipment| {
        let message = format!("The shipment {} is {}.", stored.id, stored.status.as_str());
        Issue::new(code.as_str(), "order_id", message).with("shipment_id", stored.id.to_string())
    };
    let issues: Vec<_> = all.iter().filter(|stored| is_bought(stored)).map(issue).collect();
    if issues.is_empty() { Ok(()) } else { Err(Problem::fields(code, issues).into()) }
}

/// What becomes of a shipment that is not bought, if its batch is being bought.
#[derive(Clone, Copy)]
enum InPurchasingBatch {
    /// The batch keeps it, and the request is refused.
    Refused,
    /// It is deleted: the request must not depend on batches.
    Deleted,
}

/// Deletes the shipments of a locked order that are not bought, and takes their units out of them.
async fn delete_open_shipments(
    tx: &mut Tx<'_>,
    owner: Owner,
    order: Id<Order>,
    of: &[StoredShipment],
    in_batch: InPurchasingBatch,
    log: &EventLog,
) -> Result<()> {
    let open: Vec<_> = of.iter().filter(|stored| is_open(stored)).map(|stored| stored.id).collect();
    let held: BTreeSet<_> = open.iter().map(|id| shipment_kind(*id)).collect();
    let is_freed = |allocation: &Allocation| allocation.shipment.is_some_and(|id| held.contains(&id));
    let mut contents = OrderContents::lock_orders(tx, owner, &[order], is_freed).await?;
    for stored in shipments::all_for_update(tx, owner, &open).await? {
        match in_batch {
            InPurchasingBatch::Refused => delete_open(tx, owner, &stored, log).await?,
            InPurchasingBatch::Deleted => remove_open(tx, owner, &stored, log).await?,
        }
        contents.free(stored.id);
    }
    contents.regroup(order);
    contents.write(tx, log).await
}

fn shipped_unallocated(stored: &StoredShipment) -> NewException {
    let message = format!("The allocations were deleted although the shipment {} is bought.", stored.id);
    NewException {
        code: ExceptionCode::ShippedUnallocated,
        shipment: Some(shipment_kind(stored.id)),
        message,
    }
}

/// Takes a shipment away from its order. It keeps its contents.
async fn unlink(tx: &mut Tx<'_>, owner: Owner, stored: &StoredShipment, log: &EventLog) -> Result<()> {
    let stored = found(shipments::get_for_update(tx, owner, stored.id).await?)?;
    let old = read_shipment(&stored)?;
    let new = Shipment { order_id: None, complete_allocations_on: None, updated_at: log.now(), ..old };
    order_shipments::unlink(tx, owner, stored.id).await?;
    let documents = without_links(&documents_of(tx, owner, &[&stored]).await?);
    change_with_documents(tx, owner, &stored, &new, &documents, "shipment.updated", log).await.map(drop)
}

/// Copies another destination of a locked order into its shipments that are not bought. Their rates no longer apply.
async fn redirect(
    tx: &mut Tx<'_>,
    owner: Owner,
    order: Id<Order>,
    destination: &Value,
    log: &EventLog,
) -> Result<()> {
    let all = order_shipments::of_order(tx, owner, order).await?;
    ensure_unbought(&all)?;
    if destination.is_null() {
        // A shipment keeps the destination that its order no longer has.
        return Ok(());
    }
    let destination: Destination = serde_json::from_value(destination.clone()).map_err(Error::fault)?;
    let open: Vec<_> = all.iter().filter(|stored| is_open(stored)).map(|stored| stored.id).collect();
    for stored in shipments::all_for_update(tx, owner, &open).await? {
        ensure_member_changeable(tx, owner, &stored).await?;
        let old = read_shipment(&stored)?;
        let mut details = old.details.clone();
        details.addresses.destination = AddressRecord::of_destination(&destination);
        let new = old.changed(details, log.now())?;
        change_shipment(tx, owner, &stored, &new, "shipment.updated", log).await?;
    }
    Ok(())
}
