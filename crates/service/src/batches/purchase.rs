//! Buying a batch: a wish that is written down at once, and purchases of its shipments that are written down group by
//! group. Each of these then goes its own way, as one that was asked for singly does.
//!
//! Nobody holds a batch. Whichever node comes by writes down the next group, in a transaction that has the batch's row to
//! itself and ends with how far it came. So there is no lease to lose: a node that dies leaves nothing half done.

use model::batch::{Delta, Details, Status};
use model::problem::Issue;
use model::purchase::{PurchaseInput, in_doubt_since};
use model::shipment::{ChosenService, ErrorCode, ErrorType, Shipment, ShipmentError, Source};
use model::{Batch, Code, Error, Id, Owner, Problem, Result, Timestamp, ensure, shipment};
use store::carrier_accounts::{self, Stored as Account};
use store::purchases::{self, Wish};
use store::shipments::Stored;
use store::{Access, Tx, batch_members, batches, restorations};
use tokio::time::Duration;

use super::details;
use super::member::{member_changed, show, tell};
use crate::carriers::{account_reference, carrier_reference, service_reference};
use crate::events::EventLog;
use crate::purchasing::{Wait, choose};
use crate::reply::Outcome;
use crate::shipments::{change_uncounted, read_shipment};
use crate::{Command, Reply, Service, ensure_current, fault, found, log, version_etag};

/// Purchases for which a batch waits at once. The rest are written down when these have come to an end, so that thousands
/// that wait neither fill memory nor stand before what others want.
const AWAITED_MAX: usize = 256;
/// How many times as many as an account takes calls, where that is more.
const AWAITED_CALLS: usize = 4;
/// Purchases that are written down together: fewer are not worth a transaction, and for more others wait too long.
const GROUP_MIN: usize = 64;
const GROUP_MAX: usize = 128;
/// Batches for which one round writes down purchases.
const BATCHES_MAX: usize = 64;
/// How often a node looks whether there is something to write down: while some batch has more, and while none has.
const BEGIN_EVERY: Duration = Duration::from_millis(25);
const BEGIN_LOOK_EVERY: Duration = Duration::from_millis(100);
/// Shipments that a problem names.
const NAMED_MAX: usize = 10;

impl Service {
    /// Buys what is not bought of a batch. While it is bought, and once it is, asking again changes nothing.
    pub async fn purchase_batch(&self, command: Command, id: Id<Batch>, wait: Wait) -> Result<Reply> {
        let now = self.now();
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let events = self.event_log(owner, now);
        let begin = async move |tx: &mut Tx<'_>| {
            let stored = found(batches::get_for_update(tx, owner, id).await?)?;
            if matches!(stored.status, Status::Purchasing | Status::Purchased) {
                return Ok(Reply::done(String::new()));
            }
            ensure_current(&precondition, &version_etag(stored.version))?;
            ensure(stored.counts.shipments > 0, Code::BatchEmpty)?;
            if details(&stored)?.service.is_none() {
                ensure_services(tx, owner, id).await?;
            }
            batches::change(tx, owner, id, Status::Purchasing, Delta::default(), now).await?;
            batches::set_begun_to(tx, owner, id, Some("")).await?;
            tell(tx, owner, &stored, "batch.purchase_started", &events).await?;
            Ok(Reply::done(String::new()))
        };
        let begun = self.write(&command, begin).await?;
        fault!("after_begin");
        self.ring_purchasing();
        self.wait_for_batch(owner, id, wait, begun).await
    }

    /// Waits until a batch's purchase has come to its end, and answers with what it is then; or with what it is when there
    /// was no more time to wait.
    async fn wait_for_batch(&self, owner: Owner, id: Id<Batch>, wait: Wait, begun: Reply) -> Result<Reply> {
        if let Outcome::Refused(_) = begun.outcome {
            return Ok(begun);
        }
        let mut patience = self.patience(wait, self.purchasing_news());
        loop {
            let is_late = patience.is_over();
            let read = self.db().read(owner, async move |tx| {
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
            patience.rest().await;
        }
    }

    /// Writes down purchases of batches until the server stops. Beside those who buy, because nobody should wait for that.
    pub(crate) async fn begin_batches_forever(self) {
        let (mut work, mut stop) = (self.purchasing_work(), self.purchasing_stop());
        while !*stop.borrow_and_update() {
            let begun = self.begin_batches().await;
            let is_more = begun.unwrap_or_else(|error| {
                log::error("batch", &error);
                false
            });
            let rest = if is_more { BEGIN_EVERY } else { BEGIN_LOOK_EVERY };
            tokio::select! {
                _ = work.changed(), if !is_more => {}
                _ = stop.changed() => {}
                () = tokio::time::sleep(rest) => {}
            }
        }
    }

    /// Writes down the next purchases of batches that are being bought; tells whether there are more to come.
    pub(crate) async fn begin_batches(&self) -> Result<bool> {
        let max = AWAITED_MAX.max(AWAITED_CALLS * self.settings().carriers.account_calls_max);
        let read = self.db().read(Access::System, async move |tx| {
            let mut waiting = Vec::new();
            for (owner, id) in batches::to_begin(tx, BATCHES_MAX).await? {
                waiting.push((owner, id, max.saturating_sub(purchases::awaited(tx, owner, id, max).await?)));
            }
            Ok(waiting)
        });
        let waiting = read.await?;
        let mut is_begun = false;
        for (owner, id, room) in &waiting {
            if *room >= GROUP_MIN {
                is_begun |= self.begin_group(*owner, *id, (*room).min(GROUP_MAX)).await?;
            }
        }
        if is_begun {
            self.ring_purchasing();
        }
        Ok(!waiting.is_empty())
    }

    /// Writes down up to so many purchases of a batch; tells whether there were any. Where nobody is left to buy, that is
    /// the end of the batch's purchase.
    async fn begin_group(&self, owner: Owner, id: Id<Batch>, room: usize) -> Result<bool> {
        let now = self.now();
        let events = self.event_log(owner, now);
        let begin = self.db().write(owner, async move |tx| {
            let Some(stored) = batches::get_if_free(tx, owner, id).await? else { return Ok(false) };
            let Some(begun_to) = stored.begun_to.clone() else { return Ok(false) };
            let wishes = details(&stored)?;
            let accounts = carrier_accounts::all(tx, owner).await?;
            let restored_at = restorations::last(tx).await?;
            let terms = Terms { details: &wishes, accounts: &accounts, restored_at };
            let members = batch_members::next_open(tx, owner, id, &begun_to, room).await?;
            let mut delta = Delta::default();
            for member in &members {
                delta += begin_member(tx, owner, id, member, &terms, &events).await?;
            }
            let reached =
                members.last().filter(|_| members.len() == room).map(|member| member.id.to_string());
            batches::set_begun_to(tx, owner, id, reached.as_deref()).await?;
            member_changed(tx, owner, id, delta, &events).await?;
            Ok::<_, Error>(!members.is_empty())
        });
        let is_begun = begin.await?;
        if is_begun {
            fault!("after_intent");
        }
        self.notice(owner);
        Ok(is_begun)
    }
}

/// Refuses to buy shipments of which nobody knows with which service.
async fn ensure_services(tx: &mut Tx<'_>, owner: Owner, id: Id<Batch>) -> Result<()> {
    let lacking = batch_members::lacking_service(tx, owner, id, NAMED_MAX).await?;
    let issue = |shipment: &Id<Shipment>| {
        let message = format!("The shipment {shipment} has no service, and the batch has none for it.");
        Issue::new(Code::ServiceMissing.as_str(), "/service", &message)
    };
    match lacking.is_empty() {
        true => Ok(()),
        false => Err(Problem::fields(Code::ServiceMissing, lacking.iter().map(issue).collect()).into()),
    }
}

/// On which terms the shipments of a batch are bought.
struct Terms<'a> {
    details: &'a Details,
    accounts: &'a [Account],
    /// When a backup was last restored.
    restored_at: Option<Timestamp>,
}

