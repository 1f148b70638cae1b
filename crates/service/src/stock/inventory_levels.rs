//! Levels of stock: set by a count, adjusted by what comes and goes, taken by completed allocations.

use model::platform::id::AllocationKind;
use model::platform::problem::Issue;
use model::platform::shape;
use model::stock::inventory_item::{Adjustment, AllocationReference, Change, Level, ON_HAND_MAX, REASON_SET};
use model::stock::level_input::{LevelCount, LevelInput};
use model::{Code, Error, Event, Id, InventoryItem, Owner, Problem, Result};
use serde_json::Value;
use store::places::location_configurations;
use store::stock::inventory_items;
use store::stock::inventory_levels::{self, At};
use store::{Page, Tx};

use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::access::write::{Command, ensure_current};
use crate::events::events::EventLog;
use crate::platform::context::Context;
use crate::platform::cursor::{ListQuery, Listing};
use crate::platform::resource::{found, json, previous};

/// The reason of an adjustment if the request gives none.
const REASON_ADJUSTED: &str = "adjusted";

/// Operations on the stock of items at locations.
#[derive(Clone)]
pub struct InventoryLevels {
    context: Context,
}

impl InventoryLevels {
    pub(crate) fn new(context: &Context) -> Self {
        Self { context: context.clone() }
    }

    pub async fn list(&self, caller: &Caller, query: ListQuery, item: Id<InventoryItem>) -> Result<Listing> {
        let owner = caller.owner;
        let start = self.context.start(owner, &query)?;
        let limit = query.limit;
        let read = self.context.db().read(owner, async move |tx| {
            found(inventory_items::get(tx, owner, item).await?)?;
            inventory_levels::page(tx, owner, item, &start, limit).await
        });
        let page = read.await?;
        let items = page.items.iter().map(json).collect::<Result<_>>()?;
        self.context.listing(
            owner,
            &query,
            Page { items, older_than: page.older_than, newer_than: page.newer_than },
        )
    }

    pub async fn get(&self, caller: &Caller, at: At) -> Result<Reply> {
        let owner = caller.owner;
        let read =
            self.context.db().read(owner, async move |tx| found(inventory_levels::get(tx, owner, at).await?));
        reply(&read.await?)
    }

    /// Sets what is on hand, as counted, and what else the request names.
    pub async fn set(&self, command: Command, at: At, input: LevelCount) -> Result<Reply> {
        let owner = command.caller.owner;
        let log = self.context.event_log(&command.caller, owner, self.context.now());
        let set = async move |tx: &mut Tx<'_>| {
            let before = open(tx, owner, at, &log).await?;
            reply(&set_level(tx, owner, &before, &input, &log).await?)
        };
        self.context.write(&command, set).await
    }

    /// Merges a patch into a level that exists. A quantity that it leaves as it is adds nothing to the history.
    pub async fn update(&self, command: Command, at: At, patch: Value) -> Result<Reply> {
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let log = self.context.event_log(&command.caller, owner, self.context.now());
        let update = async move |tx: &mut Tx<'_>| {
            let before = found(lock(tx, owner, at).await?)?;
            ensure_current(&precondition, &etag(&before))?;
            let current = serde_json::to_value(&before).map_err(Error::fault)?;
            let input: LevelInput = shape::parse_patch(current, patch.clone())?;
            let (delta, on_hand) = (input.on_hand - before.on_hand, before.on_hand);
            if delta != 0 {
                let step = Step { delta, on_hand, reason: REASON_SET, allocation: None };
                change(tx, owner, at, &log, step).await?;
            }
            set_details(tx, owner, &before, input.bin, input.reorder_point, &log).await?;
            reply(&announce(tx, owner, &before, &log).await?)
        };
        self.context.write(&command, update).await
    }

    /// Adds to what is on hand, or takes from it.
    pub async fn adjust(&self, command: Command, at: At, input: Adjustment) -> Result<Reply> {
        let owner = command.caller.owner;
        let log = self.context.event_log(&command.caller, owner, self.context.now());
        let adjust = async move |tx: &mut Tx<'_>| {
            let before = open(tx, owner, at, &log).await?;
            let on_hand = before.on_hand;
            ensure_on_hand(&before, input.expected_on_hand)?;
            if on_hand + input.delta < 0 {
                let message = format!("{on_hand} are on hand.");
                let issue = Issue::new(Code::InsufficientStock.as_str(), "/delta", message)
                    .with("requested", -input.delta)
                    .with("available", on_hand);
                return Err(Problem::field(Code::InsufficientStock, issue).into());
            }
            if on_hand + input.delta > ON_HAND_MAX {
                let message = format!("At most {ON_HAND_MAX} may be on hand.");
                return Err(Problem::body(vec![Issue::new("out_of_range", "/delta", message)]).into());
            }
            let reason = input.reason.as_deref().unwrap_or(REASON_ADJUSTED);
            change(tx, owner, at, &log, Step { delta: input.delta, on_hand, reason, allocation: None })
                .await?;
            reply(&announce(tx, owner, &before, &log).await?)
        };
        self.context.write(&command, adjust).await
    }

    /// A page of a level's history, newest first.
    pub async fn list_changes(&self, caller: &Caller, query: ListQuery, at: At) -> Result<Listing> {
        let owner = caller.owner;
        let start = self.context.start(owner, &query)?;
        let limit = query.limit;
        let read = self.context.db().read(owner, async move |tx| {
            found(inventory_levels::get(tx, owner, at).await?)?;
            inventory_levels::changes(tx, owner, at, &start, limit).await
        });
        let page = read.await?;
        let items = page.items.iter().map(json).collect::<Result<_>>()?;
        self.context.listing(
            owner,
            &query,
            Page { items, older_than: page.older_than, newer_than: page.newer_than },
        )
    }
}

