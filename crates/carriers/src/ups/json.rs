//! JSON as UPS writes and reads it.

use serde_json::{Map, Value};

/// Removes fields that are null or empty: UPS takes a null for a value.
pub fn without_nulls(mut value: Value) -> Value {
    if let Value::Object(fields) = &mut value {
        fields.retain(|_, value| !value.is_null());
    }
    value
}

/// Inserts a field unless its value is absent.
pub fn put(fields: &mut Map<String, Value>, name: &str, value: Option<Value>) {
    if let Some(value) = value {
        fields.insert(name.to_owned(), value);
    }
}

/// The items of a list. UPS writes a list of one item as the item itself.
pub fn items(value: &Value) -> &[Value] {
    match value {
        Value::Array(items) => items,
        Value::Null => &[],
        item => std::slice::from_ref(item),
    }
}

/// A text that is not empty, without the control characters that UPS's test system adds.
pub fn text(value: &Value) -> Option<String> {
    let text = match value {
        Value::String(text) => text.replace("&#xD;", "").trim().to_owned(),
        Value::Number(number) => number.to_string(),
        _ => return None,
    };
    (!text.is_empty()).then_some(text)
}