/// Writes down that a shipment is bought, or why it can't be.
async fn begin_member(
    tx: &mut Tx<'_>,
    owner: Owner,
    batch: Id<Batch>,
    stored: &Stored,
    terms: &Terms<'_>,
    events: &EventLog,
) -> Result<Delta> {
    let Terms { details, accounts, restored_at } = *terms;
    let old = read_shipment(stored)?;
    let now = events.now();
    let mut new = Shipment { updated_at: now, ..old };
    new.errors.clear();
    let wanted = wanted(&new, details, accounts);
    let event = match choose(&new, &wanted, accounts, now) {
        Ok((account, service, rate)) => {
            let wish = Wish {
                shipment: new.id,
                account: account.id,
                service: &service,
                reference: &new.id.to_string(),
                batch: Some((batch, details.options.label_format)),
                in_doubt_since: in_doubt_since(new.created_at, restored_at),
            };
            purchases::begin(tx, owner, events.new_id(), &wish, now).await?;
            new.status = shipment::Status::Purchasing;
            new.service = Some(ChosenService {
                rate,
                carrier: carrier_reference(&account.carrier),
                carrier_service: service_reference(account, &service)?,
                carrier_account: account_reference(account)?,
            });
            "shipment.updated"
        }
        // Its account may have been deleted since, or its service be none of that carrier's.
        Err(Error::Refused(problem)) => {
            new.status = shipment::Status::PurchaseFailed;
            let why = problem.issues.first().map_or_else(String::new, |issue| issue.message.clone());
            let (code, source) = (ErrorCode::ServiceUnavailable, Source::Request);
            new.add_error(ShipmentError::new(ErrorType::Purchase, code, source, why));
            "shipment.purchase_failed"
        }
        Err(error) => return Err(error),
    };
    let changed = change_uncounted(tx, owner, stored, &new, &[], event, events).await?;
    Ok(changed.batch.map_or_else(Delta::default, |(_, delta)| delta))
}

/// The account and the service that a shipment of a batch is bought with: the batch's, or those that it chose, or those
/// that it asks for.
fn wanted(shipment: &Shipment, details: &Details, accounts: &[Account]) -> PurchaseInput {
    if let Some(service) = &details.service {
        return PurchaseInput {
            rate: None,
            carrier_account: Some(service.carrier_account.id.to_string()),
            carrier_service: service.carrier_service.handle.clone(),
        };
    }
    if let Some(service) = &shipment.service {
        return PurchaseInput {
            rate: None,
            carrier_account: Some(service.carrier_account.id.to_string()),
            carrier_service: service.carrier_service.handle.clone(),
        };
    }
    let choice = shipment.details.carrier.clone().unwrap_or_default();
    let of_carrier = |account: &&Account| Some(&account.carrier) == choice.carrier_code.as_ref();
    let named = choice.carrier_accounts.first().cloned();
    let only = || accounts.iter().find(of_carrier).map(|account| account.id.to_string());
    PurchaseInput { rate: None, carrier_account: named.or_else(only), carrier_service: choice.service_code }
}
