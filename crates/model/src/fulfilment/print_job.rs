//! Print jobs: the states of a job, and how tries are spaced. Pure.
//!
//! ```text
//! queued ──► sending ──► printed
//!   ▲  │        │  └───► uncertain   a byte may have left, and nothing proves that it was printed: never sent again by itself
//!   │  │        ├──────► failed      the printer refused it, or the fifth try reached no printer
//!   └──┼────────┘                    no byte left: it is tried again after a pause
//!      └──────────────► cancelled
//! ```
//!
//! Tries are spaced by [`PAUSES_SECONDS`]. A new job for the same printer makes the printer be tried at once; if that fails before
//! the pause is over, it does not count as a try.

use serde::{Deserialize, Serialize};

use crate::fulfilment::print_rendition::{RENDITION, Rendition};
use crate::fulfilment::printer::{PRINTER, PRINTER_ID, Printer};
use crate::platform::id::Kind as IdKind;
use crate::platform::shape::{Field, Input, Kind, MOMENT, Shape};
use crate::shipping::document::{DOCUMENT_ID, Document};
use crate::{Id, Timestamp};

/// Tries after which a job that never reached its printer has failed.
pub const TRIES_MAX: u32 = 5;
/// The pause after each try but the last, in seconds: a printer that is off for less than about 26 minutes gets the job.
pub const PAUSES_SECONDS: [i64; TRIES_MAX as usize - 1] = [10, 60, 300, 1200];
/// Maximum number of documents of a job.
const DOCUMENTS_MAX: usize = 100;
/// Maximum number of copies.
const COPIES_MAX: i64 = 99;
/// Maximum size of a job's files together, in bytes. They are kept in memory while they are sent.
pub const JOB_BYTES_MAX: i64 = 64 << 20;
/// Longest message about a job, in characters.
const MESSAGE_CHARS_MAX: usize = 1000;

/// A print job as it is stored and shown.
#[derive(Serialize, Deserialize, Clone, Debug, PartialEq)]
pub struct PrintJob {
    pub id: Id<PrintJob>,
    pub printer_id: Id<Printer>,
    pub document_ids: Vec<Id<Document>>,
    /// How each document is sent. Jobs that were stored before there was a choice have none: their files are sent as they are.
    #[serde(default)]
    pub sent_as: Vec<Rendition>,
    pub copies: u32,
    pub status: Status,
    /// Tries that were counted.
    pub tries: u32,
    /// When the next try is due. `None` before the first one, and once the job has ended.
    pub next_try_at: Option<Timestamp>,
    /// Why it waits, failed or is uncertain.
    pub message: Option<String>,
    /// The job that this one prints again.
    pub reprint_of: Option<Id<PrintJob>>,
    pub printed_at: Option<Timestamp>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl IdKind for PrintJob {
    const PREFIX: &'static str = "pj";
}

/// The status of a print job.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Queued,
    Sending,
    Printed,
    Failed,
    /// A byte may have left, and nothing proves that it was printed.
    Uncertain,
    Cancelled,
}

impl Status {
    pub const ALL: [Self; 6] =
        [Self::Queued, Self::Sending, Self::Printed, Self::Failed, Self::Uncertain, Self::Cancelled];

    /// Returns the word that the API uses.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Sending => "sending",
            Self::Printed => "printed",
            Self::Failed => "failed",
            Self::Uncertain => "uncertain",
            Self::Cancelled => "cancelled",
        }
    }

    /// Parses the word that the API uses.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == word)
    }

    /// Returns whether the job may still be printed.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Queued | Self::Sending)
    }
}

/// What came of a try, as the server or an agent tells it.
#[derive(Serialize, Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum TryOutcome {
    Printed,
    /// No byte left.
    Unsent,
    Failed,
    Uncertain,
}

impl PrintJob {
    /// Begins a try. It counts unless the pause after the last one is not over.
    pub fn begin(&mut self, now: Timestamp) {
        if self.next_try_at.is_none_or(|due| due <= now) {
            self.tries += 1;
            self.next_try_at = None;
        }
        self.status = Status::Sending;
        self.updated_at = now;
    }

