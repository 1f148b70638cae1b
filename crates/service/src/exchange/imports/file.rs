//! Reading the file of an import from a recorded position: entries, each of one or more rows.

use std::sync::Arc;

use model::exchange::import::{EntryBody, Format, ImportFile, ImportInput, Layout, RowError};
use model::platform::json::parse as parse_json;
use model::{Code, Error, Problem, Result};
use serde_json::Value;
use store::exchange::imports::Progress;
use tables::{Csv, Encoding, Flaw, JsonLines, Record, Rows, Step, clean};

use super::content::table_start;
use crate::shipping::documents::Documents;

/// Bytes that are read of a file at once.
const PIECE_BYTES: u64 = 256 << 10;
/// Bytes of the beginning of a file in which its header is looked for.
const HEAD_BYTES: u64 = 64 << 10;
/// The most bytes of the rows of an entry that are kept. An order with more lines than that is refused anyway.
const ENTRY_BYTES_MAX: usize = 4 << 20;

/// The rows of a file that make one resource.
pub(super) struct Entry {
    pub rows: Vec<FileRow>,
    /// How many rows it has, also those that are not kept.
    pub rows_count: i64,
    /// By which the rows belong together.
    pub key: Option<String>,
    /// How far the file is read with it.
    pub progress: Progress,
    pub made: EntryBody,
    /// Why it is refused whatever it says.
    pub refusal: Option<Problem>,
}

/// A row as it is in the file.
pub(super) struct FileRow {
    pub number: i64,
    pub fields: Vec<String>,
}

/// A file that is being read.
pub(super) struct FileReader {
    documents: Documents,
    place: String,
    size: u64,
    /// How many bytes were given to `rows`.
    offset: u64,
    rows: Rows,
    layout: Arc<Layout>,
    has_groups: bool,
    is_json: bool,
    /// A row that was read and belongs to the next entry.
    next: Option<Record>,
    /// How far the entries that were returned go.
    progress: Progress,
}

impl FileReader {
    /// Opens a file, reads its header, and goes to where work on it goes on.
    ///
    /// # Errors
    ///
    /// Refuses a file without a header, or without a column by which rows are recognised.
    pub async fn open(
        documents: &Documents,
        place: &str,
        input: &ImportInput,
        file: &ImportFile,
        progress: Progress,
    ) -> Result<Self> {
        let encoding = Encoding::parse(&file.encoding).unwrap_or(Encoding::Utf8);
        let size = file.size.unsigned_abs();
        let head = read(documents, place, 0, size.min(HEAD_BYTES)).await?;
        let start = table_start(encoding, &head);
        let is_json = input.format == Format::JsonLines;
        let at = |position: u64| match is_json {
            true => Rows::JsonLines(JsonLines::new(position)),
            false => Rows::Csv(Box::new(Csv::new(encoding, start.delimiter, position))),
        };
        let mut reader = Self {
            documents: documents.clone(),
            place: place.to_owned(),
            size,
            offset: start.header_at,
            rows: at(start.header_at),
            layout: Arc::new(Layout::of_bodies(input)),
            has_groups: input.r#type.has_groups() && !is_json,
            is_json,
            next: None,
            progress: Progress {
                position: i64::try_from(start.header_at).map_err(Error::fault)?,
                row_number: 0,
            },
        };
        if !is_json {
            let Some(header) = reader.record().await? else { return Err(Code::ImportEmpty.into()) };
            if let Some(flaw) = header.flaw {
                return Err(code_of(flaw).into());
            }
            let headers = header.fields.iter().map(|field| clean(field).into_owned()).collect();
            reader.layout = Arc::new(Layout::of(input, headers)?);
            let position = i64::try_from(header.end).map_err(Error::fault)?;
            reader.progress = Progress { position, row_number: 1 };
        }
        if progress.position > 0 {
            reader.offset = progress.position.unsigned_abs();
            reader.rows = at(reader.offset);
            reader.progress = progress;
        }
        Ok(reader)
    }

