//! Plays a sequence against the product and the reference model at once, and reports where they diverge.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use model::access::access_token::Secret;
use model::{Owner, World as Mode};
use serde_json::{Value, json};
use testkit::load::body;
use testkit::product::{Product, issue_token};

use crate::reference_model::{Allocation, ReferenceModel};
use crate::requests::{Names, Request};
use crate::steps::{ITEMS, LOCATIONS, Step};

/// A new organisation, so that an audit covers a few sequences only.
pub struct Tenant {
    pub product: Arc<Product>,
    token: String,
    pub locations: Vec<String>,
    keys: AtomicU64,
    /// Requests do not wait for the jobs that they begin.
    is_async: bool,
}

pub struct Reply {
    pub status: u16,
    pub json: Value,
}

/// Where product and reference model diverged, and how.
#[derive(Debug)]
pub struct Divergence {
    /// The steps that were played until then.
    pub steps: usize,
    pub what: String,
}

/// How often each answer was given.
pub type Tally = BTreeMap<String, u64>;

impl Tenant {
    pub async fn new(product: &Arc<Product>) -> Self {
        Self::of(product, Mode::Live).await
    }

    pub async fn of(product: &Arc<Product>, mode: Mode) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name = format!("Tenant {}", NUMBER.fetch_add(1, Ordering::Relaxed));
        let token = issue_token(&product.service, &name, "*", mode).await;
        let (product, keys) = (Arc::clone(product), AtomicU64::new(0));
        let is_async = mode == Mode::Test;
        let mut tenant = Self { product, token, locations: Vec::new(), keys, is_async };
        for _ in 0..LOCATIONS {
            tenant.tick();
            let id = tenant.create("/locations", body("Depot")).await;
            tenant.locations.push(id);
        }
        tenant
    }

    /// Sends a request through everything but the socket. It stores nothing, because millions are sent.
    pub async fn send(&self, method: &str, path: &str, body: Option<Value>, key: Option<u64>) -> Reply {
        let mut request = http::Request::builder()
            .method(method)
            .uri(path)
            .header("authorization", format!("Bearer {}", self.token))
            .header("x-request-id", "test");
        if self.is_async {
            request = request.header("prefer", "respond-async");
        }
        if let Some(key) = key {
            request = request.header("idempotency-key", key.to_string());
        }
        if body.is_some() {
            request = request.header("content-type", "application/json");
        }
        let bytes = body.map_or_else(Bytes::new, |body| Bytes::from(body.to_string()));
        let request = request.body(Full::new(bytes)).expect("a request");
        let (head, body) = self.product.app.handle(request, None).await.into_parts();
        let body = body.collect().await.expect("a body").to_bytes();
        let json = serde_json::from_slice(&body).unwrap_or(Value::Null);
        Reply { status: head.status.as_u16(), json }
    }

    pub async fn get(&self, path: &str) -> Value {
        self.send("GET", path, None, None).await.json
    }

    pub async fn create(&self, path: &str, body: Value) -> String {
        let reply = self.send("POST", path, Some(body), None).await;
        reply.json["id"].as_str().unwrap_or_else(|| panic!("{path}: {}", reply.json)).to_owned()
    }

    pub fn owner(&self) -> Owner {
        Secret::owner_of(&self.token).expect("a sound token")
    }

    pub fn new_key(&self) -> u64 {
        self.keys.fetch_add(1, Ordering::Relaxed)
    }

    /// Lets a moment pass, so that ids sort by age.
    pub fn tick(&self) {
        self.product.clock.advance_millis(1);
    }
}

/// A sequence under way.
pub struct ReplayState<'a> {
    pub tenant: &'a Tenant,
    pub reference: ReferenceModel,
    pub names: Names,
}

/// Plays a sequence from fresh items on, and compares everything at its end.
pub async fn replay(tenant: &Tenant, steps: &[Step], tally: &mut Tally) -> Result<(), Divergence> {
    let mut state = ReplayState::new(tenant).await;
    for (place, step) in steps.iter().enumerate() {
        let answer = state.step(step).await.map_err(|what| Divergence { steps: place + 1, what })?;
        *tally.entry(answer).or_default() += 1;
    }
    state.compare().await.map_err(|what| Divergence { steps: steps.len(), what })
}

impl<'a> ReplayState<'a> {
    pub async fn new(tenant: &'a Tenant) -> Self {
        let mut names = Names { locations: tenant.locations.clone(), ..Names::default() };
        for _ in 0..ITEMS {
            tenant.tick();
            let sku = format!("sku-{}", tenant.new_key());
            let body = json!({ "sku": sku, "name": "Item", "mass": 0.5,
                "dimensions": { "length": 10, "width": 10, "height": 10 } });
            names.items.push(tenant.create("/inventory_items", body).await);
            names.skus.push(sku);
        }
        Self { tenant, reference: ReferenceModel::new(), names }
    }

