//! Leaves of an order that is shown what the reference model can expect.

use serde_json::{Value, json};

/// Leaves of an order's exceptions and destination what the reference model knows.
pub fn simplify_order(shown: &mut Value) {
    shown["destination"] = shown["destination"]["address"]["post_code"].clone();
    let exceptions = shown["exceptions"].as_array().cloned().unwrap_or_default();
    let simple = |exception: &Value| {
        json!({
            "code": exception["code"], "is_blocking": exception["is_blocking"],
            "shipment_id": exception["shipment_id"], "is_resolved": !exception["resolved_at"].is_null(),
        })
    };
    let mut exceptions: Vec<_> = exceptions.iter().map(simple).collect();
    exceptions.sort_by_key(Value::to_string);
    shown["exceptions"] = exceptions.into();
}
