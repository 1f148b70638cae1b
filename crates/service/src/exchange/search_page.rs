//! Pages of search results: reads the index range by range, and keeps the rows that are the place of their resource.
//!
//! The work of a page is bounded. If many rows match one word and few of their resources match the others, a page ends
//! after [`ROWS_MAX`] rows, with the results that it has and a position to read on from.

use std::fmt;

use model::exchange::search::SearchType;
use model::exchange::search_query::{Match, SearchQuery, TermRange};
use model::{Error, Owner, Result};
use store::Tx;
use store::exchange::search::{self, Direction, TermPlace, TermRow};

/// Rows of the index that one page reads at most.
const ROWS_MAX: usize = 500;
/// Rows that are read at a time if not every row is a result.
const CHUNK: usize = 100;

/// A resource that was found.
#[derive(Clone, Debug)]
pub struct Hit {
    pub searched: SearchType,
    pub id: String,
    pub title: Option<String>,
    pub subtitle: Option<String>,
    pub matched_field: &'static str,
    pub matched: Match,
    pub position: Position,
}

/// A position in the result: the word that leads, the range, and the place in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Position {
    pub driver: usize,
    range: usize,
    place: TermPlace,
}

impl fmt::Display for Position {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TermPlace { term, age } = &self.place;
        write!(out, "{}/{}/{age}/{term}", self.driver, self.range)
    }
}

impl Position {
    /// Reads what [`fmt::Display`] writes.
    pub fn parse(text: &str) -> Result<Self> {
        let mut parts = text.splitn(4, '/');
        let mut next = || parts.next().ok_or_else(|| Error::fault("a cursor of a search lacks a part"));
        let number = |text: &str| text.parse::<usize>().map_err(Error::fault);
        let (driver, range) = (number(next()?)?, number(next()?)?);
        let age = next()?.to_owned();
        Ok(Self { driver, range, place: TermPlace { term: next()?.to_owned(), age } })
    }
}

/// The results of one page, in the direction in which they were read.
pub struct SearchPage {
    pub hits: Vec<Hit>,
    /// Where to read on, if there may be more.
    pub onward: Option<Position>,
}

/// A search that reads the index.
pub struct Scan {
    owner: Owner,
    words: SearchQuery,
    driver: usize,
    ranges: Vec<TermRange>,
    types: Vec<SearchType>,
}

impl Scan {
    pub fn new(owner: Owner, words: SearchQuery, driver: usize, types: Vec<SearchType>) -> Self {
        let ranges = words.ranges(driver);
        Self { owner, words, driver, ranges, types }
    }

    /// Returns whether there is a result from a position on, or may be one: after [`ROWS_MAX`] rows it is not known.
    pub async fn has_any(&self, tx: &mut Tx<'_>, direction: Direction, from: Position) -> Result<bool> {
        let page = self.read(tx, direction, Some(from), 1).await?;
        Ok(!page.hits.is_empty() || page.onward.is_some())
    }

    /// Reads up to `limit` results in a direction, from after a position on or from the beginning.
    pub async fn read(
        &self,
        tx: &mut Tx<'_>,
        direction: Direction,
        from: Option<Position>,
        limit: usize,
    ) -> Result<SearchPage> {
        let mut hits: Vec<Hit> = Vec::new();
        let mut rows_left = ROWS_MAX;
        let mut position = from;
        while let Some((range, place)) = self.next_place(direction, position.as_ref()) {
            let chunk = self.chunk(limit - hits.len());
            let rows = self.rows(tx, direction, range, &place, chunk).await?;
            let is_last = rows.len() < chunk;
            self.take(tx, range, &rows, &mut hits).await?;
            if hits.len() > limit {
                hits.truncate(limit);
                let onward = hits.last().map(|hit| hit.position.clone());
                return Ok(SearchPage { hits, onward });
            }
            rows_left = rows_left.saturating_sub(rows.len());
            position = Some(match rows.last() {
                Some(row) if !is_last => self.position(range, row.place()),
                // The end of the range: the next place is in another one.
                _ => self.position(range, self.end_of(direction, range)),
            });
            if rows_left == 0 {
                return Ok(SearchPage { hits, onward: position });
            }
        }
        Ok(SearchPage { hits, onward: None })
    }

    /// Returns how many rows to read. If every row of a range is nearly always a result, only as many as are needed.
    fn chunk(&self, needed: usize) -> usize {
        if self.words.words().len() == 1 { needed + 1 } else { CHUNK.max(needed + 1) }
    }

    fn position(&self, range: usize, place: TermPlace) -> Position {
        Position { driver: self.driver, range, place }
    }

    /// Returns the range to read next and where in it, after a position or from the beginning.
    fn next_place(&self, direction: Direction, after: Option<&Position>) -> Option<(usize, TermPlace)> {
        let Some(after) = after else { return Some((0, self.start_of(direction, 0))) };
        if after.range < self.ranges.len() && after.place != self.end_of(direction, after.range) {
            return Some((after.range, after.place.clone()));
        }
        let range = match direction {
            Direction::Onward => Some(after.range + 1).filter(|range| *range < self.ranges.len()),
            Direction::Back => after.range.checked_sub(1),
        };
        range.map(|range| (range, self.start_of(direction, range)))
    }

    /// Returns the place before the first row of a range, in a direction.
    fn start_of(&self, direction: Direction, range: usize) -> TermPlace {
        let TermRange { low, high, .. } = &self.ranges[range];
        let term = if direction == Direction::Onward { low } else { high };
        TermPlace { term: term.clone(), age: String::new() }
    }

    /// Returns the place after the last row of a range, in a direction.
    fn end_of(&self, direction: Direction, range: usize) -> TermPlace {
        let opposite = if direction == Direction::Onward { Direction::Back } else { Direction::Onward };
        self.start_of(opposite, range)
    }

    async fn rows(
        &self,
        tx: &mut Tx<'_>,
        direction: Direction,
        range: usize,
        from: &TermPlace,
        limit: usize,
    ) -> Result<Vec<TermRow>> {
        let end = self.end_of(direction, range).term;
        search::rows(tx, self.owner, &self.types, direction, &end, from, limit).await
    }

    /// Adds the rows that are the place of their resource in the result.
    async fn take(&self, tx: &mut Tx<'_>, range: usize, rows: &[TermRow], hits: &mut Vec<Hit>) -> Result<()> {
        let resources = search::resources(tx, self.owner, rows).await?;
        for row in rows {
            let Some(resource) = resources.get(&row.id) else { continue };
            let terms = resource.field_terms();
            let place = self.words.place(&self.ranges, &terms);
            let Some(place) = place.filter(|place| place.range == range && place.entry.term == row.term)
            else {
                continue;
            };
            hits.push(Hit {
                searched: row.searched,
                id: row.id.clone(),
                title: resource.title.clone(),
                subtitle: resource.subtitle.clone(),
                matched_field: place.entry.at,
                matched: place.matched,
                position: self.position(range, row.place()),
            });
        }
        Ok(())
    }
}
