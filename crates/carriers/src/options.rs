//! What becomes of each option of a shipment. Every connector has a table with a row for every option, so that none is
//! ignored in silence: it changes something, is passed on, is refused, or needs nothing, for a reason that is written down.

use model::shipping::shipment::options::Options;
use model::shipping::shipment::{ErrorCode, ErrorType, ShipmentError, ShipmentInput, Source};
use serde_json::Value;

use crate::{Outcome, Task};

/// How a carrier treats an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treatment {
    /// It changes the price, the label, the papers or the route.
    Effect(&'static str),
    /// The carrier is told, under a name of its own.
    Passed(&'static str),
    /// The carrier can't: a shipment that asks for it is neither rated nor bought, and this is why.
    Refused(&'static str),
    /// Nothing is to be done, because of this.
    Informational(&'static str),
}

/// A row for each option, by its path below `options`.
pub type Table = &'static [(&'static str, Treatment)];

/// Values that ask for nothing beyond what every carrier does.
const ORDINARY: [(&str, &str); 4] = [
    ("shipping.dropoff_type", "regular_pickup"),
    ("shipping.invalid_address_handling", "forward_or_return"),
    ("shipping.non_delivery", "return"),
    ("shipping.signature_type", "none"),
];

impl Treatment {
    /// The word for it in the published table.
    pub fn word(self) -> &'static str {
        match self {
            Treatment::Effect(_) => "effect",
            Treatment::Passed(_) => "passed on",
            Treatment::Refused(_) => "refused",
            Treatment::Informational(_) => "no change",
        }
    }

    /// What happens, or why nothing does.
    pub fn reason(self) -> &'static str {
        match self {
            Treatment::Effect(text)
            | Treatment::Passed(text)
            | Treatment::Refused(text)
            | Treatment::Informational(text) => text,
        }
    }
}

/// Returns the options that a shipment asks for, as paths with their values. What is false, empty, zero or ordinary is not
/// asked for.
pub fn asked(options: &Options) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    // Options are texts, numbers and lists, which can always be written.
    collect("", serde_json::to_value(options).unwrap_or_default(), &mut found);
    if !found.iter().any(|(path, _)| path == "insurance.value") {
        found.retain(|(path, _)| path != "insurance.currency_code");
    }
    found
}

fn collect(path: &str, value: Value, found: &mut Vec<(String, Value)>) {
    let is_nothing = match &value {
        Value::Null | Value::Bool(false) => true,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.trim().is_empty() || ORDINARY.contains(&(path, text.as_str())),
        Value::Array(items) => items.is_empty(),
        Value::Object(_) | Value::Bool(true) => false,
    };
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let path = if path.is_empty() { name } else { format!("{path}.{name}") };
                collect(&path, value, found);
            }
        }
        value if !is_nothing => found.push((path.to_owned(), value)),
        _ => {}
    }
}

/// Returns the refusal of a task whose shipment asks for what the carrier can't do.
///
/// `more` refuses single values, or combinations, that the table can't tell: it gives the option and the reason.
pub fn refusal(
    carrier: &str,
    table: Table,
    task: &Task<'_>,
    more: impl Fn(&ShipmentInput) -> Option<(&'static str, String)>,
) -> Option<Outcome> {
    let (parcel, r#type) = match task {
        Task::Rate(parcel) | Task::Prepare(parcel) => (parcel, ErrorType::Rate),
        Task::Buy { parcel, .. } => (parcel, ErrorType::Validation),
        _ => return None,
    };
    let details = parcel.details();
    let (option, reason) = refused_by_table(table, details)
        .or_else(|| more(details).map(|(option, reason)| (option.to_owned(), reason)))?;
    let message = format!("{carrier} does not take `options.{option}`: {reason}");
    let error = ShipmentError::new(r#type, ErrorCode::OptionUnavailable, Source::Carrier, message);
    Some(Outcome::Rejected(error))
}

fn refused_by_table(table: Table, details: &ShipmentInput) -> Option<(String, String)> {
    let asked = asked(details.options.as_ref()?);
    asked.into_iter().find_map(|(path, _)| match table.iter().find(|(option, _)| *option == path) {
        Some((_, Treatment::Refused(reason))) => Some((path, (*reason).to_owned())),
        _ => None,
    })
}

/// Writes the published table: an option in each row, a carrier in each column.
pub fn published(carriers: &[(&str, Table)]) -> String {
    let mut text = String::from("| Option |");
    for (name, _) in carriers {
        text.push_str(&format!(" {name} |"));
    }
    text.push_str("\n|---|");
    text.push_str(&"---|".repeat(carriers.len()));
    text.push('\n');
    let options = carriers.first().map(|(_, table)| *table).unwrap_or_default();
    for (option, _) in options {
        text.push_str(&format!("| `{option}` |"));
        for (_, table) in carriers {
            let treatment = table.iter().find(|(name, _)| name == option).map(|(_, treatment)| *treatment);
            let cell = treatment.map(|treatment| format!("**{}**: {}", treatment.word(), treatment.reason()));
            text.push_str(&format!(" {} |", cell.unwrap_or_default()));
        }
        text.push('\n');
    }
    text
}

#[cfg(test)]
pub mod tests;