    /// Ends a try.
    pub fn end(&mut self, outcome: TryOutcome, message: Option<&str>, now: Timestamp) {
        let pause = PAUSES_SECONDS.get(self.tries.saturating_sub(1) as usize);
        self.status = match (outcome, pause) {
            (TryOutcome::Printed, _) => Status::Printed,
            (TryOutcome::Failed, _) | (TryOutcome::Unsent, None) => Status::Failed,
            (TryOutcome::Uncertain, _) => Status::Uncertain,
            (TryOutcome::Unsent, Some(_)) => Status::Queued,
        };
        self.message = message
            .filter(|_| outcome != TryOutcome::Printed)
            .map(|text| text.chars().take(MESSAGE_CHARS_MAX).collect());
        self.printed_at = (outcome == TryOutcome::Printed).then_some(now);
        self.next_try_at = match (self.status, self.next_try_at, pause) {
            (Status::Queued, None, Some(pause)) => Some(now.plus_seconds(*pause)),
            // This try did not count.
            (Status::Queued, due, _) => due,
            _ => None,
        };
        self.updated_at = now;
    }

    /// Ends a job that waits, because a person does not want it any more.
    pub fn cancel(&mut self, now: Timestamp) {
        (self.status, self.next_try_at, self.updated_at) = (Status::Cancelled, None, now);
    }
}

/// The body of a request that creates a print job.
#[derive(Deserialize, Clone, Debug)]
pub struct PrintJobInput {
    pub document_ids: Vec<Id<Document>>,
    pub printer_id: Option<Id<Printer>>,
    #[serde(default = "one")]
    pub copies: u32,
}

fn one() -> u32 {
    1
}

impl Input for PrintJobInput {
    const SHAPE: &'static Shape = &PRINT_JOB;
}

/// The body of an agent's request for jobs.
#[derive(Deserialize, Clone, Debug)]
pub struct ClaimInput {
    #[serde(default)]
    pub printer_ids: Vec<Id<Printer>>,
}

impl Input for ClaimInput {
    const SHAPE: &'static Shape = &CLAIM_INPUT;
}

/// A job that an agent has claimed, with everything that it needs to print it.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct PrintClaim {
    pub print_job: PrintJob,
    pub printer: Printer,
    pub documents: Vec<ClaimedDocument>,
    pub fence: i64,
    pub lease_expires_at: Timestamp,
}

/// A document of a claimed job.
#[derive(Serialize, Deserialize, Clone, Debug)]
pub struct ClaimedDocument {
    pub id: Id<Document>,
    pub file_type: String,
    /// `None` for a file that is made when it is fetched.
    pub file_size: Option<i64>,
}

/// The body in which an agent tells what came of a job.
#[derive(Deserialize, Clone, Debug)]
pub struct ResultInput {
    pub fence: i64,
    pub outcome: TryOutcome,
    pub message: Option<String>,
}

impl Input for ResultInput {
    const SHAPE: &'static Shape = &RESULT_INPUT;
}

