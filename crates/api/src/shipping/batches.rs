//! `/batches`.

use model::shipping::batch::{
    BATCH, BATCH_ID, BatchInput, MEMBERS_ADDED, MEMBERS_REMOVED, MembersAdded, MembersRemoved,
    PARTIAL_SHIPMENT, PARTS, STATUS, Status,
};
use model::{Batch, Code, Id, Result};

use crate::access::call::Call;
use crate::access::respond;
use crate::access::route::{Access, Body, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::parameter::{CURSOR, LIMIT, Parameter, ParameterKind};
use crate::platform::query;
use crate::platform::response::Response;
use crate::shipping::shipments::wait;

const LIST: &str = "data";
const PATH: &str = "/batches/{batch_id}";
const SHIPMENTS: &str = "/batches/{batch_id}/shipments";
const BY_STATUS: Parameter = Parameter {
    name: "status",
    about: "Only batches that have come this far: `open`, `purchasing`, `purchased`, `partially_purchased` or `purchase_failed`.",
    kind: ParameterKind::One(&STATUS),
};
const INCLUDE_FIELDS: Parameter = Parameter {
    name: "include_fields",
    about: "Which of the large parts of a shipment to show; the others are left out. Without it, all are shown. Fewer parts make large pages faster.",
    kind: ParameterKind::Words(&PARTS),
};

pub fn routes() -> Vec<HandledRoute> {
    let (read, write) = (Access::scope("batches:read"), Access::scope("batches:write"));
    vec![
        Route::get("/batches", read, "list_batches", "List batches")
            .about("Newest first.")
            .parameters(const { &[LIMIT, CURSOR, BY_STATUS] })
            .success(Success::List(LIST, &BATCH))
            .to(list_batches),
        Route::post("/batches", write, "create_batch", "Create a batch")
            .about("Everything is optional. Its `service` is that of all its shipments; where it has none, each has its own.")
            .body(Body::Json(&BATCH))
            .success(Success::Created(&BATCH))
            .refusals(CREATING)
            .to(create_batch),
        Route::get(PATH, read, "get_batch", "Get a batch")
            .about("With its first 20 shipments, in short, and up to 100 of their errors. The counts are of all of them.")
            .id(&BATCH_ID)
            .success(Success::Resource(&BATCH))
            .to(get_batch),
        Route::patch(PATH, write, "update_batch", "Update a batch")
            .about("Merges the body into the batch (RFC 7396), until it is purchased. Shipments that it names are added, and none is removed.")
            .id(&BATCH_ID)
            .body(Body::Patch(&BATCH))
            .success(Success::Resource(&BATCH))
            .refusals(UPDATING)
            .to(update_batch),
        Route::delete(PATH, write, "delete_batch", "Delete a batch")
            .about("While it is open. Its shipments stay.")
            .id(&BATCH_ID)
            .refusals(const { &[Code::BatchFinalised, Code::BatchPurchasing, Code::BatchNotOpen] })
            .to(delete_batch),
        Route::post("/batches/{batch_id}/purchase", Access::scope("batches:purchase"), "purchase_batch", "Purchase a batch")
            .about("Buys what is not bought of it, each shipment once, however often it is asked for. Answers 200 once everything has come to an end (see `status` and `errors`), and 202 where carriers take longer than 5 s, or than `Prefer: wait=<seconds>` says (30 at most); `Prefer: respond-async` does not wait. Then read the batch again, or wait for `batch.purchased` or `batch.purchase_failed`. While it is purchased, asking again joins the first request.")
            .id(&BATCH_ID)
            .success(Success::Resource(&BATCH))
            .accepts()
            .refusals(const { &[Code::BatchEmpty, Code::ServiceMissing] })
            .to(purchase_batch),
        Route::get(SHIPMENTS, read, "list_batch_shipments", "List a batch's shipments")
            .about("In the order in which they were created.")
            .id(&BATCH_ID)
            .parameters(const { &[LIMIT, CURSOR, INCLUDE_FIELDS] })
            .success(Success::List(LIST, &PARTIAL_SHIPMENT))
            .to(list_batch_shipments),
        Route::patch(SHIPMENTS, write, "add_batch_shipments", "Add shipments to a batch")
            .about("All of them or none. Those that are in it already stay.")
            .id(&BATCH_ID)
            .body(Body::Json(&MEMBERS_ADDED))
            .success(Success::Resource(&BATCH))
            .refusals(ADDING)
            .to(add_batch_shipments),
        Route::delete(SHIPMENTS, write, "remove_batch_shipments", "Remove shipments from a batch")
            .about("All of them or none. They stay, and are in no batch. What is purchased can't be removed. A batch of which the rest is purchased becomes `purchased`.")
            .id(&BATCH_ID)
            .body(Body::Json(&MEMBERS_REMOVED))
            .success(Success::Resource(&BATCH))
            .refusals(const {
                &[
                    Code::BatchFinalised,
                    Code::BatchPurchasing,
                    Code::ShipmentNotFound,
                    Code::ShipmentNotInBatch,
                    Code::ShipmentPurchased,
                    Code::ShipmentPurchasing,
                    Code::ShipmentVoided,
                ]
            })
            .to(remove_batch_shipments),
    ]
}

const ADDING: &[Code] = &[
    Code::BatchFinalised,
    Code::BatchPurchasing,
    Code::BatchTooLarge,
    Code::ShipmentNotFound,
    Code::ShipmentInOtherBatch,
    Code::ShipmentPurchased,
    Code::ShipmentPurchasing,
    Code::ShipmentVoided,
    Code::ServiceAlreadySet,
];
const CREATING: &[Code] = &[
    Code::BatchTooLarge,
    Code::ShipmentNotFound,
    Code::ShipmentInOtherBatch,
    Code::ShipmentPurchased,
    Code::ShipmentPurchasing,
    Code::ShipmentVoided,
    Code::ServiceAlreadySet,
    Code::CarrierNotFound,
    Code::CarrierAccountNotFound,
    Code::CarrierServiceNotFound,
];
const UPDATING: &[Code] = &[
    Code::BatchFinalised,
    Code::BatchPurchasing,
    Code::BatchTooLarge,
    Code::ShipmentNotFound,
    Code::ShipmentInOtherBatch,
    Code::ShipmentPurchased,
    Code::ShipmentPurchasing,
    Code::ShipmentVoided,
    Code::ServiceAlreadySet,
    Code::CarrierNotFound,
    Code::CarrierAccountNotFound,
    Code::CarrierServiceNotFound,
];

async fn list_batches(call: Call) -> Result<Response> {
    let status = match call.query.one("status") {
        None => None,
        Some(word) => Some(Status::parse(word).ok_or_else(|| {
            query::refuse_word("status", word, Status::ALL.iter().map(|status| status.as_str()))
        })?),
    };
    let query =
        call.list_query("batches", status.map_or_else(String::new, |status| status.as_str().to_owned()))?;
    let listing = call.service().batches.list(call.caller()?, query, status).await?;
    respond::list(&call, LIST, listing)
}

async fn create_batch(call: Call) -> Result<Response> {
    let input: BatchInput = call.input()?;
    let reply = call.service().batches.create(call.command()?, input).await?;
    respond::reply(&call, reply)
}

async fn get_batch(call: Call) -> Result<Response> {
    let reply = call.service().batches.get(call.caller()?, call.id()?).await?;
    respond::reply(&call, reply)
}

async fn update_batch(call: Call) -> Result<Response> {
    let id = call.id()?;
    let reply = call.service().batches.update(call.command()?, id, call.json()?).await?;
    respond::reply(&call, reply)
}

async fn delete_batch(call: Call) -> Result<Response> {
    let id = call.id()?;
    let reply = call.service().batches.delete(call.command()?, id).await?;
    respond::reply(&call, reply)
}

async fn purchase_batch(call: Call) -> Result<Response> {
    let id = call.id()?;
    let wait = wait(&call)?;
    let reply = call.service().batches.purchase(call.command()?, id, wait).await?;
    respond::reply(&call, reply)
}

async fn list_batch_shipments(call: Call) -> Result<Response> {
    let id: Id<Batch> = call.id()?;
    let parts = call.query.many("include_fields");
    if let Some(unknown) = parts.iter().find(|part| !PARTS.contains(&part.as_str())) {
        return Err(query::refuse_word("include_fields", unknown, PARTS.iter().copied()).into());
    }
    let query = call.list_query("batch_shipments", id.to_string())?;
    let listing = call.service().batches.list_shipments(call.caller()?, query, id, parts).await?;
    respond::list(&call, LIST, listing)
}

async fn add_batch_shipments(call: Call) -> Result<Response> {
    let id = call.id()?;
    let input: MembersAdded = call.input()?;
    let reply = call.service().batches.add_shipments(call.command()?, id, input).await?;
    respond::reply(&call, reply)
}

async fn remove_batch_shipments(call: Call) -> Result<Response> {
    let id = call.id()?;
    let input: MembersRemoved = call.input()?;
    let reply = call.service().batches.remove_shipments(call.command()?, id, input).await?;
    respond::reply(&call, reply)
}
