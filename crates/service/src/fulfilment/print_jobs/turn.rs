//! A turn: the work on the queue of a printer while this node holds it.

use std::sync::Arc;
use std::time::Duration;

use model::events::actor::Actor;
use model::fulfilment::print_job::{PrintJob, Status, TryOutcome};
use model::fulfilment::printer::Printer;
use model::{Code, Error, Owner, Result};
use printing::{Destination, File, Job, Outcome};
use store::Tx;
use store::fulfilment::print_queues::{self, PrintQueue};
use store::fulfilment::{print_jobs, printers};
use store::shipping::documents::StoredDocument;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::sleep;
use tracing::{Instrument, error_span, info, warn};

use super::change::{read_job, release_after, write_job};
use super::make_file::{media_type, memory_bytes};
use super::{MEMORY_MIB, PrintJobs, documents};
use crate::events::events::EventLog;
use crate::fulfilment::printers::protocol;
use crate::platform::lookups::party;
use crate::platform::resource::found;
use crate::shipping::purchasing::insist;

/// How long a job that is being sent may go on once the server is told to stop.
const STOP_GRACE: Duration = Duration::from_secs(15);

/// A job that is this node's to send, or to look for.
struct Work {
    job: PrintJob,
    printer: Printer,
    documents: Vec<StoredDocument>,
    /// Whether a byte of it may have left before: its printer is asked, and nothing is sent.
    is_begun: bool,
}

/// What a look at the queue found.
enum Next {
    Work(Box<Work>),
    /// Nothing is due, and the queue is released.
    Done,
    /// Another node holds the queue.
    Lost,
}

/// How a job ended for this node.
enum Ended {
    Outcome(Outcome),
    /// The server stops: the next holder of the queue finds out what became of the job.
    Left,
    Lost,
}

impl PrintJobs {
    /// Sends the jobs of a printer one after the other. On return the claim is released. If that fails, the node takes another
    /// name, so that other nodes can take over.
    pub(crate) async fn print_turn(self, node: Arc<str>, queue: PrintQueue) -> Result<()> {
        let (printer, organisation) = (queue.printer, queue.owner);
        let span = error_span!("printing", %printer, %organisation, %node);
        Box::pin(self.take_print_turn(node, queue)).instrument(span).await
    }

    async fn take_print_turn(self, node: Arc<str>, queue: PrintQueue) -> Result<()> {
        let done = self.print_all(&node, &queue).await;
        if let Err(error) = &done {
            warn!(%error, "print queue not released: it is left to other nodes");
            if self.nodes.is_node(&node) {
                self.nodes.disown();
            }
        }
        done
    }

    async fn print_all(&self, node: &str, queue: &PrintQueue) -> Result<()> {
        loop {
            if self.context.stop().is_cancelled() || !self.nodes.is_node(node) {
                return self.let_go(queue).await;
            }
            let work = match self.next(queue).await? {
                Next::Work(work) => work,
                Next::Done | Next::Lost => return Ok(()),
            };
            let ended = self.print_work(queue, &work).await?;
            let has_more = match ended {
                Ended::Outcome(outcome) => self.insist_on(queue, &work, &outcome).await?,
                Ended::Left => return self.let_go(queue).await,
                Ended::Lost => return Ok(()),
            };
            if !has_more {
                return Ok(());
            }
        }
    }

    /// Settles what an earlier holder left behind, and takes the next job. Its status is committed before anything is sent.
    async fn next(&self, claim: &PrintQueue) -> Result<Next> {
        let (owner, now) = (claim.owner, self.context.now());
        let (claim, log) = (claim.clone(), self.context.event_log(Actor::Job("print_jobs"), owner, now));
        let next = self.context.db().write(owner, async move |tx| {
            let queue = print_queues::lock(tx, owner, claim.printer).await?;
            let Some(queue) = queue.filter(|queue| queue.is_held_by(&claim)) else { return Ok(Next::Lost) };
            if let Some(work) = left_behind(tx, &queue, &log).await? {
                return Ok(Next::Work(Box::new(work)));
            }
            let head = print_jobs::first(tx, owner, queue.printer, Status::Queued).await?;
            let Some(head) = head.filter(|_| !queue.is_agent) else {
                release_after(tx, &queue, None, now).await?;
                return Ok(Next::Done);
            };
            let before = read_job(&head)?;
            let mut job = before.clone();
            job.begin(now);
            write_job(tx, owner, &before, &job, (queue.fence, false), &log).await?;
            load(tx, &queue, job, false).await.map(|work| Next::Work(Box::new(work)))
        });
        let next = next.await?;
        self.context.notice(owner);
        Ok(next)
    }

