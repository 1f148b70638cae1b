//! Plays a sequence of steps about parcels against the product and the reference model at once.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::{Id, World as Mode};
use serde_json::{Value, json};
use store::shipping::carrier_accounts;
use testkit::product::Product;

use super::planning::EVERYWHERE;
use super::requests::{ParcelRequest, PlannedRow, SINGLE_PACKAGE_CARRIER};
use super::shipment::{Destination, LOCATION_BARE, LOCATION_HAND_OVER, Rule};
use super::states::count_states;
use super::steps::ParcelStep;
use crate::reference_model::ReferenceModel;
use crate::replay::{Divergence, ReplayState, Reply, Tally, Tenant};
use crate::requests::Names;

const SECONDS_PER_HOUR: i64 = 3600;
/// Hours after which every parcel is delivered.
const HOURS_FINAL: i64 = 40;

/// Makes an organisation of the test world that has all that shipments need: configurations, a box, and an account of a
/// carrier that takes single packages.
pub async fn tenant(product: &Arc<Product>) -> Tenant {
    let tenant = Tenant::of(product, Mode::Test).await;
    for (number, location) in
        tenant.locations.iter().enumerate().filter(|(number, _)| *number != LOCATION_BARE)
    {
        let on = if number == LOCATION_HAND_OVER { "hand_over" } else { "purchase" };
        let place = json!({ "id": location });
        let body = json!({ "name": "Dock", "complete_allocations_on": on,
            "locations": { "origin": place, "return": place } });
        tenant.create("/location_configurations", body).await;
    }
    let size = json!({ "length": 30, "width": 20, "height": 10 });
    let body = json!({ "name": "Box", "handle": "box", "inner_dimensions": size });
    tenant.create("/package_types", body).await;
    add_rules(&tenant).await;
    add_single_package_carrier(&tenant).await;
    tenant
}

/// Adds shipping rules, as `Destination::rule` says them.
async fn add_rules(tenant: &Tenant) {
    let service = json!({ "carrier_account": "sandbox", "carrier_service": "standard" });
    for (rule, action) in [
        (Rule::Service, json!({ "service": service })),
        (Rule::ByRates, json!({ "choose": { "by": "cheapest", "among": [service] } })),
    ] {
        let destinations = Destination::ALL.into_iter().filter(|destination| destination.rule() == rule);
        let codes: Vec<_> = destinations.map(Destination::post_code).collect();
        let body = json!({ "name": format!("{rule:?}"), "conditions": { "post_code_prefixes": codes }, "action": action });
        tenant.create("/shipping_rules", body).await;
    }
}

/// Adds an account of a carrier that takes single packages. The API offers none in the test world.
async fn add_single_package_carrier(tenant: &Tenant) {
    let owner = tenant.owner();
    let add = tenant.product.db.write(owner, async move |tx| {
        let mut account = carrier_accounts::all(tx, owner).await?.remove(0);
        account.carrier = SINGLE_PACKAGE_CARRIER.to_owned();
        account.id = Id::from_bits(account.id.bits() + 1);
        account.details = account.details.replace("\"handle\":\"sandbox\"", "\"handle\":\"single\"");
        carrier_accounts::insert(tx, owner, &account).await
    });
    add.await.expect("an account");
}

/// A sequence under way.
pub struct ParcelReplay<'a> {
    pub state: ReplayState<'a>,
    /// Requests that split allocations.
    pub splits: u64,
}

impl<'a> ParcelReplay<'a> {
    pub async fn new(tenant: &'a Tenant) -> Self {
        Self { state: ReplayState::new(tenant).await, splits: 0 }
    }
}

/// Plays a sequence from fresh items on, and compares everything at its end; and again once all parcels are delivered. A
/// thorough replay compares after each step.
pub async fn replay(
    tenant: &Tenant,
    steps: &[ParcelStep],
    is_thorough: bool,
    tally: &mut Tally,
) -> Result<(), Divergence> {
    let mut replay = ParcelReplay::new(tenant).await;
    for (place, step) in steps.iter().enumerate() {
        let diverged = |what| Divergence { steps: place + 1, what };
        for answer in replay.step(step).await.map_err(diverged)? {
            *tally.entry(answer).or_default() += 1;
        }
        if is_thorough {
            replay.compare().await.map_err(diverged)?;
        }
    }
    let diverged = |what| Divergence { steps: steps.len(), what };
    if !is_thorough {
        replay.compare().await.map_err(diverged)?;
    }
    count_states(&replay.state.reference, tally);
    if replay.splits > 0 {
        *tally.entry("split".to_owned()).or_default() += replay.splits;
    }
    replay.work_waves().await.map_err(diverged)?;
    replay.work(HOURS_FINAL).await.map_err(diverged)?;
    replay.compare().await.map_err(|what| diverged(format!("after {HOURS_FINAL} hours: {what}")))
}

