//! The event log: operations append events in their transaction, and readers read them by sequence.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use model::events::actor::{Actor, actor_json};
use model::events::event::{is_visible, visible_types};
use model::platform::id::{Kind, RANDOM_BYTES};
use model::{Event, Id, Owner, Result, Timestamp};
use realtime::limits::EVENT_BYTES_MAX;
use store::events::events;
use store::events::events::{Filter, Logged};
use store::{Page, Tx};

use crate::access::caller::Caller;
use crate::access::reply::Reply;
use crate::platform::context::Context;
use crate::platform::cursor::{ListQuery, Listing};
use crate::platform::random::{Random, new_id};
use crate::platform::resource::{found, version_etag};

/// Room for what surrounds an event's documents.
const FRAME_BYTES: usize = 384;

/// Appends events of one operation: the same owner, the same moment.
#[derive(Clone)]
pub struct EventLog {
    actor: Actor,
    owner: Owner,
    now: Timestamp,
    random: Arc<dyn Random>,
    /// How many identifiers the operation has taken.
    taken: Arc<AtomicU32>,
}

impl From<&Caller> for Actor {
    fn from(caller: &Caller) -> Self {
        match caller.session {
            Some(_) => Actor::User(caller.user),
            None => Actor::Token(caller.token),
        }
    }
}

impl Context {
    /// Returns the log to which one operation of this actor appends its events.
    pub(crate) fn event_log(&self, actor: impl Into<Actor>, owner: Owner, now: Timestamp) -> EventLog {
        EventLog { actor: actor.into(), owner, now, random: Arc::clone(self.random()), taken: Arc::default() }
    }
}

/// Reads of the event log.
#[derive(Clone)]
pub struct Events {
    context: Context,
}

impl Events {
    pub(crate) fn new(context: &Context) -> Self {
        Self { context: context.clone() }
    }

