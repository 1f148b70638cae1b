//! What Royal Mail shows of orders: when they are made, when they are looked up, and their labels.

use model::Day;
use model::shipping::shipment::{ErrorCode, ErrorType, ShipmentError, Source};
use serde_json::Value;

use super::answer::{ROYAL_MAIL, error_code, several};
use super::card::CURRENCY;
use crate::json::{items, text};
use crate::label_file::{decode_label, label_of};
use crate::told::{Purpose, lost, still_unknown};
use crate::{Answer, Found, Label, Outcome, Receipt};

const PDF_BEGINNING: &[u8] = b"%PDF-";
const PDF_END: &[u8] = b"%%EOF";

/// Returns Royal Mail's number of an order as part of a path. `None` if it is no number: anything else would lead elsewhere.
pub fn identifier(purchase: &str) -> Option<&str> {
    let is_number = !purchase.is_empty() && purchase.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some(purchase)
}

/// An order, as far as it is known.
struct Order {
    identifier: String,
    tracking_number: Option<String>,
    label: Option<Label>,
    /// Whether Royal Mail shows that the label was made.
    is_labelled: bool,
}

impl Order {
    /// Reads an order that has our reference.
    fn read(value: &Value, reference: &str) -> Option<Self> {
        let number = value["orderIdentifier"].as_u64()?;
        if text(&value["orderReference"])? != reference {
            return None;
        }
        let package = items(&value["packages"]).first().unwrap_or(&Value::Null);
        let tracking_number = text(&value["trackingNumber"]).or_else(|| text(&package["trackingNumber"]));
        let label = text(&value["label"]).and_then(|label| decode_label(label.as_bytes()));
        let is_dated = ["printedOn", "manifestedOn", "shippedOn"].iter().any(|name| is_moment(&value[*name]));
        let is_labelled = label.is_some() || tracking_number.is_some() || is_dated;
        Some(Self { identifier: number.to_string(), tracking_number, label, is_labelled })
    }

    /// The receipt of the order. Royal Mail does not say what it costs.
    fn receipt(self, charged: Option<i64>) -> Receipt {
        Receipt {
            purchase: self.identifier,
            tracking_numbers: self.tracking_number.into_iter().collect(),
            charged: charged.unwrap_or_default(),
            currency: charged.map(|_| CURRENCY.to_owned()).unwrap_or_default(),
            labels: self.label.into_iter().collect(),
        }
    }
}

/// Returns whether a value begins with a day, as Royal Mail's times do, with and without a zone.
pub fn is_moment(value: &Value) -> bool {
    value.as_str().and_then(|text| text.get(..10)).is_some_and(|day| Day::parse(day).is_some())
}

/// The orders that Royal Mail has under a reference.
enum Known {
    Orders(Vec<Order>),
    /// Royal Mail says that there is none.
    Nothing,
    Other(Outcome),
}

fn known(answer: Answer, reference: &str, purpose: Purpose) -> Known {
    if ROYAL_MAIL.refusal(&answer, 404).is_some() {
        return Known::Nothing;
    }
    let body = match ROYAL_MAIL.read(answer, purpose) {
        Ok(body) => body,
        Err(outcome) => return Known::Other(outcome),
    };
    let Some(list) = body.as_array() else { return Known::Other(ROYAL_MAIL.unreadable(purpose)) };
    if list.is_empty() {
        return Known::Nothing;
    }
    // An order that can't be read, or that has another reference, proves nothing about ours.
    match list.iter().map(|order| Order::read(order, reference)).collect::<Option<Vec<_>>>() {
        Some(orders) => Known::Orders(orders),
        None => Known::Other(ROYAL_MAIL.unreadable(purpose)),
    }
}

/// What is known before a purchase.
pub enum Before {
    /// There is no order.
    Nothing,
    /// An earlier attempt left an order without a label: its number.
    Unlabelled(String),
    /// The purchase ends here, and nothing was sent for it.
    Done(Outcome),
}

/// Reads the answer to the look-up before a purchase.
pub fn before_buying(answer: Answer, reference: &str) -> Before {
    // A failure of a look-up proves that nothing was bought with it.
    match known(answer, reference, Purpose::LookingUp) {
        Known::Nothing => Before::Nothing,
        Known::Other(outcome) => Before::Done(outcome),
        Known::Orders(orders) => match orders.iter().find(|order| !order.is_labelled) {
            Some(order) if orders.iter().all(|order| !order.is_labelled) => {
                Before::Unlabelled(order.identifier.clone())
            }
            _ => Before::Done(found(orders)),
        },
    }
}