impl ParcelReplay<'_> {
    /// Plays a step, and returns the answers that both gave.
    pub async fn step(&mut self, step: &ParcelStep) -> Result<Vec<String>, String> {
        let mut answers = Vec::new();
        for request in ParcelRequest::fitted(&step.action, &self.state.reference) {
            self.state.tenant.tick();
            match request {
                ParcelRequest::Work { hours } => self.work(hours).await?,
                ParcelRequest::WorkWaves => self.work_waves().await?,
                ParcelRequest::Manifest { location } => self.manifest(&request, location).await?,
                request => answers.push(self.request(&request, step.is_repeated).await?),
            }
            // A batch that was refused is not bought.
            if answers.last().is_some_and(|answer| !answer.starts_with('2')) {
                break;
            }
        }
        Ok(answers)
    }

    pub async fn compare(&self) -> Result<(), String> {
        self.state.compare().await?;
        self.state.compare_shipments().await?;
        self.state.compare_batches().await
    }

    async fn request(&mut self, request: &ParcelRequest, is_repeated: bool) -> Result<String, String> {
        let tenant = self.state.tenant;
        let (method, mut path, body) = request.http(&self.state.names);
        if let ParcelRequest::Resolve { order, exception } = request {
            let id = self.exception_id(*order, *exception).await;
            path = path.replace("{exception_id}", &id);
        }
        let (status, code) = self.state.reference.answer_parcel(request);
        let key = is_repeated.then(|| tenant.new_key());
        let reply = tenant.send(method, &path, body.clone(), key).await;
        // A scan that was made has a code, too.
        let problem = Some(&reply.json["code"]).filter(|_| reply.status >= 400);
        let told = (reply.status, problem.and_then(Value::as_str).unwrap_or_default());
        if told != (status, code) {
            let expected = (status, code);
            return Err(format!(
                "{request:?}: {told:?}, but the reference model says {expected:?}: {}",
                reply.json
            ));
        }
        self.note(request, &reply).await?;
        if key.is_some() {
            let again = tenant.send(method, &path, body, key).await;
            if (again.status, &again.json) != (reply.status, &reply.json) {
                return Err(format!(
                    "{request:?}: repeated, {} {}, first {}",
                    again.status, again.json, reply.json
                ));
            }
        }
        Ok(format!("{status} {code}"))
    }

    /// Notes the ids of what a request made.
    async fn note(&mut self, request: &ParcelRequest, reply: &Reply) -> Result<(), String> {
        let ids = |list: &Value| list.as_array().into_iter().flatten().map(id).collect::<Vec<_>>();
        match (request, reply.status) {
            (ParcelRequest::Stock(request), _) => self.state.note_ids(request, reply),
            (ParcelRequest::CreateOrder { .. }, 201) => self.state.names.orders.push(id(&reply.json)),
            (ParcelRequest::MakeBatch { .. }, 201) => self.state.names.batches.push(id(&reply.json)),
            (ParcelRequest::Plan { order }, 200) => {
                let rows = planned_rows(&self.state.names, &reply.json["data"])?;
                self.state
                    .reference
                    .apply_plan(*order, &rows, &EVERYWHERE)
                    .map_err(|what| format!("{what}: {}", reply.json))?;
                self.state.names.allocations.extend(ids(&reply.json["data"]));
            }
            (ParcelRequest::Ship(request), 201) => {
                self.note_shipments(request.packages.is_some(), &reply.json["data"])?;
                self.note_split(request.order).await?;
            }
            (ParcelRequest::Scan(request), 201) => self.state.compare_scan(request, &reply.json)?,
            (ParcelRequest::Short(_), 201) => self.note_short(&reply.json)?,
            (ParcelRequest::StartWave(_), 201) => {
                self.state.names.waves.push(id(&reply.json));
                self.state.compare_wave(self.state.names.waves.len() - 1, &reply.json)?;
            }
            (ParcelRequest::CancelWave { wave } | ParcelRequest::RetryWave { wave }, 200) => {
                self.state.compare_wave(*wave, &reply.json)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Learns the ids of new shipments, and how the product has packed them.
    fn note_shipments(&mut self, is_packed_by_request: bool, list: &Value) -> Result<(), String> {
        let first = self.state.names.shipments.len();
        let list = list.as_array().map(Vec::as_slice).unwrap_or_default();
        self.state.names.shipments.extend(list.iter().map(id));
        let (known, expected) = (self.state.names.shipments.len(), self.state.reference.shipments.len());
        if known != expected {
            return Err(format!("{known} shipments, but the reference model says {expected}: {list:?}"));
        }
        if !is_packed_by_request {
            for (place, shown) in list.iter().enumerate() {
                self.state.learn_packages(first + place, shown)?;
            }
        }
        Ok(())
    }

    /// Learns the ids of the allocations that were split off: the answer has shipments only. Ids sort by age.
    async fn note_split(&mut self, order: usize) -> Result<(), String> {
        let ReplayState { reference, names, tenant } = &mut self.state;
        let first = names.allocations.len();
        if first == reference.allocations.len() {
            return Ok(());
        }
        self.splits += 1;
        let shown = tenant.get(&names.allocations_of(order)).await;
        let list = shown["data"].as_array().ok_or("no list of allocations")?;
        let mut new: Vec<_> = list.iter().map(id).filter(|id| !names.allocations.contains(id)).collect();
        new.sort_unstable();
        names.allocations.extend(new);
        if names.allocations.len() == reference.allocations.len() {
            return Ok(());
        }
        let expected = &reference.allocations[first..];
        Err(format!("the reference model says that {expected:?} are split off: {shown}"))
    }

    /// Returns the id of an exception, which the model knows by its code and shipment.
    async fn exception_id(&self, order: usize, exception: usize) -> String {
        let ReplayState { reference, names, tenant } = &self.state;
        let known = reference.orders.get(order).and_then(Option::as_ref);
        let Some(exception) = known.and_then(|order| order.parcels.exceptions.get(exception)) else {
            return "exc_01jc0000000000000000000000".to_owned();
        };
        let shown = tenant.get(&format!("/orders/{}", names.order(order))).await;
        let is_it = |shown: &&Value| {
            shown["code"] == exception.code
                && shown["shipment_id"] == json!(names.shipment(exception.shipment))
                && shown["resolved_at"].is_null() != exception.is_resolved
        };
        shown["exceptions"].as_array().into_iter().flatten().find(is_it).map(id).unwrap_or_default()
    }

    /// Lets hours pass, and has the jobs do all that is due.
    pub async fn work(&mut self, hours: i64) -> Result<(), String> {
        let product = &self.state.tenant.product;
        product.clock.advance_seconds(hours * SECONDS_PER_HOUR);
        product.service.work_purchases().await.map_err(|error| error.to_string())?;
        let outcomes = self.state.reference.work(hours);
        self.follow(outcomes).await
    }

    async fn manifest(&mut self, request: &ParcelRequest, location: usize) -> Result<(), String> {
        let tenant = self.state.tenant;
        let (method, path, body) = request.http(&self.state.names);
        let reply = tenant.send(method, &path, body, None).await;
        if reply.status >= 300 {
            return Err(format!("{request:?}: {} {}", reply.status, reply.json));
        }
        let service = &tenant.product.service;
        service.manifests.work().await.map_err(|error| error.to_string())?;
        while service.hand_overs.work_once().await.map_err(|error| error.to_string())? {}
        let outcomes = self.state.reference.manifest(location);
        self.follow(outcomes).await
    }

    /// Goes on with that outcome of a job which the product has.
    async fn follow(&mut self, mut outcomes: Vec<ReferenceModel>) -> Result<(), String> {
        if outcomes.len() > 1 {
            let filter = format!("limit=100&order_id={}", self.state.names.orders.join(","));
            let shown = self.state.tenant.get(&format!("/allocations?{filter}")).await;
            let list = shown["data"].as_array().into_iter().flatten();
            let completed: BTreeMap<String, bool> =
                list.map(|held| (id(held), !held["completed_at"].is_null())).collect();
            let names = &self.state.names.allocations;
            outcomes.retain(|outcome| {
                let there = outcome.allocations.iter().zip(names).filter(|(held, _)| held.is_there);
                there.into_iter().all(|(held, id)| completed.get(id) == Some(&held.is_completed))
            });
        }
        match outcomes.into_iter().next() {
            Some(outcome) => self.state.reference = outcome,
            None => {
                return Err(
                    "no order of what the jobs did explains which allocations are completed".to_owned()
                );
            }
        }
        Ok(())
    }
}

pub fn id(resource: &Value) -> String {
    resource["id"].as_str().unwrap_or_default().to_owned()
}

pub fn planned_rows(names: &Names, list: &Value) -> Result<Vec<PlannedRow>, String> {
    let number = |ids: &[String], of: &Value| ids.iter().position(|id| of["id"] == json!(id));
    let row = |held: &Value| {
        let line = &held["items"][0];
        Some(PlannedRow {
            item: number(&names.items, line)?,
            location: number(&names.locations, &held["location"])?,
            quantity: line["quantity"].as_i64()?,
        })
    };
    let rows: Option<Vec<_>> = list.as_array().into_iter().flatten().map(row).collect();
    rows.ok_or_else(|| format!("the plan has allocations of other items or places: {list}"))
}
