//! Work that goes on beside the requests. Each job takes no input, does what there is to do, and may be run at any
//! time by any node: on a signal, and now and then in case a signal was lost.

use std::time::Duration;

use model::{Error, Result};
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinHandle;

use crate::{Service, log};

/// How long work that is resumed alone may take to come to an end once the server is told to stop.
const RESUME_STOP_TIME: Duration = Duration::from_secs(20);
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
    /// Work at which servers stopped, of each of these kinds.
    resuming: JoinHandle<()>,
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
        // What it is at is resumed by the next server, as after a stop that was not asked for.
        if tokio::time::timeout(RESUME_STOP_TIME, self.resuming).await.is_err() {
            log::info("stop", "work that was resumed alone did not end in time");
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
        let resuming = tokio::spawn(self.clone().resume_suspects_forever());
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
        Ok(Jobs { service: self.clone(), purchasing, labelling, manifesting, delivering, resuming, runtime })
    }
}

/// Lets other threads go first. Where the machine does not allow it, it is as it would be without.
fn step_back() {
    let _as_before = rustix::process::setpriority_process(None, DELIVERY_NICENESS);
}
