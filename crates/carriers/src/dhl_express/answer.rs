//! DHL Express's errors.

use model::shipping::shipment::ErrorCode;
use serde_json::Value;

use super::name::CARRIER;
use crate::json::{items, text};
use crate::told::{Purpose, Reader, Told};

/// Statuses with which DHL refuses a shipment.
const REFUSALS: &[u16] = &[400, 401, 403, 422];
/// "Process failure occurred": whether the shipment was made before is not said.
pub const PROCESS_FAILURE: &str = "999";

pub const DHL_EXPRESS: Reader = Reader {
    carrier: CARRIER,
    told,
    refusals: REFUSALS,
    error_code: |status, told, purpose| error_code(status, &told.message, purpose),
};

/// Reads an error: `{"instance", "detail", "title", "message", "status", "additionalDetails"}`. Its code stands before the sentence.
pub fn told(body: &[u8]) -> Option<Told> {
    let body: Value = serde_json::from_slice(body).ok()?;
    let title = text(&body["title"]).or_else(|| text(&body["message"]))?;
    let detail = text(&body["detail"])?;
    let more: Vec<String> = items(&body["additionalDetails"]).iter().filter_map(text).collect();
    let code = code_of(&detail).or_else(|| more.iter().find_map(|detail| code_of(detail)));
    let code = code.or_else(|| text(&body["status"])).unwrap_or(title);
    let message = if more.is_empty() { detail } else { more.join("; ") };
    Some(Told { code, message })
}

/// The number before a sentence: `7008: The requested …`.
fn code_of(detail: &str) -> Option<String> {
    let (code, _) = detail.split_once(':')?;
    let is_code = !code.is_empty() && code.bytes().all(|byte| byte.is_ascii_digit());
    is_code.then(|| code.to_owned())
}

/// Translates an error by its words: DHL publishes no list of its codes.
fn error_code(status: u16, message: &str, purpose: Purpose) -> ErrorCode {
    let words = message.to_ascii_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| words.contains(part));
    match status {
        401 | 403 => ErrorCode::CredentialsInvalid,
        _ if has(&["account number"]) => ErrorCode::CredentialsInvalid,
        _ if has(&["postal code", "postalcode", "post code", "postcode"]) => ErrorCode::PostCodeInvalid,
        _ if has(&["customs", "exportdeclaration", "lineitem", "incoterm", "invoice"]) => {
            ErrorCode::CustomsRequired
        }
        _ if has(&["special service", "valueaddedservices"]) => ErrorCode::OptionUnavailable,
        _ if has(&["product"]) => ErrorCode::ServiceUnavailable,
        _ if has(&["weight"]) => ErrorCode::WeightLimit,
        _ if has(&["dimension", "/length", "/width", "/height"]) => ErrorCode::DimensionsLimit,
        _ if has(&["address", "city", "country", "phone", "contactinformation"]) => ErrorCode::AddressInvalid,
        _ if purpose == Purpose::Rating => ErrorCode::RatesUnavailable,
        _ => ErrorCode::PurchaseDeclined,
    }
}
