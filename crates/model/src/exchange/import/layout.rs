//! The layout of a file: what each of its columns is taken for.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::columns::{Column, ERROR_COLUMN, IGNORED, comparable_name};
use super::input::{ImportInput, ImportType};
use super::numbers::DecimalMark;
use crate::{Code, Problem, Result};

/// Characters of a header that are shown.
pub(super) const HEADER_CHARS_MAX: usize = 255;
/// Headers that a message names, and how many characters of each.
const HEADERS_NAMED_MAX: usize = 20;
const HEADER_CHARS_NAMED_MAX: usize = 60;

/// A column of a file, and what it is taken for.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
pub struct ColumnUse {
    pub header: String,
    /// Null if it is not read.
    pub column: Option<String>,
}

/// What each column of a file is taken for.
pub struct Layout {
    pub(super) r#type: ImportType,
    pub(super) headers: Vec<String>,
    /// For each column of the file, what it is taken for.
    pub(super) columns: Vec<Option<&'static Column>>,
    pub(super) mark: DecimalMark,
}

impl Layout {
    /// Finds out what columns with these headers are, by the mapping, then by their names, then by other names that shops use. Of
    /// several columns for the same thing the first one counts.
    ///
    /// # Errors
    ///
    /// Refuses a file without a column by which its rows are recognised.
    pub fn of(input: &ImportInput, headers: Vec<String>) -> Result<Self> {
        let known = input.r#type.columns();
        let names: Vec<String> = headers.iter().map(|header| comparable_name(header)).collect();
        let mut columns: Vec<Option<&'static Column>> = vec![None; headers.len()];
        let mut is_open: Vec<bool> =
            names.iter().map(|name| *name != comparable_name(ERROR_COLUMN)).collect();
        for (header, column) in &input.mapping {
            let word = column.as_str().unwrap_or(IGNORED);
            let header = comparable_name(header);
            for place in (0..names.len()).filter(|place| names[*place] == header) {
                columns[place] = known.iter().find(|column| column.name == word);
                is_open[place] = false;
            }
        }
        let own_names = known.iter().map(|column| (column, vec![comparable_name(column.name)]));
        let other_names = known.iter().map(|column| {
            (column, column.synonyms.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>())
        });
        for (column, words) in own_names.chain(other_names) {
            let is_taken = columns.iter().flatten().any(|taken| taken.name == column.name);
            let place_of =
                |word: &String| (0..names.len()).find(|place| is_open[*place] && names[*place] == *word);
            if let Some(place) = words.iter().find_map(place_of).filter(|_| !is_taken) {
                columns[place] = Some(column);
                is_open[place] = false;
            }
        }
        let layout = Self {
            r#type: input.r#type,
            headers,
            columns,
            mark: DecimalMark::of(input.options.locale.as_deref()),
        };
        layout.ensure_key()?;
        Ok(layout)
    }

    /// Returns the layout of a file whose rows are bodies already.
    pub fn of_bodies(input: &ImportInput) -> Self {
        let mark = DecimalMark::Point;
        Self { r#type: input.r#type, headers: Vec::new(), columns: Vec::new(), mark }
    }

    fn ensure_key(&self) -> Result<()> {
        let keys = self.r#type.key_columns();
        if self.columns.iter().flatten().any(|column| keys.contains(&column.name)) {
            return Ok(());
        }
        let named = self.headers.iter().take(HEADERS_NAMED_MAX);
        let found: Vec<String> = named.map(|header| shown(header, HEADER_CHARS_NAMED_MAX)).collect();
        let detail = format!(
            "The file has no column `{}`, by which its rows are recognised. Its columns are: {}. Name the column in `mapping`.",
            keys.last().copied().unwrap_or_default(),
            found.join(", "),
        );
        Err(Problem::from(Code::ImportColumnMissing).with_detail(detail).into())
    }

    pub fn headers(&self) -> &[String] {
        &self.headers
    }

    /// Returns what the columns are taken for, in their order.
    pub fn uses(&self) -> Vec<ColumnUse> {
        let pairs = self.headers.iter().zip(&self.columns);
        pairs
            .map(|(header, column)| ColumnUse {
                header: shown(header, HEADER_CHARS_MAX),
                column: column.map(|column| column.name.to_owned()),
            })
            .collect()
    }

    /// Returns the text by which a row belongs to the same resource as its neighbours: the reference, or another key.
    pub fn group_key(&self, cells: &[String]) -> Option<String> {
        // An id comes last: shops have ids of their own, and often only in the first row of an order.
        let keys = self.r#type.key_columns().iter().rev();
        let place_of = |key: &str| {
            self.columns.iter().position(|column| column.is_some_and(|column| column.name == key))
        };
        let mut texts = keys.filter_map(|key| cells.get(place_of(key)?));
        texts.find(|cell| !cell.is_empty()).cloned()
    }
}

/// Returns the first value at a path of a body, such as `lines/*/sku`, in which `*` is the place.
pub(super) fn at_path<'a>(body: &'a Value, path: &str, place: usize) -> Option<&'a Value> {
    path.split('/').try_fold(body, |value, step| match step {
        "*" => value.get(place),
        step => value.get(step),
    })
}

/// Returns the beginning of a header or a value as answers show it: a file may have any characters in it.
pub(super) fn shown(text: &str, chars_max: usize) -> String {
    let visible = |char: char| if char.is_control() { char::REPLACEMENT_CHARACTER } else { char };
    text.chars().take(chars_max).map(visible).collect()
}
