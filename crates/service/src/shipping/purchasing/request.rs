//! Purchase requests: each is stored in one transaction, and the client's request then waits for the result for a while.

use model::platform::problem::Issue;
use model::shipping::purchase::{PurchaseInput, in_doubt_since};
use model::shipping::rate::Rate;
use model::shipping::shipment::{ChosenService, Shipment, Status};
use model::{Code, Id, Owner, Problem, PurchaseAttempt, Result, Timestamp, ensure};
use store::Tx;
use store::platform::restorations;
use store::shipping::carrier_accounts::{self, StoredCarrierAccount as Account};
use store::shipping::purchases::{self, Purchase, PurchaseRequest};
use store::shipping::shipments;
use store::shipping::shipments::StoredShipment;

use super::voiding::is_voiding;
use crate::access::reply::Outcome;
use crate::access::reply::Reply;
use crate::access::write::Command;
use crate::platform::resource::found;
use crate::platform::wait_deadline::{Wait, WaitDeadline};
use crate::shipping::batches::ensure_member_changeable;
use crate::shipping::carrier_accounts::find_account;
use crate::shipping::carriers::{account_reference, carrier_reference, find_service, service_reference};
use crate::shipping::order_contents::{NotBuyable, OrderContents};
use crate::shipping::purchasing::Purchasing;
use crate::shipping::shipments::{change_shipment, documents_of, ensure_version, read_shipment};
use crate::shipping::time_zones::TimeZones;

impl Purchasing {
    /// Buys a shipment: by a rate, or by a service of an account. While it is being bought, and once it is bought, the same
    /// request changes nothing.
    pub async fn purchase(
        &self,
        command: Command,
        id: Id<Shipment>,
        input: PurchaseInput,
        wait: Wait,
    ) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let attempt: Id<PurchaseAttempt> = self.context.new_id(now);
        let events = self.context.event_log(&command.caller, owner, now);
        let begin = async move |tx: &mut Tx<'_>| {
            let mut contents = OrderContents::lock(tx, owner, &[id]).await?;
            let stored = found(shipments::get_for_update(tx, owner, id).await?)?;
            let old = read_shipment(&stored)?;
            let is_begun = matches!(stored.status, Status::Purchasing | Status::Purchased);
            if is_begun && is_same(&old, &input) {
                return Ok(Reply::done(String::new()));
            }
            ensure_version(&precondition, stored.version)?;
            stored.status.ensure_open()?;
            ensure_member_changeable(tx, owner, &stored).await?;
            let accounts = carrier_accounts::all(tx, owner).await?;
            let (account, service, rate) = choose(&old, &input, &accounts, now)?;
            match contents.begin(id) {
                Ok(()) => {}
                Err(NotBuyable::Order(code)) => return Err(code.into()),
                Err(short) => {
                    let new = short.refused(old, now);
                    change_shipment(tx, owner, &stored, &new, "shipment.purchase_failed", &events).await?;
                    return Ok(Reply::done(String::new()));
                }
            }
            let reference = id.to_string();
            let ship_on = TimeZones::read(tx, owner, &[id]).await?.mailing_date(id, &old.details, now);
            let wish = PurchaseRequest {
                shipment: id,
                account: account.id,
                service: &service,
                reference: &reference,
                batch: None,
                in_doubt_since: in_doubt_since(old.created_at, restorations::last(tx).await?),
                ship_on,
            };
            purchases::begin(tx, owner, attempt, &wish, now).await?;
            let mut new = Shipment { status: Status::Purchasing, updated_at: now, ..old };
            new.errors.clear();
            new.service = Some(ChosenService {
                rate,
                carrier: carrier_reference(&account.carrier),
                carrier_service: service_reference(account, &service)?,
                carrier_account: account_reference(account)?,
            });
            change_shipment(tx, owner, &stored, &new, "shipment.updated", &events).await?;
            contents.write(tx, &events).await?;
            Ok(Reply::done(String::new()))
        };
        let begun = self.context.write(&command, begin).await?;
        self.notify();
        self.wait_for(owner, id, wait, begun).await
    }

    /// Waits until a shipment is neither being bought nor being voided, or until the deadline, and answers with the shipment as
    /// it is then.
    pub(super) async fn wait_for(
        &self,
        owner: Owner,
        id: Id<Shipment>,
        wait: Wait,
        begun: Reply,
    ) -> Result<Reply> {
        let is_under_way = |stored: &StoredShipment, purchase: Option<&Purchase>| {
            stored.status == Status::Purchasing || is_voiding(purchase)
        };
        self.wait_while(owner, id, wait, begun, is_under_way).await
    }

    /// Waits while `is_under_way` holds for a shipment, until the deadline.
    pub(super) async fn wait_while(
        &self,
        owner: Owner,
        id: Id<Shipment>,
        wait: Wait,
        begun: Reply,
        is_under_way: fn(&StoredShipment, Option<&Purchase>) -> bool,
    ) -> Result<Reply> {
        if let Outcome::Refused(_) = begun.outcome {
            return Ok(begun);
        }
        let mut deadline = WaitDeadline::new(wait, self.news());
        loop {
            let is_late = deadline.is_over();
            let read = self.context.db().read(owner, async move |tx| {
                let stored = found(shipments::get(tx, owner, id).await?)?;
                let purchase = purchases::get(tx, owner, id).await?;
                let documents = documents_of(tx, owner, &[&stored]).await?;
                Ok((stored, purchase, documents))
            });
            let (stored, purchase, documents) = read.await?;
            let is_under_way = is_under_way(&stored, purchase.as_ref());
            if !is_under_way || is_late {
                let mut reply = self.shipments.shipment_reply(owner, &stored, &documents)?;
                reply.is_replayed = begun.is_replayed;
                if is_under_way {
                    reply.outcome = Outcome::Accepted;
                    reply.location = Some(format!("/shipments/{id}"));
                }
                return Ok(reply);
            }
            deadline.rest().await;
        }
    }
}

