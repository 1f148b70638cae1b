//! The watermark against a simulated log in which transactions draw, commit and roll back between any two steps of a relay.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;

fn names<const N: usize>(writers: [&str; N]) -> HashSet<String> {
    writers.into_iter().map(str::to_owned).collect()
}

#[test]
fn the_floor_waits_for_a_transaction_that_commits_late() {
    let mut mark = Watermark::new("era");
    mark.settle(5000, names(["late", "other"]));
    mark.raise(None);
    assert_eq!(mark.floor(), 0, "the late one may have drawn 1");
    mark.settle(9000, names(["late", "new"]));
    mark.raise(None);
    assert_eq!(mark.floor(), 0, "it is still open");
    mark.settle(9500, names(["new"]));
    assert_eq!(mark.floor(), 0, "no look has seen yet what it committed");
    mark.raise(None);
    assert_eq!(mark.floor(), 5000, "what was drawn since the list of writers was made is not settled");
    mark.settle(9600, names([]));
    mark.raise(Some(7000));
    assert_eq!(mark.floor(), 7000, "a full batch ends at its last event");
    mark.raise(None);
    assert_eq!(mark.floor(), 9600);
}

#[test]
fn nothing_is_known_of_another_era_or_of_positions_that_were_drawn_again() {
    let mut mark = Watermark::new("era");
    mark.settle(5000, names([]));
    assert!(mark.holds_in("era", 5000));
    assert!(!mark.holds_in("other", 9000), "another server may draw the same positions again");
    assert!(!mark.holds_in("era", 4999), "the sequence was set back");
    mark.settle(6000, names(["writer"]));
    assert!(!mark.holds_in("era", 5999));
}

#[test]
fn a_stored_watermark_keeps_its_floor_and_its_era_alone() {
    let mut mark = Watermark::new("2026-11-17 06:00:00+00 16384");
    mark.settle(5000, names([]));
    mark.raise(None);
    mark.settle(9000, names(["writer"]));
    let read = Watermark::parse(&mark.to_text()).unwrap();
    assert_eq!(read.floor(), 5000);
    assert!(read.holds_in("2026-11-17 06:00:00+00 16384", 5000));
    assert!(!read.holds_in("2026-11-17 06:00:00+00 16385", 5000));
    assert!(!read.holds_in("2026-11-17 06:00:00+00 16384", 4999));
    assert!(["", "5000", "x era"].iter().all(|text| Watermark::parse(text).is_none()));
}

#[derive(Clone, Debug)]
enum Step {
    /// A transaction, new or open, draws the next position.
    Draw(u8),
    End {
        writer: u8,
        is_committed: bool,
    },
    Look,
    Number {
        limit: usize,
    },
    ListWriters,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (0..6_u8).prop_map(Step::Draw),
        2 => (0..6_u8, any::<bool>()).prop_map(|(writer, is_committed)| Step::End { writer, is_committed }),
        2 => Just(Step::Look),
        2 => (1..4_usize).prop_map(|limit| Step::Number { limit }),
        2 => Just(Step::ListWriters),
    ]
}

/// The database: positions are drawn in order, and visible once their transaction has committed.
#[derive(Default)]
struct Log {
    newest: i64,
    transactions: u64,
    open: BTreeMap<u8, (String, Vec<i64>)>,
    unnumbered: BTreeSet<i64>,
}

impl Log {
    fn draw(&mut self, writer: u8) {
        self.newest += 1;
        let name = format!("{writer}/{}", self.transactions);
        let (_, drawn) = self.open.entry(writer).or_insert_with(|| (name, Vec::new()));
        drawn.push(self.newest);
        self.transactions += 1;
    }

    fn writers(&self) -> HashSet<String> {
        self.open.values().map(|(name, _)| name.clone()).collect()
    }
}

proptest! {
    #[test]
    fn no_event_is_ever_below_the_floor_without_a_number(steps in prop::collection::vec(step(), 1..200)) {
        let mut log = Log::default();
        let mut mark = Watermark::new("era");
        let mut newest_seen = 0;
        for step in steps {
            match step {
                Step::Draw(writer) => log.draw(writer),
                Step::End { writer, is_committed } => {
                    if let Some((_, drawn)) = log.open.remove(&writer) && is_committed {
                        log.unnumbered.extend(drawn);
                    }
                }
                Step::Look => {
                    newest_seen = log.newest;
                    if log.unnumbered.range(mark.floor() + 1..).next().is_none() {
                        mark.raise(None);
                    }
                }
                Step::Number { limit } => {
                    let beyond = log.unnumbered.range(mark.floor() + 1..);
                    let batch: Vec<i64> = beyond.take(limit).copied().collect();
                    batch.iter().for_each(|position| { log.unnumbered.remove(position); });
                    mark.raise(batch.last().copied().filter(|_| batch.len() == limit));
                }
                Step::ListWriters => mark.settle(newest_seen, log.writers()),
            }
            let lost = log.unnumbered.iter().find(|position| **position <= mark.floor());
            prop_assert_eq!(lost, None);
        }
    }
}
