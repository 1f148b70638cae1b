//! The refused rows of an import as a table, to be corrected and sent again.

use model::exchange::import::columns::ERROR_COLUMN;
use model::{Error, Id, Import, Owner, Result};
use store::exchange::{import_rows, imports};
use tables::{guard, write_record};

use super::Imports;
use super::change::read_import;
use crate::access::caller::Caller;
use crate::platform::resource::found;

/// Refused rows that are read at once.
const ROWS_EACH: i64 = 100;

/// Reads the table of refused rows, part by part.
pub struct FailedRows {
    imports: Imports,
    owner: Owner,
    import: Id<Import>,
    delimiter: u8,
    after: i64,
    /// What comes before the rows.
    header: Option<String>,
}

impl Imports {
    /// Returns a reader of the refused rows of an import, with the header of its file.
    pub async fn failed_rows(&self, caller: &Caller, id: Id<Import>) -> Result<FailedRows> {
        let owner = caller.owner;
        let read = self.context.db().read(owner, async move |tx| found(imports::get(tx, owner, id).await?));
        let import = read_import(&read.await?)?;
        let delimiter = import.file.and_then(|file| file.delimiter);
        let delimiter = delimiter.and_then(|text| text.bytes().next()).unwrap_or(b',');
        // Excel takes a file without the mark for one in the encoding of the machine, and would save it so.
        let mut header = "\u{FEFF}".to_owned();
        let headers = import.columns.iter().map(|column| column.header.as_str());
        write_record(&mut header, delimiter, headers.chain([ERROR_COLUMN]));
        Ok(FailedRows { imports: self.clone(), owner, import: id, delimiter, after: 0, header: Some(header) })
    }
}

impl FailedRows {
    /// Returns the next part of the table, or `None` at its end.
    pub async fn next_part(&mut self) -> Result<Option<String>> {
        if let Some(header) = self.header.take() {
            return Ok(Some(header));
        }
        let (owner, import, after) = (self.owner, self.import, self.after);
        let read =
            self.imports.context.db().read(owner, async move |tx| {
                import_rows::failed_rows(tx, owner, import, after, ROWS_EACH).await
            });
        let rows = read.await?;
        let Some(last) = rows.last() else { return Ok(None) };
        self.after = last.number;
        let mut part = String::new();
        for row in &rows {
            let fields: Vec<String> = serde_json::from_str(&row.fields).map_err(Error::fault)?;
            let fields: Vec<_> = fields.iter().map(|field| guard(field)).collect();
            let message = guard(&row.message);
            write_record(&mut part, self.delimiter, fields.iter().map(AsRef::as_ref).chain([&*message]));
        }
        Ok(Some(part))
    }
}
