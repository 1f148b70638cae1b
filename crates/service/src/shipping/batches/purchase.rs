//! Buying a batch: the request is stored at once, and the purchases of its shipments are then stored group by group. Each
//! purchase is worked on like one that was requested singly.
//!
//! No node claims a batch. Any node stores the next group, in a transaction that locks the batch's row and records how far it
//! came. So there is no lease to lose: a node that dies leaves nothing half done.

use std::collections::{HashMap, HashSet};

use model::events::actor::Actor;
use model::platform::problem::Issue;
use model::shipping::batch::{Delta, Details, Status};
use model::shipping::indexed_shipment::IndexedShipment;
use model::shipping::purchase::in_doubt_since;
use model::shipping::shipment;
use model::shipping::shipment::{
    ChosenService, ErrorCode, ErrorType, Shipment, ShipmentError, Source, mailing_date,
};
use model::{Batch, CarrierAccount, Code, Error, Id, Owner, Problem, Result, Timestamp, ensure};
use store::platform::restorations;
use store::shipping::carrier_accounts::{self, StoredCarrierAccount as Account};
use store::shipping::purchases::{self, PurchaseRequest};
use store::shipping::shipments::StoredShipment;
use store::shipping::{batch_members, batches};
use store::{Access, Tx};
use tokio::time::Duration;
use tracing::warn;

use super::Batches;
use super::details::details;
use super::member::{member_changed, show, tell};
use super::rotation::{PAGE, Rotation, Turns};
use super::wanted::wanted;
use crate::access::reply::Outcome;
use crate::access::reply::Reply;
use crate::access::write::{Command, Precondition, ensure_current};
use crate::events::events::EventLog;
use crate::platform::crash_point::crash_point;
use crate::platform::resource::{found, version_etag};
use crate::platform::wait_deadline::{Wait, WaitDeadline};
use crate::shipping::carriers::{account_reference, carrier_reference, service_reference};
use crate::shipping::order_contents::OrderContents;
use crate::shipping::purchasing::choose;
use crate::shipping::shipments::{Prepared, read_shipment, write_prepared};
use crate::shipping::time_zones::TimeZones;

/// Open purchases of one batch. The others are stored when these have ended, so that thousands of waiting purchases neither
/// fill memory nor delay those of other batches.
const AWAITED_MAX: usize = 512;
/// The limit is this many times the concurrent calls of an account, if that is more: beside the purchases that are called
/// or wait for a call, the labels of others are drawn and stored.
const AWAITED_CALLS: usize = 16;
/// Purchases of one transaction: fewer are not worth a transaction, and more would make other writers wait too long.
const GROUP_MIN: usize = 64;
const GROUP_MAX: usize = 128;
/// How often a node looks for purchases to store: while some batch has more, and while none has.
const BEGIN_EVERY: Duration = Duration::from_millis(25);
const BEGIN_LOOK_EVERY: Duration = Duration::from_millis(100);
/// Shipments that a problem names.
const NAMED_MAX: usize = 10;

