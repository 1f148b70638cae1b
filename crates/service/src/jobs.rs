//! Work that goes on beside the requests. Each job takes no input, does what there is to do, and may be run at any
//! time by any node: on a signal, and now and then in case a signal was lost.

use std::time::Duration;

use model::{Error, Owner, Result, Timestamp};
use store::{Access, access_tokens, events, idempotency, stream_audience, tracking_events};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

use crate::bus::Hint;
use crate::{Service, log};

/// How often events are numbered where no signal came: a write on another node, which should have done it, rings no bell
/// here.
const RELAY_EVERY: Duration = Duration::from_millis(100);
/// How often what has expired is cleaned away.
const CLEAN_EVERY: Duration = Duration::from_secs(600);

/// How long messages of carriers are remembered: longer than any of them comes again.
const MESSAGE_SECONDS: i64 = 30 * 24 * 3600;

/// How much less the threads of deliveries weigh than others where there are not enough cores for all: so a backlog of
/// webhooks does not slow down those who use the API.
const DELIVERY_NICENESS: i32 = 5;

/// The jobs of a running server.
pub struct Jobs {
    service: Service,
    purchasing: JoinHandle<()>,
    labelling: JoinHandle<()>,
    manifesting: JoinHandle<()>,
    delivering: JoinHandle<()>,
    /// Deliveries have threads of their own, as many as there are cores.
    runtime: Runtime,
}

impl Jobs {
    /// Lets what is under way come to an end, and gives back what this node holds.
    pub async fn stop(self) {
        self.service.stop_purchasing();
        self.service.stop_labelling();
        self.service.stop_manifesting();
        self.service.stop_delivering();
        for job in [self.purchasing, self.labelling, self.manifesting, self.delivering] {
            if let Err(error) = job.await {
                log::info("stop", &error.to_string());
            }
        }
        // Only now, because with its name this server gives up all that it holds.
        if let Err(error) = self.service.leave().await {
            log::error("stop", &error);
        }
        self.runtime.shutdown_background();
    }
}

impl Service {
    /// Runs the jobs, until they are stopped or the process ends.
    pub fn start_jobs(&self) -> Result<Jobs> {
        if self.db().is_shared() {
            tokio::spawn(self.clone().relay_forever());
            tokio::spawn(self.clone().bus_forever());
        }
        tokio::spawn(self.clone().clean_forever());
        tokio::spawn(self.clone().heartbeat_forever());
        if self.has_external_streams() {
            tokio::spawn(self.clone().hand_on_forever());
        } else {
            tokio::spawn(self.clone().tail_forever());
        }
        tokio::spawn(self.clone().watch_access_forever());
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let runtime = Builder::new_multi_thread()
            .thread_name("webhooks")
            .worker_threads(cores)
            .on_thread_start(step_back)
            .enable_all()
            .build()
            .map_err(Error::fault)?;
        let delivering = runtime.spawn(self.clone().deliver_forever());
        let purchasing = tokio::spawn(self.clone().purchase_forever());
        let labelling = tokio::spawn(self.clone().label_batches_forever());
        let manifesting = tokio::spawn(self.clone().manifest_forever());
        Ok(Jobs { service: self.clone(), purchasing, labelling, manifesting, delivering, runtime })
    }

    /// Numbers the events that are committed and have no number yet; tells how many.
    pub async fn relay_events(&self) -> Result<u64> {
        let mut numbered = 0;
        loop {
            let relayed = self.db().write(Access::System, async |tx| events::relay(tx).await).await?;
            numbered += relayed.count;
            if !relayed.owners.is_empty() {
                self.ring();
                relayed.owners.iter().for_each(|owner| self.forget_position(*owner));
                self.hint(Hint::Events(relayed.owners.into()));
            }
            if relayed.count < events::RELAY_MAX as u64 {
                return Ok(numbered);
            }
        }
    }

    /// Takes away what has expired.
    pub async fn clean(&self) -> Result<()> {
        let now = self.now();
        let before = now.plus_seconds(-self.settings().idempotency_seconds);
        let clean = self.db().write(Access::System, async move |tx| {
            idempotency::delete_old(tx, before).await?;
            access_tokens::delete_expired(tx, now).await?;
            tracking_events::forget_messages(tx, now.plus_seconds(-MESSAGE_SECONDS)).await?;
            stream_audience::delete_old(tx, now).await.map(drop)
        });
        clean.await?;
        self.clean_events(now.plus_seconds(-self.settings().event_seconds)).await?;
        self.clean_deliveries().await
    }

    /// Takes away what happened before the moment, from the beginning of each log, in portions that nobody has to
    /// wait for. Where another node is at it, the rest is left to that one.
    async fn clean_events(&self, before: Timestamp) -> Result<()> {
        let mut beyond = None;
        loop {
            let look = self.db().read(Access::System, async move |tx| events::logs(tx, beyond).await);
            let logs = look.await?;
            for log in logs.iter().filter(|log| log.oldest_at.is_some_and(|at| at < before)) {
                if !self.delete_old_events(log.owner, before).await? {
                    return Ok(());
                }
            }
            if logs.len() < events::LOGS_MAX {
                return Ok(());
            }
            beyond = logs.last().map(|log| log.owner);
        }
    }

    /// Deletes the old events of one log; false where another node is at it.
    async fn delete_old_events(&self, owner: Owner, before: Timestamp) -> Result<bool> {
        loop {
            let delete = self.db().write(owner, async move |tx| events::delete_old(tx, owner, before).await);
            match delete.await? {
                None => return Ok(false),
                Some(deleted) if deleted < events::DELETE_MAX as u64 => return Ok(true),
                Some(_) => {}
            }
        }
    }

    async fn relay_forever(self) {
        loop {
            // A bell or the timer, whichever is first.
            let _either = tokio::time::timeout(RELAY_EVERY, self.0.relay.notified()).await;
            if let Err(error) = self.relay_events().await {
                log::error("relay", &error);
                tokio::time::sleep(RELAY_EVERY).await;
            }
        }
    }

    async fn clean_forever(self) {
        loop {
            tokio::time::sleep(CLEAN_EVERY).await;
            if let Err(error) = self.clean().await {
                log::error("clean", &error);
            }
        }
    }
}

/// Lets other threads go first. Where the machine does not allow it, it is as it would be without.
fn step_back() {
    let _as_before = rustix::process::setpriority_process(None, DELIVERY_NICENESS);
}
