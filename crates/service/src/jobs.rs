//! Jobs: work beside the requests. Each job takes no input, does what is due, and may run at any time on any node: on a
//! notification, and periodically in case a notification was lost.
//!
//! Workers hold claims, and end by themselves once the server is told to stop. Upkeep (heartbeats, numbering, streams, cleaning)
//! goes on until they have ended, because their claims are valid only while heartbeats are written.

use std::time::Duration;

use model::{Error, Result};
use tokio::runtime::{Builder, Runtime};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tracing::warn;

use crate::platform::runner::Totals;
use crate::{Components, Service};

/// How long workers may take to end once the server is told to stop. Each runner ends its own turns sooner; work that is resumed
/// alone, or the beginning of a batch, may take this long.
const STOP_TIME: Duration = Duration::from_secs(25);
/// How long a heartbeat or the numbering of the last events may take then.
const UPKEEP_STOP_TIME: Duration = Duration::from_secs(5);
/// By how much the priority of delivery threads is lower, so that a backlog of webhooks does not slow down API requests if
/// there are not enough cores for all.
const DELIVERY_NICENESS: i32 = 5;

/// The jobs of a running server.
pub struct Jobs {
    service: Service,
    workers: TaskTracker,
    upkeep: TaskTracker,
    stop_upkeep: CancellationToken,
    /// Deliveries have threads of their own, as many as there are cores.
    runtime: Runtime,
}

impl Jobs {
    /// Lets running work end, and releases what this node holds.
    pub async fn stop(self) {
        self.service.context.stop().cancel();
        self.workers.close();
        // The next server resumes what did not end, as after a stop that was not requested.
        if tokio::time::timeout(STOP_TIME, self.workers.wait()).await.is_err() {
            warn!("some work did not end in time; it is resumed later");
        }
        // Upkeep ends before the node gives up its name: a heartbeat after that would take another.
        self.stop_upkeep.cancel();
        self.upkeep.close();
        if tokio::time::timeout(UPKEEP_STOP_TIME, self.upkeep.wait()).await.is_err() {
            warn!("upkeep did not end in time");
        }
        // Last, because a node that gives up its name loses all of its claims.
        if let Err(error) = self.service.nodes.leave().await {
            warn!(%error, "node not deleted: its claims are free when its lease expires");
        }
        self.runtime.shutdown_background();
    }
}

impl Service {
    /// Runs the jobs, until they are stopped or the process ends.
    pub fn start_jobs(&self) -> Result<Jobs> {
        let jobs = Jobs {
            service: self.clone(),
            workers: TaskTracker::new(),
            upkeep: TaskTracker::new(),
            stop_upkeep: CancellationToken::new(),
            runtime: delivery_runtime()?,
        };
        jobs.start_upkeep();
        jobs.start_workers();
        Ok(jobs)
    }
}

impl Components {
    /// Returns what this node's workers have counted, by the name of the job.
    pub fn job_totals(&self) -> [(&'static str, Totals); 8] {
        [
            ("webhooks", self.delivery.turn_totals()),
            ("purchases", self.purchasing.turn_totals()),
            ("batch_labels", self.batch_labels.turn_totals()),
            ("manifests", self.manifests.turn_totals()),
            ("print_jobs", self.print_jobs.turn_totals()),
            ("waves", self.waves.turn_totals()),
            ("imports", self.imports.turn_totals()),
            ("mails", self.mails.turn_totals()),
        ]
    }
}

impl Jobs {
    fn start_upkeep(&self) {
        let service = &self.service;
        if service.context.db().is_shared() {
            self.upkeep.spawn(service.relay.clone().work_until(self.stop_upkeep.clone()));
            self.keep_up(service.bus.clone().work_forever());
        }
        self.keep_up(service.cleaning.clone().work_forever());
        self.keep_up(service.order_upkeep.clone().work_forever());
        self.keep_up(service.search_fill.clone().work_to_the_end());
        self.upkeep.spawn(service.nodes.clone().heartbeat_until(self.stop_upkeep.clone()));
        if service.streams.has_external_streams() {
            self.keep_up(service.streams.clone().hand_on_forever());
        } else {
            self.keep_up(service.streams.clone().tail_forever());
        }
        self.keep_up(service.streams.clone().watch_access_forever());
    }

    /// Runs a task until upkeep is to end, and then drops it: it holds nothing that must be released.
    fn keep_up(&self, task: impl Future<Output = ()> + Send + 'static) {
        let stop = self.stop_upkeep.clone();
        self.upkeep.spawn(async move { stop.run_until_cancelled(task).await });
    }

    fn start_workers(&self) {
        let (service, workers) = (&self.service, &self.workers);
        workers.spawn(service.suspects.clone().work_forever());
        workers.spawn_on(service.delivery.runner().run(), self.runtime.handle());
        workers.spawn(service.purchasing.runner().run());
        workers.spawn(service.batches.clone().begin_forever());
        workers.spawn(service.batch_labels.runner().run());
        workers.spawn(service.manifests.runner().run());
        workers.spawn(service.hand_overs.clone().work_forever());
        workers.spawn(service.print_jobs.runner().run());
        workers.spawn(service.waves.runner().run());
        workers.spawn(service.imports.runner().run());
        workers.spawn(service.scans.clone().work_forever());
        workers.spawn(service.password_resets.clone().work_forever());
        workers.spawn(service.mails.runner().run());
    }
}

fn delivery_runtime() -> Result<Runtime> {
    Builder::new_multi_thread()
        .thread_name("webhooks")
        .worker_threads(std::thread::available_parallelism().map_or(2, usize::from))
        .on_thread_start(step_back)
        .enable_all()
        .build()
        .map_err(Error::fault)
}

/// Lowers the priority of the current thread. If the machine does not allow that, the priority stays as it is.
fn step_back() {
    let _as_before = rustix::process::setpriority_process(None, DELIVERY_NICENESS);
}
