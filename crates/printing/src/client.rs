//! The client of IPP printers: what they can do, printing, following a job to its end, and finding one by its name.

use std::time::Duration;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method};
use outbound::{Outbound, Request as HttpRequest};
use tokio::time::{Instant, sleep};

use crate::address::IppAddress;
use crate::ipp::{Answer, Group, JOB_GROUP, Operation, PRINTER_GROUP, Request, Value};
use crate::job::{File, Job, Outcome, ZPL};

/// How long a printer may take to answer a question.
const ASK_TIME_MAX: Duration = Duration::from_secs(15);
/// How long a printer may take to accept a job with its document.
const ACCEPT_TIME_MAX: Duration = Duration::from_secs(120);
/// How long a printer may take to print what it accepted. One without paper waits for a person.
const PRINT_TIME_MAX: Duration = Duration::from_secs(600);
/// How long a printer that accepted a job may give no answer.
const SILENCE_TIME_MAX: Duration = Duration::from_secs(60);
/// The shortest and the longest pause between two questions about a job.
const POLL_MIN: Duration = Duration::from_millis(200);
const POLL_MAX: Duration = Duration::from_secs(2);
/// The largest answer, in bytes.
const ANSWER_BYTES_MAX: usize = 1 << 20;
/// Jobs that a printer is asked for when one is looked for.
const JOBS_MAX: i32 = 500;
/// The user whose jobs these are.
const USER: &str = "dockside";
/// The media types under which printers take ZPL, in the order in which they are tried.
const ZPL_TYPES: [&str; 3] = ["application/vnd.zebra-zpl", ZPL, "application/octet-stream"];

/// States of a job, as RFC 8011 numbers them.
const CANCELED: i32 = 7;
const ABORTED: i32 = 8;
const COMPLETED: i32 = 9;

/// From this status on a printer refuses a request because of its own state, which may change.
const SERVER_ERROR: u16 = 0x0500;
/// The printer has no such job.
const NOT_FOUND: u16 = 0x0406;

/// What a printer says of itself.
pub struct Capabilities {
    formats: Vec<String>,
    /// The most copies; `None` if it does not say.
    copies_max: Option<u32>,
}

/// Why there is no answer.
struct Unanswered {
    /// Whether the request may have been received.
    is_sent: bool,
    why: String,
}

/// A printer, and a client to reach it.
pub struct IppPrinter {
    outbound: Outbound,
    address: IppAddress,
}

impl IppPrinter {
    pub fn new(outbound: &Outbound, address: &IppAddress) -> Self {
        Self { outbound: outbound.clone(), address: address.clone() }
    }

    fn request(&self, operation: Operation) -> Request {
        Request::new(operation, 1, &self.address.uri)
            .with("requesting-user-name", &Value::Name(USER.to_owned()))
    }

    /// Asks what the printer can do. The error is `Unsent`.
    pub async fn capabilities(&self) -> Result<Capabilities, Outcome> {
        let wanted = ["document-format-supported", "copies-supported", "printer-is-accepting-jobs"];
        let request =
            self.request(Operation::GetPrinterAttributes).with_keywords("requested-attributes", &wanted);
        let answer =
            self.ask(request.into_bytes(), ASK_TIME_MAX).await.map_err(|none| Outcome::Unsent(none.why))?;
        if !answer.is_success() {
            return Err(Outcome::Unsent(format!(
                "The printer does not tell of itself: {}.",
                answer.message()
            )));
        }
        let none = Group { tag: PRINTER_GROUP, attributes: Vec::new() };
        let printer = answer.groups(PRINTER_GROUP).next().unwrap_or(&none);
        if printer.value("printer-is-accepting-jobs") == Some(&Value::Boolean(false)) {
            return Err(Outcome::Unsent("The printer accepts no jobs at the moment.".to_owned()));
        }
        let formats = printer.values("document-format-supported");
        Ok(Capabilities {
            formats: formats.iter().filter_map(Value::as_text).map(str::to_lowercase).collect(),
            copies_max: match printer.value("copies-supported") {
                Some(Value::Range(_, most)) => u32::try_from(*most).ok(),
                _ => None,
            },
        })
    }

