//! Review of purchases by people: the purchases that need it, and what a person found out.

use ::carriers::Receipt;
use model::shipping::purchase::{Finding, PurchaseAttempt, Resolution, State};
use model::shipping::shipment::{ErrorCode, ErrorType, Shipment, ShipmentError, Source, Status};
use model::{Code, Error, Event, Id, Result, ensure};
use store::shipping::purchases::{self, Purchase};
use store::shipping::{carrier_accounts, shipments};
use store::{Page, Tx};

use super::late::{accept_observed, add_observed};
use super::stored_receipt::StoredReceipt;
use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::access::write::Command;
use crate::platform::cursor::{ListQuery, Listing};
use crate::platform::resource::{found, json};
use crate::shipping::carriers::account_reference;
use crate::shipping::order_contents::OrderContents;
use crate::shipping::purchasing::Purchasing;
use crate::shipping::shipments::{change_shipment, read_shipment};

impl Purchasing {
    pub async fn list_purchase_attempts(
        &self,
        caller: &Caller,
        query: ListQuery,
        state: Option<State>,
    ) -> Result<Listing> {
        let owner = caller.owner;
        let start = self.context.start(owner, &query)?;
        let limit = query.limit;
        let read = self.context.db().read(owner, async move |tx| {
            let page = purchases::page(tx, owner, state, &start, limit).await?;
            let mut items = Vec::with_capacity(page.items.len());
            for purchase in &page.items {
                items.push(json(&view(tx, purchase).await?)?);
            }
            Ok(Page { items, older_than: page.older_than, newer_than: page.newer_than })
        });
        let page = read.await?;
        self.context.listing(owner, &query, page)
    }

    pub async fn get_purchase_attempt(&self, caller: &Caller, id: Id<PurchaseAttempt>) -> Result<Reply> {
        let owner = caller.owner;
        let read = self.context.db().read(owner, async move |tx| {
            let purchase = found(purchases::by_id(tx, owner, id).await?)?;
            let attempt = view(tx, &purchase).await?;
            Ok(Reply::resource(etag(&purchase), json(&attempt)?))
        });
        read.await
    }

    /// Records what a person found out about a purchase whose outcome no look-up could tell.
    pub async fn resolve_purchase_attempt(
        &self,
        command: Command,
        id: Id<PurchaseAttempt>,
        resolution: Resolution,
    ) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let events = self.context.event_log(&command.caller, owner, now);
        let resolve = async move |tx: &mut Tx<'_>| {
            let shipment = found(purchases::by_id(tx, owner, id).await?)?.shipment;
            // Lock the order and the shipment first, as everywhere: one order of locks prevents deadlocks.
            let mut contents = OrderContents::lock(tx, owner, &[shipment]).await?;
            let stored = found(shipments::get_for_update(tx, owner, shipment).await?)?;
            let purchase = found(purchases::get_for_update(tx, owner, shipment).await?)?;
            ensure(purchase.state == State::Review, Code::PurchaseNotInReview)?;
            match resolution.outcome {
                Finding::Bought => {
                    let receipt = receipt(&purchase, &resolution);
                    let kept = StoredReceipt { receipt, duplicates: Vec::new(), is_label_ours: false };
                    let receipt = json(&kept)?;
                    purchases::accept(tx, owner, id, &receipt, now).await?;
                    let purchase = Purchase { receipt: Some(receipt), ..purchase };
                    add_observed(tx, &purchase, now).await?;
                }
                // The carrier's answer to an earlier attempt arrived late, and says that it was bought.
                Finding::NotBought if accept_observed(tx, &purchase, now).await? => {}
                Finding::NotBought => {
                    purchases::set_state(tx, owner, id, State::Failed, None, now).await?;
                    let old = read_shipment(&stored)?;
                    let mut new = Shipment { status: Status::PurchaseFailed, updated_at: now, ..old };
                    let message = "The carrier did not answer, and a review showed that it was not bought.";
                    let code = ErrorCode::ProviderUnavailable;
                    new.forget_errors(ErrorType::Purchase);
                    new.add_error(ShipmentError::new(ErrorType::Purchase, code, Source::Service, message));
                    change_shipment(tx, owner, &stored, &new, "shipment.purchase_failed", &events).await?;
                    contents.fail(shipment);
                }
            }
            contents.write(tx, &events).await?;
            purchases::set_note(tx, owner, id, resolution.note.as_deref()).await?;
            let purchase = found(purchases::by_id(tx, owner, id).await?)?;
            let doc = json(&view(tx, &purchase).await?)?;
            events.append(tx, &Event::new("purchase_attempt.resolved", id, &doc)).await?;
            Ok(Reply::resource(etag(&purchase), doc))
        };
        let reply = self.context.write(&command, resolve).await?;
        self.notify();
        Ok(reply)
    }
}

fn etag(purchase: &Purchase) -> String {
    format!("\"{}.{}\"", purchase.fence, purchase.updated_at.as_micros())
}

fn receipt(purchase: &Purchase, resolution: &Resolution) -> Receipt {
    Receipt {
        purchase: resolution.carrier_purchase.clone().unwrap_or_else(|| purchase.reference.clone()),
        tracking_numbers: resolution.tracking_numbers.clone(),
        charged: resolution.amount.unwrap_or_default(),
        currency: resolution.currency_code.clone().unwrap_or_default(),
        labels: Vec::new(),
    }
}

/// Returns a purchase as the API shows it.
pub async fn view(tx: &mut Tx<'_>, purchase: &Purchase) -> Result<PurchaseAttempt> {
    let account = carrier_accounts::get(tx, purchase.owner, purchase.account).await?;
    let kept = StoredReceipt::of(purchase)?;
    let read = |text: &String| serde_json::from_str(text).map_err(Error::fault);
    let receipt = kept.map(|kept| kept.receipt);
    let amount =
        receipt.as_ref().filter(|receipt| !receipt.currency.is_empty()).map(|receipt| receipt.charged);
    Ok(PurchaseAttempt {
        id: purchase.id,
        shipment_id: purchase.shipment,
        carrier_account: account.as_ref().map(account_reference).transpose()?,
        carrier_service: purchase.service.clone(),
        reference: purchase.reference.clone(),
        state: purchase.state,
        amount,
        currency_code: receipt
            .as_ref()
            .map(|receipt| receipt.currency.clone())
            .filter(|code| !code.is_empty()),
        tracking_numbers: receipt.map(|receipt| receipt.tracking_numbers).unwrap_or_default(),
        error: purchase.error.as_ref().map(read).transpose()?,
        note: purchase.note.clone(),
        next_attempt_at: purchase.due_at,
        created_at: purchase.created_at,
        updated_at: purchase.updated_at,
    })
}