    /// Plays a step, and returns the answer that both gave.
    pub async fn step(&mut self, step: &Step) -> Result<String, String> {
        let request = Request::fitted(&step.action, &self.reference);
        let (status, code) = self.reference.answer(&request);
        let (method, path, body) = request.http(&self.names);
        let key = step.is_repeated.then(|| self.tenant.new_key());
        let reply = self.tenant.send(method, &path, body.clone(), key).await;
        let told = (reply.status, reply.json["code"].as_str().unwrap_or_default());
        if told != (status, code) {
            return Err(format!(
                "{request:?}: {told:?}, but the reference model says {:?}: {}",
                (status, code),
                reply.json
            ));
        }
        self.note_ids(&request, &reply);
        if key.is_some() {
            let again = self.tenant.send(method, &path, body, key).await;
            if (again.status, &again.json) != (reply.status, &reply.json) {
                return Err(format!("{request:?}: repeated, {} {}", again.status, again.json));
            }
        }
        Ok(format!("{status} {code}"))
    }

    pub fn note_ids(&mut self, request: &Request, reply: &Reply) {
        let id = |resource: &Value| resource["id"].as_str().expect("an id").to_owned();
        match (request, reply.status) {
            (Request::CreateOrder { .. }, 201) => self.names.orders.push(id(&reply.json)),
            (Request::Allocate { .. }, 201) => {
                self.names.allocations.extend(reply.json["data"].as_array().expect("a list").iter().map(id));
            }
            _ => {}
        }
    }

    /// Changes a level or an order without the reference model.
    pub async fn change_unseen(&self, method: &str) {
        let (item, location) = (self.names.item(0), self.names.location(0));
        let (path, body) = match method {
            "PUT" => (format!("/inventory_items/{item}/levels/{location}"), Some(json!({ "on_hand": 6 }))),
            _ => (format!("/orders/{}", self.names.order(0)), None),
        };
        let reply = self.tenant.send(method, &path, body, None).await;
        assert!(reply.status < 300, "{}", reply.json);
    }

    /// Compares everything there is.
    pub async fn compare(&self) -> Result<(), String> {
        for order in 0..self.reference.orders.len() {
            same("order", self.tenant.get(&format!("/orders/{}", self.names.order(order))).await, |known| {
                self.order_shown(order, known)
            })?;
        }
        if !self.names.orders.is_empty() {
            let filter = format!("limit=100&order_id={}", self.names.orders.join(","));
            let reserved = self.tenant.get(&format!("/reservations?{filter}")).await;
            same("reservations", reserved, |_| self.reservations_shown())?;
            let held = self.tenant.get(&format!("/allocations?{filter}")).await;
            same("allocations", held, |_| self.allocations_shown())?;
        }
        for item in 0..ITEMS {
            let path = format!("/inventory_items/{}/levels", self.names.item(item));
            same("levels", self.tenant.get(&path).await, |_| self.levels_shown(item))?;
        }
        let audit = self.tenant.get("/inventory/audit").await;
        if audit["is_clean"] == json!(true) && audit["differences"] == json!([]) {
            return Ok(());
        }
        Err(format!("the audit found {audit}"))
    }

    fn order_shown(&self, number: usize, known: &Value) -> Value {
        let Some(order) = &self.reference.orders[number] else { return json!({ "code": "not_found" }) };
        let line =
            |(item, quantity): &(usize, i64)| json!({ "id": self.names.item(*item), "quantity": quantity });
        let lines: Vec<_> = order.lines.iter().map(line).collect();
        // What these requests never set stays as it was made.
        let mut shown = json!({
            "lines": [], "customer": null, "channel": null, "source": null, "placed_at": null, "ship_by": null,
            "requested_service": null, "currency_code": null, "tags": [], "status_when_matched": null,
            "notes": [],
        });
        self.show_parcels(&order.parcels, &mut shown);
        shown["id"] = known["id"].clone();
        shown["status"] = order.status.name().into();
        shown["items"] = lines.into();
        shown["fulfilment"] = self.fulfilment_shown(number);
        shown
    }

