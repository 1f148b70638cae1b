//! What a search asks for: its words, the ranges of terms that may match, and which of them a resource matches first.
//!
//! The index is read range by range. A resource has one place in the result: the first range in which one of its terms
//! matches, and the smallest such term. So a page needs no memory of earlier pages, and no resource comes twice.

use crate::platform::search_text::{
    FieldTerm, Form, TERM_CHARS_MAX, WHOLE, WORD, all_words, term, whole, words,
};

/// Words of a query that are compared. A query of the longest text that is allowed has no more.
const QUERY_WORDS_MAX: usize = 100;
/// Words of a query whose rows are counted, to find the rarest.
const DRIVERS_MAX: usize = 4;

/// A character that sorts before all characters of terms.
const BEFORE: char = '\u{1}';
/// A character that sorts after all characters of terms.
const BEYOND: char = '\u{10FFFF}';

/// The words of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchQuery {
    words: Vec<String>,
    /// The words as the whole of a text.
    text: String,
    /// The words as the whole of a code.
    code: String,
}

/// How a resource matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// A field is exactly what the query says.
    Exact,
    /// A field begins with the query.
    Prefix,
    /// Every word of the query is the beginning of a word of the resource.
    Word,
}

/// A range of terms in the index: from `low` to before `high`.
#[derive(Clone, Debug, PartialEq)]
pub struct TermRange {
    pub low: String,
    pub high: String,
    needs: Needs,
}

/// What a term must be, beside being in the range.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Needs {
    /// Nothing: a query of one word reads any field.
    Nothing,
    /// The whole of a name.
    Text,
    /// The whole of a code or a number.
    Code,
    /// Every word of the query must match some term of the resource.
    AllWords,
}

/// Where a resource stands in the result.
#[derive(Clone, Debug, PartialEq)]
pub struct Place<'a> {
    /// The range, counted from zero.
    pub range: usize,
    pub entry: &'a FieldTerm,
    pub matched: Match,
}

impl Match {
    pub fn as_str(self) -> &'static str {
        match self {
            Match::Exact => "exact",
            Match::Prefix => "prefix",
            Match::Word => "word",
        }
    }
}

impl SearchQuery {
    /// Reads a query. Any text is one: what has no letters or digits has no words, and finds nothing.
    pub fn parse(text: &str) -> Self {
        let cut = |text: &String| text.chars().take(TERM_CHARS_MAX).collect::<String>();
        // A field is compared by its first words, so its whole text finds it although it has more.
        let first = words(text);
        let of = |form: Form| whole(form, &first).as_ref().map(cut).unwrap_or_default();
        let mut words: Vec<String> = Vec::new();
        for word in all_words(text, QUERY_WORDS_MAX).iter().map(cut) {
            if !words.contains(&word) {
                words.push(word);
            }
        }
        Self { words, text: of(Form::Text), code: of(Form::Code) }
    }

    /// Returns the words, folded, each once.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// Returns the places of the words that may lead: the longest, which are usually rare.
    pub fn drivers(&self) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.words.len()).collect();
        places.sort_by_key(|place| (std::cmp::Reverse(self.words[*place].len()), *place));
        places.truncate(DRIVERS_MAX);
        places
    }

    /// Returns the ranges of terms that begin with a word: of wholes, and of further words.
    pub fn ranges_of(word: &str) -> [TermRange; 2] {
        [WHOLE, WORD].map(|first| beginning_with(&term(first, word), Needs::AllWords))
    }

    /// Returns the ranges in which resources match, in the order of the result. `driver` is the place of the word by
    /// whose terms resources are found that contain all words: the rarest.
    pub fn ranges(&self, driver: usize) -> Vec<TermRange> {
        let Some(word) = self.words.get(driver) else { return Vec::new() };
        let [wholes, words] = Self::ranges_of(word);
        if self.text == self.code && self.words.len() == 1 {
            // What is equal comes first in the range of what begins with it.
            return vec![TermRange { needs: Needs::Nothing, ..wholes }, words];
        }
        let (text, code) = (term(WHOLE, &self.text), term(WHOLE, &self.code));
        vec![
            equal_to(&text, Needs::Text),
            equal_to(&code, Needs::Code),
            longer_than(&text, Needs::Text),
            longer_than(&code, Needs::Code),
            wholes,
            words,
        ]
    }

    /// Returns where a resource with these terms stands in the result, or `None` if it does not match. The ranges are
    /// those of [`SearchQuery::ranges`].
    pub fn place<'a>(&self, ranges: &[TermRange], terms: &'a [FieldTerm]) -> Option<Place<'a>> {
        let has_all = self.words.iter().all(|word| terms.iter().any(|entry| begins(entry, word)));
        for (number, range) in ranges.iter().enumerate() {
            let matches =
                |entry: &&FieldTerm| range.contains(&entry.term) && range.admits(entry.form, has_all);
            if let Some(entry) = terms.iter().filter(matches).min_by_key(|entry| &entry.term) {
                return Some(Place { range: number, entry, matched: self.quality(range, entry) });
            }
        }
        None
    }

    fn quality(&self, range: &TermRange, entry: &FieldTerm) -> Match {
        let wanted = if entry.form == Form::Text { &self.text } else { &self.code };
        match range.needs {
            Needs::AllWords => Match::Word,
            _ if entry.term.strip_prefix(WHOLE) == Some(wanted.as_str()) => Match::Exact,
            _ => Match::Prefix,
        }
    }
}

impl TermRange {
    fn contains(&self, term: &str) -> bool {
        self.low.as_str() <= term && term < self.high.as_str()
    }

    fn admits(&self, form: Form, has_all_words: bool) -> bool {
        match self.needs {
            Needs::Nothing => true,
            Needs::Text => form == Form::Text,
            Needs::Code => form != Form::Text,
            Needs::AllWords => has_all_words,
        }
    }
}

fn begins(entry: &FieldTerm, word: &str) -> bool {
    entry.term.strip_prefix([WHOLE, WORD]).is_some_and(|text| text.starts_with(word))
}

fn beginning_with(term: &str, needs: Needs) -> TermRange {
    TermRange { low: term.to_owned(), high: format!("{term}{BEYOND}"), needs }
}

fn equal_to(term: &str, needs: Needs) -> TermRange {
    TermRange { low: term.to_owned(), high: format!("{term}{BEFORE}"), needs }
}

fn longer_than(term: &str, needs: Needs) -> TermRange {
    TermRange { low: format!("{term}{BEFORE}"), high: format!("{term}{BEYOND}"), needs }
}

#[cfg(test)]
mod tests;
