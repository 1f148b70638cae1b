//! Voids at USPS: a label that was not used is cancelled, or a refund of its postage is requested.
//!
//! USPS decides about a refund later and has no request that tells how it decided: another cancellation could request it again. So a
//! label is void once USPS has taken the request.

use model::shipping::shipment::{ErrorCode, Source};

use super::answer::{Purpose, read, told, unsent};
use crate::json::text;
use crate::{Answer, Outcome};

/// Reads the answer to a request to cancel a label.
pub fn voided(answer: Answer) -> Outcome {
    if let Some(outcome) = done_before(&answer) {
        return outcome;
    }
    let body = match read(answer, Purpose::Voiding) {
        Ok(body) => body,
        Err(outcome) => return outcome,
    };
    match text(&body["status"]).as_deref() {
        Some("CANCELED" | "DISPUTED") => Outcome::Voided,
        _ => {
            let message = "USPS's answer does not say whether the label is cancelled.";
            let code = ErrorCode::ProviderUnavailable;
            unsent(Purpose::Voiding, code, Source::Provider, message.to_owned(), None)
        }
    }
}

/// The outcome if an earlier request did it, whose answer was lost. USPS publishes no codes for it, so its words decide.
fn done_before(answer: &Answer) -> Option<Outcome> {
    let Answer::Response { status: 400..=499, body, .. } = answer else { return None };
    let words = told(body)?.message.to_ascii_lowercase();
    let is_before = words.contains("already");
    let is_it = ["cancel", "disput", "refund"].iter().any(|word| words.contains(word));
    (is_before && is_it).then_some(Outcome::Voided)
}
