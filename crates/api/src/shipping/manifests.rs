//! `/manifests`, and those of a batch.

use http::StatusCode;
use model::places::location::LOCATION_ID;
use model::shipping::batch::BATCH_ID;
use model::shipping::manifest::{MANIFEST, MANIFEST_ID, MANIFEST_INPUT, ManifestInput, STATUS, Status};
use model::{Code, Id, Location, Result};

use crate::access::call::Call;
use crate::access::respond;
use crate::access::route::{Access, Body, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::parameter::{CURSOR, LIMIT, Parameter, ParameterKind};
use crate::platform::query;
use crate::platform::response::Response;
use crate::shipping::shipments::wait;

const LIST: &str = "data";
const OF_BATCH: &str = "/batches/{batch_id}/manifests";
const BY_STATUS: Parameter = Parameter {
    name: "status",
    about: "Only those that the carrier is being told (`creating`), has taken (`created`) or has refused (`failed`).",
    kind: ParameterKind::One(&STATUS),
};
const BY_LOCATION: Parameter = Parameter {
    name: "location",
    about: "Only manifests of parcels that leave from this place; its id.",
    kind: ParameterKind::One(&LOCATION_ID),
};

/// The parameters of `GET /manifests`, and the filters among them.
const PARAMETERS: &[Parameter] = &[LIMIT, CURSOR, BY_STATUS, BY_LOCATION];
pub const FILTERS: &[Parameter] = PARAMETERS.split_at(2).1;

pub fn routes() -> Vec<HandledRoute> {
    let (read, write) = (Access::scope("manifests:read"), Access::scope("manifests:write"));
    vec![
        Route::get("/manifests", read, "list_manifests", "List manifests")
            .about("Newest first. To read manifests never makes any.")
            .parameters(PARAMETERS)
            .success(Success::List(LIST, &MANIFEST))
            .to(list_manifests),
        Route::post("/manifests", write, "create_manifests", "Close out a location's day")
            .about("Manifests all that was bought, leaves from the location and is in no manifest yet, across batches and single shipments: of the `date`, or, where none is given, of all days up to today. One manifest for each carrier account, version of the location and day. Answers 201 with new manifests, 200 with those of the day where there is nothing new, and 202 where the carrier takes longer than 5 s, or than `Prefer: wait=<seconds>` says; `Prefer: respond-async` does not wait.")
            .body(Body::Json(&MANIFEST_INPUT))
            .success(Success::Many(StatusCode::CREATED, &MANIFEST))
            .accepts()
            .repeats()
            .refusals(&[Code::LocationNotFound, Code::CarrierAccountNotFound])
            .to(create_manifests),
        Route::get("/manifests/{manifest_id}", read, "get_manifest", "Get a manifest")
            .about("The links of its documents are made with each read, and end after an hour.")
            .id(&MANIFEST_ID)
            .success(Success::Resource(&MANIFEST))
            .to(get_manifest),
        Route::post("/manifests/{manifest_id}/retry", write, "retry_manifest", "Retry a manifest")
            .about("Asks the carrier once more for a manifest that failed, with those of its shipments that are neither voided nor in another manifest. One that did not fail is left as it is.")
            .id(&MANIFEST_ID)
            .success(Success::Resource(&MANIFEST))
            .accepts()
            .refusals(&[Code::ManifestEmpty])
            .to(retry_manifest),
        Route::get(OF_BATCH, read, "list_batch_manifests", "List a batch's manifests")
            .about("All manifests that list a shipment of the batch: none before it is manifested. To read them manifests nothing.")
            .id(&BATCH_ID)
            .success(Success::Many(StatusCode::OK, &MANIFEST))
            .to(list_batch_manifests),
        Route::post(OF_BATCH, write, "create_batch_manifests", "Manifest a batch")
            .about("Hands a purchased batch over to its carriers: one manifest for each carrier account, origin and day. Asked again it gives the same manifests, with 200. Answers 202 where the carrier takes longer, as `POST /manifests` does.")
            .id(&BATCH_ID)
            .success(Success::Many(StatusCode::CREATED, &MANIFEST))
            .accepts()
            .repeats()
            .refusals(&[Code::BatchNotFinalised, Code::BatchPurchasing])
            .to(create_batch_manifests),
    ]
}

/// Reads the filters of a request.
pub fn filter(call: &Call) -> Result<(Option<Status>, Option<Id<Location>>)> {
    let status = match call.query.one("status") {
        None => None,
        Some(word) => Some(Status::parse(word).ok_or_else(|| {
            query::refuse_word("status", word, Status::ALL.iter().map(|status| status.as_str()))
        })?),
    };
    Ok((status, call.query_id("location")?))
}

async fn list_manifests(call: Call) -> Result<Response> {
    let (status, location) = filter(&call)?;
    let filters = format!("{:?} {location:?}", status.map(Status::as_str));
    let query = call.list_query("manifests", filters)?;
    let listing = call.service().manifests.list(call.caller()?, query, status, location).await?;
    respond::list(&call, LIST, listing)
}

async fn create_manifests(call: Call) -> Result<Response> {
    let input: ManifestInput = call.input()?;
    let wait = wait(&call)?;
    let reply = call.service().manifests.create(call.command()?, input, wait).await?;
    respond::reply(&call, reply)
}

async fn get_manifest(call: Call) -> Result<Response> {
    let reply = call.service().manifests.get(call.caller()?, call.id()?).await?;
    respond::reply(&call, reply)
}

async fn retry_manifest(call: Call) -> Result<Response> {
    let id = call.id()?;
    let wait = wait(&call)?;
    let reply = call.service().manifests.retry(call.command()?, id, wait).await?;
    respond::reply(&call, reply)
}

async fn list_batch_manifests(call: Call) -> Result<Response> {
    let reply = call.service().manifests.list_of_batch(call.caller()?, call.id()?).await?;
    respond::reply(&call, reply)
}

async fn create_batch_manifests(call: Call) -> Result<Response> {
    let id = call.id()?;
    let wait = wait(&call)?;
    let reply = call.service().manifests.create_of_batch(call.command()?, id, wait).await?;
    respond::reply(&call, reply)
}
