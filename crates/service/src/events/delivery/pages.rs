//! Pages of the log, ready to be posted, shared by the lanes that are at the same position.
//!
//! An organisation's endpoints mostly want the same events at about the same time. A full page of the log never changes, so
//! it is read and serialised once, and cached for the other lanes for a while.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use model::{Event, Id, Owner, Result};
use store::Tx;
use store::events::events::{self, Logged};

use super::posted_body;
use crate::events::events::event_json;

/// Events of a page. Pages begin after multiples of it, so that all lanes have the same pages.
pub const PAGE_EVENTS: i64 = 256;
/// Bytes of bodies that are cached.
const BYTES_MAX: usize = 16 * 1024 * 1024;

/// An event as it is posted.
pub struct Message {
    pub id: Id<Event>,
    pub sequence: i64,
    pub r#type: String,
    pub body: Bytes,
}

/// Events in the order of their sequences.
pub type Messages = Arc<[Message]>;

/// The pages that were read last.
#[derive(Default)]
pub struct Pages(Mutex<CachedPage>);

#[derive(Default)]
struct CachedPage {
    pages: VecDeque<(Owner, i64, Messages)>,
    bytes: usize,
}

impl Message {
    fn new(event: &Logged) -> Self {
        Self {
            id: event.id,
            sequence: event.sequence,
            r#type: event.r#type.clone(),
            body: posted_body(event_json(event), event.created_at).into(),
        }
    }
}

impl Pages {
    /// Returns the cached page that begins after this sequence.
    pub fn get(&self, owner: Owner, after: i64) -> Option<Messages> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = kept.pages.iter().rev().find(|(of, from, _)| *of == owner && *from == after);
        found.map(|(_, _, messages)| Arc::clone(messages))
    }

    /// Caches a page if it is full, and evicts the oldest ones.
    pub fn put(&self, owner: Owner, after: i64, messages: &Messages) {
        let is_whole = after % PAGE_EVENTS == 0
            && messages.len() == PAGE_EVENTS as usize
            && messages.last().is_some_and(|last| last.sequence == after + PAGE_EVENTS);
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !is_whole || kept.pages.iter().any(|(of, from, _)| *of == owner && *from == after) {
            return;
        }
        kept.bytes += bytes_of(messages);
        kept.pages.push_back((owner, after, Arc::clone(messages)));
        while kept.bytes > BYTES_MAX {
            let Some((_, _, oldest)) = kept.pages.pop_front() else { break };
            kept.bytes -= bytes_of(&oldest);
        }
    }
}

fn bytes_of(messages: &[Message]) -> usize {
    messages.iter().map(|message| message.body.len()).sum()
}

/// Reads the events after a sequence, to the end of their page.
pub async fn read(tx: &mut Tx<'_>, owner: Owner, after: i64) -> Result<Messages> {
    let limit = usize::try_from(PAGE_EVENTS - after % PAGE_EVENTS).unwrap_or(1);
    let events = events::after(tx, owner, after, limit).await?;
    Ok(events.iter().map(Message::new).collect())
}

#[cfg(test)]
mod tests {
    use model::World;

    use super::*;

    fn page(after: i64, events: i64, bytes: usize) -> Messages {
        let message = |place| Message {
            id: Id::from_bits(1),
            sequence: after + place,
            r#type: "order.created".to_owned(),
            body: vec![0; bytes].into(),
        };
        (1..=events).map(message).collect()
    }

    fn owner(number: u128) -> Owner {
        Owner { organisation: Id::from_bits(number), world: World::Live }
    }

    #[test]
    fn only_whole_pages_are_kept_and_only_for_their_owner() {
        let pages = Pages::default();
        for (after, events) in [(0, PAGE_EVENTS - 1), (5, PAGE_EVENTS), (PAGE_EVENTS, PAGE_EVENTS)] {
            pages.put(owner(1), after, &page(after, events, 10));
        }
        assert!(pages.get(owner(1), 0).is_none() && pages.get(owner(1), 5).is_none());
        assert_eq!(pages.get(owner(1), PAGE_EVENTS).map(|found| found[0].sequence), Some(PAGE_EVENTS + 1));
        assert!(pages.get(owner(2), PAGE_EVENTS).is_none());
        let test_world = Owner { world: World::Test, ..owner(1) };
        assert!(pages.get(test_world, PAGE_EVENTS).is_none());
    }

    #[test]
    fn what_is_kept_stays_within_its_limit() {
        let pages = Pages::default();
        let bytes = BYTES_MAX / PAGE_EVENTS as usize / 3;
        for place in 0..10 {
            pages.put(owner(1), place * PAGE_EVENTS, &page(place * PAGE_EVENTS, PAGE_EVENTS, bytes));
        }
        let kept = (0..10).filter(|place| pages.get(owner(1), place * PAGE_EVENTS).is_some()).count();
        assert_eq!(kept, 3);
        assert!(pages.get(owner(1), 9 * PAGE_EVENTS).is_some());
    }
}
