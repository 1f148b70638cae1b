//! Reservations: made with a commit, changed with the order's items and allocations, deleted with the order.

use model::orders::order::{Reservation, ReservedItem};
use model::{Event, Id, Order, Owner, Result};
use store::Tx;
use store::orders::orders;

use crate::events::events::EventLog;
use crate::platform::resource::{found, json, previous};

pub async fn reserve(tx: &mut Tx<'_>, owner: Owner, id: Id<Order>, doc: &str, log: &EventLog) -> Result<()> {
    orders::reserve(tx, owner, log.new_id::<Reservation>(), id, log.now()).await?;
    log.append(tx, &Event::new("order.committed", id, doc)).await?;
    let reservation = found(orders::reservation(tx, owner, id).await?)?;
    log.append(tx, &Event::new("reservation.created", id, &json(&reservation)?)).await
}

pub async fn unreserve(tx: &mut Tx<'_>, owner: Owner, id: Id<Order>, log: &EventLog) -> Result<()> {
    let Some(reservation) = orders::reservation(tx, owner, id).await? else { return Ok(()) };
    orders::unreserve(tx, owner, id).await?;
    log.append(tx, &Event::new("reservation.deleted", id, &json(&reservation)?)).await
}

/// Notes that a reservation's items have changed from what they were.
pub async fn update_reservation(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Order>,
    old: &[ReservedItem],
    log: &EventLog,
) -> Result<()> {
    let Some(mut reservation) = orders::reservation(tx, owner, id).await? else { return Ok(()) };
    let before = Reservation { items: old.to_vec(), ..reservation.clone() };
    orders::touch_reservation(tx, owner, id, log.now()).await?;
    reservation.updated_at = log.now();
    let event = Event::new("reservation.updated", id, &json(&reservation)?);
    log.append(tx, &event.changed_from(previous(&before, &reservation)?)).await
}
