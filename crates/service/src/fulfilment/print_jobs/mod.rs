//! Print jobs: documents that are sent to a printer, once.
//!
//! The jobs of a printer are a queue. One node, or one agent, works on a queue at a time, under a fence. The intent to send a job
//! is committed twice: that it is the next one (`sending`), and, once the printer was reached, that a byte may leave (`is_begun`).
//! So after a crash it is known whether a job may be sent again: before the second commit it may, after it a printer that lists
//! its jobs is asked, and for any other printer the job is `uncertain`.

mod agent;
mod change;
mod claim;
mod create;
mod documents;
mod make_file;
mod printer_choice;
mod renditions;
mod turn;

use std::sync::Arc;

use model::fulfilment::print_job::Status;
use model::{Code, Id, PrintJob, Result, ensure};
use printing::Sender;
use store::Tx;
use store::fulfilment::{print_jobs, print_queues};
use tokio::sync::Semaphore;

use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::access::write::{Command, ensure_current};
use crate::platform::context::Context;
use crate::platform::cursor::{ListQuery, Listing};
use crate::platform::nodes::Nodes;
use crate::platform::resource::{found, version_etag};
use crate::platform::runner::{Counts, Totals};
use crate::platform::signal::Signal;
use change::{read_job, shown, write_job};
pub(crate) use create::queue_labels;
pub(crate) use make_file::Needs;
use make_file::PrintFiles;

pub use store::fulfilment::print_jobs::PrintJobFilter;

/// Memory for files that are being sent, in mebibytes. A job takes as much as its files have.
const MEMORY_MIB: usize = 256;

/// The state that all print jobs of a node share.
struct State {
    /// Changes when there may be something to print.
    work: Signal,
    counts: Arc<Counts>,
    /// Permits for mebibytes of files.
    memory: Arc<Semaphore>,
}

/// Print jobs. Clones share their state.
#[derive(Clone)]
pub struct PrintJobs {
    context: Context,
    nodes: Nodes,
    files: PrintFiles,
    sender: Sender,
    state: Arc<State>,
}

impl PrintJobs {
    pub(crate) fn new(context: &Context, nodes: &Nodes, needs: &Needs<'_>, sender: &Sender) -> Self {
        let (work, counts, memory) =
            (Signal::default(), Arc::default(), Arc::new(Semaphore::new(MEMORY_MIB)));
        Self {
            context: context.clone(),
            nodes: nodes.clone(),
            files: PrintFiles::new(context, needs),
            sender: sender.clone(),
            state: Arc::new(State { work, counts, memory }),
        }
    }

    /// Returns the counters of this node's turns.
    pub fn turn_totals(&self) -> Totals {
        self.state.counts.totals()
    }

    /// Notifies the claiming task that there may be something to print.
    pub(crate) fn notify(&self) {
        self.state.work.notify();
    }

    pub async fn get(&self, caller: &Caller, id: Id<PrintJob>) -> Result<Reply> {
        let owner = caller.owner;
        let read =
            self.context.db().read(owner, async move |tx| found(print_jobs::get(tx, owner, id).await?));
        let stored = read.await?;
        Ok(Reply::resource(version_etag(stored.version), shown(&stored.doc)?))
    }

    pub async fn list(&self, caller: &Caller, query: ListQuery, filter: PrintJobFilter) -> Result<Listing> {
        let owner = caller.owner;
        let start = self.context.start(owner, &query)?;
        let limit = query.limit;
        let read = self
            .context
            .db()
            .read(owner, async move |tx| print_jobs::page(tx, owner, filter, &start, limit).await);
        let page = read.await?.try_map(|doc| shown(&doc))?;
        self.context.listing(owner, &query, page)
    }

    /// Cancels a job that waits.
    pub async fn cancel(&self, command: Command, id: Id<PrintJob>) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let log = self.context.event_log(&command.caller, owner, now);
        let cancel = async move |tx: &mut Tx<'_>| {
            let printer = read_job(&found(print_jobs::get(tx, owner, id).await?)?)?.printer_id;
            // A printer is deleted only after its jobs have ended.
            print_queues::lock(tx, owner, printer).await?;
            let stored = found(print_jobs::get(tx, owner, id).await?)?;
            ensure_current(&precondition, &version_etag(stored.version))?;
            let before = read_job(&stored)?;
            ensure(before.status == Status::Queued, Code::PrintJobNotQueued)?;
            let mut job = before.clone();
            job.cancel(now);
            let doc = write_job(tx, owner, &before, &job, (stored.fence, false), &log).await?;
            Ok(Reply::resource(version_etag(stored.version + 1), doc))
        };
        self.context.write(&command, cancel).await
    }
}
