//! Print agents: they claim jobs of printers in their network, fetch the documents, and report what came of each job.

use bytes::Bytes;
use model::fulfilment::print_job::{
    ClaimInput, ClaimedDocument, PrintClaim, PrintJob, ResultInput, Status, TryOutcome,
};
use model::fulfilment::print_rendition::Rendition;
use model::{Code, Error, Id, Owner, Printer, Result, Scope, Timestamp, ensure};
use serde_json::json as object;
use store::Tx;
use store::fulfilment::print_queues::{self, PrintQueue};
use store::fulfilment::{print_jobs, printers};
use store::shipping::documents as stored_documents;
use store::shipping::documents::StoredDocument;

use super::change::{read_job, release_after, write_job};
use super::create::unknown_printer;
use super::make_file::{media_type, served};
use super::{PrintJobs, documents};
use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::access::write::Command;
use crate::events::events::EventLog;
use crate::platform::resource::{found, version_etag};
use crate::platform::wait_deadline::{Wait, WaitDeadline};

/// How long a claimed job is an agent's, in seconds.
const LEASE_SECONDS: i64 = 300;
/// Jobs that an agent claims at once, each of another printer.
const CLAIMS_MAX: usize = 10;

impl PrintJobs {
    /// Claims the next job of each printer that an agent serves and that is free, up to a limit. If there is none, waits for one.
    pub async fn claim_jobs(&self, command: Command, input: ClaimInput, wait: Wait) -> Result<Reply> {
        let scope = Scope::parse("printers:read").ok_or_else(|| Error::fault("printers have no scope"))?;
        command.caller.require(scope)?;
        let mut deadline = WaitDeadline::new(wait, self.state.work.subscribe());
        let owner = command.caller.owner;
        while !deadline.is_over() {
            let now = self.context.now();
            let look = async move |tx: &mut Tx<'_>| print_queues::ready_printers(tx, owner, now).await;
            let ready = self.context.db().read(owner, look).await?;
            let is_served =
                |printer: &Id<Printer>| input.printer_ids.is_empty() || input.printer_ids.contains(printer);
            if ready.iter().any(is_served) {
                break;
            }
            deadline.rest().await;
        }
        self.claim_now(command, input).await
    }

    async fn claim_now(&self, command: Command, input: ClaimInput) -> Result<Reply> {
        let (owner, now) = (command.caller.owner, self.context.now());
        let log = self.context.event_log(&command.caller, owner, now);
        let claim = async move |tx: &mut Tx<'_>| {
            for (place, printer) in input.printer_ids.iter().enumerate() {
                if printers::get(tx, owner, *printer).await?.is_none() {
                    return Err(unknown_printer(&format!("/printer_ids/{place}")));
                }
            }
            let is_served =
                |printer: Id<Printer>| input.printer_ids.is_empty() || input.printer_ids.contains(&printer);
            let mut claims = Vec::new();
            for queue in print_queues::ready(tx, owner, now).await? {
                if claims.len() < CLAIMS_MAX && is_served(queue.printer) {
                    claims.extend(claim_next(tx, &queue, now, &log).await?);
                }
            }
            Ok(Reply::done(object!({ "data": claims }).to_string()))
        };
        self.context.write(&command, claim).await
    }

    /// Returns a document of a claimed job with its bytes, by its place in the job from 1 on. From now on a byte of it may have left.
    pub async fn content(
        &self,
        caller: &Caller,
        id: Id<PrintJob>,
        fence: Option<i64>,
        place: i64,
    ) -> Result<(StoredDocument, Bytes)> {
        let owner = caller.owner;
        let find = async move |tx: &mut Tx<'_>| claimed(tx, owner, id, fence, place, false).await;
        let (document, sent_as) = self.context.db().read(owner, find).await?;
        // If the file can't be made or read, no byte of the job has left.
        let bytes = self.files.file(owner, &document, sent_as).await?;
        let begin = async move |tx: &mut Tx<'_>| claimed(tx, owner, id, fence, place, true).await;
        self.context.db().write(owner, begin).await?;
        Ok((served(document, sent_as, &bytes)?, bytes))
    }

    /// Records what an agent reports. A job that became uncertain because the report was late is still printed.
    pub async fn report(&self, command: Command, id: Id<PrintJob>, input: ResultInput) -> Result<Reply> {
        let (owner, now) = (command.caller.owner, self.context.now());
        let log = self.context.event_log(&command.caller, owner, now);
        let report = async move |tx: &mut Tx<'_>| {
            let printer = read_job(&found(print_jobs::get(tx, owner, id).await?)?)?.printer_id;
            let queue = print_queues::lock(tx, owner, printer).await?;
            let stored = found(print_jobs::get(tx, owner, id).await?)?;
            let before = read_job(&stored)?;
            let is_of_claim = stored.fence == input.fence;
            let held = queue.filter(|queue| queue.is_held_by_agent(input.fence));
            let is_sending = before.status == Status::Sending && held.is_some();
            let is_late_proof = before.status == Status::Uncertain && input.outcome == TryOutcome::Printed;
            ensure(is_of_claim && (is_sending || is_late_proof), Code::PrintClaimLost)?;
            let mut job = before.clone();
            job.end(input.outcome, input.message.as_deref(), now);
            let doc = write_job(tx, owner, &before, &job, (stored.fence, false), &log).await?;
            if let Some(queue) = held.filter(|_| is_sending) {
                release_after(tx, &queue, Some(&job), now).await?;
            }
            Ok(Reply::resource(version_etag(stored.version + 1), doc))
        };
        self.context.write(&command, report).await
    }
}