impl Batches {
    /// Buys the shipments of a batch that are not bought. While it is being bought, and once it is bought, repeating the request
    /// changes nothing.
    pub async fn purchase(&self, command: Command, id: Id<Batch>, wait: Wait) -> Result<Reply> {
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let events = self.context.event_log(&command.caller, owner, self.context.now());
        let begin = async move |tx: &mut Tx<'_>| {
            begin_purchase(tx, owner, id, &precondition, &events).await?;
            Ok(Reply::done(String::new()))
        };
        let begun = self.context.write(&command, begin).await?;
        crash_point!("after_begin");
        self.purchasing.notify();
        self.wait_for_batch(owner, id, wait, begun).await
    }

    /// Waits until a batch's purchase has ended, or until the deadline, and answers with the batch as it is then.
    async fn wait_for_batch(&self, owner: Owner, id: Id<Batch>, wait: Wait, begun: Reply) -> Result<Reply> {
        if let Outcome::Refused(_) = begun.outcome {
            return Ok(begun);
        }
        let mut deadline = WaitDeadline::new(wait, self.purchasing.news());
        loop {
            let is_late = deadline.is_over();
            let read = self.context.db().read(owner, async move |tx| {
                let stored = found(batches::get(tx, owner, id).await?)?;
                let is_over = stored.status != Status::Purchasing;
                if !is_over && !is_late {
                    return Ok(None);
                }
                let shown = show(tx, owner, std::slice::from_ref(&stored)).await?.remove(0);
                Ok(Some((is_over, Reply::resource(version_etag(stored.version), shown))))
            });
            if let Some((is_over, mut reply)) = read.await? {
                reply.is_replayed = begun.is_replayed;
                if !is_over {
                    reply.outcome = Outcome::Accepted;
                    reply.location = Some(format!("/batches/{id}"));
                }
                return Ok(reply);
            }
            deadline.rest().await;
        }
    }

    /// Stores purchases of batches until the server stops. It has a task of its own, so that the claiming task does not wait.
    pub(crate) async fn begin_forever(self) {
        let (mut work, stop) = (self.purchasing.work_signal(), self.context.stop());
        let mut rotation = Rotation::default();
        while !stop.is_cancelled() {
            let begun = self.begin(&mut rotation).await;
            let is_more = begun.unwrap_or_else(|error| {
                warn!(%error, "storing purchases of batches failed, retrying");
                false
            });
            let rest = if is_more { BEGIN_EVERY } else { BEGIN_LOOK_EVERY };
            tokio::select! {
                _ = work.changed(), if !is_more => {}
                () = stop.cancelled() => {}
                () = tokio::time::sleep(rest) => {}
            }
        }
    }

    /// Stores the next purchases of all batches once, for tests and tools that don't wait for a notification.
    pub(crate) async fn begin_all(&self) -> Result<()> {
        let mut rotation = Rotation::default();
        loop {
            self.begin(&mut rotation).await?;
            if rotation.is_at_start() {
                return Ok(());
            }
        }
    }

    /// Stores the next purchases of a page of batches. Returns whether there are more to come.
    async fn begin(&self, rotation: &mut Rotation) -> Result<bool> {
        let now = self.context.now();
        let max = AWAITED_MAX.max(AWAITED_CALLS * self.purchasing.settings().account_calls_max);
        let after = rotation.after();
        let read = self.context.db().read(Access::System, async move |tx| {
            let mut waiting = Vec::new();
            for (owner, id) in batches::to_begin(tx, after, PAGE).await? {
                waiting.push((owner, id, max.saturating_sub(purchases::awaited(tx, owner, id, max).await?)));
            }
            Ok(waiting)
        });
        let waiting = read.await?;
        let page: Vec<_> = waiting.iter().map(|(owner, id, _)| (*owner, *id)).collect();
        let is_more = !page.is_empty() || after.is_some();
        rotation.pass(&page, now);
        let (mut turns, mut is_begun) = (Turns::default(), false);
        for (owner, id, room) in waiting {
            let batch = (owner, id);
            if room < GROUP_MIN || rotation.is_resting(batch, now) || !turns.take(owner) {
                continue;
            }
            match self.begin_group(owner, id, room.min(GROUP_MAX)).await {
                Ok(is_any) => {
                    is_begun |= is_any;
                    rotation.succeed(batch);
                }
                Err(error) => {
                    warn!(%error, organisation = %owner, batch = %id, "storing purchases of a batch failed, retrying");
                    rotation.fail(batch, now);
                }
            }
        }
        if is_begun {
            self.purchasing.notify();
        }
        Ok(is_more)
    }

    /// Stores up to `room` purchases of a batch, and returns whether there were any. If no shipment is left to buy, the batch's
    /// purchase ends.
    async fn begin_group(&self, owner: Owner, id: Id<Batch>, room: usize) -> Result<bool> {
        let now = self.context.now();
        let events = self.context.event_log(Actor::Job("batches"), owner, now);
        let prepared = self.prepare_group(owner, id, room, &events).await?;
        let begin = self.context.db().write(owner, async move |tx| {
            // Lock orders and levels before the batch, as everywhere: one order of locks prevents deadlocks.
            let mut contents = lock_contents(tx, owner, id, room).await?;
            let Some(stored) = batches::get_if_free(tx, owner, id).await? else { return Ok(false) };
            let Some(begun_to) = stored.begun_to.clone() else { return Ok(false) };
            let terms = read_terms(tx, owner, &stored).await?;
            let mut members = batch_members::next_open(tx, owner, id, &begun_to, room).await?;
            let is_full = members.len() == room;
            // A member that was added since the orders were locked waits for the next group.
            let unlocked = members.iter().position(|member| !contents.has_locked(member.id));
            members.truncate(unlocked.unwrap_or(members.len()));
            let prepared = prepared.as_ref().filter(|prepared| prepared.terms == terms);
            let mut delta = Delta::default();
            for member in &members {
                let prepared = prepared.and_then(|prepared| prepared.of(member));
                delta += begin_member(tx, &mut contents, member, prepared, &terms, &events).await?;
            }
            if is_full || unlocked.is_some() {
                let reached = members.last().map_or(begun_to, |member| member.id.to_string());
                batches::set_begun_to(tx, owner, id, Some(&reached)).await?;
            } else {
                batches::set_begun_to(tx, owner, id, None).await?;
            }
            member_changed(tx, owner, id, delta, &events).await?;
            contents.orders.write(tx, &events).await?;
            Ok::<_, Error>(!members.is_empty() || unlocked.is_some())
        });
        let is_begun = begin.await?;
        if is_begun {
            crash_point!("after_intent");
        }
        self.context.notice(owner);
        Ok(is_begun)
    }

    /// Prepares the next members of a batch outside a transaction. On SQLite this takes work off the one thread that writes; a
    /// shared database has no such thread, and there it would only be one more round trip.
    async fn prepare_group(
        &self,
        owner: Owner,
        id: Id<Batch>,
        room: usize,
        events: &EventLog,
    ) -> Result<Option<PreparedGroup>> {
        if self.context.db().is_shared() {
            return Ok(None);
        }
        let read = self.context.db().read(owner, async move |tx| {
            let Some(stored) = batches::get(tx, owner, id).await? else { return Ok(None) };
            let Some(begun_to) = stored.begun_to.clone() else { return Ok(None) };
            let terms = read_terms(tx, owner, &stored).await?;
            let members = batch_members::next_open(tx, owner, id, &begun_to, room).await?;
            Ok(Some((terms, members)))
        });
        let Some((terms, members)) = read.await? else { return Ok(None) };
        let prepare = |member: &StoredShipment| Ok((member.id, PreparedMember::new(member, &terms, events)?));
        let members = members.iter().map(prepare).collect::<Result<_>>()?;
        Ok(Some(PreparedGroup { terms, members }))
    }
}

