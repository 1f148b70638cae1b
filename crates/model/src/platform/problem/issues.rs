//! The errors in a request, as a list with a maximum length: a small body can contain an error every few bytes.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Maximum number of errors that one problem lists. Further ones are counted.
pub const ISSUES_MAX: usize = 100;
/// The code of the last error of a problem that does not list all errors.
pub const MORE_ERRORS: &str = "more_errors";

/// One error in a request, in the form of the interface's shipment error with an added `field`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Issue {
    /// A stable word, such as `required` or `too_long`.
    pub code: Cow<'static, str>,
    pub message: String,
    /// A JSON pointer into the body, or the name of a parameter or header.
    pub field: String,
    /// Further data, such as `requested` and `available`.
    #[serde(flatten, default)]
    pub facts: Map<String, Value>,
}

impl Issue {
    pub fn new(
        code: impl Into<Cow<'static, str>>,
        field: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self { code: code.into(), field: field.into(), message: message.into(), facts: Map::new() }
    }

    /// Returns the issue with one more fact.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.facts.insert(name.to_owned(), value.into());
        self
    }
}

/// Collects errors: the first ones, and the number of the rest.
#[derive(Debug)]
pub struct Issues {
    listed: Vec<Issue>,
    listed_max: usize,
    omitted: usize,
    /// Addresses of the lists of known fields that an earlier error has already printed.
    named: Vec<usize>,
}

impl Default for Issues {
    fn default() -> Self {
        Self::up_to(ISSUES_MAX)
    }
}

impl Issues {
    /// Creates a collection that lists this many errors and counts the rest.
    pub fn up_to(listed_max: usize) -> Self {
        Self { listed: Vec::new(), listed_max, omitted: 0, named: Vec::new() }
    }

    pub fn push(&mut self, issue: Issue) {
        self.add(|_| issue);
    }

    /// Adds an error, which is constructed only if it will be listed. `make` can read the number of earlier errors.
    pub fn add(&mut self, make: impl FnOnce(&mut Self) -> Issue) {
        if self.listed.len() < self.listed_max {
            let issue = make(self);
            self.listed.push(issue);
        } else {
            self.omitted += 1;
        }
    }

    /// Returns the number of errors, listed or not.
    pub fn count(&self) -> usize {
        self.listed.len() + self.omitted
    }

    /// Returns the number of errors that are not listed.
    pub fn omitted(&self) -> usize {
        self.omitted
    }

    pub fn is_empty(&self) -> bool {
        self.count() == 0
    }

    pub fn first(&self) -> Option<&Issue> {
        self.listed.first()
    }

    pub fn iter(&self) -> impl Iterator<Item = &Issue> {
        self.listed.iter()
    }

    /// Removes and returns the errors that match.
    pub fn extract(&mut self, matches: impl FnMut(&mut Issue) -> bool) -> Vec<Issue> {
        self.listed.extract_if(.., matches).collect()
    }

    /// Returns whether an error should print this list of words: only the first error that asks does.
    pub fn is_first_of<T>(&mut self, words: &[T]) -> bool {
        let address = words.as_ptr().addr();
        let is_first = !self.named.contains(&address);
        if is_first {
            self.named.push(address);
        }
        is_first
    }

    /// Returns the errors that a problem lists. If there are more, the last one says how many.
    pub fn into_list(mut self) -> Vec<Issue> {
        let beyond = self.listed.len().saturating_sub(ISSUES_MAX);
        self.listed.truncate(ISSUES_MAX);
        let omitted = self.omitted + beyond;
        if omitted > 0 {
            let message = format!("{omitted} more errors are not listed. Correct these first.");
            self.listed.push(Issue::new(MORE_ERRORS, "", message).with("omitted_count", omitted));
        }
        self.listed
    }
}

impl From<Vec<Issue>> for Issues {
    fn from(listed: Vec<Issue>) -> Self {
        Self { listed, ..Self::default() }
    }
}

impl FromIterator<Issue> for Issues {
    fn from_iter<I: IntoIterator<Item = Issue>>(all: I) -> Self {
        let mut issues = Self::default();
        all.into_iter().for_each(|issue| issues.push(issue));
        issues
    }
}
