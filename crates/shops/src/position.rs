//! How far the orders of a shop were read: a place in the list of orders that is sorted by the time of their last change.
//!
//! The list changes while it is read: an order that is changed moves to its end, and all orders behind its old place
//! move forward by one. A page with a number would then skip one of them. So the next page begins with the time of the
//! last order of this page. Only where a whole page has one and the same time is the list counted, and then the pages
//! overlap.

use model::Timestamp;
use serde::{Deserialize, Serialize};

/// How far before the newest order the next run begins, in seconds: a change may become visible later than another with
/// a later time.
const OVERLAP_SECONDS: i64 = 120;
/// How many orders of a counted page are read again with the next one.
const OVERLAP_ORDERS: u64 = 5;
/// How far orders of one time are counted. A shop that has more has ignored the question.
const OFFSET_MAX: u64 = 100_000;

/// How far the orders of a shop were read. It survives restarts: store each one with what was read before it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Position {
    /// The time of the earliest change that this run reads.
    start: Timestamp,
    /// The page has changes of this time and later ones.
    since: Timestamp,
    /// The time of the newest change that this run has seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    newest: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Place::is_first")]
    place: Place,
}

/// Where the page begins among the changes.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Place {
    #[default]
    First,
    Offset(u64),
    Cursor(String),
}

impl Place {
    fn is_first(&self) -> bool {
        *self == Self::First
    }
}

/// What a page without a cursor had.
pub(crate) struct SeenPage<'a> {
    /// When the orders were changed, in the order of the page.
    pub times: &'a [Timestamp],
    /// How many orders there were, the unreadable ones among them.
    pub count: usize,
    pub count_max: usize,
    /// How many orders the shop counts on all pages.
    pub total: Option<u64>,
}

impl Position {
    /// Returns the position from which all orders that were changed at this time or later are read.
    pub fn starting_at(start: Timestamp) -> Self {
        Self { start, since: start, newest: None, place: Place::First }
    }

    /// Returns whether it is between two pages of a run that is under way.
    pub fn is_under_way(&self) -> bool {
        self.since != self.start || self.newest.is_some() || !self.place.is_first()
    }

    pub(crate) fn since(&self) -> Timestamp {
        self.since
    }

    pub(crate) fn offset(&self) -> u64 {
        match self.place {
            Place::Offset(offset) => offset,
            Place::First | Place::Cursor(_) => 0,
        }
    }

    pub(crate) fn cursor(&self) -> Option<&str> {
        match &self.place {
            Place::Cursor(cursor) => Some(cursor),
            Place::First | Place::Offset(_) => None,
        }
    }

    /// Returns the position after a page, and whether it was the last one. A time in the future does not count: a wrong
    /// clock of the shop must not make the next run skip what is changed until then.
    pub(crate) fn after_page(&self, page: &SeenPage<'_>, now: Timestamp) -> (Self, bool) {
        let on_page = newest_of(page.times, now);
        let newest = self.newest.max(on_page);
        let read = self.offset() + page.count as u64;
        let is_last = match page.total {
            Some(total) => read >= total,
            None => page.count < page.count_max,
        };
        if is_last || page.count == 0 || read >= OFFSET_MAX {
            return (self.ended(newest), true);
        }
        let is_sorted = page.times.is_sorted();
        let next = match on_page {
            Some(time) if is_sorted && time > self.since => {
                Self { start: self.start, since: time, newest, place: Place::First }
            }
            _ => {
                let step = (page.count as u64).saturating_sub(OVERLAP_ORDERS).max(1);
                Self { newest, place: Place::Offset(self.offset() + step), ..self.clone() }
            }
        };
        (next, false)
    }

    /// Returns the position after a page that ends with a cursor, if there is another page.
    pub(crate) fn after_cursor(
        &self,
        times: &[Timestamp],
        cursor: Option<String>,
        now: Timestamp,
    ) -> (Self, bool) {
        let newest = self.newest.max(newest_of(times, now));
        match cursor.filter(|cursor| self.cursor() != Some(cursor.as_str())) {
            Some(cursor) => (Self { newest, place: Place::Cursor(cursor), ..self.clone() }, false),
            None => (self.ended(newest), true),
        }
    }

