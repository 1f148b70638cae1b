//! Orders: create, read, change, commit, cancel, delete. And the reservations of committed ones.

use model::orders::fulfilment::Quantities;
use model::orders::indexed_order::IndexedOrder;
use model::orders::order::{Line, Order, OrderInput, Status, sum_lines};
use model::orders::order_progress::{OrderProgress, Settled};
use model::platform::problem::Issue;
use model::platform::shape;
use model::{Code, Error, Event, Id, Owner, Problem, Result, Timestamp, ensure};
use serde_json::Value;
use store::orders::order_filters::{self, Filter};
use store::orders::{allocations, orders};
use store::{Page, Tx};

use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::access::write::{Command, Precondition, ensure_current};
use crate::events::events::EventLog;
use crate::orders::matching::tell_settled;
use crate::orders::order_document::LockedOrder;
use crate::orders::order_items::{change_items, hold_items, is_same, named};
use crate::orders::order_lines::{complete_changed, complete_new};
use crate::orders::order_references;
use crate::orders::reservations::{reserve, unreserve};
use crate::orders::stock_moves::take_back;
use crate::places::post_codes::ensure_post_codes;
use crate::platform::context::Context;
use crate::platform::cursor::{ListQuery, Listing};
use crate::platform::resource::{found, json, version_etag};

/// An order that is to be inserted.
struct NewOrder {
    indexed: IndexedOrder,
    items: Vec<Line>,
    doc: String,
    is_held: bool,
}

impl NewOrder {
    fn new(id: Id<Order>, details: OrderInput, progress: OrderProgress, now: Timestamp) -> Result<Self> {
        let (items, is_held) = (details.items.clone(), progress.hold.is_some());
        let order = Order { id, details, progress, created_at: now, updated_at: now };
        let doc = serde_json::to_value(order).map_err(Error::fault)?;
        Ok(Self { indexed: IndexedOrder::of(&doc)?, items, doc: doc.to_string(), is_held })
    }

    /// Completes an order that was given with lines. One with a line that matches no item is a draft on hold.
    async fn with_lines(
        tx: &mut Tx<'_>,
        owner: Owner,
        id: Id<Order>,
        mut input: OrderInput,
        log: &EventLog,
    ) -> Result<Self> {
        complete_new(tx, owner, &mut input, log).await?;
        let mut progress = OrderProgress::default();
        progress.settle(&mut input.status, &input.lines);
        Self::new(id, input, progress, log.now())
    }
}

/// Operations on orders and their reservations.
#[derive(Clone)]
pub struct Orders {
    context: Context,
}

impl Orders {
    pub(crate) fn new(context: &Context) -> Self {
        Self { context: context.clone() }
    }

    /// Makes an order; a committed one gets its reservation in the same transaction.
    pub async fn create(&self, command: Command, mut input: OrderInput) -> Result<Reply> {
        if !matches!(input.status, Status::Draft | Status::Committed) {
            return Err(status_not_writable());
        }
        let now = self.context.now();
        let owner = command.caller.owner;
        ensure_destination(owner, &input)?;
        let id = self.context.new_id::<Order>(now);
        let reference = input.reference.clone();
        let given = input.items.clone();
        // The document of an order without lines follows from the request, so it is made outside of the transaction.
        let mut plain = None;
        if input.lines.is_empty() {
            input.items = sum_lines(&given)?;
            plain = Some(NewOrder::new(id, input.clone(), OrderProgress::default(), now)?);
        }
        let log = self.context.event_log(&command.caller, owner, now);
        let create = async move |tx: &mut Tx<'_>| {
            order_references::change(tx, owner, id, None, reference.as_deref()).await?;
            let completed;
            let new = match &plain {
                Some(new) => {
                    hold_items(tx, owner, named(&given)).await?;
                    new
                }
                None => {
                    completed = NewOrder::with_lines(tx, owner, id, input.clone(), &log).await?;
                    &completed
                }
            };
            insert(tx, owner, new, &log).await?;
            Ok(Reply::created(format!("/orders/{id}"), Some(version_etag(1)), new.doc.clone()))
        };
        self.context.write(&command, create).await
    }

    pub async fn get(&self, caller: &Caller, id: Id<Order>) -> Result<Reply> {
        let owner = caller.owner;
        let read = self.context.db().read(owner, async move |tx| found(orders::get(tx, owner, id).await?));
        let stored = read.await?;
        Ok(Reply::resource(version_etag(stored.version), stored.doc))
    }

    pub async fn list(&self, caller: &Caller, query: ListQuery, filter: Filter) -> Result<Listing> {
        let owner = caller.owner;
        let start = self.context.start(owner, &query)?;
        let limit = query.limit;
        let read = self
            .context
            .db()
            .read(owner, async move |tx| order_filters::page(tx, owner, &filter, &start, limit).await);
        let page = read.await?;
        self.context.listing(owner, &query, page)
    }

    /// Commits a draft: its reservation appears in the same transaction. Committing again changes nothing.
    pub async fn commit(&self, command: Command, id: Id<Order>) -> Result<Reply> {
        let owner = command.caller.owner;
        let log = self.context.event_log(&command.caller, owner, self.context.now());
        let commit = async move |tx: &mut Tx<'_>| {
            let mut order = LockedOrder::lock(tx, owner, id).await?;
            if order.status.commit()? == order.status {
                return Ok(order.unchanged());
            }
            ensure(!order.has_unmatched_lines()?, Code::LinesUnmatched)?;
            order.set("status", &Status::Committed)?;
            let doc = order.write(tx, owner, log.now()).await?;
            reserve(tx, owner, id, &doc, &log).await?;
            Ok(order.reply(doc))
        };
        self.context.write(&command, commit).await
    }

    /// A page of reservations; of the named orders only where some are named.
    pub async fn list_reservations(
        &self,
        caller: &Caller,
        query: ListQuery,
        of: Vec<Id<Order>>,
    ) -> Result<Listing> {
        let owner = caller.owner;
        let start = self.context.start(owner, &query)?;
        let limit = query.limit;
        let read = self
            .context
            .db()
            .read(owner, async move |tx| orders::reservations(tx, owner, &of, &start, limit).await);
        let page = read.await?;
        let items = page.items.iter().map(json).collect::<Result<_>>()?;
        self.context.listing(
            owner,
            &query,
            Page { items, older_than: page.older_than, newer_than: page.newer_than },
        )
    }
}

