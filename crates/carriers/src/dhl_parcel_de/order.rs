//! Orders: what DHL makes for the money. An order has a shipment for each package, and DHL answers for each of them: some may be made
//! while others are not.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde_json::Value;

use super::answer::{Purpose, code, lost, read, refused, sentences, unreadable, untraceable};
use super::json::{items, text};
use crate::{Account, Answer, FileFormat, Label, Outcome, Receipt};

/// Between the numbers of a purchase of several packages. DHL's numbers are letters and digits.
pub const SEPARATOR: char = ',';
/// The status of an answer in which each shipment has its own.
const MULTI_STATUS: u16 = 207;

/// What a purchase costs: DHL's answers have no price.
pub struct Cost {
    pub charged: i64,
    pub currency: String,
}

/// What DHL says of one shipment.
enum Made {
    Yes {
        number: String,
        label: Option<Label>,
    },
    No(String),
    /// It may have been made.
    Unclear(String),
}

/// Reads the answer to a purchase of so many packages.
pub fn bought(answer: Answer, count: usize, cost: Cost, account: &Account) -> Outcome {
    let (status, body) = match read(answer, Purpose::Buying, account) {
        Ok(read) => read,
        Err(outcome) => return outcome,
    };
    let listed = items(&body["items"]);
    if listed.len() != count {
        return unreadable(Purpose::Buying);
    }
    let (mut numbers, mut labels, mut refusals, mut doubts) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for item in listed {
        match made(item, status) {
            Made::Yes { number, label } => {
                numbers.push(number);
                labels.push(label);
            }
            Made::No(why) => refusals.push(why),
            Made::Unclear(why) => doubts.push(why),
        }
    }
    let unique: BTreeSet<&String> = numbers.iter().collect();
    if unique.len() == count {
        return Outcome::Bought(Receipt {
            purchase: numbers.join(&SEPARATOR.to_string()),
            tracking_numbers: numbers,
            charged: cost.charged,
            currency: cost.currency,
            // If one is missing, all are asked for again: the service has labels for all packages, or for none.
            labels: labels.into_iter().collect::<Option<_>>().unwrap_or_default(),
        });
    }
    if refusals.len() == count {
        return refused(Purpose::Buying, refusals.join("; "));
    }
    let why: Vec<String> = refusals.into_iter().chain(doubts).collect();
    if numbers.is_empty() {
        return lost(
            Purpose::Buying,
            format!("DHL does not say whether it made the label. {}", why.join("; ")),
        );
    }
    untraceable(format!(
        "DHL made a part of the labels: {}. It did not make the others: {}. Delete these labels at DHL, and say that it was not \
         bought; or make the others there.",
        numbers.join(", "),
        why.join("; ")
    ))
}

/// Reads what DHL says of one shipment. It is made if DHL says so and shows its number, and only an answer in which each shipment has its
/// own status says that it is not.
fn made(item: &Value, status: u16) -> Made {
    let said = code(&item["sstatus"]);
    match (said, text(&item["shipmentNo"])) {
        (Some(200), Some(number)) if is_number(&number) => Made::Yes { number, label: label(&item["label"]) },
        (Some(400..=499), None) if status == MULTI_STATUS => Made::No(sentences(item).join("; ")),
        (_, number) => {
            let words = sentences(item).join("; ");
            Made::Unclear(format!("{words} {}", number.unwrap_or_default()).trim().to_owned())
        }
    }
}

/// Whether a text may be a number of DHL's, which are parts of paths and lists.
pub fn is_number(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Returns the numbers of a purchase.
pub fn numbers(purchase: &str) -> Vec<&str> {
    purchase.split(SEPARATOR).filter(|number| !number.is_empty()).collect()
}

/// Reads a label: base64 of a PDF, or ZPL as a text.
pub fn label(document: &Value) -> Option<Label> {
    let zpl = text(&document["zpl2"]).filter(|text| text.contains("^XA"));
    if let Some(zpl) = zpl {
        return Some(Label::File { format: FileFormat::Zpl, bytes: Bytes::from(zpl) });
    }
    let encoded = text(&document["b64"]).or_else(|| text(&document["zpl2"]))?;
    let encoded: String = encoded.chars().filter(|char| !char.is_ascii_whitespace()).collect();
    image(STANDARD.decode(encoded).ok()?)
}

/// A file by its first bytes.
fn image(bytes: Vec<u8>) -> Option<Label> {
    let format = match bytes.as_slice() {
        [b'%', b'P', b'D', b'F', ..] => FileFormat::Pdf,
        [0x89, b'P', b'N', b'G', ..] => FileFormat::Png,
        text if text.windows(3).any(|part| part == b"^XA") => FileFormat::Zpl,
        _ => return None,
    };
    Some(Label::File { format, bytes: Bytes::from(bytes) })
}

/// Reads the answer to a request for the labels of a purchase.
pub fn labelled(answer: Answer, receipt: &Receipt, account: &Account) -> Outcome {
    let (_, body) = match read(answer, Purpose::Labelling, account) {
        Ok(read) => read,
        Err(outcome) => return outcome,
    };
    let listed = items(&body["items"]);
    let refusals: Vec<String> = listed
        .iter()
        .filter(|item| code(&item["sstatus"]).is_some_and(|code| code != 200))
        .flat_map(sentences)
        .collect();
    if !refusals.is_empty() {
        return refused(
            Purpose::Labelling,
            format!(
                "DHL gives no label: {} Labels that are closed out are at DHL's portal.",
                refusals.join("; ")
            ),
        );
    }
    let numbers = numbers(&receipt.purchase);
    if listed.len() != numbers.len() {
        return unreadable(Purpose::Labelling);
    }
    let of = |(place, number): (usize, &&str)| {
        let by_number = listed.iter().find(|item| text(&item["shipmentNo"]).as_deref() == Some(*number));
        label(&by_number.or_else(|| listed.get(place))?["label"])
    };
    let labels: Option<Vec<Label>> = numbers.iter().enumerate().map(of).collect();
    Outcome::Labelled(labels.unwrap_or_default())
}

/// What a dry run says of each shipment: nothing if DHL would make it, or why not.
pub fn checked(
    answer: Answer,
    count: usize,
    purpose: Purpose,
    must_encode: bool,
    account: &Account,
) -> Result<Vec<Option<String>>, Outcome> {
    // A single shipment that is refused has the status of a refusal, with the same body.
    if let Answer::Response { status: 400, body, .. } = &answer
        && let Ok(body) = serde_json::from_slice::<Value>(body)
        && let Some(checks) = checks(&body, count, must_encode)
    {
        return Ok(checks);
    }
    let (_, body) = read(answer, purpose, account)?;
    checks(&body, count, must_encode).ok_or_else(|| unreadable(purpose))
}

fn checks(body: &Value, count: usize, must_encode: bool) -> Option<Vec<Option<String>>> {
    let listed = items(&body["items"]);
    if listed.len() != count || count == 0 {
        return None;
    }
    listed
        .iter()
        .map(|item| match code(&item["sstatus"])? {
            200 => Some(None),
            400..=499 if is_warned(item) && !must_encode => Some(None),
            400..=499 => Some(Some(sentences(item).join("; "))),
            _ => None,
        })
        .collect()
}

/// Whether all that DHL has to say are warnings, with which it makes the label all the same.
fn is_warned(item: &Value) -> bool {
    let messages = items(&item["validationMessages"]);
    let is_warning = |message: &Value| {
        text(&message["validationState"]).is_some_and(|state| state.eq_ignore_ascii_case("warning"))
    };
    !messages.is_empty() && messages.iter().all(is_warning)
}
