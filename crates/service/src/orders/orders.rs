//! Orders: create, read, change, commit, cancel, delete. And the reservations of committed ones.

use model::orders::order::{Line, Order, OrderInput, Reservation, ReservedItem, Status, sum_lines};
use model::platform::json::{parse as parse_json, previous_attributes};
use model::platform::problem::Issue;
use model::platform::shape;
use model::{Code, Error, Event, Id, Owner, Problem, Result};
use serde_json::Value;
use store::orders::allocations;
use store::orders::orders::{self, Filter, StoredOrder};
use store::stock::inventory_items;
use store::{Page, Tx};

use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::access::write::{Command, ensure_current};
use crate::events::events::EventLog;
use crate::orders::completion::is_all_completed;
use crate::orders::order_references;
use crate::orders::stock_moves::take_back;
use crate::places::post_codes::ensure_post_codes;
use crate::platform::context::Context;
use crate::platform::cursor::{ListQuery, Listing};
use crate::platform::resource::{found, json, previous, version_etag};

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
        let given = std::mem::take(&mut input.items);
        input.items = sum_lines(&given)?;
        let lines = input.items.clone();
        let (status, reference) = (input.status, input.reference.clone());
        let doc = json(&Order { id, details: input, created_at: now, updated_at: now })?;
        let log = self.context.event_log(owner, now);
        let create = async move |tx: &mut Tx<'_>| {
            order_references::change(tx, owner, id, None, reference.as_deref()).await?;
            hold_items(tx, owner, &given).await?;
            orders::insert(tx, owner, id, status, reference.as_deref(), &doc).await?;
            orders::set_lines(tx, owner, id, &[], &lines).await?;
            log.append(tx, &Event::new("order.created", id, &doc)).await?;
            if status == Status::Committed {
                reserve(tx, owner, id, &doc, &log).await?;
            }
            Ok(Reply::created(format!("/orders/{id}"), Some(version_etag(1)), doc.clone()))
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
            .read(owner, async move |tx| orders::page(tx, owner, &filter, &start, limit).await);
        let page = read.await?;
        self.context.listing(owner, &query, page)
    }

    /// Merges a patch into the order. Its items may change while it is open, but not below what is allocated.
    pub async fn update(&self, command: Command, id: Id<Order>, patch: Value) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let log = self.context.event_log(owner, now);
        let update = async move |tx: &mut Tx<'_>| {
            let stored = found(orders::get_for_update(tx, owner, id).await?)?;
            ensure_current(&precondition, &version_etag(stored.version))?;
            let old = parse_json(stored.doc.as_bytes())?;
            let mut input: OrderInput = shape::parse_patch(old.clone(), patch.clone())?;
            ensure_destination(owner, &input)?;
            if input.status != stored.status {
                return Err(status_not_writable());
            }
            order_references::change(tx, owner, id, old["reference"].as_str(), input.reference.as_deref())
                .await?;
            change_lines(tx, owner, id, &stored, &mut input, &log).await?;
            input.status = stored.status.after_allocation(is_all_completed(tx, owner, id).await?);
            let (status, reference) = (input.status, input.reference.clone());
            let created_at = serde_json::from_value(old["created_at"].clone()).map_err(Error::fault)?;
            let new = Order { id, details: input, created_at, updated_at: now };
            let new = serde_json::to_value(new).map_err(Error::fault)?;
            let doc = new.to_string();
            orders::update(tx, owner, id, status, reference.as_deref(), &doc).await?;
            let event = Event::new("order.updated", id, &doc).changed_from(previous_attributes(&old, &new));
            log.append(tx, &event).await?;
            if status != stored.status {
                log.append(tx, &Event::new("order.fulfilled", id, &doc)).await?;
            }
            Ok(Reply::resource(version_etag(stored.version + 1), doc))
        };
        self.context.write(&command, update).await
    }

    /// Commits a draft: its reservation appears in the same transaction. Committing again changes nothing.
    pub async fn commit(&self, command: Command, id: Id<Order>) -> Result<Reply> {
        let owner = command.caller.owner;
        let log = self.context.event_log(owner, self.context.now());
        let commit = async move |tx: &mut Tx<'_>| {
            let stored = found(orders::get_for_update(tx, owner, id).await?)?;
            if stored.status.commit()? == stored.status {
                return Ok(Reply::resource(version_etag(stored.version), stored.doc));
            }
            let doc = set_status(tx, owner, id, &stored, Status::Committed, &log).await?;
            reserve(tx, owner, id, &doc, &log).await?;
            Ok(Reply::resource(version_etag(stored.version + 1), doc))
        };
        self.context.write(&command, commit).await
    }

    /// Cancels an order of which nothing is completed; its reservation and allocations go.
    pub async fn cancel(&self, command: Command, id: Id<Order>) -> Result<Reply> {
        let owner = command.caller.owner;
        let log = self.context.event_log(owner, self.context.now());
        let cancel = async move |tx: &mut Tx<'_>| {
            let stored = found(orders::get_for_update(tx, owner, id).await?)?;
            let held = allocations::of_order(tx, owner, id).await?;
            let has_completed = held.iter().any(|allocation| allocation.completed_at.is_some());
            if stored.status.cancel(has_completed)? == stored.status {
                return Ok(Reply::resource(version_etag(stored.version), stored.doc));
            }
            take_back(tx, owner, id, &held, &log).await?;
            unreserve(tx, owner, id, &log).await?;
            let doc = set_status(tx, owner, id, &stored, Status::Cancelled, &log).await?;
            log.append(tx, &Event::new("order.cancelled", id, &doc)).await?;
            Ok(Reply::resource(version_etag(stored.version + 1), doc))
        };
        self.context.write(&command, cancel).await
    }

    /// Deletes an order of which nothing is completed, with its reservation and allocations.
    pub async fn delete(&self, command: Command, id: Id<Order>) -> Result<Reply> {
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let log = self.context.event_log(owner, self.context.now());
        let delete = async move |tx: &mut Tx<'_>| {
            let stored = found(orders::get_for_update(tx, owner, id).await?)?;
            ensure_current(&precondition, &version_etag(stored.version))?;
            let held = allocations::of_order(tx, owner, id).await?;
            if held.iter().any(|allocation| allocation.completed_at.is_some()) {
                return Err(Code::OrderPartlyFulfilled.into());
            }
            take_back(tx, owner, id, &held, &log).await?;
            unreserve(tx, owner, id, &log).await?;
            let doc = parse_json(stored.doc.as_bytes())?;
            order_references::change(tx, owner, id, doc["reference"].as_str(), None).await?;
            orders::delete(tx, owner, id).await?;
            log.append(tx, &Event::new("order.deleted", id, &stored.doc)).await?;
            Ok(Reply::gone())
        };
        self.context.write(&command, delete).await
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

