//! Royal Mail's errors.

use model::shipping::shipment::ErrorCode;
use serde_json::Value;

use super::name::CARRIER;
use crate::json::{items, text};
use crate::told::{Purpose, Reader, Told};

/// Royal Mail documents these statuses of a refusal: the request is wrong, or the key is. All others leave a purchase open.
const REFUSALS: &[u16] = &[400, 401, 403];

pub const ROYAL_MAIL: Reader = Reader {
    carrier: CARRIER,
    told,
    refusals: REFUSALS,
    error_code: |status, told, purpose| error_code(status, &told.message, purpose),
};

/// Reads an error: `{"code", "message", "details"}`, or a list of errors as manifests have it.
pub fn told(body: &[u8]) -> Option<Told> {
    let body: Value = serde_json::from_slice(body).ok()?;
    one(&body).or_else(|| several(items(&body["errors"])))
}

/// Joins the errors of a list. `None` if there is none, or if one can't be read.
pub fn several(errors: &[Value]) -> Option<Told> {
    let all: Vec<Told> = errors.iter().map(one).collect::<Option<_>>()?;
    let code = all.first()?.code.clone();
    let messages: Vec<String> = all.into_iter().map(|told| told.message).collect();
    Some(Told { code, message: messages.join("; ") })
}

/// An error, whose parts have other names in other places of the specification.
fn one(error: &Value) -> Option<Told> {
    let first = |names: [&str; 3]| names.into_iter().find_map(|name| text(&error[name]));
    let code = first(["code", "errorCode", "Code"])?;
    let mut message = first(["message", "errorMessage", "description"])?;
    let fields: Vec<String> =
        items(&error["fields"]).iter().filter_map(|field| text(&field["fieldName"])).collect();
    if !fields.is_empty() {
        message = format!("{message} ({})", fields.join(", "));
    }
    Some(Told { code, message })
}

/// Translates an error by its words: Royal Mail publishes no list of its codes.
pub fn error_code(status: u16, message: &str, purpose: Purpose) -> ErrorCode {
    let words = message.to_ascii_lowercase();
    let has = |parts: &[&str]| parts.iter().any(|part| words.contains(part));
    match status {
        401 | 403 => ErrorCode::CredentialsInvalid,
        _ if has(&["postcode", "post code"]) => ErrorCode::PostCodeInvalid,
        _ if has(&["customs", "ioss", "eori", "contents", "commodity"]) => ErrorCode::CustomsRequired,
        _ if has(&["weight"]) => ErrorCode::WeightLimit,
        _ if has(&["dimension", "format", "height", "width", "depth"]) => ErrorCode::DimensionsLimit,
        _ if has(&["balance", "payment", "credit"]) => ErrorCode::InsufficientFunds,
        _ if has(&["service", "carrier"]) => ErrorCode::ServiceUnavailable,
        _ if has(&["address", "city", "county", "country", "recipient", "full name"]) => {
            ErrorCode::AddressInvalid
        }
        _ if purpose == Purpose::Rating => ErrorCode::RatesUnavailable,
        _ => ErrorCode::PurchaseDeclined,
    }
}
