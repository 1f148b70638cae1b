//! Allocations: made, changed, completed and taken back, each request all or nothing.
//!
//! Every operation here locks its order first, so that concurrent requests on one order take turns in the database,
//! on however many nodes; then the levels that it takes stock from, in their order, so that no two wait for each
//! other.

use std::collections::{BTreeMap, BTreeSet};

use model::orders::allocation::{AllocationChanges, AllocationsInput, demand};
use model::orders::fulfilment::{Fulfilment, Quantities};
use model::orders::order::{ReservedItem, Status};
use model::platform::id::ShipmentKind;
use model::platform::problem::Issue;
use model::{Allocation, Code, Error, Event, Id, InventoryItem, Location, Order, Owner, Problem, Result};
use serde_json::{Value, json as object};
use sha2::{Digest, Sha256};
use store::orders::allocations::{self, Filter};
use store::orders::orders;
use store::places::location_configurations;
use store::stock::inventory_levels::{self, At, CountDelta};
use store::{Page, Tx};

use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::access::write::{Command, Precondition, ensure_current};
use crate::events::events::EventLog;
use crate::orders::order_document::LockedOrder;
use crate::orders::reservations::update_reservation;
use crate::orders::stock_moves::{Changed, count_planned, lock_changed, take_back, take_stock};
use crate::platform::context::Context;
use crate::platform::cursor::{ListQuery, Listing};
use crate::platform::resource::{found, json, previous};
use crate::stock::inventory_levels::announce;

/// Bytes of the hash that is the tag of an order's allocations.
const ETAG_BYTES: usize = 16;

/// One thing to allocate, and where the request says so.
pub struct Wish {
    pub location: Id<Location>,
    pub item: Id<InventoryItem>,
    pub quantity: i64,
    /// JSON pointers to the location and to the item, for complaints.
    pub location_field: String,
    pub item_field: String,
}

/// Operations on allocations.
#[derive(Clone)]
pub struct Allocations {
    context: Context,
}

impl Allocations {
    pub(crate) fn new(context: &Context) -> Self {
        Self { context: context.clone() }
    }

    pub async fn list(&self, caller: &Caller, query: ListQuery, filter: Filter) -> Result<Listing> {
        let owner = caller.owner;
        let start = self.context.start(owner, &query)?;
        let limit = query.limit;
        let read = self
            .context
            .db()
            .read(owner, async move |tx| allocations::page(tx, owner, &filter, &start, limit).await);
        let page = read.await?;
        let items = page.items.iter().map(|allocation| json(&allocation.view())).collect::<Result<_>>()?;
        self.context.listing(
            owner,
            &query,
            Page { items, older_than: page.older_than, newer_than: page.newer_than },
        )
    }

    /// All allocations of an order, oldest first.
    pub async fn list_of_order(&self, caller: &Caller, order: Id<Order>) -> Result<Reply> {
        let owner = caller.owner;
        let read = self.context.db().read(owner, async move |tx| {
            found(orders::get(tx, owner, order).await?)?;
            allocations::of_order(tx, owner, order).await
        });
        let held = read.await?;
        Ok(Reply::resource(etag(&held)?, data(&held)?))
    }

    /// Allocates what is asked for, all or nothing. An entry with several items becomes one allocation each.
    pub async fn create(&self, command: Command, order: Id<Order>, input: AllocationsInput) -> Result<Reply> {
        let owner = command.caller.owner;
        let log = self.context.event_log(&command.caller, owner, self.context.now());
        let wishes = wishes(&input);
        let create = async move |tx: &mut Tx<'_>| {
            let locked = LockedOrder::lock(tx, owner, order).await?;
            let made = allocate(tx, owner, locked, (&wishes, false), &log).await?;
            Ok(Reply::created_many(data(&made)?))
        };
        self.context.write(&command, create).await
    }

    /// Changes and completes allocations, all or nothing.
    pub async fn update(
        &self,
        command: Command,
        order: Id<Order>,
        input: AllocationChanges,
    ) -> Result<Reply> {
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let log = self.context.event_log(&command.caller, owner, self.context.now());
        let update = async move |tx: &mut Tx<'_>| {
            let locked = LockedOrder::lock(tx, owner, order).await?;
            let old = allocations::of_order(tx, owner, order).await?;
            ensure_current(&precondition, &etag(&old)?)?;
            let mut changes = changes(&old, &input, &log)?;
            hold_moved(tx, owner, &changes, &input).await?;
            let lines = change_demand(tx, owner, order, &changes).await?;
            lock_changed(tx, owner, &changes).await?;
            let levels = take_stock(tx, owner, &mut changes, &log).await?;
            store_changes(tx, owner, &changes, &log).await?;
            count_planned(tx, owner, &changes).await?;
            for level in &levels {
                announce(tx, owner, level, &log).await?;
            }
            if changes.iter().any(|(before, after)| before.quantity != after.quantity) {
                update_reservation(tx, owner, order, &lines, &log).await?;
            }
            let after: Vec<_> = changes.into_iter().map(|(_, after)| after).collect();
            follow_allocations(tx, owner, locked, (&lines, &changed(&old, &after)), &log).await?;
            Ok(Reply::done(data(&after)?))
        };
        self.context.write(&command, update).await
    }
}