/// Returns a document of a job that an agent holds, and how it is sent. If it `begins`, records that a byte of the job may leave
/// from now on.
async fn claimed(
    tx: &mut Tx<'_>,
    owner: Owner,
    id: Id<PrintJob>,
    fence: Option<i64>,
    place: i64,
    begins: bool,
) -> Result<(StoredDocument, Option<Rendition>)> {
    let printer = read_job(&found(print_jobs::get(tx, owner, id).await?)?)?.printer_id;
    let queue = match begins {
        true => print_queues::lock(tx, owner, printer).await?,
        false => print_queues::get(tx, owner, printer).await?,
    };
    let stored = found(print_jobs::get(tx, owner, id).await?)?;
    let job = read_job(&stored)?;
    let is_claimed = job.status == Status::Sending
        && queue.is_some_and(|queue| queue.is_held_by_agent(stored.fence))
        && fence.is_none_or(|fence| fence == stored.fence);
    ensure(is_claimed, Code::PrintClaimLost)?;
    let place = usize::try_from(place - 1).map_err(Error::fault)?;
    let document = found(job.document_ids.get(place).copied())?;
    let document = found(stored_documents::find(tx, owner, document).await?)?;
    if begins {
        print_jobs::set_begun(tx, owner, id).await?;
    }
    Ok((document, job.sent_as.get(place).copied()))
}

/// Claims the next job of a locked queue. `None` if there is none that can be printed.
async fn claim_next(
    tx: &mut Tx<'_>,
    queue: &PrintQueue,
    now: Timestamp,
    log: &EventLog,
) -> Result<Option<PrintClaim>> {
    let owner = queue.owner;
    let Some(stored) = print_jobs::first(tx, owner, queue.printer, Status::Queued).await? else {
        print_queues::release(tx, queue, None).await?;
        return Ok(None);
    };
    let before = read_job(&stored)?;
    let mut job = before.clone();
    job.begin(now);
    let Some(files) = documents::all(tx, owner, &job.document_ids).await? else {
        job.end(TryOutcome::Failed, Some("A document of the job is gone."), now);
        write_job(tx, owner, &before, &job, (stored.fence, false), log).await?;
        release_after(tx, queue, Some(&job), now).await?;
        return Ok(None);
    };
    let printer = found(printers::get(tx, owner, queue.printer).await?)?;
    let printer = serde_json::from_str(&printer.doc).map_err(Error::fault)?;
    let lease_expires_at = now.plus_seconds(LEASE_SECONDS);
    let fence = print_queues::take(tx, queue, lease_expires_at).await?;
    write_job(tx, owner, &before, &job, (fence, false), log).await?;
    let claimed = |(place, document): (usize, StoredDocument)| {
        let sent_as = job.sent_as.get(place).copied();
        let is_stored = !sent_as.is_some_and(|rendition| rendition.is_converted);
        ClaimedDocument {
            id: document.file.id,
            file_type: media_type(&document, sent_as),
            file_size: is_stored.then_some(document.file.file_size),
        }
    };
    let documents = files.into_iter().enumerate().map(claimed).collect();
    Ok(Some(PrintClaim { print_job: job, printer, documents, fence, lease_expires_at }))
}
