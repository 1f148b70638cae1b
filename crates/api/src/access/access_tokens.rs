//! `/access_tokens`.

use model::access::access_token::{
    ACCESS_TOKEN, ACCESS_TOKEN_CREATED, ACCESS_TOKEN_INPUT, AccessTokenInput, ID,
};
use model::{Code, Result};

use crate::access::call::Call;
use crate::access::respond;
use crate::access::route::{Access, Body, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::parameter::PAGE;
use crate::platform::response::Response;

const LIST: &str = "data";
const PATH: &str = "/access_tokens/{access_token_id}";

pub fn routes() -> Vec<HandledRoute> {
    let (read, write) = (Access::scope("access_tokens:read"), Access::scope("access_tokens:write"));
    vec![
        Route::get("/access_tokens", read, "list_access_tokens", "List access tokens")
            .about("Newest first; those of the caller's own world, without their secrets.")
            .parameters(PAGE)
            .success(Success::List(LIST, &ACCESS_TOKEN))
            .to(list_access_tokens),
        Route::post("/access_tokens", write, "create_access_token", "Create an access token")
            .about("The secret is in this answer, and never shown again. A token can't hand out scopes that it lacks.")
            .body(Body::Json(&ACCESS_TOKEN_INPUT))
            .success(Success::Created(&ACCESS_TOKEN_CREATED))
            .refusals(&[Code::ScopeNotHeld, Code::UserNotFound])
            .to(create_access_token),
        Route::get(PATH, read, "get_access_token", "Get an access token")
            .id(&ID)
            .success(Success::Resource(&ACCESS_TOKEN))
            .to(get_access_token),
    ]
}

async fn list_access_tokens(call: Call) -> Result<Response> {
    let query = call.list_query("access_tokens", String::new())?;
    let listing = call.service().access_tokens.list(call.caller()?, query).await?;
    respond::list(&call, LIST, listing)
}

async fn create_access_token(call: Call) -> Result<Response> {
    let input: AccessTokenInput = call.input()?;
    let reply = call.service().access_tokens.create(call.command()?, input).await?;
    respond::reply(&call, reply)
}

async fn get_access_token(call: Call) -> Result<Response> {
    let reply = call.service().access_tokens.get(call.caller()?, call.id()?).await?;
    respond::reply(&call, reply)
}
