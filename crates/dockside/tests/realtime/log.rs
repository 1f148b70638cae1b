//! The log as the API shows it: the events that every subscriber must get.

use std::time::Duration;

use testkit::client::Client;
use testkit::server::wait_until;

use crate::follower::Story;

/// An operation that takes longer is stuck.
pub const STUCK: Duration = Duration::from_secs(150);

/// The sequences and ids of all events of locations, the first one first.
pub struct Log(pub Vec<(u64, String)>);

impl Log {
    /// Reads the log once it has the events of so many writes.
    pub fn read(client: &mut Client, writes: usize) -> Self {
        let mut log = Self(Vec::new());
        let mut last = 0;
        wait_until("every event has its number", STUCK, || {
            loop {
                let page = client.get(&format!("/events?limit=100&after={last}")).json();
                let page = page["data"].as_array().expect("a list");
                for event in page {
                    let sequence = event["sequence"].as_u64().expect("a number");
                    assert_eq!(sequence, last + 1, "the log has a gap");
                    last = sequence;
                    if event["type"].as_str().expect("a type").starts_with("location.") {
                        log.0.push((sequence, event["id"].as_str().expect("an id").to_owned()));
                    }
                }
                if page.is_empty() {
                    break;
                }
            }
            log.0.len() >= writes
        });
        log
    }

    pub fn head(&self) -> u64 {
        self.0.last().map_or(0, |(sequence, _)| *sequence)
    }

    /// Asserts that a subscriber got exactly the events after its start: none missing, none twice, in order.
    pub fn judge(&self, name: &str, story: &Story) {
        assert_eq!(story.reloads, 0, "{name} was told to reload: {story}");
        let begin = self.0.partition_point(|(sequence, _)| *sequence <= story.start);
        let expected = &self.0[begin..];
        let told = story.heard.iter().map(|heard| (heard.offset, heard.id.as_str()));
        for (place, (told, expected)) in told.zip(expected).enumerate() {
            assert_eq!(told, (expected.0, expected.1.as_str()), "{name}: at {place} of {story}");
        }
        assert_eq!(story.heard.len(), expected.len(), "{name} from {} on: {story}", story.start);
    }
}
