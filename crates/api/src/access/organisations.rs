//! `/me` and `/organisation`.

use model::access::me::ME;
use model::access::organisation::ORGANISATION;
use model::{Code, Result};

use crate::platform::call::Call;
use crate::platform::respond::{self, Response};
use crate::platform::route::{Body, Route, Success};

const PATH: &str = "/organisation";

pub fn routes() -> Vec<Route> {
    let (read, write) = ("organisation:read", "organisation:write");
    vec![
        Route::get("/me", "", "Get the caller", get_me)
            .about("Whom the access token speaks for: the organisation, the user and the world, the scopes, when the token expires, and the names of the channels that it may join.")
            .any_token()
            .success(Success::Answer(&ME)),
        Route::get(PATH, read, "Get the organisation", get_organisation)
            .about("With what it has set, in the token's world.")
            .success(Success::Resource(&ORGANISATION)),
        Route::patch(PATH, write, "Update the organisation", update_organisation)
            .about("Merges the body into what the organisation has set (RFC 7396), in the token's world. To make order references unique, while some orders have the same one, is refused; the problem's `errors` name ten of them.")
            .body(Body::Patch(&ORGANISATION))
            .success(Success::Resource(&ORGANISATION))
            .refusals(&[Code::ReferenceTaken]),
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