    /// Returns the position without its cursor, because the shop no longer accepts it: the run begins again.
    pub(crate) fn without_cursor(&self) -> Self {
        Self { place: Place::First, ..self.clone() }
    }

    /// Returns where the next run begins.
    fn ended(&self, newest: Option<Timestamp>) -> Self {
        let start = newest.map(|newest| newest.plus_seconds(-OVERLAP_SECONDS));
        Self::starting_at(start.map_or(self.start, |start| start.max(self.start)))
    }
}

fn newest_of(times: &[Timestamp], now: Timestamp) -> Option<Timestamp> {
    times.iter().max().map(|newest| (*newest).min(now))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000)
    }

    fn page<'a>(times: &'a [Timestamp], total: Option<u64>) -> SeenPage<'a> {
        SeenPage { times, count: times.len(), count_max: times.len(), total }
    }

    #[test]
    fn a_page_begins_with_the_time_of_the_last_order() {
        let first = Position::starting_at(at(1000));
        let (second, is_last) = first.after_page(&page(&[at(1001), at(1005)], Some(3)), at(5000));
        assert_eq!((second.since(), second.offset(), is_last), (at(1005), 0, false));
        assert!(second.is_under_way() && !first.is_under_way());
        let (next, is_last) = second.after_page(&page(&[at(1005), at(1400)], Some(2)), at(5000));
        assert_eq!((next, is_last), (Position::starting_at(at(1280)), true));
    }

    #[test]
    fn orders_of_one_time_are_counted_with_an_overlap() {
        let times = [at(1000); 10];
        let first = Position::starting_at(at(1000));
        let (second, _) = first.after_page(&page(&times, Some(21)), at(5000));
        assert_eq!((second.since(), second.offset()), (at(1000), 5));
        let (third, is_last) = second.after_page(&page(&times, Some(21)), at(5000));
        assert_eq!((third.offset(), is_last), (10, false));
        let (_, is_last) =
            Position { place: Place::Offset(11), ..third }.after_page(&page(&times, Some(21)), at(5000));
        assert!(is_last);
    }

    #[test]
    fn a_shop_that_does_not_sort_is_counted() {
        let first = Position::starting_at(at(1000));
        let times: Vec<Timestamp> = (0..10).rev().map(|second| at(2000 + second)).collect();
        let (second, _) = first.after_page(&page(&times, Some(99)), at(5000));
        assert_eq!((second.since(), second.offset()), (at(1000), 5));
    }

    #[test]
    fn the_next_run_never_begins_before_the_first_one_or_in_the_future() {
        let first = Position::starting_at(at(1000));
        let none = SeenPage { times: &[], count: 0, count_max: 50, total: None };
        assert_eq!(first.after_page(&none, at(5000)), (first.clone(), true));
        let (next, _) = first.after_page(&page(&[at(1001)], Some(1)), at(5000));
        assert_eq!(next, first);
        let (next, _) = first.after_page(&page(&[at(9_000_000)], Some(1)), at(5000));
        assert_eq!(next, Position::starting_at(at(4880)));
    }

    #[test]
    fn a_cursor_that_leads_to_itself_ends_the_run() {
        let first = Position::starting_at(at(1000));
        let (second, is_last) = first.after_cursor(&[at(2000)], Some("a".to_owned()), at(5000));
        assert_eq!((second.cursor(), second.since(), is_last), (Some("a"), at(1000), false));
        let (next, is_last) = second.after_cursor(&[at(1500)], Some("a".to_owned()), at(5000));
        assert_eq!((next, is_last), (Position::starting_at(at(1880)), true));
        assert_eq!(second.without_cursor().cursor(), None);
    }

    #[test]
    fn a_position_reads_back() {
        let first = Position::starting_at(at(1000));
        assert_eq!(
            serde_json::to_string(&first).unwrap(),
            r#"{"start":"1970-01-01T00:16:40.000000Z","since":"1970-01-01T00:16:40.000000Z"}"#
        );
        let cursor = first.after_cursor(&[at(2000)], Some("a".to_owned()), at(5000)).0;
        let offset = first.after_page(&page(&[at(1000); 9], Some(99)), at(5000)).0;
        for position in [first, cursor, offset] {
            let text = serde_json::to_string(&position).unwrap();
            assert_eq!(serde_json::from_str::<Position>(&text).unwrap(), position);
        }
    }
}
