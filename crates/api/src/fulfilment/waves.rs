//! `/waves`: many orders become shipments and batches.

use http::StatusCode;
use model::fulfilment::warehouse_paper::{PICK_LISTS_INPUT, PickListsInput};
use model::fulfilment::wave::{
    OrderResult, RESULT, RESULT_WORDS, STATUS, STATUS_WORDS, Status, WAVE, WAVE_ID, WAVE_ORDER, WaveInput,
};
use model::shipping::document::DOCUMENT;
use model::{Code, Result};

use crate::access::call::Call;
use crate::access::respond;
use crate::access::route::{Access, Body, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::parameter::{CURSOR, LIMIT, Parameter, ParameterKind};
use crate::platform::query;
use crate::platform::response::Response;

const LIST: &str = "data";
const COLLECTION: &str = "/waves";
const ONE: &str = "/waves/{wave_id}";
const BY_STATUS: Parameter = Parameter {
    name: "status",
    about: "Only waves that stand here, such as `running`.",
    kind: ParameterKind::One(&STATUS),
};
const BY_RESULT: Parameter = Parameter {
    name: "result",
    about: "Only orders of which this came: `exception` lists what needs a person.",
    kind: ParameterKind::One(&RESULT),
};

pub fn routes() -> Vec<HandledRoute> {
    let (read, write) = (Access::scope("waves:read"), Access::scope("waves:write"));
    vec![
        Route::get(COLLECTION, read, "list_waves", "List waves")
            .about("Newest first. Waves that ended are deleted after a year, or what the operator set in `leftover_days`; what they made stays.")
            .parameters(const { &[LIMIT, CURSOR, BY_STATUS] })
            .success(Success::List(LIST, &WAVE))
            .to(list_waves),
        Route::post(COLLECTION, write, "create_wave", "Start a wave")
            .about("Processes many orders in the background: plans, packs, makes shipments, puts them into batches and, if you want, buys these. Orders are processed by `ship_by`, then by `placed_at`. Each step of an order is done once, whatever crashes. An order that can't be processed becomes an exception of the wave with its reason, and the others go on. The orders and the shipping rules are taken as they are now. The token also needs `orders:read` and what the steps need: `allocations:write` for `plan`, `shipments:write` for `ship` and `rate`, `batches:write` for `batch`, `batches:purchase` for `purchase`.")
            .body(Body::Json(&WAVE))
            .success(Success::Created(&WAVE))
            .refusals(&[Code::WaveEmpty, Code::WaveTooLarge, Code::OrderNotFound, Code::LocationNotFound])
            .to(create_wave),
        Route::get(ONE, read, "get_wave", "Get a wave")
            .about("Shows how far it is. Events tell of its progress at most four times a second.")
            .id(&WAVE_ID)
            .success(Success::Resource(&WAVE))
            .to(get_wave),
        Route::get("/waves/{wave_id}/orders", read, "list_wave_orders", "List a wave's orders")
            .about("In the order of their turns, with what came of each.")
            .id(&WAVE_ID)
            .parameters(const { &[LIMIT, CURSOR, BY_RESULT] })
            .success(Success::List(LIST, &WAVE_ORDER))
            .to(list_wave_orders),
        Route::post("/waves/{wave_id}/cancel", write, "cancel_wave", "Cancel a wave")
            .about("Orders that wait are not processed. What exists stays: allocations, shipments and batches. A purchase that has begun goes on. Repeating it changes nothing.")
            .id(&WAVE_ID)
            .success(Success::Resource(&WAVE))
            .refusals(&[Code::WaveCompleted])
            .to(cancel_wave),
        Route::post("/waves/{wave_id}/retry", write, "retry_wave", "Process a wave's exceptions again")
            .about("Once the wave is completed and you have repaired what kept orders from being processed. Only exceptions are processed, from the step that failed, by the shipping rules as they are now. The token needs the same scopes as for starting the wave.")
            .id(&WAVE_ID)
            .success(Success::Resource(&WAVE))
            .refusals(&[Code::WaveRunning, Code::WaveCancelled, Code::NothingToRetry])
            .to(retry_wave),
        Route::post("/waves/{wave_id}/pick_lists", write, "create_wave_pick_lists", "Create a wave's pick lists")
            .about("What to collect for the orders of the wave that are done: one PDF for each location that their shipments leave from, sorted by bin, as for a batch. A wave of more than 500 orders has parts of 500: ask for them one by one with `part`.")
            .id(&WAVE_ID)
            .body(Body::Optional(&PICK_LISTS_INPUT))
            .success(Success::Many(StatusCode::CREATED, &DOCUMENT))
            .refusals(const { &[Code::NothingToPick, Code::LocationNotFound, Code::WavePartRequired, Code::WavePartNotFound, Code::FilesUnavailable] })
            .to(create_wave_pick_lists),
    ]
}

async fn list_waves(call: Call) -> Result<Response> {
    let status = match call.query.one("status") {
        None => None,
        Some(word) => {
            let known = Status::parse(word);
            Some(known.ok_or_else(|| query::refuse_word("status", word, STATUS_WORDS.iter().copied()))?)
        }
    };
    let query = call.list_query("waves", format!("{status:?}"))?;
    let listing = call.service().waves.list(call.caller()?, query, status).await?;
    respond::list(&call, LIST, listing)
}

async fn create_wave(call: Call) -> Result<Response> {
    let input: WaveInput = call.input()?;
    let reply = call.service().waves.create(call.command()?, input).await?;
    respond::reply(&call, reply)
}

async fn get_wave(call: Call) -> Result<Response> {
    let reply = call.service().waves.get(call.caller()?, call.id()?).await?;
    respond::reply(&call, reply)
}

async fn list_wave_orders(call: Call) -> Result<Response> {
    let id = call.id()?;
    let result = match call.query.one("result") {
        None => None,
        Some(word) => {
            let known = OrderResult::parse(word);
            Some(known.ok_or_else(|| query::refuse_word("result", word, RESULT_WORDS.iter().copied()))?)
        }
    };
    let query = call.list_query("wave_orders", format!("{id} {result:?}"))?;
    let listing = call.service().waves.list_orders(call.caller()?, query, id, result).await?;
    respond::list(&call, LIST, listing)
}

async fn cancel_wave(call: Call) -> Result<Response> {
    let id = call.id()?;
    let reply = call.service().waves.cancel(call.command()?, id).await?;
    respond::reply(&call, reply)
}

async fn retry_wave(call: Call) -> Result<Response> {
    let id = call.id()?;
    let reply = call.service().waves.retry(call.command()?, id).await?;
    respond::reply(&call, reply)
}

async fn create_wave_pick_lists(call: Call) -> Result<Response> {
    let id = call.id()?;
    let input: PickListsInput = call.optional_input()?;
    let reply = call.service().papers.create_wave_pick_lists(call.command()?, id, input).await?;
    respond::reply(&call, reply)
}