/// Refuses a precondition that names another state of an order's allocations.
pub async fn ensure_allocations_current(
    tx: &mut Tx<'_>,
    owner: Owner,
    order: Id<Order>,
    precondition: &Precondition,
) -> Result<()> {
    let held = allocations::of_order(tx, owner, order).await?;
    ensure_current(precondition, &etag(&held)?)
}

/// Takes all allocations of a locked order back; stock that completed ones had taken goes back on hand. `unlinked` are shipments
/// that no longer belong to the order.
pub async fn take_allocations_back(
    tx: &mut Tx<'_>,
    owner: Owner,
    locked: LockedOrder,
    unlinked: &[Id<ShipmentKind>],
    log: &EventLog,
) -> Result<()> {
    let held = allocations::of_order(tx, owner, locked.id).await?;
    let lines = orders::lines(tx, owner, locked.id).await?;
    take_back(tx, owner, locked.id, &held, log).await?;
    if !held.is_empty() {
        update_reservation(tx, owner, locked.id, &lines, log).await?;
    }
    let before = locked.fulfilment(tx, owner).await?;
    let mut after = before.with_quantities(Allocation::quantities(wanted(&lines), &[]));
    after.shipment_ids.retain(|id| !unlinked.contains(id));
    store_fulfilment(tx, owner, locked, after, log).await
}

/// Returns the tag of an order's allocations as they are read: all of them, with their order. Whatever changes one, makes one
/// or takes one back changes the tag.
fn etag(held: &[Allocation]) -> Result<String> {
    let digest = Sha256::digest(data(held)?);
    Ok(format!(
        "\"{}\"",
        digest.iter().take(ETAG_BYTES).map(|byte| format!("{byte:02x}")).collect::<String>()
    ))
}

fn data(list: &[Allocation]) -> Result<String> {
    json(&object!({ "data": views(list)? }))
}

/// Allocations as the API shows them.
pub fn views(list: &[Allocation]) -> Result<Vec<Value>> {
    list.iter().map(|allocation| serde_json::to_value(allocation.view()).map_err(Error::fault)).collect()
}

fn wishes(input: &AllocationsInput) -> Vec<Wish> {
    let entries = input.allocations.iter().enumerate();
    entries
        .flat_map(|(entry_place, entry)| {
            entry.items.iter().enumerate().map(move |(item_place, line)| Wish {
                location: entry.location.id,
                item: line.id,
                quantity: line.quantity,
                location_field: format!("/allocations/{entry_place}/location/id"),
                item_field: format!("/allocations/{entry_place}/items/{item_place}"),
            })
        })
        .collect()
}

