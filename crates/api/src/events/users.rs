//! `/users`.

use model::access::user::{LINK, USER, USER_CREATED, USER_ID, UserInput};
use model::{Code, Result};
use service::UserChange;

use crate::access::call::Call;
use crate::access::respond;
use crate::access::route::{Access, Body, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::parameter::PAGE;
use crate::platform::response::Response;

const LIST: &str = "data";
const PATH: &str = "/users/{user_id}";

pub fn routes() -> Vec<HandledRoute> {
    let (read, write) = (Access::scope("users:read"), Access::scope("users:write"));
    vec![
        Route::get("/users", read, "list_users", "List users")
            .about("Newest first. Users are the same in both worlds.")
            .parameters(PAGE)
            .success(Success::List(LIST, &USER))
            .refusals(&[Code::LiveWorldOnly])
            .live_only()
            .to(list_users),
        Route::post("/users", write, "create_user", "Invite a user")
            .about("The answer has a link with which the person signs in for the first time and sets a password. Pass it on: it works once, within 15 minutes. If the server sends e-mail, the person also gets it so, and it works for 24 hours. You can give only roles whose scopes you have.")
            .body(Body::Json(&USER))
            .success(Success::Created(&USER_CREATED))
            .refusals(&[
                Code::LiveWorldOnly,
                Code::EmailAddressTaken,
                Code::RoleNotFound,
                Code::ScopeNotHeld,
                Code::TooManyUsers,
            ])
            .live_only()
            .to(create_user),
        Route::get(PATH, read, "get_user", "Get a user")
            .id(&USER_ID)
            .success(Success::Resource(&USER))
            .refusals(&[Code::LiveWorldOnly])
            .live_only()
            .to(get_user),
        Route::patch(PATH, write, "update_user", "Update a user")
            .about("Merges the body into the user (RFC 7396). Roles count from the next request on. You can change only users that have no more scopes than you.")
            .id(&USER_ID)
            .body(Body::Patch(&USER))
            .success(Success::Resource(&USER))
            .refusals(&[
                Code::LiveWorldOnly,
                Code::EmailAddressTaken,
                Code::RoleNotFound,
                Code::ScopeNotHeld,
                Code::LastAdmin,
            ])
            .live_only()
            .to(update_user),
        Route::delete(PATH, write, "delete_user", "Delete a user")
            .about("Sessions and access tokens of the user end at once. Events that name the user stay.")
            .id(&USER_ID)
            .refusals(&[Code::LiveWorldOnly, Code::LastAdmin])
            .live_only()
            .to(delete_user),
        Route::post("/users/{user_id}/link", write, "create_user_link", "Make a sign-in link for a user")
            .about("For a person who has forgotten the password. It works once, within 15 minutes, and older links work no more. If the server sends e-mail, the person also gets it so; if the user has no password yet, it works for 24 hours.")
            .id(&USER_ID)
            .success(Success::Created(&LINK))
            .refusals(&[Code::LiveWorldOnly, Code::UserDisabled])
            .live_only()
            .to(create_user_link),
        Route::post("/users/{user_id}/disable", write, "disable_user", "Disable a user")
            .about("Sessions, links and access tokens of the user work no more, from now on and until the user is enabled again.")
            .id(&USER_ID)
            .success(Success::Resource(&USER))
            .refusals(&[Code::LiveWorldOnly, Code::LastAdmin])
            .live_only()
            .to(disable_user),
        Route::post("/users/{user_id}/enable", write, "enable_user", "Enable a user")
            .about("Access tokens of the user work again. Sessions that ended do not come back.")
            .id(&USER_ID)
            .success(Success::Resource(&USER))
            .refusals(&[Code::LiveWorldOnly])
            .live_only()
            .to(enable_user),
        Route::post("/users/{user_id}/sign_out", write, "sign_out_user", "Sign a user out everywhere")
            .about("Ends all sessions of the user. Access tokens go on.")
            .id(&USER_ID)
            .success(Success::Resource(&USER))
            .refusals(&[Code::LiveWorldOnly])
            .live_only()
            .to(sign_out_user),
    ]
}

async fn list_users(call: Call) -> Result<Response> {
    let query = call.list_query("users", String::new())?;
    let listing = call.service().users.list(call.caller()?, query).await?;
    respond::list(&call, LIST, listing)
}

async fn create_user(call: Call) -> Result<Response> {
    let input: UserInput = call.input()?;
    let reply = call.service().users.create(call.command()?, input).await?;
    respond::reply(&call, reply)
}

async fn get_user(call: Call) -> Result<Response> {
    let reply = call.service().users.get(call.caller()?, call.id()?).await?;
    respond::reply(&call, reply)
}

async fn update_user(call: Call) -> Result<Response> {
    let reply = call.service().users.update(call.command()?, call.id()?, call.json()?).await?;
    respond::reply(&call, reply)
}

async fn delete_user(call: Call) -> Result<Response> {
    let reply = call.service().users.delete(call.command()?, call.id()?).await?;
    respond::reply(&call, reply)
}

async fn create_user_link(call: Call) -> Result<Response> {
    let reply = call.service().users.create_link(call.command()?, call.id()?).await?;
    respond::reply(&call, reply)
}

async fn disable_user(call: Call) -> Result<Response> {
    change(&call, UserChange::Disable).await
}

async fn enable_user(call: Call) -> Result<Response> {
    change(&call, UserChange::Enable).await
}

async fn sign_out_user(call: Call) -> Result<Response> {
    change(&call, UserChange::SignOut).await
}

async fn change(call: &Call, change: UserChange) -> Result<Response> {
    let reply = call.service().users.change(call.command()?, call.id()?, change).await?;
    respond::reply(call, reply)
}
