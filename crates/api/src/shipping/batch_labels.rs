//! `/batches/{batch_id}/labels`: the labels of a batch, merged into one file or listed one by one.

use bytes::Bytes;
use http::StatusCode;
use model::shipping::batch::{BATCH_ID, BatchLabelsInput, LABELS_INPUT};
use model::shipping::document::DOCUMENT;
use model::shipping::shipment::LabelFormat;
use model::shipping::shipment::options::LABEL_FORMAT;
use model::{Batch, Code, Id, Result};
use service::{Caller, LabelPage, Outcome, Reply, Service};
use tokio::sync::mpsc;
use tracing::{Instrument, error};

use crate::access::call::Call;
use crate::access::respond;
use crate::access::route::{Access, Body as RouteBody, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::parameter::{Parameter, ParameterKind};
use crate::platform::query;
use crate::platform::response::{Body, Response};
use crate::shipping::shipments::wait;

const PATH: &str = "/batches/{batch_id}/labels";
/// Pages that wait to be sent, in addition to the one that is being read.
const PAGES_WAITING: usize = 1;

const FORMAT: Parameter = Parameter {
    name: "format",
    about: "Only labels in this format, and the file with all of them. Without it, the files of all formats, and each label in the batch's own format, or as it is where it has none in that.",
    kind: ParameterKind::One(&LABEL_FORMAT),
};

pub fn routes() -> Vec<HandledRoute> {
    vec![
        Route::get(PATH, Access::scope("batches:read"), "list_batch_labels", "List a batch's labels")
            .about("First the file with all of them (`type` `labels`), once it is made, then of each shipment, in the order of the batch, its labels and its customs papers. Before the batch is purchased, only the labels of shipments that are purchased already. The links end after an hour.")
            .id(&BATCH_ID)
            .parameters(const { &[FORMAT] })
            .success(Success::Many(StatusCode::OK, &DOCUMENT))
            .to(list_batch_labels),
        Route::post(PATH, Access::scope("batches:write"), "create_batch_labels", "Create a batch's labels")
            .about("Makes each label in `format`, or in the batch's `options.label_format` where none is given, and one file with all of them: pages of a PDF, ZPL one after the other, or PNGs in a ZIP. In a PDF and a ZIP the customs papers of a shipment follow its labels; a label printer can't print them, so ZPL has labels only, and the papers are in the list. What Dockside draws is drawn anew in another format; where a carrier's own label can't be converted, 409 names the shipments. Answers 201 with the documents once they are there, and 202 where that takes longer than 5 s, or than `Prefer: wait=<seconds>` says; then GET the `Location`, or wait for `batch.labels_created`. Asked again, the documents are the same. What was voided is left out.")
            .id(&BATCH_ID)
            .body(RouteBody::Optional(&LABELS_INPUT))
            .success(Success::Many(StatusCode::CREATED, &DOCUMENT))
            .accepts()
            .refusals(const { &[Code::BatchNotFinalised, Code::BatchPurchasing, Code::LabelFormatUnavailable, Code::LabelsSetAside] })
            .to(create_batch_labels),
    ]
}

async fn list_batch_labels(call: Call) -> Result<Response> {
    let id = call.id()?;
    labels(&call, id, format(&call)?, Reply::done(String::new())).await
}

async fn create_batch_labels(call: Call) -> Result<Response> {
    let id = call.id()?;
    let wait = wait(&call)?;
    let input: BatchLabelsInput = call.optional_input()?;
    let (format, reply) = call.service().batch_labels.create(call.command()?, id, input, wait).await?;
    labels(&call, id, Some(format), reply).await
}

/// Returns the format that the query asks for.
fn format(call: &Call) -> Result<Option<LabelFormat>> {
    let Some(word) = call.query.one("format") else { return Ok(None) };
    let refused = || query::refuse("format", "Must be `png`, `pdf` or `zpl`.").into();
    LabelFormat::parse(word).map(Some).ok_or_else(refused)
}

/// Answers with labels. If there is more than a page of them, pages are sent as fast as the client reads.
async fn labels(
    call: &Call,
    id: Id<Batch>,
    format: Option<LabelFormat>,
    mut answer: Reply,
) -> Result<Response> {
    if let Outcome::Refused(_) = answer.outcome {
        return respond::reply(call, answer);
    }
    let caller = *call.caller()?;
    let mut page = call.service().batch_labels.page(&caller, id, format, None).await?;
    let first = format!("{{\"data\":[{}", page.items.join(","));
    if page.next.is_none() {
        answer.body = first + "]}";
        return respond::reply(call, answer);
    }
    page.items.truncate(1);
    let mut response = respond::reply(call, answer)?;
    *response.body_mut() = stream(call.service().clone(), caller, (id, format), first, page);
    Ok(response)
}

/// Streams the rest of a list after its first page. If reading fails, the list is left unclosed, so the client sees
/// invalid JSON instead of a short list.
fn stream(
    service: Service,
    caller: Caller,
    (id, format): (Id<Batch>, Option<LabelFormat>),
    first: String,
    mut page: LabelPage,
) -> Body {
    let (pages, body) = mpsc::channel::<Bytes>(PAGES_WAITING);
    let reader = async move {
        let mut is_empty = page.items.is_empty();
        if pages.send(first.into()).await.is_err() {
            return;
        }
        while page.next.is_some() {
            page = match service.batch_labels.page(&caller, id, format, page.next).await {
                Ok(page) => page,
                Err(error) => {
                    error!(%error, batch = %id, "list of labels cut off: its next page can't be read");
                    return;
                }
            };
            let comma = if is_empty || page.items.is_empty() { "" } else { "," };
            is_empty &= page.items.is_empty();
            if pages.send(format!("{comma}{}", page.items.join(",")).into()).await.is_err() {
                return;
            }
        }
        // If the client is gone, sending fails, and nothing needs to be done.
        let _gone = pages.send(Bytes::from_static(b"]}")).await;
    };
    tokio::spawn(reader.in_current_span());
    Body::Stream(body)
}
