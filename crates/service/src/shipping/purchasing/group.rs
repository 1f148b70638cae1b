//! Group commit of purchases: the entries that arrive while one group is written form the next group. So a single purchase
//! is written at once, and a hundred that end together cost one transaction.

use std::sync::Arc;

use model::events::actor::Actor;
use model::{Error, Owner, Result};
use tokio::sync::oneshot;

use super::entry::{Entry, Waiting};
use super::record::record_entries;
use crate::platform::crash_point::crash_point;
use crate::shipping::purchasing::Purchasing;

/// The task that drains an owner's queue. If it ends early, its waiters get an error, and the next entry starts a new task.
struct Writer {
    purchasing: Purchasing,
    owner: Owner,
    /// Whether the queue was drained and removed, so that it is no longer this task's.
    is_done: bool,
}

impl Drop for Writer {
    fn drop(&mut self) {
        if !self.is_done {
            self.purchasing.state.groups.lock().remove(&self.owner);
        }
    }
}

impl Purchasing {
    /// Writes an entry, together with others that wait. Returns false if this node no longer holds the purchase; then nothing
    /// was written.
    pub(super) async fn write_down(&self, owner: Owner, entry: impl Into<Arc<Entry>>) -> Result<bool> {
        let entry = entry.into();
        let (told, answer) = oneshot::channel();
        if self.state.groups.push(owner, Waiting { entry, told }) {
            let writer = Writer { purchasing: self.clone(), owner, is_done: false };
            tokio::spawn(writer.write_all());
        }
        answer.await.map_err(Error::fault)?
    }

    async fn record_group(&self, owner: Owner, entries: Arc<[Arc<Entry>]>) -> Result<Vec<bool>> {
        let events = self.context.event_log(Actor::Job("purchases"), owner, self.context.now());
        crash_point!("before_record");
        let record = self
            .context
            .db()
            .write(owner, async move |tx| record_entries(tx, owner, &entries, &events).await);
        let (written, is_finished) = record.await?;
        crash_point!("after_record");
        if is_finished {
            crash_point!("after_finish");
        }
        self.context.notice(owner);
        Ok(written)
    }
}

impl Writer {
    async fn write_all(mut self) {
        while let Some(group) = self.purchasing.state.groups.next(self.owner) {
            let entries = group.iter().map(|waiting| Arc::clone(&waiting.entry)).collect();
            match self.purchasing.record_group(self.owner, entries).await {
                Ok(written) => {
                    for (waiting, is_written) in group.into_iter().zip(written) {
                        // A caller that was cancelled needs no answer.
                        let _ = waiting.told.send(Ok(is_written));
                    }
                }
                // One entry that can't be written must not prevent the others from being written.
                Err(_) => self.write_singly(group).await,
            }
        }
        self.is_done = true;
    }

    async fn write_singly(&self, group: Vec<Waiting>) {
        for waiting in group {
            let written = self.purchasing.record_group(self.owner, Arc::new([waiting.entry])).await;
            let written = written.map(|flags| flags.first() == Some(&true));
            let _ = waiting.told.send(written);
        }
    }
}
