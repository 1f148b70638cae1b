//! The rows that an allocation writes, without any decisions: the same rows through the same writer.

use model::events::actor::Actor;
use model::orders::indexed_order::IndexedOrder;
use model::{Allocation, Error, Event, Id, Order, Owner};
use serde_json::Value;
use service::{Clock, SystemClock};
use store::Db;
use store::events::events::{self, Logged};
use store::orders::{allocations, orders};

use crate::harness::outcome::Outcome;
use crate::harness::store::new_id;

/// The most events of a new store: those of its one sample of each resource.
const SAMPLE_EVENTS_MAX: usize = 100;
const PATH: &str = "/allocations/orders/";

/// Writes the rows of an allocation like a sample that the product wrote.
pub struct AllocationRows {
    db: Db,
    owner: Owner,
    sample: Allocation,
    allocated: String,
    reserved: String,
    previous: Value,
    ordered: String,
    ordered_before: Value,
    indexed: IndexedOrder,
}

impl AllocationRows {
    /// Reads an order's allocation, and the events that the product wrote for it, as the sample.
    pub async fn open(db: Db, owner: Owner, order: &str) -> Outcome<Self> {
        let order = Id::<Order>::parse(order).ok_or("this is no order's id")?;
        let read = db.read(owner, async move |tx| {
            let made = allocations::of_order(tx, owner, order).await?;
            Ok((made, events::after(tx, owner, 0, SAMPLE_EVENTS_MAX).await?))
        });
        let (made, logged) = read.await.map_err(|error| error.to_string())?;
        let sample = *made.first().ok_or("the order has no allocation")?;
        let find = |name| {
            let event = logged.iter().find(|event| event.r#type == name);
            event.ok_or_else(|| format!("the store has no event {name}"))
        };
        let (changed, ordered) = (find("reservation.updated")?, find("order.updated")?);
        let before = |event: &Logged| -> Outcome<Value> {
            let previous = event.previous_attributes.as_deref();
            Ok(serde_json::from_str(previous.ok_or("the event tells nothing of before")?)?)
        };
        let indexed = IndexedOrder::of(&serde_json::from_str(&ordered.object)?);
        Ok(Self {
            sample,
            allocated: find("allocation.created")?.object.clone(),
            reserved: changed.object.clone(),
            previous: before(changed)?,
            ordered: ordered.object.clone(),
            ordered_before: before(ordered)?,
            indexed: indexed.map_err(|error| error.to_string())?,
            db,
            owner,
        })
    }

    /// Allocates one piece for the order in the path. A path without an order changes nothing.
    pub async fn write(&self, path: &str) -> model::Result<()> {
        let Some(order) = path.strip_prefix(PATH).and_then(Id::<Order>::parse) else { return Ok(()) };
        let (owner, now) = (self.owner, SystemClock.now());
        let allocation = Allocation { id: new_id(now), order, ..self.sample };
        let made = Event::new("allocation.created", allocation.id, &self.allocated);
        let changed = Event::new("reservation.updated", order, &self.reserved);
        let changed = changed.changed_from(self.previous.clone());
        let ordered = Event::new("order.updated", order, &self.ordered);
        let ordered = ordered.changed_from(self.ordered_before.clone());
        let (indexed, doc) = (IndexedOrder { id: order, ..self.indexed.clone() }, self.ordered.clone());
        let (made_id, changed_id) = (new_id::<Event>(now), new_id::<Event>(now));
        let ordered_id = new_id::<Event>(now);
        let write = self.db.write(owner, async move |tx| {
            let stored = orders::get_for_update(tx, owner, order).await?;
            let is_granted = orders::allocate(tx, owner, order, allocation.item, allocation.quantity).await?;
            if stored.is_none() || !is_granted {
                return Err(Error::fault("the order has nothing left to allocate"));
            }
            allocations::insert(tx, owner, &allocation).await?;
            events::append(tx, owner, made_id, &made, Actor::System, now).await?;
            orders::touch_reservation(tx, owner, order, now).await?;
            events::append(tx, owner, changed_id, &changed, Actor::System, now).await?;
            orders::update(tx, owner, &indexed, &indexed, &doc).await?;
            events::append(tx, owner, ordered_id, &ordered, Actor::System, now).await
        });
        write.await
    }
}
