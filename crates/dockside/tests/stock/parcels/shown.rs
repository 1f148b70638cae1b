//! How orders and shipments are shown, as the reference model expects it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::packing_replay::ensure_same;
use super::shipment::{OrderParcels, Shipment, Units};
use crate::replay::ReplayState;

impl ReplayState<'_> {
    /// Adds what an order shows of its hold, its exceptions and its destination.
    pub fn show_parcels(&self, parcels: &OrderParcels, shown: &mut Value) {
        shown["hold"] =
            if parcels.is_held { json!({ "reason": "test", "until": null }) } else { Value::Null };
        shown["destination"] = parcels.destination.map(|destination| destination.post_code()).into();
        let mut exceptions: Vec<_> = parcels.exceptions.iter().map(|exception| json!({
            "code": exception.code, "is_blocking": exception.is_blocking(),
            "shipment_id": self.names.shipment(exception.shipment), "is_resolved": exception.is_resolved,
        })).collect();
        exceptions.sort_by_key(Value::to_string);
        shown["exceptions"] = exceptions.into();
    }

    /// The pieces of an order that were delivered.
    pub fn delivered(&self, order: usize) -> i64 {
        let held = self.reference.allocations.iter().filter(|held| held.is_there && held.order == order);
        let is_delivered = |shipment: usize| self.reference.shipments[shipment].is_delivered;
        held.filter(|held| held.is_completed && held.shipment.is_some_and(is_delivered))
            .map(|held| held.quantity)
            .sum()
    }

    pub fn shipment_ids(&self, order: usize) -> Vec<String> {
        self.reference.shipments_of(order).map(|shipment| self.names.shipment(shipment)).collect()
    }

    /// Compares all shipments, and what they hold with what is allocated to them.
    pub async fn compare_shipments(&self) -> Result<(), String> {
        if self.names.shipments.is_empty() {
            return Ok(());
        }
        let filter = format!("limit=100&order_id={}", self.names.orders.join(","));
        let allocations = self.tenant.get(&format!("/allocations?{filter}")).await;
        for (number, shipment) in self.reference.shipments.iter().enumerate() {
            let id = self.names.shipment(number);
            let shown = self.tenant.get(&format!("/shipments/{id}")).await;
            let (simple, expected) = (simple_shipment(&shown), self.shipment_shown(shipment));
            if simple != expected {
                return Err(format!(
                    "shipment {id}: {simple}, but the reference model says {expected}: {shown}"
                ));
            }
            ensure_packed_is_allocated(&id, &shown, &allocations)?;
            self.compare_scans(&id, shipment).await?;
        }
        Ok(())
    }

    /// Compares all batches and their members.
    pub async fn compare_batches(&self) -> Result<(), String> {
        for (number, batch) in self.reference.batches.iter().enumerate() {
            let shown = self.tenant.get(&format!("/batches/{}", self.names.batch(number))).await;
            let members = shown["shipments"].as_array().into_iter().flatten();
            let mut members: Vec<_> = members.map(|member| member["id"].clone()).collect();
            members.sort_by_key(Value::to_string);
            let all = self.reference.shipments.iter().enumerate();
            let inside = all.filter(|(_, member)| member.is_there && member.batch == Some(number));
            let mut expected: Vec<_> = inside.map(|(number, _)| json!(self.names.shipment(number))).collect();
            expected.sort_by_key(Value::to_string);
            let simple = json!({ "status": shown["status"], "shipments": members });
            let expected = json!({ "status": batch.status.name(), "shipments": expected });
            ensure_same("the batch", &simple, &expected, &shown)?;
        }
        Ok(())
    }

    fn shipment_shown(&self, shipment: &Shipment) -> Value {
        if !shipment.is_there {
            return json!({ "code": "not_found" });
        }
        let units = |units: &Units| -> BTreeMap<String, i64> {
            units.iter().map(|(item, quantity)| (self.names.item(*item), *quantity)).collect()
        };
        let on = if shipment.is_completing_on_hand_over { "hand_over" } else { "purchase" };
        json!({
            "status": shipment.status.name(),
            "order_id": shipment.order.map(|order| self.names.order(order)),
            "packages": shipment.packages.iter().map(units).collect::<Vec<_>>(),
            "is_packed": shipment.is_packed,
            "destination": shipment.destination.post_code(),
            "complete_allocations_on": shipment.order.map(|_| on),
            "is_handed_over": shipment.is_handed_over,
            "errors": Vec::from_iter(shipment.error),
        })
    }
}

/// Leaves of a shipment what the reference model knows.
fn simple_shipment(shown: &Value) -> Value {
    if shown["code"].is_string() {
        return json!({ "code": shown["code"] });
    }
    let errors = shown["errors"].as_array().into_iter().flatten();
    let errors: Vec<_> =
        errors.filter(|error| error["type"] == "purchase_error").map(|error| &error["code"]).collect();
    json!({
        "status": shown["status"],
        "order_id": shown["order_id"],
        "packages": packages(shown).map(contents).collect::<Vec<_>>(),
        "is_packed": !shown["packed_at"].is_null(),
        "destination": shown["addresses"]["destination"]["address"]["post_code"],
        "complete_allocations_on": shown["complete_allocations_on"],
        "is_handed_over": !shown["handed_over_at"].is_null(),
        "errors": errors,
    })
}

fn packages(shown: &Value) -> impl Iterator<Item = &Value> {
    shown["packages"].as_array().into_iter().flatten()
}

/// The units of each item in a package.
fn contents(package: &Value) -> BTreeMap<String, i64> {
    sums(package["items"].as_array().into_iter().flatten())
}

fn sums<'a>(lines: impl Iterator<Item = &'a Value>) -> BTreeMap<String, i64> {
    let mut sums = BTreeMap::new();
    for line in lines {
        let item = line["id"].as_str().unwrap_or_default().to_owned();
        *sums.entry(item).or_default() += line["quantity"].as_i64().unwrap_or_default();
    }
    sums
}

/// Checks what must hold whatever the reference model says: a live shipment of an order holds exactly the units that are
/// allocated to it, and no other shipment holds any. An allocation names one shipment, so no unit is in two.
fn ensure_packed_is_allocated(id: &str, shown: &Value, allocations: &Value) -> Result<(), String> {
    let list = allocations["data"].as_array().ok_or("no list of allocations")?;
    let inside = list.iter().filter(|allocation| allocation["shipment_id"] == id);
    let allocated = sums(inside.flat_map(|allocation| allocation["items"].as_array().into_iter().flatten()));
    let is_live = shown["order_id"].is_string() && shown["status"] != "voided";
    let inside = packages(shown).flat_map(|package| package["items"].as_array().into_iter().flatten());
    let packed = if is_live { sums(inside) } else { BTreeMap::new() };
    if packed == allocated {
        return Ok(());
    }
    Err(format!("shipment {id} holds {packed:?}, but {allocated:?} is allocated to it: {shown}"))
}