    /// An event that has its number, of a resource that the caller may read. It never changes, so the number is the tag of its
    /// only state.
    pub async fn get(&self, caller: &Caller, id: Id<Event>) -> Result<Reply> {
        let owner = caller.owner;
        let read = self.context.db().read(owner, async move |tx| events::get(tx, owner, id).await);
        let event = found(read.await?.filter(|event| is_visible(caller.scopes, &event.r#type)))?;
        Ok(Reply::resource(version_etag(event.sequence), event_json(&event)))
    }

    /// A page of what the caller may read of the log: the newest first, or the oldest first after a sequence.
    pub async fn list(&self, caller: &Caller, query: ListQuery, mut filter: Filter) -> Result<Listing> {
        let owner = caller.owner;
        filter.visible = visible_types(caller.scopes);
        let (start, limit, order) = (self.context.start(owner, &query)?, query.limit, filter.order());
        let read = self
            .context
            .db()
            .read(owner, async move |tx| events::page(tx, owner, &filter, &start, limit).await);
        let page = read.await?;
        let items = page.items.iter().map(event_json).collect();
        let page = Page { items, older_than: page.older_than, newer_than: page.newer_than };
        self.context.listing_in(order, owner, &query, page)
    }
}

/// Returns an event as the API, webhooks and streams show it. The documents in it are stored as they are served, so they are
/// inserted unchanged.
pub fn event_json(event: &Logged) -> String {
    let previous = event.previous_attributes.as_deref().unwrap_or("null");
    let mut json = String::with_capacity(event.object.len() + previous.len() + FRAME_BYTES);
    // None of these values contains a character to escape.
    json.push_str(&format!(
        r#"{{"id":"{}","sequence":{},"type":"{}","created_at":"{}","actor":{},"data":{{"object":"#,
        event.id,
        event.sequence,
        event.r#type,
        event.created_at,
        shown_actor(event)
    ));
    json.extend([event.object.as_str(), "},\"previous_attributes\":", previous, "}"]);
    json
}

/// Returns an event for streams: as [`event_json`] or, if it is larger than a frame, a reference by which a client can fetch it.
/// So one large event costs no client its connection.
pub fn stream_json(event: &Logged) -> String {
    // The store leaves out documents that are too large.
    if !event.object.is_empty() {
        let json = event_json(event);
        if json.len() <= EVENT_BYTES_MAX {
            return json;
        }
    }
    format!(
        r#"{{"id":"{}","sequence":{},"type":"{}","created_at":"{}","actor":{},"data":{{"object":null}},"previous_attributes":null,"is_truncated":true}}"#,
        event.id,
        event.sequence,
        event.r#type,
        event.created_at,
        shown_actor(event)
    )
}

fn shown_actor(event: &Logged) -> String {
    actor_json(event.actor.as_deref(), event.actor_name.as_deref())
}

impl EventLog {
    /// The moment of the operation.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// A new identifier of the operation's moment, for what is made inside its transaction. The first random bits
    /// count instead, so that what one operation makes sorts in the order in which it was made.
    pub fn new_id<K: Kind>(&self) -> Id<K> {
        let mut bytes = [0; RANDOM_BYTES];
        self.random.fill(&mut bytes);
        let count = self.taken.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        bytes[..count.len() - 1].copy_from_slice(&count[1..]);
        Id::new(self.now, bytes)
    }

    /// Returns the moment of the operation.
    pub fn moment(&self) -> Timestamp {
        self.now
    }

    /// Appends an event to the transaction whose change it reports. Call it once the changed rows are written, so that events of
    /// the same rows have the order of their commits.
    pub async fn append(&self, tx: &mut Tx<'_>, event: &Event) -> Result<()> {
        events::append(tx, self.owner, new_id(&*self.random, self.now), event, self.actor, self.now).await
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn read(text: &str) -> Value {
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn event(object: String, previous_attributes: Option<String>) -> Logged {
        Logged {
            id: Id::from_bits(7),
            sequence: 9,
            r#type: "location.updated".to_owned(),
            resource_id: "loc_00000000000000000000000001".to_owned(),
            created_at: Timestamp::from_micros(1_793_523_600_000_001),
            object,
            previous_attributes,
            actor: Some("job".to_owned()),
            actor_name: Some("waves".to_owned()),
        }
    }

    #[test]
    fn an_event_has_its_fields_in_their_order() {
        let text = event_json(&event(r#"{"name":"x"}"#.to_owned(), None));
        assert_eq!(
            text,
            r#"{"id":"evt_00000000000000000000000007","sequence":9,"type":"location.updated","created_at":"2026-11-01T09:00:00.000001Z","actor":{"type":"job","id":null,"name":"waves"},"data":{"object":{"name":"x"}},"previous_attributes":null}"#
        );
    }

    #[test]
    fn a_stream_has_a_reference_to_what_is_larger_than_a_frame() {
        let whole = |bytes: usize| event(format!(r#"{{"name":"{}"}}"#, "x".repeat(bytes)), None);
        let small = whole(EVENT_BYTES_MAX - 500);
        assert_eq!(stream_json(&small), event_json(&small));
        let expected = json!({
            "id": "evt_00000000000000000000000007", "sequence": 9, "type": "location.updated",
            "created_at": "2026-11-01T09:00:00.000001Z", "actor": {"type": "job", "id": null, "name": "waves"},
            "data": {"object": null}, "previous_attributes": null,
            "is_truncated": true,
        });
        for large in [whole(EVENT_BYTES_MAX), event(String::new(), None)] {
            assert_eq!(read(&stream_json(&large)), expected);
        }
    }

    proptest! {
        #[test]
        fn whatever_the_documents_hold_it_is_json(name in "\\PC{0,40}", before in "\\PC{0,40}") {
            let (object, previous) = (json!({"name": name}), json!({"name": before}));
            let event = read(&event_json(&event(object.to_string(), Some(previous.to_string()))));
            prop_assert_eq!(&event["data"], &json!({"object": object}));
            prop_assert_eq!(&event["previous_attributes"], &previous);
            prop_assert_eq!(event.as_object().map(|fields| fields.len()), Some(7));
        }
    }
}
