//! JSON as shops write it: ids as numbers or as texts, and fields that may be missing, null or empty.

use serde_json::Value;

use crate::decimal::Decimal;

/// Returns a text that is not empty, or a number as a text.
pub fn text(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}

/// Returns an id. Shops write 0 where there is none.
pub fn id(value: &Value) -> Option<String> {
    text(value).filter(|text| text != "0")
}

/// Returns the items of a list; none if it is no list.
pub fn items(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

/// Returns a decimal, written as a text or as a number. A number with up to 15 digits is read as it was written.
pub fn decimal(value: &Value) -> Option<Decimal> {
    Decimal::parse(&text(value)?)
}

/// Returns a number of pieces.
pub fn quantity(value: &Value) -> Option<i64> {
    decimal(value)?.whole()
}

/// Returns whether a field has the value `true`.
pub fn is_true(value: &Value) -> bool {
    value.as_bool() == Some(true)
}

/// Joins the texts that are there with a space, such as the parts of a name.
pub fn joined(parts: [&Value; 2]) -> Option<String> {
    let parts: Vec<String> = parts.into_iter().filter_map(text).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}
