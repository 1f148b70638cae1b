//! Matching: lines whose SKU no item had get their item, by a request or because the SKU was created.
//!
//! A new item completes up to [`ORDERS_PER_ITEM`] orders in its own transaction. The job completes the others, and what
//! was missed: an order and the item with its SKU that were created at the same moment, and an item that was given the
//! SKU later.

use model::events::actor::Actor;
use model::orders::order::Status;
use model::orders::order_line::{LineMatch, OrderLine, items_of};
use model::orders::order_progress::Settled;
use model::platform::problem::Issue;
use model::stock::inventory_item::InventoryItemInput;
use model::{Code, Error, Event, Id, InventoryItem, Order, Owner, Problem, Result};
use store::orders::order_facets::{self, Unmatched, UnmatchedPlace};
use store::orders::orders;
use store::stock::inventory_items;
use store::{Access, Tx};
use tracing::warn;

use crate::access::reply::Reply;
use crate::access::write::Command;
use crate::events::events::EventLog;
use crate::orders::order_document::LockedOrder;
use crate::orders::order_items::{change_items, hold_items};
use crate::orders::reservations::reserve;
use crate::platform::context::Context;
use crate::stock::inventory_items::{InventoryItems, NewItem};

/// Maximum number of orders that a new item completes in its own transaction.
const ORDERS_PER_ITEM: usize = 100;
/// Maximum number of unmatched SKUs that one look of the job reads.
const UNMATCHED_PER_LOOK: usize = 1000;

/// Matches lines of orders with items.
#[derive(Clone)]
pub struct LineMatching {
    context: Context,
    inventory_items: InventoryItems,
}

impl LineMatching {
    pub(crate) fn new(context: &Context, inventory_items: &InventoryItems) -> Self {
        Self { context: context.clone(), inventory_items: inventory_items.clone() }
    }

    /// Gives a line its item. With the last one the hold `unknown_sku` ends, and the order gets the status that it was
    /// asked for. Doing it again changes nothing.
    pub async fn match_line(&self, command: Command, id: Id<Order>, input: LineMatch) -> Result<Reply> {
        let owner = command.caller.owner;
        let log = self.context.event_log(&command.caller, owner, self.context.now());
        let change = async move |tx: &mut Tx<'_>| {
            let mut order = LockedOrder::lock(tx, owner, id).await?;
            order.status.ensure_open()?;
            let mut lines = order.lines()?;
            let line = lines.iter_mut().find(|line| line.id == Some(input.line_id) && line.is_shippable);
            let line = line.ok_or_else(line_not_found)?;
            match line.item_id {
                Some(item) if item == input.item_id => return Ok(order.unchanged()),
                Some(_) => return Err(Code::LineMatched.into()),
                None => line.item_id = Some(input.item_id),
            }
            hold_items(tx, owner, std::iter::once((input.item_id, "/item_id".to_owned()))).await?;
            let doc = store_lines(tx, owner, &mut order, &lines, &log).await?;
            Ok(order.reply(doc))
        };
        self.context.write(&command, change).await
    }

    /// Creates an inventory item, and completes the orders that wait for its SKU.
    pub async fn create_item(&self, command: Command, input: InventoryItemInput) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let sku = input.sku.clone();
        let log = self.context.event_log(&command.caller, owner, now);
        let new = self.inventory_items.prepare(input, now)?;
        let create = async move |tx: &mut Tx<'_>| insert_item(tx, owner, &new, &sku, &log).await;
        self.context.write(&command, create).await
    }

    /// Completes orders whose SKUs exist by now, among the next unmatched ones after a place. Returns the place from which
    /// to go on: the beginning, if the end was reached.
    pub(crate) async fn match_next(&self, after: UnmatchedPlace) -> Result<UnmatchedPlace> {
        let look = self.context.db().read(Access::System, async move |tx| {
            order_facets::unmatched(tx, &after, UNMATCHED_PER_LOOK).await
        });
        let found = look.await?;
        let is_last = found.len() < UNMATCHED_PER_LOOK;
        let next = found.last().filter(|_| !is_last).map(|last| last.place.clone()).unwrap_or_default();
        for waiting in found {
            let (organisation, order) = (waiting.owner, waiting.order);
            // An order that can't be completed now must not prevent the others.
            if let Err(error) = self.complete_one(waiting).await {
                warn!(%error, %organisation, %order, "matching lines failed, retrying");
            }
        }
        Ok(next)
    }

    async fn complete_one(&self, waiting: Unmatched) -> Result<()> {
        let Unmatched { owner, order, sku, item: Some(item), .. } = waiting else { return Ok(()) };
        let log = self.context.event_log(Actor::Job("orders"), owner, self.context.now());
        let write = self
            .context
            .db()
            .write(owner, async move |tx| complete(tx, owner, order, &sku, item, &log).await);
        write.await?;
        self.context.notice(owner);
        Ok(())
    }
}

