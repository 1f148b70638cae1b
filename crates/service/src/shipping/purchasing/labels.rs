//! A client's request for a label: an attempt that would be made after a pause is made now.

use model::shipping::document::DocumentType;
use model::shipping::purchase::State;
use model::shipping::shipment::{ErrorType, Shipment, Status};
use model::{Code, Id, Owner, Result};
use store::Tx;
use store::shipping::documents::StoredDocument;
use store::shipping::purchases::{self, Purchase};
use store::shipping::shipments::StoredShipment;
use store::shipping::{carrier_accounts, shipments};

use crate::access::reply::Reply;
use crate::access::write::Command;
use crate::events::events::EventLog;
use crate::platform::resource::found;
use crate::platform::wait_deadline::Wait;
use crate::shipping::purchasing::Purchasing;
use crate::shipping::shipments::{
    change_with_documents, documents_of, ensure_version, read_shipment, without_links,
};

/// What a request for the label of a shipment changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Step {
    /// The label exists, or can't be obtained.
    Nothing,
    /// The label is still to come: the next attempt is made now.
    Hasten,
    /// The label was given up: the attempts start again.
    Reopen,
}

impl Purchasing {
    /// Requests the label of a shipment that is bought. Repeating the request changes nothing.
    pub async fn create_shipment_labels(
        &self,
        command: Command,
        id: Id<Shipment>,
        wait: Wait,
    ) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let events = self.context.event_log(&command.caller, owner, now);
        let begin = async move |tx: &mut Tx<'_>| {
            let stored = found(shipments::get_for_update(tx, owner, id).await?)?;
            let purchase = purchases::get_for_update(tx, owner, id).await?;
            let purchase = bought(stored.status, purchase)?;
            let documents = documents_of(tx, owner, &[&stored]).await?;
            let has_account = carrier_accounts::get(tx, owner, purchase.account).await?.is_some();
            match step(&purchase, &documents, has_account) {
                Step::Nothing => {}
                Step::Hasten => {
                    ensure_version(&precondition, stored.version)?;
                    purchases::hasten_label(tx, &purchase, now).await?;
                }
                Step::Reopen => {
                    ensure_version(&precondition, stored.version)?;
                    purchases::relabel(tx, &purchase, now).await?;
                    show_pending(tx, owner, &stored, &documents, &events).await?;
                }
            }
            Ok(Reply::done(String::new()))
        };
        let begun = self.context.write(&command, begin).await?;
        self.notify();
        let is_under_way = |stored: &StoredShipment, _: Option<&Purchase>| {
            stored.status == Status::Purchasing || stored.summary.label_pending
        };
        self.wait_while(owner, id, wait, begun, is_under_way).await
    }
}

/// Returns the purchase of a shipment that is bought. One whose label can't be stored is bought, too, although its shipment
/// still shows `purchasing`.
fn bought(status: Status, purchase: Option<Purchase>) -> Result<Purchase> {
    let is_bought = |purchase: &Purchase| purchase.state == State::Bought;
    match status {
        Status::Purchasing => Ok(purchase.filter(is_bought).ok_or(Code::ShipmentPurchasing)?),
        status => {
            status.ensure_bought()?;
            found(purchase)
        }
    }
}

fn step(purchase: &Purchase, documents: &[StoredDocument], has_account: bool) -> Step {
    let has_label = documents.iter().any(|document| document.file.r#type == DocumentType::Label);
    match purchase.state {
        State::Bought if !purchase.is_labelled => Step::Hasten,
        State::Bought if !has_label && has_account => Step::Reopen,
        _ => Step::Nothing,
    }
}

/// Shows that the label is pending again. The errors of the earlier attempts are removed.
async fn show_pending(
    tx: &mut Tx<'_>,
    owner: Owner,
    stored: &StoredShipment,
    documents: &[StoredDocument],
    events: &EventLog,
) -> Result<()> {
    let mut new = Shipment { label_pending: true, updated_at: events.now(), ..read_shipment(stored)? };
    new.forget_errors(ErrorType::Label);
    let files = without_links(documents);
    change_with_documents(tx, owner, stored, &new, &files, "shipment.updated", events).await.map(drop)
}
