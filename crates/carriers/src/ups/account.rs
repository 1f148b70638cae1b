//! What a UPS account needs: the credentials of an application at UPS, and the number of the account that pays.

use std::time::Duration;

use serde_json::{Map, Value};

use crate::Account;

const CREDENTIALS: [&str; 2] = ["client_id", "client_secret"];
const NUMBER: &str = "account_number";
const FINAL_AFTER: &str = "not_found_is_final_after_minutes";
const CONFIGURATION: [&str; 2] = [NUMBER, FINAL_AFTER];
const NUMBER_CHARS: usize = 6;
/// The range of minutes after which a merchant may take "not found" for an answer.
const FINAL_AFTER_MINUTES: std::ops::RangeInclusive<u64> = 15..=10_080;

/// Checks the credentials and the configuration; else returns a sentence for the client that wrote them.
pub fn check(account: &Account) -> Result<(), String> {
    let is_text = |value: &Value| value.as_str().is_some_and(|text| !text.trim().is_empty());
    for name in CREDENTIALS {
        if !account.credentials.get(name).is_some_and(is_text) {
            return Err(format!(
                "UPS needs `{name}` in the credentials: the one of your application at UPS."
            ));
        }
    }
    if let Some(name) = unknown(&account.credentials, &CREDENTIALS) {
        return Err(format!("UPS's credentials are `client_id` and `client_secret`; `{name}` is neither."));
    }
    if let Some(name) = unknown(&account.configuration, &CONFIGURATION) {
        return Err(format!(
            "UPS's configuration has `{NUMBER}` and, if you like, `{FINAL_AFTER}`; `{name}` is neither."
        ));
    }
    let number = number(account);
    if number.len() != NUMBER_CHARS || !number.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Err(format!(
            "UPS needs `{NUMBER}` in the configuration: the six letters and digits of the account that pays."
        ));
    }
    match account.configuration.get(FINAL_AFTER) {
        Some(value) if !value.as_u64().is_some_and(|minutes| FINAL_AFTER_MINUTES.contains(&minutes)) => {
            Err(format!(
                "`{FINAL_AFTER}` must be a whole number from {} to {}.",
                FINAL_AFTER_MINUTES.start(),
                FINAL_AFTER_MINUTES.end()
            ))
        }
        _ => Ok(()),
    }
}

fn unknown<'a>(fields: &'a Map<String, Value>, known: &[&str]) -> Option<&'a str> {
    fields.keys().map(String::as_str).find(|name| !known.contains(name))
}

/// The number of the account that pays.
pub fn number(account: &Account) -> &str {
    account.configuration.get(NUMBER).and_then(Value::as_str).unwrap_or_default()
}

/// A credential's text.
pub fn credential<'a>(account: &'a Account, name: &str) -> &'a str {
    account.credentials.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Returns how long a shipment may stay invisible to UPS's look-up, if the merchant decided it. UPS itself promises nothing.
pub fn final_after(account: &Account) -> Option<Duration> {
    let minutes = account.configuration.get(FINAL_AFTER)?.as_u64()?;
    Some(Duration::from_secs(minutes * 60))
}
