//! `/passkeys`.

use model::access::passkey::{PASSKEY, PASSKEY_CHALLENGE, PASSKEY_ID, PASSKEY_INPUT, PasskeyInput};
use model::access::user::USER_ID;
use model::{Code, Result};

use crate::access::call::Call;
use crate::access::respond;
use crate::access::route::{Access, Body, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::parameter::{CURSOR, LIMIT, Parameter, ParameterKind};
use crate::platform::response::{Response, json as json_response};

const LIST: &str = "data";
const OF_USER: Parameter = Parameter {
    name: "user_id",
    about: "Whose passkeys to list. Another user's need the scope `users:read`. Without it, your own.",
    kind: ParameterKind::One(&USER_ID),
};

pub fn routes() -> Vec<HandledRoute> {
    vec![
        Route::get("/passkeys", Access::AnyToken, "list_passkeys", "List passkeys")
            .about("Newest first.")
            .parameters(const { &[LIMIT, CURSOR, OF_USER] })
            .success(Success::List(LIST, &PASSKEY))
            .refusals(&[Code::LiveWorldOnly, Code::InsufficientScope])
            .live_only()
            .to(list_passkeys),
        Route::post("/passkeys/challenge", Access::AnyToken, "create_passkey_challenge", "Get a challenge for a new passkey")
            .about("In a session only. What `navigator.credentials.create` needs: ask for `residentKey: \"required\"`, `userVerification: \"required\"` and the attestation `none`. The answer goes to `POST /passkeys` within five minutes, once, in the same session.")
            .success(Success::Answer(&PASSKEY_CHALLENGE))
            .refusals(&[Code::LiveWorldOnly, Code::SessionRequired, Code::PasskeysUnavailable])
            .live_only()
            .holds_secret()
            .to(create_passkey_challenge),
        Route::post("/passkeys", Access::AnyToken, "create_passkey", "Add a passkey of yours")
            .about("In a session only. The device must have verified you. For 15 minutes after a sign-in with a password, a link or a passkey, `current_password` is not needed.")
            .body(Body::Json(&PASSKEY_INPUT))
            .success(Success::Created(&PASSKEY))
            .refusals(&[
                Code::LiveWorldOnly,
                Code::SessionRequired,
                Code::CurrentPasswordWrong,
                Code::SignInLimited,
                Code::PasskeyRefused,
                Code::PasskeyTaken,
                Code::TooManyPasskeys,
            ])
            .live_only()
            .holds_secret()
            .to(create_passkey),
        Route::delete("/passkeys/{passkey_id}", Access::AnyToken, "delete_passkey", "Delete a passkey")
            .about("One of your own; or, with the scope `users:write`, one of a user that has no more scopes than you. It can't be used to sign in any more. Sessions that it began go on until they end.")
            .id(&PASSKEY_ID)
            .refusals(&[Code::LiveWorldOnly, Code::InsufficientScope])
            .live_only()
            .to(delete_passkey),
    ]
}

async fn list_passkeys(call: Call) -> Result<Response> {
    let user = call.query_id("user_id")?;
    let filters = user.map_or_else(String::new, |user: model::Id<model::User>| user.to_string());
    let query = call.list_query("passkeys", filters)?;
    let listing = call.service().passkeys.list(call.caller()?, query, user).await?;
    respond::list(&call, LIST, listing)
}

async fn create_passkey_challenge(call: Call) -> Result<Response> {
    call.service().passkeys.start(call.caller()?).await.map(json_response)
}

async fn create_passkey(call: Call) -> Result<Response> {
    let input: PasskeyInput = call.input()?;
    let reply = call.service().passkeys.create(call.caller()?, input).await?;
    respond::reply(&call, reply)
}

async fn delete_passkey(call: Call) -> Result<Response> {
    let reply = call.service().passkeys.delete(call.command()?, call.id()?).await?;
    respond::reply(&call, reply)
}
