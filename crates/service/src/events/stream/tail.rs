//! The tail: reads each log that clients of this node follow, once for all of them, and publishes the new events.
//!
//! Each followed log has a cursor: the last event that was published. It is first set by a client that has attached to the hub
//! and then read the log, to the end of that read. So every event after the read is published, and reaches the client. If
//! several clients join at once, the first to read need not be the first to set the cursor: a client whose read ended before
//! the position from which the log is followed reads again. Hints say where to look. If hints are lost, a periodic look at the
//! ends of all followed logs finds the rest.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use bytes::Bytes;
use model::{Owner, Result};
use realtime::channel::{EventStream, Resource};
use realtime::limits::{EVENT_BYTES_MAX, OUTBOX_BYTES_MAX};
use store::Access;
use store::events::events::Logged;
use store::events::streams::Bounds;
use store::events::{announcements, streams};
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::task::JoinSet;
use tracing::warn;

use super::followed::Followed;
use crate::events::bus::Hint;
use crate::events::events::stream_json;
use crate::events::stream::Streams;

/// How often the ends of all followed logs are read, in case hints were lost.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Events that one read takes.
const PAGE_EVENTS: usize = 256;
/// Limits of one read: a fraction of what may wait for a client, so that a client that reads keeps up.
const BOUNDS: Bounds =
    Bounds { events: PAGE_EVENTS, bytes: OUTBOX_BYTES_MAX / 4, event_bytes: EVENT_BYTES_MAX };
/// Logs that are read at once.
const LOGS_MAX: usize = 8;
/// The pause after each publication. Events during the pause are read and sent together, in one frame for each client instead
/// of one for each event. The first event after a silence does not wait.
const PUBLISH_REST: Duration = Duration::from_millis(5);
/// The pause after the store failed.
const FAILURE_REST: Duration = Duration::from_millis(200);

/// The logs to read next.
#[derive(Default)]
struct Due {
    owners: BTreeSet<Owner>,
    /// Every followed log.
    all: bool,
    announcements: bool,
}

impl Due {
    fn everything() -> Self {
        Self { all: true, announcements: true, ..Self::default() }
    }

    fn add(&mut self, hint: Hint) {
        match hint {
            Hint::Events(owners) => self.owners.extend(owners.iter()),
            Hint::Announcement => self.announcements = true,
            Hint::Anything => *self = Self::everything(),
            Hint::Access => {}
        }
    }
}

impl Streams {
    /// Publishes this owner's events after `top` from now on. Returns false if the log is already followed from a later sequence:
    /// then the client must read again, and gets at least the events up to that sequence.
    #[must_use]
    pub(super) fn follow(&self, owner: Owner, top: u64) -> bool {
        let tail = &self.state.tail;
        let top = i64::try_from(top).unwrap_or(i64::MAX);
        match tail.logs().entry(owner) {
            Entry::Occupied(followed) => followed.get().continues(top),
            Entry::Vacant(vacant) => {
                vacant.insert(Followed::from(top));
                tail.fresh.notify_one();
                true
            }
        }
    }

    /// As [`Streams::follow`], for announcements.
    #[must_use]
    pub(super) fn follow_announcements(&self, top: i64) -> bool {
        let tail = &self.state.tail;
        let mut followed = tail.announcements();
        if let Some(followed) = *followed {
            return followed.continues(top);
        }
        *followed = Some(Followed::from(top));
        tail.fresh.notify_one();
        true
    }