/// Creates an order inside a transaction; a committed one gets its reservation with it.
pub async fn create_order(
    tx: &mut Tx<'_>,
    owner: Owner,
    mut input: OrderInput,
    log: &EventLog,
) -> Result<()> {
    if !matches!(input.status, Status::Draft | Status::Committed) {
        return Err(status_not_writable());
    }
    ensure_destination(owner, &input)?;
    let id = log.new_id::<Order>();
    order_references::change(tx, owner, id, None, input.reference.as_deref()).await?;
    let new = if input.lines.is_empty() {
        hold_items(tx, owner, named(&input.items)).await?;
        input.items = sum_lines(&input.items)?;
        NewOrder::new(id, input, OrderProgress::default(), log.now())?
    } else {
        NewOrder::with_lines(tx, owner, id, input, log).await?
    };
    insert(tx, owner, &new, log).await
}

/// Merges a patch into a locked order. Its items may change while it is open, but not below what is allocated. Returns the
/// answer, and the new document.
pub async fn update_order(
    tx: &mut Tx<'_>,
    owner: Owner,
    mut order: LockedOrder,
    patch: &Value,
    precondition: &Precondition,
    log: &EventLog,
) -> Result<(Reply, Value)> {
    let (id, now) = (order.id, log.now());
    ensure_current(precondition, &order.etag())?;
    let mut input: OrderInput = shape::parse_patch(order.before.clone(), patch.clone())?;
    ensure_destination(owner, &input)?;
    if input.status != order.status {
        return Err(status_not_writable());
    }
    let reference = order.before["reference"].as_str();
    order_references::change(tx, owner, id, reference, input.reference.as_deref()).await?;
    let has_items = patch.get("items").is_some_and(|items| !items.is_null());
    let mut progress = order.progress()?;
    let settled = change_order(tx, owner, &order, &mut input, &mut progress, has_items, log).await?;
    let status = input.status;
    let created_at = serde_json::from_value(order.before["created_at"].clone()).map_err(Error::fault)?;
    let new = Order { id, details: input, progress, created_at, updated_at: now };
    order.after = serde_json::to_value(new).map_err(Error::fault)?;
    let doc = order.write(tx, owner, now).await?;
    log.append(tx, &order.updated(&doc)).await?;
    if status == Status::Fulfilled && order.status != status {
        log.append(tx, &Event::new("order.fulfilled", id, &doc)).await?;
    }
    tell_settled(tx, owner, id, settled, &doc, log).await?;
    Ok((order.reply(doc), order.after))
}

