//! Sample data: fills a test world with a small shop, by the same operations as requests of the caller.
//!
//! What came of each task is kept in one row, so nothing is made twice, even if it was deleted since. A task is carried out under an
//! idempotency key that belongs to it. If the server stops between a task and its record, or two requests work on the same shop, the
//! task's operation answers with what it made before. After these answers have expired, locations, items, package types and
//! orders are still recognised by their own keys.

mod made;
mod perform;

use std::time::Duration;

use model::exchange::sample_data::{SCOPES, SampleProgress, Task, phases};
use model::{Code, Error, Result, Scope, World, ensure};
use store::exchange::sample_data;
use tokio::time::Instant;

use crate::access::caller::Caller;
use crate::access::reply::{Outcome, Reply};
use crate::fulfilment::package_types::PackageTypes;
use crate::fulfilment::shipping_rules::ShippingRules;
use crate::fulfilment::waves::Waves;
use crate::orders::exceptions::OrderExceptions;
use crate::orders::holds::Holds;
use crate::orders::matching::LineMatching;
use crate::orders::orders::Orders;
use crate::orders::plans::Plans;
use crate::places::location_configurations::LocationConfigurations;
use crate::places::locations::Locations;
use crate::platform::context::Context;
use crate::platform::resource::json;
use crate::platform::wait_deadline::{WAIT_SECONDS_MAX, Wait};
use crate::shipping::batches::Batches;
use crate::shipping::manifests::Manifests;
use crate::stock::inventory_levels::InventoryLevels;
use made::{Made, Results};

/// Tasks that are carried out at once. Those that are written at the same time are committed together.
const TASKS_AT_ONCE: usize = 16;
/// How long a request rests before it looks again at what other tasks must finish first.
const REST: Duration = Duration::from_millis(100);

/// The components by whose operations the shop is made.
#[derive(Clone)]
pub(crate) struct Needs {
    pub locations: Locations,
    pub location_configurations: LocationConfigurations,
    pub package_types: PackageTypes,
    pub shipping_rules: ShippingRules,
    pub line_matching: LineMatching,
    pub inventory_levels: InventoryLevels,
    pub orders: Orders,
    pub holds: Holds,
    pub order_exceptions: OrderExceptions,
    pub plans: Plans,
    pub waves: Waves,
    pub batches: Batches,
    pub manifests: Manifests,
}

/// Makes the sample shop.
#[derive(Clone)]
pub struct SampleData {
    context: Context,
    needs: Needs,
}

impl SampleData {
    pub(crate) fn new(context: &Context, needs: Needs) -> Self {
        Self { context: context.clone(), needs }
    }

    /// Makes what is missing of the shop. The answer is `Accepted` if some of it is still missing at the deadline, or waits for
    /// what a wave buys.
    ///
    /// # Errors
    ///
    /// Refuses the live world, and a caller who could not make the shop by requests of their own.
    pub async fn create(&self, caller: Caller, wait: Wait) -> Result<Reply> {
        ensure(caller.owner.world == World::Test, Code::TestWorldOnly)?;
        for scope in SCOPES {
            Scope::parse(scope).map_or(Ok(()), |scope| caller.require(scope))?;
        }
        let end = Instant::now() + wait.0.min(Duration::from_secs(WAIT_SECONDS_MAX));
        let mut progress = self.record(caller, Results::new()).await?;
        let mut created = Vec::new();
        while let Some(tasks) = next(&progress) {
            let results = self.perform_all(caller, &progress, tasks).await?;
            let is_stuck = results.is_empty();
            created.extend(results.iter().filter(|(_, made)| made.is_new()).map(|(key, _)| key.clone()));
            progress = self.record(caller, results).await?;
            if Instant::now() >= end {
                break;
            }
            if is_stuck {
                tokio::time::sleep(REST).await;
            }
        }
        let reply = Reply::done(progress.view(&created).to_string());
        let outcome = if progress.completed_at.is_some() { Outcome::Done } else { Outcome::Accepted };
        Ok(Reply { outcome, ..reply })
    }

    /// Records what came of tasks, and returns all that is recorded. What another request recorded meanwhile stays.
    async fn record(&self, caller: Caller, results: Results) -> Result<SampleProgress> {
        let (owner, now) = (caller.owner, self.context.now());
        let empty = json(&SampleProgress::begin(now))?;
        let write = self.context.db().write(owner, async move |tx| {
            let stored = sample_data::begin(tx, owner, &empty).await?;
            let mut progress: SampleProgress = serde_json::from_str(&stored).map_err(Error::fault)?;
            let before = progress.clone();
            for (key, made) in results.iter().filter(|(key, _)| !before.is_done(key)) {
                match made {
                    Made::New(id) | Made::Present(id) => progress.made.insert(key.clone(), id.clone()),
                    Made::Refused(code) => progress.refused.insert(key.clone(), code.clone()),
                };
            }
            if progress.completed_at.is_none() && next(&progress).is_none() {
                progress.completed_at = Some(now);
            }
            if progress != before {
                sample_data::update(tx, owner, &json(&progress)?).await?;
            }
            Ok(progress)
        });
        write.await
    }
}

/// Returns the tasks to carry out next: some of the first phase that is not done. `None` if all is done.
fn next(progress: &SampleProgress) -> Option<Vec<Task>> {
    let is_open = |task: &Task| !progress.is_done(&task.key);
    let mut open = phases(progress.started_at)
        .into_iter()
        .map(|phase| phase.into_iter().filter(is_open).collect::<Vec<_>>());
    let mut tasks = open.find(|tasks| !tasks.is_empty())?;
    tasks.truncate(TASKS_AT_ONCE);
    Some(tasks)
}
