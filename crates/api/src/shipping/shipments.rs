//! `/shipments` and `/purchase_attempts`.

use std::time::Duration;

use http::HeaderName;
use model::shipping::document::DOCUMENT;
use model::shipping::purchase::{
    PURCHASE_ATTEMPT, PURCHASE_ATTEMPT_ID, PURCHASE_INPUT, PurchaseInput, RESOLUTION, Resolution, STATE,
    State,
};
use model::shipping::shipment::{SHIPMENT, SHIPMENT_ID, ShipmentInput};
use model::shipping::tracking::TRACKING;
use model::{Code, Result};
use service::Wait;

use crate::access::call::{Call, bad_header};
use crate::access::respond;
use crate::access::route::{Access, Body, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::parameter::{CURSOR, LIMIT, Parameter, ParameterKind};
use crate::platform::query;
use crate::platform::response::Response;
use crate::shipping::shipment_filters::{PARAMETERS, filter};

const LIST: &str = "data";
const PATH: &str = "/shipments/{shipment_id}";
const PREFER: HeaderName = HeaderName::from_static("prefer");
const BY_STATE: Parameter = Parameter {
    name: "state",
    about: "Only purchases that have come this far. `needs_review` finds those that wait for a person.",
    kind: ParameterKind::One(&STATE),
};

pub fn routes() -> Vec<HandledRoute> {
    [shipments(), purchases()].into_iter().flatten().collect()
}

fn shipments() -> Vec<HandledRoute> {
    let (read, write) = (Access::scope("shipments:read"), Access::scope("shipments:write"));
    vec![
        Route::get("/shipments", read, "list_shipments", "List shipments")
            .about("Newest first. A shipment is listed if it passes all filters.")
            .parameters(PARAMETERS)
            .success(Success::List(LIST, &SHIPMENT))
            .to(list_shipments),
        Route::post("/shipments", write, "create_shipment", "Create a shipment")
            .about("Where it leaves from and goes back to is given, or copied from `addresses.location_configuration_id`. Copies never change later.")
            .body(Body::Json(&SHIPMENT))
            .success(Success::Created(&SHIPMENT))
            .refusals(&[
                Code::LocationConfigurationNotFound,
                Code::InventoryItemNotFound,
                Code::PackageTypeNotFound,
            ])
            .to(create_shipment),
        Route::get(PATH, read, "get_shipment", "Get a shipment")
            .about("The links of its documents are made with each read, and end after an hour.")
            .id(&SHIPMENT_ID)
            .success(Success::Resource(&SHIPMENT))
            .to(get_shipment),
        Route::patch(PATH, write, "update_shipment", "Update a shipment")
            .about("Merges the body into the shipment (RFC 7396), until it is bought. What carriers said of it is forgotten, unless only its name changes.")
            .id(&SHIPMENT_ID)
            .body(Body::Patch(&SHIPMENT))
            .success(Success::Resource(&SHIPMENT))
            .refusals(CLOSED_OR_NO_CONFIGURATION)
            .to(update_shipment),
        Route::delete(PATH, write, "delete_shipment", "Delete a shipment")
            .about("Until it is bought. If it was made from an order, the units in it are free for another shipment.")
            .id(&SHIPMENT_ID)
            .refusals(CLOSED)
            .to(delete_shipment),
        Route::get("/shipments/{shipment_id}/documents", read, "list_shipment_documents", "List a shipment's documents")
            .about("Labels and customs papers, and the packing slips and papers that were asked for. The links are made now, and end after an hour.")
            .id(&SHIPMENT_ID)
            .success(Success::Many(http::StatusCode::OK, &DOCUMENT))
            .to(list_shipment_documents),
        Route::get("/shipments/{shipment_id}/tracking", read, "get_shipment_tracking", "Track a shipment")
            .id(&SHIPMENT_ID)
            .success(Success::Answer(&TRACKING))
            .to(get_shipment_tracking),
    ]
}

fn purchases() -> Vec<HandledRoute> {
    let (read, write, purchase) = (
        Access::scope("shipments:read"),
        Access::scope("shipments:write"),
        Access::scope("shipments:purchase"),
    );
    vec![
        Route::post("/shipments/{shipment_id}/rates", write, "rate_shipment", "Rate a shipment")
            .about("Asks all usable carrier accounts at once, each for some seconds. What they say is kept with the shipment: `rates`, and `errors` of those that gave none.")
            .id(&SHIPMENT_ID)
            .success(Success::Resource(&SHIPMENT))
            .refusals(const { &[Code::ShipmentPurchasing, Code::ShipmentPurchased, Code::ShipmentVoided, Code::ShipmentChanged, Code::BatchFinalised, Code::BatchPurchasing] })
            .to(rate_shipment),
        Route::post("/shipments/{shipment_id}/purchase", purchase, "purchase_shipment", "Purchase a shipment")
            .about("By a `rate`, or by a `carrier_account` and a `carrier_service`. Answers 200 once it is bought or refused (see `status` and `errors`), and 202 where the carrier takes longer than 5 s, or than `Prefer: wait=<seconds>` says; `Prefer: respond-async` does not wait. It is bought once, however often it is asked for.")
            .id(&SHIPMENT_ID)
            .body(Body::Json(&PURCHASE_INPUT))
            .success(Success::Resource(&SHIPMENT))
            .accepts()
            .refusals(const {
                &[
                    Code::ShipmentPurchasing,
                    Code::ShipmentPurchased,
                    Code::ShipmentVoided,
                    Code::OrderOnHold,
                    Code::OrderCancelled,
                    Code::OrderBlocked,
                    Code::RateExpired,
                    Code::RateNotFound,
                    Code::CarrierAccountNotFound,
                    Code::CarrierServiceNotFound,
                ]
            })
            .to(purchase_shipment),
        Route::post("/shipments/{shipment_id}/void", purchase, "void_shipment", "Void a shipment")
            .about("Asks the carrier to take the label back. Answers as a purchase does; where the carrier refuses, the shipment stays `purchased` and its `errors` say why.")
            .id(&SHIPMENT_ID)
            .success(Success::Resource(&SHIPMENT))
            .accepts()
            .refusals(const { &[Code::ShipmentPurchasing, Code::ShipmentNotPurchased, Code::ShipmentManifested, Code::VoidUnsupported] })
            .to(void_shipment),
        Route::post("/shipments/{shipment_id}/labels", purchase, "create_shipment_labels", "Request a shipment's label")
            .about("Has a label that is pending, could not be stored or was given up asked for at once, instead of after the next pause; nothing is bought again. Answers 200 with the shipment once its label is among its `documents`, and 202 where that takes longer than 5 s, or than `Prefer: wait=<seconds>` says; `Prefer: respond-async` does not wait. While the label is missing, `label_pending` is true or `errors` says why.")
            .id(&SHIPMENT_ID)
            .success(Success::Resource(&SHIPMENT))
            .accepts()
            .refusals(const { &[Code::ShipmentPurchasing, Code::ShipmentNotPurchased, Code::ShipmentVoided] })
            .to(create_shipment_labels),
        Route::get("/purchase_attempts", read, "list_purchase_attempts", "List purchase attempts")
            .about("Newest first. Those with `state=needs_review` wait for a person: neither we nor the carrier can tell whether they were bought.")
            .parameters(const { &[LIMIT, CURSOR, BY_STATE] })
            .success(Success::List(LIST, &PURCHASE_ATTEMPT))
            .to(list_purchase_attempts),
        Route::get(ATTEMPT, read, "get_purchase_attempt", "Get a purchase attempt")
            .id(&PURCHASE_ATTEMPT_ID)
            .success(Success::Resource(&PURCHASE_ATTEMPT))
            .to(get_purchase_attempt),
        Route::post("/purchase_attempts/{purchase_attempt_id}/resolve", purchase, "resolve_purchase_attempt", "Resolve a purchase attempt")
            .about("Says what you found in the carrier's own pages, under the attempt's `reference`: that it was bought, or not.")
            .id(&PURCHASE_ATTEMPT_ID)
            .body(Body::Json(&RESOLUTION))
            .success(Success::Resource(&PURCHASE_ATTEMPT))
            .refusals(&[Code::PurchaseNotInReview])
            .to(resolve_purchase_attempt),
    ]
}

const ATTEMPT: &str = "/purchase_attempts/{purchase_attempt_id}";
const CLOSED: &[Code] = &[
    Code::ShipmentPurchasing,
    Code::ShipmentPurchased,
    Code::ShipmentVoided,
    Code::BatchFinalised,
    Code::BatchPurchasing,
];
const CLOSED_OR_NO_CONFIGURATION: &[Code] = &[
    Code::ShipmentPurchasing,
    Code::ShipmentPurchased,
    Code::ShipmentVoided,
    Code::BatchFinalised,
    Code::BatchPurchasing,
    Code::ShipmentOfOrder,
    Code::ShipmentScanned,
    Code::LocationConfigurationNotFound,
    Code::InventoryItemNotFound,
    Code::PackageTypeNotFound,
];

async fn list_shipments(call: Call) -> Result<Response> {
    let (filter, account) = filter(&call)?;
    let query = call.list_query("shipments", format!("{filter:?} {account:?}"))?;
    let listing = call.service().shipments.list(call.caller()?, query, filter, account).await?;
    respond::list(&call, LIST, listing)
}

async fn create_shipment(call: Call) -> Result<Response> {
    let input: ShipmentInput = call.input()?;
    let reply = call.service().shipments.create(call.command()?, input).await?;
    respond::reply(&call, reply)
}

async fn get_shipment(call: Call) -> Result<Response> {
    let reply = call.service().shipments.get(call.caller()?, call.id()?).await?;
    respond::reply(&call, reply)
}

async fn update_shipment(call: Call) -> Result<Response> {
    let id = call.id()?;
    let reply = call.service().shipments.update(call.command()?, id, call.json()?).await?;
    respond::reply(&call, reply)
}

async fn delete_shipment(call: Call) -> Result<Response> {
    let id = call.id()?;
    let reply = call.service().shipments.delete(call.command()?, id).await?;
    respond::reply(&call, reply)
}

async fn list_shipment_documents(call: Call) -> Result<Response> {
    let reply = call.service().shipments.list_documents(call.caller()?, call.id()?).await?;
    respond::reply(&call, reply)
}

async fn get_shipment_tracking(call: Call) -> Result<Response> {
    let reply = call.service().purchasing.get_shipment_tracking(call.caller()?, call.id()?).await?;
    respond::reply(&call, reply)
}

async fn rate_shipment(call: Call) -> Result<Response> {
    let id = call.id()?;
    let reply = call.service().rates.rate_shipment(call.command()?, id).await?;
    respond::reply(&call, reply)
}

async fn purchase_shipment(call: Call) -> Result<Response> {
    let id = call.id()?;
    let input: PurchaseInput = call.input()?;
    let wait = wait(&call)?;
    let reply = call.service().purchasing.purchase(call.command()?, id, input, wait).await?;
    respond::reply(&call, reply)
}

async fn void_shipment(call: Call) -> Result<Response> {
    let id = call.id()?;
    let wait = wait(&call)?;
    let reply = call.service().purchasing.void_shipment(call.command()?, id, wait).await?;
    respond::reply(&call, reply)
}

async fn create_shipment_labels(call: Call) -> Result<Response> {
    let id = call.id()?;
    let wait = wait(&call)?;
    let reply = call.service().purchasing.create_shipment_labels(call.command()?, id, wait).await?;
    respond::reply(&call, reply)
}

async fn list_purchase_attempts(call: Call) -> Result<Response> {
    let state = match call.query.one("state") {
        None => None,
        Some(word) => Some(State::parse(word).ok_or_else(|| {
            query::refuse_word("state", word, State::ALL.iter().map(|state| state.as_str()))
        })?),
    };
    let query = call.list_query("purchase_attempts", format!("{:?}", state.map(State::as_str)))?;
    let listing = call.service().purchasing.list_purchase_attempts(call.caller()?, query, state).await?;
    respond::list(&call, LIST, listing)
}

async fn get_purchase_attempt(call: Call) -> Result<Response> {
    let reply = call.service().purchasing.get_purchase_attempt(call.caller()?, call.id()?).await?;
    respond::reply(&call, reply)
}

async fn resolve_purchase_attempt(call: Call) -> Result<Response> {
    let id = call.id()?;
    let resolution: Resolution = call.input()?;
    let reply = call.service().purchasing.resolve_purchase_attempt(call.command()?, id, resolution).await?;
    respond::reply(&call, reply)
}

/// Returns how long the request may wait for its result: the time that `Prefer` (RFC 7240) asks for, or else the
/// operator's setting, but never so long that the request's own time limit would end it. Other preferences are
/// ignored.
pub fn wait(call: &Call) -> Result<Wait> {
    wait_or(call, Duration::from_secs(call.service().settings().carriers.wait_seconds))
}

/// As [`wait`], with another time for a request that has no preference.
pub fn wait_or(call: &Call, default: Duration) -> Result<Wait> {
    let mut wait = default;
    for value in call.headers.get_all(PREFER) {
        let text = value.to_str().map_err(|_| bad_header("Prefer", "Must be plain text."))?;
        for preference in text.split([',', ';']).map(str::trim) {
            if preference.eq_ignore_ascii_case("respond-async") {
                wait = Duration::ZERO;
            } else if let Some(seconds) = preference.strip_prefix("wait=") {
                let seconds: u64 = seconds
                    .parse()
                    .map_err(|_| bad_header("Prefer", "`wait` must be a whole number of seconds."))?;
                wait = Duration::from_secs(seconds);
            }
        }
    }
    Ok(Wait(wait.min(call.wait_time_max())))
}
