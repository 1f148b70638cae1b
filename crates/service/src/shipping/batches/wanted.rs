//! With which service a shipment is bought if the request for its purchase names none.

use model::shipping::batch::Details;
use model::shipping::purchase::PurchaseInput;
use model::shipping::shipment::Shipment;
use model::{Code, Owner, Result, ensure};
use store::Tx;
use store::shipping::batches;
use store::shipping::carrier_accounts::{self, StoredCarrierAccount as Account};
use store::shipping::shipments::StoredShipment;

use super::details::details;
use crate::platform::resource::found;
use crate::shipping::shipments::read_shipment;

/// Returns the account and the service with which a shipment is bought that a request for its purchase does not name.
///
/// # Errors
///
/// Refuses a shipment for which neither it nor its batch has chosen a service.
pub async fn wanted_service(tx: &mut Tx<'_>, owner: Owner, stored: &StoredShipment) -> Result<PurchaseInput> {
    let of_batch = match stored.batch {
        Some(batch) => details(&found(batches::get(tx, owner, batch).await?)?)?,
        None => Details::default(),
    };
    let accounts = carrier_accounts::all(tx, owner).await?;
    let wanted = wanted(&read_shipment(stored)?, &of_batch, &accounts);
    let is_chosen = wanted.carrier_account.is_some() && wanted.carrier_service.is_some();
    ensure(is_chosen, Code::ServiceMissing)?;
    Ok(wanted)
}

/// Returns the account and the service with which a shipment of a batch is bought: those of the batch, those that were chosen
/// for the shipment, or those that the shipment asks for.
pub(super) fn wanted(shipment: &Shipment, details: &Details, accounts: &[Account]) -> PurchaseInput {
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
