//! `/password_resets`.

use http::StatusCode;
use model::access::password_reset::{
    PASSWORD_RESET, PASSWORD_RESET_INPUT, PasswordResetInput, RESET_SECONDS,
};
use model::{Code, Result};
use serde_json::json;

use crate::access::call::Call;
use crate::access::cookie::refuse_foreign_page;
use crate::access::route::{Access, Body, Route, Success};
use crate::access::table::HandledRoute;
use crate::events::sessions::origin_of;
use crate::platform::response::{Response, json as json_response};

pub fn routes() -> Vec<HandledRoute> {
    vec![
        Route::post("/password_resets", Access::Public, "create_password_reset", "Ask for a new password")
            .about("For a person who has forgotten the password, if `GET /sign_in_methods` has `password_reset`. The server sends a link by e-mail, which signs in once, within 30 minutes; the password is then set with `PUT /me/password`, which ends all other sessions of the user. Older links of the user work no more. The answer is the same, and takes the same time, whether a user has the address or not. A user that is disabled or has no password gets no e-mail.")
            .body(Body::Json(&PASSWORD_RESET_INPUT))
            .success(Success::Accepted(&PASSWORD_RESET))
            .refusals(&[Code::MailUnavailable, Code::ResetLimited, Code::CrossSiteRequest])
            .holds_secret()
            .to(create_password_reset),
    ]
}

async fn create_password_reset(call: Call) -> Result<Response> {
    refuse_foreign_page(&call.headers, &call.state)?;
    let input: PasswordResetInput = call.input()?;
    call.service().password_resets.request(input, &origin_of(&call)).await?;
    let mut response = json_response(json!({"link_seconds": RESET_SECONDS}).to_string());
    *response.status_mut() = StatusCode::ACCEPTED;
    Ok(response)
}
