//! `/orders/{order_id}/…`: matching lines, notes, holds and exceptions.

use model::orders::hold::{HOLD, Hold};
use model::orders::order::{ORDER, ORDER_ID};
use model::orders::order_exception::{EXCEPTION_ID, EXCEPTION_RESOLUTION, ExceptionResolution};
use model::orders::order_line::{LINE_MATCH, LineMatch};
use model::orders::order_note::{NOTE, OrderNoteInput};
use model::{Code, Result};

use crate::access::call::Call;
use crate::access::respond;
use crate::access::route::{Access, Body, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::response::Response;

pub fn routes() -> Vec<HandledRoute> {
    let write = Access::scope("orders:write");
    vec![
        Route::post("/orders/{order_id}/match", write, "match_order_line", "Match a line of an order with an item")
            .about("Gives a line whose SKU no inventory item has the item that is shipped for it. With the last such line the hold `unknown_sku` ends, and the order gets `status_when_matched`: one that was asked for as committed is committed and reserved. Creating an item with the SKU does the same.")
            .id(&ORDER_ID)
            .body(Body::Json(&LINE_MATCH))
            .success(Success::Resource(&ORDER))
            .refusals(&[
                Code::LineNotFound,
                Code::InventoryItemNotFound,
                Code::LineMatched,
                Code::OrderFulfilled,
                Code::OrderCancelled,
            ])
            .to(match_order_line),
        Route::post("/orders/{order_id}/notes", write, "create_order_note", "Add a note to an order")
            .about("The order then shows it among its `notes`. At most 100.")
            .id(&ORDER_ID)
            .body(Body::Json(&NOTE))
            .success(Success::Resource(&ORDER))
            .refusals(&[Code::TooManyNotes])
            .to(create_order_note),
        Route::post("/orders/{order_id}/hold", write, "hold_order", "Put an order on hold")
            .about("A held order is not planned: plans answer 409 `order_on_hold`. Allocations that you make yourself are allowed. A new hold takes the place of the old one. With `until`, the server ends it by itself.")
            .id(&ORDER_ID)
            .body(Body::Json(&HOLD))
            .success(Success::Resource(&ORDER))
            .refusals(&[Code::OrderFulfilled, Code::OrderCancelled])
            .to(hold_order),
        Route::post("/orders/{order_id}/release", write, "release_order", "Release an order from its hold")
            .about("Releasing an order that is not on hold changes nothing. An order with lines that match no item stays on hold.")
            .id(&ORDER_ID)
            .success(Success::Resource(&ORDER))
            .refusals(&[Code::LinesUnmatched])
            .to(release_order),
        Route::post(
            "/orders/{order_id}/exceptions/{exception_id}/resolve",
            write,
            "resolve_order_exception",
            "Resolve an exception of an order",
        )
            .about("Says that a person has dealt with it. Resolving it again changes nothing.")
            .id(&ORDER_ID)
            .id(&EXCEPTION_ID)
            .body(Body::Json(&EXCEPTION_RESOLUTION))
            .success(Success::Resource(&ORDER))
            .to(resolve_order_exception),
    ]
}

async fn match_order_line(call: Call) -> Result<Response> {
    let id = call.id()?;
    let input: LineMatch = call.input()?;
    let reply = call.service().line_matching.match_line(call.command()?, id, input).await?;
    respond::reply(&call, reply)
}

async fn create_order_note(call: Call) -> Result<Response> {
    let id = call.id()?;
    let input: OrderNoteInput = call.input()?;
    let reply = call.service().order_notes.create(call.command()?, id, input).await?;
    respond::reply(&call, reply)
}

async fn hold_order(call: Call) -> Result<Response> {
    let id = call.id()?;
    let input: Hold = call.input()?;
    let reply = call.service().holds.hold(call.command()?, id, input).await?;
    respond::reply(&call, reply)
}

async fn release_order(call: Call) -> Result<Response> {
    let id = call.id()?;
    let reply = call.service().holds.release(call.command()?, id).await?;
    respond::reply(&call, reply)
}

async fn resolve_order_exception(call: Call) -> Result<Response> {
    let (order, exception) = (call.id()?, call.id_at(1)?);
    let input: ExceptionResolution = call.input()?;
    let reply = call.service().order_exceptions.resolve(call.command()?, order, exception, input).await?;
    respond::reply(&call, reply)
}
