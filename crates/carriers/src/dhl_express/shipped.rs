//! What DHL Express shows of a purchase: when it was made, and when it is looked up.

use model::shipping::shipment::options::LabelFormat;
use model::shipping::shipment::{ErrorCode, ErrorType, ShipmentError, Source};
use serde_json::Value;

use super::answer::{DHL_EXPRESS, PROCESS_FAILURE, told};
use super::rate::charged;
use crate::json::{items, text};
use crate::label_file::decode_label;
use crate::told::{Purpose, lost, still_unknown};
use crate::{Answer, FileFormat, Found, Label, Outcome, Receipt};

/// Reads the answer to a purchase.
pub fn bought(answer: Answer, format: LabelFormat) -> Outcome {
    if let Answer::Response { status: 400..=499, body, .. } = &answer
        && let Some(told) = told(body).filter(|told| told.code == PROCESS_FAILURE)
    {
        return lost(Purpose::Buying, told.message);
    }
    let body = match DHL_EXPRESS.read(answer, Purpose::Buying) {
        Ok(body) => body,
        Err(outcome) => return outcome,
    };
    let Some(purchase) = waybill(&body["shipmentTrackingNumber"]) else {
        return lost(Purpose::Buying, "DHL Express took the purchase and shows no number of it.".to_owned());
    };
    let (charged, currency) = charged(&body["shipmentCharges"]).unwrap_or_default();
    let tracking_numbers = vec![purchase.clone()];
    Outcome::Bought(Receipt { purchase, tracking_numbers, charged, currency, labels: label(&body, format) })
}

/// The number of a shipment: letters and digits.
fn waybill(value: &Value) -> Option<String> {
    text(value).filter(|number| number.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// Returns the file with the labels of all packages. None if there is none, or if there are several: then it is not known which
/// belongs to which package.
fn label(body: &Value, format: LabelFormat) -> Vec<Label> {
    let is_label = |document: &&Value| text(&document["typeCode"]).is_none_or(|kind| kind == "label");
    let wanted = match format {
        LabelFormat::Zpl => FileFormat::Zpl,
        LabelFormat::Pdf | LabelFormat::Png => FileFormat::Pdf,
    };
    let files = items(&body["documents"]).iter().filter(is_label);
    let read = files.map(|document| decode_label(text(&document["content"])?.as_bytes()));
    match read.collect::<Option<Vec<_>>>().unwrap_or_default().as_slice() {
        [Label::File { format, bytes }] if *format == wanted => {
            vec![Label::File { format: *format, bytes: bytes.clone() }]
        }
        _ => Vec::new(),
    }
}

/// Reads the answer to a look-up by our reference.
pub fn looked_up(answer: Answer) -> Outcome {
    if DHL_EXPRESS.refusal(&answer, 404).is_some() {
        return still_unknown(
            "DHL Express shows no shipment under this reference, which does not prove that there is none.",
        );
    }
    let body = match DHL_EXPRESS.read(answer, Purpose::LookingUp) {
        Ok(body) => body,
        // What can't be shown may have been bought all the same.
        Err(Outcome::Rejected(error)) if error.code != ErrorCode::CredentialsInvalid => {
            return still_unknown(error.message);
        }
        Err(outcome) => return outcome,
    };
    let shipments = items(&body["shipments"]);
    let numbers = shipments.iter().map(|shipment| waybill(&shipment["shipmentTrackingNumber"]));
    let Some(mut numbers) = numbers.collect::<Option<Vec<String>>>() else {
        return DHL_EXPRESS.unreadable(Purpose::LookingUp);
    };
    numbers.sort();
    numbers.dedup();
    match numbers.as_slice() {
        [] => still_unknown("DHL Express's answer does not say whether the shipment was bought."),
        [purchase] => Outcome::Found(vec![found(purchase)]),
        // DHL takes none of them back, so a person decides which one is used.
        several => {
            let message = format!(
                "DHL Express has several shipments of this reference: {}. Use one label; DHL bills what it scans.",
                several.join(", ")
            );
            let code = ErrorCode::OutcomeUnknown;
            Outcome::Untraceable(ShipmentError::new(ErrorType::Purchase, code, Source::Carrier, message))
        }
    }
}

/// A purchase that was found. DHL repeats neither its price nor its label.
fn found(purchase: &str) -> Found {
    let (purchase, tracking_numbers) = (purchase.to_owned(), vec![purchase.to_owned()]);
    let receipt =
        Receipt { purchase, tracking_numbers, charged: 0, currency: String::new(), labels: Vec::new() };
    Found { receipt }
}
