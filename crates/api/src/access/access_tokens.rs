//! `/access_tokens`.

use model::access::access_token::{
    ACCESS_TOKEN, ACCESS_TOKEN_CREATED, ACCESS_TOKEN_INPUT, AccessTokenInput, ID,
};
use model::{Code, Result};
use service::events::revocations::Children;

use crate::platform::call::Call;
use crate::platform::respond::{self, Response};
use crate::platform::route::{Body, PAGE, Parameter, ParameterKind, Route, Success};

const LIST: &str = "data";
const PATH: &str = "/access_tokens/{access_token_id}";

const KEEP_CHILDREN: Parameter = Parameter {
    name: "keep_children",
    about: "`true` keeps the tokens that this one made. They then belong to the token that made this one: revoking that one revokes them. Tokens traded for this one at `/oauth/token` go with it in any case.",
    kind: ParameterKind::Flag,
};
const REVOKE_ABOUT: &str = "At once on this node, within two seconds on others. With it go the tokens that it made, and those that they made; `Dockside-Revoked` names all of them. You can revoke tokens with no more scopes than yours, your own included; another one is refused with 403.";

pub fn routes() -> Vec<Route> {
    let (read, write) = ("access_tokens:read", "access_tokens:write");
    vec![
        Route::get("/access_tokens", read, "List access tokens", list_access_tokens)
            .about("Newest first; those of the caller's own world, without their secrets.")
            .parameters(PAGE)
            .success(Success::List(LIST, &ACCESS_TOKEN)),
        Route::post("/access_tokens", write, "Create an access token", create_access_token)
            .about("The secret is in this answer, and never shown again. A token can't hand out scopes that it lacks.")
            .body(Body::Json(&ACCESS_TOKEN_INPUT))
            .success(Success::Created(&ACCESS_TOKEN_CREATED))
            .refusals(&[Code::ScopeNotHeld, Code::UserNotFound]),
        Route::get(PATH, read, "Get an access token", get_access_token)
            .id(&ID)
            .success(Success::Resource(&ACCESS_TOKEN)),
        Route::delete(PATH, write, "Revoke an access token", delete_access_token)
            .about(REVOKE_ABOUT)
            .id(&ID)
            .parameters(const { &[KEEP_CHILDREN] })
            .success(Success::Revoked),
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

async fn delete_access_token(call: Call) -> Result<Response> {
    let id = call.id()?;
    let children = if call.query.flag(KEEP_CHILDREN.name)? { Children::Keep } else { Children::Revoke };
    let reply = call.service().revocations.revoke(call.command()?, id, children).await?;
    respond::reply(&call, reply)
}