/// Sets what is on hand of a locked level, as counted, and what else the count names.
pub async fn set_level(
    tx: &mut Tx<'_>,
    owner: Owner,
    before: &Level,
    input: &LevelCount,
    log: &EventLog,
) -> Result<Level> {
    let (delta, on_hand) = (input.on_hand - before.on_hand, before.on_hand);
    let step = Step { delta, on_hand, reason: REASON_SET, allocation: None };
    change(tx, owner, at_of(before), log, step).await?;
    let bin = input.bin.clone().unwrap_or_else(|| before.bin.clone());
    let reorder_point = input.reorder_point.unwrap_or(before.reorder_point);
    set_details(tx, owner, before, bin, reorder_point, log).await?;
    announce(tx, owner, before, log).await
}

/// Refuses a change of a level that has another quantity on hand than the caller expects.
pub fn ensure_on_hand(level: &Level, expected: Option<i64>) -> Result<()> {
    let on_hand = level.on_hand;
    if expected.is_none_or(|expected| expected == on_hand) {
        return Ok(());
    }
    let message = format!("{on_hand} are on hand.");
    let issue = Issue::new(Code::OnHandChanged.as_str(), "/expected_on_hand", message);
    Err(Problem::field(Code::OnHandChanged, issue.with("available", on_hand)).into())
}

/// One step of a level: by how much, from what, and why.
pub struct Step<'a> {
    pub delta: i64,
    pub on_hand: i64,
    pub reason: &'a str,
    pub allocation: Option<Id<AllocationKind>>,
}

/// Changes a locked level and its history.
pub async fn change(tx: &mut Tx<'_>, owner: Owner, at: At, log: &EventLog, step: Step<'_>) -> Result<()> {
    let change = Change {
        id: log.new_id(),
        delta: step.delta,
        on_hand: step.on_hand + step.delta,
        reason: step.reason.to_owned(),
        allocation: step.allocation.map(|id| AllocationReference { id }),
        created_at: log.now(),
    };
    inventory_levels::change(tx, owner, at, &change).await
}

/// Sets the bin and the reorder point of a locked level, if they are to change.
async fn set_details(
    tx: &mut Tx<'_>,
    owner: Owner,
    before: &Level,
    bin: Option<String>,
    reorder_point: Option<i64>,
    log: &EventLog,
) -> Result<()> {
    if (&bin, reorder_point) == (&before.bin, before.reorder_point) {
        return Ok(());
    }
    inventory_levels::set_details(tx, owner, at_of(before), bin.as_deref(), reorder_point, log.now()).await
}

/// Appends the event of a changed level, and gives what it is now. Called once all that it sums is written.
pub async fn announce(tx: &mut Tx<'_>, owner: Owner, before: &Level, log: &EventLog) -> Result<Level> {
    let level = found(inventory_levels::get(tx, owner, at_of(before)).await?)?;
    let event = Event::new("inventory.updated", level.item.id, &json(&level)?);
    log.append(tx, &event.changed_from(previous(before, &level)?)).await?;
    Ok(level)
}

/// Which level this is.
fn at_of(level: &Level) -> At {
    At { item: level.item.id, location: level.location.id }
}

/// Locks a level, if there is one, and gives what it is before it changes.
pub async fn lock(tx: &mut Tx<'_>, owner: Owner, at: At) -> Result<Option<Level>> {
    match inventory_levels::lock(tx, owner, at).await? {
        Some(_) => inventory_levels::get(tx, owner, at).await,
        None => Ok(None),
    }
}

/// Locks the level, making it where there is none yet, and gives what it is.
pub async fn open(tx: &mut Tx<'_>, owner: Owner, at: At, log: &EventLog) -> Result<Level> {
    let held = inventory_items::hold(tx, owner, &[at.item]).await?;
    found(held.first())?;
    // A level may outlive its location, with stock that came back from there: it must be possible to write that off.
    if let Some(level) = lock(tx, owner, at).await? {
        return Ok(level);
    }
    found(location_configurations::hold_location(tx, owner, at.location).await?.then_some(()))?;
    inventory_items::open_levels(tx, owner, at.item).await?;
    inventory_levels::insert(tx, owner, at, log.now()).await?;
    found(lock(tx, owner, at).await?)
}

fn etag(level: &Level) -> String {
    format!("\"{}.{}.{}\"", level.on_hand, level.allocated, level.updated_at.as_micros())
}

fn reply(level: &Level) -> Result<Reply> {
    Ok(Reply::resource(etag(level), json(level)?))
}
