//! `/sample_data`.

use std::time::Duration;

use model::exchange::sample_data::SAMPLE_DATA;
use model::{Code, Result};

use crate::access::call::Call;
use crate::access::respond;
use crate::access::route::{Access, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::response::Response;
use crate::shipping::shipments::wait_or;

/// How long a request works on the shop unless it has a preference.
const WAIT: Duration = Duration::from_secs(2);

pub fn routes() -> Vec<HandledRoute> {
    vec![
        Route::post("/sample_data", Access::scope("organisation:write"), "create_sample_data", "Make sample data")
            .about("Fills the test world with a small shop, so that there is something to look at: locations, items with stock, package types, shipping rules, 120 orders of the last days, and waves that ship some of them with the sandbox carrier. Everything in it is invented. Answers 202 if that takes longer than 2 s, or than `Prefer: wait=<seconds>` says, or while the sandbox carrier is still selling labels: send the request again to go on. What was made once is not made again, even if you deleted it. The token also needs `locations:write`, `location_configurations:write`, `package_types:write`, `shipping_rules:write`, `inventory:write`, `orders:write`, `allocations:write`, `shipments:write`, `waves:write`, `batches:write`, `batches:purchase` and `manifests:write`, because all of it is made as by requests of yours.")
            .success(Success::Answer(&SAMPLE_DATA))
            .accepts()
            .refusals(&[Code::TestWorldOnly])
            .to(create_sample_data),
    ]
}

async fn create_sample_data(call: Call) -> Result<Response> {
    let wait = wait_or(&call, WAIT)?;
    let reply = call.service().sample_data.create(*call.caller()?, wait).await?;
    respond::answer(reply)
}
