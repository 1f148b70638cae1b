//! `/me` and `/organisation`.

use model::access::me::ME;
use model::access::organisation::ORGANISATION;
use model::{Code, Result};

use crate::access::call::Call;
use crate::access::respond;
use crate::access::route::{Access, Body, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::response::Response;

const PATH: &str = "/organisation";

pub fn routes() -> Vec<HandledRoute> {
    let (read, write) = (Access::scope("organisation:read"), Access::scope("organisation:write"));
    vec![
        Route::get("/me", Access::AnyToken, "get_me", "Get the caller")
            .about("Whom the access token speaks for: the organisation, the user and the world, the scopes, when the token expires, and the names of the channels that it may join.")
            .success(Success::Answer(&ME))
            .to(get_me),
        Route::get(PATH, read, "get_organisation", "Get the organisation")
            .about("With what it has set, in the token's world.")
            .success(Success::Resource(&ORGANISATION))
            .to(get_organisation),
        Route::patch(PATH, write, "update_organisation", "Update the organisation")
            .about("Merges the body into what the organisation has set (RFC 7396), in the token's world. The name is the same in both worlds, and changes in the live one only. To make order references unique, while some orders have the same one, is refused; the problem's `errors` name ten of them.")
            .body(Body::Patch(&ORGANISATION))
            .success(Success::Resource(&ORGANISATION))
            .refusals(&[Code::ReferenceTaken, Code::LiveWorldOnly])
            .to(update_organisation),
    ]
}

async fn get_me(call: Call) -> Result<Response> {
    let reply = call.service().callers.get_me(call.caller()?).await?;
    respond::reply(&call, reply)
}

async fn get_organisation(call: Call) -> Result<Response> {
    let reply = call.service().organisation_settings.get(call.caller()?).await?;
    respond::reply(&call, reply)
}

async fn update_organisation(call: Call) -> Result<Response> {
    let reply = call.service().organisation_settings.update(call.command()?, call.json()?).await?;
    respond::reply(&call, reply)
}
