//! What a DHL Express account needs: the credentials of an app at DHL, and the number of the account that pays.

use serde_json::Value;

use crate::Account;

const CREDENTIALS: [&str; 2] = ["username", "password"];
const NUMBER: &str = "account_number";
const NUMBER_CHARS_MAX: usize = 12;

/// Checks the credentials and the configuration; else returns a sentence for the client that wrote them.
pub fn check(account: &Account) -> Result<(), String> {
    for name in CREDENTIALS {
        if credential(account, name).trim().is_empty() {
            return Err(format!(
                "DHL Express needs `{name}` in the credentials: the one of your MyDHL API app at developer.dhl.com."
            ));
        }
    }
    if let Some(name) = account.credentials.keys().find(|name| !CREDENTIALS.contains(&name.as_str())) {
        return Err(format!("DHL Express's credentials are `username` and `password`; `{name}` is neither."));
    }
    if let Some(name) = account.configuration.keys().find(|name| *name != NUMBER) {
        return Err(format!("DHL Express's configuration has `{NUMBER}` alone, and not `{name}`."));
    }
    let number = number(account);
    let is_number =
        (1..=NUMBER_CHARS_MAX).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
    match is_number {
        true => Ok(()),
        false => Err(format!(
            "DHL Express needs `{NUMBER}` in the configuration: the digits of your export account, as a text."
        )),
    }
}

/// The number of the account that pays.
pub fn number(account: &Account) -> &str {
    account.configuration.get(NUMBER).and_then(Value::as_str).unwrap_or_default()
}

/// A credential's text.
pub fn credential<'a>(account: &'a Account, name: &str) -> &'a str {
    account.credentials.get(name).and_then(Value::as_str).unwrap_or_default()
}