/// Cancels a locked order of which nothing is completed; its reservation and allocations go.
pub async fn cancel_order(
    tx: &mut Tx<'_>,
    owner: Owner,
    mut order: LockedOrder,
    log: &EventLog,
) -> Result<Reply> {
    let held = allocations::of_order(tx, owner, order.id).await?;
    let has_completed = held.iter().any(|allocation| allocation.completed_at.is_some());
    if order.status.cancel(has_completed)? == order.status {
        return Ok(order.unchanged());
    }
    take_back(tx, owner, order.id, &held, log).await?;
    unreserve(tx, owner, order.id, log).await?;
    let mut progress = order.progress()?;
    progress.cancel();
    order.set_progress(&progress)?;
    order.set("status", &Status::Cancelled)?;
    let doc = order.write(tx, owner, log.now()).await?;
    log.append(tx, &Event::new("order.cancelled", order.id, &doc)).await?;
    Ok(order.reply(doc))
}

/// Deletes a locked order of which nothing is completed, with its reservation and allocations.
pub async fn delete_order(
    tx: &mut Tx<'_>,
    owner: Owner,
    order: LockedOrder,
    log: &EventLog,
) -> Result<Reply> {
    let held = allocations::of_order(tx, owner, order.id).await?;
    if held.iter().any(|allocation| allocation.completed_at.is_some()) {
        return Err(Code::OrderPartlyFulfilled.into());
    }
    take_back(tx, owner, order.id, &held, log).await?;
    unreserve(tx, owner, order.id, log).await?;
    order_references::change(tx, owner, order.id, order.before["reference"].as_str(), None).await?;
    orders::delete(tx, owner, &IndexedOrder::of(&order.before)?).await?;
    log.append(tx, &Event::new("order.deleted", order.id, order.text_before())).await?;
    Ok(Reply::gone())
}

/// Refuses a post code that only means something to the sandbox carrier.
fn ensure_destination(owner: Owner, input: &OrderInput) -> Result<()> {
    ensure_post_codes(owner, input.destination.iter().map(|to| ("/destination/address", &to.address)))
}

fn status_not_writable() -> Error {
    let issue = Issue::new(Code::StatusNotWritable.as_str(), "/status", "The status can't be set like this.");
    Problem::field(Code::StatusNotWritable, issue).into()
}

/// Inserts an order, reserves its items if it is committed, and tells of both.
async fn insert(tx: &mut Tx<'_>, owner: Owner, new: &NewOrder, log: &EventLog) -> Result<()> {
    let (id, doc) = (new.indexed.id, new.doc.as_str());
    orders::insert(tx, owner, &new.indexed, doc).await?;
    orders::set_lines(tx, owner, id, &[], &new.items).await?;
    log.append(tx, &Event::new("order.created", id, doc)).await?;
    if new.is_held {
        log.append(tx, &Event::new("order.held", id, doc)).await?;
    }
    if new.indexed.status == Status::Committed {
        reserve(tx, owner, id, doc, log).await?;
    }
    Ok(())
}

/// Makes the order's lines and items what the patch wants, and computes what follows from them: the status and the
/// progress of the order.
async fn change_order(
    tx: &mut Tx<'_>,
    owner: Owner,
    order: &LockedOrder,
    input: &mut OrderInput,
    progress: &mut OrderProgress,
    has_items: bool,
    log: &EventLog,
) -> Result<Settled> {
    progress.fulfilment = order.fulfilment(tx, owner).await?;
    let has_lines = !input.lines.is_empty();
    let given = input.items.clone();
    let has_new_lines = if has_lines {
        complete_changed(tx, owner, order, input, has_items, log).await?
    } else {
        input.items = sum_lines(&given)?;
        order.before["lines"].as_array().is_some_and(|lines| !lines.is_empty())
    };
    let old = orders::lines(tx, owner, order.id).await?;
    let is_changed = !is_same(&old, &input.items);
    if is_changed || has_new_lines {
        order.status.ensure_open()?;
    }
    if is_changed {
        if !has_lines {
            hold_items(tx, owner, named(&given)).await?;
        }
        change_items(tx, owner, (order.id, order.status), &old, &input.items, has_lines, log).await?;
        let wanted = input.items.iter().map(|line| line.quantity).sum();
        let allocated = old.iter().map(|line| line.allocated_quantity).sum();
        let (shipped, delivered) =
            (progress.fulfilment.shipped_quantity, progress.fulfilment.delivered_quantity);
        progress.fulfilment =
            progress.fulfilment.with_quantities(Quantities { wanted, allocated, shipped, delivered });
        input.status = order.status.after_allocation(progress.fulfilment.status.is_shipped());
    }
    if has_new_lines { Ok(progress.settle(&mut input.status, &input.lines)) } else { Ok(Settled::default()) }
}
