//! What voids mean for a purchase and its duplicates.

use ::carriers::{Outcome, Receipt};
use model::shipping::purchase::State;
use model::shipping::shipment::{ErrorCode, ErrorType, ShipmentError, Source};
use store::shipping::duplicate_charges::DuplicateCharge;
use store::shipping::purchases::Purchase;

/// Whether the purchase is being voided.
pub fn is_voiding(purchase: Option<&Purchase>) -> bool {
    purchase.is_some_and(|purchase| purchase.state == State::Voiding)
}

/// Returns the charge of a duplicate, once the carrier has decided whether it takes the duplicate back.
pub fn duplicate_charge(duplicate: &Receipt, outcome: &Outcome) -> DuplicateCharge {
    let is_stated = !duplicate.currency.is_empty();
    DuplicateCharge {
        carrier_purchase: duplicate.purchase.clone(),
        cost: is_stated.then(|| (duplicate.charged, duplicate.currency.clone())),
        is_voided: matches!(outcome, Outcome::Voided | Outcome::Voiding),
    }
}

/// Returns what a shipment is to show of a duplicate after the carrier's answer to its void; `None` if the carrier is to be
/// asked again.
pub fn after_duplicate_void(duplicate: &Receipt, outcome: &Outcome) -> Option<ShipmentError> {
    let number = duplicate.tracking_numbers.first().map_or("", String::as_str);
    let message = match outcome {
        Outcome::Voided | Outcome::Voiding => {
            format!("It was bought twice; the second purchase ({number}) is taken back.")
        }
        Outcome::Rejected(error) => format!(
            "It was bought twice, and the carrier does not take the second purchase ({number}) back: {}",
            error.message
        ),
        _ => return None,
    };
    let code = ErrorCode::DuplicatePurchaseVoided;
    Some(ShipmentError::new(ErrorType::Purchase, code, Source::Service, message))
}