/// Stores that a batch is to be bought. While it is being bought, and once it is bought, this changes nothing.
pub async fn begin_purchase(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<Batch>,
    precondition: &Precondition,
    events: &EventLog,
) -> Result<()> {
    let stored = found(batches::get_for_update(tx, owner, id).await?)?;
    if matches!(stored.status, Status::Purchasing | Status::Purchased) {
        return Ok(());
    }
    ensure_current(precondition, &version_etag(stored.version))?;
    ensure(stored.counts.shipments > 0, Code::BatchEmpty)?;
    if details(&stored)?.service.is_none() {
        ensure_services(tx, owner, id).await?;
    }
    batches::change(tx, owner, id, Status::Purchasing, Delta::default(), events.now()).await?;
    batches::set_begun_to(tx, owner, id, Some("")).await?;
    tell(tx, owner, &stored, "batch.purchase_started", events).await.map(drop)
}

/// Refuses the purchase if a shipment has no service, and the batch has none for it.
async fn ensure_services(tx: &mut Tx<'_>, owner: Owner, id: Id<Batch>) -> Result<()> {
    let lacking = batch_members::lacking_service(tx, owner, id, NAMED_MAX).await?;
    let issue = |shipment: &Id<Shipment>| {
        let message = format!("The shipment {shipment} has no service, and the batch has none for it.");
        Issue::new(Code::ServiceMissing.as_str(), "/service", &message)
    };
    match lacking.is_empty() {
        true => Ok(()),
        false => {
            Err(Problem::fields(Code::ServiceMissing, lacking.iter().map(issue).collect::<Vec<_>>()).into())
        }
    }
}

/// The terms on which the shipments of a batch are bought.
#[derive(PartialEq)]
struct Terms {
    batch: Id<Batch>,
    details: Details,
    accounts: Vec<Account>,
    /// When a backup was last restored.
    restored_at: Option<Timestamp>,
}

async fn read_terms(tx: &mut Tx<'_>, owner: Owner, batch: &batches::StoredBatch) -> Result<Terms> {
    Ok(Terms {
        batch: batch.id,
        details: details(batch)?,
        accounts: carrier_accounts::all(tx, owner).await?,
        restored_at: restorations::last(tx).await?,
    })
}

/// What is written when the purchase of a member begins.
struct PreparedMember {
    /// `None` if it can't be bought.
    bought: Option<Bought>,
    change: Prepared,
    event: &'static str,
}

/// What is bought of a member.
struct Bought {
    account: Id<CarrierAccount>,
    service: String,
    in_doubt_since: Option<Timestamp>,
    /// When it should be handed over, if it says so.
    wanted_date: Option<Timestamp>,
}

/// The members of a batch that are begun next, prepared on these terms.
struct PreparedGroup {
    terms: Terms,
    members: HashMap<Id<Shipment>, PreparedMember>,
}