/// Refuses a post code that only means something to the sandbox carrier.
fn ensure_destination(owner: Owner, input: &OrderInput) -> Result<()> {
    ensure_post_codes(owner, input.destination.iter().map(|to| ("/destination/address", &to.address)))
}

fn status_not_writable() -> Error {
    let issue = Issue::new(Code::StatusNotWritable.as_str(), "/status", "The status can't be set like this.");
    Problem::field(Code::StatusNotWritable, issue).into()
}

/// Refuses items that do not exist, and keeps the others from being deleted meanwhile.
async fn hold_items(tx: &mut Tx<'_>, owner: Owner, lines: &[Line]) -> Result<()> {
    let mut ids: Vec<_> = lines.iter().map(|line| line.id).collect();
    ids.sort_unstable();
    ids.dedup();
    let known = inventory_items::hold(tx, owner, &ids).await?;
    let unknown = lines.iter().enumerate().filter(|(_, line)| !known.contains(&line.id));
    let issues: Vec<_> = unknown
        .map(|(place, _)| {
            let field = format!("/items/{place}/id");
            Issue::new(Code::InventoryItemNotFound.as_str(), field, "There is no such inventory item.")
        })
        .collect();
    if issues.is_empty() { Ok(()) } else { Err(Problem::fields(Code::InventoryItemNotFound, issues).into()) }
}

/// Makes the order's lines what the patch wants, where it wants them changed.
async fn change_lines(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Order>,
    stored: &StoredOrder,
    input: &mut OrderInput,
    log: &EventLog,
) -> Result<()> {
    let given = std::mem::take(&mut input.items);
    input.items = sum_lines(&given)?;
    let old = orders::lines(tx, owner, id).await?;
    let is_same = old.len() == input.items.len()
        && old.iter().zip(&input.items).all(|(old, new)| old.id == new.id && old.quantity == new.quantity);
    if is_same {
        return Ok(());
    }
    stored.status.ensure_open()?;
    hold_items(tx, owner, &given).await?;
    let issues: Vec<_> = old.iter().filter_map(|line| short_of(line, &input.items)).collect();
    if !issues.is_empty() {
        return Err(Problem::fields(Code::OrderItemsAllocated, issues).into());
    }
    orders::set_lines(tx, owner, id, &old, &input.items).await?;
    if stored.status.is_reserved() {
        update_reservation(tx, owner, id, &old, log).await?;
    }
    Ok(())
}

/// The complaint where less of an item would be wanted than is allocated.
fn short_of(old: &ReservedItem, new: &[Line]) -> Option<Issue> {
    let place = new.iter().position(|line| line.id == old.id);
    let wanted = place.map_or(0, |place| new[place].quantity);
    (wanted < old.allocated_quantity).then(|| {
        let field = place.map_or_else(|| "/items".to_owned(), |place| format!("/items/{place}/quantity"));
        let message = format!("{} of {} are allocated.", old.allocated_quantity, old.id);
        Issue::new(Code::OrderItemsAllocated.as_str(), field, message)
            .with("item", old.id.to_string())
            .with("requested", wanted)
            .with("allocated", old.allocated_quantity)
    })
}

async fn reserve(tx: &mut Tx<'_>, owner: Owner, id: Id<Order>, doc: &str, log: &EventLog) -> Result<()> {
    orders::reserve(tx, owner, log.new_id::<Reservation>(), id, log.now()).await?;
    log.append(tx, &Event::new("order.committed", id, doc)).await?;
    let reservation = found(orders::reservation(tx, owner, id).await?)?;
    log.append(tx, &Event::new("reservation.created", id, &json(&reservation)?)).await
}

async fn unreserve(tx: &mut Tx<'_>, owner: Owner, id: Id<Order>, log: &EventLog) -> Result<()> {
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

/// Moves the order to a status and gives its new document.
pub async fn set_status(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Order>,
    stored: &StoredOrder,
    status: Status,
    log: &EventLog,
) -> Result<String> {
    let mut doc = parse_json(stored.doc.as_bytes())?;
    doc["status"] = status.as_str().into();
    doc["updated_at"] = log.now().to_string().into();
    let text = doc.to_string();
    orders::update(tx, owner, id, status, doc["reference"].as_str(), &text).await?;
    Ok(text)
}