/// Inserts an item, and completes the orders that wait for its SKU.
pub(crate) async fn insert_item(
    tx: &mut Tx<'_>,
    owner: Owner,
    new: &NewItem,
    sku: &str,
    log: &EventLog,
) -> Result<Reply> {
    let reply = new.insert(tx, owner, log).await?;
    for order in order_facets::waiting_for_sku(tx, owner, sku, ORDERS_PER_ITEM).await? {
        complete(tx, owner, order, sku, new.id, log).await?;
    }
    Ok(reply)
}

fn line_not_found() -> Error {
    let message = "The order has no such line that is shipped.";
    Problem::field(Code::LineNotFound, Issue::new(Code::LineNotFound.as_str(), "/line_id", message)).into()
}

/// Gives the lines of a draft with this SKU their item. Leaves out an order that was deleted, cancelled or matched
/// meanwhile, an item that was deleted, and an order that would want too many of the item.
async fn complete(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Order>,
    sku: &str,
    item: Id<InventoryItem>,
    log: &EventLog,
) -> Result<()> {
    let mut order = match LockedOrder::lock(tx, owner, id).await {
        Err(Error::Refused(_)) => return Ok(()),
        order => order?,
    };
    let is_there = !inventory_items::hold(tx, owner, &[item]).await?.is_empty();
    let mut lines = order.lines()?;
    let is_waiting = |line: &&mut OrderLine| line.is_unmatched() && line.sku.as_deref() == Some(sku);
    let mut matched = 0;
    for line in lines.iter_mut().filter(is_waiting) {
        line.item_id = Some(item);
        matched += 1;
    }
    if order.status != Status::Draft || !is_there || matched == 0 || items_of(&lines).is_err() {
        return Ok(());
    }
    store_lines(tx, owner, &mut order, &lines, log).await.map(drop)
}

/// Stores the matched lines of an order with the items that follow from them, and what becomes of the order.
async fn store_lines(
    tx: &mut Tx<'_>,
    owner: Owner,
    order: &mut LockedOrder,
    lines: &[OrderLine],
    log: &EventLog,
) -> Result<String> {
    let items = items_of(lines)?;
    let old = orders::lines(tx, owner, order.id).await?;
    change_items(tx, owner, (order.id, order.status), &old, &items, true, log).await?;
    let (mut progress, mut status) = (order.progress()?, order.status);
    let settled = progress.settle(&mut status, lines);
    order.set_progress(&progress)?;
    order.set("lines", &lines)?;
    order.set("items", &items)?;
    order.set("status", &status)?;
    let doc = order.write(tx, owner, log.now()).await?;
    log.append(tx, &order.updated(&doc)).await?;
    tell_settled(tx, owner, order.id, settled, &doc, log).await?;
    Ok(doc)
}

/// Tells what became of an order because its lines changed, and reserves the items of one that is committed now.
pub async fn tell_settled(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Order>,
    settled: Settled,
    doc: &str,
    log: &EventLog,
) -> Result<()> {
    if settled.is_held {
        log.append(tx, &Event::new("order.held", id, doc)).await?;
    }
    if settled.is_released {
        log.append(tx, &Event::new("order.released", id, doc)).await?;
    }
    if settled.is_committed {
        reserve(tx, owner, id, doc, log).await?;
    }
    Ok(())
}
