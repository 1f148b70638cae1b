//! Works on waves, and follows with the reference model what the product did.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::packing_replay::ensure_same;
use super::replay::{ParcelReplay, id, planned_rows};
use super::wave::{RowResult, Wave, WaveStatus, WaveStep};
use crate::replay::ReplayState;

/// What the product shows after the work on a wave.
struct SeenWave {
    wave: Value,
    rows: Vec<Value>,
    /// All allocations of the sequence's orders, oldest first.
    allocations: Vec<Value>,
}

impl ParcelReplay<'_> {
    /// Has the job work on all waves, to their ends.
    pub async fn work_waves(&mut self) -> Result<(), String> {
        self.state.tenant.product.service.waves.work().await.map_err(|error| error.to_string())?;
        let mut last = None;
        for wave in 0..self.state.reference.waves.len() {
            let status = self.state.reference.waves[wave].status;
            if self.state.reference.waves[wave].is_ended() {
                continue;
            }
            let seen = self.state.seen_wave(wave).await?;
            if status == WaveStatus::Cancelling {
                self.state.reference.end_cancelled(wave);
            } else {
                self.state.follow_wave(wave, &seen).await?;
            }
            self.state.compare_wave(wave, &seen.wave)?;
            self.state.compare_rows(wave, &seen.rows)?;
            last = Some(seen);
        }
        let mut shown = last.into_iter().flat_map(|seen: SeenWave| seen.allocations);
        match shown.find(|held| !self.state.names.allocations.contains(&id(held))) {
            Some(held) => Err(format!("no wave is to make the allocation {held}")),
            None => Ok(()),
        }
    }
}

