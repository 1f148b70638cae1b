//! Reads the log for clients that recover or request history.

use std::sync::Arc;

use bytes::Bytes;
use model::events::event;
use model::{Error, Owner, Result};
use realtime::channel::{EventStream, Resource};
use realtime::limits::{EVENT_BYTES_MAX, RECOVERY_BYTES_MAX};
use realtime::session::{LogEvent, Range, ReadLog, Slice};
use store::events::events::{self, Logged, Span};
use store::events::streams::Bounds;
use store::events::{announcements, streams};
use store::{Access, Tx};

use super::position::Position;
use crate::events::events::stream_json;
use crate::events::stream::Streams;

/// Bytes of events that one request reads, of all its streams together. It is more than a reply holds: a stream that missed so
/// much must be reloaded anyway.
const READ_BYTES_MAX: usize = 8 * RECOVERY_BYTES_MAX;

impl Streams {
    /// Returns a position in the owner's log such that every later read shows all events up to it.
    pub async fn position(&self, owner: Owner) -> Result<Position> {
        let epoch = self.epochs.epoch().await?;
        let offset = match self.epochs.positions().get(owner) {
            Ok(offset) => offset,
            Err(changes) => {
                let read = self.context.db().read(owner, async move |tx| streams::head(tx, owner).await);
                let offset = read.await?.unsigned_abs();
                self.epochs.positions().put(owner, offset, changes);
                offset
            }
        };
        Ok(Position { offset, epoch })
    }

    /// Reads parts of streams, all of one owner in one transaction. From now on the tail follows the streams that were read.
    pub async fn read_streams(&self, reads: Vec<ReadLog>) -> Result<Vec<Slice>> {
        let epoch = self.epochs.epoch().await?;
        let owner = reads.iter().find_map(|read| match read.stream {
            EventStream::Events { owner, .. } => Some(owner),
            EventStream::Announcements => None,
        });
        let mut slices = Vec::with_capacity(reads.len());
        if let Some(owner) = owner {
            slices = self.read_log(owner, &reads, &epoch).await?;
            // Another client may have read further meanwhile, and made the tail follow the log from there. A second read reaches
            // at least that far, since it begins only now; and the log stays followed while this client is attached.
            if top(&slices).is_some_and(|top| !self.follow(owner, top)) {
                slices = self.read_log(owner, &reads, &epoch).await?;
            }
        }
        slices.resize_with(reads.len(), || None);
        for (slice, asked) in slices.iter_mut().zip(&reads) {
            if asked.stream == EventStream::Announcements {
                let (mut span, mut found) = self.read_announcements(*asked).await?;
                if !self.follow_announcements(span.newest) {
                    (span, found) = self.read_announcements(*asked).await?;
                }
                *slice = Some(self::slice(*asked, &epoch, &span, found));
            }
        }
        slices.into_iter().map(|slice| slice.ok_or_else(|| Error::fault("a stream of two owners"))).collect()
    }

    async fn read_log(
        &self,
        owner: Owner,
        reads: &[ReadLog],
        epoch: &Arc<str>,
    ) -> Result<Vec<Option<Slice>>> {
        let (asked, kept) = (reads.to_vec(), Arc::clone(epoch));
        self.context.db().read(owner, async move |tx| read_log(tx, owner, &asked, &kept).await).await
    }

    async fn read_announcements(&self, asked: ReadLog) -> Result<(Span, Vec<(i64, String)>)> {
        let read = self.context.db().read(Access::System, async move |tx| {
            let span = announcements::span(tx).await?;
            let found = match asked.range {
                Range::After(offset) => announcements::after(tx, number(offset), asked.limit + 1).await?,
                Range::Before(offset) => announcements::before(tx, number(offset), asked.limit + 1).await?,
            };
            Ok((span, found.into_iter().map(|said| (said.sequence, said.doc)).collect()))
        });
        read.await
    }
}