/// Allocates wishes against a locked order. Demand is summed per item over all of them before any is granted. A plan has locked
/// the levels of its wishes, which count them.
pub async fn allocate(
    tx: &mut Tx<'_>,
    owner: Owner,
    locked: LockedOrder,
    (wishes, is_planned): (&[Wish], bool),
    log: &EventLog,
) -> Result<Vec<Allocation>> {
    let order = locked.id;
    match locked.status {
        Status::Draft => return Err(Code::OrderNotCommitted.into()),
        Status::Cancelled => return Err(Code::OrderCancelled.into()),
        Status::Committed | Status::Fulfilled => {}
    }
    let fields = wishes.iter().map(|wish| (wish.location, wish.location_field.as_str()));
    hold_locations(tx, owner, fields.collect()).await?;
    let lines = orders::lines(tx, owner, order).await?;
    ensure_ordered(wishes, &lines)?;
    let demand = demand(wishes.iter().map(|wish| (wish.item, wish.quantity)));
    grant(tx, owner, order, &lines, &demand).await?;
    let mut made = Vec::new();
    for wish in wishes {
        let open = Allocation::open(log.new_id(), order, wish.item, wish.location, wish.quantity);
        let allocation = Allocation { is_planned, ..open };
        allocations::insert(tx, owner, &allocation).await?;
        let (at, planned) = (At { item: wish.item, location: wish.location }, allocation.planned());
        inventory_levels::count(tx, owner, at, CountDelta { planned, ..CountDelta::default() }).await?;
        let event = Event::new("allocation.created", allocation.id, &json(&allocation.view())?);
        log.append(tx, &event).await?;
        made.push(allocation);
    }
    update_reservation(tx, owner, order, &lines, log).await?;
    let before = locked.fulfilment(tx, owner).await?;
    let allocated =
        lines.iter().map(|line| line.allocated_quantity).sum::<i64>() + demand.values().sum::<i64>();
    let (shipped, delivered) = (before.shipped_quantity, before.delivered_quantity);
    let after = before.with_quantities(Quantities { wanted: wanted(&lines), allocated, shipped, delivered });
    store_fulfilment(tx, owner, locked, after, log).await?;
    Ok(made)
}

/// Refuses locations that do not exist, and keeps the others from being deleted meanwhile. In the order of their
/// ids, so that no two requests wait for each other.
async fn hold_locations(tx: &mut Tx<'_>, owner: Owner, mut fields: Vec<(Id<Location>, &str)>) -> Result<()> {
    fields.sort_by_key(|(location, _)| *location);
    fields.dedup_by_key(|(location, _)| *location);
    let mut issues = Vec::new();
    for (location, field) in fields {
        if !location_configurations::hold_location(tx, owner, location).await? {
            issues.push(Issue::new(Code::LocationNotFound.as_str(), field, "There is no such location."));
        }
    }
    if issues.is_empty() { Ok(()) } else { Err(Problem::fields(Code::LocationNotFound, issues).into()) }
}

fn ensure_ordered(wishes: &[Wish], lines: &[ReservedItem]) -> Result<()> {
    let strange = wishes.iter().filter(|wish| !lines.iter().any(|line| line.id == wish.item));
    let issues: Vec<_> = strange
        .map(|wish| {
            let field = format!("{}/id", wish.item_field);
            Issue::new(Code::ItemNotInOrder.as_str(), field, "The order does not have this item.")
        })
        .collect();
    if issues.is_empty() { Ok(()) } else { Err(Problem::fields(Code::ItemNotInOrder, issues).into()) }
}

/// Counts what is asked for as allocated, or refuses all of it.
async fn grant(
    tx: &mut Tx<'_>,
    owner: Owner,
    order: Id<Order>,
    lines: &[ReservedItem],
    demand: &BTreeMap<Id<InventoryItem>, i64>,
) -> Result<()> {
    let mut issues = Vec::new();
    for (item, requested) in demand.iter().filter(|(_, requested)| **requested != 0) {
        if !orders::allocate(tx, owner, order, *item, *requested).await? {
            let line = lines.iter().find(|line| line.id == *item);
            let available = line.map_or(0, |line| line.quantity - line.allocated_quantity);
            let message = format!("{requested} of {item} are requested, {available} are not allocated yet.");
            let issue = Issue::new(Code::ExceedsReservation.as_str(), "/allocations", message);
            issues.push(
                issue
                    .with("item", item.to_string())
                    .with("requested", *requested)
                    .with("available", available),
            );
        }
    }
    if issues.is_empty() { Ok(()) } else { Err(Problem::fields(Code::ExceedsReservation, issues).into()) }
}

/// What each named allocation is and becomes; or why not, for all that can't.
fn changes(old: &[Allocation], input: &AllocationChanges, log: &EventLog) -> Result<Vec<Changed>> {
    let mut seen = BTreeSet::new();
    let mut refused: Vec<(Code, Issue)> = Vec::new();
    let mut changed = Vec::new();
    for (place, entry) in input.allocations.iter().enumerate() {
        let known = old.iter().find(|allocation| allocation.id == entry.id);
        let outcome = match known {
            _ if !seen.insert(entry.id) => Err(Code::DuplicateAllocation),
            None => Err(Code::AllocationNotFound),
            Some(allocation) => allocation.change(entry, log.now()).map(|after| (*allocation, after)),
        };
        match outcome {
            Ok(pair) => changed.push(pair),
            Err(code) => {
                let field = match code {
                    Code::ItemNotInAllocation => format!("/allocations/{place}/items/0/id"),
                    _ => format!("/allocations/{place}/id"),
                };
                refused.push((code, Issue::new(code.as_str(), field, code.title())));
            }
        }
    }
    match refused.first() {
        None => Ok(changed),
        Some((first, _)) => {
            let first = *first;
            let issues: Vec<_> = refused.into_iter().map(|(_, issue)| issue).collect();
            Err(Problem::fields(first, issues).into())
        }
    }
}

