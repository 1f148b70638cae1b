//! Problems as HTTP responses: RFC 9457, one format for every error.

use http::{HeaderValue, StatusCode, header};
use model::{Code, Error, Problem};
use serde::Serialize;
use tracing::{error, warn};

use crate::platform::response::{Body, Response, with_body};

const MEDIA_TYPE: HeaderValue = HeaderValue::from_static("application/problem+json");
/// Seconds after which a refused caller may try again.
const RETRY_AFTER: HeaderValue = HeaderValue::from_static("1");

/// The problem of a response. The pipeline writes the body, once it knows the request's id.
#[derive(Clone)]
pub struct Refusal(pub Problem);

#[derive(Serialize)]
struct Document<'a> {
    r#type: String,
    title: &'a str,
    status: u16,
    detail: &'a str,
    code: &'a str,
    request_id: &'a str,
    errors: Vec<Entry<'a>>,
    /// RFC 6749 requires it in a refused token request.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
}

#[derive(Serialize)]
struct Entry<'a> {
    r#type: &'static str,
    code: &'a str,
    source: &'static str,
    message: &'a str,
    field: &'a str,
    #[serde(flatten)]
    facts: &'a serde_json::Map<String, serde_json::Value>,
}

/// Returns the response to a failed operation, and logs a fault with its causes. Call it inside the request's span, so that the
/// line has the id that the response tells the caller to quote.
pub fn failed(error: Error, route: &str) -> Response {
    let fault = match error {
        Error::Refused(problem) => return refused(*problem),
        Error::Fault(fault) => fault,
    };
    let (shown, error) = (fault.shown, Error::Fault(fault));
    match shown {
        Code::Internal => error!(%error, route, "request failed"),
        // The caller is asked to try again.
        _ => warn!(%error, route, code = shown.as_str(), "request failed for now"),
    }
    refused(shown.into())
}

/// Returns the refusal of a request that reached no handler.
pub fn refuse(code: Code) -> Response {
    refused(Problem::from(code))
}

/// Returns a response that carries the problem. [`finish`] writes its body.
pub fn refused(problem: Problem) -> Response {
    let code = problem.code;
    let status = StatusCode::from_u16(code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = with_body(status, MEDIA_TYPE, "");
    let headers = response.headers_mut();
    match code {
        Code::Unauthenticated => {
            let how = HeaderValue::from_static("Bearer realm=\"dockside\", error=\"invalid_token\"");
            headers.insert(header::WWW_AUTHENTICATE, how);
        }
        Code::InvalidClient => {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Basic realm=\"dockside\""));
        }
        Code::InsufficientScope => {
            let how = HeaderValue::from_static("Bearer realm=\"dockside\", error=\"insufficient_scope\"");
            headers.insert(header::WWW_AUTHENTICATE, how);
        }
        Code::SignInLimited | Code::ResetLimited => {
            let seconds = problem.issues.first().and_then(|issue| issue.facts.get("retry_after")?.as_u64());
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds.unwrap_or(1)));
        }
        Code::IdempotencyInProgress | Code::TooManyExports => {
            headers.insert(header::RETRY_AFTER, RETRY_AFTER);
        }
        code if code.status() == 503 => {
            headers.insert(header::RETRY_AFTER, RETRY_AFTER);
        }
        _ => {}
    }
    response.extensions_mut().insert(Refusal(problem));
    response
}

/// Writes the problem's body if the response carries one, and returns its code.
pub fn finish(response: &mut Response, request_id: &str) -> Option<Code> {
    let Refusal(problem) = response.extensions_mut().remove::<Refusal>()?;
    let code = problem.code;
    let is_oauth = matches!(
        code,
        Code::InvalidClient | Code::InvalidGrant | Code::InvalidScope | Code::UnsupportedGrantType
    );
    let kind = if code.status() == 409 { "state_error" } else { "validation_error" };
    let entries = problem.issues.iter().map(|issue| Entry {
        r#type: kind,
        code: &issue.code,
        source: "request",
        message: &issue.message,
        field: &issue.field,
        facts: &issue.facts,
    });
    let document = Document {
        r#type: format!("/docs/errors#{}", code.as_str()),
        title: code.title(),
        status: code.status(),
        detail: problem.detail.as_deref().unwrap_or_else(|| code.advice()),
        code: code.as_str(),
        request_id,
        errors: entries.collect(),
        error: is_oauth.then(|| code.as_str()),
    };
    let body = serde_json::to_vec(&document).unwrap_or_default();
    *response.body_mut() = Body::Whole(http_body_util::Full::new(body.into()));
    Some(code)
}
