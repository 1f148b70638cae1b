//! Writing the shipments of an order: all of them, with their units and the order, in one transaction.

use std::collections::{BTreeMap, BTreeSet};

use model::platform::id::AllocationKind;
use model::{Allocation, Code, Event, Id, Owner, Result, Shipment, ensure};
use store::Tx;
use store::shipping::order_shipments;
use store::shipping::shipments::{self, NewShipment};
use store::stock::inventory_levels::At;

use super::gather::ensure_ready;
use super::prepare::{PreparedLocation, PreparedShipments};
use crate::events::events::EventLog;
use crate::platform::resource::{found, json};
use crate::shipping::order_contents::{OrderContents, Shortage, at_of, insufficient_stock};
use crate::shipping::shipments::shown;

/// Writes the shipments that were prepared, and returns each with what is shown of it.
///
/// # Errors
///
/// Refuses with `order_changed` if the order or its allocations have changed since, and with `insufficient_stock` if the units
/// are not on hand or are in other shipments.
pub async fn write(
    tx: &mut Tx<'_>,
    owner: Owner,
    prepared: &PreparedShipments,
    log: &EventLog,
) -> Result<Vec<(Id<Shipment>, String)>> {
    let is_chosen = |allocation: &Allocation| prepared.chosen.contains(&allocation.id);
    let mut contents = OrderContents::lock_orders(tx, owner, &[prepared.order], is_chosen).await?;
    let order = found(contents.order(prepared.order))?;
    ensure_ready(order)?;
    let is_same = order.version == prepared.version
        && contents.allocations(prepared.order) == prepared.allocations.as_slice();
    ensure(is_same, Code::OrderChanged)?;
    ensure_on_hand(&contents, prepared)?;
    let mut free = prepared.chosen.clone();
    let mut made = Vec::new();
    for location in &prepared.locations {
        made.extend(insert(tx, &mut contents, prepared, location, &mut free, log).await?);
    }
    contents.write(tx, log).await?;
    Ok(made)
}

/// Refuses units that are not on hand, or that other shipments hold.
fn ensure_on_hand(contents: &OrderContents, prepared: &PreparedShipments) -> Result<()> {
    let mut needed: BTreeMap<At, i64> = BTreeMap::new();
    for location in &prepared.locations {
        for (item, quantity) in location.shipments.iter().flat_map(|shipment| &shipment.units) {
            *needed.entry(At { item: *item, location: location.origin.location }).or_default() += quantity;
        }
    }
    let shortage = |(at, requested): (&At, &i64)| {
        let available = contents.unpacked(*at)?;
        (available < *requested).then_some(Shortage { at: *at, requested: *requested, available })
    };
    let short: Vec<_> = needed.iter().filter_map(shortage).collect();
    if short.is_empty() { Ok(()) } else { Err(insufficient_stock(&short).into()) }
}

/// Inserts the shipments of one location, and puts the units of allocations into them.
async fn insert(
    tx: &mut Tx<'_>,
    contents: &mut OrderContents,
    prepared: &PreparedShipments,
    location: &PreparedLocation,
    free: &mut BTreeSet<Id<AllocationKind>>,
    log: &EventLog,
) -> Result<Vec<(Id<Shipment>, String)>> {
    let owner = contents.owner();
    let set_by = &location.evaluation.decision.set_by;
    let rule =
        ["service", "choose"].iter().find_map(|field| set_by.get(*field)).filter(|_| location.is_by_rules);
    let evaluation = json(&location.evaluation)?;
    let mut made = Vec::with_capacity(location.shipments.len());
    for new in &location.shipments {
        let mut shipment = Shipment::draft(log.new_id(), new.details.clone(), log.now());
        shipment.order_id = Some(prepared.order);
        shipment.complete_allocations_on = Some(location.complete_allocations_on);
        shipment.rule_id = rule.map(|rule| Id::from_bits(rule.bits()));
        let (id, doc) = (shipment.id, json(&shipment)?);
        let (origin, order, summary) = (Some(location.origin), Some(prepared.order), shipment.summary());
        let row = NewShipment { id, summary: &summary, origin, order, doc: &doc };
        shipments::insert(tx, owner, row).await?;
        order_shipments::insert_evaluation(tx, owner, id, &evaluation).await?;
        for (item, quantity) in &new.units {
            let at = At { item: *item, location: location.origin.location };
            pack_units(contents, prepared, id, at, *quantity, free, log);
        }
        let shown = shown(&doc, &[])?;
        log.append(tx, &Event::new("shipment.created", id, &shown)).await?;
        made.push((id, shown));
    }
    Ok(made)
}

/// Puts units of a level into a shipment, from the oldest of the order's free allocations there.
fn pack_units(
    contents: &mut OrderContents,
    prepared: &PreparedShipments,
    shipment: Id<Shipment>,
    at: At,
    mut quantity: i64,
    free: &mut BTreeSet<Id<AllocationKind>>,
    log: &EventLog,
) {
    while quantity > 0 {
        let is_usable = |held: &&Allocation| free.contains(&held.id) && at_of(held) == at;
        let Some(next) = contents.allocations(prepared.order).iter().find(is_usable).copied() else { return };
        let taken = next.quantity.min(quantity);
        let rest = log.new_id();
        contents.pack(prepared.order, next.id, shipment, taken, rest);
        free.remove(&next.id);
        if taken < next.quantity {
            free.insert(rest);
        }
        quantity -= taken;
    }
}