async fn hold_moved(
    tx: &mut Tx<'_>,
    owner: Owner,
    changes: &[Changed],
    input: &AllocationChanges,
) -> Result<()> {
    let field = |allocation: &Allocation| {
        let place = input.allocations.iter().position(|entry| entry.id == allocation.id).unwrap_or(0);
        format!("/allocations/{place}/location/id")
    };
    let moved = changes.iter().filter(|(before, after)| before.location != after.location);
    let fields: Vec<_> = moved.map(|(_, after)| (after.location, field(after))).collect();
    hold_locations(tx, owner, fields.iter().map(|(location, field)| (*location, field.as_str())).collect())
        .await
}

/// Counts what the changes ask for, and gives what the lines were before.
async fn change_demand(
    tx: &mut Tx<'_>,
    owner: Owner,
    order: Id<Order>,
    changes: &[Changed],
) -> Result<Vec<ReservedItem>> {
    let lines = orders::lines(tx, owner, order).await?;
    let demand = demand(changes.iter().map(|(before, after)| (after.item, after.quantity - before.quantity)));
    grant(tx, owner, order, &lines, &demand).await?;
    Ok(lines)
}

async fn store_changes(tx: &mut Tx<'_>, owner: Owner, changes: &[Changed], log: &EventLog) -> Result<()> {
    for (before, after) in changes.iter().filter(|(before, after)| before != after) {
        allocations::update(tx, owner, after).await?;
        let is_completed = before.completed_at.is_none() && after.completed_at.is_some();
        let name = if is_completed { "allocation.completed" } else { "allocation.updated" };
        let event = Event::new(name, after.id, &json(&after.view())?);
        log.append(tx, &event.changed_from(previous(&before.view(), &after.view())?)).await?;
    }
    Ok(())
}

/// Returns the allocations of an order after some of them were changed.
fn changed(old: &[Allocation], changed: &[Allocation]) -> Vec<Allocation> {
    let now = |old: &Allocation| *changed.iter().find(|new| new.id == old.id).unwrap_or(old);
    old.iter().map(now).collect()
}

/// Returns how many pieces an order wants.
fn wanted(lines: &[ReservedItem]) -> i64 {
    lines.iter().map(|line| line.quantity).sum()
}

/// Brings the order's fulfilment and status in line with all of its allocations.
async fn follow_allocations(
    tx: &mut Tx<'_>,
    owner: Owner,
    locked: LockedOrder,
    (lines, held): (&[ReservedItem], &[Allocation]),
    log: &EventLog,
) -> Result<()> {
    let before = locked.fulfilment(tx, owner).await?;
    let after = before.with_quantities(Allocation::quantities(wanted(lines), held));
    store_fulfilment(tx, owner, locked, after, log).await
}

/// Stores how far an order is, with the exceptions that were added to it, if that has changed. Moves the order to `fulfilled`
/// once everything is completed, and back once it no longer is.
pub async fn store_fulfilment(
    tx: &mut Tx<'_>,
    owner: Owner,
    mut locked: LockedOrder,
    fulfilment: Fulfilment,
    log: &EventLog,
) -> Result<()> {
    let status = locked.status.after_allocation(fulfilment.status.is_shipped());
    locked.set("fulfilment", &fulfilment)?;
    locked.set("status", &status)?;
    if locked.after == locked.before {
        return Ok(());
    }
    let doc = locked.write(tx, owner, log.now()).await?;
    log.append(tx, &locked.updated(&doc)).await?;
    if status == Status::Fulfilled && locked.status != status {
        log.append(tx, &Event::new("order.fulfilled", locked.id, &doc)).await?;
    }
    if locked.after["exceptions"] != locked.before["exceptions"] {
        log.append(tx, &Event::new("order.exception_raised", locked.id, &doc)).await?;
    }
    Ok(())
}