    /// Prints all files, one job after the other. A file that an earlier attempt had printed is not sent again.
    pub async fn print(&self, capabilities: &Capabilities, job: &Job) -> Outcome {
        if let Some(most) = capabilities.copies_max.filter(|most| job.copies > *most) {
            return Outcome::Failed(format!("The printer makes at most {most} copies."));
        }
        for (place, file) in job.files.iter().enumerate() {
            let Some(format) = format_for(&capabilities.formats, file) else {
                return Outcome::Failed(format!("The printer does not take {}.", file.media_type));
            };
            let name = name_of(job, place);
            let outcome = match self.known(job, &name).await {
                Ok(Some(known)) => self.follow(known).await,
                Ok(None) => self.print_file(job, &name, file, format).await,
                Err(none) => Outcome::Unsent(none.why),
            };
            if outcome != Outcome::Printed {
                return outcome;
            }
        }
        Outcome::Printed
    }

    /// Looks for the files of a job that was sent, and follows them to their end.
    pub async fn find(&self, job: &Job) -> Outcome {
        for place in 0..job.files.len() {
            let name = name_of(job, place);
            let outcome = match self.look_for(&name).await {
                Ok(Some(number)) => self.follow(number).await,
                Ok(None) => Outcome::Uncertain(format!(
                    "The printer lists no job {name}. Look at the printer, and reprint if nothing came out."
                )),
                Err(none) => Outcome::Uncertain(format!(
                    "The printer was asked for the job {name} and did not answer: {}",
                    none.why
                )),
            };
            if outcome != Outcome::Printed {
                return outcome;
            }
        }
        Outcome::Printed
    }

    /// Returns the number of a file's job if an earlier attempt may have sent it, and the printer lists it.
    async fn known(&self, job: &Job, name: &str) -> Result<Option<i32>, Unanswered> {
        if job.may_be_known { self.look_for(name).await } else { Ok(None) }
    }

    async fn print_file(&self, job: &Job, name: &str, file: &File, format: &str) -> Outcome {
        let mut request = self
            .request(Operation::PrintJob)
            .with("job-name", &Value::Name(name.to_owned()))
            .with("document-format", &Value::MediaType(format.to_owned()))
            .job_group();
        if job.copies > 1 {
            request = request.with("copies", &Value::Integer(i32::try_from(job.copies).unwrap_or(i32::MAX)));
        }
        if let Some(media) = &job.media {
            request = request.with("media", &Value::Keyword(media.clone()));
        }
        let mut body = request.into_bytes();
        body.extend_from_slice(&file.bytes);
        match self.ask(body, ACCEPT_TIME_MAX).await {
            Ok(answer) if answer.is_success() => match job_number(&answer) {
                Some(number) => self.follow(number).await,
                None => Outcome::Uncertain("The printer accepted the job and gave it no number.".to_owned()),
            },
            Ok(answer) if answer.status >= SERVER_ERROR => {
                Outcome::Unsent(format!("The printer does not accept the job now: {}.", answer.message()))
            }
            Ok(answer) => Outcome::Failed(format!("The printer refused the job: {}.", answer.message())),
            Err(none) if !none.is_sent => Outcome::Unsent(none.why),
            Err(none) => self.after_loss(name, &none.why).await,
        }
    }

    /// After the answer to a job was lost: the printer may list it.
    async fn after_loss(&self, name: &str, why: &str) -> Outcome {
        match self.look_for(name).await {
            Ok(Some(number)) => self.follow(number).await,
            Ok(None) | Err(_) => Outcome::Uncertain(format!(
                "The job was sent, and its answer was lost: {why} Look at the printer, and reprint if nothing came out."
            )),
        }
    }

    /// Asks about a job until it has ended.
    async fn follow(&self, number: i32) -> Outcome {
        let end = Instant::now() + PRINT_TIME_MAX;
        let mut silent_since = None;
        let mut pause = POLL_MIN;
        loop {
            match self.state(number).await {
                Ok(answer) if answer.status == NOT_FOUND => {
                    return Outcome::Uncertain(format!(
                        "The printer accepted the job as number {number} and knows nothing of it now."
                    ));
                }
                Ok(answer) => {
                    silent_since = None;
                    if let Some(outcome) = answer.groups(JOB_GROUP).next().and_then(|job| ended(number, job))
                    {
                        return outcome;
                    }
                }
                Err(none) => {
                    let since = *silent_since.get_or_insert_with(Instant::now);
                    if since.elapsed() > SILENCE_TIME_MAX {
                        let why = none.why;
                        return Outcome::Uncertain(format!(
                            "The printer accepted the job as number {number} and answers no more: {why}"
                        ));
                    }
                }
            }
            if Instant::now() > end {
                let minutes = PRINT_TIME_MAX.as_secs() / 60;
                return Outcome::Uncertain(format!(
                    "The printer has the job as number {number} and did not end it within {minutes} minutes."
                ));
            }
            sleep(pause).await;
            pause = (pause * 3 / 2).min(POLL_MAX);
        }
    }

