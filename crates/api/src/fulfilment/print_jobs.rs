//! `/print_jobs`, for people and programs that print, and for print agents.

use std::time::Duration;

use http::{HeaderValue, StatusCode};
use model::fulfilment::print_job::{
    CLAIM_INPUT, ClaimInput, PRINT_CLAIM, PRINT_JOB, PRINT_JOB_ID, PrintJobInput, RESULT_INPUT, ResultInput,
    STATUS, Status,
};
use model::fulfilment::printer::PRINTER_ID;
use model::platform::shape::{Kind, Shape};
use model::{Code, Result};
use service::PrintJobFilter;

use crate::access::call::Call;
use crate::access::respond;
use crate::access::route::{Access, Body, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::parameter::{CURSOR, LIMIT, Parameter, ParameterKind};
use crate::platform::query;
use crate::platform::response::{Response, with_body};
use crate::shipping::files::add_headers;
use crate::shipping::shipments::wait_or;

const LIST: &str = "data";
const COLLECTION: &str = "/print_jobs";
const ONE: &str = "/print_jobs/{print_job_id}";
const BY_STATUS: Parameter = Parameter {
    name: "status",
    about: "Only jobs that wait (`queued`), are on their way (`sending`), or ended so.",
    kind: ParameterKind::One(&STATUS),
};
const BY_PRINTER: Parameter = Parameter {
    name: "printer_id",
    about: "Only what was sent, or waits to be sent, to one device; its id.",
    kind: ParameterKind::One(&PRINTER_ID),
};
static CLAIM_FENCE: Shape =
    Shape::new(Kind::Integer { min: 1, max: i64::MAX }, "The `fence` of your claim, a whole number.")
        .example("1");
const FENCE: Parameter = Parameter {
    name: "fence",
    about: "The `fence` of your claim. If the job was claimed again since, the content is refused. Without it, another agent may hold the claim by now.",
    kind: ParameterKind::One(&CLAIM_FENCE),
};
static PLACE: Shape =
    Shape::new(Kind::Integer { min: 1, max: 100 }, "A place in the job's `document_ids`, from 1 on.")
        .example("1");
const OF_DOCUMENT: Parameter = Parameter {
    name: "document",
    about: "Which of the job's `document_ids`, counted from 1; the first one if you leave it out.",
    kind: ParameterKind::One(&PLACE),
};

pub fn routes() -> Vec<HandledRoute> {
    let mut routes = routes_of_clients();
    routes.extend(routes_of_agents());
    routes
}

fn routes_of_clients() -> Vec<HandledRoute> {
    let (read, write) = (Access::scope("print_jobs:read"), Access::scope("print_jobs:write"));
    vec![
        Route::get(COLLECTION, read, "list_print_jobs", "List print jobs")
            .about("Newest first. Jobs that ended are deleted after a year, or what the operator set in `leftover_days`.")
            .parameters(const { &[LIMIT, CURSOR, BY_STATUS, BY_PRINTER] })
            .success(Success::List(LIST, &PRINT_JOB))
            .to(list_print_jobs),
        Route::post(COLLECTION, write, "create_print_job", "Print documents")
            .about("Queues the documents for one printer, and answers before they are sent: follow the job by its events. The token must also be able to read what the documents belong to, such as `shipments:read`. `sent_as` says what the printer gets: a file as it is stored, or, if the printer does not take that, a label that Dockside draws anew or a carrier's PNG that it scales, in a format and a resolution of the printer. What can't be converted is refused. Jobs of one printer are sent one at a time, in their order.")
            .body(Body::Json(&PRINT_JOB))
            .success(Success::Created(&PRINT_JOB))
            .refusals(&[
                Code::DocumentNotFound,
                Code::PrinterNotFound,
                Code::PrinterMissing,
                Code::PrinterAmbiguous,
                Code::PrintFormatUnsupported,
                Code::PrintDpiUnsupported,
                Code::PrintTooLarge,
            ])
            .to(create_print_job),
        Route::get(ONE, read, "get_print_job", "Get a print job")
            .id(&PRINT_JOB_ID)
            .success(Success::Resource(&PRINT_JOB))
            .to(get_print_job),
        Route::post("/print_jobs/{print_job_id}/cancel", write, "cancel_print_job", "Cancel a print job")
            .about("Only while it is `queued`: what is being sent can't be taken back.")
            .id(&PRINT_JOB_ID)
            .success(Success::Resource(&PRINT_JOB))
            .refusals(&[Code::PrintJobNotQueued])
            .to(cancel_print_job),
        Route::post("/print_jobs/{print_job_id}/reprint", write, "reprint_print_job", "Print a job again")
            .about("Makes a new job with the same documents, copies and printer, once the old one has ended. This is what a person does about a job that is `uncertain` and did not come out.")
            .id(&PRINT_JOB_ID)
            .success(Success::Created(&PRINT_JOB))
            .refusals(&[
                Code::PrintJobOpen,
                Code::DocumentNotFound,
                Code::PrinterNotFound,
                Code::PrintFormatUnsupported,
                Code::PrintDpiUnsupported,
                Code::PrintTooLarge,
            ])
            .to(reprint_print_job),
    ]
}

fn routes_of_agents() -> Vec<HandledRoute> {
    let write = Access::scope("print_jobs:write");
    vec![
        Route::post("/print_jobs/claim", write, "claim_print_jobs", "Claim print jobs")
            .about("For print agents: takes the next job of each free printer whose `connection` is `agent`, at most ten, for five minutes. The list is empty if nothing waits; with `Prefer: wait=<seconds>` the answer waits for a job, 30 s at most. The token must also have `printers:read`. `dockside print-agent` does all of this.")
            .body(Body::Json(&CLAIM_INPUT))
            .success(Success::Many(StatusCode::OK, &PRINT_CLAIM))
            .refusals(&[Code::PrinterNotFound])
            .to(claim_print_jobs),
        Route::get("/print_jobs/{print_job_id}/content", write, "get_print_job_content", "Get a claimed document")
            .about("For print agents: the bytes of a document of a claimed job, as its printer takes it. Fetch it once the printer was reached: from then on the job counts as begun, and is `uncertain` if no report comes before the lease ends.")
            .id(&PRINT_JOB_ID)
            .parameters(const { &[FENCE, OF_DOCUMENT] })
            .success(Success::Other("*/*"))
            .refusals(&[
                Code::PrintClaimLost,
                Code::PrintFormatUnsupported,
                Code::StoreUnavailable,
                Code::FilesUnavailable,
            ])
            .acts()
            .to(get_print_job_content),
        Route::post("/print_jobs/{print_job_id}/result", write, "report_print_job", "Report a claimed job")
            .about("For print agents: what came of a job, under the fence of its claim. A report that comes after the lease has ended is refused, unless it says that the job was printed.")
            .id(&PRINT_JOB_ID)
            .body(Body::Json(&RESULT_INPUT))
            .success(Success::Resource(&PRINT_JOB))
            .refusals(&[Code::PrintClaimLost])
            .to(report_print_job),
    ]
}

async fn list_print_jobs(call: Call) -> Result<Response> {
    let status = match call.query.one("status") {
        None => None,
        Some(word) => Some(Status::parse(word).ok_or_else(|| {
            query::refuse_word("status", word, Status::ALL.iter().map(|status| status.as_str()))
        })?),
    };
    let printer = call.query_id("printer_id")?;
    let filters = format!("{:?} {printer:?}", status.map(Status::as_str));
    let query = call.list_query("print_jobs", filters)?;
    let filter = PrintJobFilter { status, printer };
    let listing = call.service().print_jobs.list(call.caller()?, query, filter).await?;
    respond::list(&call, LIST, listing)
}

async fn create_print_job(call: Call) -> Result<Response> {
    let input: PrintJobInput = call.input()?;
    let reply = call.service().print_jobs.create(call.command()?, input).await?;
    respond::reply(&call, reply)
}

async fn get_print_job(call: Call) -> Result<Response> {
    let reply = call.service().print_jobs.get(call.caller()?, call.id()?).await?;
    respond::reply(&call, reply)
}

async fn cancel_print_job(call: Call) -> Result<Response> {
    let id = call.id()?;
    let reply = call.service().print_jobs.cancel(call.command()?, id).await?;
    respond::reply(&call, reply)
}

async fn reprint_print_job(call: Call) -> Result<Response> {
    let id = call.id()?;
    let reply = call.service().print_jobs.reprint(call.command()?, id).await?;
    respond::reply(&call, reply)
}

async fn claim_print_jobs(call: Call) -> Result<Response> {
    let input: ClaimInput = call.input()?;
    let wait = wait_or(&call, Duration::ZERO)?;
    let reply = call.service().print_jobs.claim_jobs(call.command()?, input, wait).await?;
    respond::reply(&call, reply)
}

async fn get_print_job_content(call: Call) -> Result<Response> {
    let id = call.id()?;
    let fence = number(&call, "fence")?;
    let place = number(&call, "document")?.unwrap_or(1);
    let (document, bytes) = call.service().print_jobs.content(call.caller()?, id, fence, place).await?;
    let mut response = with_body(StatusCode::OK, HeaderValue::from_static("application/octet-stream"), bytes);
    add_headers(response.headers_mut(), &document)?;
    Ok(response)
}

/// Returns the whole number in a query parameter, if it is present.
fn number(call: &Call, name: &str) -> Result<Option<i64>> {
    let Some(text) = call.query.one(name) else { return Ok(None) };
    let number = text.parse().ok().filter(|number: &i64| *number > 0 && !text.starts_with('+'));
    number.map(Some).ok_or_else(|| query::refuse(name, "Must be a whole number of 1 or more.").into())
}

async fn report_print_job(call: Call) -> Result<Response> {
    let id = call.id()?;
    let input: ResultInput = call.input()?;
    let reply = call.service().print_jobs.report(call.command()?, id, input).await?;
    respond::reply(&call, reply)
}
