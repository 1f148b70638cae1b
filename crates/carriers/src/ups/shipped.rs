//! What UPS shows of a purchase: when it was made, when it is looked up, and its labels.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use model::shipping::shipment::{ErrorCode, ErrorType, ShipmentError, Source};
use serde_json::Value;

use super::answer::{Purpose, lost, read, rejected, says, unsent};
use super::json::{items, text};
use super::rate::charged;
use crate::{Answer, FileFormat, Found, Label, Outcome, Receipt};

/// UPS knows no shipment under the number or the reference.
const NOT_FOUND: &[&str] = &["9801031"];
/// UPS has a shipment under the reference, and it was voided.
const VOIDED: &[&str] = &["9801040"];
/// UPS has the shipment, and no label of it yet.
const NOT_YET: &[&str] = &["9801041", "9801042"];

/// Reads the answer to a purchase.
pub fn bought(answer: Answer) -> Outcome {
    let body = match read(answer, Purpose::Buying) {
        Ok(body) => body,
        Err(outcome) => return outcome,
    };
    let results = &body["ShipmentResponse"]["ShipmentResults"];
    let packages = items(&results["PackageResults"]);
    let numbers: Vec<String> =
        packages.iter().filter_map(|package| text(&package["TrackingNumber"])).collect();
    // The number of the shipment is that of its first package.
    let Some(purchase) = text(&results["ShipmentIdentificationNumber"]).or_else(|| numbers.first().cloned())
    else {
        return lost(Purpose::Buying, "UPS took the purchase and shows no number of it.".to_owned());
    };
    let price = charged(results, &results["ShipmentCharges"]["TotalCharges"]);
    let (charged, currency) = price.unwrap_or_default();
    let images = packages.iter().map(|package| label(&package["ShippingLabel"]["GraphicImage"]));
    Outcome::Bought(Receipt {
        purchase,
        tracking_numbers: numbers,
        charged,
        currency,
        // If one is missing, all are asked for again: the service has labels for all packages, or for none.
        labels: images.collect::<Option<_>>().unwrap_or_default(),
    })
}

/// What a look-up by a reference found.
pub enum Looked {
    Found(Vec<Found>),
    /// UPS shows nothing under this reference.
    Nothing,
    Other(Outcome),
}

/// Reads the answer to a look-up by a reference that one package of each purchase has, or that several have.
pub fn looked_up(answer: Answer, is_shared: bool) -> Looked {
    if says(&answer, NOT_FOUND) {
        return Looked::Nothing;
    }
    if says(&answer, VOIDED) {
        return Looked::Other(untraceable("UPS has a voided shipment under this reference."));
    }
    if says(&answer, NOT_YET) {
        return Looked::Other(still("UPS has not processed the shipment yet."));
    }
    let body = match read(answer, Purpose::LookingUp) {
        Ok(body) => body,
        Err(outcome) => return Looked::Other(outcome),
    };
    let recovered = &body["LabelRecoveryResponse"];
    let results = items(&recovered["LabelResults"]);
    let numbers: Vec<String> = results.iter().filter_map(|result| text(&result["TrackingNumber"])).collect();
    let purchase = text(&recovered["ShipmentIdentificationNumber"]).or_else(|| numbers.first().cloned());
    if let Some(purchase) = purchase {
        return Looked::Found(vec![found(purchase, numbers)]);
    }
    let candidates = items(&recovered["TrackingCandidate"]).iter();
    let candidates: Vec<String> =
        candidates.filter_map(|candidate| text(&candidate["TrackingNumber"])).collect();
    match candidates.as_slice() {
        [] => Looked::Other(still("UPS's answer does not say whether the shipment was bought.")),
        [_] => Looked::Found(found_each(candidates)),
        // All packages of a shipment have the reference: whether they are of one purchase is not said.
        several if is_shared => Looked::Other(untraceable(&format!(
            "UPS shows these packages under the reference: {}. Several purchases may be among them.",
            several.join(", ")
        ))),
        _ => Looked::Found(found_each(candidates)),
    }
}

fn found_each(numbers: Vec<String>) -> Vec<Found> {
    numbers.into_iter().map(|number| found(number.clone(), vec![number])).collect()
}

/// A purchase that was found. UPS does not repeat its price; its labels are fetched in the wanted format.
fn found(purchase: String, numbers: Vec<String>) -> Found {
    let tracking_numbers = if numbers.is_empty() { vec![purchase.clone()] } else { numbers };
    let receipt =
        Receipt { purchase, tracking_numbers, charged: 0, currency: String::new(), labels: Vec::new() };
    Found { receipt }
}

/// The outcome of a look-up that found nothing, if that is no answer yet: UPS's error says to wait until the shipment is processed, and
/// not how long.
pub fn not_shown_yet() -> Outcome {
    still("UPS shows no shipment under this reference, which does not prove that there is none.")
}

fn still(message: &str) -> Outcome {
    let code = ErrorCode::OutcomeUnknown;
    unsent(Purpose::LookingUp, code, Source::Carrier, message.to_owned(), None)
}

fn untraceable(message: &str) -> Outcome {
    let code = ErrorCode::OutcomeUnknown;
    let message = format!("{message} Look at the account at UPS.");
    Outcome::Untraceable(ShipmentError::new(ErrorType::Purchase, code, Source::Carrier, message))
}

/// Reads the answer to a request for the labels of a purchase.
pub fn labelled(answer: Answer, receipt: &Receipt) -> Outcome {
    if says(&answer, NOT_YET) {
        return Outcome::Labelled(Vec::new());
    }
    let body = match read(answer, Purpose::Labelling) {
        Ok(body) => body,
        Err(outcome) => return outcome,
    };
    let results = items(&body["LabelRecoveryResponse"]["LabelResults"]);
    let of = |number: &String| {
        let result =
            results.iter().find(|result| text(&result["TrackingNumber"]).as_ref() == Some(number))?;
        label(&result["LabelImage"]["GraphicImage"])
    };
    let labels: Option<Vec<Label>> = receipt.tracking_numbers.iter().map(of).collect();
    match (labels, results) {
        (Some(labels), _) if !labels.is_empty() => Outcome::Labelled(labels),
        // A shipment of one package needs no number to find its label by.
        (_, [only]) if receipt.tracking_numbers.len() <= 1 => {
            Outcome::Labelled(label(&only["LabelImage"]["GraphicImage"]).into_iter().collect())
        }
        (_, []) => Outcome::Labelled(Vec::new()),
        (_, results) => {
            let message = format!(
                "UPS gives {} of {} labels again. Print the others at UPS.",
                results.len(),
                receipt.tracking_numbers.len()
            );
            rejected(Purpose::Labelling, ErrorCode::LabelFormatUnavailable, message)
        }
    }
}

/// Reads a label: base64 of a file whose first bytes say what it is.
fn label(image: &Value) -> Option<Label> {
    let text = text(image)?;
    let text: String = text.chars().filter(|char| !char.is_ascii_whitespace()).collect();
    let bytes = STANDARD.decode(text).ok()?;
    let format = match bytes.as_slice() {
        [b'G', b'I', b'F', b'8', ..] => FileFormat::Gif,
        [0x89, b'P', b'N', b'G', ..] => FileFormat::Png,
        [b'%', b'P', b'D', b'F', ..] => FileFormat::Pdf,
        text if text.windows(3).any(|part| part == b"^XA") => FileFormat::Zpl,
        _ => return None,
    };
    Some(Label::File { format, bytes: Bytes::from(bytes) })
}