    /// Sends a job, or asks its printer what became of it.
    async fn print_work(&self, queue: &PrintQueue, work: &Work) -> Result<Ended> {
        let details = &work.printer.details;
        if work.documents.len() < work.job.document_ids.len() {
            return Ok(Ended::Outcome(Outcome::Failed("A document of the job is gone.".to_owned())));
        }
        let sender = self.sender.of(party(queue.owner));
        let destination = match sender.destination(protocol(details.kind), &details.address) {
            Ok(destination) => destination,
            Err(refusal) => return Ok(Ended::Outcome(Outcome::Unsent(refusal.to_string()))),
        };
        let (job, _memory) = match self.files_of(queue.owner, work).await {
            Ok(files) => files,
            Err(Error::Refused(problem)) if problem.code == Code::PrintFormatUnsupported => {
                let why =
                    problem.detail.unwrap_or_else(|| "A file can't be made for the printer.".to_owned());
                return Ok(Ended::Outcome(Outcome::Failed(why)));
            }
            Err(error) => {
                warn!(%error, job = %work.job.id, "files of a print job can't be read, retrying");
                let why = "The documents can't be read from the file store at the moment.".to_owned();
                return Ok(Ended::Outcome(Outcome::Unsent(why)));
            }
        };
        match work.is_begun {
            true => Ok(self.until_stop(sender.find(&destination, &job)).await),
            false => self.send(queue, work, &sender, &destination, &job).await,
        }
    }

    async fn send(
        &self,
        queue: &PrintQueue,
        work: &Work,
        sender: &printing::Sender,
        destination: &Destination,
        job: &Job,
    ) -> Result<Ended> {
        let printer = match sender.open(destination).await {
            Ok(printer) => printer,
            Err(outcome) => return Ok(Ended::Outcome(outcome)),
        };
        if !self.record_begun(queue, work).await? {
            return Ok(Ended::Lost);
        }
        Ok(self.until_stop(printer.print(job)).await)
    }

    /// Waits for the outcome, unless the server stops and the printer takes too long.
    async fn until_stop(&self, outcome: impl Future<Output = Outcome>) -> Ended {
        let stopped = async {
            self.context.stop().cancelled().await;
            sleep(STOP_GRACE).await;
        };
        tokio::select! {
            outcome = outcome => Ended::Outcome(outcome),
            () = stopped => Ended::Left,
        }
    }

    /// Records that a byte may leave from now on. Returns false if another node holds the queue.
    async fn record_begun(&self, claim: &PrintQueue, work: &Work) -> Result<bool> {
        let (owner, claim, id) = (claim.owner, claim.clone(), work.job.id);
        let begin = self.context.db().write(owner, async move |tx| {
            let queue = print_queues::lock(tx, owner, claim.printer).await?;
            let is_held = queue.is_some_and(|queue| queue.is_held_by(&claim));
            if is_held {
                print_jobs::set_begun(tx, owner, id).await?;
            }
            Ok(is_held)
        });
        begin.await
    }

    async fn insist_on(&self, queue: &PrintQueue, work: &Work, outcome: &Outcome) -> Result<bool> {
        let mut attempt = 1;
        loop {
            match self.record(queue, work, outcome).await {
                Ok(has_more) => return Ok(has_more),
                Err(error) => insist("what came of a print job", &mut attempt, error).await?,
            }
        }
    }

    /// Records what came of a job. Returns whether the next job of the queue may be sent: not if this one was not sent, because
    /// its printer is probably off, nor if another node holds the queue.
    async fn record(&self, claim: &PrintQueue, work: &Work, outcome: &Outcome) -> Result<bool> {
        let (owner, now) = (claim.owner, self.context.now());
        let (claim, id, log) =
            (claim.clone(), work.job.id, self.context.event_log(Actor::Job("print_jobs"), owner, now));
        let (tried, message) = told(outcome);
        let record = self.context.db().write(owner, async move |tx| {
            let queue = print_queues::lock(tx, owner, claim.printer).await?;
            let Some(queue) = queue.filter(|queue| queue.is_held_by(&claim)) else { return Ok(None) };
            let stored = found(print_jobs::get(tx, owner, id).await?)?;
            let before = read_job(&stored)?;
            if before.status != Status::Sending {
                return Ok(None);
            }
            let mut job = before.clone();
            job.end(tried, message.as_deref(), now);
            write_job(tx, owner, &before, &job, (queue.fence, false), &log).await?;
            if tried == TryOutcome::Unsent {
                release_after(tx, &queue, Some(&job), now).await?;
            }
            Ok(Some(job.status))
        });
        let status = record.await?;
        self.context.notice(owner);
        let word = status.map_or("lost", Status::as_str);
        info!(job = %id, status = word, "print job tried");
        Ok(status.is_some() && tried != TryOutcome::Unsent)
    }

