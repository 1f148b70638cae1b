//! Stock as allocations move it: completed ones take it, deleted ones give it back.

use std::collections::{BTreeMap, BTreeSet};

use model::platform::problem::Issue;
use model::stock::inventory_item::{Level, REASON_COMPLETED, REASON_DELETED};
use model::{Allocation, Code, Event, Id, Order, Owner, Problem, Result};
use store::Tx;
use store::orders::{allocations, orders};
use store::stock::inventory_levels::{self, At, CountDelta};

use crate::events::events::EventLog;
use crate::platform::resource::{found, json};
use crate::stock::inventory_levels::{Step, announce, change, lock};

/// An allocation as it is, and as it becomes.
pub type Changed = (Allocation, Allocation);

/// Takes the stock of the allocations that are completed now. An item without a level at the location is not tracked
/// there, and completes freely. Gives the levels as they were.
pub async fn take_stock(
    tx: &mut Tx<'_>,
    owner: Owner,
    changes: &mut [Changed],
    log: &EventLog,
) -> Result<Vec<Level>> {
    let mut takers: BTreeMap<At, Vec<usize>> = BTreeMap::new();
    for (place, (before, after)) in changes.iter().enumerate() {
        if before.completed_at.is_none() && after.completed_at.is_some() {
            takers.entry(At { item: after.item, location: after.location }).or_default().push(place);
        }
    }
    let (mut levels, mut issues) = (Vec::new(), Vec::new());
    for (at, places) in takers {
        let Some(level) = lock(tx, owner, at).await? else { continue };
        let mut on_hand = level.on_hand;
        let requested: i64 = places.iter().map(|place| changes[*place].1.quantity).sum();
        if requested > on_hand {
            let message = format!(
                "{requested} of {} are to be sent from {}, {on_hand} are on hand.",
                at.item, at.location
            );
            let issue = Issue::new(Code::InsufficientStock.as_str(), "/allocations", message);
            let issue = issue.with("item", at.item.to_string()).with("location", at.location.to_string());
            issues.push(issue.with("requested", requested).with("available", on_hand));
            continue;
        }
        for place in places {
            let (before, taker) = &mut changes[place];
            let delta = CountDelta { packed: -before.packed(), buying: -before.buying(), planned: 0 };
            inventory_levels::count(tx, owner, at, delta).await?;
            taker.took_stock = true;
            let (delta, allocation) = (-taker.quantity, Some(taker.id));
            change(tx, owner, at, log, Step { delta, on_hand, reason: REASON_COMPLETED, allocation }).await?;
            on_hand += delta;
        }
        levels.push(level);
    }
    if issues.is_empty() { Ok(levels) } else { Err(Problem::fields(Code::InsufficientStock, issues).into()) }
}

/// Locks the levels that a change of allocations concerns, in the order of their keys.
pub async fn lock_changed(tx: &mut Tx<'_>, owner: Owner, changes: &[Changed]) -> Result<()> {
    let is_completed = |before: &Allocation, after: &Allocation| {
        before.completed_at.is_none() && after.completed_at.is_some()
    };
    let mut keys = BTreeSet::new();
    for (before, after) in changes {
        keys.extend((before.planned() != after.planned()).then(|| at_of(before)));
        keys.extend(is_completed(before, after).then(|| at_of(after)));
    }
    inventory_levels::lock_all(tx, owner, &keys).await.map(drop)
}

/// Counts what plans allocated and changes do not leave as it was. The levels must be locked.
pub async fn count_planned(tx: &mut Tx<'_>, owner: Owner, changes: &[Changed]) -> Result<()> {
    for (before, after) in changes {
        // An allocation that moves is no longer counted as planned.
        let delta = CountDelta { planned: after.planned() - before.planned(), ..CountDelta::default() };
        inventory_levels::count(tx, owner, at_of(before), delta).await?;
    }
    Ok(())
}

fn at_of(allocation: &Allocation) -> At {
    At { item: allocation.item, location: allocation.location }
}

/// Deletes allocations of a locked order, and puts the stock that completed ones had taken back on hand.
pub async fn take_back(
    tx: &mut Tx<'_>,
    owner: Owner,
    order: Id<Order>,
    held: &[Allocation],
    log: &EventLog,
) -> Result<()> {
    if held.is_empty() {
        return Ok(());
    }
    let mut givers: BTreeMap<At, Vec<&Allocation>> = BTreeMap::new();
    for allocation in held.iter().filter(|held| held.took_stock || held.packed() > 0 || held.planned() > 0) {
        let at = At { item: allocation.item, location: allocation.location };
        givers.entry(at).or_default().push(allocation);
    }
    let mut levels = Vec::new();
    for (at, givers) in givers {
        let Some(level) = lock(tx, owner, at).await? else {
            // Only stock that was taken needs a level to go back to.
            found((!givers.iter().any(|giver| giver.took_stock)).then_some(()))?;
            continue;
        };
        let mut on_hand = level.on_hand;
        let sum = |units: fn(&Allocation) -> i64| givers.iter().map(|giver| units(giver)).sum::<i64>();
        let (packed, buying) = (sum(Allocation::packed), sum(Allocation::buying));
        let delta = CountDelta { packed: -packed, buying: -buying, planned: -sum(Allocation::planned) };
        inventory_levels::count(tx, owner, at, delta).await?;
        for giver in givers.iter().filter(|giver| giver.took_stock) {
            let (delta, allocation) = (giver.quantity, Some(giver.id));
            change(tx, owner, at, log, Step { delta, on_hand, reason: REASON_DELETED, allocation }).await?;
            on_hand += delta;
        }
        if packed > 0 || givers.iter().any(|giver| giver.took_stock) {
            levels.push(level);
        }
    }
    allocations::delete_of_order(tx, owner, order).await?;
    orders::release(tx, owner, order).await?;
    for allocation in held {
        log.append(tx, &Event::new("allocation.deleted", allocation.id, &json(&allocation.view())?)).await?;
    }
    for level in &levels {
        announce(tx, owner, level, log).await?;
    }
    Ok(())
}
