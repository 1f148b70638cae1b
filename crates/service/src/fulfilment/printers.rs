//! Printers: create, read, change, delete.

use model::fulfilment::printer::{Connection, PRINTERS_MAX, Printer, PrinterInput, PrinterKind};
use model::platform::json::{parse as parse_json, previous_attributes};
use model::platform::problem::Issue;
use model::platform::shape;
use model::{Code, Error, Event, Id, Owner, Problem, Result, ensure};
use printing::{Protocol, Sender};
use serde_json::Value;
use store::Tx;
use store::fulfilment::printers::{self, Placed};
use store::fulfilment::{print_jobs, print_queues};
use store::places::location_configurations;

use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::access::write::{Command, ensure_current};
use crate::places::rule_users::rules_naming;
use crate::platform::context::Context;
use crate::platform::cursor::{ListQuery, Listing};
use crate::platform::resource::{found, json, version_etag};

/// Shipping rules that a refusal to delete a printer names at most.
const RULES_NAMED_MAX: usize = 10;

/// Operations on printers.
#[derive(Clone)]
pub struct Printers {
    context: Context,
    sender: Sender,
}

impl Printers {
    pub(crate) fn new(context: &Context, sender: &Sender) -> Self {
        Self { context: context.clone(), sender: sender.clone() }
    }

    pub async fn create(&self, command: Command, input: PrinterInput) -> Result<Reply> {
        ensure_reachable(&self.sender, &input)?;
        let now = self.context.now();
        let owner = command.caller.owner;
        let id = self.context.new_id::<Printer>(now);
        let new = Printer { id, details: input, created_at: now, updated_at: now };
        let doc = json(&new)?;
        let log = self.context.event_log(&command.caller, owner, now);
        let create = async move |tx: &mut Tx<'_>| {
            printers::lock(tx, owner).await?;
            let is_room = printers::count(tx, owner).await? < PRINTERS_MAX as i64;
            ensure(is_room, Code::TooManyPrinters)?;
            ensure_usable(tx, owner, id, &new.details).await?;
            printers::insert(tx, owner, id, &doc, &placed(&new.details)).await?;
            print_queues::insert(tx, owner, id, new.details.connection == Connection::Agent).await?;
            log.append(tx, &Event::new("printer.created", id, &doc)).await?;
            Ok(Reply::created(format!("/printers/{id}"), Some(version_etag(1)), doc.clone()))
        };
        self.context.write(&command, create).await
    }

    pub async fn get(&self, caller: &Caller, id: Id<Printer>) -> Result<Reply> {
        let owner = caller.owner;
        let read = self.context.db().read(owner, async move |tx| found(printers::get(tx, owner, id).await?));
        let stored = read.await?;
        Ok(Reply::resource(version_etag(stored.version), stored.doc))
    }

    pub async fn list(&self, caller: &Caller, query: ListQuery) -> Result<Listing> {
        let owner = caller.owner;
        let start = self.context.start(owner, &query)?;
        let limit = query.limit;
        let read =
            self.context.db().read(owner, async move |tx| printers::page(tx, owner, &start, limit).await);
        let page = read.await?;
        self.context.listing(owner, &query, page)
    }

    pub async fn update(&self, command: Command, id: Id<Printer>, patch: Value) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let log = self.context.event_log(&command.caller, owner, now);
        let sender = self.sender.clone();
        let update = async move |tx: &mut Tx<'_>| {
            printers::lock(tx, owner).await?;
            let stored = found(printers::get_for_update(tx, owner, id).await?)?;
            ensure_current(&precondition, &version_etag(stored.version))?;
            let old = parse_json(stored.doc.as_bytes())?;
            let before: Printer = serde_json::from_value(old.clone()).map_err(Error::fault)?;
            let details: PrinterInput = shape::parse_patch(old.clone(), patch.clone())?;
            ensure_reachable(&sender, &details)?;
            ensure_usable(tx, owner, id, &details).await?;
            move_queue(tx, owner, &before, &details).await?;
            let new = Printer { id, details, created_at: before.created_at, updated_at: now };
            let shown = serde_json::to_value(&new).map_err(Error::fault)?;
            let doc = shown.to_string();
            printers::update(tx, owner, id, &doc, &placed(&new.details)).await?;
            let event = Event::new("printer.updated", id, &doc);
            log.append(tx, &event.changed_from(previous_attributes(&old, &shown))).await?;
            Ok(Reply::resource(version_etag(stored.version + 1), doc))
        };
        self.context.write(&command, update).await
    }

    /// Deletes a printer that has no open jobs and that no shipping rule names. Jobs that ended keep its id.
    pub async fn delete(&self, command: Command, id: Id<Printer>) -> Result<Reply> {
        let now = self.context.now();
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let log = self.context.event_log(&command.caller, owner, now);
        let delete = async move |tx: &mut Tx<'_>| {
            let old = found(printers::get_for_update(tx, owner, id).await?)?;
            ensure_current(&precondition, &version_etag(old.version))?;
            ensure_idle(tx, owner, id).await?;
            ensure_not_in_rules(tx, owner, id).await?;
            print_queues::delete(tx, owner, id).await?;
            printers::delete(tx, owner, id).await?;
            log.append(tx, &Event::new("printer.deleted", id, &old.doc)).await?;
            Ok(Reply::gone())
        };
        self.context.write(&command, delete).await
    }
}

