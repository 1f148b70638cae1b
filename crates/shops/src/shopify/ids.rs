//! Ids of Shopify: numbers in webhooks, and addresses that end with the same number in GraphQL.

use serde_json::Value;

/// Digits that a number may have.
const DIGITS_MAX: usize = 20;

/// Returns the GraphQL id of a number, or of an id that is one already. `None` if it is neither.
pub fn gid(kind: &str, id: &str) -> Option<String> {
    let prefix = format!("gid://shopify/{kind}/");
    let number = id.strip_prefix(&prefix).unwrap_or(id);
    let is_number =
        (1..=DIGITS_MAX).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| format!("{prefix}{number}"))
}

/// Returns the number of a GraphQL id.
pub fn number(id: &Value) -> Option<String> {
    let (_, number) = id.as_str()?.split('?').next()?.rsplit_once('/')?;
    (!number.is_empty()).then(|| number.to_owned())
}
