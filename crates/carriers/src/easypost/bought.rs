//! Whether an EasyPost shipment is bought, for how much, and the outcomes if that is unknown.

use model::shipping::shipment::options::LabelFormat;
use model::shipping::shipment::{ErrorCode, ErrorType, ShipmentError, Source};
use serde::Deserialize;
use serde_json::Value;

use super::answer::{Purpose, Shipment, lost, parsed, parsed_all};
use super::rate::Rate;
use crate::{Found, Outcome, Receipt};

/// Characters of a tracking number that are kept. No carrier's has more than forty; labels and documents show it.
const NUMBER_CHARS_MAX: usize = 255;
/// EasyPost bills in dollars, whatever the currency of the rate.
const FEE_CURRENCY: &str = "USD";
/// Digits after the point that fees may have, and how many of their smallest units are a cent.
const FEE_DECIMALS: usize = 6;
const UNITS_PER_CENT: i64 = 10_000;

#[derive(Deserialize)]
struct Fee {
    r#type: String,
    amount: String,
    #[serde(default)]
    charged: bool,
}

impl Shipment {
    /// Returns whether the shipment is bought: it is once it has a rate or a label, even if other fields are missing.
    /// Returns `None` if the answer does not say.
    pub fn is_bought(&self) -> Option<bool> {
        let is_set = |field: &Option<Value>| field.as_ref().map(|value| !value.is_null());
        match (is_set(&self.selected_rate), is_set(&self.postage_label)) {
            (Some(true), _) | (_, Some(true)) => Some(true),
            (Some(false), Some(false)) if self.tracking_code.is_null() => Some(false),
            _ => None,
        }
    }

    /// Returns the receipt of a shipment that is bought, with its label in the wanted format if there is one. A missing
    /// tracking number or price is left out, because the shipment is paid for without them, too.
    pub fn receipt(&self, wanted: Option<LabelFormat>) -> Option<Receipt> {
        if self.is_bought() != Some(true) {
            return None;
        }
        let number = self.tracking_code.as_str().filter(|number| !number.is_empty());
        let number = number.map(|number| number.chars().take(NUMBER_CHARS_MAX).collect());
        let (charged, currency) = self.charged().unwrap_or_default();
        Some(Receipt {
            purchase: self.id.clone(),
            tracking_numbers: number.into_iter().collect(),
            charged,
            currency,
            labels: self.label(wanted).into_iter().collect(),
        })
    }

    /// Returns the amount that was charged: the fees, not the quote. A carrier that bills the customer itself charges its
    /// quote.
    fn charged(&self) -> Option<(i64, String)> {
        let fees: Vec<Fee> = parsed_all(&self.fees);
        let postage = fees.iter().filter(|fee| fee.charged && fee.r#type == "PostageFee");
        // Fractions of a cent are added up first, and rounded once.
        let units =
            postage.map(|fee| fee_units(&fee.amount)).try_fold(0_i64, |sum, fee| sum.checked_add(fee?));
        let cents = units.map(|units| (units + UNITS_PER_CENT / 2) / UNITS_PER_CENT);
        if let Some(cents) = cents.filter(|cents| *cents > 0) {
            return Some((cents, FEE_CURRENCY.to_owned()));
        }
        let rate: Rate = parsed(self.selected_rate.as_ref()?)?;
        Some((rate.amount()?, rate.currency))
    }
}

/// An amount of dollars in the smallest unit that fees have.
fn fee_units(text: &str) -> Option<i64> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || fraction.len() > FEE_DECIMALS || !is_number(whole) || !is_number(fraction) {
        return None;
    }
    let units: i64 = format!("{whole}{fraction:0<FEE_DECIMALS$}").parse().ok()?;
    // Far above any postage, and low enough that the sum can't overflow.
    (units < i64::MAX / 1000).then_some(units)
}

/// The outcome of a look-up by the name that EasyPost gave the shipment.
pub fn found_by_name(shipment: &Shipment, name: &str) -> Outcome {
    match shipment.is_bought().filter(|_| shipment.id == name) {
        Some(_) => {
            let found = shipment.receipt(None).map(|receipt| Found { receipt });
            Outcome::Found(found.into_iter().collect())
        }
        None => not_understood(),
    }
}

/// The outcome of a look-up by our reference. EasyPost does not keep references unique: if the shipment that it shows is not
/// bought, or was refunded, another one with the same reference may be bought. So only a purchase that was not refunded is
/// an answer.
pub fn found_by_reference(shipment: &Shipment, reference: &str) -> Outcome {
    let is_ours = shipment.reference.as_deref() == Some(reference) && shipment.refund_status.is_none();
    match shipment.receipt(None).filter(|_| is_ours) {
        Some(receipt) => Outcome::Found(vec![Found { receipt }]),
        None => unnamed(),
    }
}

/// The outcome of an answer that does not say whether the shipment is bought. It is not proof that it isn't.
pub fn not_understood() -> Outcome {
    lost(Purpose::Other, "EasyPost's answer does not say whether the shipment is bought.".to_owned())
}

/// The outcome if the shipment may be bought under a name at EasyPost that we don't know.
pub fn unnamed() -> Outcome {
    untraceable("Which name the shipment has at EasyPost is not known: search for its reference there.")
}

/// The outcome if EasyPost says that it sold the postage, and shows no purchase.
pub fn unseen() -> Outcome {
    untraceable("EasyPost says that the shipment was bought before, and shows no purchase.")
}

fn untraceable(message: &str) -> Outcome {
    let code = ErrorCode::OutcomeUnknown;
    Outcome::Untraceable(ShipmentError::new(ErrorType::Purchase, code, Source::Provider, message))
}

/// The outcome of the look-up after EasyPost refused to buy because the shipment was bought before. Until EasyPost shows the
/// purchase, the outcome is unknown.
pub fn seen_after_refusal(looked: Result<Shipment, Outcome>, format: LabelFormat) -> Outcome {
    match looked {
        Ok(shipment) => shipment.receipt(Some(format)).map_or_else(unseen, Outcome::Bought),
        Err(Outcome::Rejected(error) | Outcome::Unknown(error) | Outcome::Unsent { why: error, .. }) => {
            Outcome::Unknown(error)
        }
        Err(outcome) => outcome,
    }
}