/// The id of a print job.
pub static PRINT_JOB_ID: Shape = Shape::new(
    Kind::Identifier(PrintJob::PREFIX),
    "Made with the job. An IPP printer lists the job under it, so that it is found there again.",
);
/// The status of a print job.
pub static STATUS: Shape = Shape::new(
    Kind::OneOf(&["queued", "sending", "printed", "failed", "uncertain", "cancelled"]),
    "`queued` until its turn, `sending` while it is sent, then `printed`, `failed`, or `uncertain`: some of it left and nothing proves that it was printed. An uncertain job is never sent again by itself; look at the printer, and reprint it if nothing came out.",
)
.example(r#""queued""#);
static DOCUMENT_IDS: Shape = Shape::some(
    &DOCUMENT_ID,
    DOCUMENTS_MAX,
    "The files to print, in this order: labels, customs papers, manifests. The token must be able to read the shipment, batch or manifest that each belongs to. 64 MiB in all.",
);
static RENDITIONS: Shape = Shape::list(
    &RENDITION,
    DOCUMENTS_MAX,
    "How each of the documents is sent, in their order. Empty for a job that was made by an older version: its files are sent as they are stored.",
);
static COPIES: Shape = Shape::new(
    Kind::Integer { min: 1, max: COPIES_MAX },
    "How often all documents are printed. 1 if you leave it out.",
)
.example("1");
static TRIES: Shape = Shape::new(
    Kind::Integer { min: 0, max: TRIES_MAX as i64 },
    "How often it was tried. After the fifth try that reached no printer the job has failed.",
)
.example("0");
static MESSAGE: Shape = Shape::text(
    0,
    MESSAGE_CHARS_MAX,
    "Why it waits for another try, has failed or is uncertain, for the person at the printer. Null while there is nothing to tell.",
)
.example(r#""No connection to 192.168.1.20 on port 9100: it refuses connections.""#);

/// A print job.
pub static PRINT_JOB: Shape = Shape::object(
    "PrintJob",
    &[
        Field::given("id", &PRINT_JOB_ID),
        Field::optional("printer_id", &PRINTER_ID)
            .about("The printer that it goes to. If you leave it out: for the label of a shipment the printer that a shipping rule chose for it; else the default for the kind of document at the location that the shipment leaves from, else the default of all locations. It may be deleted after the job has ended."),
        Field::required("document_ids", &DOCUMENT_IDS),
        Field::given("sent_as", &RENDITIONS),
        Field::optional("copies", &COPIES),
        Field::given("status", &STATUS),
        Field::given("tries", &TRIES),
        Field::given_or_null("next_try_at", &MOMENT)
            .about("When the printer is tried again at the latest. A new job for the same printer makes it sooner. Null if no further try is planned."),
        Field::given_or_null("message", &MESSAGE),
        Field::given_or_null("reprint_of", &PRINT_JOB_ID).about("The job that this one prints once more. Null for one that was not made by a reprint."),
        Field::given_or_null("printed_at", &MOMENT).about("When the printer had taken all of it. Null for a job that is not printed."),
        Field::created_at(),
        Field::updated_at(),
    ],
    "Documents that are sent to one printer. The jobs of a printer are sent one at a time, in the order in which they were made.",
);

static PRINTER_IDS: Shape = Shape::list(
    &PRINTER_ID,
    100,
    "The printers that the agent serves. An empty list, or none: all printers of the organisation whose `connection` is `agent`.",
);
/// The body of an agent's request for jobs.
pub static CLAIM_INPUT: Shape = Shape::object(
    "PrintClaimInput",
    &[Field::optional("printer_ids", &PRINTER_IDS)],
    "Which jobs an agent asks for.",
);
static FENCE: Shape = Shape::new(
    Kind::Integer { min: 1, max: i64::MAX },
    "The number of the claim, which rises with each. A report under an older one is refused.",
)
.example("1");
static FILE_TYPE: Shape =
    Shape::text(1, 100, "The media type, such as `application/zpl`.").example(r#""application/zpl""#);
static FILE_SIZE: Shape = Shape::new(
    Kind::Integer { min: 0, max: i64::MAX },
    "Its length in bytes, to notice an answer that was cut off. Null for a file that is converted: it is made when you fetch it.",
)
.example("1024");
static CLAIMED_DOCUMENT: Shape = Shape::object(
    "ClaimedDocument",
    &[
        Field::given("id", &DOCUMENT_ID),
        Field::given("file_type", &FILE_TYPE),
        Field::given_or_null("file_size", &FILE_SIZE),
    ],
    "A document of the claimed job, in the order in which they are printed.",
);
static CLAIMED_DOCUMENTS: Shape = Shape::list(
    &CLAIMED_DOCUMENT,
    DOCUMENTS_MAX,
    "The files of the job: fetch each with `GET /print_jobs/{print_job_id}/content?document=`, which counts from 1.",
);
/// A job that an agent has claimed.
pub static PRINT_CLAIM: Shape = Shape::object(
    "PrintClaim",
    &[
        Field::given("print_job", &PRINT_JOB),
        Field::given("printer", &PRINTER),
        Field::given("documents", &CLAIMED_DOCUMENTS),
        Field::given("fence", &FENCE),
        Field::given("lease_expires_at", &MOMENT)
            .about("Until when the job is the agent's. Without a report by then, it is queued again if its content was not fetched, and uncertain otherwise."),
    ],
    "A job that an agent has claimed, and its printer.",
);
static OUTCOME: Shape = Shape::new(
    Kind::OneOf(&["printed", "unsent", "failed", "uncertain"]),
    "`unsent`: no byte left, so it is tried again after a pause. `failed`: the printer refused it. `uncertain`: some of it left, and nothing proves that it was printed.",
)
.example(r#""printed""#);
static RESULT_MESSAGE: Shape = Shape::text(
    0,
    MESSAGE_CHARS_MAX,
    "What the agent saw, for the person who looks at the job. Kept unless the job was printed.",
)
.example(r#""The printer closed the connection.""#);
/// The body in which an agent tells what came of a job.
pub static RESULT_INPUT: Shape = Shape::object(
    "PrintResultInput",
    &[
        Field::required("fence", &FENCE).about("The `fence` of the claim that the report is about."),
        Field::required("outcome", &OUTCOME),
        Field::optional("message", &RESULT_MESSAGE),
    ],
    "What came of a claimed job.",
);

#[cfg(test)]
mod tests;
