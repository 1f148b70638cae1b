//! Requests about items, stock, orders and allocations, in one line each, for the tests of all of them.

use serde_json::{Value, json};

use crate::setup::world::{Reply, World};

/// What to allocate: a location, an item, how many.
pub type AllocationRequest<'a> = (&'a str, &'a str, i64);

/// The words of a list of objects.
pub fn texts(list: &Value, place: &str) -> Vec<String> {
    let items = list.as_array().expect("a list");
    items.iter().map(|item| item.pointer(place).and_then(Value::as_str).expect("a word").to_owned()).collect()
}

/// The lines of an order, as JSON.
pub fn lines(lines: &[(&str, i64)]) -> Value {
    lines.iter().map(|(item, quantity)| json!({"id": item, "quantity": quantity})).collect()
}

/// A request to allocate, with an entry for each item.
pub fn wanted(requests: &[AllocationRequest<'_>]) -> Value {
    let entry = |(location, item, quantity): &AllocationRequest<'_>| json!({"location": {"id": location}, "items": lines(&[(item, *quantity)])});
    json!({"allocations": requests.iter().map(entry).collect::<Vec<_>>()})
}

/// Status and code of a refusal.
pub fn refusal(reply: &Reply) -> (u16, String) {
    (reply.status.as_u16(), reply.code())
}

impl World {
    /// Makes an item and gives its id.
    pub async fn item(&self, sku: &str) -> String {
        let reply = self.post("/inventory_items", json!({"sku": sku, "name": sku})).await;
        assert_eq!(reply.status, 201, "{reply}");
        reply.json()["id"].as_str().expect("an id").to_owned()
    }

    /// Counts what is on hand.
    pub async fn count(&self, item: &str, location: &str, on_hand: i64) {
        let path = format!("/inventory_items/{item}/levels/{location}");
        let reply = self.put(path, json!({"on_hand": on_hand})).await;
        assert_eq!(reply.status, 200, "{reply}");
    }

    /// An item of which so many lie at a new location.
    pub async fn stocked(&self, sku: &str, on_hand: i64) -> (String, String) {
        let (item, location) = (self.item(sku).await, self.location("Depot").await);
        self.count(&item, &location, on_hand).await;
        (item, location)
    }

    /// What is on hand, allocated and available.
    pub async fn level(&self, item: &str, location: &str) -> [i64; 3] {
        let level = self.get(format!("/inventory_items/{item}/levels/{location}")).await.json();
        ["on_hand", "allocated", "available"].map(|name| level[name].as_i64().expect("a level"))
    }

    /// The changes of a level, oldest first: how many, what was on hand then, and why.
    pub async fn history(&self, item: &str, location: &str) -> Vec<(i64, i64, String)> {
        let page =
            self.get(format!("/inventory_items/{item}/levels/{location}/history?limit=100")).await.json();
        let changes = page["data"].as_array().expect("a page").iter().rev();
        let number = |value: &Value| value.as_i64().expect("a number");
        let read = |change: &Value| {
            let reason = change["reason"].as_str().expect("a reason").to_owned();
            (number(&change["delta"]), number(&change["on_hand"]), reason)
        };
        changes.map(read).collect()
    }

    /// Makes a committed order and gives its id.
    pub async fn order(&self, wants: &[(&str, i64)]) -> String {
        let reply = self.post("/orders", json!({"items": lines(wants)})).await;
        assert_eq!(reply.status, 201, "{reply}");
        reply.json()["id"].as_str().expect("an id").to_owned()
    }

    pub async fn status(&self, order: &str) -> String {
        let order = self.get(format!("/orders/{order}")).await.json();
        order["status"].as_str().expect("a status").to_owned()
    }

    /// What the reservation of an order says of each item: wanted and allocated. Empty where there is none.
    pub async fn reserved(&self, order: &str) -> Vec<(i64, i64)> {
        let page = self.get(format!("/reservations?order_id={order}")).await.json();
        let items = page["data"][0]["items"].as_array().cloned().unwrap_or_default();
        let number = |value: &Value| value.as_i64().expect("a number");
        items.iter().map(|item| (number(&item["quantity"]), number(&item["allocated_quantity"]))).collect()
    }

    pub async fn allocate(&self, order: &str, requests: &[AllocationRequest<'_>]) -> Reply {
        self.post(format!("/allocations/orders/{order}"), wanted(requests)).await
    }

    /// Allocates and gives the ids of what was made, in the order of the request.
    pub async fn allocated(&self, order: &str, requests: &[AllocationRequest<'_>]) -> Vec<String> {
        let reply = self.allocate(order, requests).await;
        assert_eq!(reply.status, 201, "{reply}");
        texts(&reply.json()["data"], "/id")
    }

    pub async fn change(&self, order: &str, changes: Value) -> Reply {
        self.patch(format!("/allocations/orders/{order}"), json!({"allocations": changes})).await
    }

    pub async fn complete(&self, order: &str, ids: &[&str]) -> Reply {
        self.change(order, ids.iter().map(|id| json!({"id": id, "completed": true})).collect()).await
    }

    pub async fn assert_clean(&self) {
        let audit = self.get("/inventory/audit").await;
        assert_eq!((audit.status.as_u16(), &audit.json()["is_clean"]), (200, &Value::Bool(true)), "{audit}");
    }

    /// Returns everything in which orders and stock could show a change, including the log.
    pub async fn everything(&self) -> Vec<String> {
        let mut seen = vec![format!("{} events", self.events().await.len())];
        for path in ["/orders", "/reservations", "/allocations", "/inventory_items", "/inventory/audit"] {
            let limit = if path.ends_with("audit") { "" } else { "?limit=100" };
            seen.push(self.get(format!("{path}{limit}")).await.text);
        }
        for item in texts(&self.get("/inventory_items?limit=100").await.json()["data"], "/id") {
            seen.push(self.get(format!("/inventory_items/{item}/levels?limit=100")).await.text);
        }
        seen
    }
}
