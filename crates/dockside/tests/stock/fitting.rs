//! Fits steps to what exists, so that most requests are about resources that are there.

use crate::reference_model::ReferenceModel;
use crate::requests::{ChangedRow, NewRow, Request};
use crate::steps::{Action, Amount, Change, Entry, ITEMS, Pick, REST};

/// The number of an order or allocation that does not exist.
pub const NONE: usize = usize::MAX;

impl Request {
    pub fn fitted(action: &Action, reference: &ReferenceModel) -> Self {
        let fit = |order: &usize| fitted_order(reference, *order, |_| true);
        match action {
            Action::CreateOrder { status, items } => {
                Request::CreateOrder { status, items: lines(reference, NONE, items) }
            }
            Action::PatchOrder { order, items, status } => {
                let order = fit(order);
                Request::PatchOrder { order, items: lines(reference, order, items), status: *status }
            }
            Action::CommitOrder { order } => Request::CommitOrder { order: fit(order) },
            Action::CancelOrder { order } => Request::CancelOrder { order: fit(order) },
            Action::DeleteOrder { order } => Request::DeleteOrder { order: fit(order) },
            Action::Allocate { order, entries } => {
                let order = fit(order);
                Request::Allocate {
                    order,
                    entries: entries.iter().map(|it| rows(reference, order, it)).collect(),
                }
            }
            Action::Change { order, changes } => {
                let held =
                    |number| reference.allocations.iter().any(|held| held.is_there && held.order == number);
                let order = fitted_order(reference, *order, held);
                let changes = changes.iter().map(|it| changed_row(reference, order, it)).collect();
                Request::Change { order, changes }
            }
            Action::Release { order } => Request::Release { order: fit(order) },
            &Action::SetLevel { item, location, on_hand } => Request::SetLevel { item, location, on_hand },
            &Action::Adjust { item, location, delta, expected } => {
                Request::Adjust { item, location, delta, expected }
            }
            &Action::DeleteItem { item } => Request::DeleteItem { item },
        }
    }
}

/// Returns mostly an existing order that fits, and sometimes any order that ever existed.
pub fn fitted_order(reference: &ReferenceModel, number: usize, is_wanted: impl Fn(usize) -> bool) -> usize {
    let all = 0..reference.orders.len();
    let there: Vec<_> = all.filter(|order| reference.orders[*order].is_some() && is_wanted(*order)).collect();
    match number.checked_rem(there.len()) {
        Some(place) if !number.is_multiple_of(16) => there[place],
        _ => (number / 16).checked_rem(reference.orders.len()).unwrap_or(NONE),
    }
}

pub fn lines(reference: &ReferenceModel, order: usize, amounts: &[Amount]) -> Vec<(usize, i64)> {
    let fit = |(pick, quantity): &Amount| {
        let item = fitted_item(reference, order, *pick);
        (item, if *quantity == REST { rest(reference, order, item) } else { *quantity })
    };
    amounts.iter().map(fit).collect()
}

fn rest(reference: &ReferenceModel, order: usize, item: usize) -> i64 {
    let wanting = reference.orders.get(order).and_then(Option::as_ref);
    let line = wanting.and_then(|order| order.lines.iter().find(|(known, _)| *known == item));
    line.map_or(1, |(_, quantity)| (quantity - reference.allocated(order, item)).max(1))
}

fn fitted_item(reference: &ReferenceModel, order: usize, pick: Pick) -> usize {
    match (pick, reference.orders.get(order).and_then(Option::as_ref)) {
        (Pick::OfOrder(number), Some(order)) => order.lines[number % order.lines.len()].0,
        (Pick::OfOrder(number), None) => number % ITEMS,
        (Pick::Any(item), _) => item,
    }
}

fn rows(reference: &ReferenceModel, order: usize, entry: &Entry) -> Vec<NewRow> {
    let items = lines(reference, order, &entry.items).into_iter();
    items.map(|(item, quantity)| NewRow { item, location: entry.location, quantity }).collect()
}

fn changed_row(reference: &ReferenceModel, order: usize, change: &Change) -> ChangedRow {
    let allocation = match change.allocation {
        Pick::Any(number) => number.checked_rem(reference.allocations.len()).unwrap_or(NONE),
        Pick::OfOrder(number) => {
            let all = reference.allocations.iter().enumerate();
            let held: Vec<_> = all.filter(|(_, held)| held.is_there && held.order == order).collect();
            number.checked_rem(held.len()).map_or(NONE, |place| held[place].0)
        }
    };
    let own = reference.allocations.get(allocation).map_or(0, |held| held.item);
    let item = if change.is_other_item { (own + 1) % ITEMS } else { own };
    let line = change.quantity.map(|quantity| (item, quantity));
    ChangedRow { allocation, location: change.location, line, completed: change.completed }
}
