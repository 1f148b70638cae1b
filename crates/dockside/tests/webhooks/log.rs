//! The log as the API shows it: the events that every endpoint must get.

use std::collections::HashMap;

use model::Timestamp;
use serde_json::Value;
use testkit::client::Client;

use crate::message::fingerprint;
use crate::writers::Journal;

/// All events, the first one first: the event with sequence `n` is at `n - 1`.
pub struct Log(pub Vec<Logged>);

pub struct Logged {
    /// Of its id.
    pub event: u64,
    pub created_at: i64,
    r#type: String,
    resource: String,
}

impl Log {
    /// Reads it to its end.
    pub fn read(client: &mut Client) -> Self {
        let mut log = Self(Vec::new());
        log.read_on(client);
        log
    }

    /// Reads what has been added since.
    pub fn read_on(&mut self, client: &mut Client) {
        loop {
            let reply = client.get(&format!("/events?limit=100&after={}", self.head()));
            assert_eq!(reply.status, 200, "{reply:?}");
            let page = reply.json();
            let page = page["data"].as_array().expect("a list");
            for event in page {
                assert_eq!(event["sequence"], self.head() + 1, "the log has a gap");
                self.0.push(logged(event));
            }
            if page.is_empty() {
                return;
            }
        }
    }

    /// A log of so many events, as the tests of the judge need one.
    pub fn numbered(count: u32) -> Self {
        let event = |sequence: u32| Logged {
            event: fingerprint(&format!("evt_{sequence}")),
            created_at: 0,
            r#type: String::new(),
            resource: String::new(),
        };
        Self((1..=count).map(event).collect())
    }

    pub fn head(&self) -> u32 {
        self.0.len() as u32
    }

    /// The event with this sequence.
    pub fn get(&self, sequence: u32) -> Option<&Logged> {
        self.0.get((sequence as usize).checked_sub(1)?)
    }

    /// Asserts that every acknowledged write left its event.
    pub fn check_promises(&self, journal: &Journal) {
        let mut told: HashMap<(&str, &str), u64> = HashMap::new();
        for event in &self.0 {
            *told.entry((&event.r#type, &event.resource)).or_default() += 1;
        }
        for (r#type, resource) in &journal.acknowledged {
            let left = told.get_mut(&(*r#type, resource.as_str())).filter(|left| **left > 0);
            let left = left.unwrap_or_else(|| panic!("no {type} in the log for {resource}"));
            *left -= 1;
        }
    }
}

fn logged(event: &Value) -> Logged {
    let text = |name: &str| event[name].as_str().expect("a text");
    Logged {
        event: fingerprint(text("id")),
        created_at: Timestamp::parse(text("created_at")).expect("a moment").as_micros(),
        r#type: text("type").to_owned(),
        resource: event["data"]["object"]["id"].as_str().expect("an id").to_owned(),
    }
}
