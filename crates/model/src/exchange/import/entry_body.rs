//! The body that the rows of an entry make, and the errors of rows.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The body that the rows of an entry make.
#[derive(Debug)]
pub struct EntryBody {
    pub body: Value,
    /// For each entry of the body's list, the row that made it.
    pub line_rows: Vec<usize>,
    /// What is wrong with the rows themselves. Rows count from 0 within the entry.
    pub errors: Vec<RowError>,
}

/// One error of a row.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
pub struct RowError {
    /// The number of the row, as spreadsheets count: the header is row 1.
    pub row: i64,
    /// The header of the column, or the name of the column that is missing.
    pub column: Option<String>,
    /// A JSON pointer into the body that the row makes.
    pub field: Option<String>,
    pub value: Option<String>,
    pub code: String,
    pub message: String,
}
