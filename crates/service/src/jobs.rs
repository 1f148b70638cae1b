//! Jobs: work beside the requests. Each job takes no input, does what is due, and may run at any time on any node: on a
//! notification, and periodically in case a notification was lost.

use std::time::Duration;

use model::{Error, Result};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

use crate::Service;
use crate::platform::log;

/// How long work that is resumed alone, or the beginning of a batch, may take to end once the server is told to stop.
const STOP_TIME: Duration = Duration::from_secs(20);
/// By how much the priority of delivery threads is lower, so that a backlog of webhooks does not slow down API requests if
/// there are not enough cores for all.
const DELIVERY_NICENESS: i32 = 5;

/// The jobs of a running server.
pub struct Jobs {
    service: Service,
    purchasing: JoinHandle<()>,
    /// Stores the purchases of batches.
    beginning: JoinHandle<()>,
    labelling: JoinHandle<()>,
    manifesting: JoinHandle<()>,
    delivering: JoinHandle<()>,
    /// Work at which servers stopped, of each of these kinds.
    resuming: JoinHandle<()>,
    /// Deliveries have threads of their own, as many as there are cores.
    runtime: Runtime,
}

impl Jobs {
    /// Lets running work end, and releases what this node holds.
    pub async fn stop(self) {
        self.service.purchasing.stop();
        self.service.batch_labels.stop();
        self.service.manifests.stop();
        self.service.delivery.stop();
        for job in [self.purchasing, self.labelling, self.manifesting, self.delivering] {
            if let Err(error) = job.await {
                log::info("stop", &error.to_string());
            }
        }
        // Each group of purchases that was begun is committed or not, so its result does not matter.
        if tokio::time::timeout(STOP_TIME, self.beginning).await.is_err() {
            log::info("stop", "the beginning of a batch did not end in time");
        }
        // The next server resumes its work, as after a stop that was not requested.
        if tokio::time::timeout(STOP_TIME, self.resuming).await.is_err() {
            log::info("stop", "work that was resumed alone did not end in time");
        }
        // Last, because a node that gives up its name loses all of its claims.
        if let Err(error) = self.service.nodes.leave().await {
            log::error("stop", &error);
        }
        self.runtime.shutdown_background();
    }
}

impl Service {
    /// Runs the jobs, until they are stopped or the process ends.
    pub fn start_jobs(&self) -> Result<Jobs> {
        if self.context.db().is_shared() {
            tokio::spawn(self.relay.clone().work_forever());
            tokio::spawn(self.bus.clone().work_forever());
        }
        tokio::spawn(self.cleaning.clone().work_forever());
        tokio::spawn(self.nodes.clone().heartbeat_forever());
        if self.streams.has_external_streams() {
            tokio::spawn(self.streams.clone().hand_on_forever());
        } else {
            tokio::spawn(self.streams.clone().tail_forever());
        }
        tokio::spawn(self.streams.clone().watch_access_forever());
        let resuming = tokio::spawn(self.suspects.clone().work_forever());
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let runtime = Builder::new_multi_thread()
            .thread_name("webhooks")
            .worker_threads(cores)
            .on_thread_start(step_back)
            .enable_all()
            .build()
            .map_err(Error::fault)?;
        let delivering = runtime.spawn(self.delivery.clone().work_forever());
        let purchasing = tokio::spawn(self.purchasing.clone().work_forever());
        let beginning = tokio::spawn(self.batches.clone().begin_forever());
        let labelling = tokio::spawn(self.batch_labels.clone().work_forever());
        let manifesting = tokio::spawn(self.manifests.clone().work_forever());
        Ok(Jobs {
            service: self.clone(),
            purchasing,
            beginning,
            labelling,
            manifesting,
            delivering,
            resuming,
            runtime,
        })
    }
}

/// Lowers the priority of the current thread. If the machine does not allow that, the priority stays as it is.
fn step_back() {
    let _as_before = rustix::process::setpriority_process(None, DELIVERY_NICENESS);
}