    async fn state(&self, number: i32) -> Result<Answer, Unanswered> {
        let request = self
            .request(Operation::GetJobAttributes)
            .with("job-id", &Value::Integer(number))
            .with_keywords("requested-attributes", &["job-state", "job-state-reasons"]);
        self.ask(request.into_bytes(), ASK_TIME_MAX).await
    }

    /// Returns the number of the job with this name, among those that wait and those that have ended.
    async fn look_for(&self, name: &str) -> Result<Option<i32>, Unanswered> {
        for which in ["not-completed", "completed"] {
            let request = self
                .request(Operation::GetJobs)
                .with("limit", &Value::Integer(JOBS_MAX))
                .with("which-jobs", &Value::Keyword(which.to_owned()))
                .with_keywords("requested-attributes", &["job-id", "job-name"]);
            let answer = self.ask(request.into_bytes(), ASK_TIME_MAX).await?;
            if !answer.is_success() {
                let why = format!("The printer does not list its jobs: {}.", answer.message());
                return Err(Unanswered { is_sent: true, why });
            }
            let is_it = |job: &&Group| job.value("job-name").and_then(Value::as_text) == Some(name);
            let found = answer.groups(JOB_GROUP).find(is_it);
            if let Some(number) = found.and_then(|job| job.value("job-id")?.as_number()) {
                return Ok(Some(number));
            }
        }
        Ok(None)
    }

    async fn ask(&self, body: Vec<u8>, time_limit: Duration) -> Result<Answer, Unanswered> {
        let request = HttpRequest {
            method: Method::POST,
            target: self.address.target.clone(),
            headers: vec![(CONTENT_TYPE, HeaderValue::from_static("application/ipp"))],
            body: Bytes::from(body),
            time_limit,
            body_bytes_max: ANSWER_BYTES_MAX,
        };
        let response = self
            .outbound
            .send(request)
            .await
            .map_err(|failure| Unanswered { is_sent: !failure.is_unsent(), why: failure.to_string() })?;
        if response.status != 200 {
            // A printer that answers so has not taken the job.
            let why = format!("The printer answers {} to IPP.", response.status);
            return Err(Unanswered { is_sent: false, why });
        }
        Answer::read(&response.body)
            .map_err(|malformed| Unanswered { is_sent: true, why: format!("To IPP, {malformed}.") })
    }
}

/// Returns the name of a file's job: that of the whole job, with the file's number if there are several.
fn name_of(job: &Job, place: usize) -> String {
    match job.files.len() {
        1 => job.name.clone(),
        _ => format!("{}-{}", job.name, place + 1),
    }
}

/// Returns the media type under which the printer takes the file. A printer that lists none is believed to take it.
fn format_for<'a>(supported: &[String], file: &'a File) -> Option<&'a str> {
    let is_supported = |wanted: &&str| supported.is_empty() || supported.iter().any(|known| known == wanted);
    match file.media_type.as_str() {
        ZPL => ZPL_TYPES.into_iter().find(is_supported),
        other => Some(other).filter(is_supported),
    }
}

fn job_number(answer: &Answer) -> Option<i32> {
    answer.groups(JOB_GROUP).find_map(|job| job.value("job-id")?.as_number())
}

/// Returns what came of a job, if it has ended.
fn ended(number: i32, job: &Group) -> Option<Outcome> {
    let state = job.value("job-state").and_then(Value::as_number)?;
    let reasons: Vec<_> = job.values("job-state-reasons").iter().filter_map(Value::as_text).take(5).collect();
    let reasons = reasons.join(", ");
    match state {
        COMPLETED => Some(Outcome::Printed),
        CANCELED => {
            Some(Outcome::Failed(format!("The job {number} was cancelled at the printer ({reasons}).")))
        }
        ABORTED => Some(Outcome::Failed(format!("The printer aborted the job {number} ({reasons})."))),
        _ => None,
    }
}
