//! Voids at UPS.

use model::shipping::shipment::{ErrorCode, Source};

use super::answer::{Purpose, read, rejected, says, unsent};
use super::json::{items, text};
use crate::{Answer, Outcome};

/// "The shipment has already been voided": an earlier request, whose answer was lost, did it.
const VOIDED_BEFORE: &[&str] = &["190117"];
/// "No shipment found within the allowed void period."
const NOT_VOIDABLE: &[&str] = &["190101", "190102"];
const DONE: &str = "1";

/// Reads the answer to a request to void a shipment.
pub fn voided(answer: Answer) -> Outcome {
    if says(&answer, VOIDED_BEFORE) {
        return Outcome::Voided;
    }
    if says(&answer, NOT_VOIDABLE) {
        let message = "UPS finds no shipment of this number that it still voids: it was used, is older than 90 days, was \
                       voided before, or was bought at UPS's test system.";
        return rejected(Purpose::Voiding, ErrorCode::PurchaseDeclined, message.to_owned());
    }
    let body = match read(answer, Purpose::Voiding) {
        Ok(body) => body,
        Err(outcome) => return outcome,
    };
    let void = &body["VoidShipmentResponse"];
    // The list has one name in UPS's specification, and another in its answers.
    let packages = items(&void["PackageLevelResults"]).iter().chain(items(&void["PackageLevelResult"]));
    let is_partial = packages.filter_map(|package| text(&package["Status"]["Code"])).any(|code| code != DONE);
    match text(&void["SummaryResult"]["Status"]["Code"]) {
        Some(code) if code == DONE && !is_partial => Outcome::Voided,
        Some(_) => {
            let message = "UPS voided a part of the packages, or none. Void the others at UPS.";
            rejected(Purpose::Voiding, ErrorCode::PurchaseDeclined, message.to_owned())
        }
        None => {
            let message = "UPS's answer does not say whether the shipment is voided.";
            let code = ErrorCode::ProviderUnavailable;
            unsent(Purpose::Voiding, code, Source::Provider, message.to_owned(), None)
        }
    }
}
