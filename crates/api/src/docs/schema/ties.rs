//! Dependencies between the fields of an object, as JSON Schema: the rules of shapes (`Kind::Object`) that a schema
//! can express.
//!
//! A rule is a function, so its schema is written here separately, by the shape's name. The Schemathesis check
//! compares the two: it sends requests that the schema allows, which must not be refused, and requests that it
//! forbids, which must be.

use serde_json::{Value, json};

/// Returns the keywords to add to the schema of requests with this shape, if fields of it depend on each other.
pub fn of(name: &str) -> Option<Value> {
    of_purchase(name).or_else(|| of_shipment(name)).or_else(|| of_order(name)).or_else(|| of_fulfilment(name))
}

fn of_purchase(name: &str) -> Option<Value> {
    Some(match name {
        "PurchaseInput" => json!({ "anyOf": [
            { "required": ["rate"], "properties": { "rate": string(), "carrier_account": absent(), "carrier_service": absent() } },
            {
                "required": ["carrier_account", "carrier_service"],
                "properties": { "rate": absent(), "carrier_account": string(), "carrier_service": string() },
            },
        ] }),
        "Resolution" => json!({ "allOf": [
            { "anyOf": [
                { "properties": { "outcome": { "const": "not_bought" } } },
                { "required": ["tracking_numbers"], "properties": { "tracking_numbers": { "type": "array", "minItems": 1 } } },
            ] },
            { "anyOf": [
                { "properties": { "amount": absent(), "currency_code": absent() } },
                { "required": ["amount", "currency_code"], "properties": { "amount": { "type": "integer" }, "currency_code": string() } },
            ] },
        ] }),
        "BatchCarrier" | "BatchCarrierService" | "BatchCarrierAccount" => json!({ "anyOf": [
            { "required": ["id"], "properties": { "id": string() } },
            { "required": ["handle"], "properties": { "handle": string() } },
        ] }),
        _ => return None,
    })
}

fn of_shipment(name: &str) -> Option<Value> {
    Some(match name {
        "Geometry" => json!({ "anyOf": [
            { "properties": { "length": absent(), "width": absent(), "height": absent() } },
            {
                "required": ["length", "width", "height"],
                "properties": { "length": number(), "width": number(), "height": number() },
            },
        ] }),
        "Package" => json!({ "anyOf": [
            { "required": ["predefined_package_code"], "properties": { "predefined_package_code": string() } },
            {
                "required": ["geometry"],
                "properties": {
                    "geometry": { "type": "object", "required": ["mass"], "properties": { "mass": number() } },
                },
            },
        ] }),
        "Customs" => json!({ "anyOf": [
            { "properties": { "restriction_type": { "enum": ["none", null] } } },
            { "required": ["restriction_description"], "properties": { "restriction_description": string() } },
        ] }),
        "ShipmentAddresses" => json!({ "anyOf": [
            { "required": ["origin"], "properties": { "origin": { "type": "object" } } },
            { "required": ["location_configuration_id"], "properties": { "location_configuration_id": string() } },
        ] }),
        _ => return None,
    })
}

fn of_order(name: &str) -> Option<Value> {
    let has_entries = json!({ "type": "array", "minItems": 1 });
    Some(match name {
        "Order" => json!({ "allOf": [
            { "anyOf": [
                { "required": ["items"], "properties": { "items": has_entries } },
                { "required": ["lines"], "properties": { "lines": has_entries } },
            ] },
            { "anyOf": [
                { "required": ["currency_code"], "properties": { "currency_code": string() } },
                { "properties": { "lines": { "items": { "properties": { "unit_price": absent() } } } } },
            ] },
        ] }),
        "OrderLine" => json!({ "anyOf": [
            { "required": ["item_id"], "properties": { "item_id": string(), "is_shippable": { "enum": [true, null] } } },
            { "required": ["sku"], "properties": { "sku": string(), "is_shippable": { "enum": [true, null] } } },
            { "required": ["is_shippable"], "properties": { "is_shippable": { "const": false }, "item_id": absent() } },
        ] }),
        _ => return None,
    })
}

fn of_fulfilment(name: &str) -> Option<Value> {
    Some(match name {
        "InventoryItem" => json!({ "anyOf": [
            {
                "required": ["unit_value", "currency_code"],
                "properties": { "unit_value": { "type": "integer" }, "currency_code": string() },
            },
            { "properties": { "unit_value": absent(), "currency_code": absent() } },
        ] }),
        "ShippingRuleEvaluationInput" => json!({ "anyOf": [
            {
                "required": ["order_id"],
                "properties": { "order_id": string(), "shipment_id": absent(), "shipment": absent() },
            },
            {
                "required": ["shipment_id"],
                "properties": { "order_id": absent(), "shipment_id": string(), "shipment": absent() },
            },
            {
                "required": ["shipment"],
                "properties": { "order_id": absent(), "shipment_id": absent(), "shipment": { "type": "object" } },
            },
        ] }),
        _ => return None,
    })
}

/// The schema of a field with a text.
fn string() -> Value {
    json!({ "type": "string" })
}

fn number() -> Value {
    json!({ "type": "number" })
}

/// The schema of a field that is absent or null.
fn absent() -> Value {
    json!({ "type": "null" })
}
