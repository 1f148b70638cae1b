//! `/sessions`, and the caller's password.

use http::{HeaderValue, header};
use model::access::passkey::SESSION_CHALLENGE;
use model::access::session::{
    PASSWORD_INPUT, PasswordInput, SESSION, SESSION_ID, SESSION_INPUT, SessionInput,
};
use model::access::user::USER_ID;
use model::{Code, Result};
use service::{SignInOrigin, SignedIn};

use crate::access::call::Call;
use crate::access::cookie::{Attempt, refuse_foreign_page, set_cookie};
use crate::access::respond;
use crate::access::route::{Access, Body, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::parameter::{CURSOR, LIMIT, Parameter, ParameterKind};
use crate::platform::response::{Response, json as json_response};

const LIST: &str = "data";
const OF_USER: Parameter = Parameter {
    name: "user_id",
    about: "Whose sessions to list. Another user's need the scope `users:read`. Without it, your own.",
    kind: ParameterKind::One(&USER_ID),
};

pub fn routes() -> Vec<HandledRoute> {
    vec![
        Route::post("/sessions", Access::Public, "create_session", "Sign in")
            .about("With `email_address` and `password`, with the `link_token` of a one-time link, or with what a `passkey` answered to a challenge of `POST /sessions/challenge`. The answer sets the session cookie: `__Host-dockside_session` over TLS, `dockside_session` without. It is a new session each time. After ten failures the address waits 15 minutes; a link works meanwhile. Requests by cookie name their world in `Dockside-World` (`live` or `test`; `live` if a GET has none).")
            .body(Body::Json(&SESSION_INPUT))
            .success(Success::Created(&SESSION))
            .refusals(&[
                Code::SignInFailed,
                Code::SignInLimited,
                Code::CrossSiteRequest,
                Code::PasskeysUnavailable,
            ])
            .holds_secret()
            .to(create_session),
        Route::post("/sessions/challenge", Access::Public, "create_session_challenge", "Get a challenge for a passkey")
            .about("What `navigator.credentials.get` needs, and a cookie (`__Host-dockside_passkey` over TLS, `dockside_passkey` without) that must come with the answer. The answer goes to `POST /sessions` within five minutes, once. Ask for `userVerification: \"required\"` and name no credentials: the person chooses the passkey.")
            .success(Success::Answer(&SESSION_CHALLENGE))
            .refusals(&[Code::CrossSiteRequest, Code::PasskeysUnavailable])
            .holds_secret()
            .to(create_session_challenge),
        Route::get("/sessions", Access::AnyToken, "list_sessions", "List sessions")
            .about("Those that have not ended, newest first.")
            .parameters(const { &[LIMIT, CURSOR, OF_USER] })
            .success(Success::List(LIST, &SESSION))
            .refusals(&[Code::LiveWorldOnly, Code::InsufficientScope])
            .live_only()
            .to(list_sessions),
        Route::delete("/sessions/current", Access::AnyToken, "delete_current_session", "Sign out")
            .about("Ends the session of the request's cookie, and makes the browser forget it.")
            .refusals(&[Code::LiveWorldOnly, Code::SessionRequired])
            .live_only()
            .to(delete_current_session),
        Route::delete("/sessions/{session_id}", Access::AnyToken, "delete_session", "End a session")
            .about("One of your own; or, with the scope `users:write`, one of a user that has no more scopes than you.")
            .id(&SESSION_ID)
            .refusals(&[Code::LiveWorldOnly, Code::InsufficientScope])
            .live_only()
            .to(delete_session),
        Route::put("/me/password", Access::AnyToken, "set_my_password", "Set your password")
            .about("In a session only. All your other sessions end. For 15 minutes after a sign-in with a link, `current_password` is not needed.")
            .body(Body::Json(&PASSWORD_INPUT))
            .refusals(&[
                Code::LiveWorldOnly,
                Code::SessionRequired,
                Code::CurrentPasswordWrong,
                Code::PasswordTooCommon,
                Code::SignInLimited,
            ])
            .live_only()
            .holds_secret()
            .to(set_my_password),
    ]
}

async fn create_session(call: Call) -> Result<Response> {
    refuse_foreign_page(&call.headers, &call.state)?;
    let input: SessionInput = call.input()?;
    let attempt = Attempt::Passkey.cookie(&call.headers, &call.state);
    let origin = SignInOrigin { attempt, ..origin_of(&call) };
    let SignedIn { reply, cookie } = call.service().sign_ins.sign_in(input, origin).await?;
    let response = respond::reply(&call, reply)?;
    Ok(with_cookie(response, set_cookie(&call.state, Some(&cookie))?))
}

async fn create_session_challenge(call: Call) -> Result<Response> {
    refuse_foreign_page(&call.headers, &call.state)?;
    let challenge = call.service().passkeys.start_sign_in()?;
    let cookie = Attempt::Passkey.set_cookie(&call.state, Some(&challenge.cookie))?;
    Ok(with_cookie(json_response(challenge.body), cookie))
}

async fn list_sessions(call: Call) -> Result<Response> {
    let user = call.query_id("user_id")?;
    let filters = user.map_or_else(String::new, |user: model::Id<model::User>| user.to_string());
    let query = call.list_query("sessions", filters)?;
    let listing = call.service().sign_ins.list(call.caller()?, query, user).await?;
    respond::list(&call, LIST, listing)
}

async fn delete_current_session(call: Call) -> Result<Response> {
    let session = call.caller()?.session.ok_or(Code::SessionRequired)?;
    let reply = call.service().sign_ins.end(call.command()?, session.id).await?;
    let response = respond::reply(&call, reply)?;
    Ok(with_cookie(response, set_cookie(&call.state, None)?))
}

async fn delete_session(call: Call) -> Result<Response> {
    let reply = call.service().sign_ins.end(call.command()?, call.id()?).await?;
    respond::reply(&call, reply)
}

async fn set_my_password(call: Call) -> Result<Response> {
    let input: PasswordInput = call.input()?;
    let reply = call.service().sign_ins.set_password(call.caller()?, input).await?;
    respond::reply(&call, reply)
}

/// Returns where a sign-in comes from.
pub(crate) fn origin_of(call: &Call) -> SignInOrigin {
    let user_agent = call.headers.get(header::USER_AGENT).and_then(|value| value.to_str().ok());
    SignInOrigin { address: call.client_address(), user_agent: user_agent.map(str::to_owned), attempt: None }
}

fn with_cookie(mut response: Response, cookie: HeaderValue) -> Response {
    response.headers_mut().insert(header::SET_COOKIE, cookie);
    response
}
