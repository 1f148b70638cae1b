//! Requests to Shopify's GraphQL Admin API, and its errors, most of which come with the status 200.

use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};

use super::name::NAME;
use crate::connector::Request;
use crate::exchanges::{Exchanges, Reply, Run};
use crate::failure::{Failure, FailureKind};
use crate::json::{items, text};
use crate::shop::Shop;

/// The name of the credential.
pub const TOKEN: &str = "access_token";
/// The version of the API. Shopify keeps each for a year, and then answers as the oldest that it still has.
const PATH: &str = "/admin/api/2026-07/graphql.json";
/// Codes of errors after which the same request may succeed.
const TRANSIENT: [&str; 3] = ["INTERNAL_SERVER_ERROR", "TIMEOUT", "SHOP_INACTIVE"];
/// Longest wait that is asked for when the rate limit is reached, in seconds.
const WAIT_SECONDS_MAX: f64 = 120.0;

/// Asks, and returns the data.
pub fn ask(shop: &Shop, query: &str, variables: Value, exchanges: &mut Exchanges<'_>) -> Run<Value> {
    Ok(read(exchanges.ask(request(shop, query, &variables, false))?)?)
}

/// Changes something, and returns what the mutation returns, its errors among it.
pub fn change(
    shop: &Shop,
    query: &str,
    variables: Value,
    mutation: &str,
    exchanges: &mut Exchanges<'_>,
) -> Run<Value> {
    let data = read(exchanges.ask(request(shop, query, &variables, true))?)?;
    match &data[mutation] {
        Value::Object(_) => Ok(data[mutation].clone()),
        _ => Err(Failure { may_be_done: true, ..Failure::unreadable(NAME) }.into()),
    }
}

fn request(shop: &Shop, query: &str, variables: &Value, is_write: bool) -> Request {
    Request {
        method: "POST",
        url: shop.at(PATH),
        headers: vec![
            ("accept", "application/json".to_owned()),
            ("content-type", "application/json".to_owned()),
            ("x-shopify-access-token", shop.credential(TOKEN).unwrap_or_default().to_owned()),
        ],
        body: Bytes::from(json!({"query": query, "variables": variables}).to_string()),
        is_write,
    }
}

fn read(reply: Reply<'_>) -> Result<Value, Failure> {
    let body = serde_json::from_slice::<Value>(reply.body);
    if !reply.is_success() {
        let words = body.ok().as_ref().and_then(words);
        let failure =
            Failure::of_status(NAME, reply.status, reply.retry_after, words.as_deref(), reply.is_write);
        // No shop has this name: an order that is gone is null in an answer with 200.
        let is_gone = failure.kind == FailureKind::Gone;
        return Err(if is_gone { Failure { kind: FailureKind::NotUnderstood, ..failure } } else { failure });
    }
    let unreadable = || Failure { may_be_done: reply.is_write, ..Failure::unreadable(NAME) };
    let mut body = body.map_err(|_| unreadable())?;
    if let Some(failure) = failure_in(&body, reply.is_write) {
        return Err(failure);
    }
    // An index that is written to panics where there is no object.
    match body.get_mut("data").map(Value::take) {
        Some(data @ Value::Object(_)) => Ok(data),
        _ => Err(unreadable()),
    }
}

/// Returns what the errors of an answer mean, if there are some. Data beside them may lack anything.
fn failure_in(body: &Value, is_write: bool) -> Option<Failure> {
    let errors = match body.get("errors") {
        None | Some(Value::Null) => return None,
        Some(Value::Array(errors)) if errors.is_empty() => return None,
        Some(_) => items(&body["errors"]),
    };
    let has = |codes: &[&str]| {
        errors
            .iter()
            .any(|error| error["extensions"]["code"].as_str().is_some_and(|code| codes.contains(&code)))
    };
    let message = format!("{NAME} refuses: {}", words(body).unwrap_or_default());
    Some(if has(&["THROTTLED"]) {
        Failure::later(&message, throttled_for(&body["extensions"]["cost"]))
    } else if has(&TRANSIENT) {
        Failure { may_be_done: is_write, ..Failure::later(&message, None) }
    } else if has(&["ACCESS_DENIED"]) {
        Failure::new(FailureKind::Credentials, &message)
    } else {
        Failure::new(FailureKind::Refused, &message)
    })
}

/// Returns how long the rate limit takes to allow a request of this cost.
fn throttled_for(cost: &Value) -> Option<Duration> {
    let status = &cost["throttleStatus"];
    let lacking = cost["requestedQueryCost"].as_f64()? - status["currentlyAvailable"].as_f64()?;
    let seconds = (lacking / status["restoreRate"].as_f64()?).ceil();
    (seconds.is_finite() && seconds > 0.0).then(|| Duration::from_secs_f64(seconds.min(WAIT_SECONDS_MAX)))
}

/// Returns what the errors of an answer say: a text, or a list of objects or texts.
fn words(body: &Value) -> Option<String> {
    let errors = &body["errors"];
    let said: Vec<String> = match errors {
        Value::Array(errors) => {
            errors.iter().filter_map(|error| text(&error["message"]).or_else(|| text(error))).collect()
        }
        other => text(other).into_iter().collect(),
    };
    (!said.is_empty()).then(|| said.join("; "))
}

/// An error that a mutation returned.
pub struct UserError {
    pub code: String,
    pub message: String,
    /// The place in a list of the input, if the error is about one entry.
    pub entry: Option<usize>,
}

/// Returns the errors that a mutation returned.
pub fn user_errors(payload: &Value) -> Vec<UserError> {
    let read = |error: &Value| UserError {
        code: text(&error["code"]).unwrap_or_default(),
        message: text(&error["message"]).unwrap_or_else(|| "It gives no reason.".to_owned()),
        entry: items(&error["field"]).iter().find_map(|part| text(part)?.parse().ok()),
    };
    items(&payload["userErrors"]).iter().map(read).collect()
}

/// Fails if a mutation returned errors.
pub fn refuse_errors(payload: &Value) -> Result<(), Failure> {
    let errors = user_errors(payload);
    if errors.is_empty() {
        return Ok(());
    }
    let said: Vec<String> = errors.into_iter().map(|error| error.message).collect();
    Err(Failure::new(FailureKind::Refused, &format!("{NAME} refuses: {}", said.join("; "))))
}