    /// Publishes until the process ends.
    pub(crate) async fn tail_forever(self) {
        let mut hints = self.bus.hints();
        let mut look = tokio::time::interval(LOOK_EVERY);
        look.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            let mut due = Due::default();
            tokio::select! {
                hint = hints.recv() => match hint {
                    Ok(hint) => due.add(hint),
                    Err(RecvError::Lagged(_)) => due = Due::everything(),
                    Err(RecvError::Closed) => return,
                },
                _ = look.tick() => {
                    self.unfollow();
                    due = Due::everything();
                }
                () = self.state.tail.fresh.notified() => due = Due::everything(),
            }
            loop {
                match hints.try_recv() {
                    Ok(hint) => due.add(hint),
                    Err(TryRecvError::Lagged(_)) => due = Due::everything(),
                    Err(TryRecvError::Empty | TryRecvError::Closed) => break,
                }
            }
            if let Err(error) = self.publish_due(due).await {
                warn!(%error, "publishing events to streams failed, retrying");
                tokio::time::sleep(FAILURE_REST).await;
                // Make the loop try again: nothing that was due is lost.
                self.state.tail.fresh.notify_one();
            }
            tokio::time::sleep(PUBLISH_REST).await;
        }
    }

    /// Publishes all new events of followed logs: for tests and tools, which wait for no hint.
    pub async fn publish_streams(&self) -> Result<()> {
        self.publish_due(Due::everything()).await
    }

    async fn publish_due(&self, due: Due) -> Result<()> {
        let _turn = self.state.tail.turn.lock().await;
        if due.announcements {
            self.publish_announcements().await?;
        }
        let followed: Vec<Owner> = {
            let logs = self.state.tail.logs();
            if due.all {
                logs.keys().copied().collect()
            } else {
                due.owners.into_iter().filter(|owner| logs.contains_key(owner)).collect()
            }
        };
        let behind = if due.all { self.behind(followed).await? } else { followed };
        let mut reading = JoinSet::new();
        let mut outcome = Ok(());
        for owner in behind {
            if reading.len() >= LOGS_MAX {
                outcome = outcome.and(joined(reading.join_next().await));
            }
            reading.spawn(self.clone().publish_log(owner));
        }
        while let Some(ended) = reading.join_next().await {
            outcome = outcome.and(joined(Some(ended)));
        }
        outcome
    }

    /// Returns the owners whose log has events after the cursor.
    async fn behind(&self, owners: Vec<Owner>) -> Result<Vec<Owner>> {
        if owners.is_empty() {
            return Ok(owners);
        }
        let read = self.context.db().read(Access::System, async move |tx| streams::heads(tx, &owners).await);
        let heads = read.await?;
        let logs = self.state.tail.logs();
        let is_behind =
            |(owner, head): &(Owner, i64)| logs.get(owner).is_some_and(|followed| followed.cursor < *head);
        Ok(heads.into_iter().filter(is_behind).map(|(owner, _)| owner).collect())
    }

    /// Publishes one log to its end. Only the tail calls it, for each owner once at a time.
    async fn publish_log(self, owner: Owner) -> Result<()> {
        loop {
            let Some(Followed { cursor, .. }) = self.state.tail.logs().get(&owner).copied() else {
                return Ok(());
            };
            let read =
                self.context.db().read(owner, async move |tx| streams::tail(tx, owner, cursor, BOUNDS).await);
            let part = read.await?;
            let page = part.events;
            self.publish_page(owner, &page);
            let Some(last) = page.last() else { return Ok(()) };
            if let Some(followed) = self.state.tail.logs().get_mut(&owner) {
                followed.cursor = last.sequence;
            }
            // Let connections send what they have before there is more.
            if part.is_cut {
                tokio::time::sleep(PUBLISH_REST).await;
            } else if page.len() == PAGE_EVENTS {
                tokio::task::yield_now().await;
            } else {
                return Ok(());
            }
        }
    }

    /// Publishes a page of events, grouped by stream.
    fn publish_page(&self, owner: Owner, page: &[Logged]) {
        let mut streams: BTreeMap<Resource, Vec<&Logged>> = BTreeMap::new();
        for event in page {
            if let Some(resource) = Resource::of_event(&event.r#type) {
                streams.entry(resource).or_default().push(event);
            }
        }
        for (resource, events) in streams {
            let stream = EventStream::Events { owner, resource };
            if self.hub().has_listeners(stream) {
                let events = events
                    .into_iter()
                    .map(|event| (event.sequence.unsigned_abs(), Bytes::from(stream_json(event))));
                self.hub().publish_all(stream, events);
            }
        }
    }

    async fn publish_announcements(&self) -> Result<()> {
        let Some(Followed { cursor, .. }) = *self.state.tail.announcements() else { return Ok(()) };
        let read = self
            .context
            .db()
            .read(Access::System, async move |tx| announcements::after(tx, cursor, PAGE_EVENTS).await);
        for said in read.await? {
            let offset = said.sequence.unsigned_abs();
            self.hub().publish(EventStream::Announcements, offset, Bytes::from(said.doc));
            if let Some(followed) = self.state.tail.announcements().as_mut() {
                followed.cursor = said.sequence;
            }
        }
        Ok(())
    }

    /// Stops following logs without listeners. A client attaches before it reads, and follows the log under the same lock after
    /// its read: it either finds the log still followed, because it is attached, or follows it anew.
    fn unfollow(&self) {
        let mut logs = self.state.tail.logs();
        if logs.is_empty() {
            return;
        }
        let heard: BTreeSet<Owner> = self.hub().streams().into_iter().filter_map(owner_of).collect();
        logs.retain(|owner, _| heard.contains(owner));
    }
}

fn owner_of(stream: EventStream) -> Option<Owner> {
    match stream {
        EventStream::Events { owner, .. } => Some(owner),
        EventStream::Announcements => None,
    }
}

/// Returns the result of a task that published one log.
fn joined(ended: Option<Result<Result<()>, tokio::task::JoinError>>) -> Result<()> {
    match ended {
        None => Ok(()),
        Some(ended) => ended.map_err(model::Error::fault)?,
    }
}
