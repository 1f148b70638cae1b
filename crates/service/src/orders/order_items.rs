//! The items of an order: what of them exists, and how they change.

use model::orders::order::{Line, ReservedItem, Status};
use model::platform::problem::Issue;
use model::{Code, Id, InventoryItem, Order, Owner, Problem, Result};
use store::Tx;
use store::orders::orders;
use store::stock::inventory_items;

use crate::events::events::EventLog;
use crate::orders::reservations::update_reservation;

/// Refuses items that do not exist, and keeps the others from being deleted until the transaction ends. Each comes with
/// the pointer to its id.
pub async fn hold_items(
    tx: &mut Tx<'_>,
    owner: Owner,
    named: impl Iterator<Item = (Id<InventoryItem>, String)> + Clone,
) -> Result<()> {
    let mut ids: Vec<_> = named.clone().map(|(id, _)| id).collect();
    ids.sort_unstable();
    ids.dedup();
    let known = inventory_items::hold(tx, owner, &ids).await?;
    let issues: Vec<_> = named
        .filter(|(id, _)| !known.contains(id))
        .map(|(_, field)| {
            Issue::new(Code::InventoryItemNotFound.as_str(), field, "There is no such inventory item.")
        })
        .collect();
    if issues.is_empty() { Ok(()) } else { Err(Problem::fields(Code::InventoryItemNotFound, issues).into()) }
}

/// Returns the items of a body, each with the pointer to its id.
pub fn named(items: &[Line]) -> impl Iterator<Item = (Id<InventoryItem>, String)> + Clone {
    items.iter().enumerate().map(|(place, line)| (line.id, format!("/items/{place}/id")))
}

/// Returns whether the items of an order are these, in this order.
pub fn is_same(old: &[ReservedItem], new: &[Line]) -> bool {
    let is_line = |(old, new): (&ReservedItem, &Line)| old.id == new.id && old.quantity == new.quantity;
    old.len() == new.len() && old.iter().zip(new).all(is_line)
}

/// Changes the items of an order, and tells of its reservation. The items must be held. Refuses less of an item than is
/// allocated.
pub async fn change_items(
    tx: &mut Tx<'_>,
    owner: Owner,
    (id, status): (Id<Order>, Status),
    old: &[ReservedItem],
    new: &[Line],
    has_lines: bool,
    log: &EventLog,
) -> Result<()> {
    let issues: Vec<_> = old.iter().filter_map(|line| short_of(line, new, has_lines)).collect();
    if !issues.is_empty() {
        return Err(Problem::fields(Code::OrderItemsAllocated, issues).into());
    }
    orders::set_lines(tx, owner, id, old, new).await?;
    if status.is_reserved() {
        update_reservation(tx, owner, id, old, log).await?;
    }
    Ok(())
}

/// The complaint where less of an item would be wanted than is allocated.
fn short_of(old: &ReservedItem, new: &[Line], has_lines: bool) -> Option<Issue> {
    let place = new.iter().position(|line| line.id == old.id);
    let wanted = place.map_or(0, |place| new[place].quantity);
    (wanted < old.allocated_quantity).then(|| {
        let field = match place {
            _ if has_lines => "/lines".to_owned(),
            None => "/items".to_owned(),
            Some(place) => format!("/items/{place}/quantity"),
        };
        let message = format!("{} of {} are allocated.", old.allocated_quantity, old.id);
        Issue::new(Code::OrderItemsAllocated.as_str(), field, message)
            .with("item", old.id.to_string())
            .with("requested", wanted)
            .with("allocated", old.allocated_quantity)
    })
}
