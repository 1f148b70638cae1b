//! An entry of a file: the rows that make one resource, and the body that they make.

use serde_json::{Map, Number, Value};

use super::columns::{CellKind, Column, WORD_SEPARATORS};
use super::entry_body::{EntryBody, RowError};
use super::layout::{Layout, at_path};
use super::moments::plain_moment;
use super::numbers::plain_number;
use crate::platform::id::is_identifier;
use crate::platform::money::parse_amount;

/// Decimals to which converted measures are rounded.
const SCALED_DECIMALS: f64 = 10_000.0;
/// The currency by whose decimals a price is read if the file names none. The shape then asks for the currency.
const ANY_CURRENCY: &str = "EUR";

impl Layout {
    /// Makes a body of the rows of an entry. Empty cells say nothing. What is no number, date or truth value becomes a text, which the
    /// shape refuses with the right words.
    pub fn body(&self, rows: &[Vec<String>]) -> EntryBody {
        let mut made =
            EntryBody { body: Value::Object(Map::new()), line_rows: Vec::new(), errors: Vec::new() };
        let mut prices = Vec::new();
        for (row, cells) in rows.iter().enumerate() {
            let filled = || {
                let pairs = self.columns.iter().zip(cells).enumerate();
                pairs
                    .filter_map(|(place, (column, cell))| Some((place, (*column)?, cell)))
                    .filter(|(_, _, cell)| !cell.is_empty())
            };
            if filled().any(|(_, column, _)| column.is_of_line()) {
                made.line_rows.push(row);
            }
            let line = made.line_rows.len().saturating_sub(1);
            let mut parts: Vec<&str> = Vec::new();
            for (place, column, cell) in filled() {
                if column.kind == CellKind::Price {
                    prices.push((column, line, cell));
                    continue;
                }
                let Some(value) = self.value(column, cell) else { continue };
                self.put(&mut made, (row, place, line), column, value, &mut parts);
            }
        }
        for (column, line, cell) in prices {
            let amount = self.amount(&made.body, column, cell);
            let slot = slot(&mut made.body, column.path, line);
            if slot.is_null() {
                *slot = amount;
            }
        }
        made
    }

    /// Puts a value into the body. A value of the whole resource is given once: other rows repeat it or leave it out.
    fn put(
        &self,
        made: &mut EntryBody,
        (row, place, line): (usize, usize, usize),
        column: &'static Column,
        value: Value,
        parts: &mut Vec<&'static str>,
    ) {
        let slot = slot(&mut made.body, column.path, line);
        if slot.is_null() {
            *slot = value;
            if column.kind == CellKind::Part {
                parts.push(column.path);
            }
            return;
        }
        if column.kind == CellKind::Part {
            if let (true, Value::String(text), Some(part)) =
                (parts.contains(&column.path), &mut *slot, value.as_str())
            {
                *text = format!("{text} {part}");
            }
            return;
        }
        let is_alone = self.columns.iter().flatten().filter(|other| other.path == column.path).count() == 1;
        if *slot != value && is_alone && !column.is_of_line() {
            made.errors.push(RowError {
                row: row as i64,
                column: Some(self.headers[place].clone()),
                field: Some(format!("/{}", column.path)),
                value: Some(text_of(&value)),
                code: "rows_differ".to_owned(),
                message: format!(
                    "An earlier row of the same resource says {}. Say it once, or the same in each row.",
                    text_of(slot)
                ),
            });
        }
    }

    fn value(&self, column: &Column, cell: &str) -> Option<Value> {
        let as_text = || Value::String(cell.to_owned());
        Some(match column.kind {
            CellKind::Text | CellKind::Part | CellKind::Price => as_text(),
            CellKind::Integer => self.number(cell, 1.0).unwrap_or_else(as_text),
            CellKind::Number(scale) => self.number(cell, scale).unwrap_or_else(as_text),
            CellKind::Boolean => truth(cell).map_or_else(as_text, Value::Bool),
            CellKind::Moment => Value::String(plain_moment(cell)),
            CellKind::Words => words(cell),
            CellKind::Id(prefix)
                if is_identifier(prefix, cell) || cell.starts_with(&format!("{prefix}_")) =>
            {
                as_text()
            }
            CellKind::Id(_) => return None,
        })
    }

    fn number(&self, cell: &str, scale: f64) -> Option<Value> {
        let plain = plain_number(cell, self.mark)?;
        if !plain.contains('.') && scale == 1.0 {
            return plain.parse::<i64>().ok().map(Value::from);
        }
        let mut number: f64 = plain.parse().ok()?;
        if scale != 1.0 {
            number = (number * scale * SCALED_DECIMALS).round() / SCALED_DECIMALS;
        }
        Number::from_f64(number).map(Value::Number)
    }

    fn amount(&self, body: &Value, column: &Column, cell: &str) -> Value {
        let currency_path = match column.path.rsplit_once('/') {
            Some((object, _)) if !column.is_of_line() => format!("{object}/currency_code"),
            _ => "currency_code".to_owned(),
        };
        let currency = at_path(body, &currency_path, 0).and_then(Value::as_str).unwrap_or(ANY_CURRENCY);
        let amount = plain_number(cell, self.mark).and_then(|plain| parse_amount(&plain, currency));
        amount.map_or_else(|| Value::String(cell.to_owned()), Value::from)
    }
}

/// Returns words that are separated, or an array of JSON: exports write it if a word has a separator in it.
fn words(cell: &str) -> Value {
    let array = cell.starts_with('[').then(|| serde_json::from_str::<Vec<String>>(cell).ok()).flatten();
    match array {
        Some(words) => Value::from(words),
        None => {
            let words = cell.split(WORD_SEPARATORS).map(str::trim).filter(|word| !word.is_empty());
            words.map(Value::from).collect()
        }
    }
}

fn truth(cell: &str) -> Option<bool> {
    match cell.to_ascii_lowercase().as_str() {
        "true" | "yes" | "y" | "1" => Some(true),
        "false" | "no" | "n" | "0" => Some(false),
        _ => None,
    }
}

pub(super) fn text_of(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Returns the place of a value in a body, and makes what leads there. `*` is the entry of this number.
fn slot<'a>(body: &'a mut Value, path: &str, line: usize) -> &'a mut Value {
    path.split('/').fold(body, |value, step| {
        if step == "*" {
            if !value.is_array() {
                *value = Value::Array(Vec::new());
            }
            let Value::Array(list) = value else { unreachable!("made above") };
            while list.len() <= line {
                list.push(Value::Object(Map::new()));
            }
            return &mut list[line];
        }
        if !value.is_object() {
            *value = Value::Object(Map::new());
        }
        &mut value[step]
    })
}
