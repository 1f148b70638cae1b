//! `/batches/{batch_id}/labels`: the labels of a batch, in one file and each for itself.

use bytes::Bytes;
use http::StatusCode;
use model::batch::BATCH_ID;
use model::document::DOCUMENT;
use model::{Batch, Code, Id, Result};
use service::{Caller, LabelPage, Outcome, Reply, Service, log};
use tokio::sync::mpsc;

use crate::call::Call;
use crate::respond::{self, Body, Response};
use crate::route::{Route, Success};
use crate::shipments::wait;

const PATH: &str = "/batches/{batch_id}/labels";
/// Pages that wait to be sent, beside the one that is being read.
const PAGES_WAITING: usize = 1;

pub fn routes() -> Vec<Route> {
    vec![
        Route::get(PATH, "batches:read", "List a batch's labels", list_batch_labels)
            .about("First the file with all of them (`type` `labels`), once it is made, then each label in the order of the batch's shipments. Before the batch is purchased, only the labels of shipments that are purchased already. The links end after an hour.")
            .id(&BATCH_ID)
            .success(Success::Many(StatusCode::OK, &DOCUMENT)),
        Route::post(PATH, "batches:write", "Create a batch's labels", create_batch_labels)
            .about("Makes each label in the batch's `options.label_format` where it is in another, and one file with all of them: pages of a PDF, ZPL one after the other, or PNGs in a ZIP. Answers 201 with the documents once they are there, and 202 where that takes longer than 5 s, or than `Prefer: wait=<seconds>` says; then GET the `Location`, or wait for `batch.labels_created`. Asked again, the documents are the same. What was voided is left out.")
            .id(&BATCH_ID)
            .success(Success::Many(StatusCode::CREATED, &DOCUMENT))
            .accepts()
            .refusals(const { &[Code::BatchNotFinalised, Code::BatchPurchasing] }),
    ]
}

async fn list_batch_labels(call: Call) -> Result<Response> {
    let id = call.id()?;
    labels(&call, id, Reply::done(String::new())).await
}

async fn create_batch_labels(call: Call) -> Result<Response> {
    let id = call.id()?;
    let wait = wait(&call)?;
    let reply = call.service().create_batch_labels(call.command()?, id, wait).await?;
    labels(&call, id, reply).await
}

/// An answer with labels. More than a page of them is sent page by page, as fast as it is taken.
async fn labels(call: &Call, id: Id<Batch>, mut answer: Reply) -> Result<Response> {
    if let Outcome::Refused(_) = answer.outcome {
        return respond::reply(call, answer);
    }
    let caller = *call.caller()?;
    let mut page = call.service().batch_label_page(&caller, id, None).await?;
    let first = format!("{{\"data\":[{}", page.items.join(","));
    if page.next.is_none() {
        answer.body = first + "]}";
        return respond::reply(call, answer);
    }
    page.items.truncate(1);
    let mut response = respond::reply(call, answer)?;
    *response.body_mut() = stream(call.service().clone(), caller, id, first, page);
    Ok(response)
}

/// The rest of a list whose beginning is known. One that can't be read to its end is not closed, and so is no JSON.
fn stream(service: Service, caller: Caller, id: Id<Batch>, first: String, mut page: LabelPage) -> Body {
    let (pages, body) = mpsc::channel::<Bytes>(PAGES_WAITING);
    tokio::spawn(async move {
        let mut is_empty = page.items.is_empty();
        if pages.send(first.into()).await.is_err() {
            return;
        }
        while page.next.is_some() {
            page = match service.batch_label_page(&caller, id, page.next).await {
                Ok(page) => page,
                Err(error) => return log::error(PATH, &error),
            };
            let comma = if is_empty || page.items.is_empty() { "" } else { "," };
            is_empty &= page.items.is_empty();
            if pages.send(format!("{comma}{}", page.items.join(",")).into()).await.is_err() {
                return;
            }
        }
        // Whoever is gone does not miss the end.
        let _gone = pages.send(Bytes::from_static(b"]}")).await;
    });
    Body::Stream(body)
}