/// Returns the protocol of a printer as the sender names it.
pub(super) fn protocol(kind: PrinterKind) -> Protocol {
    match kind {
        PrinterKind::Raw => Protocol::Raw,
        PrinterKind::Ipp => Protocol::Ipp,
    }
}

fn placed(details: &PrinterInput) -> Placed<'_> {
    Placed { location: details.location_id, purposes: &details.is_default_for }
}

/// Refuses the address of a direct printer to which the server may not connect. The addresses of a name are judged at each
/// connection; an agent judges the addresses of its printers itself.
fn ensure_reachable(sender: &Sender, details: &PrinterInput) -> Result<()> {
    if details.connection == Connection::Agent {
        return Ok(());
    }
    let read = sender.destination(protocol(details.kind), &details.address);
    read.map(drop).map_err(|refusal| {
        let code = Code::PrinterAddressNotAllowed;
        Problem::field(code, Issue::new(code.as_str(), "/address", refusal.to_string())).into()
    })
}

/// Refuses a location that does not exist, and to be the default where another printer is. The location can't be deleted until
/// this transaction ends.
async fn ensure_usable(tx: &mut Tx<'_>, owner: Owner, id: Id<Printer>, details: &PrinterInput) -> Result<()> {
    if let Some(location) = details.location_id
        && !location_configurations::hold_location(tx, owner, location).await?
    {
        let code = Code::LocationNotFound;
        let issue = Issue::new(code.as_str(), "/location_id", "There is no such location.");
        return Err(Problem::field(code, issue).into());
    }
    let mut taken = Vec::new();
    for (place, purpose) in details.is_default_for.iter().enumerate() {
        let user = printers::default_for(tx, owner, *purpose, details.location_id).await?;
        if let Some(user) = user.filter(|user| *user != id) {
            let message = format!("The printer {user} is the default for `{}` there.", purpose.as_str());
            let issue =
                Issue::new(Code::DefaultPrinterTaken.as_str(), format!("/is_default_for/{place}"), message);
            taken.push(issue.with("printer_id", user.to_string()));
        }
    }
    match taken.is_empty() {
        true => Ok(()),
        false => Err(Problem::fields(Code::DefaultPrinterTaken, taken).into()),
    }
}

/// Refuses to move a printer that has open jobs, because they are sent to where it was; otherwise gives its queue to the server or
/// to agents.
async fn move_queue(tx: &mut Tx<'_>, owner: Owner, before: &Printer, after: &PrinterInput) -> Result<()> {
    let old = &before.details;
    if (old.kind, old.connection, &old.address) == (after.kind, after.connection, &after.address) {
        return Ok(());
    }
    ensure_idle(tx, owner, before.id).await?;
    print_queues::set_agent(tx, owner, before.id, after.connection == Connection::Agent).await
}

/// Refuses to delete a printer that shipping rules name: without it, their labels would be printed elsewhere.
async fn ensure_not_in_rules(tx: &mut Tx<'_>, owner: Owner, id: Id<Printer>) -> Result<()> {
    let rules = rules_naming(tx, owner, id, "printer_id", RULES_NAMED_MAX).await?;
    if rules.is_empty() {
        return Ok(());
    }
    let sentences: Vec<_> = rules.iter().map(|rule| rule.message.as_str()).collect();
    let detail = Some(sentences.join(" "));
    Err(Problem { code: Code::PrinterInUse, detail, issues: rules }.into())
}

/// Refuses a printer that has open jobs. No job can be made for it until this transaction ends.
async fn ensure_idle(tx: &mut Tx<'_>, owner: Owner, id: Id<Printer>) -> Result<()> {
    use model::fulfilment::print_job::Status;
    found(print_queues::lock(tx, owner, id).await?)?;
    for status in [Status::Sending, Status::Queued] {
        let open = print_jobs::first(tx, owner, id, status).await?;
        ensure(open.is_none(), Code::PrinterInUse)?;
    }
    Ok(())
}
