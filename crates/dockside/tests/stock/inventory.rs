//! Items, stock and orders for the tests with many clients, and the audit that must find no difference.

use serde_json::{Value, json};
use testkit::client::{Client, Reply};
use testkit::resources::{create, id, send};

/// Makes an item with stock at the location.
pub fn create_item(client: &mut Client, sku: &str, location: &str, on_hand: i64) -> String {
    let item = create(client, "/inventory_items", &json!({ "sku": sku, "name": "Item" }));
    let reply = send(client, "PUT", &level_path(&item, location), &json!({ "on_hand": on_hand }));
    assert_eq!(reply.status, 200, "{reply:?}");
    item
}

/// Makes a committed order for so many of each item.
pub fn create_order(client: &mut Client, items: &[&str], quantity: i64) -> String {
    let lines: Vec<_> = items.iter().map(|item| json!({ "id": item, "quantity": quantity })).collect();
    create(client, "/orders", &json!({ "items": lines }))
}

pub fn level_path(item: &str, location: &str) -> String {
    format!("/inventory_items/{item}/levels/{location}")
}

pub fn allocations_path(order: &str) -> String {
    format!("/allocations/orders/{order}")
}

/// The body of a request to allocate one item.
pub fn allocation_body(location: &str, item: &str, quantity: i64) -> Value {
    json!({ "allocations": [{ "location": { "id": location }, "items": [{ "id": item, "quantity": quantity }] }] })
}

/// The ids of the allocations in a reply.
pub fn allocated(reply: &Reply) -> Vec<String> {
    reply.json()["data"].as_array().expect("a list").iter().map(id).collect()
}

pub fn assert_clean_audit(client: &mut Client) -> Value {
    let audit = client.get("/inventory/audit").json();
    assert_eq!((&audit["is_clean"], &audit["differences"]), (&json!(true), &json!([])), "{audit}");
    audit
}