/// Whether a request asks for the same as the purchase that is stored already.
fn is_same(shipment: &Shipment, input: &PurchaseInput) -> bool {
    let Some(chosen) = &shipment.service else { return false };
    if let Some(rate) = input.rate {
        return chosen.rate == Some(rate);
    }
    let is_named = |name: &Option<String>, id: String, handle: &Option<String>| {
        name.as_ref().is_some_and(|name| *name == id || Some(name) == handle.as_ref())
    };
    let (account, service) = (&chosen.carrier_account, &chosen.carrier_service);
    is_named(&input.carrier_account, account.id.to_string(), &account.handle)
        && is_named(&input.carrier_service, service.id.to_string(), &service.handle)
}

/// Returns the account and the service that a request names, and the rate if there is one.
pub fn choose<'a>(
    shipment: &Shipment,
    input: &PurchaseInput,
    accounts: &'a [Account],
    now: Timestamp,
) -> Result<(&'a Account, String, Option<Id<Rate>>)> {
    let refuse = |code: Code, field: &str, message: &str| {
        Problem::field(code, Issue::new(code.as_str(), field, message))
    };
    if let Some(id) = input.rate {
        let rate = shipment.rates.iter().find(|rate| rate.id == id);
        let rate =
            rate.ok_or_else(|| refuse(Code::RateNotFound, "/rate", "The shipment has no such rate."))?;
        ensure(now < rate.expires_at, Code::RateExpired)?;
        let account = rate.carrier_account.as_ref().map(|account| account.id.to_string());
        let account = find_account(accounts, &account.unwrap_or_default())?;
        let gone = || refuse(Code::CarrierAccountNotFound, "/rate", "Its account is gone, or disabled.");
        let service = rate.carrier_service.handle.clone().unwrap_or_default();
        return Ok((account.ok_or_else(gone)?, service, Some(id)));
    }
    let name = input.carrier_account.as_deref().unwrap_or_default();
    let account = find_account(accounts, name)?.ok_or_else(|| {
        refuse(Code::CarrierAccountNotFound, "/carrier_account", "There is no such account that can be used.")
    })?;
    let name = input.carrier_service.as_deref().unwrap_or_default();
    let service = find_service(account, name)?.ok_or_else(|| {
        refuse(Code::CarrierServiceNotFound, "/carrier_service", "The carrier has no such service.")
    })?;
    // If the shipment has a rate for this service, that rate is bought.
    let is_it = |rate: &&Rate| {
        let of = rate.carrier_account.as_ref().map(|account| account.id);
        of == Some(account.id) && rate.carrier_service.handle.as_ref() == Some(&service)
    };
    let rate = shipment.rates.iter().find(is_it).map(|rate| rate.id);
    Ok((account, service, rate))
}
