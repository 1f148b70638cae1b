//! `/roles`.

use model::access::role::{ROLE, ROLE_ID, RoleInput};
use model::{Code, Result};

use crate::access::call::Call;
use crate::access::respond;
use crate::access::route::{Access, Body, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::parameter::PAGE;
use crate::platform::response::Response;

const LIST: &str = "data";
const PATH: &str = "/roles/{role_id}";

pub fn routes() -> Vec<HandledRoute> {
    let (read, write) = (Access::scope("users:read"), Access::scope("users:write"));
    vec![
        Route::get("/roles", read, "list_roles", "List roles")
            .about("Newest first, and the four that are built in last.")
            .parameters(PAGE)
            .success(Success::List(LIST, &ROLE))
            .refusals(&[Code::LiveWorldOnly])
            .live_only()
            .to(list_roles),
        Route::post("/roles", write, "create_role", "Create a role")
            .about("You can give a role only scopes that you have yourself.")
            .body(Body::Json(&ROLE))
            .success(Success::Created(&ROLE))
            .refusals(&[Code::LiveWorldOnly, Code::RoleNameTaken, Code::ScopeNotHeld, Code::TooManyRoles])
            .live_only()
            .to(create_role),
        Route::get(PATH, read, "get_role", "Get a role")
            .id(&ROLE_ID)
            .success(Success::Resource(&ROLE))
            .refusals(&[Code::LiveWorldOnly])
            .live_only()
            .to(get_role),
        Route::patch(PATH, write, "update_role", "Update a role")
            .about("Merges the body into the role (RFC 7396). What its users may do changes with their next request.")
            .id(&ROLE_ID)
            .body(Body::Patch(&ROLE))
            .success(Success::Resource(&ROLE))
            .refusals(&[Code::LiveWorldOnly, Code::RoleBuiltIn, Code::RoleNameTaken, Code::ScopeNotHeld])
            .live_only()
            .to(update_role),
        Route::delete(PATH, write, "delete_role", "Delete a role")
            .about("Only a role that no user has.")
            .id(&ROLE_ID)
            .refusals(&[Code::LiveWorldOnly, Code::RoleBuiltIn, Code::RoleInUse])
            .live_only()
            .to(delete_role),
    ]
}

async fn list_roles(call: Call) -> Result<Response> {
    let query = call.list_query("roles", String::new())?;
    let listing = call.service().roles.list(call.caller()?, query).await?;
    respond::list(&call, LIST, listing)
}

async fn create_role(call: Call) -> Result<Response> {
    let input: RoleInput = call.input()?;
    let reply = call.service().roles.create(call.command()?, input).await?;
    respond::reply(&call, reply)
}

async fn get_role(call: Call) -> Result<Response> {
    let reply = call.service().roles.get(call.caller()?, call.id()?).await?;
    respond::reply(&call, reply)
}

async fn update_role(call: Call) -> Result<Response> {
    let reply = call.service().roles.update(call.command()?, call.id()?, call.json()?).await?;
    respond::reply(&call, reply)
}

async fn delete_role(call: Call) -> Result<Response> {
    let reply = call.service().roles.delete(call.command()?, call.id()?).await?;
    respond::reply(&call, reply)
}
