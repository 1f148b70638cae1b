//! The contents of a store after a crash test, and the checks of it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use rusqlite::{Connection, OpenFlags};
use serde_json::Value;

use crate::client::Client;
use crate::load::{Journal, TAGS, body, key};

/// The rows that a create writes, of every owner there is: the tests use one.
#[derive(Default)]
pub struct Contents {
    pub locations: Vec<String>,
    pub tags: i64,
    /// Sequence, type and resource of each event.
    pub events: Vec<(Option<i64>, String, String)>,
    pub head: i64,
}

pub const LOCATIONS: &str = "SELECT id FROM location";
pub const TAG_COUNT: &str = "SELECT count(*) FROM location_tag";
pub const EVENTS: &str = "SELECT sequence, type, resource_id FROM event";
pub const HEAD: &str = "SELECT sequence FROM event_head";

impl Contents {
    /// Reads the file of a server that has stopped.
    pub fn of_sqlite(file: &Path) -> Self {
        let db = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE).expect("a database");
        let check: String = db.query_row("PRAGMA integrity_check", [], |row| row.get(0)).unwrap();
        assert_eq!(check, "ok");
        let strays =
            db.prepare("PRAGMA foreign_key_check").unwrap().query([]).unwrap().next().unwrap().is_some();
        assert!(!strays, "rows refer to rows that are not there");
        let mut locations = db.prepare(LOCATIONS).unwrap();
        let mut events = db.prepare(EVENTS).unwrap();
        let event = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
        Self {
            locations: locations.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect(),
            tags: db.query_row(TAG_COUNT, [], |row| row.get(0)).unwrap(),
            events: events.query_map([], event).unwrap().map(Result::unwrap).collect(),
            head: db.query_row(HEAD, [], |row| row.get(0)).unwrap(),
        }
    }

    /// Returns whether every event has its number, from 1 on and without a gap.
    pub fn is_numbered(&self) -> bool {
        let numbers: BTreeSet<Option<i64>> = self.events.iter().map(|(number, _, _)| *number).collect();
        let count = self.events.len() as i64;
        numbers == (1..=count).map(Some).collect() && self.head == count
    }

    /// Asserts that each location has all its rows and exactly one event, and that there is nothing else.
    pub fn check(&self) {
        assert!(self.is_numbered(), "{} events, head {}", self.events.len(), self.head);
        assert!(self.events.iter().all(|(_, r#type, _)| r#type == "location.created"));
        let sorted = |ids: Vec<&String>| {
            let mut ids = ids;
            ids.sort_unstable();
            ids.into_iter().cloned().collect::<Vec<_>>()
        };
        let told = sorted(self.events.iter().map(|(_, _, id)| id).collect());
        assert_eq!(told, sorted(self.locations.iter().collect()), "one event for each location");
        assert_eq!(self.tags, (TAGS.len() * self.locations.len()) as i64);
    }
}

/// Returns all locations by name, read page by page. Asserts that each is complete and that no name occurs twice.
pub fn listed(client: &mut Client) -> BTreeMap<String, Value> {
    let mut by_name = BTreeMap::new();
    let mut path = "/locations?limit=100".to_owned();
    loop {
        let reply = client.get(&path);
        assert_eq!(reply.status, 200, "{reply:?}");
        let page = reply.json();
        for location in page["locations"].as_array().expect("a list") {
            let name = location["name"].as_str().expect("a name").to_owned();
            let sent = body(&name);
            for field in ["name", "tags", "address"] {
                assert_eq!(location[field], sent[field], "{location}");
            }
            let is_new = by_name.insert(name, location.clone()).is_none();
            assert!(is_new, "made twice: {location}");
        }
        let Some(cursor) = page["next_cursor"].as_str() else { return by_name };
        path = format!("/locations?limit=100&cursor={cursor}");
    }
}

/// Compares a store with the answers that the creators got. Returns its locations by name.
pub fn check_promises(client: &mut Client, journal: &Journal) -> BTreeMap<String, Value> {
    assert_eq!(journal.wrong, Vec::<String>::new());
    let by_name = listed(client);
    for told in &journal.acknowledged {
        let location: Value = serde_json::from_str(told).expect("a location");
        let id = location["id"].as_str().expect("an id");
        let reply = client.get(&format!("/locations/{id}"));
        assert_eq!((reply.status, &reply.body), (200, told));
        assert_eq!(by_name[location["name"].as_str().expect("a name")], location);
    }
    let (found, _) = journal.resolve(&by_name);
    assert_eq!(by_name.len(), journal.acknowledged.len() + found, "nothing that was not asked for");
    repeat_some(client, journal);
    assert_eq!(listed(client).len(), by_name.len(), "a repeated request makes nothing new");
    by_name
}

/// Repeats acknowledged requests with their idempotency keys. Asserts that the answers are the same, byte for byte.
fn repeat_some(client: &mut Client, journal: &Journal) {
    let step = journal.keyed.len() / 50 + 1;
    for (name, told) in journal.keyed.iter().step_by(step) {
        let headers = [("Idempotency-Key", key(name))];
        let headers = headers.each_ref().map(|(name, value)| (*name, value.as_str()));
        let reply = client.request("POST", "/locations", &headers, &body(name).to_string()).unwrap();
        assert_eq!((reply.status, &reply.body), (201, told));
        assert_eq!(reply.header("idempotent-replayed"), Some("true"));
    }
}
