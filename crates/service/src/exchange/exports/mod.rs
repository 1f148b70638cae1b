//! Exports: files of all that a list has, from one snapshot of the database.
//!
//! An export reads page by page, the oldest first, and keeps no more than a page in memory. All pages are of one snapshot, so what is
//! written meanwhile is in none of them. A snapshot costs the database something for as long as it is open, so an export has a longest
//! duration (decision 56).

mod page;
mod plan;
mod writer;

use std::sync::Arc;
use std::time::Duration;

use model::exchange::import::Format;
use model::{Error, Result, Scope};
use store::{Snapshot, Tx};
use tokio::time::{Instant, timeout_at};

use self::page::{Place, page};
pub use self::plan::Export;
use self::plan::Plan;
use self::writer::Writer;
use crate::access::caller::Caller;
use crate::platform::context::Context;

/// Exports of an organisation's data.
#[derive(Clone)]
pub struct Exports {
    context: Context,
}

/// Reads an export, part by part. Dropping it ends its snapshot.
pub struct ExportReader {
    snapshot: Snapshot,
    plan: Arc<Plan>,
    /// Where the next page begins, or `None` behind the last.
    next: Option<Place>,
    header: String,
    deadline: Instant,
    time_max: Duration,
}

impl Exports {
    pub(crate) fn new(context: &Context) -> Self {
        Self { context: context.clone() }
    }

    /// Opens a snapshot, and returns a reader of the export from it. The reader fails after `time_max`.
    pub async fn open(
        &self,
        caller: &Caller,
        mut export: Export,
        format: Format,
        time_max: Duration,
    ) -> Result<ExportReader> {
        let deadline = Instant::now() + time_max;
        if let Export::Events(filter) = &mut export {
            filter.visible = model::events::event::visible_types(caller.scopes);
            // With a number to begin behind, the oldest event comes first.
            filter.after.get_or_insert(0);
        }
        let writer = Writer::new(export.r#type(), format);
        let shows_locations = Scope::parse("locations:read").is_some_and(|read| caller.scopes.contains(read));
        let opening = self.context.db().snapshot(caller.owner, time_max);
        let snapshot = timeout_at(deadline, opening).await.map_err(|_| too_long(time_max))??;
        let (next, header) = (Some(Place::first(&export)), writer.header());
        let plan = Arc::new(Plan { owner: caller.owner, export, writer, shows_locations });
        Ok(ExportReader { snapshot, plan, next, header, deadline, time_max })
    }
}

impl ExportReader {
    /// Returns the next part of the file, or `None` at its end.
    pub async fn next_part(&mut self) -> Result<Option<String>> {
        let Some(place) = self.next.take() else { return Ok(None) };
        let plan = Arc::clone(&self.plan);
        let read = self.snapshot.read(async move |tx: &mut Tx<'_>| page(tx, &plan, place.clone()).await);
        let read = timeout_at(self.deadline, read).await.map_err(|_| too_long(self.time_max))?;
        let (part, next) = read?;
        self.next = next;
        let mut whole = std::mem::take(&mut self.header);
        whole.push_str(&part);
        Ok(Some(whole))
    }

    /// Returns when the export must have ended.
    pub fn deadline(&self) -> Instant {
        self.deadline
    }
}

fn too_long(time_max: Duration) -> Error {
    Error::unavailable(format!("the export took longer than export_seconds ({} s)", time_max.as_secs()))
}
