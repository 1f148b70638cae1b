//! JSON as EasyPost reads it.

use serde_json::Value;

/// Removes fields that are null: EasyPost takes a null for a value.
pub fn without_nulls(mut value: Value) -> Value {
    if let Value::Object(fields) = &mut value {
        fields.retain(|_, value| !value.is_null());
    }
    value
}
