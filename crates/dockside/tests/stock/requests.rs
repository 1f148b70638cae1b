//! Turns steps into requests about resources that exist, and into HTTP.

use serde_json::{Value, json};

use crate::steps::{ITEMS, LOCATIONS};

/// One allocation asked for.
#[derive(Clone, Copy, Debug)]
pub struct NewRow {
    pub item: usize,
    pub location: usize,
    pub quantity: i64,
}

/// One allocation to be changed.
#[derive(Clone, Copy, Debug)]
pub struct ChangedRow {
    pub allocation: usize,
    pub location: Option<usize>,
    pub line: Option<(usize, i64)>,
    pub completed: Option<bool>,
}

/// A step with the numbers of what it names.
#[derive(Debug)]
pub enum Request {
    CreateOrder { status: &'static str, items: Vec<(usize, i64)> },
    PatchOrder { order: usize, items: Vec<(usize, i64)>, status: Option<&'static str> },
    CommitOrder { order: usize },
    CancelOrder { order: usize },
    DeleteOrder { order: usize },
    Allocate { order: usize, entries: Vec<Vec<NewRow>> },
    Change { order: usize, changes: Vec<ChangedRow> },
    Release { order: usize },
    SetLevel { item: usize, location: usize, on_hand: i64 },
    Adjust { item: usize, location: usize, delta: i64, expected: Option<i64> },
    DeleteItem { item: usize },
}

/// The ids behind the numbers.
#[derive(Default)]
pub struct Names {
    pub items: Vec<String>,
    pub skus: Vec<String>,
    pub locations: Vec<String>,
    pub orders: Vec<String>,
    pub allocations: Vec<String>,
    pub shipments: Vec<String>,
    pub batches: Vec<String>,
    pub waves: Vec<String>,
}

impl Request {
    /// Returns the status of a success.
    pub fn success(&self) -> u16 {
        match self {
            Request::CreateOrder { .. } | Request::Allocate { .. } => 201,
            Request::DeleteOrder { .. } | Request::Release { .. } | Request::DeleteItem { .. } => 204,
            _ => 200,
        }
    }

    /// Method, path and body.
    pub fn http(&self, names: &Names) -> (&'static str, String, Option<Value>) {
        match self {
            Request::CreateOrder { status, items } => {
                let body = json!({ "status": status, "items": names.lines(items) });
                ("POST", "/orders".to_owned(), Some(body))
            }
            Request::PatchOrder { order, items, status } => {
                let mut body = json!({ "items": names.lines(items) });
                if let Some(status) = status {
                    body["status"] = (*status).into();
                }
                ("PATCH", format!("/orders/{}", names.order(*order)), Some(body))
            }
            Request::CommitOrder { order } => {
                ("POST", format!("/orders/{}/commit", names.order(*order)), None)
            }
            Request::CancelOrder { order } => {
                ("POST", format!("/orders/{}/cancel", names.order(*order)), None)
            }
            Request::DeleteOrder { order } => ("DELETE", format!("/orders/{}", names.order(*order)), None),
            Request::Allocate { order, entries } => {
                let entries: Vec<_> = entries.iter().map(|rows| names.entry(rows)).collect();
                ("POST", names.allocations_of(*order), Some(json!({ "allocations": entries })))
            }
            Request::Change { order, changes } => {
                let changes: Vec<_> = changes.iter().map(|row| names.change(row)).collect();
                ("PATCH", names.allocations_of(*order), Some(json!({ "allocations": changes })))
            }
            Request::Release { order } => ("DELETE", names.allocations_of(*order), None),
            Request::SetLevel { item, location, on_hand } => {
                ("PUT", names.level(*item, *location), Some(json!({ "on_hand": on_hand })))
            }
            Request::Adjust { item, location, delta, expected } => {
                let body = json!({ "delta": delta, "reason": "test", "expected_on_hand": expected });
                ("POST", format!("{}/adjust", names.level(*item, *location)), Some(body))
            }
            Request::DeleteItem { item } => {
                ("DELETE", format!("/inventory_items/{}", names.item(*item)), None)
            }
        }
    }
}

impl Names {
    pub fn item(&self, item: usize) -> String {
        known(&self.items[..ITEMS], item, "inv")
    }

    pub fn location(&self, location: usize) -> String {
        known(&self.locations[..LOCATIONS], location, "loc")
    }

    pub fn order(&self, order: usize) -> String {
        known(&self.orders, order, "ord")
    }

    pub fn allocation(&self, allocation: usize) -> String {
        known(&self.allocations, allocation, "alloc")
    }

    pub fn shipment(&self, shipment: usize) -> String {
        known(&self.shipments, shipment, "shp")
    }

    pub fn batch(&self, batch: usize) -> String {
        known(&self.batches, batch, "batch")
    }

    pub fn wave(&self, wave: usize) -> String {
        known(&self.waves, wave, "wave")
    }

    pub fn allocations_of(&self, order: usize) -> String {
        format!("/allocations/orders/{}", self.order(order))
    }

    fn level(&self, item: usize, location: usize) -> String {
        format!("/inventory_items/{}/levels/{}", self.item(item), self.location(location))
    }

    fn line(&self, item: usize, quantity: i64) -> Value {
        json!({ "id": self.item(item), "quantity": quantity })
    }

    pub fn lines(&self, items: &[(usize, i64)]) -> Vec<Value> {
        items.iter().map(|(item, quantity)| self.line(*item, *quantity)).collect()
    }

    fn entry(&self, rows: &[NewRow]) -> Value {
        let items: Vec<_> = rows.iter().map(|row| self.line(row.item, row.quantity)).collect();
        json!({ "location": { "id": self.location(rows[0].location) }, "items": items })
    }

    fn change(&self, row: &ChangedRow) -> Value {
        let mut change = json!({ "id": self.allocation(row.allocation) });
        if let Some(location) = row.location {
            change["location"] = json!({ "id": self.location(location) });
        }
        if let Some((item, quantity)) = row.line {
            change["items"] = json!([self.line(item, quantity)]);
        }
        if let Some(completed) = row.completed {
            change["completed"] = completed.into();
        }
        change
    }
}

/// Returns the id of a number, or an id that no resource has.
fn known(ids: &[String], number: usize, prefix: &str) -> String {
    ids.get(number).cloned().unwrap_or_else(|| format!("{prefix}_01jc0000000000000000000000"))
}
