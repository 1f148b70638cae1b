//! Labels: what USPS gives for the money, when it is bought and when it is printed again.

use bytes::Bytes;
use model::platform::money::parse_amount;
use model::shipping::shipment::{ErrorCode, ErrorType, ShipmentError, Source};
use serde_json::Value;

use super::answer::{Purpose, lost, says, success, unreadable, unsent};
use super::multipart::parts;
use super::options::CURRENCY;
use crate::json::{items, text};
use crate::label_file::decode_label;
use crate::{Answer, Found, Label, Outcome, Receipt};

/// No label was made under the key, or its mailing date is more than a week ago.
const NOT_FOUND: &str = "160412";
/// The label under the key was cancelled.
const CANCELLED: &str = "160979";

/// A label: its data, and its image.
struct Made {
    data: Value,
    image: Option<Bytes>,
}

/// Reads the answer to a purchase.
pub fn bought(answer: Answer) -> Outcome {
    let body = match success(answer, Purpose::Buying) {
        Ok(body) => body,
        Err(outcome) => return outcome,
    };
    let Some(made) = made(&body) else { return unreadable(Purpose::Buying) };
    match made.receipt() {
        Some(receipt) => Outcome::Bought(receipt),
        None => lost(Purpose::Buying, "USPS took the purchase and shows no tracking number.".to_owned()),
    }
}

/// What a look-up by a key found.
pub enum Looked {
    Found(Vec<Found>),
    /// USPS made no label under this key.
    Nothing,
    Other(Outcome),
}

/// Reads the answer to a look-up: the label is printed again if there is one.
pub fn looked_up(answer: Answer) -> Looked {
    if says(&answer, NOT_FOUND) {
        return Looked::Nothing;
    }
    if says(&answer, CANCELLED) {
        let message = "USPS has a cancelled label of this shipment. Look at the account at USPS.";
        let code = ErrorCode::OutcomeUnknown;
        let error = ShipmentError::new(ErrorType::Purchase, code, Source::Carrier, message);
        return Looked::Other(Outcome::Untraceable(error));
    }
    let body = match success(answer, Purpose::LookingUp) {
        Ok(body) => body,
        // What can't be printed again may have been bought all the same.
        Err(Outcome::Rejected(error)) if error.code != ErrorCode::CredentialsInvalid => {
            let code = ErrorCode::OutcomeUnknown;
            return Looked::Other(unsent(Purpose::LookingUp, code, Source::Carrier, error.message, None));
        }
        Err(outcome) => return Looked::Other(outcome),
    };
    match made(&body).and_then(|made| made.receipt()) {
        Some(receipt) => Looked::Found(vec![Found { receipt }]),
        None => Looked::Other(unreadable(Purpose::LookingUp)),
    }
}

/// Reads the answer to a request for a label that was made before.
pub fn labelled(answer: Answer) -> Outcome {
    let body = match success(answer, Purpose::Labelling) {
        Ok(body) => body,
        Err(outcome) => return outcome,
    };
    let label = made(&body).and_then(|made| made.label());
    Outcome::Labelled(label.into_iter().collect())
}

/// Reads a label from JSON, or from a body of several parts.
fn made(body: &[u8]) -> Option<Made> {
    if let Ok(value) = serde_json::from_slice::<Value>(body) {
        let data = if value["labelMetadata"].is_object() { &value["labelMetadata"] } else { &value };
        let image = ["labelImage", "returnLabelImage"].into_iter().find_map(|name| text(&value[name]));
        return data.is_object().then(|| Made { data: data.clone(), image: image.map(Bytes::from) });
    }
    let parts = parts(body);
    let named = |name: &str| parts.iter().find(|part| part.name == name);
    let data = serde_json::from_slice(&named("labelMetadata")?.content).ok()?;
    Some(Made { data, image: named("labelImage").map(|part| part.content.clone()) })
}

impl Made {
    fn receipt(&self) -> Option<Receipt> {
        let numbers = ["trackingNumber", "internationalTrackingNumber"];
        let number = numbers.into_iter().find_map(|name| text(&self.data[name]))?;
        let charged = self.charged();
        Some(Receipt {
            purchase: number.clone(),
            tracking_numbers: vec![number],
            charged: charged.unwrap_or_default(),
            currency: charged.map(|_| CURRENCY.to_owned()).unwrap_or_default(),
            labels: self.label().into_iter().collect(),
        })
    }

    /// The postage, and what is paid beside it.
    fn charged(&self) -> Option<i64> {
        let postage = parse_amount(&text(&self.data["postage"])?, CURRENCY)?;
        let beside = items(&self.data["extraServices"]).iter().chain(items(&self.data["fees"]));
        beside
            .filter_map(|item| text(&item["price"]))
            .try_fold(postage, |sum, price| sum.checked_add(parse_amount(&price, CURRENCY)?))
            .filter(|sum| *sum >= 0)
    }

    fn label(&self) -> Option<Label> {
        decode_label(self.image.as_ref()?)
    }
}
