//! What becomes of each option of a shipment. Every connector has a table with a row for every option, so that none is
//! ignored in silence: it changes something, is passed on, is refused, or needs nothing, for a reason that is written down.

use model::shipping::shipment::options::Options;
use serde_json::Value;

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
