//! Deletions of orders. Royal Mail charges a label when it is manifested, so an order that was deleted before costs nothing.

use model::shipping::shipment::{ErrorCode, Source};
use serde_json::Value;

use super::answer::{ROYAL_MAIL, several};
use crate::json::{items, text};
use crate::told::{Purpose, rejected, unsent};
use crate::{Answer, Outcome};

/// Reads the answer to the deletion of an order.
pub fn voided(answer: Answer, purchase: &str) -> Outcome {
    if ROYAL_MAIL.refusal(&answer, 404).is_some() {
        let message = format!(
            "Click & Drop has no order {purchase} any more: it was deleted, or archived. Don't use its label, and look at \
             Click & Drop."
        );
        return rejected(Purpose::Voiding, ErrorCode::PurchaseDeclined, message);
    }
    let body = match ROYAL_MAIL.read(answer, Purpose::Voiding) {
        Ok(body) => body,
        Err(outcome) => return outcome,
    };
    let is_ours = |order: &Value| text(&order["orderIdentifier"]).as_deref() == Some(purchase);
    if items(&body["deletedOrders"]).iter().any(is_ours) {
        return Outcome::Voided;
    }
    match several(items(&body["errors"])) {
        Some(told) => rejected(Purpose::Voiding, ErrorCode::PurchaseDeclined, told.message),
        None => {
            let message = "Royal Mail's answer does not say whether the order is deleted.";
            unsent(Purpose::Voiding, ErrorCode::ProviderUnavailable, Source::Provider, message)
        }
    }
}
