//! Voids at DHL: labels are deleted until they are closed out. What is never used is not billed, but for a part of the parcels abroad.

use model::shipping::shipment::{ErrorCode, Source};

use super::account::profile;
use super::answer::{Purpose, code, read, refused, rejected, sentences, unsent};
use super::http::{ORDERS, encoded, request};
use super::json::items;
use super::order::numbers;
use super::purchase::RETURN;
use crate::{Account, Answer, Outcome, Receipt, Step};

/// Asks to delete the labels of a purchase.
pub fn begin(account: &Account, receipt: &Receipt) -> Step {
    if receipt.purchase.starts_with(RETURN) {
        let message =
            "DHL deletes no labels of returns, and charges those that are used. Don't use the label.";
        return Step::Done(rejected(Purpose::Voiding, ErrorCode::PurchaseDeclined, message.to_owned()));
    }
    let shipments: String =
        numbers(&receipt.purchase).iter().map(|number| format!("&shipment={}", encoded(number))).collect();
    let path = format!("{ORDERS}?profile={}{shipments}", encoded(profile(account)));
    Step::Send(request(account, "DELETE", &path, None))
}

/// Reads the answer to a request to delete labels.
pub fn voided(answer: Answer, receipt: &Receipt, account: &Account) -> Outcome {
    let (_, body) = match read(answer, Purpose::Voiding, account) {
        Ok(read) => read,
        Err(outcome) => return outcome,
    };
    let listed = items(&body["items"]);
    let codes: Option<Vec<u16>> = listed.iter().map(|item| code(&item["sstatus"])).collect();
    match codes {
        Some(codes) if !codes.is_empty() && codes.len() == numbers(&receipt.purchase).len() => {
            if codes.iter().all(|code| *code == 200) {
                return Outcome::Voided;
            }
            let why: Vec<String> = listed.iter().flat_map(sentences).collect();
            let message = format!(
                "DHL did not delete {} of {} labels: {} They were deleted before, or are closed out.",
                codes.iter().filter(|code| **code != 200).count(),
                codes.len(),
                why.join("; ")
            );
            refused(Purpose::Voiding, message)
        }
        _ => {
            let message = "DHL's answer does not say whether the labels are deleted.";
            let code = ErrorCode::ProviderUnavailable;
            unsent(Purpose::Voiding, code, Source::Provider, message.to_owned(), None)
        }
    }
}
