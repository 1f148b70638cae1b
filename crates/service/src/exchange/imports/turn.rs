//! A turn: some groups of a file's entries, while this node holds the import.

use std::sync::Arc;

use model::events::actor::Actor;
use model::exchange::import::Status;
use model::{Error, Problem, Result, Timestamp};
use store::exchange::import_rows;
use store::exchange::imports::{self, ImportClaim, StoredImport};
use tracing::{Instrument, error_span, warn};

use super::Imports;
use super::change::{read_import, write_import};
use super::file::FileReader;
use super::group::{Group, GroupEnd};

/// Groups of a turn. Afterwards other imports that are due have theirs.
const GROUPS_EACH: usize = 40;
/// References of an ended import that are deleted at once.
const REFERENCES_EACH: i64 = 5000;

impl Imports {
    /// Works on some groups of an import. On return the claim is released. If that fails, the node takes another name, so that other
    /// nodes can take over.
    pub(super) async fn import_turn(self, node: Arc<str>, claim: ImportClaim) -> Result<()> {
        let span = error_span!("import", import = %claim.import, organisation = %claim.owner, %node);
        Box::pin(self.take_import_turn(node, claim)).instrument(span).await
    }

    async fn take_import_turn(self, node: Arc<str>, claim: ImportClaim) -> Result<()> {
        let done = Box::pin(self.work_on(&node, claim)).await;
        let released = match &done {
            Ok(is_ended) => self.release(claim, (!is_ended).then(|| self.context.now())).await,
            Err(error) => {
                warn!(%error, "work on an import failed, retrying");
                self.release(claim, Some(self.context.now().plus_seconds(1))).await
            }
        };
        if let Err(error) = &released {
            warn!(%error, "import not released: it is left to other nodes");
            if self.nodes.is_node(&node) {
                self.nodes.disown();
            }
        }
        done.map(drop).and(released)
    }

    /// Works on an import until the turn is over. Returns whether nothing is left to do.
    async fn work_on(&self, node: &str, claim: ImportClaim) -> Result<bool> {
        let owner = claim.owner;
        let read = self.context.db().read(owner, async move |tx| imports::get(tx, owner, claim.import).await);
        let Some(stored) = read.await?.filter(|stored| stored.fence == claim.fence) else { return Ok(false) };
        let import = read_import(&stored)?;
        match import.status {
            Status::AwaitingContent => self.give_up(claim).await.map(|()| false),
            Status::Queued | Status::Running => self.read_rows(node, claim, &stored).await.map(|()| false),
            Status::Completed | Status::Failed | Status::Cancelled => self.clear(claim, &stored).await,
        }
    }

    /// Reads some groups of entries. A file that can't be used ends the import.
    async fn read_rows(&self, node: &str, claim: ImportClaim, stored: &StoredImport) -> Result<()> {
        let import = read_import(stored)?;
        let (Some(place), Some(file)) = (&stored.place, &import.file) else {
            return Err(Error::fault("an import that is queued has no file"));
        };
        let opened = FileReader::open(&self.documents, place, &import.details, file, stored.progress).await;
        let mut reader = match opened {
            Err(Error::Refused(problem)) => return self.fail(claim, *problem).await,
            opened => opened?,
        };
        if import.status == Status::Queued {
            self.start(claim, &reader).await?;
        }
        for _ in 0..GROUPS_EACH {
            if self.context.stop().is_cancelled() || !self.nodes.is_node(node) {
                return Ok(());
            }
            let group = Group::read(&mut reader, &import.details).await?;
            if group.is_empty() {
                return self.complete(claim).await;
            }
            if self.write_group(claim, group).await? == GroupEnd::Over {
                return Ok(());
            }
        }
        Ok(())
    }

    async fn start(&self, claim: ImportClaim, reader: &FileReader) -> Result<()> {
        let (columns, progress) = (reader.layout().uses(), reader.progress());
        self.change(claim, move |import, now| {
            if import.status == Status::Queued {
                import.counts.bytes = progress.position;
                import.start(columns.clone(), now);
                return Some("import.updated");
            }
            None
        })
        .await
    }

    async fn complete(&self, claim: ImportClaim) -> Result<()> {
        self.change(claim, |import, now| {
            if import.status.is_ended() {
                return None;
            }
            import.counts.bytes = import.file.as_ref().map_or(0, |file| file.size);
            import.end(Status::Completed, now);
            Some("import.completed")
        })
        .await
    }

    async fn fail(&self, claim: ImportClaim, problem: Problem) -> Result<()> {
        self.change(claim, move |import, now| {
            if import.status.is_ended() {
                return None;
            }
            import.fail(&problem, now);
            Some("import.failed")
        })
        .await
    }

    /// Ends an import that has waited for its file for too long.
    async fn give_up(&self, claim: ImportClaim) -> Result<()> {
        self.change(claim, |import, now| {
            let is_waiting = import.status == Status::AwaitingContent;
            is_waiting.then(|| import.end(Status::Cancelled, now)).map(|()| "import.cancelled")
        })
        .await
    }

    /// Changes an import while this node holds it, and tells of it.
    async fn change(
        &self,
        claim: ImportClaim,
        change: impl Fn(&mut model::Import, Timestamp) -> Option<&'static str> + Send + Sync + 'static,
    ) -> Result<()> {
        let owner = claim.owner;
        let log = self.context.event_log(Actor::Job("imports"), owner, self.context.now());
        let write = self.context.db().write(owner, async move |tx| {
            let Some(stored) = imports::get_for_update(tx, owner, claim.import).await? else { return Ok(()) };
            if stored.fence != claim.fence {
                return Ok(());
            }
            let mut import = read_import(&stored)?;
            if let Some(event) = change(&mut import, log.now()) {
                write_import(tx, owner, &stored, &import, stored.progress, Some(event), &log).await?;
            }
            Ok(())
        });
        write.await?;
        self.context.notice(owner);
        Ok(())
    }

    /// Deletes what an ended import no longer needs: its references, and then its file. Returns whether nothing is left.
    async fn clear(&self, claim: ImportClaim, stored: &StoredImport) -> Result<bool> {
        let owner = claim.owner;
        let delete = self.context.db().write(owner, async move |tx| {
            import_rows::delete_references(tx, owner, claim.import, REFERENCES_EACH).await
        });
        if delete.await? == REFERENCES_EACH as u64 {
            return Ok(false);
        }
        if let Some(place) = &stored.place {
            self.documents.delete_content(place).await?;
            let forget =
                self.context.db().write(owner, async move |tx| imports::forget_file(tx, &claim).await);
            forget.await?;
        }
        Ok(true)
    }

    /// Releases an import. It is due again at this moment, or never.
    async fn release(&self, claim: ImportClaim, due_at: Option<Timestamp>) -> Result<()> {
        let owner = claim.owner;
        self.context.db().write(owner, async move |tx| imports::release(tx, &claim, due_at).await).await
    }
}