impl PreparedGroup {
    /// Returns what was prepared for a member, if it has not changed since.
    fn of(&self, member: &StoredShipment) -> Option<&PreparedMember> {
        self.members.get(&member.id).filter(|prepared| prepared.change.is_of(member))
    }
}

impl PreparedMember {
    fn new(stored: &StoredShipment, terms: &Terms, events: &EventLog) -> Result<Self> {
        let Terms { details, accounts, restored_at, .. } = terms;
        let now = events.now();
        let old = read_shipment(stored)?;
        let indexed = IndexedShipment::from(&old);
        let mut new = Shipment { updated_at: now, ..old };
        new.errors.clear();
        let wanted = wanted(&new, details, accounts);
        let (bought, event) = match choose(&new, &wanted, accounts, now) {
            Ok((account, service, rate)) => {
                new.status = shipment::Status::Purchasing;
                new.service = Some(ChosenService {
                    rate,
                    carrier: carrier_reference(&account.carrier),
                    carrier_service: service_reference(account, &service)?,
                    carrier_account: account_reference(account)?,
                });
                let in_doubt_since = in_doubt_since(new.created_at, *restored_at);
                let wanted_date = new.details.wanted_date();
                let bought = Bought { account: account.id, service, in_doubt_since, wanted_date };
                (Some(bought), "shipment.updated")
            }
            // The account may have been deleted since, or the carrier may not have the service.
            Err(Error::Refused(problem)) => {
                new.status = shipment::Status::PurchaseFailed;
                let why = problem.issues.first().map_or_else(String::new, |issue| issue.message.clone());
                let (code, source) = (ErrorCode::ServiceUnavailable, Source::Request);
                new.add_error(ShipmentError::new(ErrorType::Purchase, code, source, why));
                (None, "shipment.purchase_failed")
            }
            Err(error) => return Err(error),
        };
        Ok(Self { bought, change: Prepared::new(stored, indexed, &new, &[])?, event })
    }
}

/// The orders of the members that are begun next.
struct LockedMembers {
    members: HashSet<Id<Shipment>>,
    orders: OrderContents,
    time_zones: TimeZones,
}

impl LockedMembers {
    fn has_locked(&self, member: Id<Shipment>) -> bool {
        self.members.contains(&member)
    }
}

/// Locks the orders of the members that are begun next, and the levels of what these hold.
async fn lock_contents(tx: &mut Tx<'_>, owner: Owner, id: Id<Batch>, room: usize) -> Result<LockedMembers> {
    let begun_to = batches::get(tx, owner, id).await?.and_then(|stored| stored.begun_to);
    let members = match begun_to {
        Some(begun_to) => batch_members::next_open_ids(tx, owner, id, &begun_to, room).await?,
        None => Vec::new(),
    };
    let orders = OrderContents::lock(tx, owner, &members).await?;
    let time_zones = TimeZones::read(tx, owner, &members).await?;
    Ok(LockedMembers { members: members.into_iter().collect(), orders, time_zones })
}

/// Stores the purchase of a shipment, or why it can't be bought.
async fn begin_member(
    tx: &mut Tx<'_>,
    locked: &mut LockedMembers,
    stored: &StoredShipment,
    prepared: Option<&PreparedMember>,
    terms: &Terms,
    events: &EventLog,
) -> Result<Delta> {
    let made;
    let prepared = match prepared {
        Some(prepared) => prepared,
        None => {
            made = PreparedMember::new(stored, terms, events)?;
            &made
        }
    };
    let owner = locked.orders.owner();
    if prepared.bought.is_some()
        && let Err(why) = locked.orders.begin(stored.id)
    {
        let old = read_shipment(stored)?;
        let indexed = IndexedShipment::from(&old);
        let change = Prepared::new(stored, indexed, &why.refused(old, events.now()), &[])?;
        let changed = write_prepared(tx, owner, stored, &change, "shipment.purchase_failed", events).await?;
        return Ok(changed.map_or_else(Delta::default, |(_, delta)| delta));
    }
    if let Some(bought) = &prepared.bought {
        let wish = PurchaseRequest {
            shipment: stored.id,
            account: bought.account,
            service: &bought.service,
            reference: &stored.id.to_string(),
            batch: Some((terms.batch, terms.details.options.label_format)),
            in_doubt_since: bought.in_doubt_since,
            ship_on: mailing_date(bought.wanted_date, events.now(), locked.time_zones.of(stored.id)),
        };
        purchases::begin(tx, owner, events.new_id(), &wish, events.now()).await?;
    }
    let changed = write_prepared(tx, owner, stored, &prepared.change, prepared.event, events).await?;
    Ok(changed.map_or_else(Delta::default, |(_, delta)| delta))
}
