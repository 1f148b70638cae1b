//! `/allocations/orders/{order_id}/pack`.

use model::fulfilment::packing_shapes::{ORDER_PACKING, PACKING_INPUT};
use model::fulfilment::packing_view::PackingInput;
use model::orders::order::ORDER_ID;
use model::{Code, Result};

use crate::access::call::Call;
use crate::access::respond;
use crate::access::route::{Access, Body, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::response::Response;

const PACK: &str = "/allocations/orders/{order_id}/pack";

pub fn routes() -> Vec<HandledRoute> {
    vec![
        Route::post(PACK, Access::scope("allocations:read"), "pack_order_allocations", "Propose packages for an order")
            .about("Proposes packages for the open allocations of the order, for each location: which units go into which package and where each one lies, with its reasons. Only package types that are active and available at the location are used. Nothing is changed. The token also needs the scope `package_types:read`.")
            .id(&ORDER_ID)
            .body(Body::Optional(&PACKING_INPUT))
            .success(Success::Answer(&ORDER_PACKING))
            .refusals(&[
                Code::NothingToPack,
                Code::OrderCancelled,
                Code::OrderOnHold,
                Code::AllocationCompleted,
                Code::AllocationNotFound,
                Code::DuplicateAllocation,
                Code::ItemMassMissing,
                Code::PackageTypeMissing,
                Code::TooManyUnits,
            ])
            .to(pack_order_allocations),
    ]
}

async fn pack_order_allocations(call: Call) -> Result<Response> {
    let order = call.id()?;
    let input: PackingInput = call.optional_input()?;
    let reply = call.service().packings.create(call.command()?, order, input).await?;
    respond::reply(&call, reply)
}
