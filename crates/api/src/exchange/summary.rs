//! `/summary`.

use model::Result;
use model::exchange::summary::SUMMARY;

use crate::access::call::Call;
use crate::access::respond;
use crate::access::route::{Access, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::response::Response;

pub fn routes() -> Vec<HandledRoute> {
    vec![
        Route::get("/summary", Access::AnyToken, "get_summary", "Get what needs attention")
            .about("Counts late, held and troubled orders, purchases to review, failing webhook endpoints and low items, and the shipments bought on each of the last 14 days, all at one moment. Each count needs the scope to read what it counts, such as `orders:read`, and is null without it.")
            .success(Success::Resource(&SUMMARY))
            .to(get_summary),
    ]
}

async fn get_summary(call: Call) -> Result<Response> {
    let reply = call.service().summaries.get(call.caller()?).await?;
    respond::reply(&call, reply)
}
