//! `/allocations`.

use http::StatusCode;
use model::orders::allocation::{
    ALLOCATION, ALLOCATION_CHANGES, ALLOCATIONS_INPUT, AllocationChanges, AllocationsInput,
};
use model::orders::order::ORDER_ID;
use model::places::location::LOCATION_ID;
use model::{Code, Result};
use service::AllocationFilter;

use crate::access::call::Call;
use crate::access::respond;
use crate::access::route::{Access, Body, Route, Success};
use crate::access::table::HandledRoute;
use crate::orders::orders::BY_ORDER;
use crate::platform::parameter::{CURSOR, LIMIT, Parameter, ParameterKind};
use crate::platform::response::Response;

const OF_ORDER: &str = "/allocations/orders/{order_id}";
const LIST: &str = "data";
const BY_LOCATION: Parameter = Parameter {
    name: "location_id",
    about: "Only allocations that this place is to send; its id.",
    kind: ParameterKind::One(&LOCATION_ID),
};
const APPLY: Parameter = Parameter {
    name: "apply",
    about: "`true` makes the allocations of the best proposal, all or none. If the stock moved meanwhile: 409 `stock_moved`.",
    kind: ParameterKind::Flag,
};

pub fn routes() -> Vec<HandledRoute> {
    let (read, write) = (Access::scope("allocations:read"), Access::scope("allocations:write"));
    vec![
        Route::get("/allocations", read, "list_allocations", "List allocations")
            .about("Newest first.")
            .parameters(const { &[LIMIT, CURSOR, BY_LOCATION, BY_ORDER] })
            .success(Success::List(LIST, &ALLOCATION))
            .to(list_allocations),
        Route::get(OF_ORDER, read, "list_order_allocations", "List the allocations of an order")
            .about("Oldest first, all of them. The `ETag` is that of the whole list: PATCH and DELETE of the same path take it in `If-Match`.")
            .id(&ORDER_ID)
            .tagged()
            .success(Success::Many(StatusCode::OK, &ALLOCATION))
            .to(list_order_allocations),
        Route::post(OF_ORDER, write, "create_order_allocations", "Allocate items of an order")
            .about("All or nothing. An entry with several items becomes one allocation each. An allocation may exceed the stock on hand, which is a backorder; it may not exceed the reservation.")
            .id(&ORDER_ID)
            .body(Body::Json(&ALLOCATIONS_INPUT))
            .success(Success::Many(StatusCode::CREATED, &ALLOCATION))
            .refusals(&[
                Code::ExceedsReservation,
                Code::OrderNotCommitted,
                Code::OrderCancelled,
                Code::LocationNotFound,
                Code::ItemNotInOrder,
            ])
            .to(create_order_allocations),
        Route::patch(OF_ORDER, write, "update_order_allocations", "Change or complete allocations of an order")
            .about("All or nothing. `completed: true` (or `completed_at`) completes an allocation and takes its stock; a completed one can't change.")
            .id(&ORDER_ID)
            .body(Body::Json(&ALLOCATION_CHANGES))
            .success(Success::Many(StatusCode::OK, &ALLOCATION))
            .refusals(&[
                Code::ExceedsReservation,
                Code::InsufficientStock,
                Code::AllocationCompleted,
                Code::AllocationInShipment,
                Code::AllocationNotFound,
                Code::DuplicateAllocation,
                Code::ItemNotInAllocation,
                Code::LocationNotFound,
            ])
            .to(update_order_allocations),
        Route::delete(OF_ORDER, write, "delete_order_allocations", "Take all allocations of an order back")
            .about("The reservation's allocated quantities become zero, and stock that completed allocations had taken goes back on hand. Shipments of the order that are not bought are deleted. Those that are bought no longer belong to it, and it gets the blocking exception `shipped_unallocated`.")
            .id(&ORDER_ID)
            .refusals(&[Code::BatchFinalised, Code::BatchPurchasing])
            .to(delete_order_allocations),
        Route::post("/allocations/orders/{order_id}/plan", write, "plan_order_allocations", "Plan the allocation of an order")
            .about("Proposes where to send the rest of the order from, best first: fewest locations, then the distance to the destination, then the balance of stock; with its reasons and what it rejected. Nothing is changed, unless `apply=true` makes the best proposal's allocations.")
            .id(&ORDER_ID)
            .parameters(const { &[APPLY] })
            .success(Success::Other("application/json"))
            .refusals(&[
                Code::OrderNotCommitted,
                Code::OrderCancelled,
                Code::OrderOnHold,
                Code::StockMoved,
                Code::NothingToAllocate,
            ])
            .to(plan_order_allocations),
    ]
}

async fn list_allocations(call: Call) -> Result<Response> {
    let filter =
        AllocationFilter { location: call.query_id("location_id")?, orders: call.query_ids("order_id")? };
    let query = call.list_query("allocations", format!("{:?} {:?}", filter.location, filter.orders))?;
    let listing = call.service().allocations.list(call.caller()?, query, filter).await?;
    respond::list(&call, LIST, listing)
}

async fn list_order_allocations(call: Call) -> Result<Response> {
    let reply = call.service().allocations.list_of_order(call.caller()?, call.id()?).await?;
    respond::reply(&call, reply)
}

async fn create_order_allocations(call: Call) -> Result<Response> {
    let order = call.id()?;
    let input: AllocationsInput = call.input()?;
    let reply = call.service().allocations.create(call.command()?, order, input).await?;
    respond::reply(&call, reply)
}

async fn update_order_allocations(call: Call) -> Result<Response> {
    let order = call.id()?;
    let input: AllocationChanges = call.input()?;
    let reply = call.service().allocations.update(call.command()?, order, input).await?;
    respond::reply(&call, reply)
}

async fn delete_order_allocations(call: Call) -> Result<Response> {
    let order = call.id()?;
    let reply = call.service().order_changes.delete_allocations(call.command()?, order).await?;
    respond::reply(&call, reply)
}

async fn plan_order_allocations(call: Call) -> Result<Response> {
    let order = call.id()?;
    let apply = call.query.flag(APPLY.name)?;
    let reply = call.service().plans.create(call.command()?, order, apply).await?;
    respond::reply(&call, reply)
}