/// Returns the slices of one owner's streams; `None` for those that are not the owner's.
async fn read_log(
    tx: &mut Tx<'_>,
    owner: Owner,
    reads: &[ReadLog],
    epoch: &Arc<str>,
) -> Result<Vec<Option<Slice>>> {
    // The order of the reads does not matter: on PostgreSQL as on SQLite, all of them see one snapshot.
    let span = events::span(tx, owner).await?;
    let (mut after, mut before) = (Vec::new(), Vec::new());
    for (read, resource) in reads.iter().filter_map(|read| Some((read, resource(owner, read)?))) {
        match read.range {
            _ if read.limit == 0 => {}
            Range::After(offset) => after.extend(types(resource).map(|name| (name, number(offset)))),
            Range::Before(offset) => before.extend(types(resource).map(|name| (name, number(offset)))),
        }
    }
    // Read one more than is wanted, to find out whether there are more.
    let events = reads.iter().map(|read| read.limit + 1).max().unwrap_or(0);
    let bounds = Bounds { events, bytes: READ_BYTES_MAX, event_bytes: EVENT_BYTES_MAX };
    let after = streams::after(tx, owner, &after, bounds).await?;
    let before = streams::before(tx, owner, &before, bounds).await?;
    let slices = reads.iter().map(|read| {
        let resource = resource(owner, read)?;
        let (found, is_cut) = match read.range {
            Range::After(offset) => {
                (part(&after.events, resource, |sequence| sequence > number(offset)), after.is_cut)
            }
            Range::Before(offset) => {
                (part(&before.events, resource, |sequence| sequence < number(offset)), before.is_cut)
            }
        };
        let slice = slice(*read, epoch, &span, found);
        Some(Slice { is_complete: slice.is_complete && (read.limit == 0 || !is_cut), ..slice })
    });
    Ok(slices.collect())
}

/// Returns the end of the log at the read, which is the same in all slices.
fn top(slices: &[Option<Slice>]) -> Option<u64> {
    slices.iter().flatten().next().map(|slice| slice.top)
}

/// The types of the events in a resource's stream.
fn types(resource: Resource) -> impl Iterator<Item = &'static str> {
    event::TYPES.iter().map(|(name, _)| *name).filter(move |name| Resource::of_event(name) == Some(resource))
}

fn resource(owner: Owner, read: &ReadLog) -> Option<Resource> {
    match read.stream {
        EventStream::Events { owner: of, resource } if of == owner => Some(resource),
        _ => None,
    }
}

fn part(events: &[Logged], resource: Resource, is_in: impl Fn(i64) -> bool) -> Vec<(i64, String)> {
    let of_resource =
        |event: &&Logged| is_in(event.sequence) && Resource::of_event(&event.r#type) == Some(resource);
    events.iter().filter(of_resource).map(|event| (event.sequence, stream_json(event))).collect()
}

/// Returns as many of the events as were requested.
fn slice(asked: ReadLog, epoch: &Arc<str>, span: &Span, found: Vec<(i64, String)>) -> Slice {
    let all = found.len();
    let (mut events, mut bytes) = (Vec::new(), 0);
    for (sequence, data) in found.into_iter().take(asked.limit) {
        if bytes > asked.bytes_max {
            break;
        }
        bytes += data.len();
        events.push(LogEvent { offset: sequence.unsigned_abs(), data: Bytes::from(data) });
    }
    Slice {
        epoch: Arc::clone(epoch),
        top: span.newest.unsigned_abs(),
        // If all events of a log were deleted, the floor is its end.
        floor: span.oldest.map_or(span.newest, |oldest| oldest - 1).unsigned_abs(),
        is_complete: asked.limit == 0 || events.len() == all,
        events,
    }
}

/// Converts an offset for the store. A client may send any number; beyond the store's range there are no events.
fn number(offset: u64) -> i64 {
    i64::try_from(offset).unwrap_or(i64::MAX)
}
