//! Search: finds resources of all types by their terms.

use model::exchange::search::{SearchResult, SearchType};
use model::exchange::search_query::SearchQuery;
use model::{Owner, Result, Scope};
use store::exchange::search::{self, Direction, TermPlace};
use store::{Page, Start, Tx};

use super::search_page::{Hit, Position, Scan, SearchPage};
use crate::access::caller::Caller;
use crate::platform::context::Context;
use crate::platform::cursor::{ListQuery, Listing};
use crate::platform::resource::json;

/// Rows that are counted of each word, to find the rarest.
const COUNT_MAX: usize = 50;

/// Finds resources.
#[derive(Clone)]
pub struct Search {
    context: Context,
}

impl Search {
    pub(crate) fn new(context: &Context) -> Self {
        Self { context: context.clone() }
    }

    /// Returns the types that the caller may read, of those that the request names. If it names none, of all. Refuses a
    /// named type that the caller may not read.
    pub fn readable(&self, caller: &Caller, named: &[SearchType]) -> Result<Vec<SearchType>> {
        let scope = |searched: &SearchType| Scope::read(searched.resource());
        for scope in named.iter().filter_map(scope) {
            caller.require(scope)?;
        }
        let may_read =
            |searched: &SearchType| scope(searched).is_some_and(|scope| caller.scopes.contains(scope));
        let is_named = |searched: &SearchType| named.is_empty() || named.contains(searched);
        Ok(SearchType::ALL.into_iter().filter(is_named).filter(may_read).collect())
    }

    /// A page of the resources of these types that match: exact matches first, then beginnings, then words.
    pub async fn find(
        &self,
        caller: &Caller,
        query: ListQuery,
        words: SearchQuery,
        types: Vec<SearchType>,
    ) -> Result<Listing> {
        let owner = caller.owner;
        let start = self.context.start(owner, &query)?;
        let limit = query.limit;
        let read = self.context.db().read(owner, async move |tx| {
            let page = page(tx, owner, words.clone(), types.clone(), &start, limit).await?;
            page.try_map(|hit| json(&shown(hit)))
        });
        let page = read.await?;
        self.context.listing(owner, &query, page)
    }
}

/// Reads a page. In a [`Page`] of search results, "older" is onward in the result.
async fn page(
    tx: &mut Tx<'_>,
    owner: Owner,
    words: SearchQuery,
    types: Vec<SearchType>,
    start: &Start,
    limit: usize,
) -> Result<Page<Hit>> {
    let (direction, from) = match start {
        Start::First => (Direction::Onward, None),
        Start::OlderThan(key) => (Direction::Onward, Some(Position::parse(key)?)),
        Start::NewerThan(key) => (Direction::Back, Some(Position::parse(key)?)),
    };
    if words.words().is_empty() || types.is_empty() {
        return Ok(Page { items: Vec::new(), older_than: None, newer_than: None });
    }
    let driver = match &from {
        Some(from) => from.driver.min(words.words().len() - 1),
        None => rarest(tx, owner, &words, &types).await?,
    };
    let scan = Scan::new(owner, words, driver, types);
    let SearchPage { mut hits, onward } = scan.read(tx, direction, from.clone(), limit).await?;
    // Whether something is in the opposite direction, from the first hit on.
    let edge = match (from, hits.first()) {
        (None, _) => None,
        (Some(_), Some(first)) => Some(first.position.clone()),
        (Some(from), None) => Some(from),
    };
    let opposite = if direction == Direction::Onward { Direction::Back } else { Direction::Onward };
    let back = match edge {
        Some(edge) if scan.has_any(tx, opposite, edge.clone()).await? => Some(edge),
        _ => None,
    };
    let (next, previous) = if direction == Direction::Onward { (onward, back) } else { (back, onward) };
    if direction == Direction::Back {
        hits.reverse();
    }
    let key = |position: Option<Position>| position.map(|position| position.to_string());
    Ok(Page { items: hits, older_than: key(next), newer_than: key(previous) })
}

/// Returns the place of the word that the fewest terms begin with, as far as a few rows of each tell.
async fn rarest(tx: &mut Tx<'_>, owner: Owner, words: &SearchQuery, types: &[SearchType]) -> Result<usize> {
    let drivers = words.drivers();
    if let [only] = drivers[..] {
        return Ok(only);
    }
    let mut rarest = (usize::MAX, 0);
    for place in drivers {
        let mut count = 0;
        for range in SearchQuery::ranges_of(&words.words()[place]) {
            let from = TermPlace { term: range.low, age: String::new() };
            let rows = search::rows(tx, owner, types, Direction::Onward, &range.high, &from, COUNT_MAX);
            count += rows.await?.len();
        }
        rarest = rarest.min((count, place));
    }
    Ok(rarest.1)
}

fn shown(hit: Hit) -> SearchResult {
    SearchResult {
        r#type: hit.searched.as_str(),
        title: hit.title.unwrap_or_else(|| hit.id.clone()),
        id: hit.id,
        subtitle: hit.subtitle,
        matched_field: hit.matched_field,
        r#match: hit.matched.as_str(),
    }
}
