//! What a Royal Mail account needs: a key of Click & Drop, and a rate card.

use serde_json::Value;

use super::card::Card;
use crate::Account;

const KEY: &str = "api_key";

/// Checks the key and the rate card; else returns a sentence for the client that wrote them.
pub fn check(account: &Account) -> Result<(), String> {
    let key = key(account);
    if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(format!(
            "Royal Mail needs `{KEY}` in the credentials: the authorisation key of your API integration in Click & Drop."
        ));
    }
    if let Some(name) = account.credentials.keys().find(|name| *name != KEY) {
        return Err(format!("Royal Mail's credentials are `{KEY}` alone; `{name}` is none of them."));
    }
    Card::read(account).map(drop)
}

/// Returns the key, which people also copy with the word before it.
pub fn key(account: &Account) -> &str {
    let key = account.credentials.get(KEY).and_then(Value::as_str).unwrap_or_default().trim();
    key.strip_prefix("Bearer ").unwrap_or(key).trim()
}
