//! Reading and writing a job in a transaction that has locked its queue.

use model::fulfilment::print_job::{PrintJob, Status};
use model::{Error, Event, Owner, Result, Timestamp};
use store::Tx;
use store::fulfilment::print_jobs::{self, StoredPrintJob};
use store::fulfilment::print_queues::{self, PrintQueue};

use crate::events::events::EventLog;
use crate::platform::resource::{json, previous};

pub fn read_job(stored: &StoredPrintJob) -> Result<PrintJob> {
    serde_json::from_str(&stored.doc).map_err(Error::fault)
}

/// Returns a stored job as it is shown: what was stored before a job had all of its fields shows the others as empty.
pub fn shown(doc: &str) -> Result<String> {
    let job: PrintJob = serde_json::from_str(doc).map_err(Error::fault)?;
    json(&job)
}

/// Writes a job that has changed, with its event, and returns its document. `claim` is the fence under which it is sent, and
/// whether a byte of it may have left.
pub async fn write_job(
    tx: &mut Tx<'_>,
    owner: Owner,
    before: &PrintJob,
    job: &PrintJob,
    (fence, is_begun): (i64, bool),
    log: &EventLog,
) -> Result<String> {
    let doc = json(job)?;
    print_jobs::update(tx, owner, job, fence, is_begun, &doc).await?;
    let event = Event::new("print_job.updated", job.id, &doc).changed_from(previous(before, job)?);
    log.append(tx, &event).await?;
    Ok(doc)
}

/// Releases a queue after a try of this job. If it is still the next one, it is due after its pause; another one is due at once.
pub async fn release_after(
    tx: &mut Tx<'_>,
    queue: &PrintQueue,
    tried: Option<&PrintJob>,
    now: Timestamp,
) -> Result<()> {
    let head = print_jobs::first(tx, queue.owner, queue.printer, Status::Queued).await?;
    let due_at = match head.as_ref().map(read_job).transpose()? {
        None => None,
        Some(head) if tried.is_some_and(|tried| tried.id == head.id) => Some(head.next_try_at.unwrap_or(now)),
        Some(_) => Some(now),
    };
    print_queues::release(tx, queue, due_at).await
}