/// Reads the answer to a look-up.
pub fn looked_up(answer: Answer, reference: &str) -> Outcome {
    match known(answer, reference, Purpose::LookingUp) {
        Known::Nothing => Outcome::Found(Vec::new()),
        Known::Other(Outcome::Rejected(error)) if error.code != ErrorCode::CredentialsInvalid => {
            still_unknown(error.message)
        }
        Known::Other(outcome) => outcome,
        Known::Orders(orders) if orders.iter().any(|order| order.is_labelled) => found(orders),
        Known::Orders(orders) => {
            let numbers: Vec<_> = orders.iter().map(|order| order.identifier.as_str()).collect();
            still_unknown(format!(
                "Click & Drop has the order {} and shows no label of it. Look at it there.",
                numbers.join(", ")
            ))
        }
    }
}

/// The purchases that were found: those with a label first. Further orders are deleted as duplicates.
fn found(mut orders: Vec<Order>) -> Outcome {
    orders.sort_by_key(|order| !order.is_labelled);
    Outcome::Found(orders.into_iter().map(|order| Found { receipt: order.receipt(None) }).collect())
}

/// Reads the answer to a purchase, which cost `charged` by the rate card.
pub fn bought(answer: Answer, reference: &str, charged: Option<i64>) -> Outcome {
    let body = match ROYAL_MAIL.read(answer, Purpose::Buying) {
        Ok(body) => body,
        Err(outcome) => return outcome,
    };
    if body["deletedOrders"].is_array() {
        let message = "Click & Drop had an order of this shipment without a label. It is looked up again.";
        return lost(Purpose::Buying, message.to_owned());
    }
    match (items(&body["createdOrders"]), items(&body["failedOrders"])) {
        ([created], []) => made(created, reference, charged),
        ([], [failed]) if body["createdOrders"].is_array() => refused(failed),
        _ => ROYAL_MAIL.unreadable(Purpose::Buying),
    }
}

fn made(created: &Value, reference: &str, charged: Option<i64>) -> Outcome {
    let Some(order) = Order::read(created, reference) else { return ROYAL_MAIL.unreadable(Purpose::Buying) };
    if order.is_labelled {
        return Outcome::Bought(order.receipt(charged));
    }
    let Some(told) = several(items(&created["labelErrors"])) else {
        let message = format!("Click & Drop made the order {} and shows no label of it.", order.identifier);
        return lost(Purpose::Buying, message);
    };
    let code = error_code(400, &told.message, Purpose::Buying);
    let message = format!(
        "{} Click & Drop keeps the order {} without a label, which costs nothing; buying again deletes it.",
        told.message, order.identifier
    );
    Outcome::Rejected(ShipmentError::new(ErrorType::Purchase, code, Source::Carrier, message))
}

/// The outcome of an order that was not made, if Royal Mail says why.
fn refused(failed: &Value) -> Outcome {
    let Some(told) = several(items(&failed["errors"])) else {
        return ROYAL_MAIL.unreadable(Purpose::Buying);
    };
    let code = error_code(400, &told.message, Purpose::Buying);
    Outcome::Rejected(ShipmentError::new(ErrorType::Purchase, code, Source::Carrier, told.message))
}

/// Reads the answer to a request for a label: a PDF. One that is cut is no label; it is asked for again.
pub fn labelled(answer: Answer) -> Outcome {
    match ROYAL_MAIL.success(answer, Purpose::Labelling) {
        Ok(body) if is_whole(&body) => Outcome::Labelled(label_of(body).into_iter().collect()),
        Ok(_) => Outcome::Labelled(Vec::new()),
        Err(outcome) => outcome,
    }
}

/// Returns whether bytes have one beginning and the end of a PDF.
fn is_whole(bytes: &[u8]) -> bool {
    let beginnings = bytes.windows(PDF_BEGINNING.len()).filter(|part| *part == PDF_BEGINNING).count();
    bytes.starts_with(PDF_BEGINNING) && beginnings == 1 && bytes.trim_ascii_end().ends_with(PDF_END)
}
