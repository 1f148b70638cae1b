//! Cursors: opaque, and valid only for the owner, the list and the filters that they were made for.

mod sealed;

use model::{Code, Error, Owner, Result};
use store::{Order, Page, Start};

use crate::platform::context::Context;

/// Which part of which list is asked for.
#[derive(Clone, Debug)]
pub struct ListQuery {
    /// The list's name, such as `locations`.
    pub list: &'static str,
    /// The filters in their normal form, as far as they choose rows.
    pub filters: String,
    pub cursor: Option<String>,
    pub limit: usize,
}

/// A page of resources as JSON texts, and the cursors around it.
pub struct Listing {
    pub items: Vec<String>,
    pub next_cursor: Option<String>,
    pub previous_cursor: Option<String>,
    pub limit: usize,
}

/// What a cursor says: where the page starts.
pub struct Cursor;

impl Context {
    /// Where the page starts that the query asks for.
    pub(crate) fn start(&self, owner: Owner, query: &ListQuery) -> Result<Start> {
        match &query.cursor {
            None => Ok(Start::First),
            Some(cursor) => Cursor::read(&self.settings().signing_key, owner, query, cursor)
                .ok_or_else(|| Code::InvalidCursor.into()),
        }
    }

    /// A page of a list that begins with the newest, with the cursors around it.
    pub(crate) fn listing(&self, owner: Owner, query: &ListQuery, page: Page<String>) -> Result<Listing> {
        self.listing_in(Order::NewestFirst, owner, query, page)
    }

    /// A page with the cursors around it.
    pub(crate) fn listing_in(
        &self,
        order: Order,
        owner: Owner,
        query: &ListQuery,
        page: Page<String>,
    ) -> Result<Listing> {
        let key = &self.settings().signing_key;
        let cursor =
            |start: Option<Start>| start.map(|start| Cursor::write(key, owner, query, &start)).transpose();
        let older = cursor(page.older_than.map(Start::OlderThan))?;
        let newer = cursor(page.newer_than.map(Start::NewerThan))?;
        let (next_cursor, previous_cursor) = match order {
            Order::NewestFirst => (older, newer),
            Order::OldestFirst => (newer, older),
        };
        Ok(Listing { next_cursor, previous_cursor, items: page.items, limit: query.limit })
    }
}

impl Cursor {
    fn write(key: &[u8; 32], owner: Owner, query: &ListQuery, start: &Start) -> Result<String> {
        let text = match start {
            Start::First => return Err(Error::fault("the first page has no cursor")),
            Start::OlderThan(at) => format!("<{at}"),
            Start::NewerThan(at) => format!(">{at}"),
        };
        sealed::seal(key, &purpose(&owner.to_string(), query), &text)
    }

    fn read(key: &[u8; 32], owner: Owner, query: &ListQuery, cursor: &str) -> Option<Start> {
        let text = sealed::open(key, &purpose(&owner.to_string(), query), cursor)?;
        match text.split_at_checked(1)? {
            ("<", at) => Some(Start::OlderThan(at.to_owned())),
            (">", at) => Some(Start::NewerThan(at.to_owned())),
            _ => None,
        }
    }
}

/// What a cursor is valid for.
fn purpose<'a>(owner: &'a str, query: &'a ListQuery) -> [&'a str; 4] {
    ["cursor", owner, query.list, &query.filters]
}

#[cfg(test)]
mod tests {
    use model::{Id, World};
    use proptest::prelude::*;

    use super::*;

    const KEY: [u8; 32] = [3; 32];

    fn query(filters: &str) -> ListQuery {
        ListQuery { list: "locations", filters: filters.to_owned(), cursor: None, limit: 20 }
    }

    fn owner() -> Owner {
        Owner { organisation: Id::from_bits(1), world: World::Live }
    }

    #[test]
    fn a_cursor_serves_only_what_it_was_made_for() {
        let start = Start::OlderThan("loc_1".to_owned());
        let cursor = Cursor::write(&KEY, owner(), &query("tags=a"), &start).unwrap();
        assert_eq!(Cursor::read(&KEY, owner(), &query("tags=a"), &cursor), Some(start));
        assert_eq!(Cursor::read(&KEY, owner(), &query("tags=b"), &cursor), None);
        assert_eq!(Cursor::read(&[4; 32], owner(), &query("tags=a"), &cursor), None);
        let test_world = Owner { world: World::Test, ..owner() };
        assert_eq!(Cursor::read(&KEY, test_world, &query("tags=a"), &cursor), None);
        let other = ListQuery { list: "events", ..query("tags=a") };
        assert_eq!(Cursor::read(&KEY, owner(), &other, &cursor), None);
    }

    proptest! {
        #[test]
        fn an_altered_cursor_is_refused(place in 0usize..30, letter in "[A-Za-z0-9_-]") {
            let start = Start::NewerThan("loc_01jc".to_owned());
            let cursor = Cursor::write(&KEY, owner(), &query(""), &start).unwrap();
            let mut altered = cursor.clone();
            let place = place % cursor.len();
            altered.replace_range(place..=place, &letter);
            prop_assume!(altered != cursor);
            prop_assert_eq!(Cursor::read(&KEY, owner(), &query(""), &altered), None);
        }

        #[test]
        fn no_text_makes_it_panic(text in "\\PC{0,60}") {
            prop_assert_eq!(Cursor::read(&KEY, owner(), &query(""), &text), None);
        }
    }
}