    pub fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// Returns how far the entries go that were returned.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    async fn record(&mut self) -> Result<Option<Record>> {
        loop {
            match self.rows.step() {
                Step::Record(record) => return Ok(Some(record)),
                Step::End => return Ok(None),
                Step::More if self.offset >= self.size => self.rows.finish(),
                Step::More => {
                    let to = self.size.min(self.offset + PIECE_BYTES);
                    let piece = read(&self.documents, &self.place, self.offset, to).await?;
                    self.offset = to;
                    self.rows.feed(&piece);
                }
            }
        }
    }

    /// Returns the next entry, or `None` at the end of the file.
    pub async fn entry(&mut self) -> Result<Option<Entry>> {
        let first = match self.next.take() {
            Some(record) => record,
            None => match self.record().await? {
                Some(record) => record,
                None => return Ok(None),
            },
        };
        let mut number = self.progress.row_number;
        let mut refusal = first.flaw.map(|flaw| Problem::from(code_of(flaw)));
        let key = self.key_of(&first);
        let (mut rows, mut bytes, mut end) = (Vec::new(), 0, first.end);
        number += 1;
        bytes += size_of_fields(&first);
        rows.push(FileRow { number, fields: first.fields });
        let mut rows_count = 1;
        while self.has_groups && key.is_some() {
            let Some(record) = self.record().await? else { break };
            if record.flaw.is_some() || self.key_of(&record) != key {
                self.next = Some(record);
                break;
            }
            number += 1;
            rows_count += 1;
            end = record.end;
            bytes += size_of_fields(&record);
            if bytes > ENTRY_BYTES_MAX {
                refusal = Some(Code::ImportRowTooLarge.into());
            } else {
                rows.push(FileRow { number, fields: record.fields });
            }
        }
        self.progress = Progress { position: i64::try_from(end).map_err(Error::fault)?, row_number: number };
        let made = self.made(&rows, &mut refusal);
        Ok(Some(Entry { rows, rows_count, key, progress: self.progress, made, refusal }))
    }

    fn key_of(&self, record: &Record) -> Option<String> {
        let cells: Vec<String> = record.fields.iter().map(|field| clean(field).into_owned()).collect();
        self.layout.group_key(&cells)
    }

    /// Makes the body of an entry.
    fn made(&self, rows: &[FileRow], refusal: &mut Option<Problem>) -> EntryBody {
        let empty = || EntryBody { body: Value::Null, line_rows: Vec::new(), errors: Vec::new() };
        if refusal.is_some() {
            return empty();
        }
        if self.is_json {
            let line =
                rows.first().and_then(|row| row.fields.first()).map(String::as_str).unwrap_or_default();
            return match parse_json(line.trim().as_bytes()) {
                Ok(body) => EntryBody { body, ..empty() },
                Err(problem) => {
                    *refusal = Some(problem);
                    empty()
                }
            };
        }
        let cells = |row: &FileRow| row.fields.iter().map(|field| clean(field).into_owned()).collect();
        self.layout.body(&rows.iter().map(cells).collect::<Vec<Vec<String>>>())
    }
}

impl Entry {
    /// Returns what is wrong with an entry that is refused, with the numbers of its rows.
    pub fn errors(&self, layout: &Layout, problem: Option<&Problem>) -> Vec<RowError> {
        let mut errors = match problem {
            Some(problem) => layout.errors_of(&self.made, problem),
            None => self.made.errors.clone(),
        };
        for error in &mut errors {
            let place = usize::try_from(error.row).unwrap_or_default();
            let row = self.rows.get(place).or_else(|| self.rows.first());
            error.row = row.map_or(1, |row| row.number);
        }
        errors
    }
}

async fn read(documents: &Documents, place: &str, from: u64, to: u64) -> Result<bytes::Bytes> {
    if from >= to {
        return Ok(bytes::Bytes::new());
    }
    let piece = documents.read_content(place, from..to).await?;
    piece.ok_or_else(|| Error::fault(format!("the file {place} of an import is gone")))
}

fn size_of_fields(record: &Record) -> usize {
    record.fields.iter().map(|field| field.len() + 1).sum()
}

fn code_of(flaw: Flaw) -> Code {
    match flaw {
        Flaw::TooLarge => Code::ImportRowTooLarge,
        Flaw::NotText => Code::ImportRowNotText,
    }
}