    /// How far the order is, computed from its lines and allocations.
    fn fulfilment_shown(&self, number: usize) -> Value {
        let lines = self.reference.orders[number].iter().flat_map(|order| &order.lines);
        let wanted: i64 = lines.map(|(_, quantity)| quantity).sum();
        let held = || self.reference.allocations.iter().filter(|held| held.is_there && held.order == number);
        let allocated: i64 = held().map(|held| held.quantity).sum();
        let shipped: i64 = held().filter(|held| held.is_completed).map(|held| held.quantity).sum();
        let delivered = self.delivered(number);
        let status = match (allocated, shipped) {
            (0, _) => "unallocated",
            (_, shipped) if shipped == wanted && delivered == wanted => "delivered",
            (_, shipped) if shipped == wanted && delivered > 0 => "partially_delivered",
            (_, shipped) if shipped == wanted => "shipped",
            (_, shipped) if shipped > 0 => "partially_shipped",
            (allocated, _) if allocated == wanted => "allocated",
            _ => "partially_allocated",
        };
        json!({
            "status": status, "allocated_quantity": allocated, "shipped_quantity": shipped,
            "delivered_quantity": delivered, "returned_quantity": 0, "shipment_ids": self.shipment_ids(number),
        })
    }

    fn reservations_shown(&self) -> Value {
        let orders = self.reference.orders.iter().enumerate().rev();
        let reserved = orders.filter_map(|(number, order)| Some((number, order.as_ref()?)));
        let reserved = reserved.filter(|(_, order)| order.status.is_reserved()).map(|(number, order)| {
            let items = order.lines.iter().map(|(item, quantity)| {
                let allocated = self.reference.allocated(number, *item);
                json!({ "id": self.names.item(*item), "quantity": quantity, "allocated_quantity": allocated })
            });
            json!({ "order": { "id": self.names.order(number) }, "items": items.collect::<Vec<_>>() })
        });
        let mut list: Vec<_> = reserved.collect();
        // The API lists the newest commit first. This test does not compare that order.
        list.sort_by_key(|reservation| reservation["order"]["id"].to_string());
        json!({ "data": list })
    }

    fn allocations_shown(&self) -> Value {
        let all = self.reference.allocations.iter().zip(&self.names.allocations);
        let mut list: Vec<_> =
            all.filter(|(held, _)| held.is_there).map(|(held, id)| self.allocation_shown(held, id)).collect();
        list.sort_by_key(|allocation| allocation["id"].to_string());
        json!({ "data": list })
    }

    fn allocation_shown(&self, held: &Allocation, id: &str) -> Value {
        json!({
            "id": id,
            "location": { "id": self.names.location(held.location) },
            "order": { "id": self.names.order(held.order) },
            "items": [{ "id": self.names.item(held.item), "quantity": held.quantity }],
            "shipment_id": held.shipment.map(|shipment| self.names.shipment(shipment)),
            "completed_at": held.is_completed,
        })
    }

    fn levels_shown(&self, item: usize) -> Value {
        if !self.reference.has_item[item] {
            return json!({ "code": "not_found" });
        }
        let levels = self.reference.levels.iter().filter(|(at, _)| at.0 == item);
        let mut list: Vec<_> = levels
            .map(|((_, location), on_hand)| {
                let allocated = self.reference.promised(item, *location);
                json!({
                    "item": { "id": self.names.item(item) },
                    "location": { "id": self.names.location(*location) },
                    "on_hand": on_hand,
                    "allocated": allocated,
                    "available": on_hand - allocated,
                    "bin": null,
                    "reorder_point": null,
                    "low_stock": false,
                })
            })
            .collect();
        list.sort_by_key(|level| level["location"]["id"].to_string());
        json!({ "data": list })
    }
}

/// Compares what the product shows with what the reference model expects, but for moments, cursors and the order of lists.
fn same(what: &str, mut shown: Value, expected: impl FnOnce(&Value) -> Value) -> Result<(), String> {
    let expected = expected(&shown);
    let list = shown.get_mut("data").and_then(Value::as_array_mut).map(std::mem::take);
    if let Some(mut list) = list {
        for entry in &mut list {
            if entry.get("completed_at").is_some() {
                entry["completed_at"] = (!entry["completed_at"].is_null()).into();
            }
            strip(entry, &["created_at", "updated_at"]);
        }
        list.sort_by_key(|entry| match &entry["id"] {
            Value::Null if !entry["order"].is_null() => entry["order"]["id"].to_string(),
            Value::Null => entry["location"]["id"].to_string(),
            id => id.to_string(),
        });
        shown = json!({ "data": list });
    } else if shown["code"].is_string() {
        shown = json!({ "code": shown["code"] });
    } else {
        strip(&mut shown, &["reference", "metadata", "created_at", "updated_at"]);
        crate::parcels::simple_order::simplify_order(&mut shown);
    }
    if shown == expected {
        Ok(())
    } else {
        Err(format!("{what}: {shown}, but the reference model says {expected}"))
    }
}

fn strip(value: &mut Value, fields: &[&str]) {
    if let Some(object) = value.as_object_mut() {
        fields.iter().for_each(|field| drop(object.remove(*field)));
    }
}
