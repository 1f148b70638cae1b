//! Making print jobs: new ones, and those that print an earlier one again.

use model::fulfilment::print_job::{PrintJob, PrintJobInput, Status};
use model::fulfilment::printer::Printer;
use model::platform::problem::Issue;
use model::{Code, Document, Error, Event, Id, Owner, Problem, Result, Timestamp, ensure};
use store::Tx;
use store::fulfilment::{print_jobs, print_queues, printers};
use store::shipping::documents::StoredDocument;

use super::PrintJobs;
use super::change::read_job;
use super::documents::{ensure_sendable, readable};
use super::printer_choice::default_printer;
use super::renditions::{labels_to_print, renditions};
use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::access::write::Command;
use crate::events::events::EventLog;
use crate::platform::resource::{found, json, version_etag};

/// What is to be printed.
struct Wanted {
    id: Id<PrintJob>,
    documents: Vec<Id<Document>>,
    printer: Option<Id<Printer>>,
    copies: u32,
    reprint_of: Option<Id<PrintJob>>,
}

impl PrintJobs {
    pub async fn create(&self, command: Command, input: PrintJobInput) -> Result<Reply> {
        let now = self.context.now();
        let caller = command.caller;
        let log = self.context.event_log(&command.caller, caller.owner, now);
        let wanted = Wanted {
            id: self.context.new_id(now),
            documents: input.document_ids,
            printer: input.printer_id,
            copies: input.copies,
            reprint_of: None,
        };
        let create = async move |tx: &mut Tx<'_>| make(tx, &caller, &wanted, now, &log).await;
        let reply = self.context.write(&command, create).await?;
        self.notify();
        Ok(reply)
    }

    /// Makes a job that prints the documents of one that has ended, so often and on the same printer.
    pub async fn reprint(&self, command: Command, id: Id<PrintJob>) -> Result<Reply> {
        let now = self.context.now();
        let caller = command.caller;
        let log = self.context.event_log(&command.caller, caller.owner, now);
        let new = self.context.new_id(now);
        let reprint = async move |tx: &mut Tx<'_>| {
            let old = read_job(&found(print_jobs::get(tx, caller.owner, id).await?)?)?;
            ensure(!old.status.is_open(), Code::PrintJobOpen)?;
            let wanted = Wanted {
                id: new,
                documents: old.document_ids,
                printer: Some(old.printer_id),
                copies: old.copies,
                reprint_of: Some(id),
            };
            make(tx, &caller, &wanted, now, &log).await
        };
        let reply = self.context.write(&command, reprint).await?;
        self.notify();
        Ok(reply)
    }
}

async fn make(
    tx: &mut Tx<'_>,
    caller: &Caller,
    wanted: &Wanted,
    now: Timestamp,
    log: &EventLog,
) -> Result<Reply> {
    let owner = caller.owner;
    let documents = readable(tx, caller, &wanted.documents).await?;
    let printer_id = match wanted.printer {
        Some(printer) => printer,
        None => default_printer(tx, owner, &documents).await?,
    };
    let printer = lock_printer(tx, owner, printer_id).await?;
    let doc = queue(tx, owner, wanted, &printer, &documents, now, log).await?;
    Ok(Reply::created(format!("/print_jobs/{}", wanted.id), Some(version_etag(1)), doc))
}

/// Makes a job that prints the labels of a shipment on the printer that the shipping rules chose, else on the default printer. If there
/// are labels of a package in several formats, it takes one that the printer prints.
///
/// # Errors
///
/// Refuses labels that have no default printer, or that this can't print. Nothing is written then.
pub(crate) async fn queue_labels(
    tx: &mut Tx<'_>,
    owner: Owner,
    labels: &[StoredDocument],
    log: &EventLog,
) -> Result<Id<PrintJob>> {
    let printer_id = default_printer(tx, owner, labels).await?;
    let printer = lock_printer(tx, owner, printer_id).await?;
    let documents = labels_to_print(tx, owner, &printer, labels).await?;
    let wanted = Wanted {
        id: log.new_id(),
        documents: documents.iter().map(|document| document.file.id).collect(),
        printer: Some(printer_id),
        copies: 1,
        reprint_of: None,
    };
    queue(tx, owner, &wanted, &printer, &documents, log.now(), log).await?;
    Ok(wanted.id)
}

/// Locks the queue of a printer, which can't be deleted or moved until this transaction ends.
async fn lock_printer(tx: &mut Tx<'_>, owner: Owner, id: Id<Printer>) -> Result<Printer> {
    let queue = print_queues::lock(tx, owner, id).await?;
    let stored = printers::get(tx, owner, id).await?;
    let Some(stored) = stored.filter(|_| queue.is_some()) else { return Err(unknown_printer("/printer_id")) };
    serde_json::from_str(&stored.doc).map_err(Error::fault)
}

/// Writes a job for a locked printer, and returns it as it is shown.
async fn queue(
    tx: &mut Tx<'_>,
    owner: Owner,
    wanted: &Wanted,
    printer: &Printer,
    documents: &[StoredDocument],
    now: Timestamp,
    log: &EventLog,
) -> Result<String> {
    let printer_id = printer.id;
    let sent_as = renditions(tx, owner, printer, documents).await?;
    ensure_sendable(documents)?;
    let job = PrintJob {
        id: wanted.id,
        printer_id,
        document_ids: wanted.documents.clone(),
        sent_as,
        copies: wanted.copies,
        status: Status::Queued,
        tries: 0,
        next_try_at: None,
        message: None,
        reprint_of: wanted.reprint_of,
        printed_at: None,
        created_at: now,
        updated_at: now,
    };
    let doc = json(&job)?;
    print_jobs::insert(tx, owner, &job, &doc).await?;
    print_queues::wake(tx, owner, printer_id, now).await?;
    log.append(tx, &Event::new("print_job.created", job.id, &doc)).await?;
    Ok(doc)
}

/// Returns the refusal of a printer that does not exist.
pub(super) fn unknown_printer(field: &str) -> Error {
    let code = Code::PrinterNotFound;
    Problem::field(code, Issue::new(code.as_str(), field.to_owned(), "There is no such printer.")).into()
}