    /// Releases the queue without a change of its jobs.
    async fn let_go(&self, claim: &PrintQueue) -> Result<()> {
        let (owner, now, claim) = (claim.owner, self.context.now(), claim.clone());
        let release = self.context.db().write(owner, async move |tx| {
            match print_queues::lock(tx, owner, claim.printer).await?.filter(|queue| queue.is_held_by(&claim))
            {
                // Due at once: the next holder goes on.
                Some(queue) => print_queues::release_due(tx, &queue, now).await,
                None => Ok(()),
            }
        });
        release.await
    }

    /// Returns the job with its files, and the memory that they take.
    async fn files_of(&self, owner: Owner, work: &Work) -> Result<(Job, OwnedSemaphorePermit)> {
        let sent_as = |place: usize| work.job.sent_as.get(place).copied();
        let sizes = work.documents.iter().enumerate();
        let bytes: i64 = sizes.map(|(place, document)| memory_bytes(document, sent_as(place))).sum();
        let mebibytes = (bytes.unsigned_abs() >> 20) + 1;
        let permits = u32::try_from(mebibytes.min(MEMORY_MIB as u64)).map_err(Error::fault)?;
        let memory =
            Arc::clone(&self.state.memory).acquire_many_owned(permits).await.map_err(Error::fault)?;
        let mut files = Vec::with_capacity(work.documents.len());
        for (place, document) in work.documents.iter().enumerate() {
            // The files of a job that was sent already are not needed to look for it.
            let bytes = match work.is_begun {
                true => bytes::Bytes::new(),
                false => self.files.file(owner, document, sent_as(place)).await?,
            };
            files.push(File { media_type: media_type(document, sent_as(place)), bytes });
        }
        let job = Job {
            name: work.job.id.to_string(),
            copies: work.job.copies,
            media: work.printer.details.media.clone(),
            files,
            may_be_known: work.job.tries > 1,
        };
        Ok((job, memory))
    }
}

/// Settles the job that an earlier holder of the queue was sending. Returns one whose printer must be asked what became of it.
async fn left_behind(tx: &mut Tx<'_>, queue: &PrintQueue, log: &EventLog) -> Result<Option<Work>> {
    let Some(stored) = print_jobs::first(tx, queue.owner, queue.printer, Status::Sending).await? else {
        return Ok(None);
    };
    let before = read_job(&stored)?;
    if stored.is_begun && !queue.is_agent {
        return load(tx, queue, before, true).await.map(Some);
    }
    let (outcome, message) = match (queue.is_agent, stored.is_begun) {
        (true, true) => (
            TryOutcome::Uncertain,
            "The print agent fetched the documents and did not report in time. Look at the printer, and reprint if nothing came out.",
        ),
        (true, false) => {
            (TryOutcome::Unsent, "The print agent did not report in time, and had fetched nothing.")
        }
        (false, _) => (TryOutcome::Unsent, "The server stopped before it sent anything."),
    };
    let mut job = before.clone();
    job.end(outcome, Some(message), log.moment());
    write_job(tx, queue.owner, &before, &job, (stored.fence, stored.is_begun), log).await?;
    Ok(None)
}

async fn load(tx: &mut Tx<'_>, queue: &PrintQueue, job: PrintJob, is_begun: bool) -> Result<Work> {
    let stored = found(printers::get(tx, queue.owner, queue.printer).await?)?;
    let printer = serde_json::from_str(&stored.doc).map_err(Error::fault)?;
    let documents = documents::all(tx, queue.owner, &job.document_ids).await?.unwrap_or_default();
    Ok(Work { job, printer, documents, is_begun })
}

/// Returns an outcome as a job records it.
fn told(outcome: &Outcome) -> (TryOutcome, Option<String>) {
    match outcome {
        Outcome::Printed => (TryOutcome::Printed, None),
        Outcome::Unsent(why) => (TryOutcome::Unsent, Some(why.clone())),
        Outcome::Failed(why) => (TryOutcome::Failed, Some(why.clone())),
        Outcome::Uncertain(why) => (TryOutcome::Uncertain, Some(why.clone())),
    }
}
