//! Carrying out tasks of the sample shop, each by the operation that a request would use.

use std::sync::Arc;
use std::time::Duration;

use model::exchange::sample_data::{Kind, SampleProgress, Task};
use model::orders::hold::Hold;
use model::orders::order_exception::ExceptionCode;
use model::platform::id::Kind as IdKind;
use model::platform::shape;
use model::stock::level_input::LevelCount;
use model::{Code, Error, Id, Owner, Result};
use serde_json::Value;
use sha2::{Digest, Sha256};
use store::exchange::import_keys;
use store::fulfilment::package_types;
use store::stock::inventory_items;
use store::stock::inventory_levels::At;
use tokio::task::JoinSet;
use tracing::Instrument;

use super::SampleData;
use super::made::{Made, Results};
use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::access::write::{Command, Idempotency, Precondition};
use crate::orders::exceptions::NewException;
use crate::platform::wait_deadline::Wait;

impl SampleData {
    /// Carries out tasks at once. Those that wait for others are missing in the result.
    pub(super) async fn perform_all(
        &self,
        caller: Caller,
        progress: &SampleProgress,
        tasks: Vec<Task>,
    ) -> Result<Results> {
        let progress = Arc::new(progress.clone());
        let mut running = JoinSet::new();
        for task in tasks {
            let (shop, progress) = (self.clone(), Arc::clone(&progress));
            let perform = async move {
                let made = shop.perform(caller, &progress, &task).await?;
                Ok::<_, Error>((task.key, made))
            };
            running.spawn(perform.in_current_span());
        }
        let mut results = Results::new();
        let mut failure = None;
        while let Some(ended) = running.join_next().await {
            match ended.map_err(Error::fault).flatten() {
                Ok((key, Some(made))) => drop(results.insert(key, made)),
                Ok((_, None)) => {}
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        failure.map_or(Ok(results), Err)
    }

    /// Carries out a task. `None` if it must wait for others.
    async fn perform(&self, caller: Caller, progress: &SampleProgress, task: &Task) -> Result<Option<Made>> {
        let named = task.of.iter().map(|key| progress.id_of(key).map(str::to_owned));
        let resolved =
            named.collect::<Result<Vec<_>, _>>().and_then(|ids| Ok((ids, progress.resolve(&task.body)?)));
        let (ids, body) = match resolved {
            Ok(resolved) => resolved,
            Err(code) => return Ok(Some(Made::Refused(code))),
        };
        if let Some(id) = self.present(caller.owner, task.kind, &body).await? {
            return Ok(Some(Made::Present(id)));
        }
        match self.carry_out(caller, task, &ids, body).await {
            Ok(reply) => Ok(reply.map(|reply| match (reply.is_replayed, id_in(&reply.body)) {
                (true, id) => Made::Present(id),
                (false, id) => Made::New(id),
            })),
            // Another request is at it.
            Err(Error::Refused(problem)) if problem.code == Code::IdempotencyInProgress => Ok(None),
            Err(Error::Refused(problem)) => Ok(Some(Made::Refused(problem.code.as_str().to_owned()))),
            Err(fault) => Err(fault),
        }
    }

    /// Returns the id of the resource that a task would make, if it can be recognised by a key of its own.
    async fn present(&self, owner: Owner, kind: Kind, body: &Value) -> Result<Option<String>> {
        let (name, field) = match kind {
            Kind::Location => ("name", body["name"].as_str()),
            Kind::InventoryItem => ("sku", body["sku"].as_str()),
            Kind::PackageType => ("handle", body["handle"].as_str()),
            Kind::Order => ("reference", body["reference"].as_str()),
            _ => return Ok(None),
        };
        let key = field.ok_or_else(|| Error::fault(format!("a sample without {name}")))?.to_owned();
        let read = self.context.db().read(owner, async move |tx| {
            Ok(match kind {
                Kind::Location => import_keys::locations(tx, owner, &key).await?.first().map(Id::to_string),
                Kind::InventoryItem => {
                    inventory_items::sku_user(tx, owner, &key).await?.map(|id| id.to_string())
                }
                Kind::PackageType => {
                    package_types::handle_user(tx, owner, &key).await?.map(|id| id.to_string())
                }
                _ => import_keys::orders(tx, owner, &key).await?.first().map(Id::to_string),
            })
        });
        read.await
    }

    /// Carries out the operation of a task. `None` if it must wait for others.
    async fn carry_out(
        &self,
        caller: Caller,
        task: &Task,
        ids: &[String],
        body: Value,
    ) -> Result<Option<Reply>> {
        let needs = &self.needs;
        let command = command(caller, &task.key);
        let reply = match task.kind {
            Kind::Location => needs.locations.create(command, shape::parse(body)?).await,
            Kind::LocationConfiguration => {
                needs.location_configurations.create(command, shape::parse(body)?).await
            }
            Kind::PackageType => needs.package_types.create(command, shape::parse(body)?).await,
            Kind::ShippingRule => needs.shipping_rules.create(command, shape::parse(body)?).await,
            Kind::InventoryItem => needs.line_matching.create_item(command, shape::parse(body)?).await,
            Kind::InventoryLevel => {
                let at = At { item: parse(ids, 0)?, location: parse(ids, 1)? };
                needs.inventory_levels.set(command, at, LevelCount::parse(body)?).await
            }
            Kind::Order => needs.orders.create(command, shape::parse(body)?).await,
            Kind::OrderHold => {
                let hold: Hold = shape::parse(body)?;
                needs.holds.hold(command, parse(ids, 0)?, hold).await
            }
            Kind::OrderException => {
                let message = body["message"].as_str().unwrap_or_default().to_owned();
                let new = NewException { code: ExceptionCode::StockShort, shipment: None, message };
                needs.order_exceptions.raise(caller.owner, parse(ids, 0)?, new).await?;
                Ok(Reply::done(String::new()))
            }
            Kind::OrderPlan => needs.plans.create(command, parse(ids, 0)?, true).await,
            Kind::Wave => Box::pin(needs.waves.create(command, shape::parse(body)?)).await,
            Kind::Manifest => return self.close_out(command, parse(ids, 0)?).await,
        };
        reply.map(Some)
    }

    /// Makes the manifests of the first batch of a wave. `None` while the batch is not bought.
    async fn close_out(&self, command: Command, wave: Id<model::Wave>) -> Result<Option<Reply>> {
        let caller = command.caller;
        let wave = document(&self.needs.waves.get(&caller, wave).await?)?;
        if wave["status"] == "queued" || wave["status"] == "running" {
            return Ok(None);
        }
        let batch = wave["batch_ids"][0].as_str().and_then(Id::parse).ok_or(Code::BatchEmpty)?;
        if document(&self.needs.batches.get(&caller, batch).await?)?["status"] == "purchasing" {
            return Ok(None);
        }
        self.needs.manifests.create_of_batch(command, batch, Wait(Duration::ZERO)).await.map(Some)
    }
}

/// Returns the request of a task: the same one whenever it is repeated. No client can send such a key, because it has a control
/// character.
fn command(caller: Caller, key: &str) -> Command {
    let key = format!("sample_data\u{1f}{key}");
    let fingerprint = Sha256::digest(key.as_bytes()).into();
    Command { caller, idempotency: Some(Idempotency { key, fingerprint }), precondition: Precondition::Any }
}

fn document(reply: &Reply) -> Result<Value> {
    serde_json::from_str(&reply.body).map_err(Error::fault)
}

/// Returns the id in an answer. Empty if it has none.
fn id_in(body: &str) -> String {
    let document: Option<Value> = serde_json::from_str(body).ok();
    document.as_ref().and_then(|document| document["id"].as_str()).unwrap_or_default().to_owned()
}

/// Parses the id at this place. What was made without an id was refused by its operation.
fn parse<K: IdKind>(ids: &[String], place: usize) -> Result<Id<K>> {
    ids.get(place).and_then(|id| Id::parse(id)).ok_or_else(|| Error::fault("a task names what has no id"))
}
