//! `/oauth/token`: trades a client's id and secret for a token that is valid for an hour (RFC 6749, client
//! credentials).
//!
//! Every access token is a client: its id is the client id, and the token itself is the secret.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::header;
use model::platform::shape::{Field, Kind, Shape};
use model::{Code, Result};
use service::access::access_tokens::TRADED_SECONDS;

use crate::access::call::Call;
use crate::access::route::{Access, Body, Route, Success};
use crate::access::table::HandledRoute;
use crate::platform::query::decode_pairs;
use crate::platform::response::{Response, json};

pub fn routes() -> Vec<HandledRoute> {
    vec![
        Route::post("/oauth/token", Access::Public, "create_oauth_token", "Trade a client's credentials for a token")
            .about("RFC 6749, client credentials. The client id is an access token's id, its secret the token itself; in the form or as HTTP Basic. The new token lives an hour, carries the asked scopes or all of the client's, and dies with the client.")
            .body(Body::Form(&FORM))
            .success(Success::Resource(&ANSWER))
            .refusals(&[Code::InvalidGrant, Code::UnsupportedGrantType, Code::InvalidScope, Code::InvalidClient])
            .to(create_oauth_token),
    ]
}

static GRANT: Shape = Shape::new(
    Kind::OneOf(&["client_credentials"]),
    "How the client proves itself; this server knows client credentials only.",
);
static CLIENT: Shape = Shape::text(
    1,
    100,
    "The id of the access token that stands for the client (`tok_…`). May be sent as HTTP Basic instead.",
);
static SECRET: Shape =
    Shape::text(1, 100, "The secret of that access token (`dk_live_…`). May be sent as HTTP Basic instead.");
static SCOPE: Shape = Shape::text(
    0,
    2000,
    "Scopes separated by spaces, such as `orders:read orders:write`: no more than the client has. Without it, all that the client has.",
);
static FORM: Shape = Shape::object(
    "TokenRequest",
    &[
        Field::required("grant_type", &GRANT),
        Field::optional("client_id", &CLIENT),
        Field::optional("client_secret", &SECRET),
        Field::optional("scope", &SCOPE),
    ],
    "Who asks, and for which scopes.",
);
static TYPE: Shape = Shape::new(Kind::OneOf(&["Bearer"]), "Send the token as `Authorization: Bearer …`.");
static SECONDS: Shape = Shape::new(
    Kind::Integer { min: 0, max: TRADED_SECONDS },
    "Seconds until the token ends: an hour, or less if the client ends sooner.",
);
static ANSWER: Shape = Shape::object(
    "TokenResponse",
    &[
        Field::required("access_token", &SECRET)
            .about("The new token, which ends by itself. Ask for another one in time."),
        Field::required("token_type", &TYPE),
        Field::required("expires_in", &SECONDS),
        Field::required("scope", &SCOPE),
    ],
    "A token that lives an hour.",
);

async fn create_oauth_token(call: Call) -> Result<Response> {
    let text = std::str::from_utf8(&call.body).unwrap_or_default();
    let form = decode_pairs(text).ok_or(Code::InvalidGrant)?;
    let field = |name: &str| form.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    match field("grant_type") {
        Some("client_credentials") => {}
        Some(_) => return Err(Code::UnsupportedGrantType.into()),
        None => return Err(Code::InvalidGrant.into()),
    }
    let basic = basic_credentials(&call);
    let (client, secret) = match (&basic, field("client_id"), field("client_secret")) {
        (Some((client, secret)), _, _) => (client.as_str(), secret.as_str()),
        (None, Some(client), Some(secret)) => (client, secret),
        _ => return Err(Code::InvalidClient.into()),
    };
    let scope = field("scope").filter(|scope| !scope.trim().is_empty());
    let traded = call.service().access_tokens.trade_token(client, secret, scope).await?;
    let answer = serde_json::json!({
        "access_token": traded.secret.as_str(),
        "token_type": "Bearer",
        "expires_in": traded.seconds,
        "scope": traded.scopes.to_string(),
    });
    Ok(json(answer.to_string()))
}

fn basic_credentials(call: &Call) -> Option<(String, String)> {
    let value = call.headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let encoded = value.strip_prefix("Basic ")?;
    let decoded = String::from_utf8(STANDARD.decode(encoded).ok()?).ok()?;
    let (client, secret) = decoded.split_once(':')?;
    Some((client.to_owned(), secret.to_owned()))
}
