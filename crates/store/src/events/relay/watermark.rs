//! The position below which no event lacks a number. Pure: what the database says is passed in.
//!
//! A transaction draws positions before it commits, so a low position may become visible after a higher one has its number.
//! A position is settled once every transaction that may have drawn it, or a lower one, has ended. The proof takes two
//! observations: the newest position that was drawn, and then the transactions that are writing events. Each transaction that
//! drew such a position is among these, or has ended. When none of them is left, the position is settled.

use std::collections::HashSet;

/// Positions beyond the floor up to which it stays where it is: a look visits no more index entries than that, which is cheap,
/// and to list the writing transactions is not.
const LAG_MAX: i64 = 2000;

/// What a relay knows of the positions that need no look any more.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Watermark {
    /// The run of the database server in which this holds.
    era: String,
    /// Every event at this position or below that will ever be visible has its number.
    floor: i64,
    /// No open transaction can add an event at this position or below. Some may lack their number.
    settled: i64,
    candidate: Option<Candidate>,
}

/// A position that is settled once all of these transactions have ended.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Candidate {
    position: i64,
    writers: HashSet<String>,
}

impl Watermark {
    /// Knows nothing yet of the era.
    pub fn new(era: &str) -> Self {
        Self { era: era.to_owned(), ..Self::default() }
    }

    /// Reads what [`Watermark::to_text`] wrote. Returns `None` for any other text.
    pub fn parse(text: &str) -> Option<Self> {
        let (floor, era) = text.split_once(' ')?;
        let floor = floor.parse().ok()?;
        Some(Self { era: era.to_owned(), floor, settled: floor, candidate: None })
    }

    /// The floor and its era as a text. Which positions are settled beyond the floor is found out again.
    pub fn to_text(&self) -> String {
        format!("{} {}", self.floor, self.era)
    }

    /// The position after which a look begins.
    pub fn floor(&self) -> i64 {
        self.floor
    }

    /// Returns whether this was learnt in the given era, in which the newest position is this one.
    pub fn holds_in(&self, era: &str, newest: i64) -> bool {
        let known = self.candidate.as_ref().map_or(self.settled, |candidate| candidate.position);
        self.era == era && known <= newest
    }

    /// Returns whether a look has to pass so many positions that the floor should rise.
    pub fn is_behind(&self, newest: i64) -> bool {
        newest - self.floor >= LAG_MAX
    }

    /// Raises the floor after a look that began after the last call of [`Watermark::settle`], and numbered all that it saw: up
    /// to `last`, or everything.
    pub fn raise(&mut self, last: Option<i64>) {
        let numbered = last.map_or(self.settled, |last| self.settled.min(last));
        self.floor = self.floor.max(numbered);
    }

    /// Takes in which transactions are writing events. `newest` must have been read before these were listed.
    pub fn settle(&mut self, newest: i64, writers: HashSet<String>) {
        if let Some(over) = self.candidate.take_if(|candidate| candidate.writers.is_disjoint(&writers)) {
            self.settled = over.position;
        }
        if self.candidate.is_none() {
            match writers.is_empty() {
                true => self.settled = newest,
                false => self.candidate = Some(Candidate { position: newest, writers }),
            }
        }
    }
}

#[cfg(test)]
mod tests;
