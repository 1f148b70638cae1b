//! The lines of an order, as requests give them: their ids, their items, and the items of the order that follow.

use std::collections::BTreeSet;

use model::orders::order::{Line, OrderInput, sum_lines};
use model::orders::order_line::{OrderLine, is_same_demand, items_of, keep_matches, name_lines};
use model::platform::problem::Issue;
use model::{Code, Owner, Problem, Result};
use store::Tx;
use store::stock::inventory_items;

use crate::events::events::EventLog;
use crate::orders::order_document::LockedOrder;
use crate::orders::order_items::{hold_items, named};

/// Completes the lines of a new order, and computes its items.
pub async fn complete_new(
    tx: &mut Tx<'_>,
    owner: Owner,
    input: &mut OrderInput,
    log: &EventLog,
) -> Result<()> {
    // What was read may be sent to create another order: its ids are those of the other.
    input.lines.iter_mut().for_each(|line| line.id = Some(log.new_id()));
    let before = items_of(&input.lines)?;
    find_items(tx, owner, &mut input.lines).await?;
    let items = items_of(&input.lines)?;
    ensure_agreement(tx, owner, &input.items, &[&[], &before, &items]).await?;
    input.items = items;
    Ok(())
}

/// Completes the lines of a changed order, and computes its items. Returns whether the lines have changed.
///
/// `has_items` says whether the patch itself names items. The stored ones are no contradiction: a client that sends back
/// what it read may have changed the lines alone.
pub async fn complete_changed(
    tx: &mut Tx<'_>,
    owner: Owner,
    order: &LockedOrder,
    input: &mut OrderInput,
    has_items: bool,
    log: &EventLog,
) -> Result<bool> {
    let (stored, items): (Vec<OrderLine>, Vec<Line>) = (order.lines()?, order.get("items")?);
    let given = if has_items { std::mem::take(&mut input.items) } else { Vec::new() };
    if input.lines == stored {
        ensure_agreement(tx, owner, &given, &[&[], &items]).await?;
        input.items = items;
        return Ok(false);
    }
    order.status.ensure_open()?;
    name_lines(&mut input.lines, &stored, || log.new_id());
    keep_matches(&mut input.lines, &stored);
    let before = items_of(&input.lines)?;
    find_items(tx, owner, &mut input.lines).await?;
    if order.status.is_reserved() {
        ensure_matched(&input.lines)?;
    }
    let new = items_of(&input.lines)?;
    ensure_agreement(tx, owner, &given, &[&[], &items, &before, &new]).await?;
    input.items = new;
    Ok(true)
}

/// Refuses items whose sum is none of these.
async fn ensure_agreement(tx: &mut Tx<'_>, owner: Owner, given: &[Line], allowed: &[&[Line]]) -> Result<()> {
    let sum = sum_lines(given)?;
    if allowed.iter().any(|items| is_same_demand(&sum, items)) {
        return Ok(());
    }
    hold_items(tx, owner, named(given)).await?;
    let code = Code::ItemsContradictLines;
    let message = "The items are not the sum of the shippable lines. Leave `items` out, or correct `lines`.";
    Err(Problem::field(code, Issue::new(code.as_str(), "/items", message)).into())
}

/// Refuses named items that do not exist, and looks the SKUs of other lines up. All items are kept from being deleted
/// until the transaction ends.
async fn find_items(tx: &mut Tx<'_>, owner: Owner, lines: &mut [OrderLine]) -> Result<()> {
    let named = lines.iter().enumerate();
    let named = named.filter_map(|(place, line)| Some((line.item_id?, format!("/lines/{place}/item_id"))));
    if lines.iter().any(|line| line.item_id.is_some()) {
        hold_items(tx, owner, named).await?;
    }
    let unmatched = lines.iter().filter(|line| line.is_unmatched());
    let skus: BTreeSet<_> = unmatched.filter_map(|line| line.sku.as_deref()).collect();
    if skus.is_empty() {
        return Ok(());
    }
    let known = inventory_items::hold_skus(tx, owner, &skus).await?;
    for line in lines.iter_mut().filter(|line| line.is_unmatched()) {
        line.item_id = line.sku.as_ref().and_then(|sku| known.get(sku)).copied();
    }
    Ok(())
}

fn ensure_matched(lines: &[OrderLine]) -> Result<()> {
    let unmatched = lines.iter().enumerate().filter(|(_, line)| line.is_unmatched());
    let issues: Vec<_> = unmatched
        .map(|(place, _)| {
            let field = format!("/lines/{place}/sku");
            Issue::new(Code::SkuNotFound.as_str(), field, "No inventory item has this SKU.")
        })
        .collect();
    if issues.is_empty() { Ok(()) } else { Err(Problem::fields(Code::SkuNotFound, issues).into()) }
}
