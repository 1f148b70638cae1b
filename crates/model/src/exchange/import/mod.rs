//! Imports: files whose rows become resources. This module holds what an import is, how it changes, and what the columns of a file
//! mean; the service does the work.

pub mod columns;
mod entry;
mod entry_body;
mod input;
mod layout;
mod moments;
mod numbers;
mod row_error;
mod shapes;
#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::platform::id::Kind as IdKind;
use crate::{Code, Id, Problem, Result, Timestamp, ensure};

pub use entry_body::{EntryBody, RowError};
pub use input::{Format, ImportInput, ImportOptions, ImportType, OnConflict, OnError, TYPE_WORDS};
pub use layout::{ColumnUse, Layout};
pub use shapes::{FORMAT, IMPORT, IMPORT_ERROR, IMPORT_ID, LOCALE, ON_CONFLICT, ON_ERROR, STATUS, TYPE};

/// The largest file, in bytes.
pub const FILE_BYTES_MAX: u64 = 1 << 30;
/// Refused rows after which an import fails: the file is probably not what it is taken for.
pub const FAILURES_MAX: i64 = 10_000;
/// How long an import waits for its file, in seconds.
pub const CONTENT_WAIT_SECONDS: i64 = 24 * 60 * 60;

/// An import as it is stored and shown.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct Import {
    pub id: Id<Import>,
    #[serde(flatten)]
    pub details: ImportInput,
    pub status: Status,
    pub file: Option<ImportFile>,
    /// What the columns of the file are taken for, in their order.
    pub columns: Vec<ColumnUse>,
    #[serde(flatten)]
    pub counts: Counts,
    /// Why it failed.
    pub error: Option<ImportFailure>,
    pub started_at: Option<Timestamp>,
    pub ended_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl IdKind for Import {
    const PREFIX: &'static str = "imp";
}

/// How far an import is.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    AwaitingContent,
    Queued,
    Running,
    Completed,
    Failed,
    Cancelled,
}

/// The words of all statuses, in their order.
pub const STATUS_WORDS: [&str; 6] =
    ["awaiting_content", "queued", "running", "completed", "failed", "cancelled"];

impl Status {
    const ALL: [Status; 6] = [
        Status::AwaitingContent,
        Status::Queued,
        Status::Running,
        Status::Completed,
        Status::Failed,
        Status::Cancelled,
    ];

    pub fn as_str(self) -> &'static str {
        STATUS_WORDS[self as usize]
    }

    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == word)
    }

    /// Returns whether no row is read any more.
    pub fn is_ended(self) -> bool {
        matches!(self, Status::Completed | Status::Failed | Status::Cancelled)
    }

    /// Returns the event that tells of an import that has ended like this.
    pub fn end_event(self) -> &'static str {
        match self {
            Status::Failed => "import.failed",
            Status::Cancelled => "import.cancelled",
            _ => "import.completed",
        }
    }
}

/// The file of an import.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
pub struct ImportFile {
    pub size: i64,
    pub encoding: String,
    /// Null if the format has none.
    pub delimiter: Option<String>,
}

/// How many rows were read, and what came of them.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[serde(default)]
pub struct Counts {
    #[serde(rename = "bytes_read")]
    pub bytes: i64,
    #[serde(rename = "rows_count")]
    pub rows: i64,
    #[serde(rename = "created_count")]
    pub created: i64,
    #[serde(rename = "updated_count")]
    pub updated: i64,
    #[serde(rename = "unchanged_count")]
    pub unchanged: i64,
    #[serde(rename = "skipped_count")]
    pub skipped: i64,
    #[serde(rename = "failed_count")]
    pub failed: i64,
}

/// What came of an entry of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Created,
    Updated,
    Unchanged,
    Skipped,
    Failed,
}

impl Counts {
    pub fn count(&mut self, outcome: Outcome) {
        let count = match outcome {
            Outcome::Created => &mut self.created,
            Outcome::Updated => &mut self.updated,
            Outcome::Unchanged => &mut self.unchanged,
            Outcome::Skipped => &mut self.skipped,
            Outcome::Failed => &mut self.failed,
        };
        *count += 1;
    }
}

/// Why an import failed as a whole.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq, Eq)]
pub struct ImportFailure {
    pub code: String,
    pub message: String,
}

impl From<&Problem> for ImportFailure {
    fn from(problem: &Problem) -> Self {
        let message = problem.detail.clone().unwrap_or_else(|| problem.code.title().to_owned());
        Self { code: problem.code.as_str().to_owned(), message }
    }
}

impl Import {
    /// Returns a new import that waits for its file.
    pub fn new(id: Id<Import>, details: ImportInput, now: Timestamp) -> Self {
        Self {
            id,
            details,
            status: Status::AwaitingContent,
            file: None,
            columns: Vec::new(),
            counts: Counts::default(),
            error: None,
            started_at: None,
            ended_at: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// Gives the import its file.
    ///
    /// # Errors
    ///
    /// Refuses an import that has a file, or was cancelled before it got one.
    pub fn receive(&mut self, file: ImportFile, now: Timestamp) -> Result<()> {
        ensure(self.status != Status::Cancelled, Code::ImportEnded)?;
        ensure(self.status == Status::AwaitingContent, Code::ImportHasContent)?;
        self.file = Some(file);
        self.status = Status::Queued;
        self.updated_at = now;
        Ok(())
    }

    /// Records that rows are read from now on, and what the columns are taken for.
    pub fn start(&mut self, columns: Vec<ColumnUse>, now: Timestamp) {
        self.status = Status::Running;
        self.columns = columns;
        self.started_at.get_or_insert(now);
        self.updated_at = now;
    }

    /// Ends the import before all rows are read. Returns false if that was done before.
    ///
    /// # Errors
    ///
    /// Refuses an import that is completed or has failed.
    pub fn cancel(&mut self, now: Timestamp) -> Result<bool> {
        if self.status == Status::Cancelled {
            return Ok(false);
        }
        ensure(!self.status.is_ended(), Code::ImportEnded)?;
        self.end(Status::Cancelled, now);
        Ok(true)
    }

    /// Ends the import because of the whole file.
    pub fn fail(&mut self, problem: &Problem, now: Timestamp) {
        self.error = Some(problem.into());
        self.end(Status::Failed, now);
    }

    pub fn end(&mut self, status: Status, now: Timestamp) {
        self.status = status;
        self.ended_at = Some(now);
        self.updated_at = now;
    }
}