impl ReplayState<'_> {
    async fn seen_wave(&self, wave: usize) -> Result<SeenWave, String> {
        let path = format!("/waves/{}", self.names.wave(wave));
        let (wave, rows) =
            (self.tenant.get(&path).await, self.tenant.get(&format!("{path}/orders?limit=100")).await);
        let filter = format!("limit=100&order_id={}", self.names.orders.join(","));
        let shown = self.tenant.get(&format!("/allocations?{filter}")).await;
        let mut allocations = shown["data"].as_array().cloned().ok_or("no list of allocations")?;
        allocations.sort_by_key(id);
        Ok(SeenWave {
            wave,
            rows: rows["data"].as_array().cloned().ok_or("no orders of a wave")?,
            allocations,
        })
    }

    async fn follow_wave(&mut self, wave: usize, seen: &SeenWave) -> Result<(), String> {
        self.follow_plans(wave, seen)?;
        let first = self.reference.shipments.len();
        if self.reference.waves[wave].terms.has(WaveStep::Ship) {
            self.follow_shipments(wave, seen)?;
        }
        self.sort_shipments(first);
        for number in first..self.reference.shipments.len() {
            let shown = self.tenant.get(&format!("/shipments/{}", self.names.shipment(number))).await;
            self.learn_packages(number, &shown)?;
        }
        self.reference.end_wave(wave);
        let batches = seen.wave["batch_ids"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let new = batches.filter(|id| !self.names.batches.iter().any(|known| known == id)).map(str::to_owned);
        self.names.batches.extend(new.collect::<Vec<_>>());
        Ok(())
    }

    /// Plans the orders in their turns, each on what those before it leave.
    fn follow_plans(&mut self, wave: usize, seen: &SeenWave) -> Result<(), String> {
        let known = self.names.allocations.clone();
        let is_new = |held: &&Value| !known.contains(&id(held));
        for place in self.reference.pending(wave) {
            let order = json!(self.names.order(self.reference.waves[wave].rows[place].order));
            let new = seen.allocations.iter().filter(is_new).filter(|held| held["order"]["id"] == order);
            let new: Vec<Value> = new.cloned().collect();
            let rows = planned_rows(&self.names, &json!(new))?;
            self.reference.plan_row(wave, place, &rows).map_err(|what| format!("{what}: {}", json!(new)))?;
            self.names.allocations.extend(new.iter().map(id));
        }
        Ok(())
    }

    /// Ships the orders, in an order in which the product can have done it: an order whose result is the same is next. A
    /// shipment only takes stock away, so it does not matter which of several is taken.
    fn follow_shipments(&mut self, wave: usize, seen: &SeenWave) -> Result<(), String> {
        let mut waiting = self.reference.pending(wave);
        while !waiting.is_empty() {
            let next = (0..waiting.len()).find(|next| self.ship_as_seen(wave, waiting[*next], seen));
            let Some(next) = next else {
                let expected = self.reference.clone().ship_row(wave, waiting[0]);
                let (row, held) = (&seen.rows[waiting[0]], json!(seen.allocations));
                return Err(format!("{row}, but the reference model says {expected:?}: {held}"));
            };
            waiting.remove(next);
        }
        Ok(())
    }

    /// Ships an order, if the product shows the same result. Returns whether it does.
    fn ship_as_seen(&mut self, wave: usize, place: usize, seen: &SeenWave) -> bool {
        let mut trial = self.reference.clone();
        let row = &seen.rows[place];
        if let Err(code) = trial.ship_row(wave, place) {
            let is_same = row["code"] == code;
            if is_same {
                self.reference.refuse_row(wave, place, code);
            }
            return is_same;
        }
        let ids = row["shipment_ids"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let mut names = self.names.shipments.clone();
        names.extend(ids.map(str::to_owned));
        let order = trial.waves[wave].rows[place].order;
        let is_as_seen = |(number, id): (usize, &String)| {
            let shown = seen.allocations.iter().find(|held| held["id"] == json!(id));
            let shipment = trial.allocations[number].shipment.and_then(|shipment| names.get(shipment));
            shown.is_some_and(|held| held["shipment_id"] == json!(shipment))
        };
        let held = self.names.allocations.iter().enumerate();
        let mut held = held.filter(|(number, _)| {
            trial.allocations[*number].is_there && trial.allocations[*number].order == order
        });
        if !row["code"].is_null() || names.len() != trial.shipments.len() || !held.all(is_as_seen) {
            return false;
        }
        (self.reference, self.names.shipments) = (trial, names);
        true
    }

    /// Numbers the shipments from `first` on by their ids, as batches buy them.
    fn sort_shipments(&mut self, first: usize) {
        let new = self.names.shipments.split_off(first);
        let mut order: Vec<usize> = (0..new.len()).collect();
        order.sort_by_key(|place| &new[*place]);
        self.reference.renumber_shipments(first, &order);
        self.names.shipments.extend(order.iter().map(|place| new[*place].clone()));
    }

    /// Compares a wave with its counts.
    pub fn compare_wave(&self, wave: usize, shown: &Value) -> Result<(), String> {
        let expected = self.wave_shown(&self.reference.waves[wave]);
        let mut simple = shown.clone();
        if let Some(fields) = simple.as_object_mut() {
            fields.retain(|name, _| expected.get(name).is_some());
        }
        ensure_same("the wave", &simple, &expected, shown)
    }

    fn wave_shown(&self, wave: &Wave) -> Value {
        let mut codes: BTreeMap<&str, i64> = BTreeMap::new();
        for code in wave.rows.iter().filter_map(|row| row.code) {
            *codes.entry(code).or_default() += 1;
        }
        let mut exceptions: Vec<_> = codes.into_iter().collect();
        exceptions.sort_by_key(|(_, count)| -count);
        let exceptions =
            exceptions.iter().map(|(code, count)| json!({ "code": code, "orders_count": count }));
        let done = wave.rows.iter().filter(|row| row.result == RowResult::Done);
        let batches: Vec<_> = wave.batches.iter().map(|known| self.names.batch(known.batch)).collect();
        json!({
            "status": wave.status.name(),
            "orders_count": wave.rows.len(),
            "pending_count": wave.count(RowResult::Pending),
            "done_count": wave.count(RowResult::Done),
            "exceptions_count": wave.count(RowResult::Exception),
            "cancelled_count": wave.count(RowResult::Cancelled),
            "shipments_count": done.map(|row| row.shipments.len()).sum::<usize>(),
            "exceptions": exceptions.collect::<Vec<_>>(),
            "batch_ids": batches,
            "errors": [],
        })
    }

    /// Compares the orders of a wave, and what came of each.
    fn compare_rows(&self, wave: usize, shown: &[Value]) -> Result<(), String> {
        let simple = |row: &Value| {
            json!({ "order_id": row["order_id"], "result": row["result"], "step": row["step"],
                "code": row["code"], "shipment_ids": row["shipment_ids"] })
        };
        let rows = &self.reference.waves[wave].rows;
        let expected = rows.iter().map(|row| {
            let shipments: Vec<_> = row.shipments.iter().map(|number| self.names.shipment(*number)).collect();
            json!({ "order_id": self.names.order(row.order), "result": row.result.name(),
                "step": row.step.map(|step| step.name()), "code": row.code, "shipment_ids": shipments })
        });
        let (simple, expected): (Vec<_>, Vec<_>) = (shown.iter().map(simple).collect(), expected.collect());
        ensure_same("orders of the wave", &json!(simple), &json!(expected), &json!(shown))
    }
}
