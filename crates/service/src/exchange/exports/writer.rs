//! Writing resources as rows of a table, or as lines of JSON.

use model::exchange::export::{Cell, ExportColumn, ExportType, record, rows};
use model::exchange::import::Format;
use model::{Error, Result};
use serde_json::Value;
use tables::{escape, write_record};

const DELIMITER: u8 = b',';
/// Excel takes a table without it for one in the encoding of the machine.
const BYTE_ORDER_MARK: char = '\u{FEFF}';

/// Writes resources of one type in one format.
pub(super) struct Writer {
    r#type: ExportType,
    format: Format,
    columns: Vec<ExportColumn>,
}

impl Writer {
    pub fn new(r#type: ExportType, format: Format) -> Self {
        Self { r#type, format, columns: r#type.columns() }
    }

    /// Returns what comes before the rows.
    pub fn header(&self) -> String {
        let mut header = String::new();
        if self.format == Format::Csv {
            header.push(BYTE_ORDER_MARK);
            write_record(&mut header, DELIMITER, self.columns.iter().map(|column| column.name));
        }
        header
    }

    /// Returns whether a resource is written as it is stored, without being read.
    pub fn takes_text(&self) -> bool {
        self.format == Format::JsonLines && self.r#type.is_resource()
    }

    /// Writes a resource that is JSON text without line breaks.
    pub fn write_text(&self, out: &mut String, text: &str) -> Result<()> {
        if self.takes_text() {
            out.extend([text, "\n"]);
            return Ok(());
        }
        self.write(out, &serde_json::from_str(text).map_err(Error::fault)?);
        Ok(())
    }

    /// Writes a resource.
    pub fn write(&self, out: &mut String, resource: &Value) {
        if self.takes_text() {
            out.push_str(&format!("{resource}\n"));
            return;
        }
        let rows = rows(self.r#type, &self.columns, resource);
        if self.format == Format::JsonLines {
            for row in 0..rows.len() {
                out.push_str(&format!("{}\n", Value::Object(record(&self.columns, resource, row))));
            }
            return;
        }
        for row in &rows {
            let texts: Vec<_> = row
                .iter()
                .map(|cell| match cell {
                    Cell::Text(text) => escape(text),
                    Cell::Plain(text) => text.as_str().into(),
                })
                .collect();
            write_record(out, DELIMITER, texts.iter().map(AsRef::as_ref));
        }
    }
}
