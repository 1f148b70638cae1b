//! Imports: jobs that turn the rows of a file into resources.
//!
//! The file is stored first, as it is. One node works on an import at a time, under a claim, and reads the file from the recorded
//! position. The rows of some entries are written in one transaction, which also records the position behind them, what came of
//! them, and what is wrong with those that are refused. So each row is worked on once, whatever crashes.

mod apply;
mod change;
mod claim;
mod content;
mod create;
mod errors;
mod file;
mod group;
mod keys;
mod resources;
mod turn;

use std::sync::Arc;

use model::exchange::import::Status;
use model::{Id, Import, Result};
use store::Tx;
use store::exchange::{import_rows, imports};

use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::access::write::{Command, ensure_current};
use crate::platform::context::Context;
use crate::platform::cursor::{ListQuery, Listing};
use crate::platform::nodes::Nodes;
use crate::platform::resource::{found, version_etag};
use crate::platform::runner::{Counts, Totals};
use crate::platform::signal::Signal;
use crate::shipping::documents::Documents;
use change::{read_import, write_import};
pub use errors::FailedRows;

/// The state that all imports of a node share.
struct State {
    /// Changes when there may be something to do.
    work: Signal,
    counts: Arc<Counts>,
}

/// Imports. Clones share their state.
#[derive(Clone)]
pub struct Imports {
    context: Context,
    nodes: Nodes,
    documents: Documents,
    state: Arc<State>,
}

impl Imports {
    pub(crate) fn new(context: &Context, nodes: &Nodes, documents: &Documents) -> Self {
        let state = Arc::new(State { work: Signal::default(), counts: Arc::default() });
        Self { context: context.clone(), nodes: nodes.clone(), documents: documents.clone(), state }
    }

    /// Returns the counters of this node's turns.
    pub fn turn_totals(&self) -> Totals {
        self.state.counts.totals()
    }

    /// Notifies the claiming task that there may be an import to work on.
    fn notify(&self) {
        self.state.work.notify();
    }

    pub async fn get(&self, caller: &Caller, id: Id<Import>) -> Result<Reply> {
        let owner = caller.owner;
        let read = self.context.db().read(owner, async move |tx| found(imports::get(tx, owner, id).await?));
        let stored = read.await?;
        Ok(Reply::resource(version_etag(stored.version), stored.doc))
    }

    pub async fn list(&self, caller: &Caller, query: ListQuery, status: Option<Status>) -> Result<Listing> {
        let owner = caller.owner;
        let start = self.context.start(owner, &query)?;
        let limit = query.limit;
        let read = self
            .context
            .db()
            .read(owner, async move |tx| imports::page(tx, owner, status, &start, limit).await);
        let page = read.await?;
        self.context.listing(owner, &query, page)
    }

    /// Returns a page of what is wrong with rows, in the order of the file.
    pub async fn list_errors(&self, caller: &Caller, query: ListQuery, id: Id<Import>) -> Result<Listing> {
        let owner = caller.owner;
        let start = self.context.start(owner, &query)?;
        let limit = query.limit;
        let read = self.context.db().read(owner, async move |tx| {
            found(imports::get(tx, owner, id).await?)?;
            import_rows::errors(tx, owner, id, &start, limit).await
        });
        let page = read.await?;
        self.context.listing_in(store::Order::OldestFirst, owner, &query, page)
    }

    /// Ends an import before all rows are read. What was written stays.
    pub async fn cancel(&self, command: Command, id: Id<Import>) -> Result<Reply> {
        let owner = command.caller.owner;
        let precondition = command.precondition.clone();
        let log = self.context.event_log(&command.caller, owner, self.context.now());
        let cancel = async move |tx: &mut Tx<'_>| {
            let stored = found(imports::get_for_update(tx, owner, id).await?)?;
            ensure_current(&precondition, &version_etag(stored.version))?;
            let mut import = read_import(&stored)?;
            if !import.cancel(log.now())? {
                return Ok(Reply::resource(version_etag(stored.version), stored.doc));
            }
            let event = Some(import.status.end_event());
            let doc = write_import(tx, owner, &stored, &import, stored.progress, event, &log).await?;
            // A node deletes the file.
            imports::wake(tx, owner, id, log.now()).await?;
            Ok(Reply::resource(version_etag(stored.version + 1), doc))
        };
        let reply = self.context.write(&command, cancel).await?;
        self.notify();
        Ok(reply)
    }
}
