//! A limit on the bytes of the rows that a query returns.

use super::value::Row;

/// Collects rows until they exceed a number of bytes.
pub struct Gathered {
    pub rows: Vec<Row>,
    bytes: usize,
    bytes_max: usize,
}

impl Gathered {
    pub fn up_to(bytes_max: usize) -> Self {
        Self { rows: Vec::new(), bytes: 0, bytes_max }
    }

    /// Adds a row, and returns whether to read another.
    pub fn add(&mut self, row: Row) -> bool {
        self.bytes = self.bytes.saturating_add(row.bytes());
        self.rows.push(row);
        self.bytes <= self.bytes_max || self.rows.len() < 2
    }
}
