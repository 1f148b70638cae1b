//! `/orders` and `/reservations`.

use model::orders::order::{ORDER, ORDER_ID, OrderInput, RESERVATION};
use model::{Code, Result};

use crate::access::call::Call;
use crate::access::respond;
use crate::access::route::{Access, Body, Route, Success};
use crate::access::table::HandledRoute;
use crate::orders::order_filters::{PARAMETERS, filter};
use crate::platform::parameter::{CURSOR, LIMIT, Parameter, ParameterKind};
use crate::platform::response::Response;

const PATH: &str = "/orders/{order_id}";
const LIST: &str = "data";

/// The filter by orders, for lists of resources that belong to orders.
pub const BY_ORDER: Parameter = Parameter {
    name: "order_id",
    about: "Only what belongs to these orders: up to 100 ids, repeated or separated by commas.",
    kind: ParameterKind::List(&ORDER_ID),
};

pub fn routes() -> Vec<HandledRoute> {
    let (read, write) = (Access::scope("orders:read"), Access::scope("orders:write"));
    vec![
        Route::get("/orders", read, "list_orders", "List orders")
            .about("Newest first. An order is listed if it passes all filters.")
            .parameters(PARAMETERS)
            .success(Success::List(LIST, &ORDER))
            .to(list_orders),
        Route::post("/orders", write, "create_order", "Create an order")
            .about("`committed` unless it says `draft`. A committed order has its reservation at once. Say what is ordered by `items`, or by `lines`, from which `items` follow. If no item has the SKU of a line, the order is a draft on hold until the line is matched.")
            .body(Body::Json(&ORDER))
            .success(Success::Created(&ORDER))
            .refusals(&[
                Code::InventoryItemNotFound,
                Code::ItemsContradictLines,
                Code::StatusNotWritable,
                Code::ReferenceTaken,
            ])
            .to(create_order),
        Route::get(PATH, read, "get_order", "Get an order").id(&ORDER_ID).success(Success::Resource(&ORDER)).to(get_order),
        Route::patch(PATH, write, "update_order", "Update an order")
            .about("Merges the body into the order (RFC 7396). The items and lines of an open order may change, but not below what is allocated. `lines` are replaced as a whole: an entry with an `id` keeps its line. If there are lines, change them and leave `items` out.")
            .id(&ORDER_ID)
            .body(Body::Patch(&ORDER))
            .success(Success::Resource(&ORDER))
            .refusals(&[
                Code::InventoryItemNotFound,
                Code::SkuNotFound,
                Code::ItemsContradictLines,
                Code::StatusNotWritable,
                Code::OrderItemsAllocated,
                Code::OrderFulfilled,
                Code::OrderCancelled,
                Code::OrderHasShipments,
                Code::BatchFinalised,
                Code::BatchPurchasing,
                Code::ReferenceTaken,
            ])
            .to(update_order),
        Route::delete(PATH, write, "delete_order", "Delete an order")
            .about("Its reservation, its allocations and its shipments that are not bought go with it. Where some of it is completed or bought, it stays.")
            .id(&ORDER_ID)
            .refusals(&[Code::OrderPartlyFulfilled, Code::OrderHasShipments, Code::BatchFinalised, Code::BatchPurchasing])
            .to(delete_order),
        Route::post("/orders/{order_id}/commit", write, "commit_order", "Commit an order")
            .about("A draft becomes committed and gets its reservation. Committing again changes nothing.")
            .id(&ORDER_ID)
            .success(Success::Resource(&ORDER))
            .refusals(&[Code::OrderCancelled, Code::LinesUnmatched])
            .to(commit_order),
        Route::post("/orders/{order_id}/cancel", write, "cancel_order", "Cancel an order")
            .about("Its reservation and allocations go. Where some of it is completed, it stays.")
            .id(&ORDER_ID)
            .success(Success::Resource(&ORDER))
            .refusals(&[Code::OrderPartlyFulfilled, Code::OrderHasShipments, Code::BatchFinalised, Code::BatchPurchasing])
            .to(cancel_order),
        Route::get("/reservations", Access::scope("reservations:read"), "list_reservations", "List reservations")
            .about("Newest first. A reservation appears when its order is committed and goes with it.")
            .parameters(const { &[LIMIT, CURSOR, BY_ORDER] })
            .success(Success::List(LIST, &RESERVATION))
            .to(list_reservations),
    ]
}

async fn list_orders(call: Call) -> Result<Response> {
    let filter = filter(&call)?;
    let query = call.list_query("orders", format!("{filter:?}"))?;
    let listing = call.service().orders.list(call.caller()?, query, filter).await?;
    respond::list(&call, LIST, listing)
}

async fn create_order(call: Call) -> Result<Response> {
    let input: OrderInput = call.input()?;
    let reply = call.service().orders.create(call.command()?, input).await?;
    respond::reply(&call, reply)
}

async fn get_order(call: Call) -> Result<Response> {
    let reply = call.service().orders.get(call.caller()?, call.id()?).await?;
    respond::reply(&call, reply)
}

async fn update_order(call: Call) -> Result<Response> {
    let id = call.id()?;
    let reply = call.service().order_changes.update(call.command()?, id, call.json()?).await?;
    respond::reply(&call, reply)
}

async fn delete_order(call: Call) -> Result<Response> {
    let id = call.id()?;
    let reply = call.service().order_changes.delete(call.command()?, id).await?;
    respond::reply(&call, reply)
}

async fn commit_order(call: Call) -> Result<Response> {
    let id = call.id()?;
    let reply = call.service().orders.commit(call.command()?, id).await?;
    respond::reply(&call, reply)
}

async fn cancel_order(call: Call) -> Result<Response> {
    let id = call.id()?;
    let reply = call.service().order_changes.cancel(call.command()?, id).await?;
    respond::reply(&call, reply)
}

async fn list_reservations(call: Call) -> Result<Response> {
    let orders = call.query_ids("order_id")?;
    let query = call.list_query("reservations", format!("{orders:?}"))?;
    let listing = call.service().orders.list_reservations(call.caller()?, query, orders).await?;
    respond::list(&call, LIST, listing)
}
