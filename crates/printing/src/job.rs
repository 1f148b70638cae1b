//! What is printed, and what came of it.

use bytes::Bytes;

/// The media type of ZPL. Files of it may follow each other on one connection, because each label says where it ends.
pub const ZPL: &str = "application/zpl";

/// What to print.
#[derive(Clone, Debug)]
pub struct Job {
    /// The name under which an IPP printer lists the job, by which it is found again.
    pub name: String,
    pub copies: u32,
    /// The paper, as IPP names it.
    pub media: Option<String>,
    pub files: Vec<File>,
    /// Whether an earlier attempt may have printed some of the files. An IPP printer is then asked first.
    pub may_be_known: bool,
}

/// A file to print.
#[derive(Clone, Debug)]
pub struct File {
    pub media_type: String,
    pub bytes: Bytes,
}

/// What came of a job.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    Printed,
    /// Nothing was printed, and the same job may be sent again later.
    Unsent(String),
    /// Nothing more will be printed of it. A repetition would fail, too.
    Failed(String),
    /// It is unknown whether it was printed.
    Uncertain(String),
}
