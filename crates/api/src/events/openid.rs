//! Signing in at an identity provider: what the sign-in page offers, and the two addresses that a browser visits on its way.

use http::{HeaderValue, StatusCode, header};
use model::access::openid::console_path::console_path;
use model::access::openid::provider::encode;
use model::access::openid::refusal::Refusal;
use model::platform::shape::{Field, Kind, Shape};
use model::{Error, Result};
use serde_json::json;
use service::events::openid::{CALLBACK_PATH, Callback};

use crate::access::call::Call;
use crate::access::cookie::{Attempt, set_cookie};
use crate::access::route::{Access, Route, Success};
use crate::access::table::HandledRoute;
use crate::events::sessions::origin_of;
use crate::platform::query::decode_pairs;
use crate::platform::response::{Body, Response, json as json_response};

/// Where a sign-in at the identity provider begins.
const START_PATH: &str = "/oidc/start";
const SIGN_IN_PAGE: &str = "/console/sign-in";

static HAS_PASSWORD: Shape =
    Shape::new(Kind::Boolean, "Whether people sign in with an address and a password. Always true.")
        .example("true");
static HAS_PASSKEY: Shape = Shape::new(
    Kind::Boolean,
    "Whether people sign in with passkeys: browsers offer them at an `https` address with a host name, and on `localhost`.",
)
.example("true");
static HAS_PASSWORD_RESET: Shape = Shape::new(
    Kind::Boolean,
    "Whether a person who has forgotten the password gets a link by e-mail: `POST /password_resets`. The operator sets a mail server for that.",
)
.example("true");
static LABEL: Shape =
    Shape::text(1, 100, "What the button says: the setting `oidc_label`.").example(r#""Sign in with Acme""#);
static START_URL: Shape = Shape::text(
    1,
    200,
    "Where a browser goes to sign in, with the page of the console that the person wants in the parameter `next`.",
)
.example(r#""/oidc/start""#);
static PROVIDER: Shape = Shape::object(
    "SignInProvider",
    &[Field::given("label", &LABEL), Field::given("start_url", &START_URL)],
    "The server at which people of this installation sign in, by the settings `oidc_…`. Null if the operator has set none.",
);
static METHODS: Shape = Shape::object(
    "SignInMethods",
    &[
        Field::given("password", &HAS_PASSWORD),
        Field::given("password_reset", &HAS_PASSWORD_RESET),
        Field::given("passkey", &HAS_PASSKEY),
        Field::given_or_null("openid_connect", &PROVIDER),
    ],
    "The ways to sign in.",
);

pub fn routes() -> Vec<HandledRoute> {
    vec![
        Route::get("/sign_in_methods", Access::Public, "get_sign_in_methods", "Get the ways to sign in")
            .about("What the sign-in page offers. `openid_connect` is null if the operator has set no identity provider.")
            .success(Success::Answer(&METHODS))
            .to(get_sign_in_methods),
    ]
}

/// Returns the addresses that a browser visits. They are not part of the OpenAPI document, because they answer with
/// redirections for people, and programs have no use for them.
pub fn pages() -> Vec<HandledRoute> {
    vec![
        Route::get(START_PATH, Access::Public, "start_openid_sign_in", "Sign in at the identity provider")
            .acts()
            .to(start_openid_sign_in),
        Route::get(
            CALLBACK_PATH,
            Access::Public,
            "finish_openid_sign_in",
            "Come back from the identity provider",
        )
        .acts()
        .to(finish_openid_sign_in),
    ]
}

async fn get_sign_in_methods(call: Call) -> Result<Response> {
    let provider = call.service().openid.label();
    let provider = provider.map(|label| json!({"label": label, "start_url": START_PATH}));
    Ok(json_response(
        json!({
            "password": true,
            "password_reset": call.service().mails.are_available(),
            "passkey": call.service().passkeys.are_available(),
            "openid_connect": provider,
        })
        .to_string(),
    ))
}

async fn start_openid_sign_in(call: Call) -> Result<Response> {
    let query = Pairs::of(&call);
    let next = query.get("next");
    match call.service().openid.start(next, &origin_of(&call)).await {
        Ok(started) => {
            let mut response = redirect(&started.url)?;
            let cookie = Attempt::OpenId.set_cookie(&call.state, Some(&started.cookie))?;
            response.headers_mut().insert(header::SET_COOKIE, cookie);
            Ok(response)
        }
        Err(refusal) => redirect(&refused(refusal, next)),
    }
}

async fn finish_openid_sign_in(call: Call) -> Result<Response> {
    let query = Pairs::of(&call);
    let text = |name: &str| query.get(name).map(str::to_owned);
    let callback = Callback {
        code: text("code"),
        state: text("state"),
        error: text("error"),
        issuer: text("iss"),
        cookie: Attempt::OpenId.cookie(&call.headers, &call.state),
    };
    let finished = call.service().openid.finish(callback, &origin_of(&call)).await?;
    let next = finished.next.as_deref();
    let mut response = match finished.outcome {
        Ok(signed_in) => {
            let mut response = redirect(console_path(next))?;
            let cookie = set_cookie(&call.state, Some(&signed_in.cookie))?;
            response.headers_mut().append(header::SET_COOKIE, cookie);
            response
        }
        Err(refusal) => redirect(&refused(refusal, next))?,
    };
    response.headers_mut().append(header::SET_COOKIE, Attempt::OpenId.set_cookie(&call.state, None)?);
    Ok(response)
}

/// The parameters of a query. A provider may add any, so unknown ones are ignored.
struct Pairs(Vec<(String, String)>);

impl Pairs {
    fn of(call: &Call) -> Self {
        Self(call.uri.query().and_then(decode_pairs).unwrap_or_default())
    }

    /// Returns the value of a parameter. One that is there twice counts as missing: programs disagree on which counts.
    fn get(&self, name: &str) -> Option<&str> {
        let mut values = self.0.iter().filter(|(known, _)| known == name).map(|(_, value)| value.as_str());
        values.next().filter(|_| values.next().is_none())
    }
}

/// Returns the sign-in page, which explains the refusal by its code.
fn refused(refusal: Refusal, next: Option<&str>) -> String {
    let next = encode(console_path(next));
    format!("{SIGN_IN_PAGE}?problem={}&next={next}", refusal.as_str())
}

fn redirect(url: &str) -> Result<Response> {
    let mut response = http::Response::new(Body::default());
    *response.status_mut() = StatusCode::SEE_OTHER;
    let headers = response.headers_mut();
    headers.insert(header::LOCATION, HeaderValue::try_from(url).map_err(Error::fault)?);
    // The address of the callback has the code.
    headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    Ok(response)
}
