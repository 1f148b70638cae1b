//! Writing what shipments changed of their orders.

use std::collections::BTreeMap;

use model::orders::fulfilment::SHIPMENT_IDS_MAX;
use model::stock::inventory_item::Level;
use model::{Allocation, Event, Owner, Result};
use store::Tx;
use store::orders::allocations;
use store::shipping::order_shipments;
use store::stock::inventory_levels::{self, At, CountDelta};

use super::{OrderContents, OrderState, at_of};
use crate::events::events::EventLog;
use crate::orders::allocations::store_fulfilment;
use crate::orders::exceptions::add_to;
use crate::platform::resource::{found, json, previous};
use crate::stock::inventory_levels::{Step, announce, change};

impl OrderContents {
    /// Writes allocations, levels and orders that changed, with their events.
    pub async fn write(self, tx: &mut Tx<'_>, log: &EventLog) -> Result<()> {
        if self.orders.is_empty() {
            return Ok(());
        }
        // Boxed, because most changes of shipments call this and would embed the large future.
        Box::pin(self.write_all(tx, log)).await
    }

    async fn write_all(self, tx: &mut Tx<'_>, log: &EventLog) -> Result<()> {
        let owner = self.owner;
        let mut shown: BTreeMap<At, Level> = BTreeMap::new();
        for (at, _) in self.levels.iter().filter(|(_, level)| !level.steps.is_empty()) {
            shown.insert(*at, found(inventory_levels::get(tx, owner, *at).await?)?);
        }
        for state in self.orders.values() {
            write_allocations(tx, owner, state, log).await?;
        }
        for (at, level) in &self.levels {
            let (packed, buying) =
                (level.now.packed - level.before.packed, level.now.buying - level.before.buying);
            let delta = CountDelta { packed, buying, planned: self.planned_at(*at) };
            inventory_levels::count(tx, owner, *at, delta).await?;
            for step in &level.steps {
                let (delta, on_hand, allocation) = (step.delta, step.on_hand, step.allocation);
                change(tx, owner, *at, log, Step { delta, on_hand, reason: &step.reason, allocation })
                    .await?;
            }
        }
        for before in shown.values() {
            announce(tx, owner, before, log).await?;
        }
        for (_, state) in self.orders {
            write_order(tx, owner, state, log).await?;
        }
        Ok(())
    }
}

impl OrderContents {
    /// Returns how much more units of open allocations that plans made are at a level.
    fn planned_at(&self, at: At) -> i64 {
        let sum = |held: &[Allocation]| -> i64 {
            held.iter().filter(|held| at_of(held) == at).map(Allocation::planned).sum()
        };
        self.orders.values().map(|state| sum(&state.after) - sum(&state.before)).sum()
    }
}

async fn write_allocations(tx: &mut Tx<'_>, owner: Owner, state: &OrderState, log: &EventLog) -> Result<()> {
    for after in &state.after {
        let before = state.before.iter().find(|before| before.id == after.id);
        match before {
            None => {
                allocations::insert(tx, owner, after).await?;
                log.append(tx, &Event::new("allocation.created", after.id, &json(&after.view())?)).await?;
            }
            Some(before) if before == after => {}
            Some(before) => {
                allocations::update(tx, owner, after).await?;
                tell(tx, before, after, log).await?;
            }
        }
    }
    Ok(())
}

/// Appends the event of a changed allocation, if a client can see the change.
async fn tell(tx: &mut Tx<'_>, before: &Allocation, after: &Allocation, log: &EventLog) -> Result<()> {
    let name = match (before.completed_at, after.completed_at) {
        (None, Some(_)) => "allocation.completed",
        (Some(_), None) => "allocation.reopened",
        _ => "allocation.updated",
    };
    let shown = json(&after.view())?;
    if shown == json(&before.view())? {
        return Ok(());
    }
    let event = Event::new(name, after.id, &shown);
    log.append(tx, &event.changed_from(previous(&before.view(), &after.view())?)).await
}

async fn write_order(tx: &mut Tx<'_>, owner: Owner, state: OrderState, log: &EventLog) -> Result<()> {
    let OrderState { mut locked, wanted, after, exceptions, is_regrouped, .. } = state;
    for exception in exceptions {
        add_to(&mut locked, exception, log)?;
    }
    let before = locked.fulfilment(tx, owner).await?;
    let mut fulfilment = before.with_quantities(Allocation::quantities(wanted, &after));
    if is_regrouped {
        fulfilment.shipment_ids =
            order_shipments::ids_of_order(tx, owner, locked.id, SHIPMENT_IDS_MAX).await?;
    }
    store_fulfilment(tx, owner, locked, fulfilment, log).await
}
