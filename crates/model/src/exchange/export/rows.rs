//! The rows that a resource becomes.

use serde_json::{Map, Value};

use super::ExportType;
use super::columns::ExportColumn;
use crate::exchange::import::columns::WORD_SEPARATORS;

/// The text of a cell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Cell {
    /// A text, which a spreadsheet may take for a formula.
    Text(String),
    /// A number, a truth value, or nothing.
    Plain(String),
}

/// Returns the rows of a resource: one, or one for each entry of its list. Of the rows behind the first, an import needs only the keys
/// of the resource, so they leave the rest empty: sums over a column then count each resource once.
pub fn rows(r#type: ExportType, columns: &[ExportColumn], resource: &Value) -> Vec<Vec<Cell>> {
    let entries = r#type.list().and_then(|list| resource.get(list)?.as_array()).map_or(1, Vec::len);
    // A line of an order is a row of its own. An order without lines has none.
    let count = if r#type.is_flat() { entries } else { entries.max(1) };
    let keys = r#type.import().map_or(&[][..], |import| import.key_columns());
    let cell_at = |row: usize, column: &ExportColumn| {
        let is_said =
            row == 0 || r#type.is_flat() || column.path.contains('*') || keys.contains(&column.name);
        let value = is_said.then(|| value_at(resource, column.path, row)).flatten();
        value.map_or_else(|| Cell::Plain(String::new()), cell)
    };
    (0..count).map(|row| columns.iter().map(|column| cell_at(row, column)).collect()).collect()
}

/// Returns a row as an object with the names of the columns.
pub fn record(columns: &[ExportColumn], resource: &Value, row: usize) -> Map<String, Value> {
    let value = |column: &ExportColumn| value_at(resource, column.path, row).cloned().unwrap_or_default();
    columns.iter().map(|column| (column.name.to_owned(), value(column))).collect()
}

fn value_at<'a>(resource: &'a Value, path: &str, row: usize) -> Option<&'a Value> {
    path.split('/').try_fold(resource, |value, step| match step {
        "*" => value.get(row),
        step => value.get(step),
    })
}

fn cell(value: &Value) -> Cell {
    match value {
        Value::Null => Cell::Plain(String::new()),
        Value::Bool(truth) => Cell::Plain(truth.to_string()),
        // Not as JSON writes it: a spreadsheet and an import read no exponents.
        Value::Number(number) => Cell::Plain(match (number.as_i64(), number.as_f64()) {
            (None, Some(float)) => float.to_string(),
            _ => number.to_string(),
        }),
        Value::String(text) => Cell::Text(text.clone()),
        Value::Array(list) => Cell::Text(words(list)),
        Value::Object(_) => Cell::Text(value.to_string()),
    }
}

/// Returns words separated by commas, or as JSON if that would not read back.
fn words(list: &[Value]) -> String {
    let is_word = |text: &&str| !text.is_empty() && text.trim() == *text && !text.contains(WORD_SEPARATORS);
    let words: Option<Vec<&str>> = list.iter().map(|word| word.as_str().filter(is_word)).collect();
    match words {
        Some(words) if words.first().is_none_or(|first| !first.starts_with('[')) => words.join(","),
        _ => Value::from(list).to_string(),
    }
}
