//! What is wrong with a row, in terms of the file.

use serde_json::Value;

use super::entry::text_of;
use super::entry_body::{EntryBody, RowError};
use super::layout::{HEADER_CHARS_MAX, Layout, at_path, shown};
use crate::Problem;
use crate::platform::problem::Issue;

/// The longest value that an error shows, in characters.
const VALUE_CHARS_MAX: usize = 200;

impl Layout {
    /// Says in terms of the file why an entry is refused. Rows count from 0 within the entry.
    pub fn errors_of(&self, made: &EntryBody, problem: &Problem) -> Vec<RowError> {
        if problem.issues.is_empty() {
            let message = problem.detail.clone().unwrap_or_else(|| problem.code.title().to_owned());
            let code = problem.code.as_str().to_owned();
            return vec![RowError { row: 0, column: None, field: None, value: None, code, message }];
        }
        problem.issues.iter().map(|issue| self.error_of(made, issue)).collect()
    }

    fn error_of(&self, made: &EntryBody, issue: &Issue) -> RowError {
        let (path, line) = generic_path(&issue.field);
        let row = line.and_then(|line| made.line_rows.get(line)).copied().unwrap_or(0);
        let value = at_path(&made.body, &path, line.unwrap_or(0));
        let value = value.filter(|value| !matches!(value, Value::Null | Value::Object(_) | Value::Array(_)));
        RowError {
            row: row as i64,
            column: self.column_at(&path),
            field: Some(issue.field.clone()),
            value: value.map(|value| shown(&text_of(value), VALUE_CHARS_MAX)),
            code: issue.code.clone().into_owned(),
            message: issue.message.clone(),
        }
    }

    /// Returns the header of the column for this part of the body, or the name that such a column would have.
    fn column_at(&self, path: &str) -> Option<String> {
        let is_inside =
            |outer: &str, inner: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'));
        let is_at = |of: &str| of == path || is_inside(of, path);
        // An object that is missing as a whole is named by its first column.
        let is_near = |of: &str| is_at(of) || is_inside(path, of);
        let columns = self.columns.iter().zip(&self.headers);
        let mut known = columns.filter_map(|(column, header)| Some(((*column)?, header)));
        let header =
            known.find(|(column, _)| is_at(column.path)).map(|(_, header)| shown(header, HEADER_CHARS_MAX));
        let is_table = !self.headers.is_empty();
        header.or_else(|| {
            let missing =
                self.r#type.columns().iter().find(|column| is_near(column.path)).filter(|_| is_table);
            missing.map(|column| column.name.to_owned())
        })
    }
}

/// Returns the path of a pointer with `*` for the place in the first list, and that place.
fn generic_path(pointer: &str) -> (String, Option<usize>) {
    let mut place = None;
    let steps = pointer.split('/').skip(1).map(|step| match step.parse::<usize>() {
        Ok(number) if place.is_none() => {
            place = Some(number);
            "*"
        }
        _ => step,
    });
    (steps.collect::<Vec<_>>().join("/"), place)
}
